"""Momentum of all moving bodies, and its rate. Featherstone (2008), sections 2.12 and 2.14.

    h = sum of X* I_i v_i        dh/dt = sum of X* (I_i a_i + v_i x* I_i v_i)

about the centre of mass or another point, in world axes. The centre's own motion adds nothing to the rate of the moment
about it, since it is along the linear momentum. Orin, Goswami and Lee, Centroidal dynamics of a humanoid robot (2013).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, present, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.handover import keep_motion, parent_motion
from ..model.joints import cross_joint_motion, joint_transform, plus_joint_motion
from ..model.model import Model
from ..model.moving_base import (
    base_acceleration,
    base_velocity,
    store_base_rate,
    store_base_transform,
    store_base_velocity,
)
from ..model.tree import Tree
from ..spatial.inertias import inertia_times
from ..spatial.motions import (
    compose_transforms,
    cross_force,
    plus,
    shift_force,
    transform_motion_back,
    turn_force,
)
from ..spatial.rotations import rotate
from ..spatial.storage import (
    MOTION,
    TRANSFORM,
    load_force,
    load_inertia,
    load_transform,
    store_force,
    store_transform,
)
from ..spatial.vectors import add, scale, subtract
from .call import Call, check_mass
from .kernels import tree_kernel
from .ways import ABSENT, AT_HOME, POINT, QD, QDD, Q, way

WHOLE, OF_CENTER = range(2)  # options: six numbers; the linear part over the mass, three


def momentum_state(
    tree: Tree, options: Any, q: Any, qd: Any, qdd: Any, base: Any, point: Any, h: Any, work: Any
) -> None:
    """The momentum about the centre of mass, or about a point, or with qdd its rate.

    Options: all six numbers, or the motion of the centre.
    """
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    qdd_all = all_rates(tree, qdd, after(work, tree.nq + tree.nv)) if present(qdd) else qdd
    X_world = after(work, tree.nq + 2 * tree.nv)
    f = after(X_world, TRANSFORM * (tree.nb + 1))
    v = after(f, MOTION * (tree.nb + 1))
    a = after(v, MOTION * tree.places)
    q_all = with_sines(q_all, tree.nq, after(a, MOTION * tree.places))
    store_base_transform(tree, base, X_world, 0)
    store_base_velocity(base, v, tree.place[0])
    store_base_rate(base, a, tree.place[0])
    o, mass = lift(h, 0.0), 0.0 * tree.inertia[0]
    moment, total = (o, o, o), ((o, o, o), (o, o, o))
    store_force(f, 0, total)
    if present(base):
        # what rotors on the base take from it
        I, v_0 = load_inertia(tree.inertia, 0), base_velocity(base)
        f_0 = inertia_times(I, v_0)
        if present(qdd):
            f_0 = plus(inertia_times(I, base_acceleration(base)), cross_force(v_0, f_0))
        store_force(f, 0, turn_force(load_transform(X_world, 0)[0], f_0))

    for i in range(1, tree.nb + 1):
        X = joint_transform(tree, i, q_all)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, v)), qd_all)
        keep_motion(tree, i, v_i, v)
        # f_i = I v_i, or I a_i + v_i x* I v_i
        I = load_inertia(tree.inertia, i)
        f_i = inertia_times(I, v_i)
        if present(qdd):
            carried = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, a)), qdd_all)
            a_i = plus(carried, cross_joint_motion(tree, i, v_i, qd_all))
            keep_motion(tree, i, a_i, a)
            f_i = plus(inertia_times(I, a_i), cross_force(v_i, f_i))
        R, p = compose_transforms(load_transform(X_world, tree.parent[i]), X)
        store_transform(X_world, i, (R, p))
        store_force(f, i, turn_force(R, f_i))
        mass += I[0]
        moment = add(moment, add(scale(I[0], p), rotate(R, I[1])))

    c = (point[0], point[1], point[2]) if present(point) else scale(1.0 / mass, moment)
    for i in range(tree.nb + 1):
        total = plus(total, shift_force(subtract(load_transform(X_world, i)[1], c), load_force(f, i)))
    if options[0] == OF_CENTER:
        h[0], h[1], h[2] = scale(1.0 / mass, total[1])
    else:
        store_force(h, 0, total)


def momentum_work(tree: Tree) -> int:
    """Entries of work memory."""
    return 3 * tree.nq + 2 * tree.nv + (TRANSFORM + MOTION) * (tree.nb + 1) + 2 * MOTION * tree.places


MOMENTUM = tree_kernel("centroidal_momentum", momentum_state, 5, momentum_work)


@way(MOMENTUM, inputs=(Q, QD, ABSENT, AT_HOME, ABSENT), result=(6,))
def centroidal_momentum(
    model: Model, q: ArrayLike, qd: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The momentum of all moving bodies about their common centre of mass, in world axes.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    base : how the base moves, and the bodies with it.
    out : (..., 6) float64 array for the result.

    Returns
    -------
    h : (..., 6) (angular; linear) momentum, kg m^2/s and kg m/s.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length, no body that has mass.

    Notes
    -----
    `centroidal_momentum_matrix` times qd, where the base stands still. Armature, which is felt by its joint alone, has
    no part in it; rotors with `gyroscopic=True` have.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.centroidal_momentum(fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]).shape
    (6,)
    """
    return _momentum(model, WHOLE, q, qd, None, base, 6, out)


@way(MOMENTUM, inputs=(Q, QD, QDD, AT_HOME, ABSENT), result=(6,))
def centroidal_momentum_rate(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The time derivative of `centroidal_momentum`: the sum of all forces from outside, gravity included.

    Parameters
    ----------
    model : the robot.
    q, qd, qdd : (..., nq), (..., nv) and (..., nv), the state and its acceleration.
    base : how the base moves, and the bodies with it.
    out : (..., 6) float64 array for the result.

    Returns
    -------
    rate : (..., 6) (moment about the centre of mass; force), N m and N, in world axes.

    Raises
    ------
    TypeError, ValueError
        As `centroidal_momentum`.

    Examples
    --------
    Falling freely, a robot gains momentum as gravity tells:

    >>> import featherstone as fs
    >>> robot = fs.models.load("quadruped")
    >>> still = [0.0] * robot.nv
    >>> fall = fs.centroidal_momentum_rate(robot, robot.neutral(), still, fs.aba(robot, robot.neutral(), still, still))
    >>> bool(abs(fall[3:] - robot.body_mass.sum() * robot.gravity).max() < 1e-9)
    True
    """
    return _momentum(model, WHOLE, q, qd, qdd, base, 6, out, accelerated=True)


@way(MOMENTUM, inputs=(Q, QD, ABSENT, AT_HOME, POINT), result=(6,))
def momentum_about(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    point: ArrayLike,
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The momentum of all moving bodies about a point of the world, in world axes.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    point : (..., 3) m, in the world: what the angular momentum is about, a contact say.
    base : how the base moves, and the bodies with it.
    out : (..., 6) float64 array for the result.

    Returns
    -------
    h : (..., 6) (angular; linear) momentum, kg m^2/s and kg m/s.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    About a point that stands still, the rate of h is the sum of all forces from outside and of their moments.

    Examples
    --------
    About its centre of mass, this is the centroidal momentum:

    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> h = fs.momentum_about(arm, q, qd, fs.center_of_mass(arm, q))
    >>> bool(abs(h - fs.centroidal_momentum(arm, q, qd)).max() < 1e-12)
    True
    """
    call = Call(MOMENTUM, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.absent("qdd")
    call.base(base)
    call.add("point", point, (3,))
    return call.run((6,), out)


def center_motion(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike | None,
    base: BaseMotion | None,
    out: Any,
    accelerated: bool,
) -> np.ndarray:
    """The linear momentum over the mass, or its rate."""
    return _momentum(model, OF_CENTER, q, qd, qdd, base, 3, out, accelerated)


def _momentum(
    model: Model, word: int, q: Any, qd: Any, qdd: Any, base: Any, size: int, out: Any, accelerated: bool = False
) -> np.ndarray:
    call = Call(MOMENTUM, model, option=word)
    call.configuration(q)
    call.rate("qd", qd)
    if accelerated:
        call.rate("qdd", qdd)
    else:
        call.absent("qdd")
    call.base(base)
    call.absent("point")
    check_mass(model)
    return call.run((size,), out)
