"""Moving on the configuration manifold: integrate, difference, and the rate of coordinates.

Revolute, continuous and prismatic coordinates add; quaternions follow SO(3), floating joints SE(3), planar joints
SE(2), with the tangent vector in the moved body's axes: q (+) dq = q exp(dq).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import sincos
from ..model.model import Model
from ..model.tree import FLOATING, PLANAR, SPHERICAL, Tree
from ..spatial.lie import exp_quaternion, exp_se2, exp_se3, log_quaternion, log_se2, log_se3, normalize_quaternion
from ..spatial.rotations import quaternion_conjugate, quaternion_product, rotate, rotate_back, rotation_from_quaternion
from ..spatial.vectors import add, scale, subtract
from .call import Call
from .kernels import tree_kernel
from .ways import NQ, NV, Q, configuration, rate, way


def load_quaternion(q: Any, k: int) -> tuple[Any, Any, Any, Any]:
    """The quaternion at q[k]."""
    return (q[k], q[k + 1], q[k + 2], q[k + 3])


def store_quaternion(q: Any, k: int, x: tuple[Any, Any, Any, Any]) -> None:
    """Write the quaternion at q[k]."""
    q[k], q[k + 1], q[k + 2], q[k + 3] = x[0], x[1], x[2], x[3]


def load_vector(q: Any, k: int) -> tuple[Any, Any, Any]:
    """Three entries at q[k]."""
    return (q[k], q[k + 1], q[k + 2])


def store_vector(q: Any, k: int, x: tuple[Any, Any, Any]) -> None:
    """Write three entries at q[k]."""
    q[k], q[k + 1], q[k + 2] = x[0], x[1], x[2]


def integrate_into(tree: Tree, q: Any, dq: Any, moved: Any) -> None:
    """moved = q (+) dq in the user's coordinates; quaternions come out of unit length."""
    for i in range(1, tree.nb + 1):
        joint_type, dofs = tree.joint_type[i], tree.dofs[i]
        if dofs == 0:
            continue
        # a follower writes what its leader writes
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            angle, (x, y) = exp_se2((dq[j], dq[j + 1], dq[j + 2]))
            s, c = sincos(q[k + 2])
            moved[k], moved[k + 1], moved[k + 2] = q[k] + c * x - s * y, q[k + 1] + s * x + c * y, q[k + 2] + angle
        elif joint_type == SPHERICAL:
            turned = quaternion_product(load_quaternion(q, k), exp_quaternion(load_vector(dq, j)))
            store_quaternion(moved, k, normalize_quaternion(turned))
        elif joint_type == FLOATING:
            quaternion = load_quaternion(q, k + 3)
            turn, shift = exp_se3((load_vector(dq, j), load_vector(dq, j + 3)))
            store_vector(moved, k, add(load_vector(q, k), rotate(rotation_from_quaternion(quaternion), shift)))
            store_quaternion(moved, k + 3, normalize_quaternion(quaternion_product(quaternion, turn)))
        else:
            moved[k] = q[k] + dq[j]


def difference_into(tree: Tree, q0: Any, q1: Any, dq: Any) -> None:
    """dq with q0 (+) dq = q1, in the user's coordinates."""
    for i in range(1, tree.nb + 1):
        joint_type, dofs = tree.joint_type[i], tree.dofs[i]
        if dofs == 0:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            s, c = sincos(q0[k + 2])
            x, y = q1[k] - q0[k], q1[k + 1] - q0[k + 1]
            store_vector(dq, j, log_se2(q1[k + 2] - q0[k + 2], (c * x + s * y, c * y - s * x)))
        elif joint_type == SPHERICAL:
            turn = quaternion_product(quaternion_conjugate(load_quaternion(q0, k)), load_quaternion(q1, k))
            store_vector(dq, j, log_quaternion(turn))
        elif joint_type == FLOATING:
            back = load_quaternion(q0, k + 3)
            shift = subtract(load_vector(q1, k), load_vector(q0, k))
            turn = quaternion_product(quaternion_conjugate(back), load_quaternion(q1, k + 3))
            angular, linear = log_se3(turn, rotate_back(rotation_from_quaternion(back), shift))
            store_vector(dq, j, angular)
            store_vector(dq, j + 3, linear)
        else:
            dq[j] = q1[k] - q0[k]


def coordinate_rates(tree: Tree, q: Any, qd: Any, rate: Any) -> None:
    """rate (nq) = dq/dt of the coordinates themselves, of quaternions of any length too."""
    for i in range(1, tree.nb + 1):
        joint_type, dofs = tree.joint_type[i], tree.dofs[i]
        if dofs == 0:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            s, c = sincos(q[k + 2])
            x, y = qd[j + 1], qd[j + 2]
            rate[k], rate[k + 1], rate[k + 2] = c * x - s * y, s * x + c * y, qd[j]
        elif joint_type == SPHERICAL:
            store_quaternion(rate, k, quaternion_rate(load_quaternion(q, k), load_vector(qd, j)))
        elif joint_type == FLOATING:
            quaternion = load_quaternion(q, k + 3)
            store_vector(rate, k, rotate(rotation_from_quaternion(quaternion), load_vector(qd, j + 3)))
            store_quaternion(rate, k + 3, quaternion_rate(quaternion, load_vector(qd, j)))
        else:
            rate[k] = qd[j]


def quaternion_rate(quaternion: Any, omega: Any) -> tuple[Any, Any, Any, Any]:
    """Half the product of a quaternion and the angular velocity in the moved axes."""
    half = scale(0.5, omega)
    return quaternion_product(quaternion, (half[0], half[1], half[2], 0.0 * half[0]))


def normalize_configuration(tree: Tree, q: Any) -> None:
    """Give every quaternion of the user's q unit length."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if joint_type == SPHERICAL or joint_type == FLOATING:
            k = tree.q_source[tree.q_index[i]]
            if joint_type == FLOATING:
                k += 3
            store_quaternion(q, k, normalize_quaternion(load_quaternion(q, k)))


def integrate_state(tree: Tree, options: Any, q: Any, dq: Any, moved: Any, work: Any) -> None:
    """q (+) dq."""
    integrate_into(tree, q, dq, moved)


def difference_state(tree: Tree, options: Any, q0: Any, q1: Any, dq: Any, work: Any) -> None:
    """q1 (-) q0."""
    difference_into(tree, q0, q1, dq)


INTEGRATE = tree_kernel("integrate", integrate_state, 2)
DIFFERENCE = tree_kernel("difference", difference_state, 2)


@way(INTEGRATE, inputs=(Q, rate("dq")), result=(NQ,))
def integrate(model: Model, q: ArrayLike, dq: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """The configuration that is reached from q by moving along dq for one unit of time.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    dq : (..., nv) displacement, a velocity times a time; of floating and planar joints in the moved body's axes.
    out : (..., nq) float64 array for the result.

    Returns
    -------
    q : (..., nq); its quaternions are of unit length, its angles are not wrapped.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    Floating joints follow the exponential of SE(3), planar ones that of SE(2): a constant dq is a screw, or an arc.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.integrate(fs.models.load("planar_2r"), [0.6, -0.9], [0.1, 0.2])
    array([ 0.7, -0.7])
    """
    call = Call(INTEGRATE, model)
    call.configuration(q)
    call.rate("dq", dq)
    return call.run((model.nq,), out)


@way(DIFFERENCE, inputs=(configuration("q0"), configuration("q1")), result=(NV,))
def difference(model: Model, q0: ArrayLike, q1: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """The displacement that leads from q0 to q1: `integrate(model, q0, difference(model, q0, q1))` is q1.

    Parameters
    ----------
    model : the robot.
    q0, q1 : (..., nq) configurations.
    out : (..., nv) float64 array for the result.

    Returns
    -------
    dq : (..., nv); of floating and planar joints in the axes of q0's body. Rotations are the short way, at most pi.

    Raises
    ------
    TypeError, ValueError
        As `integrate`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.difference(fs.models.load("planar_2r"), [0.6, -0.9], [0.7, -0.7]).round(9)
    array([0.1, 0.2])
    """
    call = Call(DIFFERENCE, model)
    call.configuration(q0, "q0")
    call.configuration(q1, "q1")
    return call.run((model.nv,), out)
