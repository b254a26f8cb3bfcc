"""How the power that a motion takes out of inverse dynamics changes with everything: one recursion, outward and back.

For rates mu, P = mu . ID(q, qd, qdd, f_ext) is the power of the joint torques over a motion with rates mu. With u_i the
motion that mu gives body i, it is a sum over bodies,

    P = sum of u_i . (I a_i + v_i x* I v_i - f_ext_i)

and its gradient needs no matrix. What P feels when one of u, v, a of a body changes is a force; as the motions come
down to the body from the base, these forces go back to the base, and a joint feels of them what S does:

    U = I a + v x* I v - f_ext,    V = I (u x v) - u x* I v + S qd x* A,    A = I u

each with those of the children added, in the order U, A, V. With u', v', a' the motions before the joint adds its own,

    dP / d q_k   = -S_k . (u' x* U + v' x* V + a' x* A)
    dP / d qd_k  = S_k . (V - v x* A)

This is reverse differentiation of the Newton-Euler recursion, written with spatial vectors; derived. A solution of
H mu = w turns it into the gradient of w . FD, and with that a simulation is differentiated backwards in time.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import after, present, with_sines
from ..model.joints import component, cross_joint_motion, joint_motion, joint_transform, plus_joint_motion
from ..model.moving_base import store_base_acceleration, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import inertia_times
from ..spatial.motions import (
    MotionTuple,
    cross_force,
    cross_motion,
    minus,
    plus,
    transform_force,
    transform_motion_back,
)
from ..spatial.rotations import rotate
from ..spatial.storage import (
    MOTION,
    RIGID,
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
from ..spatial.vectors import add, cross, dot
from .rnea import external_force, zero_force


def power_gradient(
    tree: Tree, mu: Any, q: Any, qd: Any, qdd: Any, f_ext: Any, base: Any, by_q: Any, by_qd: Any, work: Any
) -> None:
    """dP/dq and dP/dqd, all of every joint. `work` has `power_work(tree)` entries, and keeps the motions."""
    X_up, u, v, a, U, V, A = motions_and_forces(tree, work)
    q = with_sines(q, tree.nq, after(A, MOTION * (tree.nb + 1)))
    store_motion(u, 0, zero_force(u))
    store_base_velocity(base, v, 0)
    store_base_acceleration(tree, base, a, 0)
    store_force(U, 0, zero_force(U))
    store_force(V, 0, zero_force(V))
    store_force(A, 0, zero_force(A))

    for i in range(1, tree.nb + 1):
        X, parent = joint_transform(tree, i, q), tree.parent[i]
        u_i = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(u, parent)), mu)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(v, parent)), qd)
        carried = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(a, parent)), qdd)
        a_i = plus(carried, cross_joint_motion(tree, i, v_i, qd))
        I = load_inertia(tree.inertia, i)
        h = inertia_times(I, v_i)
        U_i = plus(inertia_times(I, a_i), cross_force(v_i, h))
        if present(f_ext) and tree.link[i] > 0:
            U_i = minus(U_i, external_force(tree, i, f_ext))
        store_transform(X_up, i, X)
        store_motion(u, i, u_i)
        store_motion(v, i, v_i)
        store_motion(a, i, a_i)
        store_force(U, i, U_i)
        store_force(V, i, minus(inertia_times(I, cross_motion(u_i, v_i)), cross_force(u_i, h)))
        store_force(A, i, inertia_times(I, u_i))

    for i in range(tree.nb, 0, -1):
        u_i, v_i, a_i = load_motion(u, i), load_motion(v, i), load_motion(a, i)
        U_i, A_i, slide = load_force(U, i), load_force(A, i), joint_motion(tree, i, qd)
        V_i = plus(load_force(V, i), cross_force(slide, A_i))
        before = minus(a_i, plus(joint_motion(tree, i, qdd), cross_joint_motion(tree, i, v_i, qd)))
        turned = cross_force(minus(u_i, joint_motion(tree, i, mu)), U_i)
        turned = plus(turned, plus(cross_force(minus(v_i, slide), V_i), cross_force(before, A_i)))
        faster = minus(V_i, cross_force(v_i, A_i))
        for d in range(tree.dofs[i]):
            k = tree.v_index[i] + d
            by_q[k] = -component(tree, i, d, turned)
            by_qd[k] = component(tree, i, d, faster)
        X, parent = load_transform(X_up, i), tree.parent[i]
        add_force(U, parent, transform_force(X, U_i))
        add_force(V, parent, transform_force(X, V_i))
        add_force(A, parent, transform_force(X, A_i))


def motions_and_forces(tree: Tree, work: Any) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    """X, u, v, a, U, V and A of all bodies in the work memory."""
    n = tree.nb + 1
    u = after(work, TRANSFORM * n)
    U = after(u, 3 * MOTION * n)
    return (
        work,
        u,
        after(u, MOTION * n),
        after(u, 2 * MOTION * n),
        U,
        after(U, MOTION * n),
        after(U, 2 * MOTION * n),
    )


def power_work(tree: Tree) -> int:
    """Entries of work memory."""
    return (TRANSFORM + 6 * MOTION) * (tree.nb + 1) + 2 * tree.nq


def add_inertia_gradient(tree: Tree, factor: Any, work: Any, gradient: Any) -> None:
    """gradient (links, 10) += factor dP / d inertia, in link frames, from the motions that `power_gradient` left.

    Of each link m, m c (3), then the rotational inertia (xx, xy, yy, xz, yz, zz) about the link's origin.
    """
    _, u, v, a, _, _, _ = motions_and_forces(tree, work)
    for i in range(1, tree.nb + 1):
        if tree.link[i] > 0:
            R = load_rotation(tree.link_rotation, i)
            u_i, v_i = turn_motion(R, load_motion(u, i)), turn_motion(R, load_motion(v, i))
            a_i = turn_motion(R, load_motion(a, i))
            add_pairing(gradient, tree.link[i] - 1, factor, u_i, a_i)
            add_pairing(gradient, tree.link[i] - 1, factor, cross_motion(u_i, v_i), v_i)


def turn_motion(R: Any, m: MotionTuple) -> MotionTuple:
    """A motion in other axes about the same origin."""
    return (rotate(R, m[0]), rotate(R, m[1]))


def add_pairing(gradient: Any, i: int, factor: Any, x: MotionTuple, y: MotionTuple) -> None:
    """Add factor d (x . I y) / d I to the i-th of some gradients."""
    k = RIGID * i
    (a, b), (c, d) = x, y
    h = add(cross(d, a), cross(b, c))
    gradient[k] += factor * dot(b, d)
    gradient[k + 1] += factor * h[0]
    gradient[k + 2] += factor * h[1]
    gradient[k + 3] += factor * h[2]
    gradient[k + 4] += factor * (a[0] * c[0])
    gradient[k + 5] += factor * (a[0] * c[1] + a[1] * c[0])
    gradient[k + 6] += factor * (a[1] * c[1])
    gradient[k + 7] += factor * (a[0] * c[2] + a[2] * c[0])
    gradient[k + 8] += factor * (a[1] * c[2] + a[2] * c[1])
    gradient[k + 9] += factor * (a[2] * c[2])


def add_force_gradient(tree: Tree, factor: Any, work: Any, gradient: Any) -> None:
    """gradient (links, 6) += factor dP / d f_ext = -factor u, in link frames."""
    _, u, _, _, _, _, _ = motions_and_forces(tree, work)
    for i in range(1, tree.nb + 1):
        if tree.link[i] > 0:
            angular, linear = turn_motion(load_rotation(tree.link_rotation, i), load_motion(u, i))
            k = MOTION * (tree.link[i] - 1)
            gradient[k] -= factor * angular[0]
            gradient[k + 1] -= factor * angular[1]
            gradient[k + 2] -= factor * angular[2]
            gradient[k + 3] -= factor * linear[0]
            gradient[k + 4] -= factor * linear[1]
            gradient[k + 5] -= factor * linear[2]
