"""The time loop: semi-implicit Euler and Runge-Kutta on the configuration manifold, compiled as a whole.

Torques are held over each step, as a digital controller does.

Semi-implicit Euler: (H + dt C) qdd = tau - bias - C qd, qd += dt qdd, q = q (+) dt qd, with the losses as a damping C
that is put on the mass matrix, so that strong damping and dry friction stay stable; stops of limits likewise. First
order.

Runge-Kutta of fourth order runs on the coordinates themselves (the recursions divide a quaternion's length out, so
stages may leave the manifold) and gives quaternions their length back after each step, which keeps the order. Hairer,
Lubich and Wanner, Geometric Numerical Integration (2006), section IV.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algorithms.configuration import coordinate_rates, integrate_into, normalize_configuration
from ..algorithms.forward import (
    articulated_margin,
    articulated_verdict,
    articulated_work,
    factor_margin,
    factor_verdict,
    factor_work,
    forward_by_articulated_bodies,
    forward_by_factor,
)
from ..algorithms.kernels import tree_kernel
from ..engine.scalars import after, copy, copy_if_present, lift, positive, present
from ..model.coupling import all_rates, free_torques, room_for_torques
from ..model.losses import add_losses, secant_damping
from ..model.tree import BASE_SIZE, Tree
from .springs import spring_forces
from .stops import stop_forces, table_size

SEMI_IMPLICIT_EULER, RK4 = 0, 1
LOSSES, STEPS, TAU_STEP, LAST, EVERY, BASE_STEP, BASE_HALF, SPRINGS = range(8)  # the options
NOT_FINITE, SINGULAR = 0, 1  # what can go wrong in a step


def take_losses_implicitly(tree: Tree, dt: Any, qd: Any, tau: Any, diagonal: Any, net: Any, room: Any) -> None:
    """net (nv_free) = tau less losses at qd; diagonal (nv) = armature and dt C; room has 3 nv entries."""
    qd_all = all_rates(tree, qd, room)
    c = after(room, tree.nv)
    lost = room_for_torques(tree, net, after(room, 2 * tree.nv))
    secant_damping(tree, qd_all, c)
    for k in range(tree.nv):
        diagonal[k] = tree.armature[k] + dt * c[k]
        lost[k] = -c[k] * qd_all[k]
    free_torques(tree, lost, net)
    for k in range(tree.nv_free):
        net[k] += tau[k]


def take_losses(tree: Tree, dt: Any, qd: Any, tau: Any, diagonal: Any, net: Any, room: Any) -> None:
    """net (nv_free) = tau less losses at qd; room has 3 nv entries."""
    qd_all = all_rates(tree, qd, room)
    lost = room_for_torques(tree, net, after(room, 2 * tree.nv))
    for k in range(tree.nv):
        lost[k] = lift(lost, 0.0)
    add_losses(tree, -1.0, qd_all, lost)
    free_torques(tree, lost, net)
    for k in range(tree.nv_free):
        net[k] += tau[k]


def push_implicitly(
    tree: Tree, options: Any, settings: Any, q: Any, qd: Any, diagonal: Any, net: Any, room: Any
) -> None:
    """Add what stops and springs push to net, and to diagonal how it grows in the step; room has 2 nv entries."""
    dt, force, braking = settings[0], room, after(room, tree.nv)
    stop_forces(tree, dt, after(settings, 1), q, qd, force, braking)
    spring_forces(options[SPRINGS], after(options, SPRINGS + 1), springs_of(tree, settings), q, qd, force)
    for k in range(tree.nv_free):
        net[k] += force[k]
    for k in range(tree.nv):
        diagonal[k] += dt * braking[k]


def push(tree: Tree, options: Any, settings: Any, q: Any, qd: Any, diagonal: Any, net: Any, room: Any) -> None:
    """Add what stops and springs push to net; room has 2 nv entries."""
    stop_forces(tree, 0.0 * settings[0], after(settings, 1), q, qd, room, after(room, tree.nv))
    spring_forces(options[SPRINGS], after(options, SPRINGS + 1), springs_of(tree, settings), q, qd, room)
    for k in range(tree.nv_free):
        net[k] += room[k]


def springs_of(tree: Tree, settings: Any) -> Any:
    """What `spring_forces` reads of the settings, behind what stops do."""
    return after(settings, 1 + table_size(tree))


def leave(tree: Tree, options: Any, settings: Any, q: Any, qd: Any, diagonal: Any, net: Any, room: Any) -> None:
    """There are no stops and no springs."""


def move_base(options: Any, bases: Any, s: int, halves: int, base: Any) -> None:
    """The base's motion at step s and some halves of a step later, if it is given."""
    if present(bases):
        copy(after(bases, s * options[BASE_STEP] + halves * options[BASE_HALF]), base, BASE_SIZE)


def weakness(x: Any, n: int, so_far: Any) -> Any:
    """`so_far`, or NaN if one of n entries is NaN or infinite."""
    for k in range(n):
        so_far += x[k] * 0.0
    return so_far


def first_not_finite(x: Any, n: int) -> int:
    """1 + the first of n entries that is NaN or infinite, or 0."""
    for k in range(n):
        if x[k] * 0.0 != 0.0:
            return k + 1
    return 0


def make_rollout(
    forward: Callable[..., None],
    forward_work: Callable[..., int],
    forward_verdict: Callable[..., int],
    forward_margin: Callable[..., Any],
    method: int,
    stops: bool,
) -> tuple[Any, Any, Any]:
    """The rollout of one trajectory by one method, with one way of forward dynamics; its work memory and its verdict.

    The work memory: the step that failed, counted from 1; then qdd, the next qd and q; then what `rollout` names.
    """

    # chosen here and not by a branch within: what is not used is then not compiled
    implicit = method == SEMI_IMPLICIT_EULER
    lose = take_losses_implicitly if implicit else take_losses
    limit = leave if not stops else push_implicitly if implicit else push

    def accelerate(tree, options, settings, q, qd, tau, f_ext, base, qdd, room, work):
        """The acceleration qdd of a state; `room` has 5 nv entries, `work` what forward dynamics needs."""
        diagonal, net, rest = room, after(room, tree.nv), after(room, 2 * tree.nv)
        for k in range(tree.nv):
            diagonal[k] = lift(diagonal, tree.armature[k])
        if options[LOSSES] != 0:
            lose(tree, settings[0], qd, tau, diagonal, net, rest)
        else:
            copy(tau, net, tree.nv_free)
        limit(tree, options, settings, q, qd, diagonal, net, rest)
        forward(tree, q, qd, net, f_ext, base, diagonal, qdd, work)

    def euler_step(tree, options, settings, q, qd, tau, f_ext, bases, s, base, qdd, q_next, qd_next, room, work):
        """From (q, qd) with its acceleration to the next state."""
        dt, dq = settings[0], room
        for k in range(tree.nv_free):
            qd_next[k] = qd[k] + dt * qdd[k]
            dq[k] = dt * qd_next[k]
        integrate_into(tree, q, dq, q_next)

    def runge_kutta_step(tree, options, settings, q, qd, tau, f_ext, bases, s, base, qdd, q_next, qd_next, room, work):
        """From (q, qd) with its acceleration to the next state; `room` has 2 (nq + nv) entries before accelerate's."""
        nq, nv, dt = tree.nq_free, tree.nv_free, settings[0]
        rate, stage_q = room, after(room, nq)
        slope, stage_qd = after(room, 2 * nq), after(room, 2 * nq + nv)
        rest = after(room, 2 * (nq + nv))
        coordinate_rates(tree, q, qd, rate)
        for k in range(nq):
            q_next[k] = q[k] + dt / 6.0 * rate[k]
            stage_q[k] = q[k] + dt / 2.0 * rate[k]
        for k in range(nv):
            qd_next[k] = qd[k] + dt / 6.0 * qdd[k]
            stage_qd[k] = qd[k] + dt / 2.0 * qdd[k]
        for stage in range(2, 5):
            weight = dt / 6.0 if stage == 4 else dt / 3.0
            reach = dt / 2.0 if stage == 2 else dt
            move_base(options, bases, s, stage // 2, base)
            accelerate(tree, options, settings, stage_q, stage_qd, tau, f_ext, base, slope, rest, work)
            coordinate_rates(tree, stage_q, stage_qd, rate)
            for k in range(nq):
                q_next[k] += weight * rate[k]
                stage_q[k] = q[k] + reach * rate[k]
            for k in range(nv):
                qd_next[k] += weight * slope[k]
                stage_qd[k] = qd[k] + reach * slope[k]
        normalize_configuration(tree, q_next)

    step = euler_step if method == SEMI_IMPLICIT_EULER else runge_kutta_step

    def rollout(tree, options, settings, tau, f_ext, bases, q, qd, qdd, work):
        """Fill q and qd from row 1 on, and qdd from row 0 on; with LAST also qdd of the last row.

        A row is kept every EVERY steps, which divides STEPS. settings: dt, and then what stops and springs read; where
        springs act stands behind SPRINGS, their number. Of tau the row of a step lies TAU_STEP entries after the one
        before; of the base's motions BASE_STEP entries, and that of the middle of a step BASE_HALF after its beginning.
        """
        nq, nv = tree.nq_free, tree.nv_free
        qdd_here = after(work, 1)
        qd_next = after(qdd_here, nv)
        q_next = after(qd_next, nv)
        q_here = after(q_next, nq)
        qd_here = after(q_here, nq)
        tau_here = after(qd_here, nv)
        forces = copy_if_present(f_ext, after(tau_here, nv), 6 * tree.links)
        base = copy_if_present(bases, after(tau_here, nv + 6 * tree.links), BASE_SIZE)
        room = after(tau_here, nv + 6 * tree.links + BASE_SIZE)
        rest = after(room, 2 * (nq + nv) + 5 * tree.nv)
        work[0] = lift(work, 0.0)
        copy(q, q_here, nq)
        copy(qd, qd_here, nv)
        for s in range(options[STEPS] + options[LAST]):
            copy(after(tau, s * options[TAU_STEP]), tau_here, nv)
            move_base(options, bases, s, 0, base)
            accelerate(tree, options, settings, q_here, qd_here, tau_here, forces, base, qdd_here, room, rest)
            row = s // options[EVERY]
            if row * options[EVERY] == s:
                copy(qdd_here, after(qdd, row * nv), nv)
            strength = weakness(qdd_here, nv, forward_margin(tree, rest))
            if s < options[STEPS]:
                step(
                    tree,
                    options,
                    settings,
                    q_here,
                    qd_here,
                    tau_here,
                    forces,
                    bases,
                    s,
                    base,
                    qdd_here,
                    q_next,
                    qd_next,
                    room,
                    rest,
                )
                strength = weakness(q_next, nq, weakness(qd_next, nv, strength))
                row = (s + 1) // options[EVERY]
                if row * options[EVERY] == s + 1:
                    copy(q_next, after(q, row * nq), nq)
                    copy(qd_next, after(qd, row * nv), nv)
                copy(q_next, q_here, nq)
                copy(qd_next, qd_here, nv)
            if not positive(strength):
                work[0] = lift(work, s + 1.0)
                return

    def work_size(tree):
        nq, nv = tree.nq_free, tree.nv_free
        return 1 + 4 * (nq + nv) + 2 * nv + 6 * tree.links + BASE_SIZE + 5 * tree.nv + forward_work(tree)

    def verdict(tree, work):
        """What went wrong in a step of one trajectory, as `what_happened` reads it, or 0."""
        if work[0] == 0.0:
            return 0
        nq, nv = tree.nq_free, tree.nv_free
        rest = after(work, 1 + 4 * (nq + nv) + 2 * nv + 6 * tree.links + BASE_SIZE + 5 * tree.nv)
        wrong, dof = SINGULAR, forward_verdict(tree, rest)
        if dof == 0:
            wrong, dof = NOT_FINITE, first_not_finite(after(work, 1), 2 * nv)
        if dof == 0:
            dof = 1
        if dof > nv:
            dof -= nv
        return (int(work[0]) - 1) * 2 * nv + wrong * nv + dof

    return rollout, work_size, verdict


def rollout_margin(tree: Tree, work: Any) -> Any:
    """Positive if every step went well."""
    return 0.5 - work[0]


def what_happened(tree: Tree, verdict: int) -> tuple[int, int, int]:
    """The step, NOT_FINITE or SINGULAR, and the degree of freedom of a verdict."""
    rest, dof = divmod(verdict - 1, tree.nv_free)
    step, wrong = divmod(rest, 2)
    return step, wrong, dof


def _kernels(name: str, forward: tuple[Any, Any, Any, Any]) -> dict[tuple[int, bool], Any]:
    """A kernel for each method, without stops and with them."""
    kernels = {}
    for method, ending in ((SEMI_IMPLICIT_EULER, "euler"), (RK4, "rk4")):
        for stops in (False, True):
            rollout, work, verdict = make_rollout(*forward, method=method, stops=stops)
            kernels[method, stops] = tree_kernel(
                f"{name}_{ending}{'_stops' * stops}",
                rollout,
                4,
                work,
                verdict,
                rollout_margin,
                outputs=3,
                in_place=True,
            )
    return kernels


ROLLOUT = _kernels(
    "rollout", (forward_by_articulated_bodies, articulated_work, articulated_verdict, articulated_margin)
)
COUPLED_ROLLOUT = _kernels("rollout_coupled", (forward_by_factor, factor_work, factor_verdict, factor_margin))
