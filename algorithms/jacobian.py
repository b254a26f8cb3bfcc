"""The Jacobian of a frame, alone or as seen from another frame. Featherstone (2008), sections 2.7, 2.8 and 4.1.

A column is a joint's motion subspace, carried to the coordinates that are asked for. Only the joints between the two
frames move one against the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, present
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates
from ..model.joints import column_along
from ..model.model import Model
from ..model.moving_base import base_transform
from ..model.tree import Tree
from ..spatial.motions import TransformTuple, compose_transforms, invert_transform, times
from ..spatial.storage import TRANSFORM, load_transform, store_transform
from .call import Call
from .frames import REFERENCES, add_column, clear_columns, frame_in_body, to_reference, walk_inward, word_of
from .kernels import tree_kernel
from .ways import ABSENT, AT_HOME, FRAME, NV, Q, way


def jacobian_state(tree: Tree, options: Any, q: Any, offset: Any, other: Any, base: Any, J: Any, work: Any) -> None:
    """J (6, nv); options: the frame's body, the reference, the body of the other frame, 0 if that is the world."""
    q_all = all_coordinates(tree, q, work)
    Y = after(work, tree.nq)
    i, j = options[0], options[2]
    meet = common_body(tree, i, j)
    X = walk_inward(tree, q_all, i, meet, frame_in_body(tree, i, offset), Y)
    if present(other):
        # the frame in the other one, which takes the part of the world
        X_other = walk_inward(tree, q_all, j, meet, frame_in_body(tree, j, other), Y)
        X = compose_transforms(invert_transform(X_other), X)
    else:
        X = compose_transforms(base_transform(tree, base, q), X)
    T = to_reference(options[1], X, work)
    clear_columns(tree.nv_free, J)
    # J qd = T Y^-1 S qd, outward to the frame less outward to the other
    add_columns(tree, i, meet, 1.0, T, Y, J)
    add_columns(tree, j, meet, -1.0, compose_transforms(T, invert_transform(X)), Y, J)


def common_body(tree: Tree, i: int, j: int) -> int:
    """The last body that carries both; parents have smaller numbers."""
    while i != j:
        if i > j:
            i = tree.parent[i]
        else:
            j = tree.parent[j]
    return i


def add_columns(tree: Tree, i: int, end: int, sign: float, T: TransformTuple, Y: Any, J: Any) -> None:
    """Add the columns of the joints from body i inward to `end`; Y, the frame's pose in each, is overwritten."""
    while i != end:
        store_transform(Y, i, compose_transforms(T, invert_transform(load_transform(Y, i))))
        for d in range(tree.dofs[i]):
            add_column(tree, tree.v_index[i] + d, times(sign, column_along(tree, i, d, Y)), J)
        i = tree.parent[i]


JACOBIAN = tree_kernel("frame_jacobian", jacobian_state, 4, lambda tree: tree.nq + TRANSFORM * (tree.nb + 1))


@way(
    JACOBIAN,
    inputs=(Q, FRAME, ABSENT, AT_HOME),
    result=(6, NV),
    named=("frame", "_frame_words"),
    words=(("reference", REFERENCES),),
)
def frame_jacobian(
    model: Model,
    q: ArrayLike,
    frame: str,
    reference: str = "local",
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The matrix that takes qd to the velocity of a frame.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    frame : the link's name.
    reference : "local", the frame's axes and origin; "world", the world's axes and the body-fixed point at the world's
        origin; "local_world_aligned", the world's axes and the frame's origin.
    base : where the base is, if not at the world's frame. Its own velocity is no part of J qd.
    out : (..., 6, nv) float64 array for the result.

    Returns
    -------
    J : (..., 6, nv): `frame_velocity` is J qd, (angular; linear), where the base stands still.

    Raises
    ------
    UnknownNameError
        There is no such frame; the error suggests near ones.
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length, an unknown reference.

    Notes
    -----
    Column k is the motion subspace of degree of freedom k in the coordinates asked for, zero where it does not carry
    the frame. With mimic followers J G.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> fs.frame_jacobian(arm, [0.6, -0.9], "tip", "local_world_aligned")[3:5].round(4)
    array([[-0.3282,  0.2364],
           [ 1.5896,  0.7643]])
    """
    word = word_of("reference", reference, REFERENCES)
    call = Call(JACOBIAN, model)
    call.configuration(q)
    call.frame(frame, word, 0)
    call.absent("other")
    call.base(base)
    return call.run((6, model.nv), out)


def relative_jacobian(
    model: Model,
    q: ArrayLike,
    frame: str,
    seen_from: str,
    reference: str = "local",
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The matrix that takes qd to the velocity of a frame as seen from another frame, which may move.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    frame : the link whose motion is asked for.
    seen_from : the link that it is relative to. It takes the part of the world: where it and its base move makes no
        difference.
    reference : "local", the axes and origin of `frame`; "world", the axes and origin of `seen_from`;
        "local_world_aligned", the axes of `seen_from` and the origin of `frame`.
    out : (..., 6, nv) float64 array for the result.

    Returns
    -------
    J : (..., 6, nv): J qd is (angular; linear). Only the joints between the two frames have columns that are not zero.

    Raises
    ------
    UnknownNameError
        There is no such frame.
    TypeError, ValueError
        As `frame_jacobian`.

    Notes
    -----
    The velocity of the one less that of the other, as spatial vectors: Featherstone (2008), section 2.7.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> fs.relative_jacobian(arm, [0.6, -0.9], "tip", "l1", "local_world_aligned")[3:5].round(4) + 0.0
    array([[0.    , 0.6267],
           [0.    , 0.4973]])
    """
    word = word_of("reference", reference, REFERENCES)
    call = Call(JACOBIAN, model)
    call.configuration(q)
    call.frame(frame, word, call.carrier(seen_from))
    call.pose("seen_from", seen_from)
    call.base(None)
    return call.run((6, model.nv), out)
