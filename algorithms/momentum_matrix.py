"""The centroidal momentum matrix, and its rate.

Column k is what degree of freedom k adds to the momentum when it moves by 1 and all else stands still: then all that
its body carries moves as one rigid body, A_k = X* I_c S. Orin and Goswami, Centroidal momentum matrix of a humanoid
robot (2008); composite inertias as in the mass matrix, Featherstone (2008), section 6.2.

The rate is derived. In coordinates that stand still an inertia that is carried along with v has the rate
v x* I - I v x, which is itself an inertia without mass (`inertia_rate`); so the rates of composite inertias are summed
up as the inertias are. With D_c that sum, v the velocity of the body, and c the centre of mass,

    dA_k/dt = X* (D_c S + I_c (v x S)) - (dc/dt x f; 0),    f the linear part of A_k

the last since moments are taken about a point that moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, present, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.handover import composite_inertia, constant_inertia, hand_over_composite
from ..model.joints import joint_transform, plus_component, plus_joint_motion, rigid_column
from ..model.model import Model
from ..model.moving_base import store_base_transform, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import RigidTuple, add_inertias, inertia_rate, inertia_times, transform_inertia
from ..spatial.motions import (
    ForceTuple,
    compose_transforms,
    cross_motion,
    plus,
    shift_force,
    transform_motion_back,
    turn_force,
)
from ..spatial.rotations import rotate
from ..spatial.storage import (
    MOTION,
    RIGID,
    TRANSFORM,
    load_inertia,
    load_motion,
    load_transform,
    store_motion,
    store_transform,
)
from ..spatial.vectors import add, cross, scale, subtract
from .call import Call, check_mass
from .frames import add_column, clear_columns
from .kernels import tree_kernel
from .momentum import OF_CENTER, WHOLE
from .ways import ABSENT, AT_HOME, NV, QD, Q, way


def matrix_state(tree: Tree, options: Any, q: Any, qd: Any, base: Any, A: Any, work: Any) -> None:
    """A (6, nv), or with qd its rate; options: the whole, or the linear part over the mass (3, nv)."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq)) if present(qd) else qd
    X_up = after(work, tree.nq + tree.nv)
    X_world = after(X_up, TRANSFORM * (tree.nb + 1))
    v = after(X_world, TRANSFORM * (tree.nb + 1))
    I_c = after(v, MOTION * (tree.nb + 1))
    D_c = after(I_c, RIGID * tree.slots)
    room = after(D_c, RIGID * tree.slots)
    q_all = with_sines(q_all, tree.nq, after(room, MOTION * tree.nv_free))
    columns = room if options[0] == OF_CENTER else A
    store_base_transform(tree, base, X_world, 0)
    store_base_velocity(base, v, 0)
    o, mass = lift(A, 0.0), 0.0 * tree.inertia[0]
    moment = momentum = (o, o, o)
    for i in range(1, tree.nb + 1):
        X = joint_transform(tree, i, q_all)
        R, p = compose_transforms(load_transform(X_world, tree.parent[i]), X)
        store_transform(X_up, i, X)
        store_transform(X_world, i, (R, p))
        I = load_inertia(tree.inertia, i)
        mass += I[0]
        moment = add(moment, add(scale(I[0], p), rotate(R, I[1])))
        if present(qd):
            v_i = plus_joint_motion(tree, i, transform_motion_back(X, load_motion(v, tree.parent[i])), qd_all)
            store_motion(v, i, v_i)
            momentum = add(momentum, rotate(R, inertia_times(I, v_i)[1]))
    c, dc = scale(1.0 / mass, moment), scale(1.0 / mass, momentum)

    clear_columns(tree.nv_free, columns)
    for i in range(tree.nb, 0, -1):
        # I_c of the parent += X* I_c X, and D_c likewise
        I_i = composite_inertia(tree, i, I_c)
        X, parent = load_transform(X_up, i), tree.parent[i]
        if parent > 0:
            hand_over_composite(tree, i, transform_inertia(X, I_i), I_c)
        D_i = I_i
        if present(qd):
            D_i = composite_rate(tree, i, v, D_c)
            if parent > 0:
                hand_over_composite(tree, i, transform_inertia(X, D_i), D_c)
        R, p = load_transform(X_world, i)
        for d in range(tree.dofs[i]):
            F = turn_force(R, rigid_column(tree, i, d, I_i))
            if present(qd):
                f = F[1]
                F = shift_force(subtract(p, c), turn_force(R, column_rate(tree, i, d, I_i, D_i, v)))
                F = (subtract(F[0], cross(dc, f)), F[1])
            else:
                F = shift_force(subtract(p, c), F)
            add_column(tree, tree.v_index[i] + d, F, columns)

    if options[0] == OF_CENTER:
        for k in range(3 * tree.nv_free):
            A[k] = (1.0 / mass) * columns[3 * tree.nv_free + k]


def composite_rate(tree: Tree, i: int, v: Any, kept: Any) -> RigidTuple:
    """The rate of the inertia of body i and of all that it carries, in coordinates that stand still."""
    D = inertia_rate(constant_inertia(tree, i, kept), load_motion(v, i))
    if tree.last_child[i] > 0:
        return add_inertias(D, load_inertia(kept, tree.slot[i]))
    return D


def column_rate(tree: Tree, i: int, d: int, I: RigidTuple, D: RigidTuple, v: Any) -> ForceTuple:
    """D_c S_d + I_c (v x S_d)."""
    o, one = lift(v, 0.0), lift(v, 1.0)
    S = plus_component(tree, i, d, ((o, o, o), (o, o, o)), one)
    return plus(inertia_times(D, S), inertia_times(I, cross_motion(load_motion(v, i), S)))


def matrix_work(tree: Tree) -> int:
    """Entries of work memory."""
    of_bodies = (2 * TRANSFORM + MOTION) * (tree.nb + 1) + 2 * RIGID * tree.slots
    return 3 * tree.nq + tree.nv + of_bodies + MOTION * tree.nv_free


MOMENTUM_MATRIX = tree_kernel("centroidal_momentum_matrix", matrix_state, 3, matrix_work)


@way(MOMENTUM_MATRIX, inputs=(Q, ABSENT, AT_HOME), result=(6, NV))
def centroidal_momentum_matrix(
    model: Model, q: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The matrix that takes qd to the momentum about the centre of mass.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : where the base is, if not at the world's frame. Its own velocity is no part of A qd.
    out : (..., 6, nv) float64 array for the result.

    Returns
    -------
    A : (..., 6, nv): A qd is (angular; linear) momentum in world axes, kg m^2/s and kg m/s.

    Raises
    ------
    TypeError, ValueError
        As `centroidal_momentum`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> h = fs.centroidal_momentum_matrix(arm, q) @ qd
    >>> bool(abs(h - fs.centroidal_momentum(arm, q, qd)).max() < 1e-12)
    True
    """
    return _matrix(model, WHOLE, q, None, base, 6, out)


@way(MOMENTUM_MATRIX, inputs=(Q, QD, AT_HOME), result=(6, NV))
def centroidal_momentum_matrix_rate(
    model: Model, q: ArrayLike, qd: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The time derivative of `centroidal_momentum_matrix` along qd, entry by entry.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    base : how the base moves, if it does not stand still.
    out : (..., 6, nv) float64 array for the result.

    Returns
    -------
    rate : (..., 6, nv): on a base that stands still, A qdd + rate qd is `centroidal_momentum_rate`.

    Raises
    ------
    TypeError, ValueError
        As `centroidal_momentum`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> fs.centroidal_momentum_matrix_rate(arm, [0.6, -0.9], [0.0, 0.0]).any()
    np.False_
    """
    return _matrix(model, WHOLE, q, qd, base, 6, out, moving=True)


def center_matrix(model: Model, q: ArrayLike, base: BaseMotion | None, out: Any) -> np.ndarray:
    """The linear rows over the mass."""
    return _matrix(model, OF_CENTER, q, None, base, 3, out)


def _matrix(
    model: Model, word: int, q: Any, qd: Any, base: Any, rows: int, out: Any, moving: bool = False
) -> np.ndarray:
    call = Call(MOMENTUM_MATRIX, model, option=word)
    call.configuration(q)
    if moving:
        call.rate("qd", qd)
    else:
        call.absent("qd")
    call.base(base)
    check_mass(model)
    return call.run((rows, model.nv), out)
