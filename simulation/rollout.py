"""The arrays of a simulation, and how they are filled: chunk by chunk, or step by step with a controller."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.call import Call, as_floats, check_configuration, check_model, raise_singular
from ..engine.batch import run
from ..engine.kernel import BAD_VERDICT, Failure, Operand
from ..model.arguments import flag
from ..model.base_motion import BaseMotion
from ..model.elastic import Elastic
from ..model.model import Model
from ..model.tree import BASE_SIZE
from .accounting import account
from .springs import what_springs_have, where_springs_act
from .stepping import COUPLED_ROLLOUT, RK4, ROLLOUT, SINGULAR, what_happened
from .stops import Stops, no_limits
from .trajectory import Trajectory, column_names

Base = BaseMotion | Callable[[float], BaseMotion] | None

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


def _whole(x: np.ndarray, batch: tuple[int, ...], core: tuple[int, ...]) -> np.ndarray:
    """The array contiguous: with the whole batch, or without any where all states share it."""
    if math.prod(x.shape[: x.ndim - len(core)]) == 1:
        return np.ascontiguousarray(x).reshape(core)
    return np.ascontiguousarray(np.broadcast_to(x, (*batch, *core)))


def stride(x: np.ndarray, core: int) -> int:
    """Bytes from a state's part of a contiguous array to the next one's; 0 if all share it."""
    return 0 if x.ndim == core else x.itemsize * math.prod(x.shape[x.ndim - core :])


class _Rows(NamedTuple):
    """States at successive times, (..., rows, n) each."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class Rollout:
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
        stops: Stops | None,
        base: Base,
        springs: Elastic | None,
    ) -> None:
        self.model, self.dt, self.steps, self.every = model, dt, steps, every
        nq, nv = model.nq, model.nv
        check_model(model)
        call = Call(
            (COUPLED_ROLLOUT if model.tree.coupled else ROLLOUT)[method, stops is not None or springs is not None],
            model,
        )
        call.configuration(q0, "q0")
        call.rate("qd0", qd0)
        call.forces(f_ext)
        first = base if base is None or isinstance(base, BaseMotion) else asked_base(base, 0.0)
        call.base(first)
        given = np.zeros(nv) if tau is None else as_floats("tau", tau, (nv,), model)
        state_batch = call.batch()
        # (..., n, nv) is a row a step unless it can be a torque for each state
        self.by_step = given.ndim >= 2 and given.shape[-2] == steps and not _broadcasts(given.shape[:-1], state_batch)
        if given.ndim >= 2 and not self.by_step and not _broadcasts(given.shape[:-1], state_batch):
            by_step = f"a row for each of the {steps} steps, (..., {steps}, {nv})"
            raise ValueError(
                f"tau: expected shape {(*state_batch, nv)} or what broadcasts to it, or {by_step}, got {given.shape}"
            )
        if self.by_step and not steps:
            given, self.by_step = np.zeros((*given.shape[:-2], nv)), False
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
        self.stops, given = stops, self._within_limits(given, stops)
        self.q[..., 0, :], self.qd[..., 0, :] = q_start, qd_start
        if self.by_step:
            self.tau[..., :-1, :] = given[..., ::every, :]
            self.tau[..., -1, :] = given[..., -1, :]
        else:
            self.tau[...] = given[..., None, :]
        self.drive = _whole(given, self.batch, core)
        if self.f_ext is not None:
            self.f_ext = _whole(self.f_ext, self.batch, (model.nb, 6))
        self.springs = springs
        self.settings, self.places = np.array([dt]), [0]
        if stops is not None or springs is not None:
            table = no_limits(model) if stops is None else stops.table(model)
            bands = np.zeros(0) if springs is None else what_springs_have(springs)
            self.settings = np.array([dt, *table, *bands])
        if springs is not None:
            self.places = [len(springs.joints), *where_springs_act(springs)]
        self.base = base if base is None or not isinstance(base, BaseMotion) else first
        self.method, self.losses = method, int(flag("losses", losses))

    def _check_start(self, q0: Any, qd0: Any) -> None:
        """NaN, infinity and bad quaternions in what was given, named as the user named it."""
        for name, array in (("qd0", qd0), ("f_ext", self.f_ext), ("tau", self.call.arrays[-1])):
            if array is not None and not np.isfinite(array).all():
                bad = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
                raise ValueError(f"{name}: expected finite numbers, got {array[bad]} at index {bad}")
        check_configuration("q0", q0, self.model)

    def advance(self, rows: _Rows, row: int, tau: np.ndarray, first: int, steps: int, every: int, last: bool) -> None:
        """Run some steps from step `first` on, which begins at a row; `last` also gives the acceleration at their end.

        `tau` is constant or has a row for each step from step 0 on.
        """
        model = self.model
        nq, nv = model.nq, model.nv
        by_step = self.by_step and tau is self.drive
        count = rows.q.shape[-2]
        bases, strides = self.bases(first, steps)
        operands = [
            Operand(self.settings, 0, 0, 8, len(self.settings)),
            Operand(tau, 0, stride(tau, 2 if by_step else 1), 8, nv, start=8 * nv * first if by_step else 0),
            Operand(self.f_ext, 0, 0 if self.f_ext is None else stride(self.f_ext, 2), 8, 6 * model.nb),
            Operand(bases, 0, 0 if bases is None else stride(bases, 2), 8, BASE_SIZE),
            Operand(rows.q, 0, 8 * count * nq, 8, nq, start=8 * row * nq),
            Operand(rows.qd, 0, 8 * count * nv, 8, nv, start=8 * row * nv),
            Operand(rows.qdd, 0, 8 * count * nv, 8, nv, start=8 * row * nv),
        ]
        options = np.array(
            [self.losses, steps, nv if by_step else 0, int(last), every, *strides, *self.places], np.int64
        )
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

    def _within_limits(self, tau: np.ndarray, stops: Stops | None) -> np.ndarray:
        """The torque that the motors have."""
        return tau if stops is None else np.clip(tau, -self.model.tau_limit, self.model.tau_limit)

    def bases(self, first: int, steps: int) -> tuple[np.ndarray | None, tuple[int, int]]:
        """How the base moves in some steps, (..., rows, 24), and how far apart its rows of steps and half steps are."""
        if self.base is None:
            return None, (0, 0)
        if isinstance(self.base, BaseMotion):
            return _whole(self.base.array[..., None, :], self.batch, (1, BASE_SIZE)), (0, 0)
        parts = 2 if self.method == RK4 else 1  # Runge-Kutta looks at the middle of a step too
        times = first * self.dt + np.arange(parts * steps + 1) * (self.dt / parts)
        rows = [np.broadcast_to(asked_base(self.base, t).array, (*self.batch, BASE_SIZE)) for t in times.tolist()]
        half = BASE_SIZE if parts == 2 else 0
        return np.ascontiguousarray(np.stack(rows, axis=-2)), (parts * BASE_SIZE, half)

    def base_motions(self) -> BaseMotion | None:
        """How the base moves at each time kept."""
        if self.base is None:
            return None
        if isinstance(self.base, BaseMotion):
            return BaseMotion.from_array(self.base.array[..., None, :])
        times = (np.arange(self.q.shape[-2]) * (self.dt * self.every)).tolist()
        moves = [asked_base(self.base, t).array for t in times]
        return BaseMotion.from_array(np.stack([np.broadcast_to(x, (*self.batch, BASE_SIZE)) for x in moves], axis=-2))

    def run_all(self, report: Callable[[float], None]) -> None:
        """All steps, in chunks that leave room for Ctrl-C: some rows at a time, or parts of the way to the next row."""
        rows = _Rows(self.q, self.qd, self.qdd)
        now: _Rows | None = None
        done, chunk = 0, 1
        while done < self.steps:
            begin = time.perf_counter()
            row, behind = divmod(done, self.every)
            if behind == 0 and chunk >= self.every:
                steps = min(chunk // self.every * self.every, self.steps - done)
                self.advance(rows, row, self.drive, done, steps, self.every, False)
            else:
                now = now or self._window()
                steps = min(chunk, self.every - behind)
                self._go_on(now, done, steps)
            spent = time.perf_counter() - begin
            done += steps
            report(done / self.steps)
            chunk = max(1, min(8 * steps, int(steps * CHUNK / max(spent, 1e-9))))
        self._end(rows)
        if not self.steps:
            report(1.0)

    def _window(self) -> _Rows:
        """Rows for the beginning and the end of some steps."""
        sizes = (self.model.nq, self.model.nv, self.model.nv)
        return _Rows(*(np.empty((*self.batch, 2, n)) for n in sizes))

    def _go_on(self, now: _Rows, done: int, steps: int) -> None:
        """Some steps that lead at most to the next row that is kept."""
        row, behind = divmod(done, self.every)
        if behind == 0:
            now.q[..., 0, :], now.qd[..., 0, :] = self.q[..., row, :], self.qd[..., row, :]
        else:
            now.q[..., 0, :], now.qd[..., 0, :] = now.q[..., 1, :], now.qd[..., 1, :]
        self.advance(now, 0, self.drive, done, steps, steps, False)
        if behind == 0:
            self.qdd[..., row, :] = now.qdd[..., 0, :]
        if behind + steps == self.every:
            self.q[..., row + 1, :], self.qd[..., row + 1, :] = now.q[..., 1, :], now.qd[..., 1, :]

    def run_with(self, controller: Callable[..., Any], report: Callable[[float], None]) -> None:
        """All steps, asking the controller before each."""
        # from the first row of a window to its second
        now = self._window()
        now.q[..., 1, :], now.qd[..., 1, :] = self.q[..., 0, :], self.qd[..., 0, :]
        for s in range(self.steps + 1):
            now.q[..., 0, :], now.qd[..., 0, :] = now.q[..., 1, :], now.qd[..., 1, :]
            torque = self._asked(controller, s, now)
            if s < self.steps:
                self.advance(now, 0, torque, s, 1, 1, False)
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
        return np.ascontiguousarray(np.broadcast_to(self._within_limits(array, self.stops), wanted))

    def _end(self, rows: _Rows) -> None:
        """The acceleration of the last row, under the torque of the last step."""
        tau = np.ascontiguousarray(self.tau[..., -1, :])
        self.advance(rows, self.steps // self.every, tau, self.steps, 0, self.every, True)

    def trajectory(self) -> Trajectory:
        """What was simulated."""
        t = np.arange(0, self.steps + 1, self.every) * self.dt
        for array in (t, self.q, self.qd, self.qdd, self.tau):
            array.flags.writeable = False  # energies are computed from them later
        return Trajectory(
            t, self.q, self.qd, self.qdd, self.tau, lambda: account(self), *column_names(self.model), self.model.name
        )


def asked_base(base: Callable[[float], Any], t: float) -> BaseMotion:
    """How the base moves at a time."""
    found = base(t)
    if not isinstance(found, BaseMotion):
        raise TypeError(f"base: expected a BaseMotion at t = {t:g} s, got {type(found).__name__}")
    return found


def _broadcasts(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        return False
