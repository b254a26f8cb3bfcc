"""Forward simulation of one robot state or a batch."""

from __future__ import annotations

import math
import operator
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

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
    save_every: int = 1,
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
    rollout = _Rollout(model, q0, qd0, tau, f_ext, dt, steps, METHODS[method], losses, _every(save_every, steps))
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


def _every(save_every: int, steps: int) -> int:
    try:
        every = operator.index(save_every)
    except TypeError:
        raise TypeError(f"save_every: expected an integer, got {save_every!r}") from None
    if every < 1 or steps % every:
        raise ValueError(f"save_every: expected a divisor of the {steps} steps, got {every}")
    return every


def _whole(x: np.ndarray, batch: tuple[int, ...], core: tuple[int, ...]) -> np.ndarray:
    """The array contiguous: with the whole batch, or without any where all states share it."""
    if math.prod(x.shape[: x.ndim - len(core)]) == 1:
        return np.ascontiguousarray(x).reshape(core)
    return np.ascontiguousarray(np.broadcast_to(x, (*batch, *core)))


def _stride(x: np.ndarray, core: int) -> int:
    """Bytes from a state's part of a contiguous array to the next one's; 0 if all share it."""
    return 0 if x.ndim == core else x.itemsize * math.prod(x.shape[x.ndim - core :])


class _Rows(NamedTuple):
    """States at successive times, (..., rows, n) each."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


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
        every: int,
    ) -> None:
        self.model, self.dt, self.steps, self.every = model, dt, steps, every
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
        self.count = math.prod(self.batch)
        rows = steps // every + 1
        try:
            self.q, self.qd, self.qdd = (np.empty((*self.batch, rows, n)) for n in (nq, nv, nv))
            self.tau = np.empty((*self.batch, rows, nv))
        except MemoryError:
            raise MemoryError(
                f"duration / dt: {rows} times of batch {self.batch} do not fit into memory; save_every keeps fewer"
            ) from None
        arrays = dict(zip(call.names, call.arrays))
        q_start, qd_start, self.f_ext = arrays["q0"], arrays["qd0"], arrays["f_ext"]
        self._check_start(q_start, qd_start)
        self.q[..., 0, :], self.qd[..., 0, :] = q_start, qd_start
        if self.by_step and steps:
            self.tau[..., :-1, :] = given[..., ::every, :]
            self.tau[..., -1, :] = given[..., -1, :]
        else:
            self.tau[...] = given[..., None, :]
        self.drive = _whole(given, self.batch, core)
        if self.f_ext is not None:
            self.f_ext = _whole(self.f_ext, self.batch, (model.nb, 6))
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

    def advance(self, rows: _Rows, tau: np.ndarray, first: int, steps: int, every: int, last: bool) -> None:
        """Run some steps from the row of step `first` on; `last` also gives the acceleration of the row then reached.

        `tau` is constant or has a row for each step from step 0 on.
        """
        model = self.model
        nq, nv = model.nq, model.nv
        by_step = self.by_step and tau is self.drive
        row, count = first // every, rows.q.shape[-2]
        operands = [
            Operand(self.settings, 0, 0, 8, 1),
            Operand(tau, 0, _stride(tau, 2 if by_step else 1), 8, nv, start=8 * nv * first if by_step else 0),
            Operand(self.f_ext, 0, 0 if self.f_ext is None else _stride(self.f_ext, 2), 8, 6 * model.nb),
            Operand(rows.q, 0, 8 * count * nq, 8, nq, start=8 * row * nq),
            Operand(rows.qd, 0, 8 * count * nv, 8, nv, start=8 * row * nv),
            Operand(rows.qdd, 0, 8 * count * nv, 8, nv, start=8 * row * nv),
        ]
        options = np.array([self.losses, self.method, steps, nv if by_step else 0, int(last), every], np.int64)
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
        rows = _Rows(self.q, self.qd, self.qdd)
        done, chunk = 0, self.every
        while done < self.steps:
            chunk = min(chunk, self.steps - done)
            begin = time.perf_counter()
            self.advance(rows, self.drive, done, chunk, self.every, False)
            spent = time.perf_counter() - begin
            done += chunk
            report(done / self.steps)
            wanted = min(8 * chunk, int(chunk * CHUNK / max(spent, 1e-9)))
            chunk = max(1, wanted // self.every) * self.every
        self._end(rows)
        report(1.0)

    def run_with(self, controller: Callable[..., Any], report: Callable[[float], None]) -> None:
        """All steps, asking the controller before each."""
        # from the first row of a window to its second
        now = _Rows(*(np.empty((*self.batch, 2, n)) for n in (self.model.nq, self.model.nv, self.model.nv)))
        now.q[..., 1, :], now.qd[..., 1, :] = self.q[..., 0, :], self.qd[..., 0, :]
        for s in range(self.steps + 1):
            now.q[..., 0, :], now.qd[..., 0, :] = now.q[..., 1, :], now.qd[..., 1, :]
            torque = self._asked(controller, s, now)
            if s < self.steps:
                self.advance(now, torque, 0, 1, 1, False)
            row, rest = divmod(s, self.every)
            if rest == 0:
                self.q[..., row, :], self.qd[..., row, :] = now.q[..., 0, :], now.qd[..., 0, :]
                self.qdd[..., row, :], self.tau[..., row, :] = now.qdd[..., 0, :], torque
            report(s / self.steps if self.steps else 1.0)
        self._end(_Rows(self.q, self.qd, self.qdd))

    def _asked(self, controller: Callable[..., Any], s: int, now: _Rows) -> np.ndarray:
        """The controller's torque at step s."""
        nv = self.model.nv
        wanted = (*self.batch, nv)
        torque = controller(s * self.dt, now.q[..., 0, :].copy(), now.qd[..., 0, :].copy())
        array = as_floats("controller", torque, (nv,), self.model)
        if not _broadcasts(array.shape, wanted):
            raise ValueError(f"controller: expected a torque of shape {wanted}, got {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"controller: expected a finite torque, got {array} at t = {s * self.dt:g} s")
        return np.ascontiguousarray(np.broadcast_to(array, wanted))

    def _end(self, rows: _Rows) -> None:
        """The acceleration of the last row, under the torque of the last step."""
        tau = np.ascontiguousarray(self.tau[..., -1, :])
        self.advance(rows, tau, self.steps, 0, self.every, True)

    def trajectory(self) -> Trajectory:
        """What was simulated."""
        t = np.arange(0, self.steps + 1, self.every) * self.dt
        return Trajectory(t, self.q, self.qd, self.qdd, self.tau, self.account, *names(self.model), self.model.name)

    def account(self) -> Account:
        """Energy, work and losses over time."""
        model = self.model
        # a state on its way to a blow-up is still a state: what overflows is infinite
        with unchecked(), np.errstate(over="ignore", invalid="ignore"):
            energy = np.asarray(kinetic_energy(model, self.q, self.qd) + potential_energy(model, self.q))
            work = _done(self.tau, self.qd, self.dt * self.every)
            if self.f_ext is not None:
                # constant in the bodies' axes, so that its generalised force changes within a step
                still = model.zero_rate
                f_ext = self.f_ext if self.f_ext.ndim == 2 else self.f_ext[..., None, :, :]
                pushed = rnea(model, self.q, still, still) - rnea(model, self.q, still, still, f_ext)
                work += _done(pushed, self.qd, self.dt * self.every, held=False)
            lost = np.zeros_like(work)
            if self.losses:
                slowest = STICTION if self.method == SEMI_IMPLICIT_EULER else np.finfo(float).tiny
                friction = model.friction * self.qd / np.maximum(abs(self.qd), slowest)
                lost = _done(model.damping * self.qd + friction, self.qd, self.dt * self.every, held=False)
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
