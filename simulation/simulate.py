"""Forward simulation of one robot state or a batch."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.call import Call, as_floats, check_model, raise_singular, unchecked
from ..algorithms.energy import kinetic_energy, potential_energy
from ..algorithms.rnea import rnea
from ..engine.batch import run
from ..engine.kernel import BAD_VERDICT, Failure, Operand
from ..model.losses import STICTION
from ..model.model import Model
from .stepping import COUPLED_ROLLOUT, RK4, ROLLOUT, SEMI_IMPLICIT_EULER, SINGULAR, what_happened
from .trajectory import Account, Trajectory

METHODS = {"semi_implicit_euler": SEMI_IMPLICIT_EULER, "rk4": RK4}
CHUNK = 0.1  # s of computing between two looks at the keyboard and the progress


class SimulationError(ArithmeticError):
    """A simulation that ran into NaN or infinity.

    Attributes
    ----------
    time : s, the last time at which the state was finite.
    joint : the name of the first joint whose state was not.
    """

    def __init__(self, message: str, time: float, joint: str) -> None:
        # all of them as args: an exception is pickled by its args, and comes back whole from a worker process
        super().__init__(message, time, joint)
        self.time, self.joint = time, joint

    def __str__(self) -> str:
        return str(self.args[0])


def simulate(
    model: Model,
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
    progress: bool | Callable[[float], None] = False,
) -> Trajectory:
    """Simulate a robot from a state, or a batch of them.

    Parameters
    ----------
    model : the robot.
    q0, qd0 : (..., nq) and (..., nv), the state at t = 0.
    tau : (..., nv) held constant, or (..., n, nv) with a row for each of the n = duration / dt steps; zero if not
        given.
    controller : called at the beginning of each step as controller(t, q, qd) with copies of the state (..., nq) and
        (..., nv); its torque (..., nv) is held over the step. Once more at the end, for the last row of tau and qdd.
        Not together with tau.
    duration, dt : s; the duration is a multiple of dt.
    method : "semi_implicit_euler" is of first order and stable with strong damping and dry friction, but loses or gains
        energy in fast motion; "rk4" is of fourth order, for robots without dry friction (which kicks joints at rest).
    f_ext : (..., nb, 6) constant forces ON the bodies, (moment; force) in each body's link frame about its origin.
    losses : use the model's damping and friction.
    progress : True shows a bar on standard error, a function is called with the part done.

    Returns
    -------
    trajectory : with T = n + 1 times.

    Raises
    ------
    SimulationError
        The state became NaN or infinite; the error says when and at which joint.
    SingularMassMatrixError
        A degree of freedom moves nothing that has inertia.
    TypeError, ValueError
        Wrong types or shapes, numbers that make no sense, both tau and a controller.

    Notes
    -----
    See `featherstone/simulation/stepping.py` for the methods. Without a controller the whole loop runs compiled.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> run = fs.simulate(arm, [0.6, -0.9], [0, 0], duration=1.0, dt=0.001, method="rk4")
    >>> run.q.shape, bool(abs(run.energy - run.energy[0]).max() < 1e-9)
    ((1001, 2), True)
    """
    check_model(model)
    dt, steps = _time_steps(duration, dt)
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if controller is not None and tau is not None:
        raise ValueError("tau and controller: expected at most one of the two")
    if controller is not None and not callable(controller):
        raise TypeError(f"controller: expected a function of (t, q, qd), got {type(controller).__name__}")
    rollout = _Rollout(model, q0, qd0, tau, f_ext, dt, steps, METHODS[method], losses)
    report = _reporter(progress)
    if controller is None:
        rollout.run_all(report)
    else:
        rollout.run_with(controller, report)
    return rollout.trajectory()


def _time_steps(duration: float, dt: float) -> tuple[float, int]:
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


class _Rollout:
    """The arrays of one simulation, filled chunk by chunk."""

    def __init__(
        self,
        model: Model,
        q0: ArrayLike,
        qd0: ArrayLike,
        tau: ArrayLike | None,
        f_ext: ArrayLike | None,
        dt: float,
        steps: int,
        method: int,
        losses: bool,
    ) -> None:
        self.model, self.dt, self.steps = model, dt, steps
        nq, nv = model.nq, model.nv
        call = Call(COUPLED_ROLLOUT if model.tree.coupled else ROLLOUT, model)
        call.configuration(q0, "q0")
        call.rate("qd0", qd0)
        call.forces(f_ext)
        given = np.zeros(nv) if tau is None else as_floats("tau", tau, (nv,), model)
        state_batch = call.batch()
        # (..., n, nv) is a row a step unless the rows match the batch of the states and not the steps
        self.by_step = (
            given.ndim >= 2
            and given.shape[-2] == steps
            and (given.ndim - 1 > len(state_batch) or given.shape[:-1] != state_batch)
        )
        if given.ndim >= 2 and not self.by_step and not _broadcasts(given.shape[:-1], state_batch):
            rows = f"a row for each of the {steps} steps, (..., {steps}, {nv})"
            raise ValueError(
                f"tau: expected shape {(*state_batch, nv)} or what broadcasts to it, or {rows}, got {given.shape}"
            )
        core = (steps, nv) if self.by_step else (nv,)
        call.add("tau", given, core)
        self.batch, self.call = call.batch(), call
        self.count = int(np.prod(self.batch, dtype=np.int64))
        try:
            self.q, self.qd, self.qdd, self.tau = (np.empty((*self.batch, steps + 1, n)) for n in (nq, nv, nv, nv))
        except MemoryError:
            raise MemoryError(f"duration / dt: {steps} steps of batch {self.batch} do not fit into memory") from None
        arrays = dict(zip(call.names, call.arrays))
        q_start, qd_start, self.f_ext = arrays["q0"], arrays["qd0"], arrays["f_ext"]
        self._check_start(q_start, qd_start)
        self.q[..., 0, :], self.qd[..., 0, :] = q_start, qd_start
        if steps and self.by_step:
            self.tau[..., :-1, :] = given
            self.tau[..., -1, :] = given[..., -1, :]
        else:
            self.tau[...] = given[..., None, :]
        if self.f_ext is not None:
            shape = self.f_ext.shape if self.f_ext.ndim == 2 else (*self.batch, model.nb, 6)
            self.f_ext = np.ascontiguousarray(np.broadcast_to(self.f_ext, shape))
        self.settings = np.array([dt])
        self.method, self.losses = method, int(bool(losses))

    def _check_start(self, q0: Any, qd0: Any) -> None:
        """NaN, infinity and bad quaternions in what was given, named as the user named it."""
        for name, array in (("qd0", qd0), ("f_ext", self.f_ext), ("tau", self.call.arrays[-1])):
            if array is not None and not np.isfinite(array).all():
                bad = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
                raise ValueError(f"{name}: expected finite numbers, got {array[bad]} at index {bad}")
        try:
            potential_energy(self.model, q0)
        except ValueError as error:
            raise ValueError(f"q0{str(error).removeprefix('q')}") from None

    def advance(self, first: int, steps: int, last: bool) -> None:
        """Run some steps from row `first` on; `last` also gives the acceleration of the row then reached."""
        model, rows = self.model, self.steps + 1
        nq, nv = model.nq, model.nv
        force = 0 if self.f_ext is None or self.f_ext.ndim == 2 else 48 * model.nb
        operands = [
            Operand(self.settings, 0, 0, 8, 1),
            Operand(self.tau, 0, 8 * rows * nv, 8, nv, start=8 * first * nv),
            Operand(self.f_ext, 0, force, 8, 6 * model.nb),
            Operand(self.q, 0, 8 * rows * nq, 8, nq, start=8 * first * nq),
            Operand(self.qd, 0, 8 * rows * nv, 8, nv, start=8 * first * nv),
            Operand(self.qdd, 0, 8 * rows * nv, 8, nv, start=8 * first * nv),
        ]
        options = np.array([self.losses, self.method, steps, nv, int(last)], np.int64)
        if self.count and nv:
            batch = (1, self.count) if self.batch else None
            failure = run(self.call.kernel, model.tree, model.packed, options, operands, batch)
            if failure:
                self._raise(failure, first)

    def _raise(self, failure: Failure, first: int) -> None:
        at = tuple(map(int, np.unravel_index(failure.state, self.batch))) if self.batch else ()
        where = f" in state {at}" if at else ""
        if failure.status != BAD_VERDICT:
            raise ValueError(f"tau: expected finite numbers{where} at t = {first * self.dt:g} s")
        step, wrong, dof = what_happened(self.model.tree, failure.detail)
        when = (first + step) * self.dt
        if wrong == SINGULAR:
            raise_singular(self.model, dof, f"{where} at t = {when:g} s")
        joint = self.model.joint_of_dof(dof)
        other = " or method='semi_implicit_euler'" if self.method == RK4 else ""
        raise SimulationError(
            f"the state became NaN or infinite{where} after t = {when:g} s, first at joint {joint!r};"
            f" a shorter dt, smaller torques{other} may help",
            when,
            joint,
        )

    def run_all(self, report: Callable[[float], None]) -> None:
        """All steps, in chunks that leave room for Ctrl-C."""
        done, chunk = 0, 1
        while True:
            chunk = min(chunk, self.steps - done)
            begin = time.perf_counter()
            self.advance(done, chunk, done + chunk == self.steps)
            spent = time.perf_counter() - begin
            done += chunk
            report(done / self.steps if self.steps else 1.0)
            if done == self.steps:
                return
            chunk = max(1, min(8 * chunk, int(chunk * CHUNK / max(spent, 1e-9))))

    def run_with(self, controller: Callable[..., Any], report: Callable[[float], None]) -> None:
        """All steps, asking the controller before each."""
        nv = self.model.nv
        wanted = (*self.batch, nv)
        for s in range(self.steps + 1):
            torque = controller(s * self.dt, self.q[..., s, :].copy(), self.qd[..., s, :].copy())
            array = as_floats("controller", torque, (nv,), self.model)
            if not _broadcasts(array.shape, wanted):
                raise ValueError(f"controller: expected a torque of shape {wanted}, got {array.shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"controller: expected a finite torque, got {array} at t = {s * self.dt:g} s")
            self.tau[..., s, :] = array
            self.advance(s, int(s < self.steps), s == self.steps)
            report(s / self.steps if self.steps else 1.0)

    def trajectory(self) -> Trajectory:
        """What was simulated."""
        t = np.arange(self.steps + 1) * self.dt
        return Trajectory(t, self.q, self.qd, self.qdd, self.tau, self.account, *names(self.model), self.model.name)

    def account(self) -> Account:
        """Energy, work and losses over time."""
        model = self.model
        # a state on its way to a blow-up is still a state: what overflows is infinite
        with unchecked(), np.errstate(over="ignore", invalid="ignore"):
            energy = np.asarray(kinetic_energy(model, self.q, self.qd) + potential_energy(model, self.q))
            work = _done(self.tau, self.qd, self.dt)
            if self.f_ext is not None:
                # constant in the bodies' axes, so that its generalised force changes within a step
                still = model.zero_rate
                f_ext = self.f_ext if self.f_ext.ndim == 2 else self.f_ext[..., None, :, :]
                pushed = rnea(model, self.q, still, still) - rnea(model, self.q, still, still, f_ext)
                work += _done(pushed, self.qd, self.dt, held=False)
            lost = np.zeros_like(work)
            if self.losses:
                slowest = STICTION if self.method == SEMI_IMPLICIT_EULER else np.finfo(float).tiny
                friction = model.friction * self.qd / np.maximum(abs(self.qd), slowest)
                lost = _done(model.damping * self.qd + friction, self.qd, self.dt, held=False)
        return Account(energy, work, lost)


def _done(force: np.ndarray, qd: np.ndarray, dt: float, held: bool = True) -> np.ndarray:
    """Work of a generalised force over time: held over each step, or linear in it."""
    mean = (qd[..., 1:, :] + qd[..., :-1, :]) / 2
    power = (force[..., :-1, :] * mean).sum(-1) if held else _trapezoid((force * qd).sum(-1))
    start = np.zeros((*qd.shape[:-2], 1))
    return np.concatenate([start, np.cumsum(dt * power, -1)], -1)


def _trapezoid(x: np.ndarray) -> np.ndarray:
    return (x[..., 1:] + x[..., :-1]) / 2


def _broadcasts(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        return False


def names(model: Model) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the coordinates in q and of the degrees of freedom in qd."""
    parts = {
        "planar": (("x", "y", "angle"), ("w", "vx", "vy")),
        "spherical": (("qx", "qy", "qz", "qw"), ("wx", "wy", "wz")),
        "floating": (("x", "y", "z", "qx", "qy", "qz", "qw"), ("wx", "wy", "wz", "vx", "vy", "vz")),
    }
    q: list[str] = []
    qd: list[str] = []
    for joint, leader in zip(model.joints, model.leaders):
        if leader is not None or joint.type == "fixed":
            continue
        several = parts.get(joint.type)
        q += [joint.name] if several is None else [f"{joint.name}.{x}" for x in several[0]]
        qd += [joint.name] if several is None else [f"{joint.name}.{x}" for x in several[1]]
    return tuple(q), tuple(qd)


def _reporter(progress: bool | Callable[[float], None]) -> Callable[[float], None]:
    if callable(progress):
        return progress
    if not progress:
        return lambda part: None

    def bar(part: float) -> None:
        end = "\n" if part >= 1.0 else ""
        sys.stderr.write(f"\r[{'#' * int(40 * part):<40}] {100 * part:3.0f} %{end}")
        sys.stderr.flush()

    return bar
