"""How integrate and difference change with what they are given, in the tangent coordinates of both ends.

With X the pose that exp(dq) leads to, and J the right Jacobian of exp (`spatial/lie_jacobians.py`),

    q' = q (+) dq:   dq'/dq = X^-1,  dq'/d dq = J(dq)
    d  = q1 (-) q0:  dd/dq0 = -J(-d)^-1,  dd/dq1 = J(d)^-1

joint by joint. Solà, Deray and Atchuthan, A micro Lie theory for state estimation in robotics (2018), section II-G.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import lift
from ..model.model import Model
from ..model.tree import FLOATING, PLANAR, SPHERICAL, Tree
from ..spatial.lie import exp_quaternion, exp_se2, exp_se3
from ..spatial.lie_jacobians import (
    Matrix,
    carry_back,
    carry_back_se2,
    exp_jacobian,
    exp_jacobian_se2,
    exp_jacobian_se3,
    log_jacobian,
    log_jacobian_se2,
    log_jacobian_se3,
    negated,
)
from ..spatial.rotations import rotation_from_quaternion, transpose
from ..spatial.vectors import scale
from .call import Call
from .configuration import difference_into, load_vector
from .kernels import tree_kernel
from .ways import NV, Q, configuration, rate, way


def integrate_derivatives_into(tree: Tree, dq: Any, by_q: Any, by_dq: Any) -> None:
    """The derivatives (nv, nv) of q (+) dq, which do not depend on q."""
    n = tree.nv_free
    clear(n * n, by_q)
    clear(n * n, by_dq)
    for i in range(1, tree.nb + 1):
        joint_type, dofs = tree.joint_type[i], tree.dofs[i]
        if dofs == 0:
            continue
        # a follower writes what its leader writes
        j = tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            m = load_vector(dq, j)
            angle, p = exp_se2(m)
            store_block(n, j, j, carry_back_se2(angle, p), by_q)
            store_block(n, j, j, exp_jacobian_se2(m), by_dq)
        elif joint_type == SPHERICAL:
            w = load_vector(dq, j)
            store_block(n, j, j, transpose(rotation_from_quaternion(exp_quaternion(w))), by_q)
            store_block(n, j, j, exp_jacobian(w), by_dq)
        elif joint_type == FLOATING:
            motion = (load_vector(dq, j), load_vector(dq, j + 3))
            turn, shift = exp_se3(motion)
            store_blocks(n, j, carry_back(turn, shift), by_q)
            store_blocks(n, j, exp_jacobian_se3(motion), by_dq)
        else:
            by_q[j * n + j] = by_dq[j * n + j] = lift(by_q, 1.0)


def difference_derivatives_into(tree: Tree, dq: Any, by_q0: Any, by_q1: Any) -> None:
    """The derivatives (nv, nv) of the displacement dq from q0 to q1 by its ends."""
    n = tree.nv_free
    clear(n * n, by_q0)
    clear(n * n, by_q1)
    for i in range(1, tree.nb + 1):
        joint_type, dofs = tree.joint_type[i], tree.dofs[i]
        if dofs == 0:
            continue
        j = tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            m = load_vector(dq, j)
            store_block(n, j, j, negated(log_jacobian_se2(scale(-1.0, m))), by_q0)
            store_block(n, j, j, log_jacobian_se2(m), by_q1)
        elif joint_type == SPHERICAL:
            J = log_jacobian(load_vector(dq, j))
            # J(-w) = J(w)^T
            store_block(n, j, j, negated(transpose(J)), by_q0)
            store_block(n, j, j, J, by_q1)
        elif joint_type == FLOATING:
            w, v = load_vector(dq, j), load_vector(dq, j + 3)
            J, Q = log_jacobian_se3((w, v))
            store_blocks(n, j, (negated(transpose(J)), negated(transpose(Q))), by_q0)
            store_blocks(n, j, (J, Q), by_q1)
        else:
            by_q0[j * n + j], by_q1[j * n + j] = lift(by_q0, -1.0), lift(by_q1, 1.0)


def clear(count: int, x: Any) -> None:
    """Zero in so many entries."""
    for k in range(count):
        x[k] = lift(x, 0.0)


def store_blocks(n: int, j: int, blocks: tuple[Matrix, Matrix], out: Any) -> None:
    """Write J 0 over Q J at degree of freedom j of a matrix (n, n)."""
    J, Q = blocks
    store_block(n, j, j, J, out)
    store_block(n, j + 3, j, Q, out)
    store_block(n, j + 3, j + 3, J, out)


def store_block(n: int, row: int, column: int, m: Matrix, out: Any) -> None:
    """Write a block of a matrix (n, n)."""
    k = row * n + column
    out[k], out[k + 1], out[k + 2] = m[0], m[1], m[2]
    k += n
    out[k], out[k + 1], out[k + 2] = m[3], m[4], m[5]
    k += n
    out[k], out[k + 1], out[k + 2] = m[6], m[7], m[8]


def integrate_derivatives_state(tree: Tree, options: Any, q: Any, dq: Any, by_q: Any, by_dq: Any, work: Any) -> None:
    """The derivatives of q (+) dq."""
    integrate_derivatives_into(tree, dq, by_q, by_dq)


def difference_derivatives_state(tree: Tree, options: Any, q0: Any, q1: Any, by_q0: Any, by_q1: Any, work: Any) -> None:
    """The derivatives of q1 (-) q0."""
    difference_into(tree, q0, q1, work)
    difference_derivatives_into(tree, work, by_q0, by_q1)


INTEGRATE_DERIVATIVES = tree_kernel("integrate_derivatives", integrate_derivatives_state, 2, outputs=2)
DIFFERENCE_DERIVATIVES = tree_kernel(
    "difference_derivatives", difference_derivatives_state, 2, lambda tree: tree.nv_free, outputs=2
)

Pair = tuple[np.ndarray, np.ndarray]


@way(INTEGRATE_DERIVATIVES, inputs=(Q, rate("dq")), result=(NV, NV), more=((NV, NV),))
def integrate_derivatives(model: Model, q: ArrayLike, dq: ArrayLike, *, out: Pair | None = None) -> Pair:
    """How the configuration that `integrate` reaches changes with q and with dq.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration. The derivatives do not depend on it.
    dq : (..., nv) displacement, as in `integrate`.
    out : two (..., nv, nv) float64 arrays for the results.

    Returns
    -------
    by_q, by_dq : (..., nv, nv) each: where q moves by e along its joints, in the moved bodies' axes, the configuration
        reached moves by by_q e in its own, to first order; likewise for dq + e.

    Raises
    ------
    TypeError, ValueError
        As `integrate`.

    Notes
    -----
    integrate(q (+) e, dq) = integrate(q, dq) (+) by_q e. Blocks on the diagonal: 1 for joints that turn about an
    axis or slide, adjoints and right Jacobians of SO(3), SE(3) and SE(2) for the others. Solà, Deray and Atchuthan
    (2018).

    Examples
    --------
    >>> import featherstone as fs
    >>> by_q, by_dq = fs.integrate_derivatives(fs.models.load("planar_2r"), [0.6, -0.9], [0.1, 0.2])
    >>> by_dq
    array([[1., 0.],
           [0., 1.]])
    """
    call = Call(INTEGRATE_DERIVATIVES, model)
    call.configuration(q)
    call.rate("dq", dq)
    return _both(call, out)


@way(DIFFERENCE_DERIVATIVES, inputs=(configuration("q0"), configuration("q1")), result=(NV, NV), more=((NV, NV),))
def difference_derivatives(model: Model, q0: ArrayLike, q1: ArrayLike, *, out: Pair | None = None) -> Pair:
    """How the displacement that `difference` finds changes with both configurations.

    Parameters
    ----------
    model : the robot.
    q0, q1 : (..., nq) configurations.
    out : two (..., nv, nv) float64 arrays for the results.

    Returns
    -------
    by_q0, by_q1 : (..., nv, nv) each: where q0 moves by e along its joints, in the moved bodies' axes, the displacement
        changes by by_q0 e, to first order; likewise for q1.

    Raises
    ------
    TypeError, ValueError
        As `difference`.

    Notes
    -----
    difference(q0 (+) e, q1) = difference(q0, q1) + by_q0 e. At a half turn between q0 and q1, where the displacement
    jumps, those of the side that `difference` chose.

    Examples
    --------
    >>> import featherstone as fs
    >>> by_q0, by_q1 = fs.difference_derivatives(fs.models.load("planar_2r"), [0.6, -0.9], [0.7, -0.7])
    >>> by_q0
    array([[-1.,  0.],
           [ 0., -1.]])
    """
    call = Call(DIFFERENCE_DERIVATIVES, model)
    call.configuration(q0, "q0")
    call.configuration(q1, "q1")
    return _both(call, out)


def _both(call: Call, out: Pair | None) -> Pair:
    n = call.model.nv
    by_first, by_second = call.several([(n, n), (n, n)], out)
    return by_first, by_second
