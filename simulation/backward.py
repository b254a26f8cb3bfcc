"""A rollout's steps differentiated backwards in time, compiled as a whole.

The gradient by the state after a step becomes that by the state before it; on the way each step leaves what its torque
does (mu), and adds what the constants do that all steps share. With w the gradient by a step's acceleration,
mu = (H + diagonal)^-1 w, and what w is to q, qd and the rest is what -P = -mu . ID is (`algorithms/adjoint.py`).

Semi-implicit Euler has (H + dt C) qdd = tau - bias - C qd with the secants C(qd) of the losses; there the losses add
-mu (C + dC/dqd (qd + dt qdd)) to the gradient by qd. Runge-Kutta runs over its four stages, which are computed anew,
on coordinates (`algorithms/configuration_adjoint.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algorithms.adjoint import add_force_gradient, add_inertia_gradient, power_gradient, power_work
from ..algorithms.configuration import coordinate_rates
from ..algorithms.configuration_adjoint import (
    add_rates_adjoint,
    add_tangents_to_coordinates,
    coordinates_to_tangents,
    integrate_adjoint,
)
from ..algorithms.crba import mass_matrix_of, mass_matrix_work
from ..algorithms.factor import factorize, solve_in_place
from ..algorithms.forward import articulated_work, factor_work, forward_by_articulated_bodies, forward_by_factor
from ..algorithms.inertia_solve import inertia_solve, inertia_solve_work
from ..algorithms.kernels import tree_kernel
from ..engine.scalars import after, copy, copy_if_present, lift
from ..model.coupling import all_coordinates, all_rates, free_torques
from ..model.losses import loss_slope, secant_damping, secant_per_friction, secant_slope, smoothed_sign
from ..model.tree import BASE_SIZE, Tree
from .stepping import RK4, SEMI_IMPLICIT_EULER, take_losses

LOSSES, STEPS, TAU_STEP = range(3)  # the options
OF_LINK = 16  # of the shared gradient, for each link: that by its inertia, then, behind all of these, by f_ext
OF_DRIVE = 3  # for each degree of freedom of the tree: by armature, damping and friction


def shared_size(tree: Tree) -> int:
    """Entries of the gradient by what all steps share."""
    return OF_LINK * tree.links + OF_DRIVE * tree.nv


def solve_by_articulated_bodies(tree: Tree, q: Any, w: Any, diagonal: Any, x: Any, work: Any) -> None:
    """(H + diagonal) x = w, of a tree without followers."""
    inertia_solve(tree, q, w, diagonal, x, work)


def solve_by_factor(tree: Tree, q: Any, w: Any, diagonal: Any, x: Any, work: Any) -> None:
    """(H + diagonal) x = w in the user's coordinates; diagonal of every joint, the armature with it."""
    n = tree.nv_free
    size = after(work, n * n)
    mass_matrix_of(tree, q, work, size, after(size, n))
    for k in range(tree.nv):
        s = tree.v_source[k] * (n + 1)
        work[s] += tree.v_scale[k] * tree.v_scale[k] * (diagonal[k] - tree.armature[k])
    factorize(tree, work)
    copy(w, x, n)
    solve_in_place(tree, work, x)


def solve_by_factor_work(tree: Tree) -> int:
    """Entries of work memory."""
    return tree.nv_free * (tree.nv_free + 1) + mass_matrix_work(tree)


def make_backward(
    forward: Callable[..., None],
    forward_work: Callable[..., int],
    solve: Callable[..., None],
    solve_work: Callable[..., int],
    method: int,
) -> tuple[Any, Any]:
    """The backward sweep of one trajectory by one method, with one way of solving; its work memory."""
    implicit = method == SEMI_IMPLICIT_EULER

    def differentiate(tree, options, settings, q, qd, qdd, f_ext, base, w, mu, by_q, by_qd, shared, room, work):
        """From the gradient w by qdd: mu, that by the torque; by_q (tangents) and by_qd; more of the shared one.

        `room` has `room_size(tree)` entries.
        """
        n, dt = tree.nv, settings[0]
        q_all = all_coordinates(tree, q, room)
        rest = after(room, tree.nq)
        qd_all, qdd_all = all_rates(tree, qd, rest), all_rates(tree, qdd, after(rest, n))
        mu_room, diagonal, slope = after(rest, 2 * n), after(rest, 3 * n), after(rest, 4 * n)
        force_q, force_qd = after(rest, 5 * n), after(rest, 6 * n)
        moving, rubbing = after(rest, 7 * n), after(rest, 8 * n)
        for k in range(n):
            diagonal[k] = lift(diagonal, tree.armature[k])
            slope[k] = moving[k] = rubbing[k] = lift(slope, 0.0)
        if options[LOSSES] != 0:
            if implicit:
                secant_damping(tree, qd_all, slope)
            for k in range(n):
                moving[k] = qd_all[k]
                if implicit:
                    moving[k] += dt * qdd_all[k]
                    diagonal[k] += dt * slope[k]
                    rubbing[k] = secant_per_friction(tree, k, qd_all) * moving[k]
                    slope[k] += secant_slope(tree, k, qd_all) * moving[k]
                else:
                    rubbing[k] = smoothed_sign(tree, k, qd_all)
                    slope[k] = loss_slope(tree, k, qd_all)
        solve(tree, q, w, diagonal, mu, work)
        mu_all = all_rates(tree, mu, mu_room)
        power_gradient(tree, mu_all, q_all, qd_all, qdd_all, f_ext, base, force_q, force_qd, work)
        one = lift(work, -1.0)
        add_inertia_gradient(tree, one, work, shared)
        add_force_gradient(tree, one, work, after(shared, 10 * tree.links))
        drives = after(shared, OF_LINK * tree.links)
        for k in range(n):
            force_q[k] = -force_q[k]
            force_qd[k] = -force_qd[k] - slope[k] * mu_all[k]
            drives[k] -= mu_all[k] * qdd_all[k]
            drives[n + k] -= mu_all[k] * moving[k]
            drives[2 * n + k] -= mu_all[k] * rubbing[k]
        take_over(tree, force_q, by_q)
        take_over(tree, force_qd, by_qd)

    def take_over(tree, force, by):
        """The gradient by the user's rates from that by every joint's."""
        free_torques(tree, force, by)
        if not tree.coupled:
            copy(force, by, tree.nv)

    def room_size(tree):
        return tree.nq + 9 * tree.nv

    def euler_back(tree, options, settings, q, qd, qdd, qd_end, tau, f_ext, base, lam, mu, shared, room, work):
        """From the gradient lam (2 nv) by the state after step s to that by the state before it."""
        nv, dt = tree.nv_free, settings[0]
        dq, by_dq, w = room, after(room, nv), after(room, 2 * nv)
        by_q, by_qd = after(room, 3 * nv), after(room, 4 * nv)
        rates = after(lam, nv)
        for k in range(nv):
            dq[k] = dt * qd_end[k]
        integrate_adjoint(tree, dq, lam, by_q, by_dq)
        for k in range(nv):
            lam[k] = by_q[k]
            rates[k] += dt * by_dq[k]
            w[k] = dt * rates[k]
        differentiate(
            tree, options, settings, q, qd, qdd, f_ext, base, w, mu, by_q, by_qd, shared, after(room, 5 * nv), work
        )
        for k in range(nv):
            lam[k] += by_q[k]
            rates[k] += by_qd[k]

    def runge_kutta_back(tree, options, settings, q, qd, qdd, qd_end, tau, f_ext, base, lam, mu, shared, room, work):
        """The same of a step whose stages are computed anew."""
        nq, nv, dt = tree.nq_free, tree.nv_free, settings[0]
        stages_q, stages_qd, stages_qdd = room, after(room, 4 * nq), after(room, 4 * (nq + nv))
        end = after(room, 4 * nq + 8 * nv)
        rate, net = after(end, nq), after(end, 2 * nq)
        rest = after(net, tree.nv)
        copy(q, stages_q, nq)
        copy(qd, stages_qd, nv)
        copy(qdd, stages_qdd, nv)
        copy(q, end, nq)
        for stage in range(4):
            here_q, here_qd = after(stages_q, stage * nq), after(stages_qd, stage * nv)
            here_qdd = after(stages_qdd, stage * nv)
            if stage > 0:
                if options[LOSSES] != 0:
                    take_losses(tree, dt, here_qd, tau, net, net, rest)
                else:
                    copy(tau, net, nv)
                forward(tree, here_q, here_qd, net, f_ext, base, tree.armature, here_qdd, work)
            coordinate_rates(tree, here_q, here_qd, rate)
            weight = dt / 6.0 if stage == 0 or stage == 3 else dt / 3.0
            reach = dt if stage == 2 else dt / 2.0
            for k in range(nq):
                end[k] += weight * rate[k]
            if stage < 3:
                for k in range(nq):
                    stages_q[(stage + 1) * nq + k] = q[k] + reach * rate[k]
                for k in range(nv):
                    stages_qd[(stage + 1) * nv + k] = qd[k] + reach * here_qdd[k]

        # by the coordinates at the end, at the beginning, and of the stage behind
        by_end, by_q, stage_q = rest, after(rest, nq), after(rest, 2 * nq)
        by_qd, stage_qd, w = after(rest, 3 * nq), after(rest, 3 * nq + nv), after(rest, 3 * nq + 2 * nv)
        turn, mu_here = after(rest, 3 * nq + 3 * nv), after(rest, 3 * nq + 4 * nv)
        by_rate, spin = after(rest, 3 * nq + 5 * nv), after(rest, 4 * nq + 5 * nv)
        last = after(rest, 4 * nq + 6 * nv)
        rates = after(lam, nv)
        for k in range(nq):
            by_end[k] = stage_q[k] = lift(by_end, 0.0)
        add_tangents_to_coordinates(tree, end, lam, by_end)
        copy(by_end, by_q, nq)
        copy(rates, by_qd, nv)
        for k in range(nv):
            stage_qd[k] = mu[k] = lift(mu, 0.0)
        for stage in range(3, -1, -1):
            weight = dt / 6.0 if stage == 0 or stage == 3 else dt / 3.0
            reach = dt if stage == 2 else dt / 2.0
            here_q, here_qd = after(stages_q, stage * nq), after(stages_qd, stage * nv)
            here_qdd = after(stages_qdd, stage * nv)
            for k in range(nq):
                by_rate[k] = weight * by_end[k] + reach * stage_q[k]
                stage_q[k] = lift(stage_q, 0.0)
            for k in range(nv):
                w[k] = weight * rates[k] + reach * stage_qd[k]
            differentiate(
                tree,
                options,
                settings,
                here_q,
                here_qd,
                here_qdd,
                f_ext,
                base,
                w,
                mu_here,
                turn,
                spin,
                shared,
                last,
                work,
            )
            copy(spin, stage_qd, nv)
            add_tangents_to_coordinates(tree, here_q, turn, stage_q)
            add_rates_adjoint(tree, here_q, here_qd, by_rate, stage_q, stage_qd)
            for k in range(nq):
                by_q[k] += stage_q[k]
            for k in range(nv):
                by_qd[k] += stage_qd[k]
                mu[k] += mu_here[k]
        coordinates_to_tangents(tree, q, by_q, lam)
        copy(by_qd, rates, nv)

    back = euler_back if implicit else runge_kutta_back

    def backward(tree, options, settings, tau, f_ext, bases, q, qd, qdd, cost_q, cost_qd, lam, mu, shared, work):
        """lam (2 nv): the gradient by the state of the last row, without that row's cost, becomes that of the first.

        Rows of q, qd, qdd and of the gradients cost_q, cost_qd of the rows' own costs: one more than steps.
        """
        nq, nv = tree.nq_free, tree.nv_free
        q_here = work
        qd_here, qdd_here = after(work, nq), after(work, nq + nv)
        tau_here, cost = after(work, nq + 2 * nv), after(work, nq + 3 * nv)
        lam_here, mu_here = after(work, nq + 4 * nv), after(work, nq + 6 * nv)
        qd_end, shared_here = after(work, nq + 7 * nv), after(work, nq + 8 * nv)
        kept = after(shared_here, shared_size(tree))
        forces = copy_if_present(f_ext, kept, 6 * tree.links)
        base = copy_if_present(bases, after(kept, 6 * tree.links), BASE_SIZE)
        room = after(kept, 6 * tree.links + BASE_SIZE)
        rest = after(room, step_room(tree))
        copy(lam, lam_here, 2 * nv)
        copy(shared, shared_here, shared_size(tree))
        for s in range(options[STEPS] - 1, -1, -1):
            copy(after(cost_q, (s + 1) * nv), cost, nv)
            for k in range(nv):
                lam_here[k] += cost[k]
            copy(after(cost_qd, (s + 1) * nv), cost, nv)
            for k in range(nv):
                lam_here[nv + k] += cost[k]
            copy(after(q, s * nq), q_here, nq)
            copy(after(qd, s * nv), qd_here, nv)
            copy(after(qdd, s * nv), qdd_here, nv)
            copy(after(qd, (s + 1) * nv), qd_end, nv)
            copy(after(tau, s * options[TAU_STEP]), tau_here, nv)
            back(
                tree,
                options,
                settings,
                q_here,
                qd_here,
                qdd_here,
                qd_end,
                tau_here,
                forces,
                base,
                lam_here,
                mu_here,
                shared_here,
                room,
                rest,
            )
            copy(mu_here, after(mu, s * nv), nv)
        copy(lam_here, lam, 2 * nv)
        copy(shared_here, shared, shared_size(tree))

    def step_room(tree):
        nq, nv = tree.nq_free, tree.nv_free
        if implicit:
            return 5 * nv + room_size(tree)
        return 10 * nq + 14 * nv + 5 * tree.nv + room_size(tree)

    def work_size(tree):
        nq, nv = tree.nq_free, tree.nv_free
        most = forward_work(tree)
        most = solve_work(tree) if solve_work(tree) > most else most
        most = power_work(tree) if power_work(tree) > most else most
        kept = nq + 8 * nv + shared_size(tree) + 6 * tree.links + BASE_SIZE
        return kept + step_room(tree) + most

    return backward, work_size


def _kernels(name: str, ways: tuple[Any, Any, Any, Any]) -> dict[int, Any]:
    """A kernel for each method."""
    kernels = {}
    for method, ending in ((SEMI_IMPLICIT_EULER, "euler"), (RK4, "rk4")):
        backward, work = make_backward(*ways, method=method)
        kernels[method] = tree_kernel(f"{name}_{ending}", backward, 9, work, outputs=3, in_place=True)
    return kernels


BACKWARD = _kernels(
    "backward", (forward_by_articulated_bodies, articulated_work, solve_by_articulated_bodies, inertia_solve_work)
)
COUPLED_BACKWARD = _kernels("backward_coupled", (forward_by_factor, factor_work, solve_by_factor, solve_by_factor_work))
