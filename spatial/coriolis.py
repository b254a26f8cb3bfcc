"""What a body's velocity adds to its dynamics, as a matrix that bodies sum up like inertias.

With v the velocity and h = I v the momentum of a body, the force that its velocity asks for is v x* I v, and

    2 B = v x* I - I v x + h x*

takes a small motion to how that force changes, h x* m standing for m x* h. S. Echeandia and P. M. Wensing, Numerical
methods to compute the Coriolis matrix and Christoffel symbols for rigid-body systems (2021), where B comes from.

For a particle at r that moves with r', 2 B m is the force 2 w x r' with its moment, m = (w; u). Summed over a body that
gives the form that is kept here, in which u plays no part:

    2 B m = (K w; w x P),    K = 2 (tr N 1 - N),    N = sum of r' r^T dm,    P = 2 sum of r' dm

These are derived. For a rigid body N = v h^T + (w x) sum of r r^T dm, with v the linear part of the velocity, h now the
first moment.
"""

from __future__ import annotations

from typing import Any

from .inertias import RigidTuple
from .motions import ForceTuple, MotionTuple
from .rotations import Rotation, rotate, rotate_back
from .vectors import Vector, add, cross, scale

CoriolisTuple = tuple[Rotation, Vector]  # K, row by row, and P


def coriolis_inertia(inertia: RigidTuple, v: MotionTuple) -> CoriolisTuple:
    """2 B of a rigid body that moves with v."""
    m, h, I = inertia
    w, u = v
    # twice the second moments: 2 sum of r r^T dm = tr I 1 - 2 I; their products with w x, and twice u h^T
    trace = I[0] + I[2] + I[5]
    x = cross(w, (trace - 2.0 * I[0], -2.0 * I[1], -2.0 * I[3]))
    y = cross(w, (-2.0 * I[1], trace - 2.0 * I[2], -2.0 * I[4]))
    z = cross(w, (-2.0 * I[3], -2.0 * I[4], trace - 2.0 * I[5]))
    a, b, c = scale(2.0 * h[0], u), scale(2.0 * h[1], u), scale(2.0 * h[2], u)
    xx, yy, zz = x[0] + a[0], y[1] + b[1], z[2] + c[2]
    K = (
        yy + zz,
        -(y[0] + b[0]),
        -(z[0] + c[0]),
        -(x[1] + a[1]),
        xx + zz,
        -(z[1] + c[1]),
        -(x[2] + a[2]),
        -(y[2] + b[2]),
        xx + yy,
    )
    return (K, scale(2.0, add(scale(m, u), cross(w, h))))


def coriolis_times(B: CoriolisTuple, m: MotionTuple) -> ForceTuple:
    """2 B m."""
    return (rotate(B[0], m[0]), cross(m[0], B[1]))


def coriolis_times_back(B: CoriolisTuple, m: MotionTuple) -> Vector:
    """The angular part of 2 B^T m; there is no other."""
    return add(rotate_back(B[0], m[0]), cross(B[1], m[1]))


def shift_coriolis(p: Vector, B: CoriolisTuple) -> CoriolisTuple:
    """2 B in coordinates A instead of B with parallel axes, B's origin at p in A."""
    # N += P p^T / 2
    K, P = B
    x, y, z = P[0] * p[0], P[1] * p[1], P[2] * p[2]
    shifted = (
        K[0] + (y + z),
        K[1] - P[0] * p[1],
        K[2] - P[0] * p[2],
        K[3] - P[1] * p[0],
        K[4] + (x + z),
        K[5] - P[1] * p[2],
        K[6] - P[2] * p[0],
        K[7] - P[2] * p[1],
        K[8] + (x + y),
    )
    return (shifted, P)


def coriolis_rate(B: CoriolisTuple, v: MotionTuple) -> CoriolisTuple:
    """v x* 2 B - 2 B v x: how 2 B changes where all that it stands for is moved along v, with its velocities."""
    # N changes by w x N - N w x + P u^T / 2
    K, P = B
    w, u = v
    a, b, c = cross(w, (K[0], K[3], K[6])), cross(w, (K[1], K[4], K[7])), cross(w, (K[2], K[5], K[8]))
    x, y, z = cross(w, (K[0], K[1], K[2])), cross(w, (K[3], K[4], K[5])), cross(w, (K[6], K[7], K[8]))
    along = (P[0] * u[0], P[1] * u[1], P[2] * u[2])
    turned = (
        a[0] + x[0] + (along[1] + along[2]),
        b[0] + x[1] - P[0] * u[1],
        c[0] + x[2] - P[0] * u[2],
        a[1] + y[0] - P[1] * u[0],
        b[1] + y[1] + (along[0] + along[2]),
        c[1] + y[2] - P[1] * u[2],
        a[2] + z[0] - P[2] * u[0],
        b[2] + z[1] - P[2] * u[1],
        c[2] + z[2] + (along[0] + along[1]),
    )
    return (turned, cross(w, P))


def add_coriolis(A: CoriolisTuple, B: CoriolisTuple) -> CoriolisTuple:
    """2 B of two bodies, in the same coordinates."""
    return (add_matrices(A[0], B[0]), add(A[1], B[1]))


def add_matrices(A: Any, B: Any) -> Any:
    """The sum of two 3x3 matrices, row by row."""
    return (
        A[0] + B[0],
        A[1] + B[1],
        A[2] + B[2],
        A[3] + B[3],
        A[4] + B[4],
        A[5] + B[5],
        A[6] + B[6],
        A[7] + B[7],
        A[8] + B[8],
    )
