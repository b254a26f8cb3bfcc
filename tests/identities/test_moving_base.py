"""A base that moves as prescribed: the robot does what it would do on a floating base that moves so."""

import pickle

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.rnea import RNEA

from ..random_trees import random_rotation
from ..rounding import U, bounded
from .robots import COUNT, ROBOTS, TILTED
from .robots import robot as named

# robots of fixed base: a floating one has a joint of that kind already
FIXED = [name for name, (_, options) in ROBOTS.items() if not options.get("floating_base")]
GRAVITY = {"gravity": TILTED}


class Moved:
    """A robot on a base that moves, and the same robot on a floating base in the same states."""

    def __init__(self, name):
        self.robot = named(name)
        self.model = self.robot.parts.build(**{**self.robot.options, **GRAVITY})
        self.free = self.robot.parts.build(**{**self.robot.options, **GRAVITY, "floating_base": True})
        rng = np.random.default_rng(COUNT)
        pose = np.tile(np.eye(4), (COUNT, 1, 1))
        pose[:, :3, :3] = [random_rotation(rng) for _ in range(COUNT)]
        pose[:, :3, 3] = rng.normal(size=(COUNT, 3))
        self.base = fs.BaseMotion(pose, *rng.normal(size=(2, COUNT, 6)))
        self.q = np.concatenate([pose[:, :3, 3], quaternions(pose), self.robot.q], -1)
        self.qd = np.concatenate([self.base.velocity, self.robot.qd], -1)
        self.qdd = np.concatenate([self.base.acceleration, self.robot.qdd], -1)
        # on the base nothing acts
        self.f_ext = np.concatenate([np.zeros((COUNT, 1, 6)), self.robot.f_ext], 1)
        self.state = (self.robot.q, self.robot.qd)

    def torques(self, qdd):
        """Of the joints, with bounds of their errors: the rotation that is a quaternion there is rounded once more."""
        found = bounded(RNEA, self.free, [self.q, self.qd, qdd, self.f_ext], (self.free.nv,))
        heaviest = np.abs(found.value).max(-1, keepdims=True)
        return found.value[:, 6:], found.error[:, 6:] + 64 * U * heaviest


def quaternions(pose):
    """(x, y, z, w) of rotations that are no half turns, and of half turns by the largest axis."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(pose[:, :3, :3]).as_quat()


@pytest.fixture(params=FIXED)
def moved(request):
    return Moved(request.param)


def test_inverse_dynamics_is_that_of_a_floating_robot(moved):
    right, allowed = moved.torques(moved.qdd)
    found = fs.rnea(moved.model, *moved.state, moved.robot.qdd, moved.robot.f_ext, base=moved.base)
    assert (np.abs(found - right) <= 4 * allowed).all()
    # it is felt
    still = fs.rnea(moved.model, *moved.state, moved.robot.qdd, moved.robot.f_ext)
    assert (np.abs(found - still).max(-1) > 1e-3).all()


def test_bias_and_gravity_are_inverse_dynamics_without_the_rest(moved):
    model, base, (q, qd) = moved.model, moved.base, moved.state
    zero = np.zeros(model.nv)
    bias = fs.bias_torque(model, q, qd, moved.robot.f_ext, base=base)
    np.testing.assert_array_equal(bias, fs.rnea(model, q, qd, zero, moved.robot.f_ext, base=base))
    np.testing.assert_array_equal(fs.gravity_torque(model, q, base=base), fs.rnea(model, q, zero, zero, base=base))


@pytest.mark.parametrize("method", ["aba", "cholesky"])
def test_forward_dynamics_inverts_inverse_dynamics(moved, method):
    model, base, robot = moved.model, moved.base, moved.robot
    qdd = fs.forward_dynamics(model, *moved.state, robot.tau, robot.f_ext, method=method, base=base)
    _, error = moved.torques(np.concatenate([base.acceleration, qdd], -1))
    back = fs.rnea(model, *moved.state, qdd, robot.f_ext, base=base)
    reach = np.einsum("bij,bj->bi", np.abs(fs.crba(model, robot.q)), robot.solve_error(qdd, error))
    assert (np.abs(back - robot.tau) <= 4 * (error + reach)).all()


def test_poses_and_energies_are_those_of_a_floating_robot(moved):
    model, base, (q, qd) = moved.model, moved.base, moved.state
    near = {"rtol": 1e-12, "atol": 1e-12}
    poses = fs.forward_kinematics(moved.free, moved.q)[:, 1:]
    np.testing.assert_allclose(fs.forward_kinematics(model, q, base=base), poses, **near)
    for name in (model.frame_names[0], model.frame_names[-1]):
        np.testing.assert_allclose(
            fs.frame_pose(model, q, name, base=base), fs.frame_pose(moved.free, moved.q, name), **near
        )
    # the base itself has no part in the energies of a robot whose base is no body
    bare = moved.free.scale(0.0, carried_by_base(model))
    kinetic, potential = fs.kinetic_energy(model, q, qd, base=base), fs.potential_energy(model, q, base=base)
    np.testing.assert_allclose(kinetic, fs.kinetic_energy(bare, moved.q, moved.qd), rtol=1e-12)
    size = np.abs(fs.kinetic_energy(model, q, qd)).max() + np.abs(potential).max()
    np.testing.assert_allclose(potential, fs.potential_energy(bare, moved.q), rtol=0, atol=1e-13 * size)


@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
def test_frames_move_as_those_of_a_floating_robot(moved, reference):
    model, free, base, (q, qd), qdd = moved.model, moved.free, moved.base, moved.state, moved.robot.qdd
    for name in (model.frame_names[0], model.frame_names[-1]):
        for found, right in (
            (
                fs.frame_velocity(model, q, qd, name, reference, base=base),
                fs.frame_velocity(free, moved.q, moved.qd, name, reference),
            ),
            *(
                (
                    fs.frame_acceleration(model, q, qd, qdd, name, reference, kind=kind, base=base),
                    fs.frame_acceleration(free, moved.q, moved.qd, moved.qdd, name, reference, kind=kind),
                )
                for kind in ("spatial", "classical")
            ),
            (
                fs.frame_jacobian(model, q, name, reference, base=base),
                fs.frame_jacobian(free, moved.q, name, reference)[..., 6:],
            ),
            (
                fs.frame_jacobian_rate(model, q, qd, name, reference, base=base),
                fs.frame_jacobian_rate(free, moved.q, moved.qd, name, reference)[..., 6:],
            ),
            (
                fs.kinematic_hessian(model, q, name, reference, base=base),
                fs.kinematic_hessian(free, moved.q, name, reference)[..., 6:, 6:],
            ),
        ):
            np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * max(1.0, np.abs(right).max()))
    # it is felt
    still = fs.frame_velocity(model, q, qd, model.frame_names[-1], reference)
    assert np.abs(fs.frame_velocity(model, q, qd, model.frame_names[-1], reference, base=base) - still).max() > 0.1


def test_momentum_is_that_of_a_floating_robot(moved):
    model, base, (q, qd), qdd = moved.model, moved.base, moved.state, moved.robot.qdd
    bare = moved.free.scale(0.0, carried_by_base(model))
    for function, given, free in (
        (fs.center_of_mass, (q,), (moved.q,)),
        (fs.center_of_mass_velocity, (q, qd), (moved.q, moved.qd)),
        (fs.center_of_mass_acceleration, (q, qd, qdd), (moved.q, moved.qd, moved.qdd)),
        (fs.centroidal_momentum, (q, qd), (moved.q, moved.qd)),
        (fs.centroidal_momentum_rate, (q, qd, qdd), (moved.q, moved.qd, moved.qdd)),
        (fs.momentum_about, (q, qd, [1.0, 2.0, 3.0]), (moved.q, moved.qd, [1.0, 2.0, 3.0])),
        (fs.center_of_mass_jacobian, (q,), (moved.q,)),
        (fs.centroidal_momentum_matrix, (q,), (moved.q,)),
        (fs.centroidal_momentum_matrix_rate, (q, qd), (moved.q, moved.qd)),
    ):
        found, right = function(model, *given, base=base), function(bare, *free)
        if right.ndim == 3:
            right = right[..., 6:]
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * max(1.0, np.abs(right).max()))
    found, right = fs.composite_inertia(model, q, base=base), fs.composite_inertia(bare, moved.q)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * np.abs(right).max())


def carried_by_base(model):
    return [name for name in model.frame_names if model.frame(name).body == 0]


def test_a_force_in_world_axes_is_turned_with_the_base(moved):
    model, base, (q, _) = moved.model, moved.base, moved.state
    name = model.body_names[-1]
    given = {"force": [1.0, 2.0, 3.0], "moment": [0.3, 0.2, 0.1], "point": [0.4, 0.5, 0.6]}
    found = fs.external_wrench(model, q, name, **given, base=base)
    right = fs.external_wrench(moved.free, moved.q, name, **given)[:, 1:]
    np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)


def test_a_base_that_stands_at_the_world_is_no_base(moved):
    still = fs.BaseMotion()
    model, robot = moved.model, moved.robot
    for function, inputs in (
        (fs.rnea, (robot.q, robot.qd, robot.qdd, robot.f_ext)),
        (fs.aba, (robot.q, robot.qd, robot.tau, robot.f_ext)),
        (fs.forward_kinematics, (robot.q,)),
        (fs.kinetic_energy, (robot.q, robot.qd)),
        (fs.center_of_mass, (robot.q,)),
        (fs.centroidal_momentum_rate, (robot.q, robot.qd, robot.qdd)),
        (fs.centroidal_momentum_matrix_rate, (robot.q, robot.qd)),
        (fs.potential_energy, (robot.q,)),
    ):
        np.testing.assert_array_equal(function(model, *inputs, base=still), function(model, *inputs))


def test_one_state_and_a_batch_agree(moved):
    model, robot = moved.model, moved.robot
    found = fs.rnea(model, robot.q, robot.qd, robot.qdd, robot.f_ext, base=moved.base)
    for k in range(COUNT):
        base = fs.BaseMotion(moved.base.pose[k], moved.base.velocity[k], moved.base.acceleration[k])
        alone = fs.rnea(model, robot.q[k], robot.qd[k], robot.qdd[k], robot.f_ext[k], base=base)
        np.testing.assert_allclose(alone, found[k], rtol=1e-11, atol=1e-11 * np.abs(found).max())


def test_shapes_broadcast():
    model = fs.models.load("planar_2r")
    base = fs.BaseMotion(acceleration=np.zeros((3, 1, 6)))
    assert fs.gravity_torque(model, np.zeros((5, 2)), base=base).shape == (3, 5, 2)
    assert fs.BaseMotion(np.tile(np.eye(4), (3, 1, 1, 1)), np.zeros((4, 6))).array.shape == (3, 4, 24)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"velocity": [0.0] * 5}, ValueError, r"velocity: expected shape \(..., 6\), got \(5,\)"),
        ({"velocity": "fast"}, TypeError, r"velocity: expected real numbers of shape \(..., 6\), got 'fast'"),
        ({"acceleration": [np.nan] * 6}, ValueError, "acceleration: expected finite numbers, got nan"),
        ({"pose": np.eye(3)}, ValueError, r"pose: expected shape \(..., 4, 4\), got \(3, 3\)"),
        ({"pose": np.diag([1.0, 1.0, -1.0, 1.0])}, ValueError, "pose: expected a homogeneous matrix of a rotation"),
        ({"pose": np.diag([2.0, 1.0, 1.0, 1.0])}, ValueError, "pose: expected a rotation in the upper left 3x3"),
        ({"velocity": np.zeros((2, 6)), "acceleration": np.zeros((3, 6))}, ValueError, "batch shapes do not broadcast"),
    ],
)
def test_wrong_motions_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        fs.BaseMotion(**given)


def test_only_a_base_motion_is_one():
    with pytest.raises(TypeError, match="base: expected a BaseMotion, got ndarray"):
        fs.rnea(fs.models.load("pendulum"), [0.0], [0.0], [0.0], base=np.zeros(24))


def test_a_motion_is_immutable_and_pickles():
    base = fs.BaseMotion(velocity=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    with pytest.raises(AttributeError, match="immutable"):
        base.array = None
    with pytest.raises(ValueError, match="read-only"):
        base.velocity[0] = 0.0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(base)).array, base.array)
