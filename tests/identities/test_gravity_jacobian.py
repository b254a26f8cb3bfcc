"""Gravity's Jacobian: how the torques that hold a robot change with its configuration."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.gravity_jacobian import GRAVITY_JACOBIAN
from featherstone.algorithms.rnea import RNEA

from ..random_trees import joint_of_each_dof
from ..rounding import U, bounded
from ..slopes import slope
from .test_coriolis import BODY_AXES
from .test_energy import moved, reached
from .test_frames import agree
from .test_mimic import unconstrained

BASE = fs.BaseMotion(velocity=[0.3, -0.2, 0.5, 1.0, 0.0, -0.4], acceleration=[1.0, 0.4, -0.7, 0.2, 2.0, -1.0])


def jacobian(model, q):
    """K with a bound of its error."""
    return bounded(GRAVITY_JACOBIAN, model, [q], (model.nv, model.nv))


@pytest.mark.parametrize("base", [None, BASE], ids=["still", "moving"])
def test_it_is_what_differences_along_each_axis_say(robot, base):
    model, still = robot.model, 0.0 * robot.qd
    right = fs.gravity_jacobian(model, robot.q, base=base)
    array = None if base is None else np.tile(base.array, (len(robot.q), 1))
    error = bounded(RNEA, model, [reached(robot), still, still, None, array], (model.nv,)).error
    rounding = 2 * jacobian(model, robot.q).error + 2.0**8 * error.max() * (base is not None)
    for j, axis in enumerate(np.eye(model.nv)):
        path = functools.partial(moved, robot, axis)
        found, allowed = slope(lambda t, path=path: fs.gravity_torque(model, path(t), base=base), error)
        assert (np.abs(found - right[..., j]) <= allowed + rounding[..., j]).all()
        assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


def test_it_is_the_derivative_of_inverse_dynamics_at_rest(robot):
    model, q, still = robot.model, robot.q, 0.0 * robot.qd
    K = jacobian(model, q)
    assert agree(fs.gravity_jacobian(model, q), K.value, 2 * K.error)
    right = fs.rnea_derivatives(model, q, still, still)[0]
    size = model.body_mass.sum() * np.abs(np.array(model.gravity)).sum() * model.nb
    assert agree(K.value, right, 2 * K.error + 64 * U * size)


def test_it_is_symmetric_but_for_rates_of_one_joint_in_body_axes(robot):
    model = robot.model
    joint = joint_of_each_dof(model)
    turned = np.array([model.joints[k].type in BODY_AXES for k in joint], bool)
    within = (joint[:, None] == joint) & turned
    K, bound = fs.gravity_jacobian(model, robot.q), jacobian(model, robot.q).error
    apart = np.abs(K - K.swapaxes(1, 2)) - 2 * (bound + bound.swapaxes(1, 2))
    assert (apart[:, ~within] <= 0.0).all()


def test_followers_join_their_leaders(mimic_robot):
    """K = G^T K_full G."""
    robot = mimic_robot
    full, q, *_, G = unconstrained(robot)
    K, K_full = jacobian(robot.model, robot.q), jacobian(full, q)
    size = np.abs(G).T @ (K_full.error + 2 * (full.nv + 1) * U * np.abs(K_full.value)) @ np.abs(G)
    found = fs.gravity_jacobian(robot.model, robot.q)
    assert agree(found, G.T @ K_full.value @ G, size + 2 * K.error)


def test_a_base_that_stands_still_at_the_world_makes_no_difference(robot):
    found = fs.gravity_jacobian(robot.model, robot.q, base=fs.BaseMotion())
    right = fs.gravity_jacobian(robot.model, robot.q)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-13 * max(1.0, np.abs(right).max()))


def test_a_tilted_base_is_gravity_that_is_tilted(robot):
    turned = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    pose = np.eye(4)
    pose[:3, :3] = turned
    found = fs.gravity_jacobian(robot.model, robot.q, base=fs.BaseMotion(pose))
    model = robot.model.with_gravity(turned.T @ robot.model.gravity)
    right = fs.gravity_jacobian(model, robot.q)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-13 * max(1.0, np.abs(right).max()))


@pytest.mark.parametrize("base", [None, BASE], ids=["still", "moving"])
def test_the_result_goes_where_it_is_asked_to(base):
    arm = fs.models.load("seven_axis")
    q = arm.random_configuration(1, 5)
    out = np.full((5, arm.nv, arm.nv), np.nan)
    assert fs.gravity_jacobian(arm, q, base=base, out=out) is out
    assert np.array_equal(out, fs.gravity_jacobian(arm, q, base=base))
    assert fs.gravity_jacobian(arm.with_gravity((0.0, 0.0, 0.0)), q).any() == np.False_
