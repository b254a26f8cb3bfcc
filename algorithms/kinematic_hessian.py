"""The derivatives of a frame's Jacobian by the configuration. Derived from Featherstone (2008), section 2.10.

Column s_i of the Jacobian is fixed in the body behind its joint. Degree of freedom j moves what it carries with s_j,
and the coordinates that are asked for with u_j. So the column's numbers change by (s_j - u_j) x s_i where j carries
that body, and by -u_j x s_i where it does not. In the frame's own coordinates u_j = s_j; at the world's origin u_j = 0;
in axes that do not turn, at the frame's origin, u_j is that origin's velocity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates
from ..model.joints import column_along
from ..model.model import Model
from ..model.moving_base import base_transform
from ..model.tree import Tree
from ..spatial.motions import MotionTuple, compose_transforms, cross_motion, invert_transform, times
from ..spatial.storage import MOTION, TRANSFORM, load_motion, load_transform, store_motion, store_transform
from .call import Call
from .frames import ALIGNED, REFERENCES, WORLD, frame_in_body, to_reference, walk_inward, word_of
from .kernels import tree_kernel
from .ways import AT_HOME, FRAME, NV, Q, way


def hessian_state(tree: Tree, options: Any, q: Any, offset: Any, base: Any, hessian: Any, work: Any) -> None:
    """dJ/dq (6, nv, nv); options: the frame's body, the reference."""
    q_all = all_coordinates(tree, q, work)
    Y = after(work, tree.nq)
    s = after(Y, TRANSFORM * (tree.nb + 1))
    i = options[0]
    X = walk_inward(tree, q_all, i, 0, frame_in_body(tree, i, offset), Y)
    T = to_reference(options[1], compose_transforms(base_transform(tree, base, q), X), work)
    last = -1
    while i > 0:
        store_transform(Y, i, compose_transforms(T, invert_transform(load_transform(Y, i))))
        for d in range(tree.dofs[i]):
            k = tree.v_index[i] + d
            store_motion(s, k, column_along(tree, i, d, Y))
            last = max(last, k)
        i = tree.parent[i]

    for k in range(MOTION * tree.nv_free * tree.nv_free):
        hessian[k] = lift(hessian, 0.0)
    k = last
    while k >= 0:
        # (s_j - u_j) x s_k where j carries k's body, which is then not before j's; -u_j x s_k where it does not
        j = last
        while j >= 0:
            apart = less_reference(options[1], tree.body[j] <= tree.body[k], load_motion(s, j), work)
            add_entry(tree, k, j, cross_motion(apart, load_motion(s, k)), hessian)
            j = tree.parent_dof[j]
        k = tree.parent_dof[k]


def less_reference(reference: int, carried: bool, s: MotionTuple, like: Any) -> MotionTuple:
    """s - u of a body that is carried along with s, else -u; u is how the coordinates that are asked for move."""
    o = lift(like, 0.0)
    if reference == ALIGNED:
        if carried:
            return (s[0], (o, o, o))
        return ((o, o, o), (-s[1][0], -s[1][1], -s[1][2]))
    if reference == WORLD:
        if carried:
            return s
        return ((o, o, o), (o, o, o))
    if carried:
        return ((o, o, o), (o, o, o))
    return times(-1.0, s)


def add_entry(tree: Tree, k: int, j: int, m: MotionTuple, hessian: Any) -> None:
    """Add to the user's array how column k changes with j: followers' entries join their leaders'."""
    n = tree.nv_free
    at, s = tree.v_source[k] * n + tree.v_source[j], tree.v_scale[k] * tree.v_scale[j]
    hessian[at] += s * m[0][0]
    hessian[n * n + at] += s * m[0][1]
    hessian[2 * n * n + at] += s * m[0][2]
    hessian[3 * n * n + at] += s * m[1][0]
    hessian[4 * n * n + at] += s * m[1][1]
    hessian[5 * n * n + at] += s * m[1][2]


HESSIAN = tree_kernel(
    "kinematic_hessian",
    hessian_state,
    3,
    lambda tree: tree.nq + TRANSFORM * (tree.nb + 1) + MOTION * tree.nv,
)


@way(
    HESSIAN,
    inputs=(Q, FRAME, AT_HOME),
    result=(6, NV, NV),
    named=("frame", "_frame_words"),
    words=(("reference", REFERENCES),),
)
def kinematic_hessian(
    model: Model,
    q: ArrayLike,
    frame: str,
    reference: str = "local",
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The derivatives of `frame_jacobian` by the configuration, entry by entry.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    frame : the link's name.
    reference : of the Jacobian: "local", "world" or "local_world_aligned".
    base : where the base is, if not at the world's frame.
    out : (..., 6, nv, nv) float64 array for the result.

    Returns
    -------
    hessian : (..., 6, nv, nv): [:, i, j] is how column i of the Jacobian changes with degree of freedom j, per rad or
        m. Where a rate is not that of a coordinate (of quaternions and planar joints), q moves along j as `integrate`
        moves it.

    Raises
    ------
    UnknownNameError
        There is no such frame.
    TypeError, ValueError
        As `frame_jacobian`.

    Notes
    -----
    `frame_jacobian_rate` is hessian qd, over the last dimension. Not symmetric in i and j, but for the linear rows in
    "local_world_aligned": they are second derivatives of a position, of joints whose rates are those of coordinates.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> fs.kinematic_hessian(arm, [0.6, -0.9], "tip", "local_world_aligned")[3].round(4)
    array([[-1.5896, -0.7643],
           [-0.7643, -0.7643]])
    """
    word = word_of("reference", reference, REFERENCES)
    call = Call(HESSIAN, model)
    call.configuration(q)
    call.frame(frame, word)
    call.base(base)
    return call.run((6, model.nv, model.nv), out)
