"""Motions that show a robot's parameters: finite Fourier series within its limits.

    q_j(t) = q_j0 + sum of (a_jl sin(l w t) - b_jl cos(l w t)) / (l w),    l = 1..harmonics,  w = 2 pi / period

Periodic, so measurements of several periods can be averaged, and differentiated without a filter. Swevers, Ganseman,
Tukel, De Schutter and Van Brussel, Optimal robot excitation and identification (1997).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.call import check_model
from ..algorithms.regressors import torque_regressor
from ..algorithms.rnea import rnea
from ..model.arguments import read_only
from ..model.description import ONE_DEGREE
from ..model.model import Model
from ..simulation.trajectory import column_names
from .base_parameters import BaseParameters, base_parameters, check_base

PLAIN = (*ONE_DEGREE, "universal", "cylindrical", "composite", "fixed")  # types whose rates are those of coordinates
MARGIN = 0.95  # of the limits
MOMENTS = 20  # looked at for each harmonic
SPEED, ACCELERATION = 2.0, 10.0  # where the robot has no limit
REACH = math.pi  # rad or m, likewise


@dataclass(frozen=True, eq=False)
class ExcitingTrajectory:
    """A periodic motion: `motion(t)` gives q, qd and qdd, each (..., nv), at times t (...).

    Attributes
    ----------
    period : s.
    center : (nv,) the middle of the motion.
    sine, cosine : (nv, harmonics) velocities a and b, rad/s or m/s.
    condition : the condition number of the excitation, as in `Identification`, without weights.
    """

    period: float
    center: np.ndarray
    sine: np.ndarray
    cosine: np.ndarray
    condition: float = math.inf

    def __call__(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, qd, qdd at times t (...)."""
        rate = 2.0 * math.pi / self.period * np.arange(1, self.sine.shape[1] + 1)
        phase = np.asarray(t, np.float64)[..., None] * rate
        s, c = np.sin(phase), np.cos(phase)
        q = self.center + (s / rate) @ self.sine.T - (c / rate) @ self.cosine.T
        return q, c @ self.sine.T + s @ self.cosine.T, (c * rate) @ self.cosine.T - (s * rate) @ self.sine.T

    def sample(self, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """t (T,), q, qd and qdd over one period at steps of dt s, without its end, which is its beginning again."""
        if not 0.0 < dt <= self.period:
            raise ValueError(f"dt: expected s between 0 and the period {self.period:g}, got {dt!r}")
        t = np.arange(0.0, self.period * (1 - 1e-12), dt)
        return (t, *self(t))

    def __repr__(self) -> str:
        n, harmonics = self.sine.shape
        return (
            f"<ExcitingTrajectory: {n} coordinates, {self.period:g} s, {harmonics} harmonics,"
            f" condition {self.condition:.3g}>"
        )


def exciting_trajectory(
    model: Model,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    drives: Any = ("damping", "friction"),
    acceleration: ArrayLike | None = None,
    trials: int = 200,
    seed: Any = 0,
    base: BaseParameters | None = None,
) -> ExcitingTrajectory:
    """A motion within a robot's limits by which its parameters can be identified well.

    Parameters
    ----------
    model : the robot; its limits of position, velocity and torque are kept to 95 %. The torque is that of the model as
        it is. Collisions are not looked for.
    period : s.
    harmonics : how many multiples of 1/period the motion is made of.
    drives : the kinds of parameters of drives that are to be identified.
    acceleration : (nv,) or one number, limits in rad/s^2 or m/s^2; 10 if not given.
    trials : motions that are tried: half of them at random, half near the best so far.
    seed : of the random numbers, or a numpy Generator.
    base : the model's base parameters with these drives, if they are known already.

    Returns
    -------
    motion : the one with the least condition number.

    Raises
    ------
    TypeError, ValueError
        A joint whose coordinates are no angles and lengths, numbers that make no sense, or no motion within the limits
        of torque.

    Notes
    -----
    Where there is no limit, positions stay within pi rad (m) of zero, or of the one limit, and velocities below 2.

    Examples
    --------
    >>> import featherstone as fs
    >>> motion = fs.exciting_trajectory(fs.models.load("six_axis"), trials=4)
    >>> t, q, qd, qdd = motion.sample(0.01)
    >>> q.shape
    (1000, 6)
    """
    check_model(model)
    for joint, leader in zip(model.joints, model.leaders):
        if leader is None and joint.type not in PLAIN:
            raise ValueError(
                f"joint {joint.name!r}: expected joints whose coordinates are angles and lengths, it is {joint.type};"
                " lock it, or move it by motions of your own"
            )
    for name, count in (("harmonics", harmonics), ("trials", trials)):
        if not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"{name}: expected an integer >= 1, got {count!r}")
    if not 0.0 < period < math.inf:
        raise ValueError(f"period: expected a time > 0 s, got {period!r}")
    if not model.nv:
        raise ValueError(f"model: expected joints that move, {model.name!r} has none")
    most = np.asarray(ACCELERATION if acceleration is None else acceleration, np.float64)
    if most.shape not in ((), (model.nv,)) or not (most > 0).all():
        raise ValueError(f"acceleration: expected limits > 0, one or shape ({model.nv},), got {acceleration!r}")
    most = np.broadcast_to(most, (model.nv,))
    if base is None:
        base = base_parameters(model, drives=drives)
    else:
        check_base(base, model, drives)
    rng = np.random.default_rng(seed)
    search = _Search(model, base, float(period), most)
    best: ExcitingTrajectory | None = None
    for trial in range(trials):
        shape = (2, model.nv, harmonics)
        if best is None or trial < trials // 2:
            waves, level = rng.normal(size=shape), rng.uniform(0.7, 1.0, model.nv)
        else:
            waves = np.stack([best.sine, best.cosine])
            spread = np.abs(waves).max(axis=(0, 2), keepdims=True)
            waves, level = waves + 0.2 * spread * rng.normal(size=shape), np.ones(model.nv)
        found = search.within_limits(waves, level)
        if found is not None and (best is None or found.condition < best.condition):
            best = found
    if best is None:
        raise ValueError(
            f"model: no motion of {trials} was within the limits of torque of {model.name!r}; try a longer period"
        )
    return best


class _Search:
    """What a motion is judged by."""

    def __init__(self, model: Model, base: BaseParameters, period: float, acceleration: np.ndarray) -> None:
        self.model, self.base, self.period, self.acceleration = model, base, period, acceleration
        lower, upper = np.minimum(model.q_lower, model.q_upper), np.maximum(model.q_lower, model.q_upper)
        low = np.where(np.isfinite(lower), lower, np.minimum(-REACH, upper - 2 * REACH))
        high = np.where(np.isfinite(upper), upper, np.maximum(REACH, lower + 2 * REACH))
        self.center, self.room = (low + high) / 2, (high - low) / 2
        self.speed = np.where(np.isfinite(model.qd_limit), model.qd_limit, SPEED)
        for what, room in (("positions", self.room), ("velocity", self.speed)):
            for k in np.flatnonzero(~(room > 0)):
                expected = f"limits of {what} that let it move, got {room[k]:g} to either side"
                name = column_names(model)[1][k]
                raise ValueError(
                    f"joint {name!r}: expected {expected}; change them with `with_joint`, or lock the joint"
                )

    def within_limits(self, waves: np.ndarray, level: np.ndarray) -> ExcitingTrajectory | None:
        """The motion of these waves, scaled to a part of each coordinate's limits; None if torques are too large."""
        t = np.linspace(0.0, self.period, MOMENTS * waves.shape[2], endpoint=False)
        _, qd, qdd = ExcitingTrajectory(self.period, self.center, *waves)(t)
        q = ExcitingTrajectory(self.period, 0.0 * self.center, *waves)(t)[0]
        peaks = [np.abs(x).max(axis=0) for x in (q, qd, qdd)]
        limits = (self.room, self.speed, self.acceleration)
        scale = MARGIN * level * np.min([limit / peak for limit, peak in zip(limits, peaks)], axis=0)
        sine, cosine = waves * scale[:, None]
        state = ExcitingTrajectory(self.period, self.center, sine, cosine)(t)
        tau = rnea(self.model, *state, losses=True)
        if (np.abs(tau) > MARGIN * self.model.tau_limit).any():
            return None
        Y = self.base.regressor(torque_regressor(self.model, *state, drives=self.base.drives))
        W = Y.reshape(-1, self.base.rank) / self.base.size[self.base.independent]
        squares = np.linalg.eigvalsh(W.T @ W)
        condition = math.sqrt(squares[-1] / squares[0]) if len(squares) and squares[0] > 0 else math.inf
        return ExcitingTrajectory(self.period, read_only(self.center), read_only(sine), read_only(cosine), condition)
