"""Forces from outside that no sensor feels, from the motion and the torques of the motors.

A contact with force F at a point of Jacobian J adds r = J^T F to the torques. With accelerations measured, r is what
inverse dynamics asks for beyond the torques (`direct_residual`). Without them, the generalised momentum p tells:
dp/dt = rate + r, with the rate that the model expects, and an observer of gain K follows r as a filter of first order,

    dr^/dt = K (r - r^).

De Luca, Albu-Schaeffer, Haddadin and Hirzinger, Collision detection and safe reaction with the DLR-III lightweight
manipulator arm (2006); Haddadin, De Luca and Albu-Schaeffer, Robot collisions: a survey on detection, isolation and
identification (2017).

In steps of dt, what momentum has gained beyond the rate is dt u, u the mean of r over the step; of a constant u the
filter has the solution r^ e^{-K dt} + (1 - e^{-K dt}) u, which is what is computed: stable whatever K dt is. The rate
of a step is the torque that was held and the mean of the rest at both ends: the error is of second order in dt.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.generalized_momentum import generalized_momentum, generalized_momentum_rate
from ..algorithms.rnea import rnea
from ..model.arguments import flag, read_only
from ..model.base_motion import BaseMotion
from ..model.model import Model


def direct_residual(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    losses: bool = True,
    base: BaseMotion | None = None,
) -> np.ndarray:
    """The generalised forces that act beside torques and known forces, from a measured motion.

    Parameters
    ----------
    model : the robot, with what it carries.
    q, qd, qdd : (..., nq), (..., nv), (..., nv), the motion, accelerations measured too.
    tau : (..., nv) the torques of the motors, N m and N.
    f_ext : (..., nb, 6) known forces on the bodies, as in `rnea`.
    losses : count the model's damping and friction as known; of friction at rest no sign is known, and none is counted.
    base : how the base moves.

    Returns
    -------
    residual : (..., nv) r = J^T F of a contact with the force F; zero of a joint nearer to the tip than the contact.

    Raises
    ------
    TypeError, ValueError
        As `rnea`.

    Notes
    -----
    `rnea` - tau. No delay, but accelerations have to be measured, or differentiated with their noise;
    `MomentumObserver` needs none.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> still = fs.gravity_torque(arm, [0.6, -0.9])
    >>> fs.direct_residual(arm, [0.6, -0.9], [0, 0], [0, 0], still - [0, 1]).round(12).tolist()
    [0.0, 1.0]
    """
    needed = rnea(model, q, qd, qdd, f_ext, losses=losses, base=base)
    held = _finite("tau", tau, model.nv)
    _common_shape(needed, held)
    return needed - held


def momentum_residual(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    dt: float,
    gain: ArrayLike,
    losses: bool = True,
) -> np.ndarray:
    """The generalised forces that act beside torques and known forces, over a recorded motion, without accelerations.

    Parameters
    ----------
    model : the robot, with what it carries.
    q, qd : (..., T, nq) and (..., T, nv), a motion in steps of dt, as a `Trajectory` has it.
    tau : (..., T, nv) the torque held from each time on; the last one is not used.
    f_ext : (..., T, nb, 6) known forces on the bodies at each time, as in `rnea`.
    dt : s, a step.
    gain : 1/s, one or (nv,): K of the filter; 1/K is the time that the residual lags behind.
    losses : count the model's damping and friction as known.

    Returns
    -------
    residual : (..., T, nv), at the first time zero. See `MomentumObserver`.

    Raises
    ------
    TypeError, ValueError
        As `rnea`; a dt or gain that is not a positive number.

    Notes
    -----
    Simulate robots with dry friction by method="rk4" or with a smoothed sign: the friction within a step of
    semi-implicit Euler is not that of its states, and residuals, `direct_residual` too, show the difference.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> run = fs.simulate(arm, [0.6, -0.9], [0, 0], duration=0.5, dt=0.001, method="rk4")
    >>> found = fs.momentum_residual(arm, run.q, run.qd, run.tau, dt=0.001, gain=50.0)
    >>> bool(abs(found).max() < 1e-3)
    True
    """
    decay = _decay(model, gain, dt)
    held = _finite("tau", tau, model.nv)
    if held.ndim < 2:
        raise ValueError(f"tau: expected (..., T, {model.nv}), a row for each time, got shape {held.shape}")
    p = generalized_momentum(model, q, qd)
    rest = generalized_momentum_rate(model, q, qd, np.zeros(model.nv), f_ext, losses=losses)
    shape = _common_shape(np.broadcast_arrays(p, rest)[0], held)
    p, rest, held = (np.broadcast_to(x, shape) for x in (p, rest, held))
    residual = np.zeros(shape)
    for k in range(1, shape[-2]):
        u = _mean(p[..., k - 1 : k + 1, :], rest[..., k - 1 : k + 1, :], held[..., k - 1, :], dt)
        residual[..., k, :] = decay * residual[..., k - 1, :] + (1.0 - decay) * u
    return residual


class MomentumObserver:
    """Follows forces from outside while a robot runs: one `update` each control period, some microseconds of work.

    Parameters
    ----------
    model : the robot, with what it carries.
    gain : 1/s, one or (nv,): K of the filter; 1/K is the time that the residual lags behind. A larger one lets more
        noise through.
    dt : s, the period.
    losses : count the model's damping and friction as known.

    Attributes
    ----------
    residual : (..., nv) N m and N, the estimate of r = J^T F: contacts push joints between the base and the body
        that they touch, and no other.
    model, gain, dt : as given. None of these can be set; another gain is another observer.

    Raises
    ------
    TypeError, ValueError
        A gain or dt that is not a positive number.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> q, still = [0.6, -0.9], fs.gravity_torque(arm, [0.6, -0.9])
    >>> observer = fs.MomentumObserver(arm, gain=100.0, dt=0.001)
    >>> for _ in range(100):
    ...     residual = observer.update(q, [0, 0], still - [0, 1])
    >>> residual.round(3).tolist()
    [0.0, 1.0]
    """

    def __init__(self, model: Model, gain: ArrayLike, dt: float, *, losses: bool = True) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"model: expected a Model, got {type(model).__name__}")
        self._decay = _decay(model, gain, dt)
        self._model, self._gain, self._dt = model, read_only(gain, np.float64), float(dt)
        self._losses = flag("losses", losses)
        self._nothing = np.zeros(model.nv)
        self.reset()

    @property
    def model(self) -> Model:
        """The robot."""
        return self._model

    @property
    def gain(self) -> np.ndarray:
        """K, 1/s, () or (nv,)."""
        return self._gain

    @property
    def dt(self) -> float:
        """The period, s."""
        return self._dt

    @property
    def residual(self) -> np.ndarray:
        """The last estimate (..., nv), a new array."""
        return self._residual.copy()

    def reset(self) -> None:
        """Forget what has been seen: the next update is the first."""
        self._residual = np.zeros(self._model.nv)
        self._before: tuple[np.ndarray, np.ndarray] | None = None

    def update(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None) -> np.ndarray:
        """Take in the state now, and the torque since the update before; returns the residual.

        Parameters
        ----------
        q, qd : (..., nq) and (..., nv), the state.
        tau : (..., nv) the torques of the motors, held since the last update; of the first update they are not used.
        f_ext : (..., nb, 6) known forces on the bodies.

        Returns
        -------
        residual : (..., nv), a new array.

        Raises
        ------
        TypeError, ValueError
            As `rnea`. What had been seen before stays.
        """
        held = _finite("tau", tau, self._model.nv)
        p = generalized_momentum(self._model, q, qd)
        rest = generalized_momentum_rate(self._model, q, qd, self._nothing, f_ext, losses=self._losses)
        if self._before is None:
            self._residual = np.zeros(_common_shape(p, held))
        else:
            p_before, rest_before = self._before
            if p.shape != p_before.shape:
                shapes = f"{p_before.shape[:-1]}, got {p.shape[:-1]}; reset() begins anew"
                raise ValueError(f"q, qd: expected the batch shape of the updates before, {shapes}")
            _common_shape(p, held)
            u = (p - p_before) / self._dt - held - 0.5 * (rest_before + rest)
            self._residual = self._decay * self._residual + (1.0 - self._decay) * u
        self._before = p, rest
        return self._residual.copy()


def _common_shape(state: np.ndarray, tau: np.ndarray) -> tuple[int, ...]:
    """The shape of what is of states and torques."""
    try:
        return np.broadcast_shapes(state.shape, tau.shape)
    except ValueError:
        shapes = f"the states {state.shape[:-1]}, tau {tau.shape[:-1]}"
        raise ValueError(f"batch shapes do not broadcast: {shapes}") from None


def _mean(p: np.ndarray, rest: np.ndarray, held: np.ndarray, dt: float) -> np.ndarray:
    """The mean of what acted from outside over a step, of both its ends (..., 2, nv)."""
    return (p[..., 1, :] - p[..., 0, :]) / dt - held - 0.5 * (rest[..., 0, :] + rest[..., 1, :])


def _decay(model: Model, gain: ArrayLike, dt: float) -> np.ndarray:
    """e^{-K dt}, checked."""
    if isinstance(dt, bool) or not isinstance(dt, (int, float, np.number)) or not 0.0 < float(dt) < np.inf:
        raise ValueError(f"dt: expected a positive number of seconds, got {dt!r}")
    K = np.asarray(gain)
    if K.dtype.kind not in "iuf":
        raise TypeError(f"gain: expected positive numbers, 1/s, got {gain!r}")
    if K.shape not in ((), (model.nv,)):
        raise ValueError(f"gain: expected one number or shape ({model.nv},), got shape {K.shape}")
    if not ((K > 0.0) & (np.inf > K)).all():
        raise ValueError(f"gain: expected positive numbers, 1/s, got {gain!r}")
    return np.exp(-K.astype(float) * float(dt))


def _finite(name: str, value: Any, size: int) -> np.ndarray:
    """A vector over degrees of freedom, checked."""
    array = np.asarray(value)
    if array.dtype.kind not in "iufb":
        raise TypeError(
            f"{name}: expected real numbers, got {array.dtype if array.dtype != object else type(value).__name__}"
        )
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(f"{name}: expected shape (..., {size}), got {array.shape}")
    if not np.isfinite(array).all():
        at = tuple(map(int, np.argwhere(~np.isfinite(array))[0]))
        raise ValueError(f"{name}: expected finite numbers, got {array[at]} at index {at if len(at) > 1 else at[0]}")
    return array.astype(float)
