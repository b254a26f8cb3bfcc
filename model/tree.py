"""A robot as a recursion sees it: flat arrays, body 0 the fixed base, bodies 1 to nb with parents before children.

Every joint is canonical: it turns about, or slides along, axes of its own body's frame, and its degrees of freedom are
consecutive components of the body's motion (wx, wy, wz, vx, vy, vz). So a joint's motion subspace S is two integers: the
first component and how many. A constant rotation leads from a body's canonical frame to its link frame.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine.scalars import Integers, Reals

FIXED, REVOLUTE, PRISMATIC, PLANAR, SPHERICAL, FLOATING = range(6)

# joint type: (coordinates, degrees of freedom, first component of S)
JOINT


def tree_from(fields: dict[str, Any]) -> Tree:
    """A tree with each array contiguous, read-only and of the type that compiled code reads."""

    def cast(name: str, value: Any) -> Any:
        kind = Tree.__annotations__[name]
        if kind == "int":
            return int(value)
        array = np.array(value, np.int64 if kind == "Integers" else np.float64, order="C").ravel()
        array.flags.writeable = False
        return array

    return Tree(**{name: cast(name, fields[name]) for name in Tree._fields})
