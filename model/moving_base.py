"""What recursions ask about the base: where it is, and how it moves.

An array of 24 numbers: the pose in the world (rotation by rows, position), the velocity (omega; v) and the spatial
acceleration, both in the base's own axes about its origin. Where none is given, the base stands still at the world's
frame.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import after, lift, present
from ..spatial.motions import MotionTuple, TransformTuple
from ..spatial.rotations import rotate_back
from ..spatial.storage import MOTION, TRANSFORM, load_motion, load_transform, store_motion, store_transform
from ..spatial.vectors import add
from .joints import constant_transform
from .tree import Tree


def base_transform(tree: Tree, base: Any, like: Any) -> TransformTuple:
    """The pose of the base's canonical frame in the world."""
    return load_transform(base, 0) if present(base) else constant_transform(tree, 0, like)


def base_velocity(base: Any) -> MotionTuple:
    """v_0 of a base that moves."""
    return load_motion(after(base, TRANSFORM), 0)


def base_acceleration(base: Any) -> MotionTuple:
    """The spatial acceleration of a base that moves, gravity apart."""
    return load_motion(after(base, TRANSFORM + MOTION), 0)


# stored in each branch: two sets of registers that become one would cost a small robot a few per cent


def store_base_transform(tree: Tree, base: Any, X: Any, i: int) -> None:
    """Write the pose of the base as the i-th transform."""
    if present(base):
        store_transform(X, i, load_transform(base, 0))
    else:
        store_transform(X, i, constant_transform(tree, 0, X))


def store_base_velocity(base: Any, v: Any, i: int) -> None:
    """Write v_0 as the i-th motion; 0 if the base stands still."""
    if present(base):
        store_motion(v, i, base_velocity(base))
    else:
        o = lift(v, 0.0)
        store_motion(v, i, ((o, o, o), (o, o, o)))


def store_base_rate(base: Any, a: Any, i: int) -> None:
    """Write the base's own acceleration as the i-th motion, gravity apart; 0 if it stands still."""
    if present(base):
        store_motion(a, i, base_acceleration(base))
    else:
        o = lift(a, 0.0)
        store_motion(a, i, ((o, o, o), (o, o, o)))


def store_base_acceleration(tree: Tree, base: Any, a: Any, i: int) -> None:
    """Write a_0 as the i-th motion: the base's own less gravity, which it is taken to accelerate against."""
    o, g = lift(a, 0.0), tree.gravity
    up = (lift(a, -g[0]), lift(a, -g[1]), lift(a, -g[2]))
    if present(base):
        angular, linear = base_acceleration(base)
        store_motion(a, i, (angular, add(linear, rotate_back(load_transform(base, 0)[0], up))))
    else:
        store_motion(a, i, ((o, o, o), up))
