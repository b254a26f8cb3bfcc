"""Kinetic and potential energy of the moving bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, present, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.handover import keep_motion, parent_motion
from ..model.joints import joint_transform, plus_joint_motion
from ..model.model import Model
from ..model.moving_base import base_velocity, store_base_velocity
from ..model.tree import Tree
from ..spatial.inertias import inertia_times
from ..spatial.motions import power, transform_motion_back
from ..spatial.rotations import rotate
from ..spatial.storage import MOTION, load_inertia, load_transform
from ..spatial.vectors import add, dot, scale
from .call import Call
from .kernels import tree_kernel
from .kinematics import poses_recursion, poses_work
from .ways import AT_HOME, QD, Q, way


def kinetic_state(tree: Tree, options: Any, q: Any, qd: Any, base: Any, energy: Any, work: Any) -> None:
    """The sum of v . I v / 2 over the bodies, and of armature qd^2 / 2 over the joints."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    v = after(work, tree.nq + tree.nv)
    q_all = with_sines(q_all, tree.nq, after(v, MOTION * tree.places))
    store_base_velocity(base, v, tree.place[0])
    twice = lift(v, 0.0)
    if present(base):
        v_0 = base_velocity(base)
        twice += power(v_0, inertia_times(load_inertia(tree.inertia, 0), v_0))
    for i in range(1, tree.nb + 1):
        X = joint_transform(tree, i, q_all)
        v_i = plus_joint_motion(tree, i, transform_motion_back(X, parent_motion(tree, i, v)), qd_all)
        keep_motion(tree, i, v_i, v)
        twice += power(v_i, inertia_times(load_inertia(tree.inertia, i), v_i))
    for k in range(tree.nv):
        twice += tree.armature[k] * qd_all[k] * qd_all[k]
    energy[0] = 0.5 * twice


def potential_state(tree: Tree, options: Any, q: Any, base: Any, energy: Any, work: Any) -> None:
    """The sum of -m g . c over the bodies, c in the world."""
    X_world = after(work, tree.nq)
    poses_recursion(tree, all_coordinates(tree, q, work), base, X_world)
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    total = lift(energy, 0.0)
    for i in range(1, tree.nb + 1):
        R, p = load_transform(X_world, i)
        m, h, _ = load_inertia(tree.inertia, i)
        total -= dot(g, add(scale(m, p), rotate(R, h)))
    energy[0] = total


KINETIC = tree_kernel("kinetic_energy", kinetic_state, 3, lambda tree: 3 * tree.nq + tree.nv + MOTION * tree.places)
POTENTIAL = tree_kernel("potential_energy", potential_state, 2, lambda tree: tree.nq + poses_work(tree))


@way(KINETIC, inputs=(Q, QD, AT_HOME), result=())
def kinetic_energy(model: Model, q: ArrayLike, qd: ArrayLike, *, base: BaseMotion | None = None) -> np.ndarray | float:
    """Kinetic energy of the moving bodies, armature included: qd . H(q) qd / 2 where the base stands still.

    Parameters
    ----------
    model : the robot.
    q, qd : (..., nq) and (..., nv), the state.
    base : how the base moves, and the bodies with it.

    Returns
    -------
    T : (...) J; a float for one state.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Examples
    --------
    >>> import featherstone as fs
    >>> round(fs.kinetic_energy(fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]), 4)
    2.0028
    """
    call = Call(KINETIC, model)
    call.configuration(q)
    call.rate("qd", qd)
    call.base(base)
    return _scalar(call.run(()))


@way(POTENTIAL, inputs=(Q, AT_HOME), result=())
def potential_energy(model: Model, q: ArrayLike, *, base: BaseMotion | None = None) -> np.ndarray | float:
    """Potential energy of the moving bodies, -sum m g . c: zero where the centre of mass is at the world's origin.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : where the base is, if not at the world's frame.

    Returns
    -------
    V : (...) J; a float for one state.

    Raises
    ------
    TypeError, ValueError
        As `kinetic_energy`.

    Examples
    --------
    >>> import featherstone as fs
    >>> round(fs.potential_energy(fs.models.load("planar_2r"), [0.6, -0.9]), 4)
    12.1084
    """
    call = Call(POTENTIAL, model)
    call.configuration(q)
    call.base(base)
    return _scalar(call.run(()))


def _scalar(energy: np.ndarray) -> np.ndarray | float:
    return energy if energy.ndim else float(energy)
