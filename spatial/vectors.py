"""Vectors of three scalars, as tuples: (x, y, z)."""

from __future__ import annotations

from typing import Any

Vector = tuple[Any, Any, Any]


def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(s: Any, a: Vector) -> Vector:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


def dot(a: Vector, b: Vector) -> Any:
    """The inner product of a and b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
