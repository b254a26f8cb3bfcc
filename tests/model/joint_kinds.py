"""All joint types, with what they need to be built, and robots of one such joint."""

from __future__ import annotations

from typing import Any

import numpy as np

import featherstone as fs

SKEW = (0.0, 0.6, 0.8, 0.3, 0.02, 0.03)  # a screw that has a pitch and does not meet the origin
LIMITS = ("lower", "upper", "velocity", "effort")
NOT_NEGATIVE = ("damping", "friction", "armature", "stiction", "stribeck_velocity", "smoothing")
# the type: coordinates, degrees of freedom
SIZES = {
    "revolute": (1, 1),
    "continuous": (1, 1),
    "prismatic": (1, 1),
    "helical": (1, 1),
    "universal": (2, 2),
    "cylindrical": (2, 2),
    "composite": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "floating": (7, 6),
}
SEVERAL = tuple(kind for kind, (_, dofs) in SIZES.items() if dofs > 1)
QUATERNIONS = ("spherical", "floating")
NEEDED: dict[str, dict[str, Any]] = {
    "helical": {"pitch": 0.2},
    "composite": {"screws": [(1.0, 0.0, 0.0, 0.0, 0.0, 0.0), SKEW]},
}


def one_joint(kind: str, **fields: Any) -> fs.ModelBuilder:
    """Two links and a joint `j` of a kind."""
    made = fs.ModelBuilder("one joint")
    made.add_link("base")
    made.add_link("rod", 1.0, (0.1, 0.2, 0.3), np.diag([0.3, 0.4, 0.5]))
    made.add_joint("j", kind, "base", "rod", **NEEDED.get(kind, {}) | fields)
    return made


def each_degree(kind: str) -> tuple[float, ...]:
    """Another number for each degree of freedom."""
    return tuple(1.0 + k for k in range(SIZES[kind][1]))
