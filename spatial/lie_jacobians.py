"""Jacobians of the exponential of rotations, of poses and of poses in a plane, and their inverses.

With [w] the matrix of the cross product, x = |w|^2 and Stumpff's functions c_n(x) = 1/n! - x/(n+2)! + x^2/(n+4)! - ...,
the right Jacobian of a rotation, exp(w + e) = exp(w) exp(J e) to first order, and its inverse are

    J = c_1 1 - c_2 [w] + c_3 w w^T,    J^-1 = g 1 + 1/2 [w] + b w w^T,    g = t/2 cot(t/2), b = (1 - g)/x, t = |w|

Motions are vectors over dual numbers, w + eps v with eps^2 = 0: the cross product of motions is that of such vectors.
So the same formulas hold of poses, and give a matrix J + eps Q, which over (angular; linear) is

    J  0
    Q  J

with Q the derivative of J along v. Solà, Deray and Atchuthan, A micro Lie theory for state estimation in robotics
(2018), section II-F and appendices; Barfoot and Furgale, Associating uncertainty with three-dimensional poses for use
in estimation problems (2014), has Q written out. As c_n = 1/n! - x c_(n+2) and 2 c_n' = n c_(n+2) - c_(n+1), power
series of c_4 and c_5 give all where x is small, and no difference cancels.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import select_less, sincos, sqrt
from .motions import MotionTuple
from .rotations import Quaternion, rotation_from_quaternion, transpose
from .vectors import Vector, dot, scale

Matrix = tuple[Any, Any, Any, Any, Any, Any, Any, Any, Any]  # 3 x 3, row by row

SHORT = 1.0  # squared angle below which eight terms of a series are exact to rounding


def exp_jacobian(w: Vector) -> Matrix:
    """The right Jacobian J of the exponential of a rotation vector of any length."""
    return _of_rotation(w, _exp_coefficients(dot(w, w))[0])


def log_jacobian(w: Vector) -> Matrix:
    """J^-1 at a rotation vector shorter than 2 pi: how the logarithm changes with what comes last."""
    return _of_rotation(w, _log_coefficients(dot(w, w))[0])


def exp_jacobian_se3(m: MotionTuple) -> tuple[Matrix, Matrix]:
    """J and Q of the exponential of a motion in body axes."""
    k, rates = _exp_coefficients(dot(m[0], m[0]))
    return _of_rotation(m[0], k), _along(m, k, rates)


def log_jacobian_se3(m: MotionTuple) -> tuple[Matrix, Matrix]:
    """J and Q of the inverse, at a motion that turns by less than 2 pi."""
    k, rates = _log_coefficients(dot(m[0], m[0]))
    return _of_rotation(m[0], k), _along(m, k, rates)


def exp_jacobian_se2(m: Vector) -> Matrix:
    """The right Jacobian of the exponential of a motion (w, vx, vy) in a plane."""
    return _in_plane(m, _exp_coefficients(m[0] * m[0])[0])


def log_jacobian_se2(m: Vector) -> Matrix:
    """Its inverse, at any motion that does not turn by 2 pi k, k != 0."""
    return _in_plane(m, _log_coefficients(m[0] * m[0])[0])


def carry_back(quaternion: Quaternion, p: Vector) -> tuple[Matrix, Matrix]:
    """J and Q of what takes a motion to the axes and the origin of a pose, X^-1."""
    R = rotation_from_quaternion(quaternion)
    x, y, z = p
    # -R^T [p]: its rows are p x the columns of R
    return transpose(R), (
        y * R[6] - z * R[3],
        z * R[0] - x * R[6],
        x * R[3] - y * R[0],
        y * R[7] - z * R[4],
        z * R[1] - x * R[7],
        x * R[4] - y * R[1],
        y * R[8] - z * R[5],
        z * R[2] - x * R[8],
        x * R[5] - y * R[2],
    )


def carry_back_se2(angle: Any, p: tuple[Any, Any]) -> Matrix:
    """What takes a motion (w, vx, vy) to the axes and the origin of a pose in the plane."""
    s, c = sincos(angle)
    x, y = p
    o = 0.0 * angle
    return (o + 1.0, o, o, s * x - c * y, c, s, c * x + s * y, -s, c)


def negated(m: Matrix) -> Matrix:
    """-m."""
    return (-m[0], -m[1], -m[2], -m[3], -m[4], -m[5], -m[6], -m[7], -m[8])


def _of_rotation(w: Vector, k: Vector) -> Matrix:
    """k0 1 + k1 [w] + k2 w w^T."""
    x, y, z = w
    one, turn, square = k
    tx, ty, tz = turn * x, turn * y, turn * z
    sx, sy, sz = square * x, square * y, square * z
    return (
        one + sx * x,
        sx * y - tz,
        sx * z + ty,
        sx * y + tz,
        one + sy * y,
        sy * z - tx,
        sx * z - ty,
        sy * z + tx,
        one + sz * z,
    )


def _along(m: MotionTuple, k: Vector, rates: Vector) -> Matrix:
    """The derivative of `_of_rotation` along v, with the coefficients' derivatives by x."""
    w, v = m
    A = _of_rotation(w, scale(2.0 * dot(w, v), rates))
    x, y, z = w
    turn, square = k[1], k[2]
    tx, ty, tz = scale(turn, v)
    sx, sy, sz = scale(square, v)
    xy, xz, yz = sx * y + sy * x, sx * z + sz * x, sy * z + sz * y
    return (
        A[0] + 2.0 * sx * x,
        A[1] + xy - tz,
        A[2] + xz + ty,
        A[3] + xy + tz,
        A[4] + 2.0 * sy * y,
        A[5] + yz - tx,
        A[6] + xz - ty,
        A[7] + yz + tx,
        A[8] + 2.0 * sz * z,
    )


def _in_plane(m: Vector, k: Vector) -> Matrix:
    """The rows and columns wz, vx, vy of J + eps Q for w along z and v across."""
    w, vx, vy = m
    one, turn, square = k
    o = 0.0 * w
    turned = turn * w
    along = square * w
    return (o + 1.0, o, o, along * vx + turn * vy, one, -turned, along * vy - turn * vx, turned, one)


def _exp_coefficients(x: Any) -> tuple[Vector, Vector]:
    """(c_1, -c_2, c_3), and their derivatives by x."""
    c2, c3, c4, c5 = _stumpff(x)
    return (1.0 - x * c3, -c2, c3), (0.5 * (c3 - c2), 0.5 * c3 - c4, 0.5 * (3.0 * c5 - c4))


def _stumpff(x: Any) -> tuple[Any, Any, Any, Any]:
    """c_2 to c_5 of a squared angle."""
    # 1/4! - x/6! + ... - x^7/18!, and 1/5! - x/7! + ... - x^7/19!
    c4 = 1.0 / 20922789888000.0 - x / 6402373705728000.0
    c4 = 1.0 / 3628800.0 - x * (1.0 / 479001600.0 - x * (1.0 / 87178291200.0 - x * c4))
    c4 = 1.0 / 24.0 - x * (1.0 / 720.0 - x * (1.0 / 40320.0 - x * c4))
    c5 = 1.0 / 355687428096000.0 - x / 121645100408832000.0
    c5 = 1.0 / 39916800.0 - x * (1.0 / 6227020800.0 - x * (1.0 / 1307674368000.0 - x * c5))
    c5 = 1.0 / 120.0 - x * (1.0 / 5040.0 - x * (1.0 / 362880.0 - x * c5))
    t2 = select_less(x, SHORT, 1.0, x)
    t = sqrt(t2)
    s, c = sincos(0.5 * t)
    closed2, closed3 = 2.0 * s * s / t2, (1.0 - 2.0 * s * c / t) / t2
    return (
        select_less(x, SHORT, 0.5 - x * c4, closed2),
        select_less(x, SHORT, 1.0 / 6.0 - x * c5, closed3),
        select_less(x, SHORT, c4, (0.5 - closed2) / t2),
        select_less(x, SHORT, c5, (1.0 / 6.0 - closed3) / t2),
    )


def _log_coefficients(x: Any) -> tuple[Vector, Vector]:
    """(g, 1/2, b), and their derivatives by x."""
    # b = 1/12 + x/720 + ... is the sum of |B_2k| x^(k - 1)/(2k)!, with Bernoulli's numbers
    b1, b2, b3, b4 = 1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0
    b5, b6, b7 = 1.0 / 47900160.0, 691.0 / 1307674368000.0, 1.0 / 74724249600.0
    b8, b9, b10 = 3617.0 / 10670622842880000.0, 43867.0 / 5109094217170944000.0, 174611.0 / 802857662698291200000.0
    b11 = 77683.0 / 14101100039391805440000.0
    b = b6 + x * (b7 + x * (b8 + x * (b9 + x * (b10 + x * b11))))
    b = b1 + x * (b2 + x * (b3 + x * (b4 + x * (b5 + x * b))))
    rate = 6.0 * b7 + x * (7.0 * b8 + x * (8.0 * b9 + x * (9.0 * b10 + x * (10.0 * b11))))
    rate = b2 + x * (2.0 * b3 + x * (3.0 * b4 + x * (4.0 * b5 + x * (5.0 * b6 + x * rate))))
    t2 = select_less(x, SHORT, 1.0, x)
    h = 0.5 * sqrt(t2)
    s, c = sincos(h)
    g = h * c / s
    closed = (1.0 - g) / t2
    # 2 x g' = g - h^2/sin(h)^2 = g - g^2 - h^2
    b, rate = (
        select_less(x, SHORT, b, closed),
        select_less(x, SHORT, rate, (0.125 - 0.5 * (g - g * g) / t2 - closed) / t2),
    )
    one = select_less(x, SHORT, 1.0 - x * b, g)
    o = 0.0 * x
    return (one, o + 0.5, b), (-b - x * rate, o, rate)
