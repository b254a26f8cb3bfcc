"""Hybrid dynamics: some joints' accelerations are given, the others' torques; articulated bodies find the rest.

Featherstone (2008), section 9.2. A joint whose acceleration is given does not yield: its bodies stay one articulated
body, which moves against its own inertia. Of the degrees of freedom of a joint, eliminated one at a time as in
`algorithms/aba.py`, with b the acceleration before S qdd,

    tau given:    IA -= U U^T / D,  pA += U u / D       then  qdd = u / D - (U / D)^T b
    qdd given:    pA += U qdd                           then  tau = S^T pA + D qdd + U^T b

with U = IA S, D = S^T U + armature, u = tau - S^T pA before the step. Either way what is not given is a number less or
more a force times b, so that one way outward finds all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, present, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates, free_torques, room_for_torques
from ..model.handover import articulated_inertia, hand_over_articulated
from ..model.joints import (
    articulated_column,
    articulated_size,
    component,
    cross_joint_motion,
    joint_transform,
    plus_component,
    plus_joint_motion,
)
from ..model.model import Model
from ..model.moving_base import store_base_acceleration, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import articulated_times, eliminate, inertia_times, transform_articulated
from ..spatial.motions import cross_force, minus, plus, power, times, transform_force, transform_motion_back
from ..spatial.storage import (
    ARTICULATED,
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
from .call import Call, check_model
from .crba import mass_matrix_of, mass_matrix_work
from .factor import factorize, solve_in_place
from .forward import articulated_margin, articulated_verdict, factor_margin, factor_verdict
from .kernels import tree_kernel
from .rnea import external_force, rnea_recursion, rnea_work


def hybrid_state(
    tree: Tree,
    known: Any,
    q: Any,
    qd: Any,
    tau: Any,
    qdd: Any,
    f_ext: Any,
    base: Any,
    tau_all: Any,
    qdd_all: Any,
    work: Any,
) -> None:
    """All torques and accelerations, of a tree without followers; the options `known` are 1 where qdd is given.

    The work memory begins with the pivots D and what they compare with.
    """
    D, size = work, after(work, tree.nv)
    X_up = after(work, 2 * tree.nv)
    v = after(X_up, TRANSFORM * (tree.nb + 1))
    a = v  # on the way out again, an acceleration takes the place of the velocity that is no more needed
    pA = after(v, MOTION * (tree.nb + 1))
    IA = after(pA, MOTION * (tree.nb + 1))
    W = after(IA, ARTICULATED * tree.slots)
    alone = after(W, MOTION * tree.nv)  # what is not given, if b were zero
    q = with_sines(q, tree.nq, after(alone, tree.nv))
    store_base_velocity(base, v, 0)
    for i in range(1, tree.nb + 1):
        # v_i = X v_parent + S qd;  pA_i = v_i x* I v_i - f_ext
        X = joint_transform(tree, i, q)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(v, tree.parent[i])), qd)
        p_i = cross_force(v_i, inertia_times(load_inertia(tree.inertia, i), v_i))
        if present(f_ext) and tree.link[i] > 0:
            p_i = minus(p_i, external_force(tree, i, f_ext))
        store_transform(X_up, i, X)
        store_motion(v, i, v_i)
        store_force(pA, i, p_i)

    for i in range(tree.nb, 0, -1):
        I_i, p_i = articulated_inertia(tree, i, IA), load_force(pA, i)
        for d in range(tree.dofs[i] - 1, -1, -1):
            k = tree.v_index[i] + d
            U = articulated_column(tree, i, d, I_i)
            D_k = component(tree, i, d, U) + tree.armature[k]
            S_p = component(tree, i, d, p_i)
            if known[k]:
                alone[k] = S_p + D_k * qdd[k]
                D[k], size[k] = lift(D, 1.0), lift(size, 1.0)
                p_i = plus(p_i, times(qdd[k], U))
                store_force(W, k, U)
            else:
                W_k, u = times(1.0 / D_k, U), tau[k] - S_p
                alone[k] = u / D_k
                D[k], size[k] = D_k, articulated_size(tree, i, d, I_i) + tree.armature[k]
                I_i = eliminate(I_i, U, W_k)
                p_i = plus(p_i, times(u, W_k))
                store_force(W, k, W_k)
        if tree.parent[i] > 0:
            # IA_parent += X* IA X;  pA_parent += X* (pA + IA c), with c = v x S qd
            c = cross_joint_motion(tree, i, load_motion(v, i), qd)
            X = load_transform(X_up, i)
            hand_over_articulated(tree, i, transform_articulated(X, I_i), IA)
            add_force(pA, tree.parent[i], transform_force(X, plus(p_i, articulated_times(I_i, c))))

    store_base_acceleration(tree, base, a, 0)
    for i in range(1, tree.nb + 1):
        # b = X a_parent + c;  qdd = alone - W^T b, or tau = alone + W^T b;  b += S qdd
        c = cross_joint_motion(tree, i, load_motion(v, i), qd)
        b = plus(transform_motion_back(load_transform(X_up, i), load_motion(a, tree.parent[i])), c)
        for d in range(tree.dofs[i]):
            k = tree.v_index[i] + d
            W_b = power(b, load_force(W, k))
            if known[k]:
                tau_all[k], qdd_all[k] = alone[k] + W_b, qdd[k]
            else:
                tau_all[k], qdd_all[k] = tau[k], alone[k] - W_b
            b = plus_component(tree, i, d, b, qdd_all[k])
        store_motion(a, i, b)


def hybrid_work(tree: Tree) -> int:
    """Entries of work memory."""
    of_bodies = (TRANSFORM + 2 * MOTION) * (tree.nb + 1) + ARTICULATED * tree.slots
    return of_bodies + (MOTION + 3) * tree.nv + 2 * tree.nq


def hybrid_by_factor_state(
    tree: Tree,
    known: Any,
    q: Any,
    qd: Any,
    tau: Any,
    qdd: Any,
    f_ext: Any,
    base: Any,
    tau_all: Any,
    qdd_all: Any,
    work: Any,
) -> None:
    """The same by H qdd = tau - bias, also with followers: rows and columns of H with qdd given are those of 1.

    The work memory begins with the factor and what its pivots compare with.
    """
    n = tree.nv_free
    size = after(work, n * n)
    rest = after(size, n)
    for k in range(n):
        qdd_all[k] = lift(qdd_all, 0.0)
        if known[k]:
            qdd_all[k] = qdd[k]
    inverse_dynamics(tree, q, qd, qdd_all, f_ext, base, tau_all, rest)
    mass_matrix_of(tree, q, work, size, rest)
    for k in range(n):
        i = tree.elimination_parent[k]
        while i >= 0:
            if known[k] or known[i]:
                work[k * n + i] = lift(work, 0.0)
            i = tree.elimination_parent[i]
        if known[k]:
            work[k * n + k], size[k] = lift(work, 1.0), lift(size, 1.0)
        else:
            qdd_all[k] = tau[k] - tau_all[k]
    factorize(tree, work)
    solve_in_place(tree, work, qdd_all)
    inverse_dynamics(tree, q, qd, qdd_all, f_ext, base, tau_all, rest)
    for k in range(n):
        if not known[k]:
            tau_all[k] = tau[k]


def inverse_dynamics(tree: Tree, q: Any, qd: Any, qdd: Any, f_ext: Any, base: Any, tau: Any, work: Any) -> None:
    """tau = ID(q, qd, qdd, f_ext) in the user's coordinates; `work` has `inverse_dynamics_work(tree)` entries."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    qdd_all = all_rates(tree, qdd, after(work, tree.nq + tree.nv))
    tau_all = room_for_torques(tree, tau, after(work, tree.nq + 2 * tree.nv))
    rnea_recursion(tree, q_all, qd_all, qdd_all, f_ext, base, tau_all, after(work, tree.nq + 3 * tree.nv))
    free_torques(tree, tau_all, tau)


def hybrid_by_factor_work(tree: Tree) -> int:
    """Entries of work memory."""
    torques, matrix = tree.nq + 3 * tree.nv + rnea_work(tree), mass_matrix_work(tree)
    return tree.nv_free * (tree.nv_free + 1) + (torques if torques > matrix else matrix)


def known_dofs(model: Model, known_qdd: Any) -> np.ndarray:
    """The mask (nv,) that a mask or names of joints say."""
    if isinstance(known_qdd, str):
        raise TypeError(
            f"known_qdd: expected a boolean mask or a list of joint names, got {known_qdd!r}; put it in a list"
        )
    given = list(known_qdd) if isinstance(known_qdd, (set, frozenset)) else known_qdd
    array = np.asarray(given)
    if array.shape == (0,) and array.dtype != bool:
        array = np.zeros(0, "U")  # no names
    if array.dtype == bool:
        if array.shape != (model.nv,):
            raise ValueError(
                f"known_qdd: expected a boolean mask of shape ({model.nv},), got {array.shape}; name joints instead, or"
                " call it for each mask of a batch"
            )
        return array
    if array.dtype.kind != "U" or array.ndim != 1:
        raise TypeError(
            f"known_qdd: expected a boolean mask ({model.nv},) or a list of joint names, got {type(known_qdd).__name__}"
            f" of dtype {array.dtype}"
        )
    mask = np.zeros(model.nv, bool)
    for name in given:
        mask[model.qd_index(str(name))] = True
    return mask


HYBRID = tree_kernel(
    "hybrid_dynamics", hybrid_state, 6, hybrid_work, articulated_verdict, articulated_margin, outputs=2
)
HYBRID_BY_FACTOR = tree_kernel(
    "hybrid_dynamics_by_factor",
    hybrid_by_factor_state,
    6,
    hybrid_by_factor_work,
    factor_verdict,
    factor_margin,
    outputs=2,
)


def hybrid_dynamics(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    known_qdd: ArrayLike | Sequence[str],
    tau: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    base: BaseMotion | None = None,
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Dynamics where of some degrees of freedom the acceleration is given, of the others the generalised force.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    known_qdd : the degrees of freedom whose acceleration is given, the same for a whole batch: a boolean mask (nv,), or
        the names of joints.
    tau : (..., nv) generalised forces, N m and N; read only where the acceleration is not given.
    qdd : (..., nv) accelerations, per second squared; read only where they are given.
    f_ext : (..., nb, 6) forces ON the bodies, (moment; force) in each body's link frame about its origin, N m and N.
    base : how the base moves, if it does not stand still.
    out : two (..., nv) float64 arrays for the results.

    Returns
    -------
    tau : (..., nv), all of them: what was given, and what gives the accelerations that were given.
    qdd : (..., nv), all of them.

    Raises
    ------
    SingularMassMatrixError
        A degree of freedom whose force is given moves nothing that has inertia; the error names its joint.
    UnknownNameError
        There is no such joint.
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity in what is read, a quaternion that is not of unit length. Entries that
        are not read may hold anything, NaN too.

    Notes
    -----
    Featherstone (2008), section 9.2: with everything given `rnea`, with nothing `aba`. Work grows as nb; with mimic
    followers it is the factor of the mass matrix, whose rows and columns of what is given are left out.

    Examples
    --------
    The first joint keeps its speed, the second one swings freely:

    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> tau, qdd = fs.hybrid_dynamics(arm, q, qd, [True, False], [0.0, 0.0], [0.0, 0.0])
    >>> bool(qdd[0] == 0.0 and tau[1] == 0.0)
    True
    >>> bool(abs(fs.rnea(arm, q, qd, qdd) - tau).max() < 1e-12)
    True
    """
    check_model(model)
    known = known_dofs(model, known_qdd)
    call = Call(HYBRID_BY_FACTOR if model.tree.coupled else HYBRID, model)
    call.options = known.astype(np.int64)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("tau", tau, unread=known)
    call.rate("qdd", qdd, unread=~known)
    call.forces(f_ext)
    call.base(base)
    first, second = call.several([(model.nv,), (model.nv,)], out)
    return first, second
