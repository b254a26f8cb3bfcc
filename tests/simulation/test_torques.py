"""Torques held, by step and from controllers; batches; nothing of the caller's is changed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import featherstone as fs
from featherstone.simulation.trajectory import Account

from ..random_trees import random_forces
from .robots import METHODS, floating_tree, start

DT, STEPS = 1e-3, 40
DURATION = DT * STEPS
NAMES = ("q", "qd", "qdd", "tau", "energy", "work", "lost")


GROWTH = 1e3  # of rounding errors over a run, in units in the last place of the largest numbers


def near(run: fs.Trajectory, other: fs.Trajectory) -> None:
    """Equal up to rounding: a batch's sines and cosines may differ from a single state's in the last place."""
    for name in NAMES:
        x, y = getattr(run, name), getattr(other, name)
        np.testing.assert_allclose(x, y, rtol=0, atol=GROWTH * 2.0**-52 * max(1.0, np.abs(y).max()), err_msg=name)


def same(run: fs.Trajectory, other: fs.Trajectory) -> None:
    """Equal to the bit."""
    for name in NAMES:
        np.testing.assert_array_equal(getattr(run, name), getattr(other, name), err_msg=name)


def picked(run: fs.Trajectory, at: int | slice | tuple[int, ...]) -> fs.Trajectory:
    """Some trajectories of a batch."""
    states = {name: getattr(run, name)[at] for name in NAMES if name not in Account._fields}
    return dataclasses.replace(run, **states, account=Account(*(getattr(run, name)[at] for name in Account._fields)))


@pytest.fixture(params=[False, True], ids=["free", "mimic"])
def tree(request):
    return floating_tree(losses=True, mimic=request.param)


@pytest.mark.parametrize("method", METHODS)
def test_constant_torques_by_step_and_a_controller_agree(tree, method):
    q0, qd0 = start(tree)
    tau = np.linspace(-1, 1, tree.nv)
    options = {"duration": DURATION, "dt": DT, "method": method}
    held = fs.simulate(tree, q0, qd0, tau=tau, **options)
    same(fs.simulate(tree, q0, qd0, tau=np.tile(tau, (STEPS, 1)), **options), held)
    same(fs.simulate(tree, q0, qd0, controller=lambda t, q, qd: tau, **options), held)
    np.testing.assert_array_equal(held.tau, np.tile(tau, (STEPS + 1, 1)))


@pytest.mark.parametrize("method", METHODS)
def test_a_controllers_torques_replayed_by_step_give_the_same(tree, method):
    options = {"duration": DURATION, "dt": DT, "method": method}
    q0, qd0 = start(tree)
    run = fs.simulate(tree, q0, qd0, controller=lambda t, q, qd: np.cos(t) - 2.0 * qd, **options)
    assert np.abs(np.diff(run.tau, axis=0)).max() > 0
    replayed = fs.simulate(tree, q0, qd0, tau=run.tau[:-1], **options)
    np.testing.assert_array_equal(replayed.q, run.q)
    np.testing.assert_array_equal(replayed.qdd[:-1], run.qdd[:-1])
    np.testing.assert_array_equal(run.tau, np.cos(run.t)[:, None] - 2.0 * run.qd)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 9])
def test_a_state_runs_alike_in_any_batch_and_alone(tree, method, count):
    q0, qd0 = start(tree, shape=(count,))
    rng = np.random.default_rng(1)
    tau, f_ext = rng.normal(size=(count, tree.nv)), random_forces(tree, 1, (count,))
    options = {"duration": DURATION, "dt": DT, "method": method}
    run = fs.simulate(tree, q0, qd0, tau=tau, f_ext=f_ext, **options)
    for k in range(count):
        only = slice(k, k + 1)
        alone = fs.simulate(tree, q0[only], qd0[only], tau=tau[only], f_ext=f_ext[only], **options)
        same(picked(run, only), alone)
        near(picked(run, k), fs.simulate(tree, q0[k], qd0[k], tau=tau[k], f_ext=f_ext[k], **options))


@pytest.mark.parametrize("method", METHODS)
def test_batch_shapes_broadcast(tree, method):
    q0, qd0 = start(tree, shape=(2, 3))
    rng = np.random.default_rng(1)
    options = {"duration": DURATION, "dt": DT, "method": method}
    by_step, f_ext = rng.normal(size=(3, STEPS, tree.nv)), random_forces(tree, 1, (2, 1))
    run = fs.simulate(tree, q0, qd0, tau=by_step, f_ext=f_ext, **options)
    assert run.q.shape == (2, 3, STEPS + 1, tree.nq)
    for at in np.ndindex(2, 3):
        single = fs.simulate(tree, q0[at], qd0[at], tau=by_step[at[1]], f_ext=f_ext[at[0], 0], **options)
        near(picked(run, at), single)


def test_a_batch_with_a_controller_gives_what_single_runs_give(tree):
    q0, qd0 = start(tree, shape=(3,))
    shapes = set()

    def controller(t, q, qd):
        shapes.add((q.shape, qd.shape))
        return -0.5 * qd

    run = fs.simulate(tree, q0, qd0, controller=controller, duration=DURATION, dt=DT)
    assert shapes == {((3, tree.nq), (3, tree.nv))}
    for k in range(3):
        single = fs.simulate(tree, q0[k], qd0[k], controller=lambda t, q, qd: -0.5 * qd, duration=DURATION, dt=DT)
        near(picked(run, k), single)


def test_one_state_spreads_over_a_batch_of_forces():
    tree = floating_tree()
    q0, qd0 = start(tree)
    run = fs.simulate(tree, q0, qd0, f_ext=random_forces(tree, 1, (4,)), duration=DURATION, dt=DT)
    assert run.q.shape == (4, STEPS + 1, tree.nq)
    np.testing.assert_array_equal(run.q[:, 0], np.tile(q0, (4, 1)))
    assert (np.abs(run.q[1:, -1] - run.q[0, -1]).max(axis=-1) > 0).all()


def test_an_empty_batch():
    arm = fs.models.load("planar_2r")
    run = fs.simulate(arm, np.empty((0, 2)), np.empty((0, 2)), duration=DURATION, dt=DT)
    assert run.q.shape == (0, STEPS + 1, 2)
    assert run.energy.shape == (0, STEPS + 1)


def test_rows_that_match_the_batch_and_not_the_steps_are_one_torque_a_state():
    arm = fs.models.load("planar_2r")
    rows = np.arange(STEPS * 2.0).reshape(STEPS, 2)
    q0 = np.zeros((STEPS, 2))
    by_state = fs.simulate(arm, q0, q0, tau=rows, duration=DURATION, dt=DT)
    np.testing.assert_array_equal(by_state.tau, np.repeat(rows[:, None], STEPS + 1, axis=1))
    by_step = fs.simulate(arm, q0, q0, tau=rows[None], duration=DURATION, dt=DT)
    np.testing.assert_array_equal(by_step.tau[:, :-1], np.tile(rows, (STEPS, 1, 1)))


def test_a_controller_gets_copies_and_the_right_times():
    arm = fs.models.load("planar_2r")
    seen = []

    def vandal(t, q, qd):
        seen.append((t, q.copy(), qd.copy()))
        q[:] = qd[:] = np.nan
        return [0, 0]

    run = fs.simulate(arm, [0.6, -0.9], [0, 0], controller=vandal, duration=DURATION, dt=DT)
    same(run, fs.simulate(arm, [0.6, -0.9], [0, 0], duration=DURATION, dt=DT))
    times, q, qd = map(np.array, zip(*seen))
    np.testing.assert_array_equal(times, run.t)
    np.testing.assert_array_equal(q, run.q)
    np.testing.assert_array_equal(qd, run.qd)


def test_a_controller_may_keep_and_reuse_its_array():
    arm = fs.models.load("planar_2r")
    torque = np.zeros(2)

    def controller(t, q, qd):
        torque[:] = t
        return torque

    run = fs.simulate(arm, [0, 0], [0, 0], controller=controller, duration=DURATION, dt=DT)
    np.testing.assert_array_equal(run.tau, np.stack([run.t, run.t], axis=-1))


def test_computed_torque_follows_its_reference():
    arm = fs.models.load("seven_axis")
    amplitude = np.linspace(0.1, 0.4, arm.nv)

    def controller(t, q, qd):
        wanted, rate, acceleration = amplitude * (1 - np.cos(t)), amplitude * np.sin(t), amplitude * np.cos(t)
        return fs.rnea(arm, q, qd, acceleration + 100 * (wanted - q) + 20 * (rate - qd))

    run = fs.simulate(
        arm, arm.neutral(), np.zeros(arm.nv), controller=controller, duration=1.0, dt=1e-3, method="rk4", losses=False
    )
    np.testing.assert_allclose(run.q, amplitude * (1 - np.cos(run.t))[:, None], atol=1e-3)
    assert run.q[-1].max() > 0.15


def test_inputs_are_never_changed_and_never_shared(tree):
    q0, qd0 = start(tree, shape=(2,))
    given = [q0, qd0, np.ones((2, tree.nv)), random_forces(tree, 1)]
    before = [x.copy() for x in given]
    for array in given:
        array.flags.writeable = False
    run = fs.simulate(tree, q0, qd0, tau=given[2], f_ext=given[3], duration=DURATION, dt=DT)
    for array, copy in zip(given, before):
        np.testing.assert_array_equal(array, copy)
        assert not any(np.shares_memory(array, x) for x in (run.q, run.qd, run.tau))


@pytest.mark.parametrize("controller", [None, lambda t, q, qd: [1.0, 2.0]])
def test_a_duration_of_zero_gives_the_start(controller):
    arm = fs.models.load("planar_2r")
    run = fs.simulate(arm, [0.6, -0.9], [1, 2], controller=controller, duration=0, dt=0.1)
    assert len(run) == 1
    np.testing.assert_array_equal(run.t, [0.0])
    np.testing.assert_array_equal(run.q, [[0.6, -0.9]])
    tau = np.zeros(2) if controller is None else [1.0, 2.0]
    np.testing.assert_allclose(run.qdd[0], fs.aba(arm, [0.6, -0.9], [1, 2], tau), rtol=1e-14)
    assert run.energy_balance()["residual"] == 0


def test_accelerations_are_those_of_forward_dynamics_at_each_row(tree):
    q0, qd0 = start(tree)
    run = fs.simulate(tree, q0, qd0, tau=np.ones(tree.nv), duration=DURATION, dt=DT, method="rk4")
    expected = fs.forward_dynamics(tree, run.q, run.qd, run.tau, losses=True)
    np.testing.assert_allclose(run.qdd, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("controller", [None, lambda t, q, qd: [0, 0]])
@pytest.mark.parametrize("duration", [0.0, 1.0])
def test_progress_goes_up_to_one(controller, duration):
    parts = []
    arm = fs.models.load("planar_2r")
    fs.simulate(arm, [0, 0], [0, 0], controller=controller, duration=duration, dt=DT, progress=parts.append)
    assert parts[-1] == 1.0
    assert parts == sorted(parts)
    assert all(0.0 <= part <= 1.0 for part in parts)


def test_progress_bar_on_standard_error(capsys):
    arm = fs.models.load("planar_2r")
    fs.simulate(arm, [0, 0], [0, 0], duration=DURATION, dt=DT, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("100 %\n")
    fs.simulate(arm, [0, 0], [0, 0], duration=DURATION, dt=DT)
    assert capsys.readouterr() == ("", "")


def test_a_robot_without_degrees_of_freedom():
    builder = fs.ModelBuilder("stone")
    builder.add_link("stone", 1.0)
    run = fs.simulate(builder.build(), [], [], duration=DURATION, dt=DT)
    assert run.q.shape == (STEPS + 1, 0)
    assert (run.energy == 0).all()
