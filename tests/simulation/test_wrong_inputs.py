"""What a wrong input gets: an error of the right type that names it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import featherstone as fs

GOOD = {"q0": [0.1, 0.2], "qd0": [0.0, 0.0], "duration": 0.01, "dt": 0.001}


@pytest.fixture(scope="module")
def arm():
    return fs.models.load("planar_2r")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"dt": -0.001}, ValueError, "dt: expected a finite number of seconds > 0, got -0.001"),
        ({"dt": 0}, ValueError, "dt: expected a finite number of seconds > 0, got 0"),
        ({"dt": float("nan")}, ValueError, "dt: expected a finite number"),
        ({"dt": "fast"}, TypeError, "dt: expected a number of seconds, got 'fast'"),
        ({"dt": None}, TypeError, "dt: expected a number of seconds, got None"),
        ({"dt": 1e-300, "duration": 1e300}, ValueError, "dt: 1e-300 s is too short"),
        ({"duration": -1}, ValueError, "duration: expected a finite number of seconds >= 0, got -1"),
        ({"duration": float("inf")}, ValueError, "duration: expected a finite number"),
        ({"duration": 0.0105}, ValueError, "duration: expected a multiple of dt = 0.001 s, got 0.0105"),
        ({"duration": 0.0105}, ValueError, "the nearest are 0.01 and 0.011"),
        ({"method": "euler"}, ValueError, "method: expected one of 'semi_implicit_euler', 'rk4', got 'euler'"),
        ({"method": None}, ValueError, "method: expected one of"),
        ({"q0": [0.1]}, ValueError, "q0: expected shape (..., 2), got (1,)"),
        ({"q0": [0.1, np.nan]}, ValueError, "q0: expected finite numbers, got nan"),
        ({"q0": None}, TypeError, "q0: expected"),
        ({"q0": ["a", "b"]}, TypeError, "q0: expected real numbers"),
        ({"q0": [1j, 0]}, TypeError, "q0: expected real numbers"),
        ({"qd0": [0, 0, 0]}, ValueError, "qd0: expected shape (..., 2), got (3,)"),
        ({"qd0": [0, np.inf]}, ValueError, "qd0: expected finite numbers, got inf"),
        ({"q0": np.zeros((2, 2)), "qd0": np.zeros((3, 2))}, ValueError, "batch shapes do not broadcast"),
        ({"tau": [np.nan, 0]}, ValueError, "tau: expected finite numbers, got nan"),
        ({"tau": [1.0]}, ValueError, "tau: expected shape (..., 2), got (1,)"),
        (
            {"tau": np.zeros((9, 2))},
            ValueError,
            "tau: expected shape (2,) or what broadcasts to it, or a row for each of",
        ),
        ({"tau": np.zeros((11, 2))}, ValueError, "the 10 steps, (..., 10, 2), got (11, 2)"),
        ({"tau": "1 2"}, TypeError, "tau: expected real numbers"),
        ({"f_ext": np.zeros((3, 6))}, ValueError, "f_ext: expected shape (..., 2, 6), got (3, 6)"),
        ({"f_ext": np.full((2, 6), np.inf)}, ValueError, "f_ext: expected finite numbers, got inf"),
        ({"tau": [0, 0], "controller": lambda t, q, qd: qd}, ValueError, "tau and controller: expected at most one"),
        ({"controller": [0, 0]}, TypeError, "controller: expected a function of (t, q, qd), got list"),
        ({"controller": lambda t, q, qd: None}, TypeError, "controller: expected"),
        ({"controller": lambda t, q, qd: [0]}, ValueError, "controller: expected shape (..., 2), got (1,)"),
        ({"controller": lambda t, q, qd: 0.0}, ValueError, "controller: expected shape (..., 2), got ()"),
        ({"controller": lambda t, q, qd: [[0, 0], [0, 0]]}, ValueError, "controller: expected a torque of shape (2,)"),
        ({"controller": lambda t, q, qd: "stop"}, TypeError, "controller: expected real numbers"),
        ({"controller": lambda t, q, qd: [0, np.nan] if t > 0.0045 else qd}, ValueError, "at t = 0.005 s"),
    ],
)
def test_wrong_input(arm, given, error, said):
    options = GOOD | given
    with pytest.raises(error, match=re.escape(said)):
        fs.simulate(arm, options.pop("q0"), options.pop("qd0"), **options)


@pytest.mark.parametrize("model", [None, "planar_2r", object()])
def test_wrong_model(model):
    with pytest.raises(TypeError, match="model: expected a Model"):
        fs.simulate(model, [0, 0], [0, 0], duration=1, dt=0.1)


def test_a_quaternion_of_another_length():
    robot = fs.models.load("quadruped")
    q0 = robot.neutral()
    q0[6] = 0.9
    with pytest.raises(ValueError, match=r"q0: expected a quaternion .* of unit length for joint 'root_joint'"):
        fs.simulate(robot, q0, np.zeros(robot.nv), duration=0.01, dt=0.001)


def test_the_state_of_a_batch_that_is_wrong_is_named(arm):
    q0 = np.zeros((2, 3, 2))
    q0[1, 2, 1] = np.nan
    with pytest.raises(ValueError, match=re.escape("in state (1, 2)")):
        fs.simulate(arm, q0, [0, 0], duration=0.01, dt=0.001)


def test_an_error_in_a_controller_comes_out_as_it_is(arm):
    def controller(t, q, qd):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        fs.simulate(arm, [0, 0], [0, 0], controller=controller, duration=0.01, dt=0.001)


@pytest.mark.parametrize(
    ("duration", "dt", "steps"), [(0.3, 0.1, 3), (1, 1 / 3, 3), (100, 1e-3, 100_000), (0.7, 0.07, 10)]
)
def test_durations_that_are_multiples_up_to_rounding(arm, duration, dt, steps):
    run = fs.simulate(arm, [0, 0], [0, 0], duration=duration, dt=dt, losses=False)
    assert len(run) == steps + 1
    assert run.t[-1] == pytest.approx(duration, rel=1e-12)


def test_lists_and_integers_are_fine(arm):
    run = fs.simulate(arm, [1, 2], (0, 0), tau=[1, 0], duration=np.float32(0.25), dt=0.125, method="rk4")
    assert run.q.dtype == run.tau.dtype == np.float64
