"""Derivatives of forward dynamics, from those of inverse dynamics.

As tau = ID(q, qd, FD(q, qd, tau)),

    d qdd / d q = -H^-1 d ID / d q,    d qdd / d qd = -H^-1 d ID / d qd,    d qdd / d tau = H^-1.

J. Carpentier and N. Mansard, Analytical derivatives of rigid body dynamics algorithms (2018). H and the bias force come
out of the same sweeps, so qdd needs no recursion of its own. H^-1 comes from the factor along the branches of the tree
(`algorithms/factor.py`); products with it pass over the zeros of the other matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import absent, after, lift
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates, free_matrix, free_torques, room_for_matrix
from ..model.losses import add_losses, loss_slope
from ..model.model import Model
from ..model.tree import Tree
from .call import Call
from .factor import factorize, invert, minus_inverse_times, pivot_margin, singular_dof, solve_in_place
from .kernels import tree_kernel
from .linearization import accelerate, linearization_work, stiffness, sweep_inward, sweep_outward
from .ways import AT_HOME, F_EXT, NV, QD, TAU, Q, way


def linearize_forward(
    tree: Tree,
    q: Any,
    qd: Any,
    tau: Any,
    f_ext: Any,
    base: Any,
    lost: Any,
    diagonal: Any,
    qdd: Any,
    dqd: Any,
    work: Any,
) -> None:
    """qdd of (H + diagonal) qdd = tau - bias - lost, and dqd = d bias / d qd, both in the user's coordinates.

    q, qd, lost and diagonal are of every joint. `derive_forward` goes on from the work memory, which begins with the
    factor of H + diagonal and what its pivots compare with, and has `forward_derivatives_work(tree)` entries.
    """
    n, free = tree.nv, tree.nv_free
    L, size_free, bias, size, _, rest, M = _rooms(tree, work)
    Z, H = room_for_matrix(tree, dqd, M), room_for_matrix(tree, L, after(M, n * n))
    sweep_outward(tree, q, qd, absent(qd), f_ext, base, rest)
    sweep_inward(tree, bias, H, Z, size, rest)
    for k in range(n):
        bias[k] += lost[k]
        H[k * n + k] += diagonal[k]
        size[k] += diagonal[k]
    free_matrix(tree, H, L)
    free_matrix(tree, Z, dqd)
    for k in range(free):
        size_free[k] = lift(size, 0.0)
    for k in range(n):
        size_free[tree.v_source[k]] += tree.v_scale[k] * tree.v_scale[k] * size[k]
    factorize(tree, L)
    free_torques(tree, bias, qdd)
    for k in range(free):
        qdd[k] = tau[k] - (qdd[k] if tree.coupled else bias[k])
    solve_in_place(tree, L, qdd)


def derive_forward(tree: Tree, slope: Any, qdd: Any, dq: Any, dqd: Any, dtau: Any, work: Any) -> None:
    """The three matrices (nv, nv), from what `linearize_forward` left; slope (nv): how each joint's losses grow."""
    L, _, _, _, qdd_room, rest, M = _rooms(tree, work)
    K = room_for_matrix(tree, dq, M)
    for k in range(tree.nv):
        dqd[tree.v_source[k] * (tree.nv_free + 1)] += tree.v_scale[k] * tree.v_scale[k] * slope[k]
    qdd_all = all_rates(tree, qdd, qdd_room)
    accelerate(tree, qdd_all, rest)
    stiffness(tree, qdd_all, K, rest)
    free_matrix(tree, K, dq)
    invert(tree, L, dtau)
    minus_inverse_times(tree, dtau, dq, dqd, rest)


def _rooms(tree: Tree, work: Any) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
    """The factor, what it compares with, bias, sizes and qdd of every joint, the sweeps', matrices."""
    n, free = tree.nv, tree.nv_free
    size_free = after(work, free * free)
    bias = after(size_free, free)
    rest = after(bias, 3 * n)
    # the last is two matrices over all joints, where there are followers
    return work, size_free, bias, after(bias, n), after(bias, 2 * n), rest, after(rest, linearization_work(tree))


def forward_derivatives_work(tree: Tree) -> int:
    """Entries of work memory of both."""
    matrices = 2 * tree.nv * tree.nv if tree.coupled else 0
    return tree.nv_free * (tree.nv_free + 1) + 3 * tree.nv + linearization_work(tree) + matrices


def aba_derivatives_state(
    tree: Tree,
    options: Any,
    q: Any,
    qd: Any,
    tau: Any,
    f_ext: Any,
    base: Any,
    dq: Any,
    dqd: Any,
    dtau: Any,
    work: Any,
) -> None:
    """The three matrices (nv, nv) in the user's coordinates; options: whether there are losses."""
    n = tree.nv
    room = after(work, forward_derivatives_work(tree))
    q_all = all_coordinates(tree, q, room)
    qd_all = all_rates(tree, qd, after(room, tree.nq))
    lost, slope, qdd = (after(room, tree.nq + n), after(room, tree.nq + 2 * n), after(room, tree.nq + 3 * n))
    for k in range(n):
        lost[k] = lift(lost, 0.0)
        slope[k] = lift(slope, 0.0)
    if options[0]:
        add_losses(tree, 1.0, qd_all, lost)
        for k in range(n):
            slope[k] = loss_slope(tree, k, qd_all)
    linearize_forward(tree, q_all, qd_all, tau, f_ext, base, lost, tree.armature, qdd, dqd, work)
    derive_forward(tree, slope, qdd, dq, dqd, dtau, work)


def aba_derivatives_work(tree: Tree) -> int:
    """Entries of work memory."""
    return forward_derivatives_work(tree) + tree.nq + 4 * tree.nv


def factor_verdict(tree: Tree, work: Any) -> int:
    """1 + a degree of freedom without inertia, or 0."""
    return singular_dof(tree, work, tree.nv_free + 1, after(work, tree.nv_free * tree.nv_free))


def factor_margin(tree: Tree, work: Any) -> Any:
    """Positive if every degree of freedom has inertia."""
    return pivot_margin(tree, work, tree.nv_free + 1, after(work, tree.nv_free * tree.nv_free))


ABA_DERIVATIVES = tree_kernel(
    "aba_derivatives", aba_derivatives_state, 5, aba_derivatives_work, factor_verdict, factor_margin, outputs=3
)


@way(ABA_DERIVATIVES, inputs=(Q, QD, TAU, F_EXT, AT_HOME), result=(NV, NV), more=((NV, NV), (NV, NV)))
def aba_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    losses: bool = False,
    base: BaseMotion | None = None,
    out: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of forward dynamics with respect to configuration, velocity and torque.

    Parameters
    ----------
    model : the robot.
    q, qd, tau, f_ext, losses, base : as in `forward_dynamics`. A force f_ext moves with its body's axes.
    out : three (..., nv, nv) float64 arrays for the results.

    Returns
    -------
    dqdd_dq : (..., nv, nv), row k the acceleration of degree of freedom k; column j how it changes when the
        configuration moves along j, `integrate(model, q, dq)` with dq = e_j.
    dqdd_dqd : (..., nv, nv).
    dqdd_dtau : (..., nv, nv), the inverse of the mass matrix; symmetric to the bit.

    Raises
    ------
    SingularMassMatrixError, TypeError, ValueError
        As `forward_dynamics`.

    Notes
    -----
    -H^-1 times the derivatives of inverse dynamics at the same state; Carpentier and Mansard (2018), Singh, Russell and
    Wensing (2022). Work grows as nv times the sum of depths.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd, tau = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5], [2.0, -1.0]
    >>> dq, dqd, dtau = fs.aba_derivatives(arm, q, qd, tau)
    >>> ahead = fs.aba(arm, [0.6 + 1e-6, -0.9], qd, tau)
    >>> bool(abs((ahead - fs.aba(arm, q, qd, tau)) / 1e-6 - dq[:, 0]).max() < 1e-3)
    True
    """
    call = Call(ABA_DERIVATIVES, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("tau", tau)
    call.forces(f_ext)
    call.base(base)
    return call.three_matrices(out)
