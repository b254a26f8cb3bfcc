"""Energy at the end = energy at the start + work done - energy lost, up to the method's error."""

from __future__ import annotations

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import random_forces
from .robots import METHODS, floating_tree, orders, start, wheel

# the work is summed to second order, so rk4 cannot do better with forces
ORDER_WITH_FORCES = {"rk4": 2, "semi_implicit_euler": 1}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("driven_by", ["tau", "f_ext"])
@pytest.mark.parametrize("mimic", [False, True])
def test_the_residual_shrinks_with_the_step(method, driven_by, mimic):
    tree = floating_tree(mimic=mimic)
    force = {"tau": np.linspace(-2.0, 2.0, tree.nv), "f_ext": 3.0 * random_forces(tree, 1)}[driven_by]
    balances = [
        fs.simulate(tree, *start(tree), duration=0.4, dt=dt, method=method, **{driven_by: force}).energy_balance()
        for dt in (2.5e-3, 1.25e-3, 6.25e-4)
    ]
    assert abs(balances[-1]["work"]) > 0.1
    found = orders([balance["residual"] for balance in balances])
    np.testing.assert_allclose(found, ORDER_WITH_FORCES[method], atol=0.15)


@pytest.mark.parametrize("method", METHODS)
def test_the_residual_shrinks_with_damping(method):
    model = wheel(damping=0.5)
    residuals = []
    for dt in (4e-3, 2e-3, 1e-3):
        balance = fs.simulate(model, [0], [3.0], duration=1.0, dt=dt, method=method).energy_balance()
        assert balance["lost"] > 2.0
        residuals.append(balance["residual"])
    np.testing.assert_allclose(orders(residuals), ORDER_WITH_FORCES[method], atol=0.15)


def test_balance_of_a_wheel_in_closed_form():
    # 2 w' = 3 - 0.5 w from w = 10
    d, I, tau, t = 0.5, 2.0, 3.0, 1.5
    run = fs.simulate(wheel(d, inertia=I), [0.0], [10.0], tau=[tau], duration=t, dt=1e-3, method="rk4")
    end = tau / d
    decay = np.exp(-d / I * t)
    rate = end + (10.0 - end) * decay
    angle = end * t + (10.0 - end) * I / d * (1 - decay)
    balance = run.energy_balance()
    assert list(balance) == ["start", "end", "work", "lost", "residual"]
    assert all(type(x) is float for x in balance.values())
    lost = I / 2 * (10.0**2 - rate**2) + tau * angle
    for name, value in {"start": 100.0, "end": I / 2 * rate**2, "work": tau * angle, "lost": lost}.items():
        assert balance[name] == pytest.approx(value, rel=1e-6), name
    assert abs(balance["residual"]) < 1e-5


def test_work_of_a_force_on_a_body_is_force_times_way():
    builder = fs.ModelBuilder("slider")
    builder.add_link("rail")
    builder.add_link("box", 2.0, inertia=np.eye(3))
    builder.add_joint("slide", "prismatic", "rail", "box", axis=(0, 1, 0))
    run = fs.simulate(
        builder.build(), [0], [0], f_ext=[[9, 9, 9, 7, 5, 3]], duration=2.0, dt=1e-3, method="rk4", losses=False
    )
    assert run.q[-1, 0] == pytest.approx(5 / 2 * 2.0**2 / 2, rel=1e-12)
    assert run.work[-1] == pytest.approx(5 * run.q[-1, 0], rel=1e-12)
    assert run.energy[-1] == pytest.approx(run.work[-1], rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_without_losses_nothing_is_lost(method):
    model = wheel(damping=1.0, friction=1.0)
    run = fs.simulate(model, [0], [5.0], duration=1.0, dt=1e-3, method=method, losses=False)
    assert (run.lost == 0).all()
    np.testing.assert_allclose(run.qd, 5.0, rtol=1e-12)
    with_losses = fs.simulate(model, [0], [5.0], duration=1.0, dt=1e-3, method=method)
    assert (np.diff(with_losses.lost) > 0).all()
    assert with_losses.qd[-1, 0] < 4.0


def test_work_and_losses_start_at_zero_and_grow_with_time():
    tree = floating_tree(losses=True)
    run = fs.simulate(tree, *start(tree, shape=(2,)), tau=np.ones(tree.nv), duration=0.1, dt=1e-3)
    assert run.work.shape == run.lost.shape == run.energy.shape == (2, 101)
    assert (run.work[:, 0] == 0).all()
    assert (run.lost[:, 0] == 0).all()
    assert (np.diff(run.lost) >= 0).all()
    np.testing.assert_allclose(
        run.energy, fs.kinetic_energy(tree, run.q, run.qd) + fs.potential_energy(tree, run.q), rtol=1e-15
    )
    assert {name: np.shape(x) for name, x in run.energy_balance().items()}["residual"] == (2,)
