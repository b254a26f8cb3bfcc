"""Spatial quantities in flat arrays, one after another: the i-th motion of an array is `load_motion(array, i)`."""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift
from .coriolis import CoriolisTuple, add_coriolis
from .inertias import ArticulatedTuple, RigidTuple, add_inertias
from .motions import ForceTuple, MotionTuple, TransformTuple
from .rotations import Rotation
from .vectors import Vector

TRANSFORM = 12  # scalars in a transform: rotation, position
MOTION = 6  # in a motion or a force
RIGID = 10  # in a rigid-body inertia: mass, first moment, rotational inertia
CORIOLIS = 12  # in what velocity adds to the dynamics: K, P
ARTICULATED = 21  # in an articulated-body inertia: M, H, I


def load_rotation(array: Any, i: int) -> Rotation:
    """The i-th rotation."""
    k = 9 * i
    return (
        array[k],
        array[k + 1],
        array[k + 2],
        array[k + 3],
        array[k + 4],
        array[k + 5],
        array[k + 6],
        array[k + 7],
        array[k + 8],
    )


def load_transform(array: Any, i: int) -> TransformTuple:
    """The i-th transform."""
    k = TRANSFORM * i
    R = (
        array[k],
        array[k + 1],
        array[k + 2],
        array[k + 3],
        array[k + 4],
        array[k + 5],
        array[k + 6],
        array[k + 7],
        array[k + 8],
    )
    return (R, (array[k + 9], array[k + 10], array[k + 11]))


def load_axis(array: Any, i: int, axis: int) -> Vector:
    """A column of the i-th transform's rotation."""
    k = TRANSFORM * i + axis
    return (array[k], array[k + 3], array[k + 6])


def store_transform(array: Any, i: int, X: TransformTuple) -> None:
    """Write the i-th transform."""
    k = TRANSFORM * i
    R, p = X
    array[k], array[k + 1], array[k + 2] = R[0], R[1], R[2]
    array[k + 3], array[k + 4], array[k + 5] = R[3], R[4], R[5]
    array[k + 6], array[k + 7], array[k + 8] = R[6], R[7], R[8]
    array[k + 9], array[k + 10], array[k + 11] = p[0], p[1], p[2]


def load_pose(array: Any, i: int) -> TransformTuple:
    """The i-th transform of homogeneous 4x4 matrices."""
    k = 16 * i
    R = (
        array[k],
        array[k + 1],
        array[k + 2],
        array[k + 4],
        array[k + 5],
        array[k + 6],
        array[k + 8],
        array[k + 9],
        array[k + 10],
    )
    return (R, (array[k + 3], array[k + 7], array[k + 11]))


def store_pose(array: Any, i: int, X: TransformTuple) -> None:
    """Write the i-th homogeneous 4x4 matrix."""
    k = 16 * i
    R, p = X
    o, one = lift(array, 0.0), lift(array, 1.0)
    array[k], array[k + 1], array[k + 2], array[k + 3] = R[0], R[1], R[2], p[0]
    array[k + 4], array[k + 5], array[k + 6], array[k + 7] = R[3], R[4], R[5], p[1]
    array[k + 8], array[k + 9], array[k + 10], array[k + 11] = R[6], R[7], R[8], p[2]
    array[k + 12], array[k + 13], array[k + 14], array[k + 15] = o, o, o, one


def load_motion(array: Any, i: int) -> MotionTuple:
    """The i-th motion or force."""
    k = MOTION * i
    return ((array[k], array[k + 1], array[k + 2]), (array[k + 3], array[k + 4], array[k + 5]))


def store_motion(array: Any, i: int, m: MotionTuple) -> None:
    """Write the i-th motion or force."""
    k = MOTION * i
    array[k], array[k + 1], array[k + 2] = m[0][0], m[0][1], m[0][2]
    array[k + 3], array[k + 4], array[k + 5] = m[1][0], m[1][1], m[1][2]


load_force = load_motion
store_force = store_motion


def add_force(array: Any, i: int, f: ForceTuple) -> None:
    """Add to the i-th force."""
    k = MOTION * i
    array[k] += f[0][0]
    array[k + 1] += f[0][1]
    array[k + 2] += f[0][2]
    array[k + 3] += f[1][0]
    array[k + 4] += f[1][1]
    array[k + 5] += f[1][2]


def load_inertia(array: Any, i: int) -> RigidTuple:
    """The i-th rigid-body inertia."""
    k = RIGID * i
    I = (array[k + 4], array[k + 5], array[k + 6], array[k + 7], array[k + 8], array[k + 9])
    return (array[k], (array[k + 1], array[k + 2], array[k + 3]), I)


def store_inertia(array: Any, i: int, inertia: RigidTuple) -> None:
    """Write the i-th rigid-body inertia."""
    k = RIGID * i
    m, h, I = inertia
    array[k], array[k + 1], array[k + 2], array[k + 3] = m, h[0], h[1], h[2]
    array[k + 4], array[k + 5], array[k + 6] = I[0], I[1], I[2]
    array[k + 7], array[k + 8], array[k + 9] = I[3], I[4], I[5]


def add_coefficients(array: Any, k: int, s: Any, inertia: RigidTuple) -> None:
    """Add s times the numbers of a rigid-body inertia to those from entry k on."""
    m, h, I = inertia
    array[k] += s * m
    array[k + 1] += s * h[0]
    array[k + 2] += s * h[1]
    array[k + 3] += s * h[2]
    array[k + 4] += s * I[0]
    array[k + 5] += s * I[1]
    array[k + 6] += s * I[2]
    array[k + 7] += s * I[3]
    array[k + 8] += s * I[4]
    array[k + 9] += s * I[5]


def add_inertia(array: Any, i: int, inertia: RigidTuple) -> None:
    """Add to the i-th rigid-body inertia."""
    store_inertia(array, i, add_inertias(load_inertia(array, i), inertia))


def load_coriolis(array: Any, i: int) -> CoriolisTuple:
    """The i-th K and P."""
    return load_transform(array, i)


def store_coriolis(array: Any, i: int, B: CoriolisTuple) -> None:
    """Write the i-th K and P."""
    store_transform(array, i, B)


def add_to_coriolis(array: Any, i: int, B: CoriolisTuple) -> None:
    """Add to the i-th K and P."""
    store_coriolis(array, i, add_coriolis(load_coriolis(array, i), B))


def load_articulated(array: Any, i: int) -> ArticulatedTuple:
    """The i-th articulated-body inertia."""
    k = ARTICULATED * i
    M = (array[k], array[k + 1], array[k + 2], array[k + 3], array[k + 4], array[k + 5])
    k += 6
    H = (
        array[k],
        array[k + 1],
        array[k + 2],
        array[k + 3],
        array[k + 4],
        array[k + 5],
        array[k + 6],
        array[k + 7],
        array[k + 8],
    )
    k += 9
    return (M, H, (array[k], array[k + 1], array[k + 2], array[k + 3], array[k + 4], array[k + 5]))


def store_articulated(array: Any, i: int, inertia: ArticulatedTuple) -> None:
    """Write the i-th articulated-body inertia."""
    k = ARTICULATED * i
    M, H, I = inertia
    array[k], array[k + 1], array[k + 2], array[k + 3], array[k + 4], array[k + 5] = M[0], M[1], M[2], M[3], M[4], M[5]
    k += 6
    array[k], array[k + 1], array[k + 2] = H[0], H[1], H[2]
    array[k + 3], array[k + 4], array[k + 5] = H[3], H[4], H[5]
    array[k + 6], array[k + 7], array[k + 8] = H[6], H[7], H[8]
    k += 9
    array[k], array[k + 1], array[k + 2], array[k + 3], array[k + 4], array[k + 5] = I[0], I[1], I[2], I[3], I[4], I[5]
