"""Rotations as nine scalars, row by row, and unit quaternions as (x, y, z, w).

A rotation R = R_AB takes coordinates in B to coordinates in A.
"""

from __future__ import annotations

from typing import Any

from .vectors import Vector

Rotation = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]
Quaternion = tuple[Any, Any, Any, Any]


def rotate(R: Rotation, a: Vector) -> Vector:
    """R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


def rotate_back(R: Rotation, a: Vector) -> Vector:
    """R^T a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


def compose(A: Rotation, B: Rotation) -> Rotation:
    """A B."""
    x, y, z = rotate(A, (B[0], B[3], B[6])), rotate(A, (B[1], B[4], B[7])), rotate(A, (B[2], B[5], B[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


def transpose(R: Rotation) -> Rotation:
    """R^T, the inverse rotation."""
    return (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])


def turn_about_z(R: Rotation, s: Any, c: Any) -> Rotation:
    """R Rz: R followed by a turn about its own z axis, by the angle with sine s and cosine c."""
    return (
        R[0] * c + R[1] * s,
        R[1] * c - R[0] * s,
        R[2],
        R[3] * c + R[4] * s,
        R[4] * c - R[3] * s,
        R[5],
        R[6] * c + R[7] * s,
        R[7] * c - R[6] * s,
        R[8],
    )


def rotation_from_quaternion(quaternion: Quaternion) -> Rotation:
    """The rotation of a quaternion of any length: its length is divided out, so none can scale the result."""
    x, y, z, w = quaternion
    s = 2.0 / (x * x + y * y + z * z + w * w)
    sx, sy, sz = s * x, s * y, s * z
    return (
        1.0 - (sy * y + sz * z),
        sx * y - sz * w,
        sx * z + sy * w,
        sx * y + sz * w,
        1.0 - (sx * x + sz * z),
        sy * z - sx * w,
        sx * z - sy * w,
        sy * z + sx * w,
        1.0 - (sx * x + sy * y),
    )


def quaternion_product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The quaternion of R(a) R(b)."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


def quaternion_conjugate(a: Quaternion) -> Quaternion:
    """The quaternion of R(a)^T."""
    return (-a[0], -a[1], -a[2], a[3])
