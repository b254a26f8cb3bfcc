"""Regressors of torque and momentum: what is linear in the parameters of bodies and drives, tau = Y pi.

Of the power that a motion s gets from body i, s . (I a + v x* I v) = s . I a + (s x v) . I v, each term is linear in
the ten numbers of I (`inertia_coefficients`). With s the motion subspace of a joint that carries the body, that is the
joint's row. So for each body there is a walk inward over these joints, all in the body's link frame, in which its
parameters are told. Atkeson, An and Hollerbach, Estimation of inertial parameters of manipulator loads and links
(1986); Featherstone (2008), section 2.14.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, exp, lift, present, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.handover import keep_motion, parent_motion
from ..model.joints import cross_joint_motion, joint_transform, link_pose, motion_subspace, plus_joint_motion
from ..model.losses import smoothed_sign
from ..model.model import Model
from ..model.moving_base import store_base_acceleration, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import RigidTuple, add_inertias, inertia_coefficients
from ..spatial.motions import (
    MotionTuple,
    compose_transforms,
    cross_motion,
    plus,
    transform_motion_back,
)
from ..spatial.storage import MOTION, RIGID, TRANSFORM, add_coefficients, load_transform, store_transform
from ..spatial.vectors import dot
from .call import Call
from .kernels import tree_kernel
from .ways import ABSENT, AT_HOME, NV, QD, QDD, Q, way

PARAMETERS = "parameters"  # a result's size, as the tree names it


def regressor_state(tree: Tree, options: Any, q: Any, qd: Any, qdd: Any, base: Any, Y: Any, work: Any) -> None:
    """Y of the torque, or without qdd of the momentum H qd; options: columns of drives, and where each kind begins."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    qdd_all = all_rates(tree, qdd, after(work, tree.nq + tree.nv)) if present(qdd) else qd_all
    X_up = after(work, tree.nq + 2 * tree.nv)
    v = after(X_up, TRANSFORM * (tree.nb + 1))
    a = after(v, MOTION * tree.places)
    q_all = with_sines(q_all, tree.nq, after(a, MOTION * tree.places))
    store_base_velocity(base, v, tree.place[0])
    store_base_acceleration(tree, base, a, tree.place[0])
    columns = tree.parameters + options[0]
    for k in range(tree.nv_free * columns):
        Y[k] = lift(Y, 0.0)
    o = lift(v, 0.0)
    for i in range(1, tree.nb + 1):
        X = joint_transform(tree, i, q_all)
        store_transform(X_up, i, X)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, v)), qd_all)
        keep_motion(tree, i, v_i, v)
        # the force is I a + v x* I v, the momentum I v
        rate, moving = v_i, ((o, o, o), (o, o, o))
        if present(qdd):
            carried = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, a)), qdd_all)
            rate, moving = plus(carried, cross_joint_motion(tree, i, v_i, qd_all)), v_i
            keep_motion(tree, i, rate, a)
        if tree.link[i] > 0:
            add_body(tree, i, columns, rate, moving, X_up, Y)
        if options[0] > 0 and tree.rotor[i] > 0 and options[2] >= 0:
            add_rotor(tree, i, columns, options[2], rate, moving, qd_all, qdd_all, X_up, Y)
    if options[0] > 0:
        add_drives(tree, options, columns, present(qdd), qd_all, qdd_all, Y)


def add_body(tree: Tree, i: int, columns: int, rate: MotionTuple, moving: MotionTuple, X_up: Any, Y: Any) -> None:
    """The ten columns of body i, in the rows of all that carries it."""
    X = link_pose(tree, i, Y)  # of the link in the body that has been reached
    a, v = transform_motion_back(X, rate), transform_motion_back(X, moving)
    j = i
    while j > 0:
        for d in range(tree.dofs[j]):
            s = transform_motion_back(X, motion_subspace(tree, j, d, Y))
            k = tree.v_index[j] + d
            at = tree.v_source[k] * columns + RIGID * (tree.link[i] - 1)
            add_coefficients(Y, at, tree.v_scale[k], power_coefficients(s, a, v))
        X = compose_transforms(load_transform(X_up, j), X)
        j = tree.parent[j]


def power_coefficients(s: MotionTuple, a: MotionTuple, v: MotionTuple) -> RigidTuple:
    """What s . (I a + v x* I v) has for each of the ten numbers of I."""
    return add_inertias(inertia_coefficients(s, a), inertia_coefficients(cross_motion(s, v), v))


def add_rotor(
    tree: Tree,
    i: int,
    columns: int,
    start: int,
    rate: MotionTuple,
    moving: MotionTuple,
    qd: Any,
    qdd: Any,
    X_up: Any,
    Y: Any,
) -> None:
    """The column of a gyroscopic rotor's inertia: what its spin adds, as its carrier has it as if it stood still.

    With axis z and spin s, J (z . dw/dt) on its own coordinate, and the moment J (z ds/dt + w x z s) on its carrier.
    """
    k, column = tree.v_index[i], start + tree.rotor[i] - 1
    Y[tree.v_source[k] * columns + column] += tree.v_scale[k] * rate[0][2]
    w = moving[0]
    moment = (w[1] * qd[k], -w[0] * qd[k], qdd[k])
    X, j = load_transform(X_up, i), tree.parent[i]
    while j > 0:
        for d in range(tree.dofs[j]):
            s = transform_motion_back(X, motion_subspace(tree, j, d, Y))
            k = tree.v_index[j] + d
            Y[tree.v_source[k] * columns + column] += tree.v_scale[k] * dot(s[0], moment)
        X = compose_transforms(load_transform(X_up, j), X)
        j = tree.parent[j]


def add_drives(tree: Tree, options: Any, columns: int, lossy: bool, qd: Any, qdd: Any, Y: Any) -> None:
    """The columns of armature, and of damping and friction, each in the row of its degree of freedom."""
    for k in range(tree.nv):
        if tree.drive[k] > 0:
            at, s = tree.v_source[k] * columns + tree.drive[k] - 1, tree.v_scale[k]
            if options[1] >= 0:
                Y[at + options[1]] += s * qdd[k]
            if lossy and options[3] >= 0:
                Y[at + options[3]] += s * qd[k]
            if lossy and options[4] >= 0:
                Y[at + options[4]] += s * smoothed_sign(tree, k, qd)
            if lossy and options[5] >= 0:
                x = qd[k] * tree.decay[k]
                Y[at + options[5]] += s * exp(-x * x) * smoothed_sign(tree, k, qd)


def regressor_work(tree: Tree) -> int:
    """Entries of work memory."""
    return 3 * tree.nq + 2 * tree.nv + TRANSFORM * (tree.nb + 1) + 2 * MOTION * tree.places


REGRESSOR = tree_kernel("torque_regressor", regressor_state, 4, regressor_work)


@way(REGRESSOR, inputs=(Q, QD, QDD, AT_HOME), result=(NV, PARAMETERS))
def torque_regressor(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    drives: Any = None,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The matrix that takes the parameters of a robot to its torques: inverse dynamics is linear in them.

    Parameters
    ----------
    model : the robot. Its own parameters, but for gravity, joints and the shape of its friction, make no difference.
    q, qd, qdd : (..., nq), (..., nv) and (..., nv), the state and its acceleration.
    drives : which columns of drives stand behind those of the bodies: "armature", "rotor", "damping", "friction",
        "stiction", some of them, or "all".
    base : how the base moves, if it does not stand still.
    out : (..., nv, 10 nb + drives) float64 array for the result.

    Returns
    -------
    Y : (..., nv, 10 nb + drives): Y `model.parameters(drives)` is the torque. That of `rnea` if drives has "armature"
        and "rotor" (or the robot has none), that of `rnea` with losses if it has all.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length, an unknown kind of drives.

    Notes
    -----
    What the columns are: `Model.parameters`. With mimic followers G^T Y, in the rows of the leaders. The reflected
    inertia of a rotor is armature. A gyroscopic rotor is at rest part of the link that carries it, and the column
    "rotor" is what its spin adds.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> Y = fs.torque_regressor(arm, [0.6, -0.9], [0, 0], [0, 0])
    >>> Y.shape, (Y @ arm.parameters()).round(4)
    ((2, 20), array([25.8645,  5.6231]))
    """
    call = Call(REGRESSOR, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("qdd", qdd)
    call.base(base)
    return call.run((model.nv, call.columns(drives)), out)


@way(REGRESSOR, inputs=(Q, QD, ABSENT, AT_HOME), result=(NV, PARAMETERS))
def momentum_regressor(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    drives: Any = None,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The matrix that takes the parameters of a robot to its generalised momentum H qd.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    drives : as in `torque_regressor`; what is lost has no momentum, and zeros in its columns.
    base : how the base moves, and the bodies with it.
    out : (..., nv, 10 nb + drives) float64 array for the result.

    Returns
    -------
    P : (..., nv, 10 nb + drives): P `model.parameters(drives)` is H qd, the gradient of the kinetic energy by qd; where
        the base moves its motion is part of it.

    Raises
    ------
    TypeError, ValueError
        As `torque_regressor`.

    Notes
    -----
    The rate of the generalised momentum needs no acceleration but that of the momentum itself, so identification by the
    integral of torques does without qdd. Momentum of the whole robot is `centroidal_momentum`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> p = fs.momentum_regressor(arm, q, qd) @ arm.parameters()
    >>> bool(abs(p - fs.crba(arm, q) @ qd).max() < 1e-12)
    True
    """
    call = Call(REGRESSOR, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.absent("qdd")
    call.base(base)
    return call.run((model.nv, call.columns(drives)), out)
