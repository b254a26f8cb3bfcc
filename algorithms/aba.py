"""Forward dynamics by the articulated-body algorithm. Featherstone (2008), section 7.3, table 7.1."""

from __future__ import annotations

from typing import Any

from ..engine.scalars import after, present, with_sines
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
from ..model.moving_base import store_base_acceleration, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import (
    articulated_times,
    eliminate,
    inertia_times,
    transform_articulated,
)
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
from .rnea import external_force


def aba_recursion(
    tree: Tree,
    q: Any,
    qd: Any,
    tau: Any,
    f_ext: Any,
    base: Any,
    diagonal: Any,
    qdd: Any,
    D: Any,
    size: Any,
    work: Any,
) -> None:
    """qdd = FD(q, qd, tau, f_ext) of a tree without followers, on a base that moves so.

    `diagonal` (nv) is added to the mass matrix: armature, and in an implicit step the losses. D (nv) receives the
    pivots and size (nv) what they compare with. `work` has `aba_work(tree)` entries.

    The degrees of freedom of a joint are eliminated one at a time, the last first: S is then a column, D a scalar.
    """
    X_up = work
    v = after(X_up, TRANSFORM * (tree.nb + 1))
    a = v  # on the way out again, an acceleration takes the place of the velocity that is no more needed
    pA = after(v, MOTION * (tree.nb + 1))
    IA = after(pA, MOTION * (tree.nb + 1))
    W = after(IA, ARTICULATED * tree.slots)
    free = after(W, MOTION * tree.nv)  # u / D: the acceleration if the parent stood still
    q = with_sines(q, tree.nq, after(free, tree.nv))
    store_base_velocity(base, v, 0)

    for i in range(1, tree.nb + 1):
        # v_i = X v_parent + S qd;  pA_i = v_i x* I v_i - f_ext
        X = joint_transform(tree, i, q)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(v, tree.parent[i])), qd)
        I = load_inertia(tree.inertia, i)
        p_i = cross_force(v_i, inertia_times(I, v_i))
        if present(f_ext) and tree.link[i] > 0:
            p_i = minus(p_i, external_force(tree, i, f_ext))
        store_transform(X_up, i, X)
        store_motion(v, i, v_i)
        store_force(pA, i, p_i)

    for i in range(tree.nb, 0, -1):
        I_i, p_i = articulated_inertia(tree, i, IA), load_force(pA, i)
        for d in range(tree.dofs[i] - 1, -1, -1):
            # U = IA S;  D = S^T U;  u = tau - S^T pA;  W = U / D;  IA -= U W^T;  pA += W u
            k = tree.v_index[i] + d
            U_k = articulated_column(tree, i, d, I_i)
            D_k = component(tree, i, d, U_k) + diagonal[k]
            inverse = 1.0 / D_k
            u_k = tau[k] - component(tree, i, d, p_i)
            W_k = times(inverse, U_k)
            store_force(W, k, W_k)
            D[k] = D_k
            free[k] = u_k * inverse
            size[k] = articulated_size(tree, i, d, I_i) + diagonal[k]
            I_i = eliminate(I_i, U_k, W_k)
            p_i = plus(p_i, times(u_k, W_k))
        parent = tree.parent[i]
        if parent > 0:
            # IA_parent += X* IA X;  pA_parent += X* (pA + IA c), with c = v x S qd
            c = cross_joint_motion(tree, i, load_motion(v, i), qd)
            X = load_transform(X_up, i)
            hand_over_articulated(tree, i, transform_articulated(X, I_i), IA)
            add_force(pA, parent, transform_force(X, plus(p_i, articulated_times(I_i, c))))

    store_base_acceleration(tree, base, a, 0)
    for i in range(1, tree.nb + 1):
        # a = X a_parent + c;  qdd = u / D - W^T a;  a += S qdd
        c = cross_joint_motion(tree, i, load_motion(v, i), qd)
        a_i = plus(transform_motion_back(load_transform(X_up, i), load_motion(a, tree.parent[i])), c)
        for d in range(tree.dofs[i]):
            k = tree.v_index[i] + d
            qdd_k = free[k] - power(a_i, load_force(W, k))
            a_i = plus_component(tree, i, d, a_i, qdd_k)
            qdd[k] = qdd_k
        store_motion(a, i, a_i)


def aba_work(tree: Tree) -> int:
    """Entries of work memory that the recursion needs."""
    return (TRANSFORM + 2 * MOTION) * (tree.nb + 1) + ARTICULATED * tree.slots + (MOTION + 1) * tree.nv + 2 * tree.nq
