"""Whether a configuration is one: its quaternions must be of unit length."""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift, select_less
from .tree import FLOATING, SPHERICAL, Tree

TOLERANCE = 2e-6  # how far from 1 a quaternion's squared length may be; the recursions divide it out


def invalid_joint(tree: Tree, q: Any) -> int:
    """The first body whose quaternion in the user's q is not of unit length, or 0."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if joint_type == SPHERICAL or joint_type == FLOATING:
            k = tree.q_source[tree.q_index[i]]
            if joint_type == FLOATING:
                k += 3
            off = q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3] - 1.0
            if off < -TOLERANCE or off > TOLERANCE:
                return i
    return 0


def deviation(tree: Tree, q: Any) -> Any:
    """How far the squared length of some quaternion in the user's q is from 1: the largest deviation, or 0."""
    worst = lift(q, 0.0)
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if joint_type == SPHERICAL or joint_type == FLOATING:
            k = tree.q_source[tree.q_index[i]]
            if joint_type == FLOATING:
                k += 3
            off = q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3] - 1.0
            size = select_less(off, lift(q, 0.0), -off, off)
            worst = select_less(worst, size, size, worst)
    return worst
