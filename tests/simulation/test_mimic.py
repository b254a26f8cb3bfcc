"""Robots with mimic followers against an integration of the free joints' equations under the constraint."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import featherstone as fs

from .robots import METHODS, orders


def gripper(*, mimic: bool) -> fs.Model:
    """A turning arm with two fingers: the second follows the first, a roller follows the finger through the arm."""
    builder = fs.ModelBuilder("gripper")
    for name in ("base", "arm", "left", "right", "roller"):
        builder.add_link(name, 1.0, (0.1, 0.05, 0.2), np.diag([0.02, 0.03, 0.04]))
    builder.add_joint("turn", "revolute", "base", "arm", axis=(0, 1, 0), damping=0.1)
    builder.add_joint("left", "prismatic", "arm", "left", axis=(1, 0, 0), position=(0, 0.1, 0.3), damping=0.3)
    builder.add_joint(
        "right", "prismatic", "arm", "right", axis=(1, 0, 0), position=(0, -0.1, 0.3), mimic=fs.Mimic("left", -1.0, 0.1)
    )
    builder.add_joint(
        "roller",
        "revolute",
        "left",
        "roller",
        axis=(0, 0, 1),
        damping=0.2,
        armature=0.05,
        mimic=fs.Mimic("right", 2.0, -0.3),
    )
    return builder.build(mimic=mimic)


def test_coupled_rollout_agrees_with_a_reference_integration():
    coupled, free = gripper(mimic=True), gripper(mimic=False)
    assert (coupled.nv, free.nv) == (2, 4)
    assert free.joint_names == ("turn", "left", "roller", "right")
    # q = G x + o: right = -left + 0.1, roller = 2 right - 0.3
    G = np.array([[1.0, 0], [0, 1], [0, -2], [0, -1]])
    o = np.array([0, 0, -0.1, 0.1])
    tau = np.array([0.5, -0.2])

    def rate(t, x):
        q, qd = G @ x[:2] + o, G @ x[2:]
        force = tau - G.T @ (fs.bias_torque(free, q, qd) + free.damping * qd)
        return [*x[2:], *np.linalg.solve(G.T @ fs.crba(free, q) @ G, force)]

    exact = solve_ivp(rate, (0, 1), [0.3, 0.1, 0.5, -0.4], "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    run = fs.simulate(coupled, [0.3, 0.1], [0.5, -0.4], tau=tau, duration=1.0, dt=1e-3, method="rk4")
    assert np.abs(exact - [0.3, 0.1, 0.5, -0.4]).max() > 0.1
    np.testing.assert_allclose([*run.q[-1], *run.qd[-1]], exact, rtol=0, atol=1e-9)


def test_fingers_stay_coupled():
    coupled = gripper(mimic=True)
    run = fs.simulate(coupled, [0.3, 0.1], [0.5, -0.4], duration=1.0, dt=1e-3)
    arm = fs.frame_pose(coupled, run.q, "arm")
    left, right = (np.linalg.solve(arm, fs.frame_pose(coupled, run.q, name)) for name in ("left", "right"))
    np.testing.assert_allclose(left[:, 0, 3] + right[:, 0, 3], 0.1, atol=1e-12)
    assert np.ptp(left[:, 0, 3]) > 0.1


@pytest.mark.parametrize("method", METHODS)
def test_energy_balance_of_a_coupled_robot(method):
    residuals = []
    for dt in (2e-3, 1e-3, 5e-4):
        run = fs.simulate(gripper(mimic=True), [0.3, 0.1], [0.5, -0.4], tau=[1, 1], duration=0.5, dt=dt, method=method)
        balance = run.energy_balance()
        assert abs(balance["work"]) > 0.1
        assert balance["lost"] > 0.1
        residuals.append(balance["residual"])
    np.testing.assert_allclose(orders(residuals), {"rk4": 2, "semi_implicit_euler": 1}[method], atol=0.15)


def test_strong_damping_on_a_follower_stays_stable():
    builder = fs.ModelBuilder("pair")
    for name in ("base", "one", "two"):
        builder.add_link(name, 1.0, inertia=np.eye(3))
    builder.add_joint("one", "continuous", "base", "one", axis=(0, 0, 1))
    builder.add_joint("two", "continuous", "base", "two", axis=(0, 0, 1), damping=1e6, mimic=fs.Mimic("one", -3.0))
    run = fs.simulate(builder.build(), [0], [1.0], tau=[9.0], duration=1.0, dt=0.01)
    # H = 1 + 9 and d = 9e6 as the leader feels them
    assert run.qd[-1, 0] == pytest.approx(1e-6, rel=1e-6)
    assert (np.diff(run.qd[:, 0]) <= 0).all()
