"""The common centre of mass of the moving bodies: where it is, and how it moves.

    c = sum of m_i c_i over the mass

Its velocity, Jacobian and acceleration are the linear part of the momentum, of its matrix and of its rate over the
mass: options of the kernels in `momentum.py` and `momentum_matrix.py`. Featherstone (2008), section 2.12.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.rotations import rotate
from ..spatial.storage import load_inertia, load_transform
from ..spatial.vectors import add, scale
from .call import Call, check_mass
from .kernels import tree_kernel
from .kinematics import poses_recursion, poses_work
from .momentum import MOMENTUM, OF_CENTER, center_motion
from .momentum_matrix import MOMENTUM_MATRIX, center_matrix
from .ways import ABSENT, AT_HOME, NV, QD, QDD, Q, way


def center_state(tree: Tree, options: Any, q: Any, base: Any, c: Any, work: Any) -> None:
    """The centre of mass in the world."""
    X_world = after(work, tree.nq)
    poses_recursion(tree, all_coordinates(tree, q, work), base, X_world)
    o, mass = lift(c, 0.0), 0.0 * tree.inertia[0]
    moment = (o, o, o)
    for i in range(1, tree.nb + 1):
        R, p = load_transform(X_world, i)
        m, h, _ = load_inertia(tree.inertia, i)
        mass += m
        moment = add(moment, add(scale(m, p), rotate(R, h)))
    c[0], c[1], c[2] = scale(1.0 / mass, moment)


CENTER = tree_kernel("center_of_mass", center_state, 2, lambda tree: tree.nq + poses_work(tree))


@way(CENTER, inputs=(Q, AT_HOME), result=(3,))
def center_of_mass(
    model: Model, q: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The common centre of mass of the moving bodies. The fixed base has no part in it.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : where the base is, if not at the world's frame.
    out : (..., 3) float64 array for the result.

    Returns
    -------
    c : (..., 3) m, in the world.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length, no body that has mass.

    Notes
    -----
    The potential energy is -m g . c with the mass m of the moving bodies, `model.body_mass.sum()`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.center_of_mass(fs.models.load("planar_2r"), [0.6, -0.9]).round(4) + 0.0
    array([0.7533, 0.3527, 0.    ])
    """
    call = Call(CENTER, model)
    call.configuration(q)
    call.base(base)
    check_mass(model)
    return call.run((3,), out)


@way(MOMENTUM_MATRIX, inputs=(Q, ABSENT, AT_HOME), result=(3, NV), option=OF_CENTER)
def center_of_mass_jacobian(
    model: Model, q: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The matrix that takes qd to the velocity of the centre of mass.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : where the base is, if not at the world's frame. Its own velocity is no part of J qd.
    out : (..., 3, nv) float64 array for the result.

    Returns
    -------
    J : (..., 3, nv), world axes.

    Raises
    ------
    TypeError, ValueError
        As `center_of_mass`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.center_of_mass_jacobian(fs.models.load("planar_2r"), [0.6, -0.9])[:2].round(4)
    array([[-0.3527,  0.0507],
           [ 0.7533,  0.1638]])
    """
    return center_matrix(model, q, base, out)


@way(MOMENTUM, inputs=(Q, QD, ABSENT, AT_HOME, ABSENT), result=(3,), option=OF_CENTER)
def center_of_mass_velocity(
    model: Model, q: ArrayLike, qd: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The velocity of the centre of mass.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    base : how the base moves, and the bodies with it.
    out : (..., 3) float64 array for the result.

    Returns
    -------
    v : (..., 3) m/s, world axes.

    Raises
    ------
    TypeError, ValueError
        As `center_of_mass`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.center_of_mass_velocity(fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]).round(4) + 0.0
    array([-0.3273,  0.8352,  0.    ])
    """
    return center_motion(model, q, qd, None, base, out, False)


@way(MOMENTUM, inputs=(Q, QD, QDD, AT_HOME, ABSENT), result=(3,), option=OF_CENTER)
def center_of_mass_acceleration(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The acceleration of the centre of mass, as that of a point.

    Parameters
    ----------
    model : the robot.
    q, qd, qdd : (..., nq), (..., nv) and (..., nv), the state and its acceleration.
    base : how the base moves, and the bodies with it.
    out : (..., 3) float64 array for the result.

    Returns
    -------
    a : (..., 3) m/s^2, world axes.

    Raises
    ------
    TypeError, ValueError
        As `center_of_mass`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, still = fs.models.load("planar_2r"), [0.0, 0.0]
    >>> fs.center_of_mass_acceleration(arm, still, [2.0, 0.0], still).round(4) + 0.0
    array([-3.5429,  0.    ,  0.    ])
    """
    return center_motion(model, q, qd, qdd, base, out, True)
