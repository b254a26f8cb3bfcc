"""Plücker transforms and cross products of motions and forces.

A motion is (angular, linear), a force (moment, force). A transform X = (R, p) holds the pose of frame B in frame A: the
rotation R_AB and the position p of B's origin in A's axes. Featherstone, Rigid Body Dynamics Algorithms (2008),
sections 2.8 and 2.9.
"""

from __future__ import annotations

from .rotations import Rotation, compose, rotate, rotate_back, transpose
from .vectors import Vector, add, cross, dot, scale, subtract

MotionTuple = tuple[Vector, Vector]
ForceTuple = tuple[Vector, Vector]
TransformTuple = tuple[Rotation, Vector]


def plus(a: MotionTuple, b: MotionTuple) -> MotionTuple:
    """a + b, for two motions or two forces."""
    return (add(a[0], b[0]), add(a[1], b[1]))


def minus(a: MotionTuple, b: MotionTuple) -> MotionTuple:
    """a - b, for two motions or two forces."""
    return (subtract(a[0], b[0]), subtract(a[1], b[1]))


def times(s, a: MotionTuple) -> MotionTuple:
    """s a, for a motion or a force."""
    return (scale(s, a[0]), scale(s, a[1]))


def power(m: MotionTuple, f: ForceTuple):
    """m . f, the power of a force over a motion."""
    return dot(m[0], f[0]) + dot(m[1], f[1])


def transform_motion(X: TransformTuple, m: MotionTuple) -> MotionTuple:
    """X_AB m: a motion's coordinates from B to A."""
    R, p = X
    angular = rotate(R, m[0])
    return (angular, add(rotate(R, m[1]), cross(p, angular)))


def transform_motion_back(X: TransformTuple, m: MotionTuple) -> MotionTuple:
    """X_BA m: a motion's coordinates from A to B."""
    R, p = X
    return (rotate_back(R, m[0]), rotate_back(R, subtract(m[1], cross(p, m[0]))))


def transform_force(X: TransformTuple, f: ForceTuple) -> ForceTuple:
    """X_AB* f: a force's coordinates from B to A."""
    R, p = X
    force = rotate(R, f[1])
    return (add(rotate(R, f[0]), cross(p, force)), force)


def transform_force_back(X: TransformTuple, f: ForceTuple) -> ForceTuple:
    """X_BA* f: a force's coordinates from A to B."""
    R, p = X
    return (rotate_back(R, subtract(f[0], cross(p, f[1]))), rotate_back(R, f[1]))


def turn_force(R: Rotation, f: ForceTuple) -> ForceTuple:
    """A force's coordinates from B to A, about the same origin."""
    return (rotate(R, f[0]), rotate(R, f[1]))


def shift_force(p: Vector, f: ForceTuple) -> ForceTuple:
    """A force's coordinates from B to A with parallel axes, B's origin at p in A."""
    return (add(f[0], cross(p, f[1])), f[1])


def shift_motion(p: Vector, m: MotionTuple) -> MotionTuple:
    """A motion's coordinates from A to B with parallel axes, B's origin at p in A."""
    return (m[0], add(m[1], cross(m[0], p)))


def compose_transforms(X: TransformTuple, Y: TransformTuple) -> TransformTuple:
    """X_AB Y_BC = X_AC."""
    return (compose(X[0], Y[0]), add(X[1], rotate(X[0], Y[1])))


def invert_transform(X: TransformTuple) -> TransformTuple:
    """X_BA."""
    back = rotate_back(X[0], X[1])
    return (transpose(X[0]), (-back[0], -back[1], -back[2]))


def cross_motion(v: MotionTuple, m: MotionTuple) -> MotionTuple:
    """v x m: the rate of a motion that is carried along by v."""
    return (cross(v[0], m[0]), add(cross(v[0], m[1]), cross(v[1], m[0])))


def cross_force(v: MotionTuple, f: ForceTuple) -> ForceTuple:
    """v x* f: the rate of a force that is carried along by v."""
    return (add(cross(v[0], f[0]), cross(v[1], f[1])), cross(v[0], f[1]))
