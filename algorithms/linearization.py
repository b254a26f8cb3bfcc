"""The equation of motion linearised about a state: what all derivatives of the dynamics are made of.

S. Singh, R. P. Russell and P. M. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra (2022). With v_p and a_p what a body's parent gives it, and S a column of its joint,

    P = v_p x S,    A = a_p x S + v_p x P,    W = P + v x S

are what velocities and accelerations change by where the joint moves on (P, A) or faster (W). With composites of all
that a body carries, the inertia I_c, 2 B_c (`spatial/coriolis.py`) and the force f_c,

    d tau_k / d q_j  = S_k . (2 B_c P_j + I_c A_j)                 for j from the base to k
    d tau_j / d q_k  = S_j . (2 B_c P_k + I_c A_k + S_k x* f_c)    for j before k's joint
    d tau_k / d qd_j = S_k . (2 B_c S_j + I_c W_j),    d tau_j / d qd_k likewise with j and k exchanged
    d tau_k / d qdd_j = S_k . I_c S_j

all with the composites of k's body, q in tangent coordinates of the moved body.

Each body's quantities are about its own origin, in axes parallel to the base's: a step from body to body is a shift,
and no digits are lost however far the robot is from the origin. Inverse dynamics knows the accelerations beforehand and
has everything in one sweep inward (`sweep_all_inward`). Forward dynamics knows them when H and the bias force are there
(`sweep_inward`): it takes them in (`accelerate`) and finds d tau / d q last (`stiffness`).

The work memory of all functions here, `linearization_work` entries: for each body its axes and origin as seen from its
parent's origin, velocity, acceleration, I_c, 2 B_c, f_c; for each degree of freedom P, A, W, F = I_c S and the moment
t = 2 B_c^T S.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import after, lift, present, with_sines
from ..model.joints import column_in, component_along, joint_transform, size_along, turning_along
from ..model.moving_base import store_base_acceleration, store_base_velocity
from ..model.tree import Tree
from ..spatial.coriolis import coriolis_inertia, coriolis_times, coriolis_times_back, shift_coriolis
from ..spatial.inertias import RigidTuple, inertia_times, shift_inertia, turn_inertia
from ..spatial.motions import (
    cross_force,
    cross_motion,
    minus,
    plus,
    power,
    shift_force,
    shift_motion,
    times,
    turn_force,
)
from ..spatial.storage import (
    CORIOLIS,
    MOTION,
    RIGID,
    TRANSFORM,
    add_force,
    add_inertia,
    add_to_coriolis,
    load_coriolis,
    load_force,
    load_inertia,
    load_motion,
    load_transform,
    store_coriolis,
    store_force,
    store_inertia,
    store_motion,
    store_transform,
)
from ..spatial.vectors import Vector, dot
from .crba import in_base_axes, uncouple
from .rnea import external_force

OF_BODY = TRANSFORM + 2 * MOTION + RIGID + CORIOLIS + MOTION
OF_DOF = 4 * MOTION + 3


def of_bodies(tree: Tree, work: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Axes, v, a, I_c, 2 B_c and f_c in the work memory."""
    n = tree.nb + 1
    v = after(work, TRANSFORM * n)
    a = after(v, MOTION * n)
    I_c = after(a, MOTION * n)
    B_c = after(I_c, RIGID * n)
    return work, v, a, I_c, B_c, after(B_c, CORIOLIS * n)


def of_dofs(tree: Tree, work: Any) -> tuple[Any, Any, Any, Any, Any]:
    """P, A, W, F and t in the work memory."""
    P = after(work, OF_BODY * (tree.nb + 1))
    A = after(P, MOTION * tree.nv)
    W = after(A, MOTION * tree.nv)
    F = after(W, MOTION * tree.nv)
    return P, A, W, F, after(F, MOTION * tree.nv)


def sweep_outward(tree: Tree, q: Any, qd: Any, qdd: Any, f_ext: Any, base: Any, work: Any) -> None:
    """What each body has for itself, at qdd = 0 where that is absent; of the inertias and forces only its own."""
    E, v, a, I_c, B_c, f_c = of_bodies(tree, work)
    P, A, W, _, t = of_dofs(tree, work)
    q = with_sines(q, tree.nq, after(t, 3 * tree.nv))
    store_base_velocity(base, v, 0)
    store_base_acceleration(tree, base, a, 0)
    for i in range(1, tree.nb + 1):
        parent, first = tree.parent[i], tree.v_index[i]
        R, d = in_base_axes(tree, i, joint_transform(tree, i, q), E)
        store_transform(E, i, (R, d))
        # v_i = v_p + S qd;  a_i = a_p + S qdd + P qd;  P = v_p x S;  A = a_p x S + v_p x P;  W = P + v_i x S
        v_p, a_p = shift_motion(d, load_motion(v, parent)), shift_motion(d, load_motion(a, parent))
        v_i, a_i = v_p, a_p
        for k in range(tree.dofs[i]):
            S = column_in(tree, i, k, E)
            P_k = cross_motion(v_p, S)
            v_i, a_i = plus(v_i, times(qd[first + k], S)), plus(a_i, times(qd[first + k], P_k))
            if present(qdd):
                a_i = plus(a_i, times(qdd[first + k], S))
            store_motion(P, first + k, P_k)
            store_motion(A, first + k, plus(cross_motion(a_p, S), cross_motion(v_p, P_k)))
        for k in range(tree.dofs[i]):
            S = column_in(tree, i, k, E)
            store_motion(W, first + k, plus(load_motion(P, first + k), cross_motion(v_i, S)))
        # f_i = I a_i + v_i x* I v_i - f_ext
        I = turn_inertia(R, load_inertia(tree.inertia, i))
        f = plus(inertia_times(I, a_i), cross_force(v_i, inertia_times(I, v_i)))
        if present(f_ext) and tree.link[i] > 0:
            f = minus(f, turn_force(R, external_force(tree, i, f_ext)))
        store_motion(v, i, v_i)
        store_motion(a, i, a_i)
        store_inertia(I_c, i, I)
        store_coriolis(B_c, i, coriolis_inertia(I, v_i))
        store_force(f_c, i, f)


def sweep_inward(tree: Tree, bias: Any, H: Any, Z: Any, size: Any, work: Any) -> None:
    """The composites; of them the bias force, H without armature and Z = d bias / d qd, over every joint's rates.

    H, Z (nv, nv) full; size (nv): what each diagonal entry of H compares with.
    """
    E, _, _, I_c, B_c, f_c = of_bodies(tree, work)
    _, _, W, F, t = of_dofs(tree, work)
    n = tree.nv
    for i in range(tree.nb, 0, -1):
        I, B, f = load_inertia(I_c, i), load_coriolis(B_c, i), load_force(f_c, i)
        hand_inward(tree, i, work)
        for e in range(tree.dofs[i]):
            k = tree.v_index[i] + e
            S = column_in(tree, i, e, E)
            F_k, t_k = inertia_times(I, S), coriolis_times_back(B, S)
            store_force(F, k, F_k)
            store_vector(t, k, t_k)
            bias[k] = component_along(tree, i, e, E, f)
            size[k] = composite_size(tree, i, e, I)
            for c in range(e + 1):
                j = tree.v_index[i] + c
                H[k * n + j] = component_along(tree, i, c, E, F_k)
                H[j * n + k] = H[k * n + j]
            for c in range(tree.dofs[i]):
                j = tree.v_index[i] + c
                Z[k * n + j] = turning_along(tree, i, c, E, t_k) + power(load_motion(W, j), F_k)
            # on the way to the base both forces are about the origin of the body that has been reached
            G_k = plus(coriolis_times(B, S), inertia_times(I, load_motion(W, k)))
            b = i
            while tree.parent[b] > 0:
                d = load_transform(E, b)[1]
                F_k, G_k = shift_force(d, F_k), shift_force(d, G_k)
                last, b = tree.v_index[b], tree.parent[b]
                first = tree.v_index[b] + tree.dofs[b]
                uncouple(n, H, k, first, last)
                uncouple(n, Z, k, first, last)
                for c in range(tree.dofs[b]):
                    j = tree.v_index[b] + c
                    coupling = component_along(tree, b, c, E, F_k)
                    H[k * n + j] = coupling
                    H[j * n + k] = coupling
                    Z[k * n + j] = turning_along(tree, b, c, E, t_k) + power(load_motion(W, j), F_k)
                    Z[j * n + k] = component_along(tree, b, c, E, G_k)
            uncouple(n, H, k, 0, tree.v_index[b])
            uncouple(n, Z, k, 0, tree.v_index[b])


def sweep_all_inward(tree: Tree, H: Any, Z: Any, K: Any, work: Any) -> None:
    """H without armature, Z = d tau / d qd and K = d tau / d q at once, each (nv, nv) over every joint's rates."""
    E, _, _, I_c, B_c, f_c = of_bodies(tree, work)
    P, A, W, _, _ = of_dofs(tree, work)
    n = tree.nv
    for i in range(tree.nb, 0, -1):
        I, B, f = load_inertia(I_c, i), load_coriolis(B_c, i), load_force(f_c, i)
        hand_inward(tree, i, work)
        for e in range(tree.dofs[i]):
            k = tree.v_index[i] + e
            S, P_k = column_in(tree, i, e, E), load_motion(P, k)
            F_k, t_k = inertia_times(I, S), coriolis_times_back(B, S)
            for c in range(e + 1):
                j = tree.v_index[i] + c
                H[k * n + j] = component_along(tree, i, c, E, F_k)
                H[j * n + k] = H[k * n + j]
            for c in range(tree.dofs[i]):
                j = tree.v_index[i] + c
                Z[k * n + j] = turning_along(tree, i, c, E, t_k) + power(load_motion(W, j), F_k)
                K[k * n + j] = dot(t_k, load_motion(P, j)[0]) + power(load_motion(A, j), F_k)
            # by qd_k and by q_k; all forces are about the origin of the body that has been reached
            G_k = plus(coriolis_times(B, S), inertia_times(I, load_motion(W, k)))
            J_k = plus(coriolis_times(B, P_k), plus(inertia_times(I, load_motion(A, k)), cross_force(S, f)))
            b = i
            while tree.parent[b] > 0:
                d = load_transform(E, b)[1]
                F_k, G_k, J_k = shift_force(d, F_k), shift_force(d, G_k), shift_force(d, J_k)
                last, b = tree.v_index[b], tree.parent[b]
                first = tree.v_index[b] + tree.dofs[b]
                uncouple(n, H, k, first, last)
                uncouple(n, Z, k, first, last)
                uncouple(n, K, k, first, last)
                for c in range(tree.dofs[b]):
                    j = tree.v_index[b] + c
                    coupling = component_along(tree, b, c, E, F_k)
                    H[k * n + j] = coupling
                    H[j * n + k] = coupling
                    Z[k * n + j] = turning_along(tree, b, c, E, t_k) + power(load_motion(W, j), F_k)
                    Z[j * n + k] = component_along(tree, b, c, E, G_k)
                    K[k * n + j] = dot(t_k, load_motion(P, j)[0]) + power(load_motion(A, j), F_k)
                    K[j * n + k] = component_along(tree, b, c, E, J_k)
            uncouple(n, H, k, 0, tree.v_index[b])
            uncouple(n, Z, k, 0, tree.v_index[b])
            uncouple(n, K, k, 0, tree.v_index[b])


def hand_inward(tree: Tree, i: int, work: Any) -> None:
    """Add what body i carries to its parent."""
    E, _, _, I_c, B_c, f_c = of_bodies(tree, work)
    parent, d = tree.parent[i], load_transform(E, i)[1]
    if parent > 0:
        add_inertia(I_c, parent, shift_inertia(d, load_inertia(I_c, i)))
        add_to_coriolis(B_c, parent, shift_coriolis(d, load_coriolis(B_c, i)))
        add_force(f_c, parent, shift_force(d, load_force(f_c, i)))


def accelerate(tree: Tree, qdd: Any, work: Any) -> None:
    """Take in the accelerations qdd of every joint: A becomes that of the whole motion, a what qdd alone gives."""
    E, _, a, _, _, _ = of_bodies(tree, work)
    _, A, _, _, _ = of_dofs(tree, work)
    clear(MOTION, a)
    for i in range(1, tree.nb + 1):
        # A += a_p x S
        a_p = shift_motion(load_transform(E, i)[1], load_motion(a, tree.parent[i]))
        a_i = a_p
        for e in range(tree.dofs[i]):
            k = tree.v_index[i] + e
            S = column_in(tree, i, e, E)
            store_motion(A, k, plus(load_motion(A, k), cross_motion(a_p, S)))
            a_i = plus(a_i, times(qdd[k], S))
        store_motion(a, i, a_i)


def stiffness(tree: Tree, qdd: Any, K: Any, work: Any) -> None:
    """K = d tau / d q (nv, nv) over every joint's rates, at the accelerations qdd that `accelerate` took in."""
    E, beyond, a, I_c, B_c, f_c = of_bodies(tree, work)  # nobody needs the velocities any more
    P, A, _, F, t = of_dofs(tree, work)
    n = tree.nv
    clear(MOTION * (tree.nb + 1), beyond)
    for i in range(tree.nb, 0, -1):
        I, B = load_inertia(I_c, i), load_coriolis(B_c, i)
        # the force of qdd is I_c a_i, and of what is carried sum of F qdd for the accelerations that i has not
        carried = load_force(beyond, i)
        f = plus(load_force(f_c, i), plus(inertia_times(I, load_motion(a, i)), carried))
        for e in range(tree.dofs[i]):
            k = tree.v_index[i] + e
            S, P_k = column_in(tree, i, e, E), load_motion(P, k)
            F_k, t_k = load_force(F, k), load_vector(t, k)
            carried = plus(carried, times(qdd[k], F_k))
            for c in range(tree.dofs[i]):
                j = tree.v_index[i] + c
                K[k * n + j] = dot(t_k, load_motion(P, j)[0]) + power(load_motion(A, j), F_k)
            G_k = plus(coriolis_times(B, P_k), plus(inertia_times(I, load_motion(A, k)), cross_force(S, f)))
            b = i
            while tree.parent[b] > 0:
                d = load_transform(E, b)[1]
                F_k, G_k = shift_force(d, F_k), shift_force(d, G_k)
                last, b = tree.v_index[b], tree.parent[b]
                uncouple(n, K, k, tree.v_index[b] + tree.dofs[b], last)
                for c in range(tree.dofs[b]):
                    j = tree.v_index[b] + c
                    K[k * n + j] = dot(t_k, load_motion(P, j)[0]) + power(load_motion(A, j), F_k)
                    K[j * n + k] = component_along(tree, b, c, E, G_k)
            uncouple(n, K, k, 0, tree.v_index[b])
        add_force(beyond, tree.parent[i], shift_force(load_transform(E, i)[1], carried))


def composite_size(tree: Tree, i: int, d: int, inertia: RigidTuple) -> Any:
    """A bound on S_d . I S_d, the same in all axes."""
    m, _, I = inertia
    return size_along(tree, i, d, m, I[0] + I[2] + I[5])


def load_vector(array: Any, i: int) -> Vector:
    """The i-th vector."""
    return (array[3 * i], array[3 * i + 1], array[3 * i + 2])


def store_vector(array: Any, i: int, x: Vector) -> None:
    """Write the i-th vector."""
    array[3 * i], array[3 * i + 1], array[3 * i + 2] = x[0], x[1], x[2]


def clear(count: int, x: Any) -> None:
    """Zeros."""
    for k in range(count):
        x[k] = lift(x, 0.0)


def linearization_work(tree: Tree) -> int:
    """Entries of work memory."""
    return OF_BODY * (tree.nb + 1) + OF_DOF * tree.nv + 2 * tree.nq
