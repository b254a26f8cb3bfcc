"""The Christoffel symbols of the mass matrix. Derived from Echeandia and Wensing (2021), see `algorithms/coriolis.py`.

C_kj = sum over l of G_kjl qd_l. Of three degrees of freedom a, b, c on one way from the base outward, with the inertia
I of all that c's body carries, F = I S_c, and D = S_c x* I - I S_c x, how I changes as c moves,

    p = S_a . (S_b x* F)       what H_ac changes by when b moves
    r = S_a . D S_b            what H_ab changes by when c moves

all six symbols of the three are made of these:

    G_abc = G_acb = (r + p) / 2,    G_bac = G_bca = (r - p) / 2,    G_cab = G_cba = -(r - p) / 2

Of degrees of freedom that are not on one way they are zero. The rates of a spherical, floating or planar joint do not
commute: there, for j before l of one body, G_kjl is less by S_k . I (S_j x S_l) than G_klj.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, with_sines
from ..model.coupling import all_coordinates
from ..model.joints import column_in, component_along, joint_transform
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.inertias import RigidTuple, inertia_rate, inertia_times, shift_inertia, turn_inertia
from ..spatial.motions import ForceTuple, cross_force, cross_motion, power, shift_force
from ..spatial.storage import (
    RIGID,
    TRANSFORM,
    add_inertia,
    load_inertia,
    load_transform,
    store_inertia,
    store_transform,
)
from .call import Call
from .crba import in_base_axes
from .kernels import tree_kernel
from .ways import NV, Q, way


def christoffel_state(tree: Tree, options: Any, q: Any, symbols: Any, work: Any) -> None:
    """G (nv, nv, nv)."""
    q_all = all_coordinates(tree, q, work)
    E = after(work, tree.nq)
    I_c = after(E, TRANSFORM * (tree.nb + 1))
    q_all = with_sines(q_all, tree.nq, after(I_c, RIGID * (tree.nb + 1)))
    for i in range(1, tree.nb + 1):
        R, d = in_base_axes(tree, i, joint_transform(tree, i, q_all), E)
        store_transform(E, i, (R, d))
        store_inertia(I_c, i, turn_inertia(R, load_inertia(tree.inertia, i)))
    for k in range(tree.nv_free * tree.nv_free * tree.nv_free):
        symbols[k] = lift(symbols, 0.0)
    for i in range(tree.nb, 0, -1):
        I = load_inertia(I_c, i)
        if tree.parent[i] > 0:
            add_inertia(I_c, tree.parent[i], shift_inertia(load_transform(E, i)[1], I))
        add_not_commuting(tree, i, I, E, symbols)
        for c in range(tree.dofs[i]):
            S = column_in(tree, i, c, E)
            add_symbols_of(tree, i, c, inertia_times(I, S), inertia_rate(I, S), E, symbols)


def add_symbols_of(tree: Tree, i: int, c: int, F: ForceTuple, D: RigidTuple, E: Any, symbols: Any) -> None:
    """Add the symbols of degree of freedom c of body i with those before it."""
    j, k = i, tree.v_index[i] + c
    while j > 0:
        for b in range(c + 1 if j == i else tree.dofs[j]):
            S = column_in(tree, j, b, E)
            add_triples(tree, k, j, b, cross_force(S, F), inertia_times(D, S), E, symbols)
        for b in range(tree.dofs[j]):
            for l in range(b + 1, tree.dofs[j]):
                moved = power(cross_motion(column_in(tree, j, b, E), column_in(tree, j, l, E)), F)
                add_symbol(tree, k, tree.v_index[j] + b, tree.v_index[j] + l, -moved, symbols)
        d = load_transform(E, j)[1]
        F, D = shift_force(d, F), shift_inertia(d, D)
        j = tree.parent[j]


def add_triples(
    tree: Tree, c: int, j: int, e: int, p_force: ForceTuple, r_force: ForceTuple, E: Any, symbols: Any
) -> None:
    """Add the symbols of degree of freedom c with number e of body j and those before that."""
    i, b = j, tree.v_index[j] + e
    while i > 0:
        for x in range(e + 1 if i == j else tree.dofs[i]):
            a = tree.v_index[i] + x
            p, r = component_along(tree, i, x, E, p_force), component_along(tree, i, x, E, r_force)
            if b == c:
                if a != c:
                    add_symbol(tree, a, c, c, p, symbols)
            elif a == b:
                half = 0.5 * r
                add_symbol(tree, a, a, c, half, symbols)
                add_symbol(tree, a, c, a, half, symbols)
                add_symbol(tree, c, a, a, -half, symbols)
            else:
                more, less = 0.5 * (r + p), 0.5 * (r - p)
                add_symbol(tree, a, b, c, more, symbols)
                add_symbol(tree, a, c, b, more, symbols)
                add_symbol(tree, b, a, c, less, symbols)
                add_symbol(tree, b, c, a, less, symbols)
                add_symbol(tree, c, a, b, -less, symbols)
                add_symbol(tree, c, b, a, -less, symbols)
        d = load_transform(E, i)[1]
        p_force, r_force = shift_force(d, p_force), shift_force(d, r_force)
        i = tree.parent[i]


def add_not_commuting(tree: Tree, i: int, I: RigidTuple, E: Any, symbols: Any) -> None:
    """For k before body i: -S_k . I (S_j x S_l), of degrees of freedom j before l of the body."""
    for j in range(tree.dofs[i]):
        for l in range(j + 1, tree.dofs[i]):
            F = inertia_times(I, cross_motion(column_in(tree, i, j, E), column_in(tree, i, l, E)))
            b = i
            while tree.parent[b] > 0:
                F = shift_force(load_transform(E, b)[1], F)
                b = tree.parent[b]
                for k in range(tree.dofs[b]):
                    moved = -component_along(tree, b, k, E, F)
                    add_symbol(tree, tree.v_index[b] + k, tree.v_index[i] + j, tree.v_index[i] + l, moved, symbols)


def add_symbol(tree: Tree, k: int, j: int, l: int, x: Any, symbols: Any) -> None:
    """Add to the user's array: followers' symbols join their leaders'."""
    n = tree.nv_free
    at = (tree.v_source[k] * n + tree.v_source[j]) * n + tree.v_source[l]
    symbols[at] += tree.v_scale[k] * tree.v_scale[j] * tree.v_scale[l] * x


CHRISTOFFEL = tree_kernel(
    "christoffel_symbols",
    christoffel_state,
    1,
    lambda tree: 3 * tree.nq + (TRANSFORM + RIGID) * (tree.nb + 1),
)


@way(CHRISTOFFEL, inputs=(Q,), result=(NV, NV, NV))
def christoffel_symbols(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """The symbols G of which the Coriolis matrix is made: C_kj = sum over l of G_kjl qd_l.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    out : (..., nv, nv, nv) float64 array for the result.

    Returns
    -------
    G : (..., nv, nv, nv), row k, column j and the rate's number l.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    Where rates are those of coordinates, these are the Christoffel symbols of the first kind of the mass matrix,
    G_kjl = (dH_kj/dq_l + dH_kl/dq_j - dH_jl/dq_k) / 2, symmetric in j and l. Spherical, floating and planar joints have
    rates along axes of the moved body instead; over the directions of all rates the symbols are then those of the
    Levi-Civita connection of H, G_kjl = e_k . H (nabla_l e_j). Two equations say what they are in any case:
    G_kjl + G_jkl = dH_kj/dq_l, the derivative along l, and G_kjl - G_klj = S_k . I_c (S_l x S_j) where j and l are of
    one joint of these three types, with the inertia I_c of what both its body and k's carry, and 0 elsewhere. With
    mimic followers all three indices go over to the leaders. Work grows as the number of symbols that are not zero, and
    as nv^3 for zeros.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> bool(abs(fs.christoffel_symbols(arm, q) @ qd - fs.coriolis_matrix(arm, q, qd)).max() < 1e-12)
    True
    """
    call = Call(CHRISTOFFEL, model)
    call.configuration(q)
    return call.run((model.nv, model.nv, model.nv), out)
