"""One step of a simulation with its derivatives: the matrices A and B of predictive control.

Semi-implicit Euler, (H + dt C) qdd = tau - bias - C qd, qd' = qd + dt qdd, q' = q (+) dt qd', with C(qd) the secants of
the losses. So qdd is that of a robot whose joints take the torque C (qd + dt qdd) as well, and

    (H + dt C) d qdd = d tau - (d ID/d q) dq - (d ID/d qd + C + dC/d qd (qd + dt qdd)) d qd

with the derivatives of inverse dynamics at qdd. The chain then goes through q (+) dt qd', with the Jacobians of
`algorithms/configuration_derivatives.py`. Runge-Kutta's steps are in `simulation/stage_derivatives.py`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.aba_derivatives import (
    derive_forward,
    factor_margin,
    factor_verdict,
    forward_derivatives_work,
    linearize_forward,
)
from ..algorithms.call import Call
from ..algorithms.configuration import integrate_into
from ..algorithms.configuration_derivatives import clear, integrate_derivatives_into
from ..algorithms.kernels import tree_kernel
from ..engine.kernel import UNCHECKED
from ..engine.scalars import after, lift
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.elastic import Elastic
from ..model.losses import secant_damping, secant_slope
from ..model.model import Model
from ..model.tree import Tree
from .simulate import METHODS
from .stage_derivatives import RUNGE_KUTTA_DERIVATIVES
from .stepping import RK4


def euler_derivatives_state(
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
    """A step of semi-implicit Euler, A (2 nv, 2 nv) and B (2 nv, nv); options: whether there are losses."""
    n, h = tree.nv_free, dt[0]
    c = after(work, forward_derivatives_work(tree))
    lost, diagonal, slope = after(c, tree.nv), after(c, 2 * tree.nv), after(c, 3 * tree.nv)
    q_all = all_coordinates(tree, q, after(c, 4 * tree.nv))
    qd_all = all_rates(tree, qd, after(c, 4 * tree.nv + tree.nq))
    rates = after(c, 5 * tree.nv + tree.nq)
    qdd = after(rates, tree.nv)
    qdd_q = after(qdd, n)
    qdd_qd, qdd_tau = after(qdd_q, n * n), after(qdd_q, 2 * n * n)
    clear(tree.nv, c)
    if options[0]:
        secant_damping(tree, qd_all, c)
    for k in range(tree.nv):
        lost[k] = c[k] * qd_all[k]
        diagonal[k] = tree.armature[k] + h * c[k]
    linearize_forward(tree, q_all, qd_all, tau, f_ext, base, lost, diagonal, qdd, qdd_qd, work)
    qdd_all = all_rates(tree, qdd, rates)
    for k in range(tree.nv):
        slope[k] = c[k]
        if options[0]:
            slope[k] += secant_slope(tree, k, qd_all) * (qd_all[k] + h * qdd_all[k])
    derive_forward(tree, slope, qdd, qdd_q, qdd_qd, qdd_tau, work)

    for k in range(n):
        qd_next[k] = qd[k] + h * qdd[k]
        qdd[k] = h * qd_next[k]
    integrate_into(tree, q, qdd, q_next)
    # rows of rates: dt d qdd, and the rates themselves
    for i in range(n):
        for j in range(n):
            A[(n + i) * 2 * n + j] = h * qdd_q[i * n + j]
            A[(n + i) * 2 * n + n + j] = h * qdd_qd[i * n + j]
            B[(n + i) * n + j] = h * qdd_tau[i * n + j]
        A[(n + i) * 2 * n + n + i] += lift(A, 1.0)
    by_q, by_dq = qdd_q, qdd_qd  # these have been used
    integrate_derivatives_into(tree, qdd, by_q, by_dq)
    displace(tree, h, by_q, by_dq, A, B)


def displace(tree: Tree, h: Any, by_q: Any, by_dq: Any, A: Any, B: Any) -> None:
    """Rows of displacements: by_q dq + by_dq (h times the rows of rates); both are blocks on the diagonal."""
    n = tree.nv_free
    clear(2 * n * n, A)
    clear(n * n, B)
    for b in range(1, tree.nb + 1):
        if tree.dofs[b] == 0 or tree.follows[b]:
            continue
        first = tree.v_source[tree.v_index[b]]
        for i in range(first, first + tree.dofs[b]):
            for k in range(first, first + tree.dofs[b]):
                A[i * 2 * n + k] += by_q[i * n + k]
                weight = h * by_dq[i * n + k]
                for j in range(2 * n):
                    A[i * 2 * n + j] += weight * A[(n + k) * 2 * n + j]
                for j in range(n):
                    B[i * n + j] += weight * B[(n + k) * n + j]


def euler_derivatives_work(tree: Tree) -> int:
    """Entries of work memory."""
    return forward_derivatives_work(tree) + 6 * tree.nv + tree.nq + tree.nv_free * (1 + 3 * tree.nv_free)


EULER_DERIVATIVES = tree_kernel(
    "euler_derivatives", euler_derivatives_state, 6, euler_derivatives_work, factor_verdict, factor_margin, outputs=4
)


class LinearStep(NamedTuple):
    """A step of a simulation, and what it does with small changes: x' = A x + B u.

    x = (dq, dqd) are a change of configuration in tangent coordinates, `integrate(model, q, dq)`, and one of rates; u
    is a change of tau. All are measured from the motion itself: x' from q and qd here.

    Attributes
    ----------
    q, qd : (..., nq) and (..., nv), the state after the step.
    A, B : (..., 2 nv, 2 nv) and (..., 2 nv, nv).
    """

    q: np.ndarray
    qd: np.ndarray
    A: np.ndarray
    B: np.ndarray


def step_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    dt: float,
    f_ext: ArrayLike | None = None,
    *,
    method: str = "semi_implicit_euler",
    losses: bool = True,
    base: BaseMotion | None = None,
    out: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> LinearStep:
    """One step of `simulate` and its derivatives with respect to state and torque.

    Parameters
    ----------
    model : the robot. Springs of elastic joints and stops at limits are no part of the step.
    q, qd, tau : (..., nq) and (..., nv), the state and the torque that is held over the step.
    dt : s, the length of the step.
    f_ext, method, losses, base : as in `simulate`, the base's motion held over the step.
    out : float64 arrays for the four results.

    Returns
    -------
    step : (q, qd, A, B), the state after the step and the matrices (..., 2 nv, 2 nv) and (..., 2 nv, nv) with
        x' = A x + B u to first order, x = (dq, dqd) with dq in tangent coordinates, u a change of tau.

    Raises
    ------
    SingularMassMatrixError
        A degree of freedom moves nothing that has inertia.
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length, an unknown method, a robot with
        elastic joints.

    Notes
    -----
    The derivative of the very step that `simulate` does, its implicit damping and friction, or all four stages,
    included. Where dry friction without smoothing jumps, at rest, the first method has the slope of its secant, a
    strong brake, and the second none: a regulator for a robot at rest is better found with losses=False. The first
    method costs about as much as `aba_derivatives`, the second four times that and 24 nv^3 multiplications.

    Examples
    --------
    >>> import featherstone as fs
    >>> cart = fs.models.load("cart_pole")
    >>> step = fs.step_derivatives(cart, [0.0, 0.1], [0.0, 0.0], [0.0, 0.0], 0.01)
    >>> step.A.shape, step.B.shape
    ((4, 4), (4, 2))
    >>> run = fs.simulate(cart, [0.0, 0.1], [0.0, 0.0], duration=0.01, dt=0.01)
    >>> bool(abs(run.q[-1] - step.q).max() < 1e-15)
    True
    """
    if isinstance(model, Elastic):
        raise TypeError(
            "model: expected a Model, got Elastic, whose springs have no derivatives here; pass its `model`, and what"
            " its `torque` gives as part of tau"
        )
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(map(repr, METHODS))}, got {method!r}")
    call = Call(RUNGE_KUTTA_DERIVATIVES if METHODS[method] == RK4 else EULER_DERIVATIVES, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("tau", tau)
    call.forces(f_ext)
    call.base(base)
    call.add("dt", [_seconds(dt)], (1,), UNCHECKED)
    nq, nv = call.model.nq, call.model.nv
    return LinearStep(*call.several([(nq,), (nv,), (2 * nv, 2 * nv), (2 * nv, nv)], out))


def _seconds(dt: object) -> float:
    """A step's length."""
    if isinstance(dt, bool) or not isinstance(dt, (int, float, np.integer, np.floating)):
        raise TypeError(f"dt: expected a number of seconds, got {dt!r}")
    number = float(dt)
    if not math.isfinite(number) or number <= 0.0:
        raise ValueError(f"dt: expected a finite number of seconds > 0, got {dt!r}")
    return number
