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


def friction_force(tree: Tree, k: int, qd: Any) -> Any:
    """How much friction there is at a speed, without its sign."""
    force = lift(qd, tree.friction[k])
    if tree.shaped_friction:
        x = qd[k] * tree.decay[k]
        force += tree.breakaway[k] * exp(-x * x)
    return force


def add_losses(tree: Tree, factor: float, qd: Any, tau: Any) -> None:
    """tau += factor (d qd + friction); qd and tau of every joint."""
    for k in range(tree.nv):
        friction = friction_force(tree, k, qd) * smoothed_sign(tree, k, qd)
        tau[k] += factor * (tree.damping[k] * qd[k] + friction)


def smoothed_sign(tree: Tree, k: int, qd: Any) -> Any:
    """qd / sqrt(qd^2 + v^2), or the sign itself."""
    direction = sign(qd[k])
    if tree.smoothing[k] > 0.0:
        direction = qd[k] / sqrt(qd[k] * qd[k] + tree.smoothing[k] * tree.smoothing[k])
    return direction


def friction_slope(tree: Tree, k: int, qd: Any) -> Any:
    """How `friction_force` grows with the speed."""
    slope = lift(qd, 0.0)
    if tree.shaped_friction:
        x = qd[k] * tree.decay[k]
        slope = -2.0 * tree.decay[k] * x * tree.breakaway[k] * exp(-x * x)
    return slope


def loss_slope(tree: Tree, k: int, qd: Any) -> Any:
    """How the losses of a degree of freedom grow with its speed; of a sign that is not smoothed, away from rest."""
    slope = lift(qd, tree.damping[k])
    if tree.shaped_friction:
        slope += friction_slope(tree, k, qd) * smoothed_sign(tree, k, qd)
        if tree.smoothing[k] > 0.0:
            square = qd[k] * qd[k] + tree.smoothing[k] * tree.smoothing[k]
            slope += friction_force(tree, k, qd) * (tree.smoothing[k] * tree.smoothing[k]) / (square * sqrt(square))
    return slope


def loss_curvature(tree: Tree, k: int, qd: Any) -> Any:
    """How `loss_slope` grows with the speed."""
    curvature = lift(qd, 0.0)
    if tree.shaped_friction:
        x = qd[k] * tree.decay[k]
        bend = (4.0 * x * x - 2.0) * (tree.decay[k] * tree.decay[k] * tree.breakaway[k]) * exp(-x * x)
        curvature = bend * smoothed_sign(tree, k, qd)
        if tree.smoothing[k] > 0.0:
            narrow = tree.smoothing[k] * tree.smoothing[k]
            square = qd[k] * qd[k] + narrow
            slope = narrow / (square * sqrt(square))
            curvature += 2.0 * slope * friction_slope(tree, k, qd)
            curvature -= friction_force(tree, k, qd) * (3.0 * qd[k] * slope / square)
    return curvature


def secant_damping(tree: Tree, qd: Any, out: Any) -> None:
    """out = c with c qd = the losses: a damping that an implicit step can put on the mass matrix."""
    slowest = lift(qd, STICTION)
    for k in range(tree.nv):
        speed = sqrt(qd[k] * qd[k] + tree.smoothing[k] * tree.smoothing[k])
        speed = select_less(speed, slowest, slowest, speed)
        out[k] = tree.damping[k] + friction_force(tree, k, qd) / speed


def secant_slope(tree: Tree, k: int, qd: Any) -> Any:
    """How the secant damping of a degree of freedom grows with its speed; where two secants meet, the slower one."""
    slowest = lift(qd, STICTION)
    speed = sqrt(qd[k] * qd[k] + tree.smoothing[k] * tree.smoothing[k])
    safe = select_less(speed, slowest, slowest, speed)
    bend = friction_force(tree, k, qd) * qd[k] / (safe * safe * safe)
    return friction_slope(tree, k, qd) / safe - select_less(slowest, speed, bend, 0.0 * bend)


def secant_per_friction(tree: Tree, k: int, qd: Any) -> Any:
    """How the secant damping of a degree of freedom grows with the Coulomb friction f."""
    slowest = lift(qd, STICTION)
    speed = sqrt(qd[k] * qd[k] + tree.smoothing[k] * tree.smoothing[k])
    return 1.0 / select_less(speed, slowest, slowest, speed)
