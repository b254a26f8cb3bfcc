"""Exponential and logarithm of rotations (as unit quaternions), of poses and of poses in a plane.

A motion m that stays constant in the axes of the moving frame carries that frame, within a unit of time, from the
identity to exp(m); log is the smallest motion that leads there. With t the length of the rotation vector w,

    exp(w, v) = (quaternion (sin(t/2)/t w, cos(t/2)), p = v + 2 (sin(t/2)/t)^2 w x v + (t - sin t)/t^3 w x (w x v))
    v of log  = p - 1/2 w x p + (1 - t/2 cot(t/2))/t^2 w x (w x p)

Half angles leave two differences that cancel, both at small angles, where their power series stand in. Solà, Deray and
Atchuthan, A micro Lie theory for state estimation in robotics (2018), appendices.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import atan2, select_less, sincos, sqrt
from .motions import MotionTuple
from .rotations import Quaternion, Rotation
from .vectors import Vector, add, cross, dot, scale

SMALL = 1e-6  # squared angle below which three terms of a series are more than exact to rounding
MODERATE = 0.25  # squared angle below which the longer series of the two cancelling differences are


def exp_quaternion(w: Vector) -> Quaternion:
    """The unit quaternion of a rotation vector, of any length."""
    k, c = _half_angle(dot(w, w))
    return (k * w[0], k * w[1], k * w[2], c)


def log_quaternion(quaternion: Quaternion) -> Vector:
    """The rotation vector, not longer than pi, of a quaternion of any length; q and -q give the same, also at pi."""
    return scale(_log_factor(quaternion), (quaternion[0], quaternion[1], quaternion[2]))


def exp_se3(m: MotionTuple) -> tuple[Quaternion, Vector]:
    """The pose, as quaternion and position, that the motion m in body axes leads to."""
    w, v = m
    t2 = dot(w, w)
    k, c = _half_angle(t2)
    # (t - sin t)/t^3 = 1/3! - t^2/5! + t^4/7! - ..., and sin t = 2 t k c
    tail = 1.0 / 362880.0 - t2 * (1.0 / 39916800.0 - t2 * (1.0 / 6227020800.0 - t2 / 1307674368000.0))
    series = 1.0 / 6.0 - t2 * (1.0 / 120.0 - t2 * (1.0 / 5040.0 - t2 * tail))
    b = select_less(t2, MODERATE, series, (1.0 - 2.0 * k * c) / select_less(t2, MODERATE, 1.0, t2))
    turned = cross(w, v)
    p = add(v, add(scale(2.0 * k * k, turned), scale(b, cross(w, turned))))
    return (k * w[0], k * w[1], k * w[2], c), p


def log_se3(quaternion: Quaternion, p: Vector) -> MotionTuple:
    """The motion in body axes that leads to a pose, turning by pi at most; quaternions as in `log_quaternion`."""
    factor = _log_factor(quaternion)
    w = scale(factor, (quaternion[0], quaternion[1], quaternion[2]))
    t2 = dot(w, w)
    # (1 - t/2 cot(t/2))/t^2 = sum of |B_2k| t^(2k - 2)/(2k)!, with Bernoulli's numbers
    tail = 691.0 / 1307674368000.0 + t2 * (1.0 / 74724249600.0 + t2 * (3617.0 / 10670622842880000.0))
    tail = 1.0 / 30240.0 + t2 * (1.0 / 1209600.0 + t2 * (1.0 / 47900160.0 + t2 * tail))
    series = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * tail)
    closed = 1.0 - 0.5 * factor * quaternion[3]
    b = select_less(t2, MODERATE, series, closed / select_less(t2, MODERATE, 1.0, t2))
    turned = cross(w, p)
    return w, add(p, add(scale(-0.5, turned), scale(b, cross(w, turned))))


def exp_se2(m: Vector) -> tuple[Any, tuple[Any, Any]]:
    """The angle and position that the motion m = (w, vx, vy) in body axes leads to; the angle is w, not wrapped."""
    angle, vx, vy = m
    h = 0.5 * angle
    s, c = sincos(h)
    h2 = h * h
    # sin(h)/h
    k = select_less(h2, SMALL, 1.0 - h2 * (1.0 / 6.0 - h2 / 120.0), s / select_less(h2, SMALL, 1.0, h))
    return angle, (k * (c * vx - s * vy), k * (s * vx + c * vy))


def log_se2(angle: Any, p: tuple[Any, Any]) -> Vector:
    """The motion (w, vx, vy) in body axes that turns by `angle`, not wrapped, and leads to position p.

    Exists for every angle but 2 pi k, k != 0: full turns at a steady motion end where they began, so only p = 0 can be
    reached, and the motion grows without bound towards them (p times the angle over its distance from 2 pi k).
    """
    x, y = p
    h = 0.5 * angle
    s, c = sincos(h)
    h2 = h * h
    # h cot(h)
    series = 1.0 - h2 * (1.0 / 3.0 + h2 / 45.0)
    k = select_less(h2, SMALL, series, h * c / select_less(h2, SMALL, 1.0, s))
    return angle, k * x + h * y, k * y - h * x


def normalize_quaternion(quaternion: Quaternion) -> Quaternion:
    """The quaternion with its length divided out; it must not be zero."""
    x, y, z, w = quaternion
    s = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    return (s * x, s * y, s * z, s * w)


def quaternion_from_rotation(R: Rotation) -> Quaternion:
    """The unit quaternion of a rotation, with its largest component positive."""
    # 4 q q^T has four multiples of q as rows; the one with the largest diagonal entry has the least rounding error
    a, b, c = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    d, e, f = R[1] + R[3], R[2] + R[6], R[5] + R[7]
    row_x = (1.0 + R[0] - R[4] - R[8], d, e, a)
    row_y = (d, 1.0 - R[0] + R[4] - R[8], f, b)
    row_z = (e, f, 1.0 - R[0] - R[4] + R[8], c)
    row_w = (a, b, c, 1.0 + R[0] + R[4] + R[8])
    first = _select_row(row_x[0], row_y[1], row_y, row_x)
    second = _select_row(row_z[2], row_w[3], row_w, row_z)
    largest_first = select_less(row_x[0], row_y[1], row_y[1], row_x[0])
    largest_second = select_less(row_z[2], row_w[3], row_w[3], row_z[2])
    return normalize_quaternion(_select_row(largest_first, largest_second, second, first))


def _select_row(a: Any, b: Any, then: Quaternion, otherwise: Quaternion) -> Quaternion:
    return (
        select_less(a, b, then[0], otherwise[0]),
        select_less(a, b, then[1], otherwise[1]),
        select_less(a, b, then[2], otherwise[2]),
        select_less(a, b, then[3], otherwise[3]),
    )


def _half_angle(t2: Any) -> tuple[Any, Any]:
    """sin(t/2)/t and cos(t/2) of an angle given squared."""
    t = sqrt(select_less(t2, SMALL, 1.0, t2))
    s, c = sincos(0.5 * t)
    return (
        select_less(t2, SMALL, 0.5 - t2 * (1.0 / 48.0 - t2 / 3840.0), s / t),
        select_less(t2, SMALL, 1.0 - t2 * (1.0 / 8.0 - t2 / 384.0), c),
    )


def _log_factor(quaternion: Quaternion) -> Any:
    """What takes a quaternion's vector part to the rotation vector: the angle, with the sign of w, over its length."""
    x, y, z, w = quaternion
    # at a half turn, w = 0, the first component that is not zero decides between q and -q
    sign = _sign_or(w, _sign_or(x, _sign_or(y, _sign_or(z, 1.0))))
    n2, w2 = x * x + y * y + z * z, w * w
    n = sqrt(select_less(n2, SMALL * w2, 1.0, n2))
    turn = 2.0 * atan2(n, sign * w) / n
    # 2 atan(n/w)/n
    safe = select_less(n2, SMALL * w2, w, 1.0)
    r2 = n2 / (safe * safe)
    return select_less(n2, SMALL * w2, 2.0 / safe * (1.0 - r2 * (1.0 / 3.0 - r2 / 5.0)), sign * turn)


def _sign_or(a: Any, otherwise: Any) -> Any:
    """1 or -1 as `a` is positive or negative, `otherwise` if it is zero."""
    return select_less(a, 0.0, -1.0, select_less(0.0, a, 1.0, otherwise))
