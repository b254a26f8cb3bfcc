"""Rows that are kept: every so many steps, with the same states as if all were."""

from __future__ import annotations

import numpy as np
import pytest

import featherstone as fs

from ..engine.processes import run_python
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


@pytest.mark.parametrize("batch", [(), (256,)])
def test_an_interrupt_is_seen_between_rows_far_apart(batch):
    code = f"""
import json, os, signal, threading, time
import numpy as np
import featherstone as fs
arm = fs.models.load("seven_axis")
z = np.zeros(({"256, " if batch else ""}8,))
run = lambda duration, every: fs.simulate(arm, z, z, duration=duration, dt=0.001, save_every=every)
run(0.02, 20)
sent = []
def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.5, interrupt).start()
try:
    run(2000.0, 2_000_000)
    late = None
except KeyboardInterrupt:
    late = time.perf_counter() - sent[0]
print(json.dumps(late))
"""
    late = run_python(code)
    assert late is not None
    assert late < 2.0  # generous: a chunk takes a tenth of a second


def test_torques_that_broadcast_to_the_states_are_theirs():
    arm = fs.models.load("planar_2r")
    rng = np.random.default_rng(0)
    q0, tau = rng.normal(size=(3, 4, 2)), rng.normal(size=(4, 2))
    run = fs.simulate(arm, q0, np.zeros(2), tau=tau, duration=0.04, dt=0.01)
    whole = fs.simulate(arm, q0, np.zeros(2), tau=np.broadcast_to(tau, (3, 4, 2)), duration=0.04, dt=0.01)
    np.testing.assert_array_equal(run.q, whole.q)


def test_no_steps_need_no_rows_of_torque():
    arm = fs.models.load("planar_2r")
    run = fs.simulate(arm, [0, 0], [0, 0], tau=np.zeros((0, 2)), duration=0, dt=0.01)
    assert run.q.shape == (1, 2)


def test_progress_ends_once():
    arm = fs.models.load("planar_2r")
    seen: list[float] = []
    fs.simulate(arm, [0, 0], [0, 0], duration=0.04, dt=0.01, progress=seen.append)
    assert seen.count(1.0) == 1
    assert seen[-1] == 1.0
