"""Regressors of the energies: T and V are linear in the parameters of bodies and drives as the torque is.

    T = sum of v_i . I v_i / 2        V = - sum of g . (m p_i + R_i m c)

Gautier and Khalil, On the identification of the inertial parameters of robots (1988).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.handover import keep_motion, parent_motion
from ..model.joints import joint_transform, link_pose, plus_joint_motion
from ..model.model import Model
from ..model.moving_base import store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import inertia_coefficients
from ..spatial.motions import compose_transforms, transform_motion_back
from ..spatial.rotations import rotate_back
from ..spatial.storage import MOTION, RIGID, add_coefficients, load_transform
from ..spatial.vectors import dot
from .call import Call
from .kernels import tree_kernel
from .kinematics import poses_recursion, poses_work
from .regressors import PARAMETERS
from .ways import AT_HOME, QD, Q, way


def kinetic_state(tree: Tree, options: Any, q: Any, qd: Any, base: Any, row: Any, work: Any) -> None:
    """The row of the kinetic energy; options as for the torque."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    v = after(work, tree.nq + tree.nv)
    q_all = with_sines(q_all, tree.nq, after(v, MOTION * tree.places))
    store_base_velocity(base, v, tree.place[0])
    clear(tree.parameters + options[0], row)
    for i in range(1, tree.nb + 1):
        X = joint_transform(tree, i, q_all)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, v)), qd_all)
        keep_motion(tree, i, v_i, v)
        if tree.link[i] > 0:
            v_link = transform_motion_back(link_pose(tree, i, v), v_i)
            add_coefficients(row, RIGID * (tree.link[i] - 1), 0.5, inertia_coefficients(v_link, v_link))
        if options[0] > 0 and tree.rotor[i] > 0 and options[2] >= 0:
            # what its spin s adds to that of its carrier about its axis, w: ((w + s)^2 - w^2) / 2
            spin = qd_all[tree.v_index[i]]
            row[options[2] + tree.rotor[i] - 1] += spin * (v_i[0][2] - 0.5 * spin)
    if options[0] > 0 and options[1] >= 0:
        for k in range(tree.nv):
            if tree.drive[k] > 0:
                row[options[1] + tree.drive[k] - 1] += 0.5 * qd_all[k] * qd_all[k]


def potential_state(tree: Tree, options: Any, q: Any, base: Any, row: Any, work: Any) -> None:
    """The row of the potential energy."""
    X_world = after(work, tree.nq)
    poses_recursion(tree, all_coordinates(tree, q, work), base, X_world)
    clear(tree.parameters + options[0], row)
    o, g = lift(row, 0.0), (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(1, tree.nb + 1):
        if tree.link[i] > 0:
            R, p = compose_transforms(load_transform(X_world, i), link_pose(tree, i, row))
            coefficients = (dot(g, p), rotate_back(R, g), (o, o, o, o, o, o))
            add_coefficients(row, RIGID * (tree.link[i] - 1), -1.0, coefficients)


def clear(count: int, row: Any) -> None:
    """Zeros in a row."""
    for k in range(count):
        row[k] = lift(row, 0.0)


KINETIC_REGRESSOR = tree_kernel(
    "kinetic_energy_regressor", kinetic_state, 3, lambda tree: 3 * tree.nq + tree.nv + MOTION * tree.places
)
POTENTIAL_REGRESSOR = tree_kernel(
    "potential_energy_regressor", potential_state, 2, lambda tree: tree.nq + poses_work(tree)
)


@way(KINETIC_REGRESSOR, inputs=(Q, QD, AT_HOME), result=(PARAMETERS,))
def kinetic_energy_regressor(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    drives: Any = None,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The row that takes the parameters of a robot to its kinetic energy.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    drives : as in `torque_regressor`; what is lost is no energy of the state, and has zeros.
    base : how the base moves, and the bodies with it.
    out : (..., 10 nb + drives) float64 array for the result.

    Returns
    -------
    y : (..., 10 nb + drives): y . `model.parameters(drives)` is the kinetic energy in J, that of `kinetic_energy` if
        drives has "armature" and "rotor" (or the robot has none).

    Raises
    ------
    TypeError, ValueError
        As `torque_regressor`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> round(float(fs.kinetic_energy_regressor(arm, q, qd) @ arm.parameters()), 4)
    2.0028
    """
    call = Call(KINETIC_REGRESSOR, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.base(base)
    return call.run((call.columns(drives),), out)


@way(POTENTIAL_REGRESSOR, inputs=(Q, AT_HOME), result=(PARAMETERS,))
def potential_energy_regressor(
    model: Model,
    q: ArrayLike,
    *,
    drives: Any = None,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The row that takes the parameters of a robot to its potential energy.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    drives : as in `torque_regressor`; drives have no potential energy, and zeros.
    base : where the base is, if not at the world's frame.
    out : (..., 10 nb + drives) float64 array for the result.

    Returns
    -------
    y : (..., 10 nb + drives): y . `model.parameters(drives)` is the potential energy in J, zero where the centre of
        mass is at the world's origin.

    Raises
    ------
    TypeError, ValueError
        As `torque_regressor`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> round(float(fs.potential_energy_regressor(arm, [0.6, -0.9]) @ arm.parameters()), 4)
    12.1084
    """
    call = Call(POTENTIAL_REGRESSOR, model)
    call.configuration(q)
    call.base(base)
    return call.run((call.columns(drives),), out)
