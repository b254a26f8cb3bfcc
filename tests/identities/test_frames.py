"""Frames: Jacobians, velocities and accelerations of one motion, in three coordinate systems."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.frame_motion import FRAME_MOTION
from featherstone.algorithms.frames import KINDS, REFERENCES
from featherstone.algorithms.jacobian import JACOBIAN
from featherstone.algorithms.jacobian_rate import RATE
from featherstone.algorithms.kinematics import FRAME_POSE
from featherstone.algorithms.rnea import RNEA

from ..rounding import Rounded, U, bounded
from ..slopes import slope
from .robots import COUNT
from .test_energy import moved, reached
from .test_mimic import unconstrained

every_reference = pytest.mark.parametrize("reference", REFERENCES)
# d/dt of a velocity's numbers: of the frame's origin as a point, where axes do not turn
RATES = {"local": "spatial", "world": "spatial", "local_world_aligned": "classical"}


def frames(model):
    """The root, one in the middle and the last."""
    names = model.frame_names
    return {names[0], names[len(names) // 2], names[-1]}


def carrier(model, name):
    """The body of the tree that carries a frame."""
    return int(model._frame_words[name][0])


def options(model, name, reference, *more):
    return (carrier(model, name), REFERENCES.index(reference), *more)


def tiled(model, name):
    return np.tile(model.frame(name).pose, (COUNT, 1, 1))


def jacobian(model, q, name, reference):
    """J with a bound of its error."""
    return bounded(JACOBIAN, model, [q, tiled(model, name)], (6, model.nv), options=options(model, name, reference, 0))


def rate(model, q, qd, name, reference):
    """dJ/dt with a bound of its error."""
    return bounded(RATE, model, [q, qd, tiled(model, name)], (6, model.nv), options=options(model, name, reference))


def motion(model, q, qd, qdd, name, reference, kind="spatial"):
    """The velocity, or with qdd the acceleration, with a bound of its error."""
    given = [q, qd, qdd, tiled(model, name)]
    return bounded(FRAME_MOTION, model, given, (6,), options=options(model, name, reference, kind == "classical"))


def product(matrix, x):
    """A matrix times a vector, with a bound of the error."""
    value = np.einsum("bij,bj->bi", matrix.value, x)
    size = np.einsum("bij,bj->bi", matrix.error + (x.shape[-1] + 1) * U * np.abs(matrix.value), np.abs(x))
    return Rounded(value, size)


def agree(found, right, bound):
    """Whether two are equal within a bound that means something."""
    assert np.max(bound) <= 1e-7 * max(1.0, np.max(np.abs(right)))
    return bool((np.abs(found - right) <= bound).all())


@every_reference
def test_jacobian_times_rates_is_velocity(robot, reference):
    model, q, qd = robot.model, robot.q, robot.qd
    for name in frames(model):
        J, v = jacobian(model, q, name, reference), motion(model, q, qd, None, name, reference)
        assert agree(fs.frame_jacobian(model, q, name, reference), J.value, 2 * J.error)
        found = fs.frame_velocity(model, q, qd, name, reference)
        assert agree(found, product(J, qd).value, product(J, qd).error + 2 * v.error)


def test_velocity_is_the_rate_of_the_pose(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    for name in frames(model):
        error = bounded(
            FRAME_POSE, model, [reached(robot), tiled(model, name)], (4, 4), options=(carrier(model, name),)
        ).error
        path = functools.partial(moved, robot, qd)
        found, allowed = slope(lambda t, name=name, path=path: fs.frame_pose(model, path(t), name), error)
        v = fs.frame_velocity(model, q, qd, name, "local_world_aligned")
        R = fs.frame_pose(model, q, name)[:, :3, :3]
        turning = np.cross(v[:, None, :3], R, axisb=1, axisc=1)
        rounding = 2 * motion(model, q, qd, None, name, "local_world_aligned").error.max() + 8 * U * np.abs(v).max()
        assert (np.abs(found[:, :3, :3] - turning) <= 3.0 * (np.max(allowed) + rounding)).all()
        assert (np.abs(found[:, :3, 3] - v[:, 3:]) <= np.max(allowed) + rounding).all()
        assert np.max(allowed) < 1e-5


@every_reference
def test_jacobian_rate_is_the_rate_of_the_jacobian(robot, reference):
    model, q, qd = robot.model, robot.q, robot.qd
    for name in frames(model):
        error = jacobian(model, reached(robot), name, reference).error
        path = functools.partial(moved, robot, qd)
        found, allowed = slope(
            lambda t, name=name, path=path: fs.frame_jacobian(model, path(t), name, reference), error
        )
        right = fs.frame_jacobian_rate(model, q, qd, name, reference)
        assert (np.abs(found - right) <= allowed + 2 * rate(model, q, qd, name, reference).error).all()
        assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


@every_reference
def test_acceleration_is_what_the_jacobian_and_its_rate_say(robot, reference):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    for name in frames(model):
        a = motion(model, q, qd, qdd, name, reference, RATES[reference])
        along = product(jacobian(model, q, name, reference), qdd) + product(rate(model, q, qd, name, reference), qd)
        found = fs.frame_acceleration(model, q, qd, qdd, name, reference, kind=RATES[reference])
        assert agree(found, along.value, along.error + 2 * a.error)


@every_reference
def test_acceleration_is_the_rate_of_velocity(robot, reference):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    speed = Rounded(qd, 2.0 * U * (np.abs(qd) + np.abs(qdd)))
    for name in frames(model):
        error = motion(model, reached(robot), speed, None, name, reference).error

        def velocity(t, name=name):
            return fs.frame_velocity(model, moved(robot, qd, t), qd + t * qdd, name, reference)

        found, allowed = slope(velocity, error)
        right = fs.frame_acceleration(model, q, qd, qdd, name, reference, kind=RATES[reference])
        rounding = 2 * motion(model, q, qd, qdd, name, reference, RATES[reference]).error
        assert (np.abs(found - right) <= allowed + rounding).all()
        assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


@every_reference
def test_classical_acceleration_is_larger_by_omega_x_v(robot, reference):
    model, state = robot.model, (robot.q, robot.qd, robot.qdd)
    for name in frames(model):
        spatial, classical = (fs.frame_acceleration(model, *state, name, reference, kind=k) for k in KINDS)
        v = fs.frame_velocity(model, *state[:2], name, reference)
        allowed = sum(2 * motion(model, *state, name, reference, kind).error for kind in KINDS)
        allowed[:, 3:] += 8 * U * np.abs(v).max(-1, keepdims=True) ** 2
        assert agree(classical[:, :3], spatial[:, :3], allowed[:, :3])
        assert agree(classical[:, 3:] - spatial[:, 3:], np.cross(v[:, :3], v[:, 3:]), allowed[:, 3:])


def in_other_coordinates(local, R, p, reference):
    """Motions in a frame's coordinates in those of a reference, by NumPy."""
    w, v = np.einsum("bij,b...j->b...i", R, local[..., :3]), np.einsum("bij,b...j->b...i", R, local[..., 3:])
    if reference == "world":
        v = v + np.cross(p.reshape(len(p), *(1,) * (w.ndim - 2), 3), w)
    return np.concatenate([w, v], -1)


@pytest.mark.parametrize("reference", ["world", "local_world_aligned"])
def test_references_are_coordinates_of_one_motion(robot, reference):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    for name in frames(model):
        T = fs.frame_pose(model, q, name)
        R, p = T[:, :3, :3], T[:, :3, 3]
        reach = 1.0 + np.abs(p).max()
        for function, state, error in (
            (fs.frame_jacobian, (q,), jacobian(model, q, name, reference).error),
            (fs.frame_velocity, (q, qd), motion(model, q, qd, None, name, reference).error),
            (fs.frame_acceleration, (q, qd, qdd), motion(model, q, qd, qdd, name, reference).error),
        ):
            found, local = function(model, *state, name, reference), function(model, *state, name)
            if function is fs.frame_jacobian:
                found, local = found.swapaxes(1, 2), local.swapaxes(1, 2)
            right = in_other_coordinates(local, R, p, reference)
            assert (np.abs(found - right) <= 8 * reach * (error.max() + 16 * U * np.abs(local).max())).all()


def test_jacobian_carries_forces_to_torques(robot):
    """tau = ... - J^T f, with f in the frame's coordinates."""
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    name = model.body_names[-1]
    f_ext = np.zeros_like(robot.f_ext)
    f_ext[:, -1] = robot.f_ext[:, -1]
    found = fs.rnea(model, q, qd, qdd) - fs.rnea(model, q, qd, qdd, f_ext)
    J = jacobian(model, q, name, "local")
    right = product(Rounded(J.value.swapaxes(1, 2), J.error.swapaxes(1, 2)), f_ext[:, -1])
    error = sum(bounded(RNEA, model, [q, qd, qdd, f], (model.nv,)).error for f in (None, f_ext))
    assert (np.abs(found - right.value) <= right.error + 2 * error).all()
    assert np.abs(right.value).max() > 1e-2


@pytest.mark.parametrize("reference", ["world", "local_world_aligned"])
def test_relative_jacobian_is_the_rate_of_the_relative_pose(robot, reference):
    """The other frame's axes and origin in the place of the world's."""
    model, q, qd = robot.model, robot.q, robot.qd
    name, other = model.frame_names[-1], model.frame_names[len(model.frame_names) // 2]

    def relative_pose(t):
        of, to = (fs.frame_pose(model, moved(robot, qd, t), x) for x in (name, other))
        R = to[:, :3, :3].swapaxes(1, 2)
        return np.concatenate([R @ of[:, :3, :3], R @ (of - to)[:, :3, 3:]], -1)

    error = sum(
        bounded(FRAME_POSE, model, [reached(robot), tiled(model, x)], (4, 4), options=(carrier(model, x),)).error.max()
        for x in (name, other)
    )
    reach = 3.0 + np.abs(relative_pose(0.0)).max()
    found, allowed = slope(relative_pose, 4 * reach * error)
    v = np.einsum("bij,bj->bi", fs.relative_jacobian(model, q, name, other, reference), qd)
    R, p = relative_pose(0.0)[:, :, :3], relative_pose(0.0)[:, :, 3]
    linear = v[:, 3:] + (np.cross(v[:, :3], p) if reference == "world" else 0.0)
    allowed = np.max(allowed) + 64 * model.nv * U * reach * np.abs(v).max()
    assert (np.abs(found[:, :, :3] - np.cross(v[:, None, :3], R, axisb=1, axisc=1)) <= 3 * allowed).all()
    assert (np.abs(found[:, :, 3] - linear) <= 3 * allowed).all()
    assert allowed < 1e-4


def test_two_frames_see_opposite_motions(robot):
    """In the coordinates of one of them."""
    model, q = robot.model, robot.q
    name, other = model.frame_names[-1], model.frame_names[len(model.frame_names) // 2]
    one = fs.relative_jacobian(model, q, name, other, "world")
    np.testing.assert_allclose(one, -fs.relative_jacobian(model, q, other, name, "local"), rtol=0, atol=1e-12)
    assert not fs.relative_jacobian(model, q, name, name).any()


def test_a_frame_that_stands_at_the_world_sees_what_the_world_sees(robot):
    model, q = robot.model, robot.q
    root, name = model.frame_names[0], model.frame_names[-1]
    if model.frame(root).body > 0:
        seen = fs.relative_jacobian(model, q, name, root)
        assert not seen[..., :6].any()  # the base carries both
        np.testing.assert_allclose(seen[..., 6:], fs.frame_jacobian(model, q, name)[..., 6:], rtol=0, atol=1e-12)
        return
    for reference in REFERENCES:
        seen = fs.relative_jacobian(model, q, name, root, reference)
        np.testing.assert_allclose(seen, fs.frame_jacobian(model, q, name, reference), rtol=0, atol=1e-12)


def test_followers_move_frames_through_their_leaders(mimic_robot):
    """J = J_full G."""
    robot = mimic_robot
    full, q, qd, qdd, G = unconstrained(robot)
    for name in frames(full):
        for reference in REFERENCES:
            J, J_full = jacobian(robot.model, robot.q, name, reference), jacobian(full, q, name, reference)
            size = (J_full.error + (full.nv + 1) * U * np.abs(J_full.value)) @ np.abs(G)
            found = fs.frame_jacobian(robot.model, robot.q, name, reference)
            assert agree(found, J_full.value @ G, size + 2 * J.error)
        v = fs.frame_velocity(robot.model, robot.q, robot.qd, name)
        np.testing.assert_allclose(v, fs.frame_velocity(full, q.value, qd.value, name), rtol=0, atol=1e-11)
        a = fs.frame_acceleration(robot.model, robot.q, robot.qd, robot.qdd, name)
        right = fs.frame_acceleration(full, q.value, qd.value, qdd.value, name)
        np.testing.assert_allclose(a, right, rtol=0, atol=1e-11)


def test_merged_links_move_as_bodies_of_their_own(robot):
    merged, whole = robot.model, robot.parts.build(merge_fixed=False, **robot.options)
    state = (robot.q, robot.qd, robot.qdd)
    for name in frames(merged):
        for reference in REFERENCES:
            for function, count in ((fs.frame_jacobian, 1), (fs.frame_velocity, 2), (fs.frame_acceleration, 3)):
                one, other = (function(model, *state[:count], name, reference) for model in (merged, whole))
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * max(1.0, np.abs(one).max()))


@pytest.mark.parametrize("wrong", ["World", "", None, 3, ["local"]])
def test_references_that_do_not_exist(wrong):
    arm, x = fs.models.load("planar_2r"), [0.0, 0.0]
    for call in (
        lambda: fs.frame_jacobian(arm, x, "tip", wrong),
        lambda: fs.relative_jacobian(arm, x, "tip", "base", wrong),
        lambda: fs.frame_jacobian_rate(arm, x, x, "tip", wrong),
        lambda: fs.frame_velocity(arm, x, x, "tip", wrong),
        lambda: fs.frame_acceleration(arm, x, x, x, "tip", wrong),
    ):
        with pytest.raises(ValueError, match=r"^reference: expected 'local', 'world' or 'local_world_aligned', got "):
            call()
    with pytest.raises(ValueError, match=r"^kind: expected 'spatial' or 'classical', got "):
        fs.frame_acceleration(arm, x, x, x, "tip", kind=wrong)


def test_frames_that_do_not_exist():
    arm, x = fs.models.load("planar_2r"), [0.0, 0.0]
    for call in (
        lambda: fs.frame_jacobian(arm, x, "tap"),
        lambda: fs.relative_jacobian(arm, x, "tip", "tap"),
        lambda: fs.frame_acceleration(arm, x, x, x, "tap"),
    ):
        with pytest.raises(fs.UnknownNameError, match="'tap'; did you mean 'tip'"):
            call()
