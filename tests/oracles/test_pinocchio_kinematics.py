"""Frames, momentum and the centre of mass agree with Pinocchio on every real robot."""

import numpy as np
import pinocchio
import pytest

import featherstone as fs
from featherstone.algorithms.frames import REFERENCES
from featherstone.compat.pinocchio import Pair
from featherstone.engine.kernel import compilation_disabled
from featherstone.parsers.urdf import read_urdf

from .test_pinocchio import MODELS, ROBOTS

SAMPLES = 2 if compilation_disabled() else 6  # of each robot
TOLERANCE = 1e-10
# robots of one link, which move on a floating base only
STANDING = ["hector_description/robots/quadrotor_base.urdf", "iris_description/robots/iris_simple.urdf"]
CASES = [(name, base) for name in MODELS for base in (False, True) if base or name not in STANDING]
MOVING = pytest.mark.parametrize(
    ("name", "floating_base"), CASES, ids=[f"{name}{', floating' * base}" for name, base in CASES]
)
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
THEIRS = dict(
    zip(
        REFERENCES,
        (
            pinocchio.ReferenceFrame.LOCAL,
            pinocchio.ReferenceFrame.WORLD,
            pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED,
        ),
    )
)


class Twins:
    """A robot in both libraries, at random states."""

    def __init__(self, name, floating_base):
        path = ROBOTS / name
        self.model = read_urdf(path)[0].build(floating_base=floating_base)
        root = [pinocchio.JointModelFreeFlyer()] if floating_base else []
        self.other = pinocchio.buildModelFromUrdf(str(path), *root)
        self.data = self.other.createData()
        self.pair = Pair(self.model, self.other)
        rng = np.random.default_rng(len(name))
        self.q = self.model.random_configuration(rng, SAMPLES)
        self.qd, self.qdd = rng.normal(size=(2, SAMPLES, self.model.nv))

    def frames(self):
        """A few links spread over the robot, with their numbers there."""
        names = self.model.frame_names
        picked = {names[k] for k in np.linspace(0, len(names) - 1, 4).astype(int)}
        return [(name, self.other.getFrameId(name, pinocchio.FrameType.BODY)) for name in sorted(picked)]

    def states(self):
        """Pinocchio's states."""
        return zip(self.pair.to_q(self.q), self.pair.to_v(self.qd), self.pair.to_a(self.qdd))

    def columns(self, J):
        """Pinocchio's matrix over velocities in our order, seen by the leaders."""
        return np.array(J)[..., self.pair.v_to] @ self.pair.G


def near(found, right):
    """Whether two agree, in parts of the larger of 1 and the largest entry."""
    found, right = np.asarray(found), np.asarray(right)
    assert found.shape == right.shape
    return np.abs(found - right).max(initial=0.0) <= TOLERANCE * max(1.0, np.abs(right).max(initial=0.0))


def vector(x):
    return np.array(x.vector)[ANGULAR_FIRST]


@pytest.mark.parametrize("name", STANDING)
def test_robots_that_do_not_move_stand_still(name):
    """Pinocchio's Jacobians of such robots end the process."""
    twins = Twins(name, False)
    model, q, qd = twins.model, twins.q, twins.qd
    assert model.nv == 0
    for frame, _ in twins.frames():
        assert fs.frame_jacobian(model, q, frame).shape == (SAMPLES, 6, 0)
        assert not fs.frame_velocity(model, q, qd, frame, "world").any()
        assert not fs.frame_acceleration(model, q, qd, qd, frame, kind="classical").any()
    for call in (lambda: fs.center_of_mass(model, q), lambda: fs.centroidal_momentum(model, q, qd)):
        with pytest.raises(ValueError, match="model: expected bodies with mass"):
            call()


@MOVING
def test_frames_agree_on_a_real_robot(name, floating_base):
    twins = Twins(name, floating_base)
    model, other, data = twins.model, twins.other, twins.data
    for frame, number in twins.frames():
        for reference, theirs in THEIRS.items():
            J = fs.frame_jacobian(model, twins.q, frame, reference)
            rate = fs.frame_jacobian_rate(model, twins.q, twins.qd, frame, reference)
            v = fs.frame_velocity(model, twins.q, twins.qd, frame, reference)
            a, classical = (
                fs.frame_acceleration(model, twins.q, twins.qd, twins.qdd, frame, reference, kind=kind)
                for kind in ("spatial", "classical")
            )
            for k, (Q, V, A) in enumerate(twins.states()):
                pinocchio.forwardKinematics(other, data, Q, V, A)
                pinocchio.computeJointJacobiansTimeVariation(other, data, Q, V)
                pinocchio.updateFramePlacements(other, data)
                found = pinocchio.getFrameJacobian(other, data, number, theirs)
                assert near(J[k], twins.columns(found[ANGULAR_FIRST]))
                found = pinocchio.getFrameJacobianTimeVariation(other, data, number, theirs)
                assert near(rate[k], twins.columns(found[ANGULAR_FIRST]))
                assert near(v[k], vector(pinocchio.getFrameVelocity(other, data, number, theirs)))
                assert near(a[k], vector(pinocchio.getFrameAcceleration(other, data, number, theirs)))
                assert near(classical[k], vector(pinocchio.getFrameClassicalAcceleration(other, data, number, theirs)))


@MOVING
def test_momentum_agrees_on_a_real_robot(name, floating_base):
    twins = Twins(name, floating_base)
    model, other, data = twins.model, twins.other, twins.data
    q, qd, qdd = twins.q, twins.qd, twins.qdd
    found = [
        (fs.center_of_mass(model, q), lambda Q, V, A: pinocchio.centerOfMass(other, data, Q)),
        (
            fs.center_of_mass_velocity(model, q, qd),
            lambda Q, V, A: (pinocchio.centerOfMass(other, data, Q, V), data.vcom[0])[1],
        ),
        (
            fs.center_of_mass_acceleration(model, q, qd, qdd),
            lambda Q, V, A: (pinocchio.centerOfMass(other, data, Q, V, A), data.acom[0])[1],
        ),
        (
            fs.center_of_mass_jacobian(model, q),
            lambda Q, V, A: twins.columns(pinocchio.jacobianCenterOfMass(other, data, Q)),
        ),
        (
            fs.centroidal_momentum(model, q, qd),
            lambda Q, V, A: vector(pinocchio.computeCentroidalMomentum(other, data, Q, V)),
        ),
        (
            fs.centroidal_momentum_rate(model, q, qd, qdd),
            lambda Q, V, A: vector(pinocchio.computeCentroidalMomentumTimeVariation(other, data, Q, V, A)),
        ),
        (
            fs.centroidal_momentum_matrix(model, q),
            lambda Q, V, A: twins.columns(np.array(pinocchio.ccrba(other, data, Q, V))[ANGULAR_FIRST]),
        ),
        (
            fs.centroidal_momentum_matrix_rate(model, q, qd),
            lambda Q, V, A: twins.columns(np.array(pinocchio.dccrba(other, data, Q, V))[ANGULAR_FIRST]),
        ),
    ]
    for ours, theirs in found:
        for mine, state in zip(ours, twins.states()):
            assert near(mine, theirs(*state))
