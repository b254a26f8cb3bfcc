"""Base parameters: what torques tell about a robot's parameters, and what they cannot.

Some parameters never show in the torques, others only in sums. Over a stack W of torque regressors at random states,
columns that depend on others are found by QR factorisation with pivoting, W P = Q R, as many as R has diagonal entries
that vanish. With W_2 = W_1 X for these, W pi = W_1 (pi_1 + X pi_2) = W_1 beta. Gautier, Numerical calculation of the
base inertial parameters of robots (1991).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.call import check_model
from ..algorithms.regressors import torque_regressor
from ..model.arguments import read_only
from ..model.model import Model
from ..model.parameters import asked_drives

SHOWN = 100  # characters of a name in a table


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The combinations of parameters that torques depend on: beta = K pi, Y pi = Y_b beta.

    Attributes
    ----------
    drives : the kinds of parameters of drives behind those of the bodies, as in `Model.parameters`.
    parameter_names : of pi, (p,).
    independent : (rank,) which of pi have a column of their own; each heads one base parameter.
    K : (rank, p), beta = K pi. The columns of `independent` are those of the identity.
    size : (p,) root mean square of each column of the regressor over the random states; 0 where it has no effect.
    """

    drives: tuple[str, ...]
    parameter_names: tuple[str, ...]
    independent: np.ndarray
    K: np.ndarray
    size: np.ndarray

    @property
    def rank(self) -> int:
        """How many base parameters there are."""
        return len(self.independent)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each base parameter as a sum, such as "upper_arm: m c_x + 0.4 forearm: m"."""
        return tuple(_sum(row, self.parameter_names, int(own)) for row, own in zip(self.K, self.independent))

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The parameters that no torque depends on."""
        return tuple(name for name, size in zip(self.parameter_names, self.size) if not size)

    def regressor(self, Y: ArrayLike) -> np.ndarray:
        """The columns Y_b (..., rank) of a regressor (..., p)."""
        return self._checked("Y", Y, len(self.parameter_names))[..., self.independent]

    def beta(self, pi: ArrayLike) -> np.ndarray:
        """The base parameters (..., rank) of parameters (..., p)."""
        return self._checked("pi", pi, len(self.parameter_names)) @ self.K.T

    def pi(self, beta: ArrayLike, near: ArrayLike | None = None) -> np.ndarray:
        """Parameters (..., p) with base parameters (..., rank): of all that have, those nearest to `near` or to zero.

        The distance of each parameter counts as much as torques depend on it. No body need be able to have them: see
        `identify` with consistent=True.
        """
        beta = self._checked("beta", beta, self.rank)
        start = np.zeros(len(self.size)) if near is None else self._checked("near", near, len(self.size))
        inverse = np.divide(1.0, self.size, where=self.size > 0, out=np.zeros(len(self.size)))
        back = inverse[:, None] * np.linalg.pinv(self.K * inverse)
        return start + (beta - self.beta(start)) @ back.T

    @staticmethod
    def _checked(name: str, value: ArrayLike, count: int) -> np.ndarray:
        array = np.asarray(value, np.float64)
        if array.shape[-1:] != (count,):
            raise ValueError(f"{name}: expected shape (..., {count}), got {array.shape}")
        return array

    def __repr__(self) -> str:
        return f"<BaseParameters: {self.rank} of {len(self.parameter_names)} parameters>"

    def __str__(self) -> str:
        lines = [f"{self.rank} base parameters of {len(self.parameter_names)}"]
        lines += [f"  {k + 1:3}  {shortened(name)}" for k, name in enumerate(self.names)]
        if self.without_effect:
            lines.append(f"without effect: {', '.join(self.without_effect)}")
        return "\n".join(lines)


def base_parameters(
    model: Model, *, drives: Any = None, samples: int | None = None, seed: Any = 0, tolerance: float = 1e-9
) -> BaseParameters:
    """The combinations of a robot's parameters that its torques depend on.

    Parameters
    ----------
    model : the robot; its own parameters, but for joints and gravity, make no difference.
    drives : the kinds of parameters of drives behind those of the bodies, as in `Model.parameters`.
    samples : how many random states are looked at; enough for four rows of regressors a parameter if not given.
    seed : of the random states, or a numpy Generator.
    tolerance : the part of a column of length one that is taken for rounding.

    Returns
    -------
    base : rank, names, and the maps there and back.

    Raises
    ------
    TypeError, ValueError
        No model, an unknown kind of drives, no samples, or a tolerance that is not between 0 and 1.

    Notes
    -----
    The rank is that of QR factorisation with column pivoting; columns have unit length. Of columns that depend on each
    other, the first ones are kept, so parameters are gathered inward, as is usual for arms.

    Examples
    --------
    >>> import featherstone as fs
    >>> base = fs.base_parameters(fs.models.load("planar_2r"))
    >>> base.rank, base.names[0]
    (6, 'l1: m c_x + l2: m')
    """
    check_model(model)
    if not isinstance(tolerance, float | int | np.number) or not 0.0 < tolerance < 1.0:
        raise ValueError(f"tolerance: expected a number between 0 and 1, got {tolerance!r}")
    names = model.parameter_names(drives)
    if samples is None:
        samples = max(50, -(-4 * len(names) // max(model.nv, 1)))
    if not isinstance(samples, int | np.integer) or samples < 1:
        raise ValueError(f"samples: expected an integer >= 1, got {samples!r}")
    rng = np.random.default_rng(seed)
    q = model.random_configuration(rng, samples)
    qd, qdd = rng.normal(size=(2, samples, model.nv))
    W = torque_regressor(model, q, qd, qdd, drives=drives).reshape(samples * model.nv, len(names))
    length = np.linalg.norm(W, axis=0)
    length[length <= tolerance * length.max(initial=0.0)] = 0.0
    scaled = np.divide(W, length, where=length > 0, out=np.zeros(W.shape))
    independent = _independent(scaled, tolerance)
    dependent = np.setdiff1d(np.flatnonzero(length), independent)
    K = np.zeros((len(independent), len(names)))
    K[np.arange(len(independent)), independent] = 1.0
    if dependent.size:
        X = np.linalg.lstsq(scaled[:, independent], scaled[:, dependent], rcond=None)[0]
        X[np.abs(X) <= tolerance] = 0.0
        K[:, dependent] = X * length[dependent] / length[independent, None]
    size = length / np.sqrt(max(len(W), 1))
    return BaseParameters(asked_drives(drives), names, *map(read_only, (independent, K, size)))


def check_base(base: Any, model: Model, drives: Any) -> None:
    """Refuse base parameters of another model, or with other drives."""
    if not isinstance(base, BaseParameters):
        raise TypeError(f"base: expected BaseParameters, got {type(base).__name__}")
    if base.parameter_names != model.parameter_names(drives):
        raise ValueError("base: expected the base parameters of this model with these drives, got other ones")


def _independent(W: np.ndarray, tolerance: float) -> np.ndarray:
    """Columns that all others depend on: as many as pivoting finds, the first ones where that is possible."""
    from scipy.linalg import qr

    if not W.any():
        return np.zeros(0, np.int64)
    R, pivots = qr(W, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > tolerance * diagonal[0]).sum())
    # without pivoting, an entry of the diagonal is what a column has beyond those before it
    beyond = np.abs(np.diag(np.linalg.qr(W, mode="r")))
    first = np.flatnonzero(beyond > tolerance)
    return first if len(first) == rank else np.sort(pivots[:rank]).astype(np.int64)


def _sum(row: np.ndarray, names: tuple[str, ...], own: int) -> str:
    """A combination of parameters in words, its own one first."""
    others = [k for k in np.flatnonzero(row) if k != own]
    parts = [names[own]]
    for k in others:
        factor = f"{abs(row[k]):.4g} "
        parts.append(f"{'-' if row[k] < 0 else '+'} {'' if factor == '1 ' else factor}{names[k]}")
    return " ".join(parts)


def shortened(name: str) -> str:
    """A name that fits into a table."""
    return name if len(name) <= SHOWN else name[: SHOWN - 4] + " ..."
