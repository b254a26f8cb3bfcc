"""The generalised momentum and its rate, each by one recursion.

    p = H qd        dp/dt = tau + C^T qd - g + J^T f_ext

on a base that stands still, C being the matrix of `coriolis_matrix`, for which dH/dt = C + C^T. De Luca and Mattone,
Actuator failure detection and isolation using generalized momenta (2003), from where observers of contact have it.

Neither H nor C is made. With h_c the momentum of all that joint k carries, p_k = S_k . h_c; S_k moves with its body,
and h_c changes by the forces on what is carried, of which S_k feels tau_k:

    dp_k/dt = (v x S_k) . h_c + tau_k + S_k . (weight and f_ext of what is carried)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, present, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates, free_torques, room_for_torques
from ..model.handover import keep_motion, parent_motion
from ..model.joints import component, joint_transform, plus_joint_motion
from ..model.losses import add_losses
from ..model.model import Model
from ..model.moving_base import base_acceleration, store_base_acceleration, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import inertia_times
from ..spatial.motions import cross_force, minus, plus, transform_force, transform_motion_back
from ..spatial.storage import (
    MOTION,
    TRANSFORM,
    add_force,
    load_force,
    load_inertia,
    load_motion,
    load_transform,
    store_force,
    store_motion,
    store_transform,
)
from .call import Call
from .kernels import tree_kernel
from .rnea import external_force, zero_force
from .ways import ABSENT, AT_HOME, F_EXT, NO_FORCES, NV, QD, TAU, Q, way


def generalized_momentum_state(
    tree: Tree, options: Any, q: Any, qd: Any, tau: Any, f_ext: Any, base: Any, result: Any, work: Any
) -> None:
    """p, or with tau its rate, in the user's coordinates; options: whether losses slow it."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    result_all = room_for_torques(tree, result, after(work, tree.nq + tree.nv))
    X_up = after(work, tree.nq + 2 * tree.nv)
    v = after(X_up, TRANSFORM * (tree.nb + 1))
    h = after(v, MOTION * (tree.nb + 1))
    f = after(h, MOTION * (tree.nb + 1))
    a = after(f, MOTION * (tree.nb + 1))
    q_all = with_sines(q_all, tree.nq, after(a, MOTION * tree.places))
    store_base_velocity(base, v, 0)
    store_base_acceleration(tree, base, a, tree.place[0])
    if present(base):
        # of the base's acceleration only what stands for gravity
        store_motion(a, tree.place[0], minus(load_motion(a, tree.place[0]), base_acceleration(base)))
    store_force(h, 0, zero_force(h))
    store_force(f, 0, zero_force(f))

    for i in range(1, tree.nb + 1):
        X = joint_transform(tree, i, q_all)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(v, tree.parent[i])), qd_all)
        I = load_inertia(tree.inertia, i)
        store_transform(X_up, i, X)
        store_motion(v, i, v_i)
        store_force(h, i, inertia_times(I, v_i))
        if present(tau):
            # f_i = f_ext - I a, with a = -g as it is for all bodies
            a_i = transform_motion_back(X, parent_motion(tree, i, a))
            keep_motion(tree, i, a_i, a)
            f_i = minus(zero_force(f), inertia_times(I, a_i))
            if present(f_ext) and tree.link[i] > 0:
                f_i = plus(f_i, external_force(tree, i, f_ext))
            store_force(f, i, f_i)

    for i in range(tree.nb, 0, -1):
        X, h_i = load_transform(X_up, i), load_force(h, i)
        add_force(h, tree.parent[i], transform_force(X, h_i))
        pushed = h_i
        if present(tau):
            # (v x S) . h = -S . (v x* h)
            pushed = minus(load_force(f, i), cross_force(load_motion(v, i), h_i))
            add_force(f, tree.parent[i], transform_force(X, load_force(f, i)))
        for d in range(tree.dofs[i]):
            k = tree.v_index[i] + d
            result_all[k] = component(tree, i, d, pushed)
            if not present(tau):
                result_all[k] += tree.armature[k] * qd_all[k]

    if options[0]:
        add_losses(tree, -1.0, qd_all, result_all)
    free_torques(tree, result_all, result)
    if present(tau):
        for k in range(tree.nv_free):
            result[k] += tau[k]


def generalized_momentum_work(tree: Tree) -> int:
    """Entries of work memory."""
    return 3 * tree.nq + 2 * tree.nv + (TRANSFORM + 3 * MOTION) * (tree.nb + 1) + MOTION * tree.places


GENERALIZED_MOMENTUM = tree_kernel("generalized_momentum", generalized_momentum_state, 5, generalized_momentum_work)


@way(GENERALIZED_MOMENTUM, inputs=(Q, QD, ABSENT, NO_FORCES, AT_HOME), result=(NV,))
def generalized_momentum(
    model: Model, q: ArrayLike, qd: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The generalised momentum, p = H qd on a base that stands still.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    base : how the base moves, and the bodies with it: p is then still the derivative of the kinetic energy by qd.
    out : (..., nv) float64 array for the result.

    Returns
    -------
    p : (..., nv) N m s and N s; of spherical, planar and floating joints in the moved body's axes, as tau.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    Work grows as nb: the mass matrix is not made. With armature and rotors.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.generalized_momentum(fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]).round(4)
    array([3.5791, 0.853 ])
    """
    call = Call(GENERALIZED_MOMENTUM, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.absent("tau")
    call.absent("f_ext")
    call.base(base)
    return call.run((model.nv,), out)


@way(GENERALIZED_MOMENTUM, inputs=(Q, QD, TAU, F_EXT, AT_HOME), result=(NV,))
def generalized_momentum_rate(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    losses: bool = False,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """How the generalised momentum changes under torques and known forces, when nothing else touches the robot.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    tau : (..., nv) generalised forces, N m and N.
    f_ext : (..., nb, 6) known forces on the bodies, as in `rnea`.
    losses : the model's damping and friction slow it.
    base : how the base moves.
    out : (..., nv) float64 array for the result.

    Returns
    -------
    rate : (..., nv) N m and N, dp/dt = tau + C^T qd - g + J^T f_ext.

    Raises
    ------
    TypeError, ValueError
        As `generalized_momentum`.

    Notes
    -----
    No acceleration enters: what `MomentumObserver` lives on. Work grows as nb.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q = fs.models.load("planar_2r"), [0.6, -0.9]
    >>> (fs.generalized_momentum_rate(arm, q, [0, 0], fs.gravity_torque(arm, q)).round(12) + 0.0).tolist()
    [0.0, 0.0]
    """
    call = Call(GENERALIZED_MOMENTUM, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("tau", tau)
    call.forces(f_ext)
    call.base(base)
    return call.run((model.nv,), out)
