"""H x = w in one recursion: articulated bodies at rest, without gravity.

Featherstone (2008), section 7.3, table 7.1.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import after, with_sines
from ..model.handover import articulated_inertia, hand_over_articulated
from ..model.joints import articulated_column, component, joint_transform, plus_component
from ..model.tree import Tree
from ..spatial.inertias import eliminate, transform_articulated
from ..spatial.motions import plus, power, times, transform_force, transform_motion_back
from ..spatial.storage import (
    ARTICULATED,
    MOTION,
    TRANSFORM,
    add_force,
    load_force,
    load_motion,
    load_transform,
    store_force,
    store_motion,
    store_transform,
)
from .rnea import zero_force


def inertia_solve(tree: Tree, q: Any, w: Any, diagonal: Any, x: Any, work: Any) -> None:
    """x with (H + diagonal) x = w of a tree without followers, H without armature.

    `work` has `inertia_solve_work(tree)` entries.
    """
    X_up = work
    p = after(X_up, TRANSFORM * (tree.nb + 1))
    a = after(p, MOTION * (tree.nb + 1))
    IA = after(a, MOTION * (tree.nb + 1))
    W = after(IA, ARTICULATED * tree.slots)
    free = after(W, MOTION * tree.nv)
    q = with_sines(q, tree.nq, after(free, tree.nv))
    for i in range(1, tree.nb + 1):
        store_transform(X_up, i, joint_transform(tree, i, q))
        store_force(p, i, zero_force(p))
    for i in range(tree.nb, 0, -1):
        I_i, p_i = articulated_inertia(tree, i, IA), load_force(p, i)
        for d in range(tree.dofs[i] - 1, -1, -1):
            # U = IA S;  D = S^T U;  u = w - S^T p;  W = U / D;  IA -= U W^T;  p += W u
            k = tree.v_index[i] + d
            U_k = articulated_column(tree, i, d, I_i)
            inverse = 1.0 / (component(tree, i, d, U_k) + diagonal[k])
            u_k = w[k] - component(tree, i, d, p_i)
            W_k = times(inverse, U_k)
            store_force(W, k, W_k)
            free[k] = u_k * inverse
            I_i = eliminate(I_i, U_k, W_k)
            p_i = plus(p_i, times(u_k, W_k))
        parent = tree.parent[i]
        if parent > 0:
            X = load_transform(X_up, i)
            hand_over_articulated(tree, i, transform_articulated(X, I_i), IA)
            add_force(p, parent, transform_force(X, p_i))
    store_motion(a, 0, zero_force(a))
    for i in range(1, tree.nb + 1):
        # a = X a_parent;  x = u / D - W^T a;  a += S x
        a_i = transform_motion_back(load_transform(X_up, i), load_motion(a, tree.parent[i]))
        for d in range(tree.dofs[i]):
            k = tree.v_index[i] + d
            x_k = free[k] - power(a_i, load_force(W, k))
            a_i = plus_component(tree, i, d, a_i, x_k)
            x[k] = x_k
        store_motion(a, i, a_i)


def inertia_solve_work(tree: Tree) -> int:
    """Entries of work memory."""
    return (TRANSFORM + 2 * MOTION) * (tree.nb + 1) + ARTICULATED * tree.slots + (MOTION + 1) * tree.nv + 2 * tree.nq
