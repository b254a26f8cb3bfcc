"""Halving the step divides a method's error by 2 to the power of its order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import featherstone as fs

from ..random_trees import random_forces
from .robots import METHODS, ORDERS, distance, floating_tree, orders, start

STEPS = {"semi_implicit_euler": (2e-3, 1e-3, 5e-4, 2.5e-4), "rk4": (2e-2, 1e-2, 5e-3, 2.5e-3)}


def measured_orders(model, q0, qd0, method, duration, **forces):
    exact = fs.simulate(model, q0, qd0, duration=duration, dt=2.5e-4, method="rk4", **forces)
    runs = [fs.simulate(model, q0, qd0, duration=duration, dt=dt, method=method, **forces) for dt in STEPS[method]]
    assert distance(model, runs[-1], fs.simulate(model, q0, qd0, duration=0, dt=1)) > 0.1
    return orders([distance(model, run, exact) for run in runs])


@pytest.mark.parametrize("method", METHODS)
def test_order_on_the_planar_arm(method):
    arm = fs.models.load("planar_2r")
    np.testing.assert_allclose(measured_orders(arm, [0.6, -0.9], [0, 0], method, 1.0), ORDERS[method], atol=0.15)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mimic", [False, True])
def test_order_on_a_floating_tree(method, mimic):
    tree = floating_tree(mimic=mimic)
    found = measured_orders(tree, *start(tree), method, 0.4, f_ext=random_forces(tree, 1), tau=np.ones(tree.nv))
    np.testing.assert_allclose(found, ORDERS[method], atol=0.15)


@pytest.mark.parametrize("method", METHODS)
def test_damping_keeps_the_order(method):
    damped = fs.ModelBuilder("damped")
    damped.add_link("base")
    for name in ("a", "b"):
        damped.add_link(name, 1.0, (0.1, 0.2, 0.3), np.diag([0.02, 0.03, 0.04]))
    damped.add_joint("hinge", "revolute", "base", "a", axis=(0, 1, 0), damping=0.4)
    damped.add_joint("ball", "spherical", "a", "b", position=(0.3, 0, 0), damping=0.1)
    model = damped.build()
    found = measured_orders(model, *start(model, 2), method, 0.4)
    np.testing.assert_allclose(found, ORDERS[method], atol=0.15)


@pytest.mark.parametrize(("method", "error"), [("semi_implicit_euler", 5e-3), ("rk4", 1e-10)])
def test_pendulum_follows_elliptic_functions(method, error):
    pendulum = fs.models.load("pendulum")
    run = fs.simulate(pendulum, [2.0], [0.0], duration=5.0, dt=1e-3, method=method)
    k = np.sin(1.0)
    sn, _, _, _ = ellipj(np.sqrt(1.5 * 9.81) * run.t + ellipk(k * k), k * k)
    np.testing.assert_allclose(run.q[:, 0], 2 * np.arcsin(k * sn), atol=error)


def test_rk4_follows_lagranges_equations_of_the_planar_arm():
    # two thin rods, m = 2 and 1.5 kg, l = 1 and 0.8 m, angle 0 along x, gravity along -y
    m1, m2, l1, l2, g = 2.0, 1.5, 1.0, 0.8, 9.81
    a = (m1 / 3 + m2) * l1**2
    b, c = m2 * l2**2 / 3, m2 * l1 * l2 / 2

    def rate(t, x):
        q1, q2, w1, w2 = x
        H = np.array([[a + b + 2 * c * np.cos(q2), b + c * np.cos(q2)], [b + c * np.cos(q2), b]])
        s = c * np.sin(q2)
        far = m2 * g * l2 / 2 * np.cos(q1 + q2)
        bias = np.array([-s * w2 * (2 * w1 + w2) + (m1 / 2 + m2) * g * l1 * np.cos(q1) + far, s * w1 * w1 + far])
        return [w1, w2, *np.linalg.solve(H, -bias)]

    exact = solve_ivp(rate, (0, 2), [0.6, -0.9, 0, 0], "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    run = fs.simulate(fs.models.load("planar_2r"), [0.6, -0.9], [0, 0], duration=2.0, dt=2.5e-4, method="rk4")
    np.testing.assert_allclose([*run.q[-1], *run.qd[-1]], exact, atol=1e-8)


def test_rk4_follows_the_closed_form_of_a_symmetric_top():
    builder = fs.ModelBuilder("top")
    builder.add_link("top", 1.0, inertia=np.diag([0.2, 0.2, 0.5]))
    top = builder.build(floating_base=True, gravity=(0, 0, 0))
    spin, tilt = 3.0, 0.4
    run = fs.simulate(top, top.neutral(), [tilt, 0, spin, 0, 0, 0], duration=4.0, dt=1e-3, method="rk4")
    # Euler's equations: the angular velocity goes round the axis of symmetry, in the body's axes
    turn = (0.5 - 0.2) / 0.2 * spin * run.t
    omega = np.stack([tilt * np.cos(turn), tilt * np.sin(turn), np.full(len(turn), spin)], axis=-1)
    np.testing.assert_allclose(run.qd[:, :3], omega, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_thrown_body_flies_on_a_parabola(method):
    builder = fs.ModelBuilder("hammer")
    builder.add_link("hammer", 2.0, (0.1, -0.2, 0.3), np.diag([0.2, 0.3, 0.4]))
    hammer = builder.build(floating_base=True)
    run = fs.simulate(hammer, hammer.neutral(), [1.0, -2.0, 3.0, 2.0, 0.5, 4.0], duration=1.0, dt=1e-3, method=method)
    pose = fs.forward_kinematics(hammer, run.q)[:, 0]
    c = (pose @ [0.1, -0.2, 0.3, 1.0])[:, :3]
    velocity = np.cross([1.0, -2.0, 3.0], [0.1, -0.2, 0.3]) + np.array([2.0, 0.5, 4.0])
    t = run.t[:, None]
    expected = c[0] + velocity * t + np.array([0, 0, -9.81]) * t * t / 2
    np.testing.assert_allclose(c, expected, atol=1e-9 if method == "rk4" else 2e-2)
