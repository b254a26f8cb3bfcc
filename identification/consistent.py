"""The physically consistent fit: parameters that bodies can have, however little the torques say about some of them.

A body can have an inertia if its pseudo-inertia J, a 4x4 matrix that is linear in the ten numbers, is positive
definite; drives have armature, damping and friction that are not negative. Among all such parameters the fit has the
least of

    |A K pi - b|^2 / 2 + c sum of D(J, J_0) + c sum of d(x, x_0)
    D(J, J_0) = tr(J_0^-1 J) - log det(J_0^-1 J) - 4        d(x, x_0) = x / x_0 - log(x / x_0) - 1

D is the divergence of Bregman's kind that log det belongs to: it does not depend on the frame, is 0 where J = J_0, the
nominal one, and infinite where J is singular. So it decides what the torques do not, and keeps J positive definite.
The sum is convex, with one minimum whatever the nominal model is; it is reached by Newton's method, with c falling to
what is asked for. Wensing, Kim and Slotine, Linear matrix inequalities for physically consistent inertial parameter
identification (2018); Lee, Wensing and Park, Geometric robot dynamic identification: a convex programming approach
(2020); Boyd and Vandenberghe, Convex optimization (2004), sections 9.5 and 11.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.model import Model
from ..model.parameters import BODY
from ..spatial.consistency import pseudo_inertia_matrix

LEAST_RADIUS = 0.05  # of gyration, in parts of the robot's size, that a nominal body has at least
LEAST_MASS = 1e-2  # in parts of the mean of the bodies
BALL = 0.5  # the radius of bodies of a robot without any mass
LEAST_LOSS = 1e-2  # part of the torques that a nominal drive has at least
FALL = 0.1  # of c from one stage to the next
STAGE, LAST = 1e-2, 1e-10  # Newton's decrement, in parts of c, with which a stage and the last one end
STEPS = 200
ROUNDING = 1e-13  # part of a pseudo-inertia's trace that its least pivot must have


class Nominal(NamedTuple):
    """Where divergences are measured from: pseudo-inertias (nb, 4, 4), and positive numbers of drives."""

    J: np.ndarray
    drives: np.ndarray


def basis() -> np.ndarray:
    """(10, 4, 4): the pseudo-inertia is the sum of the ten numbers times these."""
    one = np.eye(BODY)
    I = one[:, [4, 5, 7, 5, 6, 8, 7, 8, 9]].reshape(-1, 3, 3)
    return pseudo_inertia_matrix(one[:, 0], one[:, 1:4], I)


def pseudo_inertias(pi: np.ndarray, nb: int) -> np.ndarray:
    """J (nb, 4, 4) of parameters, of which those of the bodies come first."""
    return np.tensordot(pi[: BODY * nb].reshape(nb, BODY), basis(), 1)


def numbers(J: np.ndarray) -> np.ndarray:
    """The ten numbers (nb, 10) of pseudo-inertias."""
    S = J[:, :3, :3]
    I = np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S
    return np.concatenate([J[:, 3, 3:], J[:, :3, 3], I[:, [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]], axis=1)


def nominal(model: Model, pi: np.ndarray, M: np.ndarray, b: np.ndarray) -> Nominal:
    """The nominal model, made positive definite where it is not, and heavier if all torques M pi = b say so."""
    J = pseudo_inertias(pi, model.nb)
    length, mean = extent(model), float(J[:, 3, 3].mean()) if model.nb else 0.0
    for body in J:
        if mean > 0:
            _fill(body, LEAST_MASS * mean, LEAST_RADIUS * length)
        else:
            _fill(body, 1.0, BALL * length)  # nothing is known but where it is
    explained = M[:, : BODY * model.nb] @ numbers(J).ravel()
    square = float(explained @ explained)
    if square > 0:
        J *= max(1.0, float(explained @ b) / square)
    size, weight = float(np.linalg.norm(b)), np.linalg.norm(M[:, BODY * model.nb :], axis=0)
    least = LEAST_LOSS * np.divide(size, weight, where=weight > 0, out=np.ones(len(weight)))
    return Nominal(J, np.maximum(pi[BODY * model.nb :], np.maximum(least, np.finfo(float).tiny)))


def _fill(J: np.ndarray, mass: float, radius: float) -> None:
    """Give a pseudo-inertia at least a mass, and radii of gyration about its centre of mass."""
    J[3, 3] = max(J[3, 3], mass)
    c = J[:3, 3] / J[3, 3]
    about = np.outer(c, c) * J[3, 3]
    values, vectors = np.linalg.eigh(J[:3, :3] - about)
    J[:3, :3] = (vectors * np.maximum(values, radius * radius * J[3, 3])) @ vectors.T + about


def extent(model: Model) -> float:
    """A length of the robot's size: the mean distance from a joint to the next, or to a centre of mass."""
    steps = np.linalg.norm(model.tree.placement.reshape(-1, 12)[1:, 9:], axis=1)
    bodies = model.parameters().reshape(-1, BODY)
    heavy = bodies[bodies[:, 0] > 0]
    arms = np.linalg.norm(heavy[:, 1:4], axis=1) / heavy[:, 0]
    lengths = np.concatenate([steps[steps > 0], arms[arms > 0]])
    return float(lengths.mean()) if lengths.size else 0.1


def consistent_fit(M: np.ndarray, b: np.ndarray, start: Nominal, prior: float) -> np.ndarray:
    """The parameters (p,) that are least in the sum above, with M = A K and c = `prior`."""
    nb = len(start.J)
    E = basis()
    # in coordinates where the nominal pseudo-inertia is the identity, and nominal drives are 1, all is of one size
    L = np.linalg.cholesky(start.J)
    inverse = np.linalg.inv(L)
    whitened = np.einsum("bij,kjl,bml->bkim", inverse, E, inverse)  # of each body and number
    p = BODY * nb + len(start.drives)
    scale = np.ones(p)
    scale[: BODY * nb] = 1.0 / np.sqrt(np.einsum("bkim,bkim->bk", whitened, whitened)).ravel()
    scale[BODY * nb :] = start.drives
    whitened = whitened * scale[: BODY * nb].reshape(nb, BODY, 1, 1)
    M = M * scale
    x = np.ones(p)
    x[: BODY * nb] = numbers(start.J).ravel() / scale[: BODY * nb]
    # R of a QR factorisation says all that M and b do
    R = np.asarray(np.linalg.qr(np.column_stack([M, b]), mode="r"))
    M, b = R[:, :p], R[:, p]
    H_data = M.T @ M
    misfit = float(np.sum((M @ x - b) ** 2)) / 2
    c = max(prior, misfit / max(p, 1))
    while True:
        x = _descend(M, b, H_data, whitened, x, c, LAST if c <= prior else STAGE)
        if c <= prior:
            return x * scale
        c = max(prior, FALL * c)


def _descend(
    M: np.ndarray, b: np.ndarray, H_data: np.ndarray, E: np.ndarray, x: np.ndarray, c: float, enough: float
) -> np.ndarray:
    """Newton's method with a line search, from a point where all is positive."""
    value = _value(M, b, E, x, c)
    for _ in range(STEPS):
        g, H = _slopes(M, b, H_data, E, x, c)
        d = np.sqrt(np.diag(H))
        step = -_solve(H / np.outer(d, d), g / d) / d
        decrement = float(-g @ step)
        if not decrement > enough * c:
            break
        length = 1.0
        while True:
            there = _value(M, b, E, x + length * step, c)
            if there <= value - 0.25 * length * decrement:
                break
            length /= 2
            if length < 1e-12:  # what is left is rounding
                return x
        x, value = x + length * step, there
    return x


def _solve(H: np.ndarray, g: np.ndarray) -> np.ndarray:
    """H^-1 g of a positive definite H, also where it is singular to rounding: near the edge of what bodies can be."""
    try:
        L = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(H)
        return vectors @ ((vectors.T @ g) / np.maximum(values, len(g) * np.finfo(float).eps * values[-1]))
    return np.asarray(np.linalg.solve(L.T, np.linalg.solve(L, g)))


def _value(M: np.ndarray, b: np.ndarray, E: np.ndarray, x: np.ndarray, c: float) -> float:
    """The sum, infinite where something is not positive beyond rounding."""
    nb = len(E)
    J = np.einsum("bk,bkij->bij", x[: BODY * nb].reshape(nb, BODY), E)
    rest = x[BODY * nb :]
    if (rest <= 0).any() or not np.isfinite(x).all():
        return np.inf
    try:
        L = np.linalg.cholesky(J)
    except np.linalg.LinAlgError:
        return np.inf
    diagonal = np.diagonal(L, axis1=1, axis2=2)
    if (diagonal.min(axis=1) ** 2 <= ROUNDING * np.trace(J, axis1=1, axis2=2)).any():
        return np.inf
    divergence = np.trace(J, axis1=1, axis2=2).sum() - 2 * np.log(diagonal).sum() + (rest - np.log(rest)).sum()
    return float(np.sum((M @ x - b) ** 2) / 2 + c * divergence)


def _slopes(
    M: np.ndarray, b: np.ndarray, H_data: np.ndarray, E: np.ndarray, x: np.ndarray, c: float
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian."""
    nb = len(E)
    J = np.einsum("bk,bkij->bij", x[: BODY * nb].reshape(nb, BODY), E)
    G = np.einsum("bij,bkjl->bkil", np.linalg.inv(J), E)  # J^-1 E_k
    g, H = M.T @ (M @ x - b), H_data.copy()
    g[: BODY * nb] += c * (np.trace(E, axis1=2, axis2=3) - np.trace(G, axis1=2, axis2=3)).ravel()
    blocks = np.einsum("bkij,blji->bkl", G, G)
    for body, block in enumerate(blocks):
        part = slice(BODY * body, BODY * (body + 1))
        H[part, part] += c * block
    rest = x[BODY * nb :]
    g[BODY * nb :] += c * (1.0 - 1.0 / rest)
    H[np.arange(BODY * nb, len(x)), np.arange(BODY * nb, len(x))] += c / rest**2
    return g, H
