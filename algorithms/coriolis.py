"""The Coriolis matrix in the form of Christoffel symbols, and the rate of the mass matrix.

S. Echeandia and P. M. Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
systems (2021). With the inertia I_c and B_c (`spatial/coriolis.py`) of all that k's body carries, and dS = v x S,

    C_kj = S_k . (B_c S_j + I_c dS_j),    C_jk = S_j . (B_c S_k + I_c dS_k)       for j from the base to k

Each body's quantities are about its own origin, in axes parallel to the base's, so that a step from body to body is a
shift. The force that B_c^T makes of S_k is a moment alone, which no shift changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, with_sines
from ..model.coupling import all_coordinates, all_rates, free_matrix, room_for_matrix
from ..model.joints import column_in, component_along, joint_transform, turning_along
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.coriolis import coriolis_inertia, coriolis_times, coriolis_times_back, shift_coriolis
from ..spatial.inertias import inertia_times, shift_inertia, turn_inertia
from ..spatial.motions import cross_motion, plus, power, shift_force, shift_motion, times
from ..spatial.storage import (
    CORIOLIS,
    MOTION,
    RIGID,
    TRANSFORM,
    add_inertia,
    add_to_coriolis,
    load_coriolis,
    load_inertia,
    load_motion,
    load_transform,
    store_coriolis,
    store_inertia,
    store_motion,
    store_transform,
)
from ..spatial.vectors import scale
from .call import Call
from .crba import in_base_axes
from .kernels import tree_kernel
from .ways import NV, QD, Q, way

ITSELF, RATE_OF_H = range(2)  # options: C, or C + C^T


def coriolis_recursion(tree: Tree, q: Any, qd: Any, C: Any, work: Any) -> None:
    """C(q, qd) over every joint's rates (nv, nv). `work` has `coriolis_work(tree)` entries."""
    n = tree.nv
    E = work
    v = after(E, TRANSFORM * (tree.nb + 1))
    I_c = after(v, MOTION * (tree.nb + 1))
    B_c = after(I_c, RIGID * (tree.nb + 1))  # twice B
    dS = after(B_c, CORIOLIS * (tree.nb + 1))
    q = with_sines(q, tree.nq, after(dS, MOTION * n))
    o = lift(v, 0.0)
    store_motion(v, 0, ((o, o, o), (o, o, o)))
    for i in range(1, tree.nb + 1):
        # v_i = v_parent + S qd;  dS = v_i x S
        R, d = in_base_axes(tree, i, joint_transform(tree, i, q), E)
        store_transform(E, i, (R, d))
        v_i = shift_motion(d, load_motion(v, tree.parent[i]))
        for e in range(tree.dofs[i]):
            v_i = plus(v_i, times(qd[tree.v_index[i] + e], column_in(tree, i, e, E)))
        for e in range(tree.dofs[i]):
            store_motion(dS, tree.v_index[i] + e, cross_motion(v_i, column_in(tree, i, e, E)))
        I = turn_inertia(R, load_inertia(tree.inertia, i))
        store_motion(v, i, v_i)
        store_inertia(I_c, i, I)
        store_coriolis(B_c, i, coriolis_inertia(I, v_i))

    for k in range(n * n):
        C[k] = lift(C, 0.0)
    for i in range(tree.nb, 0, -1):
        I, B = load_inertia(I_c, i), load_coriolis(B_c, i)
        if tree.parent[i] > 0:
            d = load_transform(E, i)[1]
            add_inertia(I_c, tree.parent[i], shift_inertia(d, I))
            add_to_coriolis(B_c, tree.parent[i], shift_coriolis(d, B))
        for e in range(tree.dofs[i]):
            # F = I_c S_k;  t = B_c^T S_k;  G = B_c S_k + I_c dS_k
            k = tree.v_index[i] + e
            S = column_in(tree, i, e, E)
            F, t = inertia_times(I, S), scale(0.5, coriolis_times_back(B, S))
            G = plus(times(0.5, coriolis_times(B, S)), inertia_times(I, load_motion(dS, k)))
            for c in range(tree.dofs[i]):
                j = tree.v_index[i] + c
                C[k * n + j] = turning_along(tree, i, c, E, t) + power(load_motion(dS, j), F)
            b = i
            while tree.parent[b] > 0:
                # C_kj = t . S_j + F . dS_j;  C_jk = S_j . G
                d = load_transform(E, b)[1]
                F, G = shift_force(d, F), shift_force(d, G)
                b = tree.parent[b]
                for c in range(tree.dofs[b]):
                    j = tree.v_index[b] + c
                    C[k * n + j] = turning_along(tree, b, c, E, t) + power(load_motion(dS, j), F)
                    C[j * n + k] = component_along(tree, b, c, E, G)


def coriolis_work(tree: Tree) -> int:
    """Entries of work memory that the recursion needs."""
    return (TRANSFORM + MOTION + RIGID + CORIOLIS) * (tree.nb + 1) + MOTION * tree.nv + 2 * tree.nq


def coriolis_state(tree: Tree, options: Any, q: Any, qd: Any, C: Any, work: Any) -> None:
    """C (nv, nv) in the user's coordinates, or C + C^T."""
    n = tree.nv_free
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    rest = after(work, tree.nq + tree.nv)
    C_all = room_for_matrix(tree, C, after(rest, coriolis_work(tree)))
    coriolis_recursion(tree, q_all, qd_all, C_all, rest)
    free_matrix(tree, C_all, C)
    if options[0] == RATE_OF_H:
        for j in range(n):
            for k in range(j + 1):
                both = C[j * n + k] + C[k * n + j]
                C[j * n + k] = both
                C[k * n + j] = both


CORIOLIS_MATRIX = tree_kernel(
    "coriolis_matrix",
    coriolis_state,
    2,
    lambda tree: tree.nq + tree.nv + coriolis_work(tree) + (tree.nv * tree.nv if tree.coupled else 0),
)


@way(CORIOLIS_MATRIX, inputs=(Q, QD), result=(NV, NV))
def coriolis_matrix(model: Model, q: ArrayLike, qd: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """The matrix C(q, qd) of the Coriolis and centrifugal forces C qd, for which dH/dt - 2 C is skew.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    out : (..., nv, nv) float64 array for the result.

    Returns
    -------
    C : (..., nv, nv): C qd is `bias_torque` less `gravity_torque`.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    Many matrices have this product with qd; this one is linear in qd, with the symbols of `christoffel_symbols`.
    Echeandia and Wensing (2021). Work grows as the sum of depths, and as nv^2 for zeros. Damping and friction have no
    part in it. With mimic followers G^T C G.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> C, dH = fs.coriolis_matrix(arm, q, qd), fs.mass_matrix_rate(arm, q, qd)
    >>> bool(abs(C @ qd - fs.bias_torque(arm, q, qd) + fs.gravity_torque(arm, q)).max() < 1e-12)
    True
    >>> bool(abs((dH - 2 * C) + (dH - 2 * C).T).max() < 1e-12)
    True
    """
    return _matrix(model, q, qd, ITSELF, out)


@way(CORIOLIS_MATRIX, inputs=(Q, QD), result=(NV, NV), option=RATE_OF_H)
def mass_matrix_rate(model: Model, q: ArrayLike, qd: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """The time derivative of the mass matrix along qd.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    out : (..., nv, nv) float64 array for the result.

    Returns
    -------
    rate : (..., nv, nv), symmetric to the bit.

    Raises
    ------
    TypeError, ValueError
        As `coriolis_matrix`.

    Notes
    -----
    C + C^T with the matrix of `coriolis_matrix`; armature is constant.

    Examples
    --------
    >>> import featherstone as fs
    >>> (fs.mass_matrix_rate(fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]).round(4) + 0.0).tolist()
    [[0.47, 0.235], [0.235, 0.0]]
    """
    return _matrix(model, q, qd, RATE_OF_H, out)


def _matrix(model: Model, q: Any, qd: Any, word: int, out: np.ndarray | None) -> np.ndarray:
    call = Call(CORIOLIS_MATRIX, model, option=word)
    call.configuration(q)
    call.rate("qd", qd)
    return call.run((model.nv, model.nv), out)
