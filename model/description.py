"""A robot as it is described: links, joints and how they hang together, in the description's own frames and axes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "spherical", "floating")
AXIS_TYPES = ("revolute", "continuous", "prismatic", "planar")  # the types whose axis matters
Matrix = tuple[tuple[float, float, float], ...]
ZERO = (0.0, 0.0, 0.0)
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NO_INERTIA = (ZERO, ZERO, ZERO)


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
class Joint:
    """A joint from a parent link to a child link.

    `rotation` and `position` are the pose of the joint frame (the child link's frame at zero) in the parent link;
    `axis` is in the joint frame. Limits: position rad or m, velocity rad/s or m/s, effort N m or N; damping N m s/rad
    or N s/m, friction (Coulomb) N m or N, armature (reflected rotor inertia) kg m^2 or kg.
    """

    name: str
    type: str
    parent: str
    child: str
    rotation: Matrix = IDENTITY
    position: tuple[float, float, float] = ZERO
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: Mimic | None = None


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
