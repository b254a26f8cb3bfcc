"""Rows that are kept: every so many steps, with the same states as if all were."""

from __future__ import annotations

import numpy as np
import pytest

import featherstone as fs

from .robots import floating_tree, start


def controller(t, q, qd):
    return 0.1 * np.cos(3 * t) - 0.05 * qd


@pytest.mark.parametrize("method", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("mimic", [False, True], ids=["free", "mimic"])
@pytest.mark.parametrize("drive", ["constant", "by step", "controller"])
@pytest.mark.parametrize("batch", [(), (5,)])
def test_kept_rows_are_those_of_a_full_run(method, mimic, drive, batch):
    tree = floating_tree(losses=True, mimic=mimic)
    q0, qd0 = start(tree)
    q0, qd0 = np.broadcast_to(q0, (*batch, tree.nq)), np.broadcast_to(qd0, (*batch, tree.nv))
    options = {"duration": 0.06, "dt": 1e-3, "method": method}
    if drive == "controller":
        options["controller"] = controller
    elif drive == "by step":
        options["tau"] = np.random.default_rng(0).normal(size=(60, tree.nv))
    else:
        options["tau"] = np.linspace(-1.0, 1.0, tree.nv)
    full = fs.simulate(tree, q0, qd0, **options)
    for every in (1, 4, 60):
        kept = fs.simulate(tree, q0, qd0, **options, save_every=every)
        np.testing.assert_allclose(kept.t, full.t[::every], rtol=0, atol=1e-15)
        for name in ("q", "qd", "qdd", "tau"):
            np.testing.assert_array_equal(getattr(kept, name), getattr(full, name)[..., ::every, :], err_msg=name)
        np.testing.assert_array_equal(kept.energy, full.energy[..., ::every])


@pytest.mark.parametrize("bad", [0, -1, 7, 1000])
def test_it_divides_the_number_of_steps(bad):
    arm = fs.models.load("planar_2r")
    with pytest.raises(ValueError, match=r"^save_every: expected a divisor of the 10 steps, got "):
        fs.simulate(arm, [0, 0], [0, 0], duration=0.01, dt=0.001, save_every=bad)


@pytest.mark.parametrize("bad", [1.5, "2", None])
def test_it_is_an_integer(bad):
    arm = fs.models.load("planar_2r")
    with pytest.raises(TypeError, match=r"^save_every: expected an integer, got "):
        fs.simulate(arm, [0, 0], [0, 0], duration=0.01, dt=0.001, save_every=bad)


def test_a_long_run_takes_the_memory_of_the_rows_it_keeps():
    arm = fs.models.load("pendulum")
    run = fs.simulate(arm, [0.1], [0.0], duration=1000.0, dt=1e-3, save_every=100_000)
    assert len(run) == 11
    assert run.q.nbytes == 11 * 8
