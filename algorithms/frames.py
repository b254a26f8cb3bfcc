"""Frames, and what their motion is measured in: axes and a point, the `reference`.

A frame is a link's: some body carries it, at a constant pose. All that concerns one frame is a walk from its body
inward to the base. On the way Y is the frame's pose in the body that has been reached, so Y^-1 S is the motion subspace
of that body's joint in the frame's own coordinates. Featherstone (2008), sections 2.8 and 4.1.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift
from ..model.joints import joint_transform
from ..model.tree import Tree
from ..spatial.motions import MotionTuple, TransformTuple, compose_transforms
from ..spatial.rotations import compose, rotate_back, transpose
from ..spatial.storage import MOTION, load_pose, load_rotation, store_transform

LOCAL, WORLD, ALIGNED = range(3)
REFERENCES = ("local", "world", "local_world_aligned")
KINDS = ("spatial", "classical")


def word_of(name: str, value: object, words: tuple[str, ...]) -> int:
    """The number of one of the words that an argument may be."""
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name}: expected {', '.join(map(repr, words[:-1]))} or {words[-1]!r}, got {value!r}")
    return words.index(value)


def frame_in_body(tree: Tree, i: int, offset: Any) -> TransformTuple:
    """A frame's pose in body i's canonical frame; `offset` is its 4x4 pose in the body's link frame."""
    R, p = load_pose(offset, 0)
    L = load_rotation(tree.link_rotation, i)
    return (compose(transpose(L), R), rotate_back(L, p))


def walk_inward(tree: Tree, q: Any, i: int, end: int, X: TransformTuple, poses: Any) -> TransformTuple:
    """The pose in body `end` of a frame with pose X in body i; those in the bodies between are kept."""
    while i != end:
        store_transform(poses, i, X)
        X = compose_transforms(joint_transform(tree, i, q), X)
        i = tree.parent[i]
    return X


def to_reference(reference: int, X: TransformTuple, like: Any) -> TransformTuple:
    """From a frame's own coordinates to those asked for; X is the frame's pose in the world."""
    o, one = lift(like, 0.0), lift(like, 1.0)
    if reference == WORLD:
        return X
    if reference == ALIGNED:
        return (X[0], (o, o, o))
    return ((one, o, o, o, one, o, o, o, one), (o, o, o))


def reference_velocity(reference: int, v: MotionTuple, like: Any) -> MotionTuple:
    """How the coordinate system that is asked for moves, in itself; v is the frame's velocity in it."""
    o = lift(like, 0.0)
    if reference == LOCAL:
        return v
    if reference == ALIGNED:
        return ((o, o, o), v[1])
    return ((o, o, o), (o, o, o))


def clear_columns(count: int, J: Any) -> None:
    """Zeros in a matrix of six rows."""
    for k in range(MOTION * count):
        J[k] = lift(J, 0.0)


def add_column(tree: Tree, k: int, m: MotionTuple, J: Any) -> None:
    """Add to the user's matrix the column of degree of freedom k: a follower's joins its leader's, J G."""
    n, at, s = tree.nv_free, tree.v_source[k], tree.v_scale[k]
    J[at] += s * m[0][0]
    J[n + at] += s * m[0][1]
    J[2 * n + at] += s * m[0][2]
    J[3 * n + at] += s * m[1][0]
    J[4 * n + at] += s * m[1][1]
    J[5 * n + at] += s * m[1][2]
