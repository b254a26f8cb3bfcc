"""Joint losses as data: viscous damping d qd and Coulomb friction f sign(qd), of every degree of freedom."""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift, select_less
from .tree import Tree

STICTION = 1e-4  # rad/s or m/s: the least speed that the secant of the friction force is drawn through


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    o = 0.0 * x
    return select_less(x, o, o - 1.0, select_less(o, x, o + 1.0, o))


def add_losses(tree: Tree, factor: float, qd: Any, tau: Any) -> None:
    """tau += factor (d qd + f sign(qd)); qd and tau of every joint."""
    for k in range(tree.nv):
        tau[k] += factor * (tree.damping[k] * qd[k] + tree.friction[k] * sign(qd[k]))


def secant_damping(tree: Tree, qd: Any, out: Any) -> None:
    """out = c with c qd = d qd + f sign(qd): losses as a damping that an implicit step can put on the mass matrix."""
    for k in range(tree.nv):
        speed = qd[k] * sign(qd[k])
        out[k] = tree.damping[k] + tree.friction[k] / select_less(speed, lift(qd, STICTION), lift(qd, STICTION), speed)
