"""Damping and dry friction: closed forms, stability, and how slowly a stuck joint creeps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.model.losses import STICTION

from .robots import METHODS, wheel

CASE = Path(__file__).parents[1] / "data" / "dynamics_cases" / "12_damping_against_motion"


@pytest.fixture
def case():
    return fs.load_urdf(CASE.with_suffix(".urdf")), json.loads(CASE.with_suffix(".json").read_text())


def test_a_damped_wheel_obeys_its_exponential(case):
    model, right = case
    run = fs.simulate(model, [0, 0], [right["wheel_rate_start"], 0], duration=right["time"], dt=1e-3, method="rk4")
    assert run.qd[-1, 0] == pytest.approx(right["wheel_rate"], rel=1e-9)
    assert run.q[-1, 0] == pytest.approx(right["wheel_angle"], rel=1e-9)


def test_the_first_acceleration_is_that_of_forward_dynamics_with_losses(case):
    model, right = case
    given = {"tau": right["tau_with_losses"], "duration": 1e-6, "dt": 1e-6, "method": "rk4"}
    np.testing.assert_allclose(fs.simulate(model, right["q"], right["qd"], **given).qdd[0], right["qdd"], atol=1e-10)
    given |= {"tau": right["tau_without_losses"], "losses": False}
    np.testing.assert_allclose(fs.simulate(model, right["q"], right["qd"], **given).qdd[0], right["qdd"], atol=1e-10)


def test_power_lost(case):
    model, right = case
    run = fs.simulate(model, right["q"], right["qd"], duration=1e-6, dt=1e-6, method="rk4")
    assert run.lost[-1] / 1e-6 == pytest.approx(right["power_lost"], rel=1e-4)


@pytest.mark.parametrize("damping", [1e2, 1e6, 1e12])
def test_strong_damping_stays_stable_with_the_implicit_method(damping):
    # explicit methods need dt < 2 I / d = 2e-2, 2e-6, 2e-12 s
    run = fs.simulate(wheel(damping), [0], [5.0], tau=[1.0], duration=1.0, dt=0.05)
    speed = np.abs(run.qd[:, 0])
    assert (np.diff(speed) <= 0).all()
    assert run.qd[-1, 0] == pytest.approx(1.0 / damping, rel=1e-3)


def test_strong_damping_on_a_whole_robot():
    arm = fs.models.load("seven_axis")
    builder = fs.ModelBuilder("stiff")
    for link in arm.description.links:
        builder.add_link(link.name, link.mass, link.com, link.inertia)
    for joint in arm.description.joints:
        builder.add_joint(**(vars(joint) | {"damping": 1e5}))
    stiff = builder.build()
    run = fs.simulate(stiff, stiff.neutral(), np.full(stiff.nv, 3.0), duration=1.0, dt=0.01)
    # sinking under its weight, each joint no faster than gravity over damping allows
    assert np.abs(run.qd[-1]).max() < 1e-2
    assert run.qd[0].max() == 3.0


@pytest.mark.parametrize("method", METHODS)
def test_dry_friction_stops_a_wheel_when_it_should(method):
    # w = 5 - 2 t until it stands at t = 2.5
    run = fs.simulate(wheel(friction=2.0), [0], [5.0], duration=4.0, dt=1e-3, method=method)
    moving = run.t < 2.49
    np.testing.assert_allclose(run.qd[moving, 0], 5 - 2 * run.t[moving], atol=0.02)
    assert np.abs(run.qd[run.t > 2.6]).max() < 2.1e-3  # rk4 trembles by what a step of friction does
    assert run.q[-1, 0] == pytest.approx(25 / 4, abs=0.02)


def test_dry_friction_never_turns_a_joint_round():
    run = fs.simulate(wheel(friction=100.0), [0], [5.0], duration=1.0, dt=0.01)
    assert (run.qd >= 0).all()
    assert run.qd[-1, 0] < 1e-6


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
@pytest.mark.parametrize("dt", [1e-4, 1e-2])
def test_a_torque_below_the_friction_only_creeps(part, dt):
    run = fs.simulate(wheel(friction=2.0), [0], [0], tau=[2.0 * part], duration=1.0, dt=dt)
    assert np.abs(run.qd).max() <= part * STICTION * (1 + 1e-9)
    assert run.qd[-1, 0] == pytest.approx(part * STICTION, rel=1e-3)


def test_a_torque_above_the_friction_moves():
    # it breaks loose with a delay that shrinks with the step
    late = []
    for dt in (4e-4, 2e-4, 1e-4):
        run = fs.simulate(wheel(friction=2.0), [0], [0], tau=[2.5], duration=1.0, dt=dt)
        late.append(0.5 - run.qd[-1, 0])
    assert late[0] > late[1] > late[2] > 0
    assert late[2] < 0.01


def test_friction_holds_a_pendulum_out_of_balance():
    builder = fs.ModelBuilder("held")
    builder.add_link("base")
    builder.add_link("rod", 1.0, (0, 0, -0.5), np.diag([1 / 12, 1 / 12, 0]))
    builder.add_joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0), friction=4.0)
    run = fs.simulate(builder.build(), [0.9], [0], duration=10.0, dt=1e-3)
    assert abs(run.q[-1, 0] - 0.9) <= 10.0 * STICTION
    # the creeping is booked as friction at its full size
    assert abs(run.energy_balance()["residual"]) <= 4.0 * STICTION * 10.0
