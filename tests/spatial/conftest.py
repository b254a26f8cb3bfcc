"""Samples that are easy to get wrong - at rest, no turn, half turns, turns by 1e-7 - among random ones, as batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from featherstone.spatial.articulated_inertia import ArticulatedInertia
from featherstone.spatial.rigid_inertia import Inertia
from featherstone.spatial.spatial_vectors import Force, Motion
from featherstone.spatial.transform import Transform

COUNT = 24


@pytest.fixture
def near() -> Callable[..., None]:
    """Assert that rounding errors of so many operations on numbers of a given size explain the difference."""

    def check(actual: Any, expected: Any, size: Any, operations: int) -> None:
        actual, expected = np.asarray(actual), np.asarray(expected)
        assert actual.shape == expected.shape
        assert np.isfinite(actual).all()
        error, allowed = np.abs(actual - expected), operations * 2.0**-53 * size + np.finfo(float).tiny
        assert (error <= allowed).all(), f"off by {(error / allowed).max():.3g} times the rounding errors allowed"

    return check


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20080101)


def vectors(rng: np.random.Generator) -> np.ndarray:
    """Six numbers each, of sizes from 1e-3 to 1e3; the first are zero, purely angular and purely linear."""
    x = rng.normal(size=(COUNT, 6)) * 10.0 ** rng.integers(-3, 4, size=(COUNT, 1))
    x[0], x[1, 3:], x[2, :3] = 0.0, 0.0, 0.0
    return x


@pytest.fixture
def m(rng: np.random.Generator) -> Motion:
    return Motion.from_array(vectors(rng))


@pytest.fixture
def v(rng: np.random.Generator) -> Motion:
    return Motion.from_array(vectors(rng)[::-1])


@pytest.fixture
def f(rng: np.random.Generator) -> Force:
    return Force.from_array(np.roll(vectors(rng), 5, axis=0))


def poses(rng: np.random.Generator) -> Transform:
    quaternions = rng.normal(size=(COUNT, 4))
    quaternions[:3] = (0, 0, 0, 1), (1, 0, 0, 0), (0.6, 0, -0.8, 0)
    quaternions[3:5] = (0, 5e-8, 0, 1), (0, 1, 0, 5e-8)
    positions = rng.normal(size=(COUNT, 3)) * 10.0 ** rng.integers(-2, 3, size=(COUNT, 1))
    positions[5] = 0.0
    return Transform.from_quaternion(quaternions, positions)


@pytest.fixture
def X(rng: np.random.Generator) -> Transform:
    return poses(rng)


@pytest.fixture
def Y(rng: np.random.Generator) -> Transform:
    return poses(rng)[::-1]


@pytest.fixture(name="I")
def rigid(rng: np.random.Generator) -> Inertia:
    """Inertias of real bodies: of four points of mass each; the first are of one point, of a rod and of nothing."""
    mass = rng.uniform(0.1, 5.0, size=(COUNT, 4))
    mass[0, 1:], mass[1, 2:], mass[2] = 0.0, 0.0, 0.0
    points = rng.normal(size=(COUNT, 4, 3))
    turn = np.einsum("nka,nka->nk", points, points)[..., None, None] * np.eye(3)
    about_origin = np.einsum("nk,nkab->nab", mass, turn - points[..., :, None] * points[..., None, :])
    return Inertia(mass.sum(axis=1), np.einsum("nk,nka->na", mass, points), about_origin)


@pytest.fixture
def IA(rng: np.random.Generator) -> ArticulatedInertia:
    """Positive definite matrices, with condition numbers up to about 1e4."""
    A = rng.normal(size=(COUNT, 6, 6))
    return ArticulatedInertia.from_matrix(A @ np.swapaxes(A, 1, 2) + 0.01 * np.eye(6))
