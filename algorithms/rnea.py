"""Inverse dynamics by the recursive Newton-Euler algorithm. Featherstone (2008), section 5.3, table 5.1."""

from __future__ import annotations

from typing import Any

from ..engine.scalars import after, lift, present
from ..model.coupling import all_coordinates, all_rates, free_torques, room_for_torques
from ..model.joints import cross_joint_motion, joint_force, joint_transform, plus_joint_motion
from ..model.losses import add_losses
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
    load_motion,
    load_rotation,
    load_transform,
    store_force,
    store_motion,
    store_transform,
)


def recursion(tree: Tree, q: Any, qd: Any, qdd: Any, f_ext: Any, tau: Any, work: Any) -> None:
    """tau = ID(q, qd, qdd, f_ext), with `work` of `work_size(tree)` entries; afterwards f of body 0 is the base's load."""
    X_up = work
    v = after(X_up, TRANSFORM * (tree.nb + 1))
    a = after(v, MOTION * (tree.nb + 1))
    f = after(a, MOTION * (tree.nb + 1))
    store_base_motion(tree, v, a)
    store_force(f, 0, load_motion(v, 0))

    for i in range(1, tree.nb + 1):
        parent = tree.parent[i]
        # v_i = X v_parent + S qd;  a_i = X a_parent + S qdd + v_i x S qd
        X = joint_transform(tree, i, q)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(v, parent)), qd)
        carried = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(a, parent)), qdd)
        a_i = plus(carried, cross_joint_motion(tree, i, v_i, qd))
        # f_i = I a_i + v_i x* I v_i - f_ext
        I = load_inertia(tree.inertia, i)
        f_i = plus(inertia_times(I, a_i), cross_force(v_i, inertia_times(I, v_i)))
        if present(f_ext):
            f_i = minus(f_i, external_force(tree, i, f_ext))
        store_transform(X_up, i, X)
        store_motion(v, i, v_i)
        store_motion(a, i, a_i)
        store_force(f, i, f_i)

    for i in range(tree.nb, 0, -1):
        # tau_i = S^T f_i;  f_parent += X^T f_i
        f_i = load_force(f, i)
        joint_force(tree, i, f_i, tau)
        add_force(f, tree.parent[i], transform_force(load_transform(X_up, i), f_i))


def work_size(tree: Tree) -> int:
    """Entries of work memory that `recursion` needs."""
    return (TRANSFORM + 3 * MOTION) * (tree.nb + 1)


def store_base_motion(tree: Tree, v: Any, a: Any) -> None:
    """The base stands still and accelerates against gravity: v_0 = 0, a_0 = -g."""
    o = lift(v, 0.0)
    g = tree.gravity
    store_motion(v, 0, ((o, o, o), (o, o, o)))
    store_motion(a, 0, ((o, o, o), (lift(a, -g[0]), lift(a, -g[1]), lift(a, -g[2]))))


def external_force(tree: Tree, i: int, f_ext: Any) -> tuple[Any, Any]:
    """The user's force on body i, from its link frame to its canonical frame."""
    R = load_rotation(tree.link_rotation, i)
    moment, force = load_force(f_ext, i - 1)
    return (rotate_back(R, moment), rotate_back(R, force))
