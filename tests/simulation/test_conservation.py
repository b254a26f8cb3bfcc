"""What must not change: energy and momentum of free robots, the length of quaternions."""

from __future__ import annotations

import numpy as np
import pytest

import featherstone as fs

from .robots import METHODS, center_of_mass, floating_tree, momentum, orders, start

UNIT = 2.0**-52


def drift(x: np.ndarray) -> float:
    """The largest change from the start, relative to its size there."""
    return float(np.linalg.norm(np.atleast_2d((x - x[0]).T), axis=0).max() / np.linalg.norm(x[0]))


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_free_flight_keeps_energy_and_momentum_for_ten_seconds(name, record_property):
    robot = fs.models.load(name).with_gravity((0, 0, 0))
    rng = np.random.default_rng(1)
    q0, qd0 = robot.random_configuration(rng), 0.4 * rng.normal(size=robot.nv)
    run = fs.simulate(robot, q0, qd0, duration=10.0, dt=1e-3, method="rk4", losses=False)
    linear, angular = momentum(robot, run.q, run.qd)
    c = center_of_mass(robot, run.q)
    about_center = angular - np.cross(c, linear)
    assert np.linalg.norm(run.q[-1, :3] - q0[:3]) > 1.0
    assert np.abs(fs.difference(robot, run.q[-1], q0)[3:]).max() > 1.0
    kept = {"energy": run.energy, "linear": linear, "angular": angular, "about the centre of mass": about_center}
    for what, x in kept.items():
        record_property(f"{what} drift of {name}", float(drift(x)))
        assert drift(x) < 1e-9, what
    # the centre of mass moves on a straight line, as momentum says
    np.testing.assert_allclose(c, c[0] + run.t[:, None] * linear[0] / robot.body_mass.sum(), rtol=0, atol=1e-8)


def test_gravity_changes_momentum_as_it_should():
    robot = fs.models.load("quadruped")
    q0, qd0 = start(robot, 4)
    run = fs.simulate(robot, q0, qd0, duration=1.0, dt=1e-3, method="rk4", losses=False)
    linear, _ = momentum(robot, run.q, run.qd)
    weight = robot.body_mass.sum() * robot.gravity
    np.testing.assert_allclose(linear - linear[0], run.t[:, None] * weight, rtol=0, atol=1e-7 * np.abs(weight).max())
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=0, atol=1e-7 * np.ptp(fs.potential_energy(robot, run.q)))


@pytest.mark.parametrize(("method", "order", "largest"), [("rk4", 4, 1e-11), ("semi_implicit_euler", 1, 0.03)])
def test_energy_of_the_swinging_arm_for_a_hundred_seconds(method, order, largest, record_property):
    arm = fs.models.load("planar_2r")
    drifts = []
    for dt in (2e-3, 1e-3):
        run = fs.simulate(arm, [-1.2, 0.3], [0, 0], duration=100.0, dt=dt, method=method)
        scale = fs.kinetic_energy(arm, run.q, run.qd).max()
        drifts.append(np.abs(run.energy - run.energy[0]).max() / scale)
    record_property(f"energy drift with {method}, 100 s at 1 ms", float(drifts[-1]))
    assert drifts[-1] < largest
    assert orders(drifts)[0] > order - 0.15


@pytest.mark.parametrize("method", METHODS)
def test_energy_of_the_tumbling_arm_for_a_hundred_seconds(method, record_property):
    # chaotic: no order of convergence to speak of, and the first-order method loses a good part of the energy
    arm = fs.models.load("planar_2r")
    run = fs.simulate(arm, [0.6, -0.9], [0, 0], duration=100.0, dt=1e-3, method=method)
    scale = fs.kinetic_energy(arm, run.q, run.qd).max()
    drifted = np.abs(run.energy - run.energy[0]).max() / scale
    record_property(f"energy drift with {method}, tumbling, 100 s at 1 ms", float(drifted))
    assert drifted < {"rk4": 1e-6, "semi_implicit_euler": 1.0}[method]


@pytest.mark.parametrize("method", METHODS)
def test_quaternions_keep_unit_length(method):
    tree = floating_tree()
    run = fs.simulate(tree, *start(tree, shape=(3,)), duration=1.0, dt=1e-3, method=method)
    assert len(tree.quaternion_indices) == 2
    for k in tree.quaternion_indices:
        x = run.q[..., 1:, k : k + 4]
        assert np.abs(np.sqrt((x * x).sum(-1)) - 1.0).max() <= 4 * UNIT
        assert (np.linalg.norm(x[..., -1, :] - x[..., 0, :], axis=-1) > 0.1).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_start_slightly_off_unit_length_is_accepted_and_mended(method):
    tree = floating_tree()
    q0, qd0 = start(tree)
    off = q0.copy()
    for k in tree.quaternion_indices:
        off[k : k + 4] *= 1 + 5e-7
    run = fs.simulate(tree, off, qd0, duration=0.1, dt=1e-3, method=method)
    exact = fs.simulate(tree, q0, qd0, duration=0.1, dt=1e-3, method=method)
    np.testing.assert_array_equal(run.q[0], off)
    np.testing.assert_allclose(run.q[1:], exact.q[1:], rtol=0, atol=1e-9)
