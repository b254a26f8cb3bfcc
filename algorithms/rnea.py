"""Inverse dynamics by the recursive Newton-Euler algorithm. Featherstone (2008), section 5.3, table 5.1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, present, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates, free_torques, room_for_torques
from ..model.handover import keep_motion, parent_motion
from ..model.joints import cross_joint_motion, joint_force, joint_transform, plus_joint_motion
from ..model.losses import add_losses
from ..model.model import Model
from ..model.moving_base import store_base_acceleration, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import inertia_times
from ..spatial.motions import cross_force, minus, plus, transform_force, transform_motion_back
from ..spatial.rotations import rotate_back
from ..spatial.storage import (
    MOTION,
    TRANSFORM,
    add_force,
    load_force,
    load_inertia,
    load_rotation,
    load_transform,
    store_force,
    store_transform,
)
from .call import Call
from .kernels import tree_kernel
from .ways import AT_HOME, AT_REST, F_EXT, NO_FORCES, NV, QD, QDD, Q, way


def rnea_recursion(tree: Tree, q: Any, qd: Any, qdd: Any, f_ext: Any, base: Any, tau: Any, work: Any) -> None:
    """tau = ID(q, qd, qdd, f_ext) on a base that moves so. `work` has `rnea_work(tree)` entries."""
    X_up = work
    v = after(X_up, TRANSFORM * (tree.nb + 1))
    a = after(v, MOTION * tree.places)
    f = after(a, MOTION * tree.places)
    q = with_sines(q, tree.nq, after(f, MOTION * (tree.nb + 1)))
    store_base_velocity(base, v, tree.place[0])
    store_base_acceleration(tree, base, a, tree.place[0])
    store_force(f, 0, zero_force(f))  # what the base bears is summed up here

    for i in range(1, tree.nb + 1):
        # v_i = X v_parent + S qd;  a_i = X a_parent + S qdd + v_i x S qd
        X = joint_transform(tree, i, q)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, v)), qd)
        carried = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, a)), qdd)
        a_i = plus(carried, cross_joint_motion(tree, i, v_i, qd))
        # f_i = I a_i + v_i x* I v_i - f_ext
        I = load_inertia(tree.inertia, i)
        f_i = plus(inertia_times(I, a_i), cross_force(v_i, inertia_times(I, v_i)))
        if present(f_ext) and tree.link[i] > 0:
            f_i = minus(f_i, external_force(tree, i, f_ext))
        store_transform(X_up, i, X)
        keep_motion(tree, i, v_i, v)
        keep_motion(tree, i, a_i, a)
        store_force(f, i, f_i)

    for i in range(tree.nb, 0, -1):
        # tau_i = S^T f_i + armature qdd;  f_parent += X^T f_i
        f_i = load_force(f, i)
        joint_force(tree, i, f_i, qdd, tau)
        add_force(f, tree.parent[i], transform_force(load_transform(X_up, i), f_i))


def rnea_work(tree: Tree) -> int:
    """Entries of work memory that the recursion needs."""
    return (TRANSFORM + MOTION) * (tree.nb + 1) + 2 * MOTION * tree.places + 2 * tree.nq


def zero_force(like: Any) -> tuple[Any, Any]:
    """No force."""
    o = lift(like, 0.0)
    return ((o, o, o), (o, o, o))


def external_force(tree: Tree, i: int, f_ext: Any) -> tuple[Any, Any]:
    """The user's force on body i, from its link frame to its canonical frame."""
    R = load_rotation(tree.link_rotation, i)
    moment, force = load_force(f_ext, tree.link[i] - 1)
    return (rotate_back(R, moment), rotate_back(R, force))


def rnea_state(tree: Tree, options: Any, q: Any, qd: Any, qdd: Any, f_ext: Any, base: Any, tau: Any, work: Any) -> None:
    """Inverse dynamics in the user's coordinates; options: whether to add losses."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    qdd_all = all_rates(tree, qdd, after(work, tree.nq + tree.nv))
    tau_all = room_for_torques(tree, tau, after(work, tree.nq + 2 * tree.nv))
    rnea_recursion(tree, q_all, qd_all, qdd_all, f_ext, base, tau_all, after(work, tree.nq + 3 * tree.nv))
    if options[0]:
        add_losses(tree, 1.0, qd_all, tau_all)
    free_torques(tree, tau_all, tau)


RNEA = tree_kernel("rnea", rnea_state, 5, lambda tree: tree.nq + 3 * tree.nv + rnea_work(tree))


@way(RNEA, inputs=(Q, QD, QDD, F_EXT, AT_HOME), result=(NV,))
def rnea(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    losses: bool = False,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Inverse dynamics: the generalised forces that give the accelerations qdd.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration, rad and m.
    qd : (..., nv) velocity, per second.
    qdd : (..., nv) acceleration, per second squared; of a floating base the spatial acceleration in its own axes.
    f_ext : (..., nb, 6) forces ON the bodies, (moment; force) in each body's link frame about its origin, N m and N.
    losses : add the model's damping and friction, d qd + f sign(qd).
    base : how the base moves, if it does not stand still.
    out : (..., nv) float64 array for the result.

    Returns
    -------
    tau : (..., nv) N m and N; of a floating base (moment; force) in its own axes. Batch shapes broadcast.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    tau = H qdd + C(q, qd) - J^T f_ext; recursive Newton-Euler, Featherstone (2008), table 5.1. Work grows as nb.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> fs.rnea(arm, [0.6, -0.9], [0, 0], [0, 0]).round(4)
    array([25.8645,  5.6231])
    """
    call = Call(RNEA, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("qdd", qdd)
    call.forces(f_ext)
    call.base(base)
    return call.run((model.nv,), out)


@way(RNEA, inputs=(Q, AT_REST, AT_REST, NO_FORCES, AT_HOME), result=(NV,))
def gravity_torque(
    model: Model, q: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The generalised forces that hold the robot still against gravity, the gradient of its potential energy.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : how the base moves; what holds the robot still on it then bears the base's acceleration too.
    out : (..., nv) float64 array for the result.

    Returns
    -------
    tau : (..., nv) N m and N.

    Raises
    ------
    TypeError, ValueError
        As `rnea`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.gravity_torque(fs.models.load("planar_2r"), [0.6, -0.9]).round(4)
    array([25.8645,  5.6231])
    """
    zero = model.zero_rate if isinstance(model, Model) else None
    return rnea(model, q, zero, zero, base=base, out=out)


@way(RNEA, inputs=(Q, QD, AT_REST, F_EXT, AT_HOME), result=(NV,))
def bias_torque(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Coriolis, centrifugal and gravity forces: inverse dynamics at zero acceleration.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    f_ext : (..., nb, 6) forces on the bodies as in `rnea`; they are part of the bias.
    base : how the base moves, which is part of the bias too.
    out : (..., nv) float64 array for the result.

    Returns
    -------
    tau : (..., nv) N m and N.

    Raises
    ------
    TypeError, ValueError
        As `rnea`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> fs.bias_torque(arm, [0.6, -0.9], [1.0, 0.5]).shape
    (2,)
    """
    return rnea(model, q, qd, model.zero_rate if isinstance(model, Model) else None, f_ext, base=base, out=out)
