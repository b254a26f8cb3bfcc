"""Limits of position and velocity as stops: a spring and a damper push back what goes beyond.

Beyond a limit by x, moving further at the rate v, a stop pushes with k x + d v; on the way back with k x alone, so that
it never pulls. Above its greatest speed a joint is braked with d times the excess. An implicit step takes the spring at
the end of the step, which keeps it stable however stiff it is: with q + dt qd for q, and dt k beside d.

A spherical joint's limit is on the angle of its rotation, that of a planar joint on its coordinates in its plane. An
implicit step has the brakes of a joint's degrees of freedom one by one: where the stop's direction is none of its
axes, motion along the stop is braked as well, less so the shorter the step is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, select_less, sincos, sqrt
from ..model.model import Model
from ..model.tree import FLOATING, PLANAR, SPHERICAL, Tree
from ..spatial.lie import log_quaternion
from ..spatial.vectors import dot


@dataclass(frozen=True)
class Stops:
    """How hard the stops at a robot's limits are.

    Parameters
    ----------
    stiffness : N m/rad or N/m, a number or (nv,).
    damping : N m s/rad or N s/m, a number or (nv,); it also brakes what is faster than its limit.

    Examples
    --------
    >>> import featherstone as fs
    >>> pendulum = fs.models.load("pendulum")
    >>> stops = fs.Stops(stiffness=1e4, damping=200.0)
    >>> run = fs.simulate(pendulum, [0.0], [0.0], duration=0.1, dt=1e-3, limits=stops)
    """

    stiffness: ArrayLike = 1e4
    damping: ArrayLike = 1e2

    def table(self, model: Model) -> np.ndarray:
        """What `stop_forces` reads: lower and upper limits (nq each), speeds, stiffness and damping (nv each)."""
        _check_limits(model)
        lower, upper = np.array(model.q_lower), np.array(model.q_upper)
        for joint, leader in zip(model.joints, model.leaders):
            if leader is None and joint.type == "spherical":
                upper[model.q_index(joint.name).start] = joint.upper
        rows = [_of_each(name, getattr(self, name), model.nv) for name in ("stiffness", "damping")]
        return np.concatenate([lower, upper, model.qd_limit, *rows])


def no_limits(model: Model) -> np.ndarray:
    """What `stop_forces` reads where nothing is limited."""
    none = np.full(model.nq, math.inf)
    return np.concatenate([-none, none, np.full(model.nv, math.inf), np.zeros(2 * model.nv)])


def _check_limits(model: Model) -> None:
    """Raise the error of limits that leave no room."""
    for joint in model.joints:
        if joint.coordinates == joint.degrees:
            for lower, upper in zip(joint.values("lower"), joint.values("upper")):
                if lower > upper:
                    raise ValueError(
                        f"limits: joint {joint.name!r}: expected lower <= upper, got {lower:g} and {upper:g}"
                    )
        for what in ("velocity", "effort"):
            least = min(joint.values(what), default=0.0)
            if least < 0.0:
                raise ValueError(f"limits: joint {joint.name!r}: {what}: expected a limit >= 0, got {least:g}")


def _of_each(name: str, value: ArrayLike, nv: int) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or array.shape not in ((), (nv,)):
        raise ValueError(f"{name}: expected a number or an array of shape ({nv},), got {value!r}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"{name}: expected finite numbers >= 0, got {value!r}")
    return np.broadcast_to(array.astype(np.float64), (nv,))


def table_size(tree: Tree) -> int:
    """Entries of what `stop_forces` reads."""
    return 2 * tree.nq_free + 3 * tree.nv_free


def stop_forces(tree: Tree, dt: Any, table: Any, q: Any, qd: Any, force: Any, braking: Any) -> None:
    """force (nv_free) = what the stops push with, and braking (nv) = its decrease with the rate that dt makes implicit.

    dt is that of an implicit step, or 0. `braking` is of every joint, zero for followers.
    """
    nq, nv = tree.nq_free, tree.nv_free
    upper, speed = after(table, nq), after(table, 2 * nq)
    stiffness, damping = after(speed, nv), after(speed, 2 * nv)
    for k in range(tree.nv):
        braking[k] = lift(braking, 0.0)
    for i in range(1, tree.nb + 1):
        if tree.follows[i] or tree.dofs[i] == 0:
            continue
        k, j, own = tree.q_source[tree.q_index[i]], tree.v_source[tree.v_index[i]], tree.v_index[i]
        joint_type = tree.joint_type[i]
        if joint_type == SPHERICAL:
            ball_stop(dt, upper[k], q, k, qd, j, stiffness, damping, force, after(braking, own))
        elif joint_type == PLANAR:
            plane_stop(dt, table, upper, q, k, qd, j, stiffness, damping, force, after(braking, own))
        elif joint_type == FLOATING:
            for d in range(6):
                force[j + d] = lift(force, 0.0)
        else:
            pushed = one_stop(dt, q[k], qd[j], table[k], upper[k], stiffness[j], damping[j])
            force[j], braking[own] = pushed
        for d in range(tree.dofs[i]):
            brake = lift(force, damping[j + d])
            rate = qd[j + d]
            excess = rate - select_less(rate, -speed[j + d], lift(force, -speed[j + d]), rate)
            excess += rate - select_less(speed[j + d], rate, lift(force, speed[j + d]), rate)
            force[j + d] -= brake * excess
            braking[own + d] += brake * select_less(0.0, excess * excess, lift(force, 1.0), lift(force, 0.0))


def one_stop(dt: Any, x: Any, rate: Any, lower: Any, upper: Any, stiffness: Any, damping: Any) -> tuple[Any, Any]:
    """The force of the two stops of a coordinate, and its decrease with the rate."""
    o = 0.0 * x
    ahead = x + dt * rate
    beyond = select_less(upper, ahead, ahead - upper, select_less(ahead, lower, ahead - lower, o))
    further = select_less(o, beyond * rate, o + damping, o)
    touching = select_less(o, beyond * beyond, o + stiffness, o)
    return -stiffness * beyond - further * rate, further + dt * touching


def ball_stop(
    dt: Any, reach: Any, q: Any, k: int, qd: Any, j: int, stiffness: Any, damping: Any, force: Any, braking: Any
) -> None:
    """The stop of a spherical joint: about the axis that it is turned about."""
    turned = log_quaternion((q[k], q[k + 1], q[k + 2], q[k + 3]))
    square = dot(turned, turned)
    angle = sqrt(square)
    safe = select_less(0.0 * square, square, angle, angle + 1.0)
    axis = (turned[0] / safe, turned[1] / safe, turned[2] / safe)
    rate = dot(axis, (qd[j], qd[j + 1], qd[j + 2]))
    push, brake = one_stop(dt, angle, rate, -math.inf, reach, stiffness[j], damping[j])
    for d in range(3):
        force[j + d] = push * axis[d]
        braking[d] = brake * axis[d] * axis[d]


def plane_stop(
    dt: Any,
    lower: Any,
    upper: Any,
    q: Any,
    k: int,
    qd: Any,
    j: int,
    stiffness: Any,
    damping: Any,
    force: Any,
    braking: Any,
) -> None:
    """The stops of a planar joint: in the plane's axes, while its rates are in those of the moved frame."""
    s, c = sincos(q[k + 2])
    vx, vy = c * qd[j + 1] - s * qd[j + 2], s * qd[j + 1] + c * qd[j + 2]
    x, brake_x = one_stop(dt, q[k], vx, lower[k], upper[k], stiffness[j + 1], damping[j + 1])
    y, brake_y = one_stop(dt, q[k + 1], vy, lower[k + 1], upper[k + 1], stiffness[j + 2], damping[j + 2])
    turn, brake = one_stop(dt, q[k + 2], qd[j], lower[k + 2], upper[k + 2], stiffness[j], damping[j])
    force[j], braking[0] = turn, brake
    force[j + 1], braking[1] = c * x + s * y, c * c * brake_x + s * s * brake_y
    force[j + 2], braking[2] = c * y - s * x, s * s * brake_x + c * c * brake_y
