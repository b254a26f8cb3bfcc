"""The inertia of the whole robot, all joints held, about its centre of mass. Featherstone (2008), section 2.13.

    I = sum of X* I_i X^-1

in world axes; body 0 has what gyroscopic rotors on the base take from it, so that a base without freedom has no part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates
from ..model.handover import constant_inertia
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.inertias import add_symmetric, transform_inertia
from ..spatial.rotations import rotate
from ..spatial.storage import MOTION, load_transform
from ..spatial.vectors import add, scale, subtract
from .call import Call, check_mass
from .kernels import tree_kernel
from .kinematics import poses_recursion, poses_work
from .ways import AT_HOME, Q, way


def composite_state(tree: Tree, options: Any, q: Any, base: Any, I_c: Any, work: Any) -> None:
    """The 6x6 inertia about the centre of mass."""
    X_world = after(work, tree.nq)
    poses_recursion(tree, all_coordinates(tree, q, work), base, X_world)
    o = lift(I_c, 0.0)
    mass, moment, rotational = o, (o, o, o), (o, o, o, o, o, o)
    for i in range(1, tree.nb + 1):
        R, p = load_transform(X_world, i)
        m, h, _ = constant_inertia(tree, i, I_c)
        mass += m
        moment = add(moment, add(scale(m, p), rotate(R, h)))
    c = scale(1.0 / mass, moment)
    for i in range(tree.nb + 1):
        R, p = load_transform(X_world, i)
        about = transform_inertia((R, subtract(p, c)), constant_inertia(tree, i, I_c))
        rotational = add_symmetric(rotational, about[2])
    for k in range(MOTION * MOTION):
        I_c[k] = o
    I_c[0], I_c[1], I_c[2] = rotational[0], rotational[1], rotational[3]
    I_c[6], I_c[7], I_c[8] = rotational[1], rotational[2], rotational[4]
    I_c[12], I_c[13], I_c[14] = rotational[3], rotational[4], rotational[5]
    I_c[21] = I_c[28] = I_c[35] = mass


COMPOSITE = tree_kernel("composite_inertia", composite_state, 2, lambda tree: tree.nq + poses_work(tree))


@way(COMPOSITE, inputs=(Q, AT_HOME), result=(6, 6))
def composite_inertia(
    model: Model, q: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The inertia of all moving bodies together, as of one rigid body, about their centre of mass.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : where the base is, if not at the world's frame; only how it is turned makes a difference.
    out : (..., 6, 6) float64 array for the result.

    Returns
    -------
    I : (..., 6, 6), in world axes about the centre of mass, angular first: the rotational inertia in the upper left
        3x3, kg m^2, the mass on the last three of the diagonal, kg, zero elsewhere. Symmetric to the bit.

    Raises
    ------
    TypeError, ValueError
        As `center_of_mass`.

    Notes
    -----
    Also called the centroidal composite or locked inertia: with all joints held and moving with v, the robot has the
    momentum I v. Of a part of the robot it is that of `model.subtree`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.composite_inertia(fs.models.load("planar_2r"), [0.6, -0.9]).diagonal().round(4)
    array([0.0832, 0.728 , 0.8112, 3.5   , 3.5   , 3.5   ])
    """
    call = Call(COMPOSITE, model)
    call.configuration(q)
    call.base(base)
    check_mass(model)
    return call.run((6, 6), out)
