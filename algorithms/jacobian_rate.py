"""The rate of a frame's Jacobian along qd, entry by entry. Derived from Featherstone (2008), section 2.10.

A column s of the Jacobian is fixed in body i. In coordinates that move with velocity u its rate is (v_i - u) x s.
In those of the frame v_i - u is what the joints beyond body i do, with the sign turned; at the world's
origin u = 0; in axes that do not turn, at the frame's origin, u is that origin's velocity. With v the frame's velocity
and r_i the sum of the joints' velocities beyond body i, v_i = v - r_i.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, present
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.joints import column_along, joint_motion, joint_transform
from ..model.model import Model
from ..model.moving_base import base_transform, base_velocity
from ..model.tree import Tree
from ..spatial.motions import (
    compose_transforms,
    cross_motion,
    invert_transform,
    minus,
    plus,
    transform_motion,
    transform_motion_back,
)
from ..spatial.storage import MOTION, TRANSFORM, load_motion, load_transform, store_motion, store_transform
from .call import Call
from .frames import (
    REFERENCES,
    add_column,
    clear_columns,
    frame_in_body,
    reference_velocity,
    to_reference,
    word_of,
)
from .kernels import tree_kernel
from .ways import AT_HOME, FRAME, NV, QD, Q, way


def jacobian_rate_state(
    tree: Tree, options: Any, q: Any, qd: Any, offset: Any, base: Any, rate: Any, work: Any
) -> None:
    """dJ/dt (6, nv); options: the frame's body, the reference."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    Y = after(work, tree.nq + tree.nv)
    r = after(Y, TRANSFORM * (tree.nb + 1))
    i, o = options[0], lift(work, 0.0)
    X, v = frame_in_body(tree, i, offset), ((o, o, o), (o, o, o))
    while i > 0:
        store_transform(Y, i, X)
        store_motion(r, i, v)
        v = plus(v, transform_motion_back(X, joint_motion(tree, i, qd_all)))
        X = compose_transforms(joint_transform(tree, i, q_all), X)
        i = tree.parent[i]
    if present(base):
        v = plus(v, transform_motion_back(X, base_velocity(base)))

    T = to_reference(options[1], compose_transforms(base_transform(tree, base, q), X), work)
    v = transform_motion(T, v)
    apart = minus(v, reference_velocity(options[1], v, work))
    clear_columns(tree.nv_free, rate)
    i = options[0]
    while i > 0:
        # (v_i - u) x s,  v_i = v - r_i
        store_transform(Y, i, compose_transforms(T, invert_transform(load_transform(Y, i))))
        w = minus(apart, transform_motion(T, load_motion(r, i)))
        for d in range(tree.dofs[i]):
            add_column(tree, tree.v_index[i] + d, cross_motion(w, column_along(tree, i, d, Y)), rate)
        i = tree.parent[i]


RATE = tree_kernel(
    "frame_jacobian_rate",
    jacobian_rate_state,
    4,
    lambda tree: tree.nq + tree.nv + (TRANSFORM + MOTION) * (tree.nb + 1),
)


@way(
    RATE,
    inputs=(Q, QD, FRAME, AT_HOME),
    result=(6, NV),
    named=("frame", "_frame_words"),
    words=(("reference", REFERENCES),),
)
def frame_jacobian_rate(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    reference: str = "local",
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The time derivative of `frame_jacobian` along qd, entry by entry.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    frame : the link's name.
    reference : of the Jacobian: "local", "world" or "local_world_aligned".
    base : how the base moves, if it does not stand still.
    out : (..., 6, nv) float64 array for the result.

    Returns
    -------
    rate : (..., 6, nv), per second.

    Raises
    ------
    UnknownNameError
        There is no such frame.
    TypeError, ValueError
        As `frame_jacobian`.

    Notes
    -----
    On a base that stands still, J qdd + rate qd is the spatial acceleration of the frame in the references "local" and
    "world", and in "local_world_aligned" the *classical* one: there the Jacobian's rows are velocities of a point.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> rate = fs.frame_jacobian_rate(arm, q, qd, "tip", "local_world_aligned")
    >>> classical = fs.frame_acceleration(arm, q, qd, [0, 0], "tip", "local_world_aligned", kind="classical")
    >>> bool(abs(rate @ qd - classical).max() < 1e-12)
    True
    """
    word = word_of("reference", reference, REFERENCES)
    call = Call(RATE, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.frame(frame, word)
    call.base(base)
    return call.run((6, model.nv), out)
