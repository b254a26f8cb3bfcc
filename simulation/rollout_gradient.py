"""The gradient of a simulation's cost by everything that it began with, by one sweep backwards in time."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.call import check_model
from ..engine.batch import run
from ..engine.kernel import Operand
from ..model.base_motion import BaseMotion
from ..model.elastic import Elastic
from ..model.model import Model
from .backward import BACKWARD, COUPLED_BACKWARD, shared_size
from .rollout import Rollout, stride
from .simulate import METHODS, simulate, time_steps
from .trajectory import Trajectory

Cost = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[ArrayLike, ...]]
MEMORY = 2**25  # numbers that states between two checkpoints may take


class RolloutGradient(NamedTuple):
    """A cost and its gradient; see `rollout_gradient`."""

    cost: Any
    q0: np.ndarray
    qd0: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray
    parameters: np.ndarray
    armature: np.ndarray
    damping: np.ndarray
    friction: np.ndarray


def rollout_gradient(
    model: Model,
    q0: ArrayLike,
    qd0: ArrayLike,
    cost: Cost,
    *,
    tau: ArrayLike | None = None,
    duration: float,
    dt: float,
    method: str = "semi_implicit_euler",
    f_ext: ArrayLike | None = None,
    losses: bool = True,
    base: BaseMotion | None = None,
    checkpoint: int | None = None,
) -> RolloutGradient:
    """Simulate, add up a cost over all times, and differentiate the sum by whatever the simulation depends on.

    Parameters
    ----------
    model : the robot.
    q0, qd0, tau, duration, dt, method, f_ext, losses : as in `simulate`.
    base : a BaseMotion that holds all the time.
    cost : called as cost(t, q, qd, tau) with some successive times: t (T,), q (..., T, nq), qd (..., T, nv),
        tau (..., T, nv), read-only. Returns the cost of each time (..., T), and its derivatives by q, in tangent
        coordinates (..., T, nv), by qd (..., T, nv) and, if it depends on it, by tau (..., T, nv); 0 for none.
        Derivatives may be whatever broadcasts to these shapes. tau of the last time is that of the last step. Each time
        is asked for once, the last ones first.
    checkpoint : states of how many steps are kept at a time; of the others only those in between, and they are computed
        again. As many as fit into a quarter of a gigabyte if not given.

    Returns
    -------
    gradient : of the sum of the costs, all for each simulation of the batch:
        cost (...), the sum;
        q0 (..., nv), by the tangent of q0, `integrate(model, q0, dq)`;
        qd0 (..., nv);
        tau (..., n, nv), by the torque of each of the n steps, or (..., nv) if it was one for all;
        f_ext (..., nb, 6), by constant forces in the bodies' link frames, also where none were given;
        parameters (..., 10 nb), by `model.parameters()`;
        armature, damping, friction (..., n), by `model.parameters("armature")` and so on, friction being Coulomb's.

    Raises
    ------
    SimulationError, SingularMassMatrixError, TypeError, ValueError
        As `simulate`; results of `cost` that have another shape or are not finite.
    OverflowError
        The gradient is not finite: it grew without bound.

    Notes
    -----
    Exact for the steps as they are computed, not an approximation of the continuous gradient. Backwards a step costs
    about three steps forward, and with checkpoints one more. The reverse mode of differentiation: A. Griewank and A.
    Walther, *Evaluating Derivatives* (2008), chapter 3; of checkpoints, chapter 12.

    Examples
    --------
    How far a pendulum swings, by where it begins:

    >>> import numpy as np, featherstone as fs
    >>> pendulum = fs.models.load("pendulum")
    >>> def last_angle(t, q, qd, tau):
    ...     last = np.isclose(t, 1.0)
    ...     return last * q[:, 0], last[:, None] * np.ones(1), 0.0
    >>> gradient = fs.rollout_gradient(pendulum, [0.5], [0.0], last_angle, duration=1.0, dt=0.01)
    >>> ahead = fs.simulate(pendulum, [0.5 + 1e-6], [0.0], duration=1.0, dt=0.01).q[-1, 0]
    >>> bool(abs((ahead - gradient.cost) / 1e-6 - gradient.q0[0]) < 1e-4)
    True
    """
    if isinstance(model, Elastic):
        raise TypeError("model: expected a Model; simulations with springs are not differentiated")
    check_model(model)
    if base is not None and not isinstance(base, BaseMotion):
        raise TypeError(f"base: expected a BaseMotion that holds all the time, got {type(base).__name__}")
    if not callable(cost):
        raise TypeError(f"cost: expected a function of (t, q, qd, tau), got {type(cost).__name__}")
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(map(repr, METHODS))}, got {method!r}")
    dt, steps = time_steps(duration, dt)
    # looks at all arguments, and knows what they are; of the states it keeps two
    whole = Rollout(model, q0, qd0, tau, f_ext, dt, steps, METHODS[method], losses, max(steps, 1), None, base, None)
    sweep = _Sweep(whole, cost, steps, method, losses, base)
    length = _length(checkpoint, steps, whole.count * (model.nq + 4 * model.nv))
    return sweep.run(length)


def _length(checkpoint: int | None, steps: int, per_step: int) -> int:
    """How many steps are kept at a time."""
    if checkpoint is None:
        if steps * per_step <= MEMORY:
            return max(steps, 1)
        return max(math.isqrt(steps), MEMORY // per_step, 1)
    try:
        length = operator.index(checkpoint)
    except TypeError:
        raise TypeError(f"checkpoint: expected an integer, got {checkpoint!r}") from None
    if length < 1:
        raise ValueError(f"checkpoint: expected at least one step, got {length}")
    return length


class _Sweep:
    """Forward over checkpoints, and back over what lies between them."""

    def __init__(
        self, whole: Rollout, cost: Cost, steps: int, method: str, losses: bool, base: BaseMotion | None
    ) -> None:
        self.whole, self.cost, self.steps, self.method, self.base = whole, cost, steps, method, base
        self.model, self.batch, self.dt = whole.model, whole.batch, whole.dt
        self.losses = losses
        model, nv = self.model, self.model.nv
        self.gradient_tau = np.zeros((*self.batch, steps if whole.by_step else 1, nv))
        self.adjoint = np.zeros((*self.batch, 2 * nv))
        self.shared = np.zeros((*self.batch, shared_size(model.tree)))
        self.total = np.zeros(self.batch)

    def run(self, length: int) -> RolloutGradient:
        """Everything."""
        model, nv = self.model, self.model.nv
        starts = list(range(0, self.steps, length)) or [0]
        states = [(self.whole.q[..., 0, :], self.whole.qd[..., 0, :])]
        for first, end in itertools.pairwise(starts):
            part = self._simulate(states[-1], first, end - first, end - first)
            states.append((part.q[..., -1, :], part.qd[..., -1, :]))
        for first, state in zip(reversed(starts), reversed(states)):
            count = min(length, self.steps - first)
            self._go_back(first, count, self._simulate(state, first, count, 1))
        links, n = model.nb, model.tree.nv
        parts = np.split(self.shared, np.cumsum([10 * links, 6 * links, n, n]), axis=-1)
        if not all(np.isfinite(x).all() for x in (self.adjoint, self.shared, self.gradient_tau, self.total)):
            raise OverflowError(
                "the gradient is not finite: it grew without bound on the way back; a shorter duration may help"
            )
        drives = [x[..., model.tree.drive > 0] for x in parts[2:]]
        tau = self.gradient_tau if self.whole.by_step else self.gradient_tau[..., 0, :]
        total = self.total if self.batch else float(self.total)
        forces = parts[1].reshape(*self.batch, links, 6)
        q0, qd0 = self.adjoint[..., :nv].copy(), self.adjoint[..., nv:].copy()
        return RolloutGradient(total, q0, qd0, tau, forces, parts[0], *drives)

    def _simulate(self, state: tuple[np.ndarray, np.ndarray], first: int, count: int, every: int) -> Trajectory:
        """Some steps from a state."""
        drive = self.whole.drive
        if self.whole.by_step:
            drive = np.broadcast_to(drive[..., first : first + count, :], (*self.batch, count, self.model.nv))
        return simulate(
            self.model,
            *state,
            tau=drive,
            duration=count * self.dt,
            dt=self.dt,
            method=self.method,
            f_ext=self.whole.f_ext,
            losses=self.losses,
            base=self.base,
            save_every=max(every, 1),
        )

    def _go_back(self, first: int, count: int, part: Trajectory) -> None:
        """Over some steps, which begin at step `first`."""
        nv = self.model.nv
        behind = 0 if first + count == self.steps else 1  # the last time belongs to the steps behind, which had it
        times = (first + np.arange(count + 1 - behind)) * self.dt
        rows = slice(None, count + 1 - behind)
        by_q, by_qd = (np.zeros((*self.batch, count + 1, nv)) for _ in range(2))
        values, by_q[..., rows, :], by_qd[..., rows, :], by_tau = self._asked(
            times, part.q[..., rows, :], part.qd[..., rows, :], part.tau[..., rows, :]
        )
        self.total += values.sum(-1)
        mu = np.zeros((*self.batch, count, nv))
        if count and nv and self.whole.count:
            self._sweep(part, first, count, by_q, by_qd, mu)
        # what this part's first state costs by itself
        self.adjoint[..., :nv] += by_q[..., 0, :]
        self.adjoint[..., nv:] += by_qd[..., 0, :]
        if self.whole.by_step:
            by_torque = self.gradient_tau[..., first : first + count, :]
            by_torque += mu + by_tau[..., :count, :]
            if count and not behind:
                by_torque[..., -1, :] += by_tau[..., count, :]
        else:
            self.gradient_tau += (mu.sum(-2) + by_tau.sum(-2))[..., None, :]

    def _asked(self, t: np.ndarray, *state: np.ndarray) -> tuple[np.ndarray, ...]:
        """The costs of some times and their derivatives."""
        views = [x.view() for x in (t, *state)]
        for x in views:
            x.flags.writeable = False
        found = self.cost(*views)
        if not isinstance(found, tuple) or len(found) not in (3, 4):
            got = f"{len(found)} of them" if isinstance(found, tuple) else type(found).__name__
            raise TypeError(f"cost: expected a tuple of costs, their derivatives by q, qd and perhaps tau, got {got}")
        shape, nv = (*self.batch, len(t)), self.model.nv
        results = []
        names = ("costs", "derivatives by q", "derivatives by qd", "derivatives by tau")
        for name, given, core in zip(names, (*found, 0.0), ((), (nv,), (nv,), (nv,))):
            array = np.asarray(given)
            if array.dtype.kind not in "biuf":
                got = "None, where 0 stands for none" if given is None else f"an array of dtype {array.dtype}"
                raise TypeError(f"cost: expected {name} as real numbers, got {got}")
            array = array.astype(float)
            if not core and array.shape != shape and (array.ndim or array != 0.0):
                got = f"shape {array.shape}" if array.ndim else "one number"
                raise ValueError(f"cost: expected {name} of shape {shape}, one for each time, got {got}")
            try:
                results.append(np.broadcast_to(array, (*shape, *core)))
            except ValueError:
                raise ValueError(f"cost: expected {name} of shape {(*shape, *core)}, got {array.shape}") from None
            if not np.isfinite(array).all():
                raise ValueError(f"cost: expected finite {name}, got {array}")
        return tuple(results)

    def _sweep(
        self, part: Trajectory, first: int, count: int, by_q: np.ndarray, by_qd: np.ndarray, mu: np.ndarray
    ) -> None:
        """The compiled sweep."""
        whole, model = self.whole, self.model
        nv = model.nv
        by_step = whole.by_step
        base = whole.bases(0, 1)[0]
        rows = {"q": part.q, "qd": part.qd, "qdd": part.qdd, "by q": by_q, "by qd": by_qd}
        arrays = {name: np.ascontiguousarray(x) for name, x in rows.items()}
        operands = [
            Operand(whole.settings, 0, 0, 8, 1),
            Operand(whole.drive, 0, stride(whole.drive, 2 if by_step else 1), 8, nv, start=8 * nv * first * by_step),
            Operand(whole.f_ext, 0, 0 if whole.f_ext is None else stride(whole.f_ext, 2), 8, 6 * model.nb),
            Operand(base, 0, 0 if base is None else stride(base, 2), 8, 24),
            *(Operand(x, 0, 8 * (count + 1) * x.shape[-1], 8, x.shape[-1]) for x in arrays.values()),
            Operand(self.adjoint, 0, 8 * 2 * nv, 8, 2 * nv),
            Operand(mu, 0, 8 * count * nv, 8, nv),
            Operand(self.shared, 0, 8 * self.shared.shape[-1], 8, self.shared.shape[-1]),
        ]
        options = np.array([whole.losses, count, nv if by_step else 0], np.int64)
        kernel = (COUPLED_BACKWARD if model.tree.coupled else BACKWARD)[METHODS[self.method]]
        run(kernel, model.tree, model.packed, options, operands, (1, whole.count) if self.batch else None)
