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
from ..spatial.storage import MOTION, TRANSFORM, load_motion, load_transform
from .joints import constant_transform
from .tree import Tree


def base_transform(tree: Tree, base: Any, like: Any) -> TransformTuple:
    """The pose of the base's canonical frame in the world."""
    return load_transform(base, 0) if present(base) else constant_transform(tree, 0, like)


def base_velocity(base: Any, like: Any) -> MotionTuple:
    """v_0."""
    o = lift(like, 0.0)
    return load_motion(after(base, TRANSFORM), 0) if present(base) else ((o, o, o), (o, o, o))


def base_acceleration(tree: Tree, base: Any, like: Any) -> MotionTuple:
    """a_0 = the base's own less gravity, which it is taken to accelerate against."""
    o, g = lift(like, 0.0), tree.gravity
    up = (lift(like, -g[0]), lift(like, -g[1]), lift(like, -g[2]))
    if not present(base):
        return ((o, o, o), up)
    R, _ = load_transform(base, 0)
    angular, linear = load_motion(after(base, TRANSFORM + MOTION), 0)
    x, y, z = rotate_back(R, up)
    return (angular, (linear[0] + x, linear[1] + y, linear[2] + z))
