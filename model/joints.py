"""What joints do, for all types behind one door. Recursions ask these functions, never which type a joint is.

With `i` a body and S its joint's motion subspace, of which `d` counts the columns. q of a joint: revolute and helical,
an angle; prismatic, a length; planar, (x, y, angle) in the plane of the joint; spherical, a quaternion; floating,
position and quaternion. Its rates are the components of S in the moved frame, so S is constant and cJ = 0.
Featherstone (2008), sections 3.5 and 4.4.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift, sincos_at
from ..spatial.inertias import ArticulatedTuple, RigidTuple
from ..spatial.motions import ForceTuple, MotionTuple, TransformTuple, compose_transforms, cross_motion, plus
from ..spatial.rotations import rotation_from_quaternion, turn_about_z
from ..spatial.storage import load_axis, load_rotation, load_transform
from ..spatial.vectors import Vector, add, cross, dot, scale
from .tree import BOTH_Z, FLOATING, HELICAL, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL, Tree


def joint_transform(tree: Tree, i: int, q: Any) -> TransformTuple:
    """X_tree X_J: the pose of body i in its parent."""
    R, p = constant_transform(tree, i, q)
    k = tree.q_index[i]
    joint_type = tree.joint_type[i]
    if joint_type == REVOLUTE:
        s, c = sincos_at(q, k)
        return (turn_about_z(R, s, c), p)
    if joint_type == PRISMATIC:
        return (R, add(p, (R[2] * q[k], R[5] * q[k], R[8] * q[k])))
    return general_joint_transform(tree, i, (R, p), q)


def general_joint_transform(tree: Tree, i: int, X: TransformTuple, q: Any) -> TransformTuple:
    """X_tree X_J of a joint that both turns and slides, or of a fixed one."""
    R = X[0]
    k = tree.q_index[i]
    joint_type = tree.joint_type[i]
    o = lift(q, 0.0)
    if joint_type == HELICAL:
        s, c = sincos_at(q, k)
        along = tree.pitch[i] * q[k]
        return (turn_about_z(R, s, c), add(X[1], (R[2] * along, R[5] * along, R[8] * along)))
    if joint_type == PLANAR:
        flat = compose_transforms(X, (R, (q[k], q[k + 1], o)))[1]
        s, c = sincos_at(q, k + 2)
        return (turn_about_z(R, s, c), flat)
    if joint_type == SPHERICAL:
        turned = rotation_from_quaternion((q[k], q[k + 1], q[k + 2], q[k + 3]))
        return compose_transforms(X, (turned, (o, o, o)))
    if joint_type == FLOATING:
        turned = rotation_from_quaternion((q[k + 3], q[k + 4], q[k + 5], q[k + 6]))
        return compose_transforms(X, (turned, (q[k], q[k + 1], q[k + 2])))
    return X


def constant_transform(tree: Tree, i: int, like: Any) -> TransformTuple:
    """X_tree of body i as scalars of the kind in the array `like`."""
    R, p = load_transform(tree.placement, i)
    return (
        (
            lift(like, R[0]),
            lift(like, R[1]),
            lift(like, R[2]),
            lift(like, R[3]),
            lift(like, R[4]),
            lift(like, R[5]),
            lift(like, R[6]),
            lift(like, R[7]),
            lift(like, R[8]),
        ),
        (lift(like, p[0]), lift(like, p[1]), lift(like, p[2])),
    )


def link_pose(tree: Tree, i: int, like: Any) -> TransformTuple:
    """The pose of body i's link frame in its canonical frame, as scalars of the kind in the array `like`."""
    R = load_rotation(tree.link_rotation, i)
    o = lift(like, 0.0)
    return (
        (
            lift(like, R[0]),
            lift(like, R[3]),
            lift(like, R[6]),
            lift(like, R[1]),
            lift(like, R[4]),
            lift(like, R[7]),
            lift(like, R[2]),
            lift(like, R[5]),
            lift(like, R[8]),
        ),
        (o, o, o),
    )


def motion_subspace(tree: Tree, i: int, d: int, like: Any) -> MotionTuple:
    """S_d, as scalars of the kind in the array `like`."""
    o = lift(like, 0.0)
    return plus_component(tree, i, d, ((o, o, o), (o, o, o)), lift(like, 1.0))


def joint_motion(tree: Tree, i: int, x: Any) -> MotionTuple:
    """S x, with x one of the vectors qd, qdd."""
    k = tree.v_index[i]
    o = lift(x, 0.0)
    joint_type = tree.joint_type[i]
    if joint_type == REVOLUTE:
        return ((o, o, x[k]), (o, o, o))
    if joint_type == PRISMATIC:
        return ((o, o, o), (o, o, x[k]))
    if joint_type == HELICAL:
        return ((o, o, x[k]), (o, o, tree.pitch[i] * x[k]))
    if joint_type == PLANAR:
        return ((o, o, x[k]), (x[k + 1], x[k + 2], o))
    if joint_type == SPHERICAL:
        return ((x[k], x[k + 1], x[k + 2]), (o, o, o))
    if joint_type == FLOATING:
        return ((x[k], x[k + 1], x[k + 2]), (x[k + 3], x[k + 4], x[k + 5]))
    return ((o, o, o), (o, o, o))


def plus_joint_motion(tree: Tree, i: int, m: MotionTuple, x: Any) -> MotionTuple:
    """m + S x."""
    k = tree.v_index[i]
    joint_type = tree.joint_type[i]
    if joint_type == REVOLUTE:
        return ((m[0][0], m[0][1], m[0][2] + x[k]), m[1])
    if joint_type == PRISMATIC:
        return (m[0], (m[1][0], m[1][1], m[1][2] + x[k]))
    return plus(m, joint_motion(tree, i, x))


def cross_joint_motion(tree: Tree, i: int, v: MotionTuple, x: Any) -> MotionTuple:
    """v x S x, the acceleration that comes from turning the joint's axes along with the body."""
    k = tree.v_index[i]
    o = lift(x, 0.0)
    w, u = v
    joint_type = tree.joint_type[i]
    if joint_type == REVOLUTE:
        return ((w[1] * x[k], -w[0] * x[k], o), (u[1] * x[k], -u[0] * x[k], o))
    if joint_type == PRISMATIC:
        return ((o, o, o), (w[1] * x[k], -w[0] * x[k], o))
    return cross_motion(v, joint_motion(tree, i, x))


def joint_force(tree: Tree, i: int, f: ForceTuple, qdd: Any, tau: Any) -> None:
    """tau_i = S^T f + armature qdd, into the vector tau."""
    k = tree.v_index[i]
    for d in range(tree.dofs[i]):
        tau[k + d] = component(tree, i, d, f) + tree.armature[k + d] * qdd[k + d]


def component(tree: Tree, i: int, d: int, f: ForceTuple) -> Any:
    """S_d^T f."""
    axis = tree.axis[i] + d
    if axis == 2:
        return f[0][2]
    if axis == 5:
        return f[1][2]
    if axis == 0:
        return f[0][0]
    if axis == 1:
        return f[0][1]
    if axis == 3:
        return f[1][0]
    if axis == 4:
        return f[1][1]
    return f[0][2] + tree.pitch[i] * f[1][2]


def component_along(tree: Tree, i: int, d: int, axes: Any, f: ForceTuple) -> Any:
    """S_d^T f, with the body's axes the columns of a rotation in the transforms `axes`, in whose coordinates f is."""
    axis = tree.axis[i] + d
    if axis < 3:
        return dot(load_axis(axes, i, axis), f[0])
    if axis < BOTH_Z:
        return dot(load_axis(axes, i, axis - 3), f[1])
    z = load_axis(axes, i, 2)
    return dot(z, f[0]) + tree.pitch[i] * dot(z, f[1])


def turning_along(tree: Tree, i: int, d: int, axes: Any, moment: Vector) -> Any:
    """The same of a force that is a moment alone."""
    axis = tree.axis[i] + d
    if axis < 3:
        return dot(load_axis(axes, i, axis), moment)
    if axis < BOTH_Z:
        return lift(axes, 0.0)
    return dot(load_axis(axes, i, 2), moment)


def column_in(tree: Tree, i: int, d: int, axes: Any) -> MotionTuple:
    """S_d about the body's own origin, in the coordinates of `component_along`."""
    axis, o = tree.axis[i] + d, lift(axes, 0.0)
    if axis < 3:
        return (load_axis(axes, i, axis), (o, o, o))
    if axis < BOTH_Z:
        return ((o, o, o), load_axis(axes, i, axis - 3))
    z = load_axis(axes, i, 2)
    return (z, scale(tree.pitch[i], z))


def column_along(tree: Tree, i: int, d: int, poses: Any) -> MotionTuple:
    """X S_d, with X the i-th of the transforms `poses`: from the body's coordinates to others."""
    axis = tree.axis[i] + d
    if axis < 3:
        w = load_axis(poses, i, axis)
        return (w, cross(load_transform(poses, i)[1], w))
    if axis < BOTH_Z:
        o = lift(poses, 0.0)
        return ((o, o, o), load_axis(poses, i, axis - 3))
    z = load_axis(poses, i, 2)
    return (z, add(cross(load_transform(poses, i)[1], z), scale(tree.pitch[i], z)))


def plus_component(tree: Tree, i: int, d: int, m: MotionTuple, x: Any) -> MotionTuple:
    """m + S_d x."""
    w, v = m
    axis = tree.axis[i] + d
    if axis == 2:
        return ((w[0], w[1], w[2] + x), v)
    if axis == 5:
        return (w, (v[0], v[1], v[2] + x))
    if axis == 0:
        return ((w[0] + x, w[1], w[2]), v)
    if axis == 1:
        return ((w[0], w[1] + x, w[2]), v)
    if axis == 3:
        return (w, (v[0] + x, v[1], v[2]))
    if axis == 4:
        return (w, (v[0], v[1] + x, v[2]))
    return ((w[0], w[1], w[2] + x), (v[0], v[1], v[2] + tree.pitch[i] * x))


def rigid_column(tree: Tree, i: int, d: int, inertia: RigidTuple) -> ForceTuple:
    """I S_d of a rigid-body inertia."""
    m, h, I = inertia
    o = 0.0 * m
    axis = tree.axis[i] + d
    if axis == 2:
        return ((I[3], I[4], I[5]), (-h[1], h[0], o))
    if axis == 5:
        return ((h[1], -h[0], o), (o, o, m))
    if axis == 0:
        return ((I[0], I[1], I[3]), (o, -h[2], h[1]))
    if axis == 1:
        return ((I[1], I[2], I[4]), (h[2], o, -h[0]))
    if axis == 3:
        return ((o, h[2], -h[1]), (m, o, o))
    if axis == 4:
        return ((-h[2], o, h[0]), (o, m, o))
    pitch = tree.pitch[i]
    return ((I[3] + pitch * h[1], I[4] - pitch * h[0], I[5]), (-h[1], h[0], pitch * m))


def articulated_column(tree: Tree, i: int, d: int, inertia: ArticulatedTuple) -> ForceTuple:
    """I^A S_d of an articulated-body inertia."""
    M, H, I = inertia
    axis = tree.axis[i] + d
    if axis == 2:
        return ((I[3], I[4], I[5]), (H[6], H[7], H[8]))
    if axis == 5:
        return ((H[2], H[5], H[8]), (M[3], M[4], M[5]))
    if axis == 0:
        return ((I[0], I[1], I[3]), (H[0], H[1], H[2]))
    if axis == 1:
        return ((I[1], I[2], I[4]), (H[3], H[4], H[5]))
    if axis == 3:
        return ((H[0], H[3], H[6]), (M[0], M[1], M[3]))
    if axis == 4:
        return ((H[1], H[4], H[7]), (M[1], M[2], M[4]))
    pitch = tree.pitch[i]
    return (
        (I[3] + pitch * H[2], I[4] + pitch * H[5], I[5] + pitch * H[8]),
        (H[6] + pitch * M[3], H[7] + pitch * M[4], H[8] + pitch * M[5]),
    )


def rigid_size(tree: Tree, i: int, d: int, inertia: RigidTuple) -> Any:
    """A bound on S_d . I S_d: what a degree of freedom's inertia can be compared with to call it zero."""
    m, _, I = inertia
    return size_along(tree, i, d, m, I[0] + I[2] + I[5])


def articulated_size(tree: Tree, i: int, d: int, inertia: ArticulatedTuple) -> Any:
    """A bound on S_d . I^A S_d."""
    M, _, I = inertia
    return size_along(tree, i, d, M[0] + M[2] + M[5], I[0] + I[2] + I[5])


def size_along(tree: Tree, i: int, d: int, mass: Any, rotational: Any) -> Any:
    """The bound from a mass and a rotational inertia."""
    axis = tree.axis[i] + d
    if axis < 3:
        return rotational
    if axis < BOTH_Z:
        return mass
    # (a + b)^2 <= 2 a^2 + 2 b^2 for the two parts of a screw
    return 2.0 * (rotational + tree.pitch[i] * tree.pitch[i] * mass)
