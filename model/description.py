"""A robot as it is described: links, joints and how they hang together, in the description's own frames and axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

# joint type: (coordinates, degrees of freedom); those of a composite joint are as many as its screws
JOINT_SIZES = {
    "fixed": (0, 0),
    "revolute": (1, 1),
    "continuous": (1, 1),
    "prismatic": (1, 1),
    "helical": (1, 1),
    "universal": (2, 2),
    "cylindrical": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "floating": (7, 6),
    "composite": (0, 0),
}
JOINT_TYPES = tuple(JOINT_SIZES)
ONE_DEGREE = ("revolute", "continuous", "prismatic", "helical")
# the types whose axis matters
AXIS_TYPES = (*ONE_DEGREE, "universal", "cylindrical", "planar")
Matrix = tuple[tuple[float, float, float], ...]
Screw = tuple[float, float, float, float, float, float]
Values = float | tuple[float, ...]  # one number for all degrees of freedom of a joint, or one for each
ZERO = (0.0, 0.0, 0.0)
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NO_INERTIA = (ZERO, ZERO, ZERO)
MOST_LINKS = 10_000  # that the readers of files take; a robot made by code may have more


def floats(x: Any) -> np.ndarray | None:
    """An array of finite float64, or None if x is something else."""
    try:
        array = np.asarray(x)
    except ValueError:
        return None
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return array.astype(np.float64)


def vector(x: Any) -> tuple[float, float, float]:
    """Three finite numbers as a tuple of floats."""
    array = floats(x)
    if array is None or array.shape != (3,):
        raise ValueError(f"expected three finite numbers, got {x!r}")
    return tuple(array.tolist())


def matrix(x: Any) -> Matrix:
    """A 3x3 matrix of finite numbers as a tuple of rows."""
    array = floats(x)
    if array is None or array.shape != (3, 3):
        raise ValueError(f"expected a 3x3 matrix of finite numbers, got {x!r}")
    return tuple(tuple(row) for row in array.tolist())


@dataclass(frozen=True)
class Link:
    """A rigid link: mass in kg, centre of mass in m and inertia about it in kg m^2, all in the link's axes."""

    name: str
    mass: float = 0.0
    com: tuple[float, float, float] = ZERO
    inertia: Matrix = NO_INERTIA


@dataclass(frozen=True)
class Mimic:
    """This joint's coordinate is multiplier * (coordinate of `joint`) + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Rotor:
    """The rotor of a joint's motor, which turns `ratio` times as fast as the joint (of a prismatic joint in rad/m).

    `inertia` is that about its own axis, kg m^2. The link that carries the motor, the joint's parent, has the rotor as
    if it stood still in its own mass and inertia. What the rotor's spin adds is ratio^2 inertia on the joint, as
    armature does; with `gyroscopic` also the moments between the spinning rotor and the carrying link, for a rotor
    whose axis is `axis` in the joint frame (the joint's own if None).
    """

    inertia: float
    ratio: float = 1.0
    gyroscopic: bool = False
    axis: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Joint:
    """A joint from a parent link to a child link.

    `rotation` and `position` are the pose of the joint frame (the child link's frame at zero) in the parent link;
    `axis` is in the joint frame, and so are the second axis `axis2` of a universal joint and the `screws` of a
    composite one; `pitch` is a helical joint's travel in m/rad.

    Limits: position rad or m, velocity rad/s or m/s, effort N m or N. Losses: damping N m s/rad or N s/m; Coulomb
    friction N m or N, which begins at `stiction` and falls off with the `stribeck_velocity`, and whose sign is smoothed
    within the velocity `smoothing`. Armature (inertia that is felt by the joint alone) kg m^2 or kg.

    Limits, losses and armature of a joint with several degrees of freedom are one number for all, or one for each.
    Position limits are those of its coordinates; a spherical joint's `upper` limits the angle of its rotation.
    """

    name: str
    type: str
    parent: str
    child: str
    rotation: Matrix = IDENTITY
    position: tuple[float, float, float] = ZERO
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    lower: Values = -math.inf
    upper: Values = math.inf
    velocity: Values = math.inf
    effort: Values = math.inf
    damping: Values = 0.0
    friction: Values = 0.0
    armature: Values = 0.0
    mimic: Mimic | None = None
    axis2: tuple[float, float, float] = (0.0, 1.0, 0.0)
    pitch: float = 0.0
    screws: tuple[Screw, ...] = ()
    stiction: Values = 0.0
    stribeck_velocity: Values = 0.0
    smoothing: Values = 0.0
    rotor: Rotor | None = None

    @property
    def coordinates(self) -> int:
        """How many coordinates it has in q, if it follows no other."""
        return JOINT_SIZES[self.type][0] + len(self.screws)

    @property
    def degrees(self) -> int:
        """How many degrees of freedom it has."""
        return JOINT_SIZES[self.type][1] + len(self.screws)

    def values(self, field_name: str) -> tuple[float, ...]:
        """A field of limits, losses or armature for each degree of freedom."""
        value = getattr(self, field_name)
        return value if isinstance(value, tuple) else (value,) * self.degrees


@dataclass(frozen=True)
class Description:
    """All links and joints of a robot, in the order of its source."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]


@dataclass(frozen=True)
class Options:
    """How a description becomes a model."""

    floating_base: bool = False
    mimic: bool = True
    merge_fixed: bool = True
    gravity: tuple[float, float, float] = field(default=(0.0, 0.0, -9.81))

    def changed(self, **changes: Any) -> Options:
        """A copy with some options changed."""
        return replace(self, **changes)
