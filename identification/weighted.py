"""Weighted least squares in base parameters.

The torque of each joint has a noise of its own. From estimates without weights come the residuals' variances, with them
weights, and so on until nothing changes: least squares that are weighted by what they leave. Gautier and Poignet,
Extended Kalman filtering and weighted least squares dynamic identification of robot (2001).

All that measurements say is kept in one small triangle for each joint, R of [Y tau] = Q R, however long they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algorithms.regressors import torque_regressor
from ..model.model import Model
from .base_parameters import BaseParameters
from .measurement import Measurement

ROOM = 4_000_000  # entries of regressors in memory at a time
ROUNDS = 50
SETTLED = 1e-6  # relative change of a variance that is none
EXACT = 1e-12  # part of the torques below which a residual is rounding
EXACTEST = 1e-8  # likewise below which the consistent fit takes no noise to be
QUIET = 1e-4  # part of the loudest joint's noise that every joint has at least
SEEN = 1e-10  # part of the best excited direction below which another is not excited


class Compressed(NamedTuple):
    """Of each joint the triangle (nv, r + 1, r + 1), how many moments, and the torque's root mean square (nv,)."""

    triangles: np.ndarray
    moments: int
    torque: np.ndarray


class Estimate(NamedTuple):
    """Base parameters (r,), each joint's noise (nv,), standard deviations (r,), the condition of the excitation."""

    beta: np.ndarray
    noise: np.ndarray
    deviation: np.ndarray
    condition: float


def compress(model: Model, base: BaseParameters, known: np.ndarray, data: list[Measurement]) -> Compressed:
    """Triangles of all measurements; `known` are all parameters, of which those that are asked for count as zero."""
    names = model.parameter_names("all")
    asked = [names.index(name) for name in base.parameter_names]
    columns = [asked[k] for k in base.independent]
    rest = np.setdiff1d(np.arange(len(names)), asked)
    r, step = base.rank, max(1, ROOM // max(model.nv * len(names), 1))
    triangles, moments = np.zeros((model.nv, r + 1, r + 1)), 0
    squares = np.zeros(model.nv)
    for part in data:
        for start in range(0, len(part), step):
            q, qd, qdd, tau = (x[start : start + step] for x in (part.q, part.qd, part.qdd, part.tau))
            Y = torque_regressor(model, q, qd, qdd, drives="all")
            unexplained = tau - Y[..., rest] @ known[rest]
            moments += len(tau)
            squares += (tau * tau).sum(0)
            for j in range(model.nv):
                rows = np.column_stack([Y[:, j, columns], unexplained[:, j]])
                R = np.linalg.qr(np.concatenate([triangles[j], rows]), mode="r")
                triangles[j] = R[: r + 1]
    return Compressed(triangles, moments, np.sqrt(squares / max(moments, 1)))


def weighted_least_squares(found: Compressed, base: BaseParameters) -> Estimate:
    """Estimates, weighted by what they leave of each joint's torque."""
    size = base.size[base.independent]
    noise = np.ones(len(found.triangles))
    for _ in range(ROUNDS):
        A, b = equations(found, noise)
        U, s, Vt = np.linalg.svd(A / size, full_matrices=False)
        seen = s > SEEN * s.max(initial=0.0)
        beta = (Vt[seen].T @ ((U[:, seen].T @ b) / s[seen])) / size
        before, noise = noise, noise_of(found, beta)
        if (np.abs(noise - before) <= SETTLED * noise).all():
            break
    return Estimate(beta, noise, *excitation(found, base, noise))


def equations(found: Compressed, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A (n, r) and b (n,), the rows of all joints over their noise."""
    rows = (found.triangles / noise[:, None, None]).reshape(-1, found.triangles.shape[2])
    return rows[:, :-1], rows[:, -1]


def noise_of(found: Compressed, beta: np.ndarray) -> np.ndarray:
    """The standard deviation (nv,) of each joint's torque from what base parameters predict."""
    r, nv = len(beta), len(found.triangles)
    misfit = np.linalg.norm(found.triangles[..., :r] @ beta - found.triangles[..., r], axis=1)
    freedom = max(found.moments - r / max(nv, 1), 1.0)
    noise = np.maximum(misfit / np.sqrt(freedom), EXACT * (found.torque.max(initial=0.0) or 1.0))
    return np.maximum(noise, QUIET * noise.max(initial=0.0))


def excitation(found: Compressed, base: BaseParameters, noise: np.ndarray) -> tuple[np.ndarray, float]:
    """Standard deviations (r,) of base parameters from torques of such noise, and the condition of the excitation."""
    r, size = base.rank, base.size[base.independent]
    _, s, Vt = np.linalg.svd(equations(found, noise)[0] / size, full_matrices=False)
    seen = s > SEEN * s.max(initial=0.0)
    variance = (Vt[seen] ** 2 / s[seen, None] ** 2).sum(0)
    unseen = (Vt[~seen] ** 2).sum(0) > SEEN
    told = r == 0 or s[-1] > r * np.finfo(float).eps * s[0]
    condition = float(s[0] / s[-1]) if r and told else (1.0 if told else np.inf)
    return np.where(unseen, np.inf, np.sqrt(variance)) / size, condition
