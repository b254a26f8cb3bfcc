"""Measured motion and torque, and motion made of measured positions alone.

Positions are filtered by a Butterworth filter that runs forth and back, so without a shift in time, and differentiated
by central differences on the configuration manifold; the torque gets the same filter. Gautier, Janot and Vandanjon, A
new closed-loop output error method for parameter identification of robot dynamics (2013), section II, on this practice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.call import as_floats, check_configuration, check_model
from ..algorithms.configuration import difference
from ..model.model import Model
from ..simulation.trajectory import Trajectory, column_names

KEYS = ("q", "qd", "qdd", "tau")
UNIFORM = 1e-3  # part of a step by which times may be off
MOST_ORDER = 10
TURN = 3.5  # rad from one moment to the next that no joint can have turned


@dataclass(frozen=True, eq=False)
class Measurement:
    """Motion and torque of a robot at T moments: q (T, nq), and qd, qdd, tau, each (T, nv); t (T,) s if it is known."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    t: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        return f"<Measurement: {len(self)} moments>"


def filtered_motion(
    model: Model, t: ArrayLike, q: ArrayLike, tau: ArrayLike, *, cutoff: float, order: int = 4, every: int = 1
) -> Measurement:
    """Velocity and acceleration of measured positions, and the torque, without what is faster than a frequency.

    Parameters
    ----------
    model : the robot.
    t : (T,) s, at equal steps.
    q : (T, nq) measured positions; angles without jumps by a turn.
    tau : (T, nv) measured torques, N m and N.
    cutoff : Hz; frequencies above are taken out. Some times the fastest that the robot was to move with.
    order : of the Butterworth filter, which runs forth and back; at most 10, as higher ones lose their digits.
    every : of so many moments one is kept: with more than a few in 1/cutoff, noise of neighbours is the same.

    Returns
    -------
    measurement : without its first and last 2/cutoff seconds, where a filter knows too little.

    Raises
    ------
    TypeError, ValueError
        Wrong shapes, NaN or infinity, times that are not at equal steps, a cutoff of half the sampling rate or more, or
        a recording too short for it.

    Notes
    -----
    Quaternions are filtered by their entries and made unit again; the velocity is `difference` over two steps.

    Examples
    --------
    >>> import featherstone as fs, numpy as np
    >>> arm, t = fs.models.load("pendulum"), np.arange(0.0, 4.0, 0.001)
    >>> found = fs.filtered_motion(arm, t, np.sin(t)[:, None], np.zeros((4000, 1)), cutoff=10.0)
    >>> bool(abs(found.qdd + np.sin(found.t)[:, None]).max() < 0.01)
    True
    """
    from scipy.signal import butter, sosfiltfilt

    check_model(model)
    t = _times(t)
    q, tau = as_floats("q", q, (len(t), model.nq), model), as_floats("tau", tau, (len(t), model.nv), model)
    if q.ndim != 2 or tau.ndim != 2:
        raise ValueError(f"q, tau: expected one recording each, got shapes {q.shape} and {tau.shape}")
    check_configuration("q", q, model)
    dt = _step(t)
    _refuse_turns(model, q)
    if not isinstance(order, int | np.integer) or not 1 <= order <= MOST_ORDER:
        raise ValueError(f"order: expected an integer from 1 to {MOST_ORDER}, got {order!r}")
    if not isinstance(every, int | np.integer) or every < 1:
        raise ValueError(f"every: expected an integer >= 1, got {every!r}")
    if not isinstance(cutoff, int | float | np.number):
        raise TypeError(f"cutoff: expected a number, Hz, got {cutoff!r}")
    if not 0.0 < cutoff < 0.5 / dt:
        raise ValueError(f"cutoff: expected Hz between 0 and half the sampling rate {1 / dt:.6g}, got {cutoff!r}")
    edge = max(2, round(2.0 / (cutoff * dt)))
    if len(t) < 3 * edge:
        raise ValueError(f"t: expected at least {3 * edge} moments, six times 1/cutoff, got {len(t)}")
    sos = butter(order, cutoff, fs=1.0 / dt, output="sos")
    smooth_q, smooth_tau = (sosfiltfilt(sos, x, axis=0, padlen=2 * edge) for x in (_without_flips(model, q), tau))
    for k in model.quaternion_indices:
        smooth_q[:, k : k + 4] /= np.linalg.norm(smooth_q[:, k : k + 4], axis=1, keepdims=True)
    qd = difference(model, smooth_q[:-2], smooth_q[2:]) / (2 * dt)
    qdd = (qd[2:] - qd[:-2]) / (2 * dt)
    # differences have lost one entry on each side, those of them two
    kept = [slice(edge - lost, len(t) - edge - lost, every) for lost in range(3)]
    return Measurement(smooth_q[kept[0]], qd[kept[1]], qdd[kept[2]], smooth_tau[kept[0]], t[kept[0]])


def _times(t: Any) -> np.ndarray:
    """Increasing times (T,), checked."""
    array = np.asarray(t)
    if array.dtype.kind not in "iuf" or array.ndim != 1:
        got = f"shape {array.shape}" if array.dtype.kind in "iuf" else type(t).__name__
        raise ValueError(f"t: expected finite times (T,), s, got {got}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError("t: expected finite times (T,), s, got NaN or infinity")
    if (np.diff(array) <= 0).any():
        k = int(np.argmax(np.diff(array) <= 0))
        raise ValueError(f"t: expected increasing times, got {array[k + 1]:.9g} behind {array[k]:.9g} at index {k + 1}")
    return array


def _step(t: np.ndarray) -> float:
    """The time from each moment to the next."""
    if len(t) < 2:
        raise ValueError(f"t: expected at least two times, got {len(t)}")
    steps = np.diff(t)
    dt = float(t[-1] - t[0]) / (len(t) - 1)
    if np.abs(steps - dt).max() > UNIFORM * dt:
        raise ValueError(
            f"t: expected equal steps, got from {steps.min():.6g} to {steps.max():.6g} s; interpolate to equal ones"
        )
    return dt


def _refuse_turns(model: Model, q: np.ndarray) -> None:
    """Refuse angles that jump by a turn, as encoders that count to pi and go on at -pi give them."""
    names = column_names(model)[0]
    for joint, leader in zip(model.joints, model.leaders):
        if leader is not None or joint.type not in ("revolute", "continuous"):
            continue
        k = names.index(joint.name)
        jumps = np.abs(np.diff(q[:, k]))
        if jumps.max(initial=0.0) > TURN:
            at = int(np.argmax(jumps))
            got = f"from {q[at, k]:.4g} to {q[at + 1, k]:.4g} rad at index {at + 1} of joint {joint.name!r}"
            raise ValueError(f"q: expected angles without jumps by a turn, got {got}; see numpy.unwrap")


def _without_flips(model: Model, q: np.ndarray) -> np.ndarray:
    """q with quaternions that do not change their sign on the way: q and -q are the same rotation."""
    q = q.copy()
    for k in model.quaternion_indices:
        x = q[:, k : k + 4]
        x[1:] *= np.cumprod(np.where((x[1:] * x[:-1]).sum(1) < 0, -1.0, 1.0))[:, None]
    return q


def measurements(model: Model, data: Any, cutoff: float | None) -> list[Measurement]:
    """All that was given as `data`, checked."""
    if isinstance(data, Measurement | Trajectory | Mapping):
        return [_measurement(model, data, cutoff)]
    if isinstance(data, Iterable) and not isinstance(data, str | bytes | np.ndarray):
        found = [_measurement(model, x, cutoff) for x in data]
        if found:
            return found
    expected = f"a Trajectory, a Measurement, a mapping with {', '.join(KEYS)}, or several of them"
    raise TypeError(f"data: expected {expected}, got {type(data).__name__}")


def _measurement(model: Model, data: Any, cutoff: float | None) -> Measurement:
    if isinstance(data, Measurement | Trajectory):
        given = {key: getattr(data, key) for key in ("t", *KEYS)}
    elif isinstance(data, Mapping):
        given = dict(data)
    else:
        raise TypeError(f"data: expected a Trajectory, a Measurement or a mapping, got {type(data).__name__}")
    if given.keys() == {"t", "q", "tau"}:
        if cutoff is None:
            raise ValueError("cutoff: expected a frequency in Hz, as data has positions but no velocities; got None")
        return filtered_motion(model, given["t"], given["q"], given["tau"], cutoff=cutoff)
    if not given.keys() >= set(KEYS) or given.keys() - {"t", *KEYS}:
        expected = f"{', '.join(KEYS)} and perhaps t, or t, q and tau alone"
        raise ValueError(f"data: expected {expected}, got {', '.join(map(str, given))}; there is no place for forces")
    arrays = []
    for key in KEYS:
        array = as_floats(key, given[key], (model.nq if key == "q" else model.nv,), model)
        if not np.isfinite(array).all():
            raise ValueError(f"data: {key}: expected finite numbers, got NaN or infinity")
        arrays.append(array)
    shapes = {array.shape[:-1] for array in arrays}
    if len(shapes) > 1 or arrays[0].ndim < 2:
        raise ValueError(f"data: expected q (T, nq) and qd, qdd, tau (T, nv), got {[x.shape for x in arrays]}")
    check_configuration("q", arrays[0], model)
    times = None if given.get("t") is None else _times(given["t"])
    if times is not None and times.shape != arrays[0].shape[-2:-1]:
        raise ValueError(f"t: expected a time for each of {arrays[0].shape[-2]} moments, got shape {times.shape}")
    count = math.prod(arrays[0].shape[:-1])
    q, qd, qdd, tau = (array.reshape(count, array.shape[-1]) for array in arrays)
    return Measurement(q, qd, qdd, tau, times if arrays[0].ndim == 2 else None)
