"""Joint losses as data, of every degree of freedom: viscous damping and friction.

    tau = d qd + (f + b exp(-(qd / v_s)^2)) s(qd)

with f the Coulomb friction, b what is more at rest (Stribeck's curve), and s the sign, or qd / sqrt(qd^2 + v^2) where
it is smoothed within a velocity v. Armstrong-Helouvry, Dupont and Canudas de Wit (1994), A survey of models, analysis
tools and compensation methods for the control of machines with friction, section 2.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import exp, lift, select_less, sqrt
from .tree import Tree

STICTION = 1e-4  # rad/s or m/s: the least speed that the secant of the friction force is drawn through


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    o = 0.0 * x
    return select_less(x, o, o - 1.0, select_less(o, x, o + 1.0, o))


def smoothed_sign(x: Any, within: Any) -> Any:
    """x / sqrt(x^2 + within^2); the sign where there is nothing to be smoothed."""
    size = x * x + within * within
    # where size is 0 the sign is 0 as well
    smooth = x / sqrt(select_less(0.0 * size, size, size, size + 1.0))
    return select_less(0.0 * x, within + 0.0 * x, smooth, sign(x))


def friction_force(tree: Tree, k: int, speed: Any) -> Any:
    """How much friction there is at a speed, without its sign."""
    x = speed * tree.decay[k]
    return tree.friction[k] + tree.breakaway[k] * exp(-x * x)


def add_losses(tree: Tree, factor: float, qd: Any, tau: Any) -> None:
    """tau += factor (d qd + friction); qd and tau of every joint."""
    if tree.shaped_friction:
        for k in range(tree.nv):
            friction = friction_force(tree, k, qd[k]) * smoothed_sign(qd[k], tree.smoothing[k])
            tau[k] += factor * (tree.damping[k] * qd[k] + friction)
    else:
        for k in range(tree.nv):
            tau[k] += factor * (tree.damping[k] * qd[k] + tree.friction[k] * sign(qd[k]))


def secant_damping(tree: Tree, qd: Any, out: Any) -> None:
    """out = c with c qd = the losses: a damping that an implicit step can put on the mass matrix."""
    slowest = lift(qd, STICTION)
    for k in range(tree.nv):
        speed = qd[k] * sign(qd[k])
        if tree.shaped_friction:
            friction = friction_force(tree, k, qd[k])
            smooth = sqrt(speed * speed + tree.smoothing[k] * tree.smoothing[k])
            out[k] = tree.damping[k] + friction / select_less(smooth, slowest, slowest, smooth)
        else:
            out[k] = tree.damping[k] + tree.friction[k] / select_less(speed, slowest, slowest, speed)
