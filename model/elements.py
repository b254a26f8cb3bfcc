"""What a joint is made of: joints of the tree's own types, each about or along the z axis of a frame of its own.

A screw (w; v) of unit length moves by exp(S q): about the line through w x v with direction w, and w . v along it for
each radian; or along v if w is zero. A joint of several screws moves by exp(S_1 q_1) exp(S_2 q_2) ..., with all of them
in the joint frame at zero, so each is a joint behind the one before, on a body without mass.
Lynch and Park, Modern Robotics (2017), section 4.1.2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .description import AXIS_TYPES, ZERO, Joint, Screw
from .tree import FIXED, FLOATING, HELICAL, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL

SINGLE = {
    "fixed": FIXED,
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "helical": HELICAL,
    "planar": PLANAR,
    "spherical": SPHERICAL,
    "floating": FLOATING,
}
ROUNDING = 4 * 2.0**-52  # a pitch below this part of a screw's velocity is none


class Element(NamedTuple):
    """One joint of the tree: its type, its frame (4, 4) in the joint frame at zero, and its pitch."""

    kind: int
    frame: np.ndarray
    pitch: float = 0.0


def elements(joint: Joint) -> list[Element]:
    """The elements of a joint from parent to child; the last one's frame has the child link's origin."""
    kind = SINGLE.get(joint.type)
    if kind is not None:
        rotation = canonical_rotation(joint.axis) if joint.type in AXIS_TYPES else np.eye(3)
        return [Element(kind, pose(rotation, ZERO), joint.pitch)]
    found = [_of_screw(screw) for screw in screws(joint)]
    if found[-1].frame[:3, 3].any():
        found.append(Element(FIXED, np.eye(4)))
    return found


def screws(joint: Joint) -> tuple[Screw, ...]:
    """The screws of a joint that consists of some."""
    if joint.type == "universal":
        return ((*joint.axis, *ZERO), (*joint.axis2, *ZERO))
    if joint.type == "cylindrical":
        return ((*joint.axis, *ZERO), (*ZERO, *joint.axis))
    return joint.screws


def _of_screw(screw: Screw) -> Element:
    angular, linear = np.array(screw[:3]), np.array(screw[3:])
    if not angular.any():
        return Element(PRISMATIC, pose(canonical_rotation(screw[3:]), ZERO))
    pitch = float(angular @ linear)
    if abs(pitch) <= ROUNDING * math.hypot(*linear):
        pitch = 0.0
    frame = pose(canonical_rotation(screw[:3]), np.cross(angular, linear))
    return Element(HELICAL if pitch else REVOLUTE, frame, pitch)


def canonical_rotation(axis: tuple[float, float, float]) -> np.ndarray:
    """The least rotation that takes the z axis to a unit vector; near -z by way of -axis."""
    x, y, z = axis
    if z < -0.9:
        return canonical_rotation((-x, -y, -z)) @ np.diag([1.0, -1.0, -1.0])
    k = np.array([[0.0, 0.0, x], [0.0, 0.0, y], [-x, -y, 0.0]])
    return np.eye(3) + k + k @ k / (1.0 + z)


def pose(rotation: Any, position: Any) -> np.ndarray:
    """A 4x4 matrix."""
    T = np.eye(4)
    T[:3, :3] = rotation
    T[:3, 3] = position
    return T


def inverse_pose(T: np.ndarray) -> np.ndarray:
    """The inverse of a pose."""
    return pose(T[:3, :3].T, -T[:3, :3].T @ T[:3, 3])
