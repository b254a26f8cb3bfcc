"""Rigid-body and articulated-body inertias.

A symmetric 3x3 matrix is six scalars: (xx, xy, yy, xz, yz, zz). A rigid-body inertia is (m, h, I): mass, first moment
m c, and rotational inertia about the origin. An articulated-body inertia is (M, H, I) with the 6x6 matrix
[[I, H], [H^T, M]] in angular-first order; H is nine scalars, row by row. Featherstone (2008), sections 2.13 and 7.1.
"""

from __future__ import annotations

from typing import Any

from .motions import ForceTuple, MotionTuple, TransformTuple
from .rotations import compose, rotate, rotate_back, transpose
from .vectors import Vector, add, cross, dot, scale, subtract

Symmetric = tuple[Any, Any, Any, Any, Any, Any]
RigidTuple = tuple[Any, Vector, Symmetric]
ArticulatedTuple = tuple[Symmetric, tuple[Any, ...], Symmetric]


def symmetric_times(S: Symmetric, a: Vector) -> Vector:
    """S a."""
    return (
        S[0] * a[0] + S[1] * a[1] + S[3] * a[2],
        S[1] * a[0] + S[2] * a[1] + S[4] * a[2],
        S[3] * a[0] + S[4] * a[1] + S[5] * a[2],
    )


def add_symmetric(A: Symmetric, B: Symmetric) -> Symmetric:
    """A + B."""
    return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5])


def rotate_symmetric(R, S: Symmetric) -> Symmetric:
    """R S R^T."""
    # the rows of R S; their products with the rows of R are the entries, of which six are needed
    x = symmetric_times(S, (R[0], R[1], R[2]))
    y = symmetric_times(S, (R[3], R[4], R[5]))
    z = symmetric_times(S, (R[6], R[7], R[8]))
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[0] * y[0] + R[1] * y[1] + R[2] * y[2],
        R[3] * y[0] + R[4] * y[1] + R[5] * y[2],
        R[0] * z[0] + R[1] * z[1] + R[2] * z[2],
        R[3] * z[0] + R[4] * z[1] + R[5] * z[2],
        R[6] * z[0] + R[7] * z[1] + R[8] * z[2],
    )


def cross_twice(a: Vector, b: Vector) -> Symmetric:
    """-(a x)(b x) - (b x)(a x), symmetric: what moving a first moment by an offset adds to a rotational inertia."""
    x, y, z = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    return (
        2.0 * (y + z),
        -(a[0] * b[1] + a[1] * b[0]),
        2.0 * (x + z),
        -(a[0] * b[2] + a[2] * b[0]),
        -(a[1] * b[2] + a[2] * b[1]),
        2.0 * (x + y),
    )


def inertia_times(inertia: RigidTuple, v: MotionTuple) -> ForceTuple:
    """I v: the momentum of a rigid body."""
    m, h, I = inertia
    return (add(symmetric_times(I, v[0]), cross(h, v[1])), subtract(scale(m, v[1]), cross(h, v[0])))


def inertia_coefficients(s: MotionTuple, v: MotionTuple) -> RigidTuple:
    """What s . I v has for each of the ten numbers of I: it is linear in them, and symmetric in s and v."""
    (w, u), (x, y) = s, v
    I = (
        w[0] * x[0],
        w[0] * x[1] + w[1] * x[0],
        w[1] * x[1],
        w[0] * x[2] + w[2] * x[0],
        w[1] * x[2] + w[2] * x[1],
        w[2] * x[2],
    )
    return (dot(u, y), add(cross(y, w), cross(u, x)), I)


def inertia_rate(inertia: RigidTuple, v: MotionTuple) -> RigidTuple:
    """v x* I - I v x: the rate of the inertia of a body that moves with v, an inertia without mass."""
    m, h, I = inertia
    w = v[0]
    # the columns of w x I, which with its transpose is the rate by turning
    x, y, z = cross(w, (I[0], I[1], I[3])), cross(w, (I[1], I[2], I[4])), cross(w, (I[3], I[4], I[5]))
    turned = (2.0 * x[0], x[1] + y[0], 2.0 * y[1], x[2] + z[0], y[2] + z[1], 2.0 * z[2])
    return (0.0 * m, add(scale(m, v[1]), cross(w, h)), add_symmetric(turned, cross_twice(v[1], h)))


def add_inertias(A: RigidTuple, B: RigidTuple) -> RigidTuple:
    """The inertia of two bodies that move as one."""
    return (A[0] + B[0], add(A[1], B[1]), add_symmetric(A[2], B[2]))


def transform_inertia(X: TransformTuple, inertia: RigidTuple) -> RigidTuple:
    """A rigid-body inertia's coordinates from B to A, with X = X_AB."""
    R, p = X
    m, h, I = inertia
    h_A = rotate(R, h)
    half = add(h_A, scale(0.5 * m, p))
    return (m, add(h_A, scale(m, p)), add_symmetric(rotate_symmetric(R, I), cross_twice(p, half)))


def turn_inertia(R, inertia: RigidTuple) -> RigidTuple:
    """A rigid-body inertia's coordinates from B to A, about the same origin."""
    m, h, I = inertia
    return (m, rotate(R, h), rotate_symmetric(R, I))


def shift_inertia(p: Vector, inertia: RigidTuple) -> RigidTuple:
    """A rigid-body inertia's coordinates from B to A with parallel axes, B's origin at p in A."""
    m, h, I = inertia
    half = add(h, scale(0.5 * m, p))
    return (m, add(h, scale(m, p)), add_symmetric(I, cross_twice(p, half)))


def articulated(inertia: RigidTuple) -> ArticulatedTuple:
    """A rigid-body inertia as an articulated-body inertia."""
    m, h, I = inertia
    o = 0.0 * m
    return ((m, o, m, o, o, m), (o, -h[2], h[1], h[2], o, -h[0], -h[1], h[0], o), I)


def articulated_times(inertia: ArticulatedTuple, a: MotionTuple) -> ForceTuple:
    """I^A a."""
    M, H, I = inertia
    angular, linear = a
    return (
        add(symmetric_times(I, angular), rotate(H, linear)),
        add(rotate_back(H, angular), symmetric_times(M, linear)),
    )


def add_articulated(A: ArticulatedTuple, B: ArticulatedTuple) -> ArticulatedTuple:
    """A + B."""
    a, b = A[1], B[1]
    H = (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )
    return (add_symmetric(A[0], B[0]), H, add_symmetric(A[2], B[2]))


def transform_articulated(X: TransformTuple, inertia: ArticulatedTuple) -> ArticulatedTuple:
    """An articulated-body inertia's coordinates from B to A, with X = X_AB."""
    R, p = X
    M, H, I = (
        rotate_symmetric(R, inertia[0]),
        compose(compose(R, inertia[1]), transpose(R)),
        rotate_symmetric(R, inertia[2]),
    )
    # H_A = H + (p x) M; the columns of (p x) M
    x, y, z = cross(p, (M[0], M[1], M[3])), cross(p, (M[1], M[2], M[4])), cross(p, (M[3], M[4], M[5]))
    H_A = (
        H[0] + x[0],
        H[1] + y[0],
        H[2] + z[0],
        H[3] + x[1],
        H[4] + y[1],
        H[5] + z[1],
        H[6] + x[2],
        H[7] + y[2],
        H[8] + z[2],
    )
    # I_A = I + (p x) H^T - H_A (p x), symmetric; a row of -H (p x) is (p x row)
    a, b, c = cross(p, (H[0], H[1], H[2])), cross(p, (H[3], H[4], H[5])), cross(p, (H[6], H[7], H[8]))
    d, e, f = cross(p, (H_A[0], H_A[1], H_A[2])), cross(p, (H_A[3], H_A[4], H_A[5])), cross(p, (H_A[6], H_A[7], H_A[8]))
    I_A = (
        I[0] + a[0] + d[0],
        I[1] + b[0] + d[1],
        I[2] + b[1] + e[1],
        I[3] + c[0] + d[2],
        I[4] + c[1] + e[2],
        I[5] + c[2] + f[2],
    )
    return (M, H_A, I_A)


def eliminate(inertia: ArticulatedTuple, U: ForceTuple, W: ForceTuple) -> ArticulatedTuple:
    """I^A - U W^T, with W = U / D: what is left of an articulated inertia when one degree of freedom yields."""
    M, H, I = inertia
    n, f = U
    s, t = W
    return (
        (
            M[0] - f[0] * t[0],
            M[1] - f[0] * t[1],
            M[2] - f[1] * t[1],
            M[3] - f[0] * t[2],
            M[4] - f[1] * t[2],
            M[5] - f[2] * t[2],
        ),
        (
            H[0] - n[0] * t[0],
            H[1] - n[0] * t[1],
            H[2] - n[0] * t[2],
            H[3] - n[1] * t[0],
            H[4] - n[1] * t[1],
            H[5] - n[1] * t[2],
            H[6] - n[2] * t[0],
            H[7] - n[2] * t[1],
            H[8] - n[2] * t[2],
        ),
        (
            I[0] - n[0] * s[0],
            I[1] - n[0] * s[1],
            I[2] - n[1] * s[1],
            I[3] - n[0] * s[2],
            I[4] - n[1] * s[2],
            I[5] - n[2] * s[2],
        ),
    )
