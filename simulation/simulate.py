"""Forward simulation of one robot state or a batch."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.call import check_model
from ..model.arguments import flag
from ..model.base_motion import BaseMotion
from ..model.elastic import Elastic
from ..model.model import Model
from .rollout import Rollout
from .stepping import RK4, SEMI_IMPLICIT_EULER
from .stops import Stops
from .trajectory import Trajectory

METHODS = {"semi_implicit_euler": SEMI_IMPLICIT_EULER, "rk4": RK4}


def simulate(
    model: Model | Elastic,
    q0: ArrayLike,
    qd0: ArrayLike,
    *,
    tau: ArrayLike | None = None,
    controller: Callable[[float, np.ndarray, np.ndarray], ArrayLike] | None = None,
    duration: float,
    dt: float,
    method: str = "semi_implicit_euler",
    f_ext: ArrayLike | None = None,
    losses: bool = True,
    limits: bool | Stops = False,
    base: BaseMotion | Callable[[float], BaseMotion] | None = None,
    save_every: int = 1,
    progress: bool | Callable[[float], None] = False,
) -> Trajectory:
    """Simulate a robot from a state, or a batch of them.

    Parameters
    ----------
    model : the robot; with elastic joints what `elastic` returned, whose springs are then part of the robot.
    q0, qd0 : (..., nq) and (..., nv), the state at t = 0.
    tau : (..., nv) held constant, or (..., n, nv) with a row for each of the n = duration / dt steps; zero if not
        given. What broadcasts to the batch of the states, such as (n, nv) for n states and
        n steps, is a torque for each state.
    controller : called at the beginning of each step as controller(t, q, qd) with copies of the state (..., nq) and
        (..., nv); its torque (..., nv) is held over the step. Once more at the end, for the last row of tau and qdd.
        Not together with tau.
    duration, dt : s; the duration is a multiple of dt.
    method : "semi_implicit_euler" is of first order and stable with strong damping and dry friction, but loses or gains
        energy in fast motion. Its dry friction resists acceleration as well, by the part dt f / (m v) for a mass m, so
        joints break loose late and slide slowly with too much friction; a shorter dt mends it. "rk4" is of fourth
        order, for robots whose dry friction is smoothed or none (it kicks joints at rest).
    f_ext : (..., nb, 6) constant forces ON the bodies, (moment; force) in each body's link frame about its origin.
    losses : use the model's damping and friction.
    limits : True, or `Stops`: the torques of tau or the controller are cut to the model's limits, positions and
        velocities beyond theirs are pushed back by springs and dampers.
    base : how the base moves: a BaseMotion that holds all the time, its pose too, such as that of a turntable, or a
        function of time that returns one for each t, asked at each step and with "rk4" in its middle too.
    save_every : keep every so many steps only, which divides their number; work and losses are then integrated over the
        times kept.
    progress : True shows a bar on standard error, a function is called with the part done.

    Returns
    -------
    trajectory : with T = n / save_every + 1 times.

    Raises
    ------
    SimulationError
        The state became NaN or infinite; the error says when and at which joint.
    SingularMassMatrixError
        A degree of freedom moves nothing that has inertia.
    TypeError, ValueError
        Wrong types or shapes, numbers that make no sense, both tau and a controller, limits that leave no room.

    Notes
    -----
    See `featherstone/simulation/stepping.py` for the methods. Without a controller the whole loop runs compiled.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> run = fs.simulate(arm, [0.6, -0.9], [0, 0], duration=1.0, dt=0.001, method="rk4")
    >>> run.q.shape, bool(abs(run.energy - run.energy[0]).max() < 1e-8)
    ((1001, 2), True)
    """
    springs = model if isinstance(model, Elastic) else None
    if isinstance(model, Elastic):
        model = model.model
    check_model(model)
    dt, steps = time_steps(duration, dt)
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if controller is not None and tau is not None:
        raise ValueError("tau and controller: expected at most one of the two")
    if base is not None and not isinstance(base, BaseMotion) and not callable(base):
        raise TypeError(f"base: expected a BaseMotion or a function of time, got {type(base).__name__}")
    if controller is not None and not callable(controller):
        raise TypeError(f"controller: expected a function of (t, q, qd), got {type(controller).__name__}")
    every, stops = _every(save_every, steps), _stops(limits)
    rollout = Rollout(model, q0, qd0, tau, f_ext, dt, steps, METHODS[method], losses, every, stops, base, springs)
    report = _reporter(progress)
    if controller is None:
        rollout.run_all(report)
    else:
        rollout.run_with(controller, report)
    return rollout.trajectory()


def time_steps(duration: float, dt: float) -> tuple[float, int]:
    values = []
    for name, value in (("duration", duration), ("dt", dt)):
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise TypeError(f"{name}: expected a number of seconds, got {value!r}") from None
        if not math.isfinite(number) or number < 0 or (name == "dt" and number == 0):
            raise ValueError(
                f"{name}: expected a finite number of seconds {'> 0' if name == 'dt' else '>= 0'}, got {value!r}"
            )
        values.append(number)
    duration, dt = values
    if duration / dt > 2**53:
        raise ValueError(f"dt: {dt:g} s is too short for a duration of {duration:g} s")
    steps = round(duration / dt)
    if abs(steps * dt - duration) > 1e-6 * dt + 1e-12 * duration:
        raise ValueError(
            f"duration: expected a multiple of dt = {dt:g} s, got {duration!r};"
            f" the nearest are {math.floor(duration / dt) * dt:g} and {math.ceil(duration / dt) * dt:g}"
        )
    return dt, steps


def _every(save_every: int, steps: int) -> int:
    try:
        every = operator.index(save_every)
    except TypeError:
        raise TypeError(f"save_every: expected an integer, got {save_every!r}") from None
    if every < 1 or steps % every:
        raise ValueError(f"save_every: expected a divisor of the {steps} steps, got {every}")
    return every


def _stops(limits: bool | Stops) -> Stops | None:
    if isinstance(limits, Stops):
        return limits
    return Stops() if flag("limits", limits) else None


def _reporter(progress: bool | Callable[[float], None]) -> Callable[[float], None]:
    if callable(progress):
        return progress
    if not flag("progress", progress):
        return lambda part: None

    def bar(part: float) -> None:
        end = "\n" if part >= 1.0 else ""
        sys.stderr.write(f"\r[{'#' * int(40 * part):<40}] {100 * part:3.0f} %{end}")
        sys.stderr.flush()

    return bar
