"""Simulations that cannot go on: when, where, and that Ctrl-C is heard."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import featherstone as fs

from .robots import METHODS, wheel

LONG_RUN = """
import numpy as np, featherstone as fs
arm = fs.models.load("planar_2r")
fs.simulate(arm, [0.6, -0.9], [0, 0], duration=0.01, dt=1e-3, method="rk4")
print("started", flush=True)
fs.simulate(arm, np.zeros((%d, 2)), [0, 0], duration=%g, dt=1e-3, method="rk4")
"""


def test_a_blow_up_is_an_error_with_time_and_joint():
    # explicit steps of a damped wheel grow by 1 - dt d / I + ... each
    with pytest.raises(fs.SimulationError) as caught:
        fs.simulate(wheel(damping=1e6), [0], [1.0], duration=10.0, dt=0.01, method="rk4")
    error = caught.value
    assert error.joint == "axle"
    assert 0 < error.time < 10.0
    assert f"after t = {error.time:g} s, first at joint 'axle'" in str(error)
    assert isinstance(error, ArithmeticError)


def test_the_state_is_finite_up_to_the_time_of_the_error():
    model = wheel(damping=1e6)
    options = {"dt": 0.01, "method": "rk4"}
    with pytest.raises(fs.SimulationError) as caught:
        fs.simulate(model, [0], [1.0], duration=10.0, **options)
    when = caught.value.time
    run = fs.simulate(model, [0], [1.0], duration=when, **options)
    assert np.isfinite(run.qd).all()
    with pytest.raises(fs.SimulationError):
        fs.simulate(model, [0], [1.0], duration=when + 0.01, **options)


@pytest.mark.parametrize("method", METHODS)
def test_the_state_of_a_batch_and_the_joint_that_blow_up_are_named(method):
    arm = fs.models.load("planar_2r")
    qd0 = np.zeros((2, 3, 2))
    qd0[1, 0] = [1e200, -1e200]
    with pytest.raises(
        fs.SimulationError, match=r"in state \(1, 0\) after t = 0 s, first at joint 'shoulder'"
    ) as caught:
        fs.simulate(arm, np.zeros(2), qd0, duration=1.0, dt=0.01, method=method)
    assert (caught.value.time, caught.value.joint) == (0.0, "shoulder")


def test_the_hint_does_not_advise_the_method_that_was_used():
    arm = fs.models.load("planar_2r")
    for method in METHODS:
        with pytest.raises(fs.SimulationError) as caught:
            fs.simulate(arm, [0, 0], [1e200, -1e200], duration=1.0, dt=0.01, method=method)
        assert ("semi_implicit_euler" in str(caught.value)) == (method == "rk4")


def test_a_feedback_that_is_too_strong_is_told_with_its_time():
    arm = fs.models.load("planar_2r")
    with pytest.raises((fs.SimulationError, ValueError), match="t = "):
        fs.simulate(arm, [0.1, 0.1], [0, 0], controller=lambda t, q, qd: 1e9 * (qd + q), duration=10.0, dt=0.01)


@pytest.mark.parametrize("method", METHODS)
def test_a_singular_mass_matrix_names_its_joint(method):
    robot = fs.models.load("six_axis")
    with pytest.raises(fs.SingularMassMatrixError, match=r"singular at t = 0 s: joint 'joint_6'") as caught:
        fs.simulate(robot, robot.neutral(), np.zeros(6), duration=0.1, dt=0.01, method=method)
    assert caught.value.joint == "joint_6"


def test_a_payload_mends_it():
    robot = fs.models.load("six_axis")
    loaded = robot.with_payload(robot.frame_names[-1], 1.0, (0, 0, 0.05), 0.01 * np.eye(3))
    run = fs.simulate(loaded, loaded.neutral(), np.zeros(6), duration=0.1, dt=0.001)
    assert np.abs(run.qd[-1]).max() > 0.01


def test_errors_pickle_and_copy():
    error = fs.SimulationError("the state became NaN", 0.25, "elbow")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (str(again), again.time, again.joint) == ("the state became NaN", 0.25, "elbow")


def test_a_simulation_after_a_failed_one_is_right():
    arm = fs.models.load("planar_2r")
    options = {"duration": 0.1, "dt": 0.01}
    before = fs.simulate(arm, [0.6, -0.9], [0, 0], **options)
    with pytest.raises(fs.SimulationError):
        fs.simulate(arm, [0.6, -0.9], [1e200, -1e200], **options)
    np.testing.assert_array_equal(fs.simulate(arm, [0.6, -0.9], [0, 0], **options).q, before.q)


@pytest.mark.parametrize(("count", "duration"), [(1, 10_000.0), (500, 30.0)])
def test_ctrl_c_is_heard_during_a_long_run(count, duration):
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_RUN % (count, duration)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode != 0
    assert "KeyboardInterrupt" in err
