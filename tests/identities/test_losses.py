"""Damping and friction: inverse dynamics adds them, forward dynamics subtracts them, they only ever take energy."""

import numpy as np
import pytest

import featherstone as fs

from ..rounding import U
from .robots import ROBOTS, places
from .robots import robot as named


def lost(robot):
    """d qd and friction, of each joint by itself; that of a follower acts on the joint that leads it."""
    model, total = robot.model, np.zeros_like(robot.qd)
    described = {joint.name: joint for joint in model.joints}
    for joint in model.joints:
        ratio, leader = 1.0, joint
        while leader.mimic is not None:
            ratio, leader = ratio * leader.mimic.multiplier, described[leader.mimic.joint]
        where = places(model, "qd_index", leader.name)
        qd = ratio * robot.qd[:, where]
        total[:, where] += ratio * (np.array(joint.values("damping")) * qd + friction(joint, qd))
    return total


def friction(joint, qd):
    """Coulomb's friction, more of it at rest, the sign exact or smoothed."""
    f, start, fall, within = (
        np.array(joint.values(key)) for key in ("friction", "stiction", "stribeck_velocity", "smoothing")
    )
    sign = np.sign(qd)
    if within.any():
        sign = qd / np.hypot(qd, within)
    if start.any():
        f = f + (start - f) * np.exp(-((qd / fall) ** 2))
    return f * sign


def sum_error(robot):
    """What adding losses to torques rounds: a product, two sums for each joint and each of its followers."""
    return 4.0 * robot.model.nb * U * (np.abs(robot.torque.value) + np.abs(lost(robot)) + np.abs(robot.tau))


def test_inverse_dynamics_adds_losses(robot):
    state = (robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext)
    added = fs.rnea(*state, losses=True) - fs.rnea(*state)
    assert (np.abs(added - lost(robot)) <= 2.0 * robot.torque.error + sum_error(robot)).all()


def test_some_robots_have_losses():
    assert sum(named(name).model.damping.any() and named(name).model.friction.any() for name in ROBOTS) > 15


@pytest.mark.parametrize("method", ["aba", "cholesky"])
def test_forward_dynamics_subtracts_losses(robot, method):
    state = (robot.model, robot.q, robot.qd)
    found = fs.forward_dynamics(*state, robot.tau, robot.f_ext, method=method, losses=True)
    expected = fs.forward_dynamics(*state, robot.tau - lost(robot), robot.f_ext, method=method)
    allowed = 2.0 * robot.solve_error(expected, robot.bias.error + sum_error(robot))
    assert (np.abs(found - expected) <= allowed).all()


@pytest.mark.parametrize("method", ["aba", "cholesky"])
def test_forward_dynamics_inverts_rnea_with_losses(robot, method):
    state = (robot.model, robot.q, robot.qd)
    tau = fs.rnea(*state, robot.qdd, robot.f_ext, losses=True)
    found = fs.forward_dynamics(*state, tau, robot.f_ext, method=method, losses=True)
    allowed = robot.solve_error(robot.qdd, robot.torque.error + robot.bias.error + 2.0 * sum_error(robot))
    assert (np.abs(found - robot.qdd) <= allowed).all()


def test_aba_takes_losses_as_forward_dynamics_does(robot):
    state = (robot.model, robot.q, robot.qd, robot.tau)
    np.testing.assert_array_equal(fs.aba(*state, losses=True), fs.forward_dynamics(*state, losses=True))


def test_losses_take_energy(robot):
    """qd . (losses) >= 0."""
    state = (robot.model, robot.q, robot.qd, robot.qdd)
    added = fs.rnea(*state, losses=True) - fs.rnea(*state)
    rounding = (2.0 * robot.torque.error + sum_error(robot)) * np.abs(robot.qd)
    assert ((added * robot.qd).sum(-1) >= -rounding.sum(-1)).all()


def test_nothing_is_lost_at_rest(robot):
    """Also friction has no direction then: to the bit."""
    still = (robot.model, robot.q, 0.0 * robot.qd)
    np.testing.assert_array_equal(fs.rnea(*still, robot.qdd, losses=True), fs.rnea(*still, robot.qdd))
    np.testing.assert_array_equal(fs.aba(*still, robot.tau, losses=True), fs.aba(*still, robot.tau))


def test_losses_oppose_the_motion_either_way(robot):
    """Losses at -qd are those at qd with the other sign."""
    weightless = robot.model.with_gravity((0.0, 0.0, 0.0))
    still = 0.0 * robot.qd
    added = [
        fs.rnea(weightless, robot.q, s * robot.qd, still, losses=True)
        - fs.rnea(weightless, robot.q, s * robot.qd, still)
        for s in (1.0, -1.0)
    ]
    assert (np.abs(added[0] + added[1]) <= 4.0 * robot.torque.error + 2.0 * sum_error(robot)).all()


def test_losses_are_off_unless_asked_for(robot):
    state = (robot.model, robot.q, robot.qd, robot.qdd)
    np.testing.assert_array_equal(fs.rnea(*state), fs.rnea(*state, losses=False))
    np.testing.assert_array_equal(fs.rnea(robot.variant(damping=0.0, friction=0.0), *state[1:]), fs.rnea(*state))
