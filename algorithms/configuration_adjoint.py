"""Moving on the manifold, differentiated backwards: from what a result's changes cost to what the arguments' do.

A cost's gradient is a force: over tangents in the moved body's axes, or over plain coordinates, quaternions as four
numbers. These are the transposes of the maps in `algorithms/configuration_derivatives.py` and of

    dx = x (w/2; 0),    w = 2 vec(x* dx)/|x|^2

for a quaternion x of any length, joint by joint.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import sincos
from ..model.tree import FLOATING, PLANAR, SPHERICAL, Tree
from ..spatial.lie import exp_quaternion, exp_se2, exp_se3
from ..spatial.lie_jacobians import (
    Matrix,
    carry_back,
    carry_back_se2,
    exp_jacobian,
    exp_jacobian_se2,
    exp_jacobian_se3,
)
from ..spatial.rotations import quaternion_conjugate, quaternion_product, rotate, rotate_back, rotation_from_quaternion
from ..spatial.vectors import add, cross, dot, scale
from .configuration import load_quaternion, load_vector, store_quaternion, store_vector


def integrate_adjoint(tree: Tree, dq: Any, moved: Any, by_q: Any, by_dq: Any) -> None:
    """With `moved` the gradient at q (+) dq, the gradients by q and by dq."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if tree.dofs[i] == 0:
            continue
        # a follower writes what its leader writes
        j = tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            m, g = load_vector(dq, j), load_vector(moved, j)
            angle, p = exp_se2(m)
            store_vector(by_q, j, rotate_back(carry_back_se2(angle, p), g))
            store_vector(by_dq, j, rotate_back(exp_jacobian_se2(m), g))
        elif joint_type == SPHERICAL:
            w, g = load_vector(dq, j), load_vector(moved, j)
            store_vector(by_q, j, rotate(rotation_from_quaternion(exp_quaternion(w)), g))
            store_vector(by_dq, j, rotate_back(exp_jacobian(w), g))
        elif joint_type == FLOATING:
            motion = (load_vector(dq, j), load_vector(dq, j + 3))
            turn, shift = exp_se3(motion)
            store_blocks_back(carry_back(turn, shift), j, moved, by_q)
            store_blocks_back(exp_jacobian_se3(motion), j, moved, by_dq)
        else:
            by_q[j] = by_dq[j] = moved[j]


def store_blocks_back(blocks: tuple[Matrix, Matrix], j: int, x: Any, out: Any) -> None:
    """The transpose of J 0 over Q J times x, at degree of freedom j."""
    J, Q = blocks
    angular, linear = load_vector(x, j), load_vector(x, j + 3)
    store_vector(out, j, add(rotate_back(J, angular), rotate_back(Q, linear)))
    store_vector(out, j + 3, rotate_back(J, linear))


def add_tangents_to_coordinates(tree: Tree, q: Any, tangent: Any, out: Any) -> None:
    """Add to a gradient over coordinates (nq) one over tangents (nv) at q."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if tree.dofs[i] == 0 or tree.follows[i]:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            s, c = sincos(q[k + 2])
            x, y = tangent[j + 1], tangent[j + 2]
            add_vector(out, k, (c * x - s * y, s * x + c * y, tangent[j]))
        elif joint_type == SPHERICAL:
            add_turned(out, k, load_quaternion(q, k), load_vector(tangent, j))
        elif joint_type == FLOATING:
            x = load_quaternion(q, k + 3)
            add_vector(out, k, rotate(rotation_from_quaternion(x), load_vector(tangent, j + 3)))
            add_turned(out, k + 3, x, load_vector(tangent, j))
        else:
            out[k] += tangent[j]


def add_turned(out: Any, k: int, x: Any, g: Any) -> None:
    """Add 2 x (g; 0)/|x|^2."""
    square = dot((x[0], x[1], x[2]), (x[0], x[1], x[2])) + x[3] * x[3]
    g = scale(2.0 / square, g)
    y = quaternion_product(x, (g[0], g[1], g[2], 0.0 * g[0]))
    add_vector(out, k, (y[0], y[1], y[2]))
    out[k + 3] += y[3]


def coordinates_to_tangents(tree: Tree, q: Any, coordinates: Any, out: Any) -> None:
    """A gradient over tangents (nv) at q, from one over coordinates (nq)."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if tree.dofs[i] == 0 or tree.follows[i]:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            s, c = sincos(q[k + 2])
            x, y = coordinates[k], coordinates[k + 1]
            store_vector(out, j, (coordinates[k + 2], c * x + s * y, c * y - s * x))
        elif joint_type == SPHERICAL:
            store_vector(out, j, half_turn(load_quaternion(q, k), load_quaternion(coordinates, k)))
        elif joint_type == FLOATING:
            x = load_quaternion(q, k + 3)
            store_vector(out, j, half_turn(x, load_quaternion(coordinates, k + 3)))
            store_vector(out, j + 3, rotate_back(rotation_from_quaternion(x), load_vector(coordinates, k)))
        else:
            out[j] = coordinates[k]


def half_turn(x: Any, g: Any) -> Any:
    """vec(x* g)/2."""
    y = quaternion_product(quaternion_conjugate(x), g)
    return scale(0.5, (y[0], y[1], y[2]))


def add_rates_adjoint(tree: Tree, q: Any, qd: Any, rate: Any, by_q: Any, by_qd: Any) -> None:
    """With `rate` the gradient over `coordinate_rates` (nq), add those over coordinates (nq) and over rates (nv)."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if tree.dofs[i] == 0 or tree.follows[i]:
            continue
        k, j = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]]
        if joint_type == PLANAR:
            s, c = sincos(q[k + 2])
            x, y = c * rate[k] + s * rate[k + 1], c * rate[k + 1] - s * rate[k]
            by_q[k + 2] += y * qd[j + 1] - x * qd[j + 2]
            add_vector(by_qd, j, (rate[k + 2], x, y))
        elif joint_type == SPHERICAL:
            add_spinning(by_q, k, by_qd, j, load_quaternion(q, k), load_vector(qd, j), load_quaternion(rate, k))
        elif joint_type == FLOATING:
            x, w = load_quaternion(q, k + 3), load_vector(qd, j)
            add_spinning(by_q, k + 3, by_qd, j, x, w, load_quaternion(rate, k + 3))
            g = rotate_back(rotation_from_quaternion(x), load_vector(rate, k))
            add_vector(by_qd, j + 3, g)
            # R v turns with the quaternion
            add_turned(by_q, k + 3, x, cross(load_vector(qd, j + 3), g))
        else:
            by_qd[j] += rate[k]


def add_spinning(by_q: Any, k: int, by_qd: Any, j: int, x: Any, w: Any, g: Any) -> None:
    """Of x (w/2; 0) with the gradient g: g (-w/2; 0) for x, vec(x* g)/2 for w."""
    back = scale(-0.5, w)
    y = quaternion_product(g, (back[0], back[1], back[2], 0.0 * back[0]))
    store_quaternion(by_q, k, (by_q[k] + y[0], by_q[k + 1] + y[1], by_q[k + 2] + y[2], by_q[k + 3] + y[3]))
    add_vector(by_qd, j, half_turn(x, g))


def add_vector(x: Any, k: int, v: Any) -> None:
    """Add to three entries from k on."""
    x[k] += v[0]
    x[k + 1] += v[1]
    x[k + 2] += v[2]
