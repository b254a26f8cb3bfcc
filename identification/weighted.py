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
QUIET = 1e-4  # part of the loudest joint's noise that every joint has at least
SEEN = 1e-10  # part of the best excited direction below which another is not excited


class Compressed(NamedTuple):
    """Of each joint the triangle (nv, r + 1, r + 1), how many moments, and the torque's root mean square (nv,)."""

    triangles: np.ndarray
    moments: int
    torque: np.ndarray


class Estimate(NamedTuple):
    """Base parameters and their standard deviations (r,), the noise of each joint (nv,), and the weighted equations.

    `A` (n, r) and `b` (n,) are rows of all joints over their noise; `residual` (nv,) is the root mean square.
    """

    beta: np.ndarray
    deviation: np.ndarray
    noise: np.ndarray
    residual: np.ndarray
    condition: float
    A: np.ndarray
    b: np.ndarray


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
    r, nv = base.rank, len(found.triangles)
    left, right = found.triangles[..., :r], found.triangles[..., r]
    size = base.size[base.independent]
    freedom = max(found.moments - r / max(nv, 1), 1.0)
    least = EXACT * (found.torque.max(initial=0.0) or 1.0)
    noise = np.ones(nv)
    for _ in range(ROUNDS):
        A = (left / noise[:, None, None]).reshape(nv * (r + 1), r)
        b = (right / noise[:, None]).ravel()
        U, s, Vt = np.linalg.svd(A / size, full_matrices=False)
        seen = s > SEEN * s.max(initial=0.0)
        beta = (Vt[seen].T @ ((U[:, seen].T @ b) / s[seen])) / size
        misfit = np.linalg.norm(left @ beta - right, axis=1)
        before, noise = noise, np.maximum(misfit / np.sqrt(freedom), least)
        noise = np.maximum(noise, QUIET * noise.max(initial=0.0))
        if (np.abs(noise - before) <= SETTLED * noise).all():
            break
    variance = (Vt[seen] ** 2 / s[seen, None] ** 2).sum(0)
    unseen = (Vt[~seen] ** 2).sum(0) > SEEN
    deviation = np.where(unseen, np.inf, np.sqrt(variance)) / size
    condition = float(s[0] / s[-1]) if r and s[-1] > 0 else (np.inf if r else 1.0)
    return Estimate(beta, deviation, noise, misfit / np.sqrt(max(found.moments, 1)), condition, A, b)
