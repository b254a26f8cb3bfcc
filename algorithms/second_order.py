"""The second derivatives of inverse dynamics, by triples of degrees of freedom on one way to the base.

S. Singh, R. P. Russell and P. M. Wensing, On second-order derivatives of rigid-body dynamics: theory and implementation
(2023), arXiv:2302.06001; here derived anew, from the first derivatives in `algorithms/linearization.py`, see docs.

Of three degrees of freedom, a before b before c from the base outward, c's body carries I, 2 B and f. With 2 B(I, v)
that of an inertia I which moves with v,

    D = S_c x* I - I S_c x,    N = S_c x* 2 B - 2 B S_c x + 2 B(I, P_c),    G = S_c x* f + 2 B P_c + I A_c

are what these change by where c moves on, and C = 2 B(I, S_c), g = 2 B S_c + I W_c where it is faster. For each b,

    y = C^T S_b,    n = N^T S_b,    r = D S_b,    u = S_b x* 2 B^T S_c - C^T P_b,    w = S_b x* I S_c

of which y, n and u are moments alone. Every entry [k; x, y] = d^2 tau_k / dx dy is a product with a vector of a's; qd
is v, qdd a':

    [c; q_a, q_b]  u.P_a + w.A_a    [b; q_a, q_c]  n.P_a + r.A_a    [a; q_b, q_c]  S_a . (S_b x* G + N P_b + D A_b)
    [c; q_a, v_b]  -y.P_a           [b; q_a, v_c]  y.P_a            [a; q_b, v_c]  S_a . (S_b x* g + C P_b)
    [c; q_b, v_a]  u.S_a + w.W_a    [b; q_c, v_a]  n.S_a + r.W_a    [a; q_c, v_b]  S_a . (N S_b + D W_b)
    [c; v_a, v_b]  -y.S_a           [b; v_a, v_c]  y.S_a            [a; v_b, v_c]  S_a . C S_b
    [c; q_b, a'_a] and [a; q_b, a'_c]  w.S_a                        [b; q_c, a'_a] and [a; q_c, a'_b]  r.S_a

and [k; q_i, q_j] is the same as [k; q_j, q_i], [k; v_i, v_j] as [k; v_j, v_i]. Where b is of a's joint, or c of b's,
[c; q_b, q_a], the derivative along a of that by b, and [a; q_c, q_b] stand for each of both orders; an entry that takes
b to turn what a stands for, or c what b does, is not there; and of [v; v] it is the mean of both orders.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift
from ..model.joints import column_in
from ..model.tree import Tree
from ..spatial.coriolis import (
    CoriolisTuple,
    add_coriolis,
    coriolis_inertia,
    coriolis_rate,
    coriolis_times,
    coriolis_times_back,
)
from ..spatial.inertias import RigidTuple, inertia_rate, inertia_times
from ..spatial.motions import ForceTuple, cross_force, plus, power, shift_motion, times
from ..spatial.storage import (
    load_coriolis,
    load_force,
    load_inertia,
    load_motion,
    load_transform,
    store_motion,
)
from ..spatial.vectors import Vector, add, cross, dot, subtract
from .linearization import hand_inward, of_bodies, of_dofs

S, P, A, W = range(4)  # the vectors of a degree of freedom, seen from the body that is reached
COLUMNS = 4

Results = tuple[Any, Any, Any, Any]  # by q and q, q and qd, qd and qd, q and qdd


def second_order(tree: Tree, results: Results, columns: Any, work: Any) -> None:
    """Add all entries to the user's four arrays; `columns` has room for 24 nv numbers."""
    _, _, _, I_c, B_c, f_c = of_bodies(tree, work)
    for i in range(tree.nb, 0, -1):
        I, B, f = load_inertia(I_c, i), load_coriolis(B_c, i), load_force(f_c, i)
        hand_inward(tree, i, work)
        see_from(tree, i, columns, work)
        for e in range(tree.dofs[i]):
            add_pairs(tree, tree.v_index[i] + e, I, B, f, columns, results)


def see_from(tree: Tree, i: int, columns: Any, work: Any) -> None:
    """S, P, A and W of body i and all before it, about i's origin; of followers as many times as they are faster."""
    E = of_bodies(tree, work)[0]
    P_own, A_own, W_own, _, _ = of_dofs(tree, work)
    o, b = lift(work, 0.0), i
    p = (o, o, o)
    while b > 0:
        for e in range(tree.dofs[b]):
            k = tree.v_index[b] + e
            s = tree.v_scale[k]
            store_motion(columns, COLUMNS * k + S, times(s, shift_motion(p, column_in(tree, b, e, E))))
            store_motion(columns, COLUMNS * k + P, times(s, shift_motion(p, load_motion(P_own, k))))
            store_motion(columns, COLUMNS * k + A, times(s, shift_motion(p, load_motion(A_own, k))))
            store_motion(columns, COLUMNS * k + W, times(s, shift_motion(p, load_motion(W_own, k))))
        p = add(p, load_transform(E, b)[1])
        b = tree.parent[b]


def add_pairs(
    tree: Tree, c: int, I: RigidTuple, B: CoriolisTuple, f: ForceTuple, columns: Any, results: Results
) -> None:
    """Add the entries of degree of freedom c, whose body carries I, B and f, with all b and a."""
    S_c, P_c = load_motion(columns, COLUMNS * c + S), load_motion(columns, COLUMNS * c + P)
    A_c, W_c = load_motion(columns, COLUMNS * c + A), load_motion(columns, COLUMNS * c + W)
    F, t = inertia_times(I, S_c), coriolis_times_back(B, S_c)
    D, C = inertia_rate(I, S_c), coriolis_inertia(I, S_c)
    N = add_coriolis(coriolis_rate(B, S_c), coriolis_inertia(I, P_c))
    G = plus(cross_force(S_c, f), plus(coriolis_times(B, P_c), inertia_times(I, A_c)))
    g = plus(coriolis_times(B, S_c), inertia_times(I, W_c))
    i = tree.body[c]
    b = tree.v_index[i] + tree.dofs[i] - 1
    while b >= 0:
        S_b, P_b = load_motion(columns, COLUMNS * b + S), load_motion(columns, COLUMNS * b + P)
        A_b, W_b = load_motion(columns, COLUMNS * b + A), load_motion(columns, COLUMNS * b + W)
        y, n, r = coriolis_times_back(C, S_b), coriolis_times_back(N, S_b), inertia_times(D, S_b)
        u, w = subtract(cross(S_b[0], t), coriolis_times_back(C, P_b)), cross_force(S_b, F)
        qq = plus(cross_force(S_b, G), plus(coriolis_times(N, P_b), inertia_times(D, A_b)))
        bc = plus(cross_force(S_b, g), coriolis_times(C, P_b))
        cb = plus(coriolis_times(N, S_b), inertia_times(D, W_b))
        add_within(tree, c, b, (y, n, u), (r, w), columns, results)
        add_before(tree, c, b, (y, n, u), (r, w), (qq, bc, cb, coriolis_times(C, S_b)), columns, results)
        b = tree.parent_dof[b]


def add_within(
    tree: Tree,
    c: int,
    b: int,
    moments: tuple[Vector, ...],
    pair: tuple[ForceTuple, ...],
    columns: Any,
    results: Results,
) -> None:
    """Add the entries with degrees of freedom a of b's own joint. Equal ones are each half of two orders' sum."""
    (y, n, u), (r, w) = moments, pair
    dq_dq, dq_dqd, dqd_dqd, dq_dqdd = results
    i, n_free = tree.body[b], tree.nv_free
    kc, kb = tree.v_source[c], tree.v_source[b]
    for a in range(tree.v_index[i], tree.v_index[i] + tree.dofs[i]):
        S_a, P_a = load_motion(columns, COLUMNS * a + S), load_motion(columns, COLUMNS * a + P)
        A_a, W_a = load_motion(columns, COLUMNS * a + A), load_motion(columns, COLUMNS * a + W)
        ka = tree.v_source[a]
        y_P, y_S = dot(y, P_a[0]), 0.5 * dot(y, S_a[0])
        put(dq_dq, n_free, kc, kb, ka, dot(u, P_a[0]) + power(A_a, w))
        put(dq_dqd, n_free, kc, ka, kb, -y_P)
        put(dqd_dqd, n_free, kc, ka, kb, -y_S)
        put(dqd_dqd, n_free, kc, kb, ka, -y_S)
        if tree.body[c] != i:
            z, r_S = dot(n, P_a[0]) + power(A_a, r), 0.5 * power(S_a, r)
            put(dq_dq, n_free, kb, ka, kc, z)
            put(dq_dq, n_free, kb, kc, ka, z)
            put(dq_dqd, n_free, kb, ka, kc, y_P)
            put(dq_dqd, n_free, kb, kc, ka, dot(n, S_a[0]) + power(W_a, r))
            put(dqd_dqd, n_free, kb, ka, kc, 2.0 * y_S)
            put(dqd_dqd, n_free, kb, kc, ka, 2.0 * y_S)
            put(dq_dqdd, n_free, kb, kc, ka, r_S)
            put(dq_dqdd, n_free, ka, kc, kb, r_S)


def add_before(
    tree: Tree,
    c: int,
    b: int,
    moments: tuple[Vector, ...],
    pair: tuple[ForceTuple, ...],
    forces: tuple[ForceTuple, ...],
    columns: Any,
    results: Results,
) -> None:
    """Add the entries with degrees of freedom a of joints before b's."""
    (y, n, u), (r, w), (qq, bc, cb, vv) = moments, pair, forces
    dq_dq, dq_dqd, dqd_dqd, dq_dqdd = results
    apart, n_free = tree.body[b] != tree.body[c], tree.nv_free
    kc, kb = tree.v_source[c], tree.v_source[b]
    a = tree.parent_dof[tree.v_index[tree.body[b]]]
    while a >= 0:
        S_a, P_a = load_motion(columns, COLUMNS * a + S), load_motion(columns, COLUMNS * a + P)
        A_a, W_a = load_motion(columns, COLUMNS * a + A), load_motion(columns, COLUMNS * a + W)
        ka = tree.v_source[a]
        z, y_P, y_S, w_S = dot(u, P_a[0]) + power(A_a, w), dot(y, P_a[0]), dot(y, S_a[0]), power(S_a, w)
        on_a, on_a_vv = power(S_a, qq), power(S_a, vv)
        put(dq_dq, n_free, kc, kb, ka, z)
        put(dq_dq, n_free, kc, ka, kb, z)
        put(dq_dq, n_free, ka, kc, kb, on_a)
        put(dq_dqd, n_free, kc, ka, kb, -y_P)
        put(dq_dqd, n_free, kc, kb, ka, dot(u, S_a[0]) + power(W_a, w))
        put(dq_dqd, n_free, ka, kb, kc, power(S_a, bc))
        put(dqd_dqd, n_free, kc, ka, kb, -y_S)
        put(dqd_dqd, n_free, kc, kb, ka, -y_S)
        put(dq_dqdd, n_free, kc, kb, ka, w_S)
        put(dq_dqdd, n_free, ka, kb, kc, w_S)
        if apart:
            z, r_S = dot(n, P_a[0]) + power(A_a, r), power(S_a, r)
            put(dq_dq, n_free, kb, ka, kc, z)
            put(dq_dq, n_free, kb, kc, ka, z)
            put(dq_dq, n_free, ka, kb, kc, on_a)
            put(dq_dqd, n_free, kb, ka, kc, y_P)
            put(dq_dqd, n_free, kb, kc, ka, dot(n, S_a[0]) + power(W_a, r))
            put(dq_dqd, n_free, ka, kc, kb, power(S_a, cb))
            put(dqd_dqd, n_free, kb, ka, kc, y_S)
            put(dqd_dqd, n_free, kb, kc, ka, y_S)
            put(dqd_dqd, n_free, ka, kb, kc, on_a_vv)
            put(dqd_dqd, n_free, ka, kc, kb, on_a_vv)
            put(dq_dqdd, n_free, kb, kc, ka, r_S)
            put(dq_dqdd, n_free, ka, kc, kb, r_S)
        else:
            put(dqd_dqd, n_free, ka, kb, kc, 0.5 * on_a_vv)
            put(dqd_dqd, n_free, ka, kc, kb, 0.5 * on_a_vv)
        a = tree.parent_dof[a]


def put(array: Any, n: int, k: int, i: int, j: int, x: Any) -> None:
    """Add to entry [k, i, j] of an array (n, n, n): followers' entries join their leaders'."""
    array[(k * n + i) * n + j] += x
