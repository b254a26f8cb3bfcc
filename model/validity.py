"""Whether a configuration is one: its quaternions must be of unit length."""

from __future__ import annotations

from typing import Any

from .tree import FLOATING, SPHERICAL, Tree

TOLERANCE = 1e-6  # how far from 1 a quaternion's length may be; the recursions divide it out


def invalid_joint(tree: Tree, q: Any) -> int:
    """The first body whose quaternion in the user's q is not of unit length, or 0."""
    for i in range(1, tree.nb + 1):
        joint_type = tree.joint_type[i]
        if joint_type == SPHERICAL or joint_type == FLOATING:
            k = tree.q_source[tree.q_index[i]]
            if joint_type == FLOATING:
                k += 3
            squared = q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]
            # |length - 1| <= tolerance, without a root
            if squared < (1.0 - TOLERANCE) * (1.0 - TOLERANCE) or squared > (1.0 + TOLERANCE) * (1.0 + TOLERANCE):
                return i
    return 0
