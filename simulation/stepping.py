"""The time loop: semi-implicit Euler and Runge-Kutta on the configuration manifold, compiled as a whole.

Torques are held over each step, as a digital controller does.

Semi-implicit Euler: (H + dt C) qdd = tau - bias - C qd, qd += dt qdd, q = q (+) dt qd, with the losses as a damping C
that is put on the mass matrix, so that strong damping and dry friction stay stable. First order.

Runge-Kutta of fourth order runs on the coordinates themselves (the recursions divide a quaternion's length out, so
stages may leave the manifold) and gives quaternions their length back after each step, which keeps the order. Hairer,
Lubich and Wanner, Geometric Numerical Integration (2006), section IV.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algorithms.configuration import coordinate_rates, integrate_into, normalize_configuration
from ..algorithms.forward import (
    articulated_verdict,
    articulated_work,
    factor_verdict,
    factor_work,
    forward_by_articulated_bodies,
    forward_by_factor,
    without_losses,
)
from ..engine.kernel import Kernel
from ..engine.scalars import after, lift
from ..model.coupling import all_rates, free_torques, room_for_torques
from ..model.losses import secant_damping
from ..model.tree import Tree
from ..model.validity import invalid_joint

SEMI_IMPLICIT_EULER, RK4 = 0, 1
LOSSES, METHOD, STEPS, TAU_STEP, LAST = range(5)  # the options
NOT_FINITE, SINGULAR = 0, 1  # what can go wrong in a step


def not_finite(x: Any, n: int) -> int:
    """1 + the first of n entries that is NaN or infinite, or 0."""
    for k in range(n):
        if x[k] * 0.0 != 0.0:
            return k + 1
    return 0


def implicit_losses(tree: Tree, dt: Any, qd: Any, tau: Any, diagonal: Any, net: Any, room: Any) -> None:
    """The losses C at qd: net (nv_free) = tau - C qd, diagonal (nv) = armature + dt C; room has 4 nv entries."""
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


def make_rollout(forward: Callable[..., None], forward_work: Callable[..., int], verdict: Callable[..., int]) -> Any:
    """The rollout of one trajectory with one way of forward dynamics."""

    def accelerate(tree, options, dt, q, qd, tau, f_ext, qdd, room, work):
        """The acceleration qdd of a state; `room` has 6 nv entries, `work` what forward dynamics needs."""
        if options[METHOD] == SEMI_IMPLICIT_EULER and options[LOSSES] != 0:
            diagonal, net = room, after(room, tree.nv)
            implicit_losses(tree, dt, qd, tau, diagonal, net, after(room, 2 * tree.nv))
            forward(tree, q, qd, net, f_ext, diagonal, qdd, work)
        else:
            net = without_losses(tree, options, qd, tau, room)
            forward(tree, q, qd, net, f_ext, tree.armature, qdd, work)

    def runge_kutta_step(tree, options, dt, q, qd, tau, f_ext, qdd, q_next, qd_next, room, work):
        """From (q, qd) with its acceleration to the next state; `room` has 2 (nq + nv) entries before accelerate's."""
        nq, nv = tree.nq_free, tree.nv_free
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
            accelerate(tree, options, dt, stage_q, stage_qd, tau, f_ext, slope, rest, work)
            coordinate_rates(tree, stage_q, stage_qd, rate)
            for k in range(nq):
                q_next[k] += weight * rate[k]
                stage_q[k] = q[k] + reach * rate[k]
            for k in range(nv):
                qd_next[k] += weight * slope[k]
                stage_qd[k] = qd[k] + reach * slope[k]
        normalize_configuration(tree, q_next)

    def rollout(tree, options, settings, tau, f_ext, q, qd, qdd, work):
        """Fill rows 1 to STEPS of q and qd, and qdd from row 0 on; with LAST also qdd of the last row.

        settings: dt. Of tau the row of a step lies TAU_STEP entries after the one before. work[0] tells what went
        wrong.
        """
        nq, nv = tree.nq_free, tree.nv_free
        dt = settings[0]
        room = after(work, 1)
        rest = after(room, 2 * (nq + nv) + 6 * tree.nv)
        work[0] = lift(work, 0.0)
        for s in range(options[STEPS] + options[LAST]):
            q_s, qd_s, qdd_s = after(q, s * nq), after(qd, s * nv), after(qdd, s * nv)
            tau_s = after(tau, s * options[TAU_STEP])
            accelerate(tree, options, dt, q_s, qd_s, tau_s, f_ext, qdd_s, room, rest)
            wrong, dof = SINGULAR, verdict(tree, rest)
            if dof == 0:
                wrong, dof = NOT_FINITE, not_finite(qdd_s, nv)
            if dof == 0 and s < options[STEPS]:
                q_next, qd_next = after(q, (s + 1) * nq), after(qd, (s + 1) * nv)
                if options[METHOD] == SEMI_IMPLICIT_EULER:
                    dq = room
                    for k in range(nv):
                        qd_next[k] = qd_s[k] + dt * qdd_s[k]
                        dq[k] = dt * qd_next[k]
                    integrate_into(tree, q_s, dq, q_next)
                else:
                    runge_kutta_step(tree, options, dt, q_s, qd_s, tau_s, f_ext, qdd_s, q_next, qd_next, room, rest)
                dof = not_finite(qd_next, nv)
                if dof == 0 and not_finite(q_next, nq) != 0:
                    dof = 1
            if dof != 0:
                work[0] = 1.0 * ((s * 2 + wrong) * nv + dof)
                return

    def work_size(tree):
        return 1 + 2 * (tree.nq_free + tree.nv_free) + 6 * tree.nv + forward_work(tree)

    return rollout, work_size


def rollout_verdict(tree: Tree, work: Any) -> int:
    """What went wrong, as `what_happened` reads it, or 0."""
    return int(work[0])


def what_happened(tree: Tree, verdict: int) -> tuple[int, int, int]:
    """The step, NOT_FINITE or SINGULAR, and the degree of freedom of a verdict."""
    rest, dof = divmod(verdict - 1, tree.nv_free)
    step, wrong = divmod(rest, 2)
    return step, wrong, dof


def _kernel(name: str, source: Any, work: Any) -> Kernel:
    return Kernel(name, source, 6, Tree, invalid_joint, rollout_verdict, work)


ROLLOUT = _kernel("rollout", *make_rollout(forward_by_articulated_bodies, articulated_work, articulated_verdict))
COUPLED_ROLLOUT = _kernel("rollout_coupled", *make_rollout(forward_by_factor, factor_work, factor_verdict))
