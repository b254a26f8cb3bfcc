"""The kinematic Hessian: how each column of a frame's Jacobian changes with each degree of freedom."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.kinematic_hessian import HESSIAN
from featherstone.algorithms.kinematics import FRAME_POSE

from ..functions import deepest_frame
from ..random_trees import ONE_DEGREE, random_tree
from ..rounding import U, bounded
from ..slopes import slope
from .test_energy import moved, reached
from .test_frames import agree, every_reference, frames, jacobian, options, rate, tiled
from .test_mimic import unconstrained


def hessian(model, q, name, reference):
    """The Hessian with a bound of its error."""
    size = (6, model.nv, model.nv)
    return bounded(HESSIAN, model, [q, tiled(model, name)], size, options=options(model, name, reference))


@every_reference
def test_along_rates_it_is_the_rate_of_the_jacobian(robot, reference):
    model, q, qd = robot.model, robot.q, robot.qd
    for name in frames(model):
        H = hessian(model, q, name, reference)
        found = fs.kinematic_hessian(model, q, name, reference)
        assert agree(found, H.value, 2 * H.error)
        right = rate(model, q, qd, name, reference)
        size = np.einsum("bkij,bj->bki", H.error + (model.nv + 1) * U * np.abs(H.value), np.abs(qd))
        assert agree(np.einsum("bkij,bj->bki", found, qd), right.value, right.error + 2 * size)


@every_reference
def test_each_entry_is_the_rate_along_one_axis(robot, reference):
    """The rate of the Jacobian at unit velocities, which another recursion finds."""
    model, q = robot.model, robot.q
    name = deepest_frame(model)
    found = fs.kinematic_hessian(model, q, name, reference)
    right = fs.frame_jacobian_rate(model, q[:, None], np.eye(model.nv), name, reference)
    allowed = 2 * hessian(model, q, name, reference).error + 64 * U * max(1.0, np.abs(right).max())
    assert agree(found, np.moveaxis(right, 1, -1), allowed)
    assert np.abs(found).max() > 0.1 or not robot.name.startswith("chain")


@every_reference
def test_it_is_what_differences_along_each_axis_say(robot, reference):
    model, q = robot.model, robot.q
    name = deepest_frame(model)
    error = jacobian(model, reached(robot), name, reference).error
    right = fs.kinematic_hessian(model, q, name, reference)
    rounding = 2 * hessian(model, q, name, reference).error
    for j, axis in enumerate(np.eye(model.nv)):
        path = functools.partial(moved, robot, axis)
        found, allowed = slope(lambda t, path=path: fs.frame_jacobian(model, path(t), name, reference), error)
        assert (np.abs(found - right[..., j]) <= allowed + rounding[..., j]).all()
        assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


def test_of_coordinates_it_is_the_second_derivative_of_a_position():
    """Linear rows in world axes are symmetric, and the curvature of the frame's path along any line."""
    model = random_tree(7, 7, ONE_DEGREE)
    rng = np.random.default_rng(3)
    q, direction = rng.uniform(-3.0, 3.0, (4, model.nq)), rng.normal(size=(4, model.nv))
    name = deepest_frame(model)
    H = fs.kinematic_hessian(model, q, name, "local_world_aligned")[:, 3:]
    np.testing.assert_allclose(H, H.swapaxes(2, 3), rtol=0, atol=64 * U * np.abs(H).max())

    def velocity(t):
        J = fs.frame_jacobian(model, q + t * direction, name, "local_world_aligned")[:, 3:]
        return np.einsum("bij,bj->bi", J, direction)

    pose = bounded(FRAME_POSE, model, [q, np.tile(model.frame(name).pose, (4, 1, 1))], (4, 4), options=(model.nb,))
    found, allowed = slope(velocity, 64 * pose.error.max() * np.abs(direction).sum())
    right = np.einsum("bkij,bi,bj->bk", H, direction, direction)
    assert (np.abs(found - right) <= allowed + 1e-12 * np.abs(right).max()).all()
    assert np.max(allowed) < 1e-5 * np.abs(right).max()


def test_followers_join_their_leaders(mimic_robot):
    """G^T H_full G in each row."""
    robot = mimic_robot
    full, q, *_, G = unconstrained(robot)
    for name in frames(full):
        H, H_full = hessian(robot.model, robot.q, name, "world"), hessian(full, q, name, "world")
        size = np.abs(G).T @ (H_full.error + 2 * (full.nv + 1) * U * np.abs(H_full.value)) @ np.abs(G)
        found = fs.kinematic_hessian(robot.model, robot.q, name, "world")
        assert agree(found, G.T @ H_full.value @ G, size + 2 * H.error)


def test_merged_links_bend_as_bodies_of_their_own(robot):
    merged, whole = robot.model, robot.parts.build(merge_fixed=False, **robot.options)
    for name in frames(merged):
        one, other = (fs.kinematic_hessian(model, robot.q, name) for model in (merged, whole))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * max(1.0, np.abs(one).max()))


def test_unknown_frames_and_references():
    arm, x = fs.models.load("planar_2r"), [0.0, 0.0]
    with pytest.raises(
        ValueError, match=r"^reference: expected 'local', 'world' or 'local_world_aligned', got 'World'"
    ):
        fs.kinematic_hessian(arm, x, "tip", "World")
    with pytest.raises(fs.UnknownNameError, match="'tap'; did you mean 'tip'"):
        fs.kinematic_hessian(arm, x, "tap")
