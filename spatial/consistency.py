"""Which inertias a real body can have: those of which a distribution of nowhere negative mass exists."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .arguments import Array, real_array


class Fault(NamedTuple):
    """A condition, where in the batch it fails, and the numbers that it was judged by."""

    expected: str
    found: Any
    got: Array


def find_faults(
    mass: Array, first_moment: Array, about_origin: Array, about_com: Array, tolerance: float
) -> list[Fault]:
    """Every condition on mass (...), first moment (..., 3) and rotational inertias (..., 3, 3), failed or not.

    Moments may miss a condition by `tolerance` times the largest entry of the inertia about the origin, since moving it
    to the centre of mass costs rounding errors of that size.
    """
    if real_array(tolerance, "tolerance").shape or tolerance < 0.0:
        raise ValueError(f"tolerance: expected a number that is not negative, got {tolerance!r}")
    mass, negative = np.asarray(mass), np.asarray(mass < 0.0)
    finite = np.isfinite(about_com).all(axis=(-1, -2))
    astray = ~negative & (~finite | (mass == 0.0) & (first_moment != 0.0).any(axis=-1))
    moments = np.linalg.eigvalsh(np.where((finite & ~negative & ~astray)[..., None, None], about_com, 0.0))
    allowed = tolerance * np.abs(about_origin).max(axis=(-1, -2))
    return [
        Fault("a mass >= 0", negative, mass),
        Fault("a first moment of zero where there is no mass", astray, first_moment),
        Fault("principal moments about the centre of mass >= 0", moments[..., 0] < -allowed, moments),
        Fault(
            "principal moments about the centre of mass of which none exceeds the sum of the others (triangle rule)",
            moments[..., 0] + moments[..., 1] - moments[..., 2] < -allowed,
            moments,
        ),
    ]


# part of the largest second moment that the others are raised to: far above rounding, far below what a robot feels
FLOOR = 1e-6


def nearest_tensors(about_com: Array, floor: float = FLOOR) -> Array:
    """The inertias (..., 3, 3) about the centre of mass that bodies can have, nearest to given symmetric ones.

    Nearest by the Frobenius norm of the second moments S = tr(I)/2 - I, among those with no eigenvalue of S below
    `floor` times the largest. NaN where the trace is not positive: there is nothing to be near to.
    docs/check.md derives it.
    """
    half_trace = 0.5 * np.trace(about_com, axis1=-2, axis2=-1)[..., None]
    values, vectors = np.linalg.eigh(half_trace[..., None] * np.eye(3) - about_com)
    least = np.where(half_trace > 0.0, floor * values[..., -1:], np.nan)
    clipped = np.maximum(values, least)
    nearest = (vectors * clipped[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    nearest = 0.5 * (nearest + np.swapaxes(nearest, -1, -2))
    return np.trace(nearest, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - nearest


def pseudo_inertia_matrix(mass: Array, first_moment: Array, about_origin: Array) -> Array:
    """The matrices [[S, h], [h^T, m]], (..., 4, 4), with S = tr(I)/2 - I."""
    half_trace = 0.5 * np.trace(about_origin, axis1=-2, axis2=-1)
    P = np.empty((*about_origin.shape[:-2], 4, 4))
    P[..., :3, :3] = half_trace[..., None, None] * np.eye(3) - about_origin
    P[..., :3, 3] = P[..., 3, :3] = first_moment
    P[..., 3, 3] = mass
    return P
