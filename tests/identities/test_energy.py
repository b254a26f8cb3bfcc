"""Power, work and energy: what links torques to velocities and heights."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.energy import KINETIC, POTENTIAL
from featherstone.algorithms.rnea import RNEA

from ..rounding import Rounded, U, bounded
from ..slopes import slope
from .robots import ROBOTS
from .robots import robot as named


def moved(robot, direction, t):
    """The configurations reached from the robot's by moving along `direction` for a time t."""
    return fs.integrate(robot.model, robot.q, t * direction)


def reached(robot):
    """Configurations near the robot's: `integrate` rounds each coordinate a few times."""
    return Rounded(robot.q, 8.0 * U * np.maximum(1.0, np.abs(robot.q)))


def test_gravity_torque_is_the_gradient_of_potential_energy(robot):
    model = robot.model
    error = bounded(POTENTIAL, model, [reached(robot)], ()).error
    gravity = fs.gravity_torque(model, robot.q)
    rounding = bounded(RNEA, model, [robot.q, 0.0 * robot.qd, 0.0 * robot.qd, None], (model.nv,)).error
    for k, direction in enumerate(np.eye(model.nv)):
        path = functools.partial(moved, robot, direction)
        found, allowed = slope(lambda t, path=path: fs.potential_energy(model, path(t)), error)
        assert (np.abs(found - gravity[:, k]) <= allowed + rounding[:, k]).all()
        assert np.max(allowed) < 1e-7
    assert np.abs(gravity).max() > 1.0


def test_power_is_the_rate_of_energy(robot):
    """tau . qd = d(T + V)/dt, whatever the acceleration."""
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    tau = bounded(RNEA, model, [q, qd, qdd, None], (model.nv,))
    power = (fs.rnea(model, q, qd, qdd) * qd).sum(-1)

    def energy(t):
        path = moved(robot, qd, t)
        return fs.kinetic_energy(model, path, qd + t * qdd) + fs.potential_energy(model, path)

    speed = Rounded(qd, 2.0 * U * (np.abs(qd) + np.abs(qdd)))
    error = bounded(KINETIC, model, [reached(robot), speed], ()).error
    error = error + bounded(POTENTIAL, model, [reached(robot)], ()).error
    rate, allowed = slope(energy, error)
    rounding = ((tau.error + (model.nv + 1) * U * np.abs(tau.value)) * np.abs(qd)).sum(-1)
    assert (np.abs(rate - power) <= allowed + rounding).all()
    assert np.max(allowed) < 1e-4 * np.abs(power).max()


def test_velocity_forces_do_the_work_that_changes_the_mass_matrix(robot):
    """qd^T (dH/dt) qd = 2 qd^T C(q, qd): what dH/dt - 2C being skew says along qd."""
    model, q, qd = robot.model, robot.q, robot.qd
    still = bounded(RNEA, model, [q, 0.0 * qd, 0.0 * qd, None], (model.nv,))
    bias = bounded(RNEA, model, [q, qd, 0.0 * qd, None], (model.nv,))
    velocity_forces = fs.bias_torque(model, q, qd) - fs.gravity_torque(model, q)
    work = 2.0 * (velocity_forces * qd).sum(-1)
    error = bounded(CRBA, model, [reached(robot)], (model.nv, model.nv)).error

    def quadratic(t):
        return np.einsum("bi,bij,bj->b", qd, fs.crba(model, moved(robot, qd, t)), qd)

    speed = np.abs(qd)
    size = error + 2 * model.nv * U * np.abs(fs.crba(model, q))
    rate, allowed = slope(quadratic, np.einsum("bi,bij,bj->b", speed, size, speed))
    rounding = 2.0 * ((still.error + bias.error + (model.nv + 2) * U * np.abs(bias.value)) * speed).sum(-1)
    assert (np.abs(rate - work) <= allowed + rounding).all()
    assert np.max(allowed) < 1e-4 * max(1.0, np.abs(work).max())


def test_velocity_forces_are_quadratic(robot):
    """C(q, s qd) = s^2 C(q, qd), to the bit for powers of two; without gravity there is nothing else in the bias."""
    weightless = robot.model.with_gravity((0.0, 0.0, 0.0))
    once, twice = (fs.bias_torque(weightless, robot.q, s * robot.qd) for s in (1.0, 2.0))
    np.testing.assert_array_equal(twice, 4.0 * once)
    back = fs.bias_torque(weightless, robot.q, -robot.qd)
    np.testing.assert_array_equal(back, once)


def test_gravity_torque_is_linear_in_gravity(robot):
    doubled, turned = (robot.model.with_gravity(s * np.asarray(robot.model.gravity)) for s in (2.0, -1.0))
    torque = fs.gravity_torque(robot.model, robot.q)
    np.testing.assert_array_equal(fs.gravity_torque(doubled, robot.q), 2.0 * torque)
    np.testing.assert_array_equal(fs.gravity_torque(turned, robot.q), -torque)


def test_nothing_weighs_without_gravity(robot):
    weightless = robot.model.with_gravity((0.0, 0.0, 0.0))
    assert not fs.gravity_torque(weightless, robot.q).any()
    assert not np.asarray(fs.potential_energy(weightless, robot.q)).any()


@pytest.mark.parametrize("name", [name for name, (_, options) in ROBOTS.items() if options.get("floating_base")])
def test_free_fall_is_weightless(name):
    """A floating base that nothing holds falls with g: all joints at rest feel no torque."""
    robot = named(name)
    model, q = robot.model, robot.q
    still = np.zeros_like(robot.qd)
    qdd = fs.aba(model, q, still, still)
    pose = fs.forward_kinematics(model, q)[:, 0, :3, :3]
    falling = np.concatenate([np.zeros((len(q), 3)), np.einsum("bji,j->bi", pose, model.gravity)], -1)
    allowed = robot.solve_error(np.abs(qdd) + np.abs(model.gravity).max(), robot.bias.error)
    assert (np.abs(qdd[:, :6] - falling) <= allowed[:, :6]).all()
    assert (np.abs(qdd[:, 6:]) <= allowed[:, 6:]).all()
