"""Velocity and acceleration of a frame. Featherstone (2008), section 5.3 and, on the two accelerations, 2.11.

The frame's velocity is the sum of those across the joints that carry it, and its acceleration follows from
a_i = a_parent + S qdd + v_i x S qd. Summed up in the frame's own coordinates with v_i = v - r_i, where r_i is what the
joints beyond body i contribute to the frame's velocity v, and v x v = 0, this is one walk inward:

    a = sum of S qdd - r_i x S qd        r += S qd

for a base that moves as for a joint.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, present
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.joints import joint_motion, joint_transform
from ..model.model import Model
from ..model.moving_base import base_acceleration, base_transform, base_velocity
from ..model.tree import Tree
from ..spatial.motions import (
    compose_transforms,
    cross_motion,
    minus,
    plus,
    transform_motion,
    transform_motion_back,
)
from ..spatial.storage import store_motion
from ..spatial.vectors import add, cross
from .call import Call
from .frames import KINDS, REFERENCES, frame_in_body, to_reference, word_of
from .kernels import tree_kernel
from .ways import ABSENT, AT_HOME, FRAME, QD, QDD, Q, way


def motion_state(
    tree: Tree, options: Any, q: Any, qd: Any, qdd: Any, offset: Any, base: Any, motion: Any, work: Any
) -> None:
    """The acceleration, or without qdd the velocity; options: the frame's body, the reference, whether classical."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    qdd_all = all_rates(tree, qdd, after(work, tree.nq + tree.nv)) if present(qdd) else qdd
    i, o = options[0], lift(work, 0.0)
    Y = frame_in_body(tree, i, offset)
    r = a = ((o, o, o), (o, o, o))
    while i > 0:
        vJ = transform_motion_back(Y, joint_motion(tree, i, qd_all))
        if present(qdd):
            a = plus(a, minus(transform_motion_back(Y, joint_motion(tree, i, qdd_all)), cross_motion(r, vJ)))
        r = plus(r, vJ)
        Y = compose_transforms(joint_transform(tree, i, q_all), Y)
        i = tree.parent[i]
    if present(base):
        v_0 = transform_motion_back(Y, base_velocity(base))
        a = plus(a, minus(transform_motion_back(Y, base_acceleration(base)), cross_motion(r, v_0)))
        r = plus(r, v_0)

    T = to_reference(options[1], compose_transforms(base_transform(tree, base, q), Y), work)
    v = transform_motion(T, r)
    if present(qdd):
        a = transform_motion(T, a)
        if options[2]:
            a = (a[0], add(a[1], cross(v[0], v[1])))
        store_motion(motion, 0, a)
    else:
        store_motion(motion, 0, v)


FRAME_MOTION = tree_kernel("frame_motion", motion_state, 5, lambda tree: tree.nq + 2 * tree.nv)


@way(
    FRAME_MOTION,
    inputs=(Q, QD, ABSENT, FRAME, AT_HOME),
    result=(6,),
    named=("frame", "_frame_words"),
    words=(("reference", REFERENCES),),
)
def frame_velocity(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    reference: str = "local",
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The velocity of a frame: of any link of the description.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    frame : the link's name.
    reference : "local", the frame's axes and origin; "world", the world's axes and the body-fixed point at the world's
        origin; "local_world_aligned", the world's axes and the frame's origin.
    base : how the base moves, if it does not stand still.
    out : (..., 6) float64 array for the result.

    Returns
    -------
    v : (..., 6) (angular; linear), rad/s and m/s.

    Raises
    ------
    UnknownNameError
        There is no such frame.
    TypeError, ValueError
        As `frame_jacobian`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> fs.frame_velocity(arm, [0.6, -0.9], [1.0, 0.5], "tip", "local_world_aligned").round(4) + 0.0
    array([ 0.    ,  0.    ,  1.5   , -0.21  ,  1.9717,  0.    ])
    """
    word = word_of("reference", reference, REFERENCES)
    call = Call(FRAME_MOTION, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.absent("qdd")
    call.frame(frame, word, 0)
    call.base(base)
    return call.run((6,), out)


@way(
    FRAME_MOTION,
    inputs=(Q, QD, QDD, FRAME, AT_HOME),
    result=(6,),
    named=("frame", "_frame_words"),
    words=(("reference", REFERENCES), ("kind", KINDS)),
)
def frame_acceleration(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    frame: str,
    reference: str = "local",
    *,
    kind: str = "spatial",
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The acceleration of a frame, spatial or classical. Gravity is no part of it.

    Parameters
    ----------
    model : the robot.
    q, qd, qdd : (..., nq), (..., nv) and (..., nv), the state and its acceleration.
    frame : the link's name.
    reference : the axes and the point, as in `frame_velocity`.
    kind : "spatial", the rate of the spatial velocity; "classical", that of the point of the reference: the linear part
        is larger by omega x v. An accelerometer feels the classical one, less gravity.
    base : how the base moves, if it does not stand still.
    out : (..., 6) float64 array for the result.

    Returns
    -------
    a : (..., 6) (angular; linear), rad/s^2 and m/s^2.

    Raises
    ------
    UnknownNameError
        There is no such frame.
    TypeError, ValueError
        As `frame_jacobian`; an unknown kind.

    Notes
    -----
    Featherstone (2008), section 2.11 on the two accelerations. The spatial one in "local_world_aligned" is that of
    "local" with turned axes.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, still = fs.models.load("planar_2r"), [0.0, 0.0]
    >>> fs.frame_acceleration(arm, still, [2.0, 0.0], still, "tip", kind="classical").round(4) + 0.0
    array([ 0. ,  0. ,  0. , -7.2,  0. ,  0. ])
    """
    word, classical = word_of("reference", reference, REFERENCES), word_of("kind", kind, KINDS)
    call = Call(FRAME_MOTION, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("qdd", qdd)
    call.frame(frame, word, classical)
    call.base(base)
    return call.run((6,), out)
