"""What worker processes of the tests run: functions that can be imported by name."""

from __future__ import annotations

import sys
from typing import Any

import featherstone as fs


def computed(model: fs.Model, q: Any) -> tuple[bool, bool]:
    """Whether a batch of energies is finite, and whether the compiler was imported for it."""
    finite = bool((abs(fs.potential_energy(model, q)) < 1e9).all())
    return finite, "numba" in sys.modules


def failure() -> Any:
    """Forward dynamics of a joint that moves nothing."""
    builder = fs.ModelBuilder("nothing")
    builder.add_link("base")
    builder.add_link("link")
    builder.add_joint("hinge", "revolute", "base", "link", axis=(0, 0, 1))
    return fs.aba(builder.build(), [0.0], [0.0], [1.0])
