"""A step of Runge-Kutta's method with its derivatives.

The stages run on coordinates, off the manifold (`simulation/stepping.py`). So what goes from stage to stage is how
coordinates, quaternions as four numbers, and rates change with 3 nv columns (dq, dqd, dtau) at the beginning: to each
line of the method there is one for matrices. Between coordinates and the tangent that forward dynamics' derivatives
know, for a quaternion x of any length,

    dx = x (w/2; 0),    w = 2 vec(x* dx)/|x|^2

of which the second forgets changes of length, as the recursions and the normalisation at the end do.
"""

from __future__ import annotations

from typing import Any

from ..algorithms.aba_derivatives import derive_forward, forward_derivatives_work, linearize_forward
from ..algorithms.configuration import (
    coordinate_rates,
    load_quaternion,
    load_vector,
    normalize_configuration,
    quaternion_rate,
)
from ..algorithms.configuration_derivatives import clear
from ..algorithms.factor import pivot_margin, singular_dof
from ..algorithms.kernels import tree_kernel
from ..engine.scalars import after, copy, lift, sincos
from ..model.coupling import all_coordinates, all_rates
from ..model.losses import add_losses, loss_slope
from ..model.tree import FLOATING, PLANAR, SPHERICAL, Tree
from ..spatial.rotations import quaternion_conjugate, quaternion_product, rotate, rotate_back, rotation_from_quaternion
from ..spatial.vectors import add, cross, dot, scale


def runge_kutta_derivatives_state(
    tree: Tree,
    options: Any,
    q: Any,
    qd: Any,
    tau: Any,
    f_ext: Any,
    base: Any,
    dt: Any,
    q_next: Any,
    qd_next: Any,
    A: Any,
    B: Any,
    work: Any,
) -> None:
    """A step of Runge-Kutta's method, A (2 nv, 2 nv) and B (2 nv, nv); options: whether there are losses.

    The work memory begins with the pivots of the first stage and what they compare with.
    """
    nq, n, h = tree.nq_free, tree.nv_free, dt[0]
    m = 3 * n
    stage_q = after(work, 2 * n)
    stage_qd, rate, qdd = after(stage_q, nq), after(stage_q, nq + n), after(stage_q, 2 * nq + n)
    # of coordinates (nq, m): at the beginning, in the stage, its rates, at the end; then of rates (nv, m)
    Q = after(stage_q, 2 * (nq + n))
    Q_stage, Q_rate, Q_next = after(Q, nq * m), after(Q, 2 * nq * m), after(Q, 3 * nq * m)
    V_stage = after(Q, 4 * nq * m)
    V_rate, V_next, E = after(V_stage, n * m), after(V_stage, 2 * n * m), after(V_stage, 3 * n * m)
    rest = after(V_stage, 4 * n * m)
    clear(n * m, E)
    clear(n * m, V_stage)
    for k in range(n):
        E[k * m + k] = lift(E, 1.0)
        V_stage[k * m + n + k] = lift(E, 1.0)
    turn_tangents_to_coordinates(tree, m, q, E, Q)
    copy(q, q_next, nq)
    copy(q, stage_q, nq)
    copy(qd, qd_next, n)
    copy(qd, stage_qd, n)
    copy(Q, Q_next, nq * m)
    copy(Q, Q_stage, nq * m)
    copy(V_stage, V_next, n * m)
    for stage in range(1, 5):
        weight = h / 6.0 if stage == 1 or stage == 4 else h / 3.0
        reach = h if stage == 3 else h / 2.0
        turn_coordinates_to_tangents(tree, m, stage_q, Q_stage, E)
        derive_acceleration(tree, options, stage_q, stage_qd, tau, f_ext, base, E, V_stage, qdd, V_rate, rest)
        if stage == 1:
            for k in range(n):
                work[k], work[n + k] = rest[k * (n + 1)], rest[n * n + k]
        coordinate_rates(tree, stage_q, stage_qd, rate)
        derive_rates(tree, m, stage_q, stage_qd, Q_stage, E, V_stage, Q_rate)
        step_on(nq, weight, reach, q, rate, q_next, stage_q)
        step_on(n, weight, reach, qd, qdd, qd_next, stage_qd)
        step_on(nq * m, weight, reach, Q, Q_rate, Q_next, Q_stage)
        for i in range(n):
            for j in range(m):
                V_next[i * m + j] += weight * V_rate[i * m + j]
                V_stage[i * m + j] = reach * V_rate[i * m + j]
            V_stage[i * m + n + i] += lift(V_stage, 1.0)
    turn_coordinates_to_tangents(tree, m, q_next, Q_next, E)
    normalize_configuration(tree, q_next)
    hand_out(n, E, A, B)
    hand_out(n, V_next, after(A, 2 * n * n), after(B, n * n))


def step_on(count: int, weight: Any, reach: Any, start: Any, rate: Any, end: Any, stage: Any) -> None:
    """Add a stage's part to the end, and go from the start to the next stage."""
    for k in range(count):
        end[k] += weight * rate[k]
        stage[k] = start[k] + reach * rate[k]


def hand_out(n: int, rows: Any, A: Any, B: Any) -> None:
    """Rows (n, 3 n) of A and B side by side."""
    for i in range(n):
        for j in range(2 * n):
            A[i * 2 * n + j] = rows[i * 3 * n + j]
        for j in range(n):
            B[i * n + j] = rows[i * 3 * n + 2 * n + j]


def derive_acceleration(
    tree: Tree,
    options: Any,
    q: Any,
    qd: Any,
    tau: Any,
    f_ext: Any,
    base: Any,
    E: Any,
    V: Any,
    qdd: Any,
    change: Any,
    work: Any,
) -> None:
    """qdd, and its change (nv, 3 nv) with the columns of tangents E, of rates V and of torques; work begins with L."""
    n = tree.nv_free
    room = after(work, forward_derivatives_work(tree))
    q_all = all_coordinates(tree, q, room)
    qd_all = all_rates(tree, qd, after(room, tree.nq))
    lost, slope = after(room, tree.nq + tree.nv), after(room, tree.nq + 2 * tree.nv)
    by_q = after(room, tree.nq + 3 * tree.nv)
    by_qd, by_tau = after(by_q, n * n), after(by_q, 2 * n * n)
    clear(tree.nv, lost)
    clear(tree.nv, slope)
    if options[0]:
        add_losses(tree, 1.0, qd_all, lost)
        for k in range(tree.nv):
            slope[k] = loss_slope(tree, k, qd_all)
    linearize_forward(tree, q_all, qd_all, tau, f_ext, base, lost, tree.armature, qdd, by_qd, work)
    derive_forward(tree, slope, qdd, by_q, by_qd, by_tau, work)
    m = 3 * n
    clear(n * m, change)
    for i in range(n):
        for k in range(n):
            stiff, damped = by_q[i * n + k], by_qd[i * n + k]
            for j in range(m):
                change[i * m + j] += stiff * E[k * m + j] + damped * V[k * m + j]
            change[i * m + 2 * n + k] += by_tau[i * n + k]


def turn_tangents_to_coordinates(tree: Tree, m: int, q: Any, E: Any, Q: Any) -> None:
    """Q (nq, m) of the tangents E (nv, m) at q."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if tree.dofs[i] == 0:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        for c in range(m):
            if joint_type == PLANAR:
                s, cosine = sincos(q[k + 2])
                x, y = E[(j + 1) * m + c], E[(j + 2) * m + c]
                put_column(m, k, c, (cosine * x - s * y, s * x + cosine * y, E[j * m + c]), Q)
            elif joint_type == SPHERICAL:
                put_quaternion(m, k, c, quaternion_rate(load_quaternion(q, k), column(m, j, c, E)), Q)
            elif joint_type == FLOATING:
                x = load_quaternion(q, k + 3)
                put_column(m, k, c, rotate(rotation_from_quaternion(x), column(m, j + 3, c, E)), Q)
                put_quaternion(m, k + 3, c, quaternion_rate(x, column(m, j, c, E)), Q)
            else:
                Q[k * m + c] = E[j * m + c]


def turn_coordinates_to_tangents(tree: Tree, m: int, q: Any, Q: Any, E: Any) -> None:
    """E (nv, m) of changes Q (nq, m) of coordinates at q, whose quaternions may have any length."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if tree.dofs[i] == 0:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        for c in range(m):
            if joint_type == PLANAR:
                s, cosine = sincos(q[k + 2])
                x, y = Q[k * m + c], Q[(k + 1) * m + c]
                put_column(m, j, c, (Q[(k + 2) * m + c], cosine * x + s * y, cosine * y - s * x), E)
            elif joint_type == SPHERICAL:
                put_column(m, j, c, turn_of(load_quaternion(q, k), quaternion_column(m, k, c, Q)), E)
            elif joint_type == FLOATING:
                x = load_quaternion(q, k + 3)
                put_column(m, j, c, turn_of(x, quaternion_column(m, k + 3, c, Q)), E)
                put_column(m, j + 3, c, rotate_back(rotation_from_quaternion(x), column(m, k, c, Q)), E)
            else:
                E[j * m + c] = Q[k * m + c]


def derive_rates(tree: Tree, m: int, q: Any, qd: Any, Q: Any, E: Any, V: Any, Q_rate: Any) -> None:
    """The change (nq, m) of `coordinate_rates` with coordinates Q, whose tangents are E, and rates V."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if tree.dofs[i] == 0:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        for c in range(m):
            if joint_type == PLANAR:
                # the velocity in the plane turns with the angle
                s, cosine = sincos(q[k + 2])
                turn = Q[(k + 2) * m + c]
                x, y = V[(j + 1) * m + c] - turn * qd[j + 2], V[(j + 2) * m + c] + turn * qd[j + 1]
                put_column(m, k, c, (cosine * x - s * y, s * x + cosine * y, V[j * m + c]), Q_rate)
            elif joint_type == SPHERICAL:
                put_quaternion(m, k, c, changed_turning(m, k, j, c, q, qd, Q, V), Q_rate)
            elif joint_type == FLOATING:
                R = rotation_from_quaternion(load_quaternion(q, k + 3))
                turned = cross(column(m, j, c, E), load_vector(qd, j + 3))
                put_column(m, k, c, rotate(R, add(turned, column(m, j + 3, c, V))), Q_rate)
                put_quaternion(m, k + 3, c, changed_turning(m, k + 3, j, c, q, qd, Q, V), Q_rate)
            else:
                Q_rate[k * m + c] = V[j * m + c]


def changed_turning(m: int, k: int, j: int, c: int, q: Any, qd: Any, Q: Any, V: Any) -> Any:
    """The change of a quaternion's rate."""
    a = quaternion_rate(quaternion_column(m, k, c, Q), load_vector(qd, j))
    b = quaternion_rate(load_quaternion(q, k), column(m, j, c, V))
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


def turn_of(x: Any, dx: Any) -> Any:
    """The turn in the moved axes that a change of a quaternion is."""
    y = quaternion_product(quaternion_conjugate(x), dx)
    square = dot((x[0], x[1], x[2]), (x[0], x[1], x[2])) + x[3] * x[3]
    return scale(2.0 / square, (y[0], y[1], y[2]))


def column(m: int, k: int, c: int, X: Any) -> Any:
    """Three entries of a column from row k on."""
    return (X[k * m + c], X[(k + 1) * m + c], X[(k + 2) * m + c])


def quaternion_column(m: int, k: int, c: int, X: Any) -> Any:
    """Four of them."""
    return (X[k * m + c], X[(k + 1) * m + c], X[(k + 2) * m + c], X[(k + 3) * m + c])


def put_column(m: int, k: int, c: int, x: Any, X: Any) -> None:
    """Write three entries of a column from row k on."""
    X[k * m + c], X[(k + 1) * m + c], X[(k + 2) * m + c] = x[0], x[1], x[2]


def put_quaternion(m: int, k: int, c: int, x: Any, X: Any) -> None:
    """Write four of them."""
    put_column(m, k, c, (x[0], x[1], x[2]), X)
    X[(k + 3) * m + c] = x[3]


def runge_kutta_derivatives_work(tree: Tree) -> int:
    """Entries of work memory."""
    nq, n = tree.nq_free, tree.nv_free
    own = 2 * n + (nq + n) * (2 + 12 * n)
    return own + forward_derivatives_work(tree) + tree.nq + 3 * tree.nv + 3 * n * n


def first_stage_verdict(tree: Tree, work: Any) -> int:
    """1 + a degree of freedom without inertia, or 0."""
    return singular_dof(tree, work, 1, after(work, tree.nv_free))


def first_stage_margin(tree: Tree, work: Any) -> Any:
    """Positive if every degree of freedom has inertia."""
    return pivot_margin(tree, work, 1, after(work, tree.nv_free))


RUNGE_KUTTA_DERIVATIVES = tree_kernel(
    "runge_kutta_derivatives",
    runge_kutta_derivatives_state,
    6,
    runge_kutta_derivatives_work,
    first_stage_verdict,
    first_stage_margin,
    outputs=4,
)
