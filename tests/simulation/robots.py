"""Robots, states and measures that the tests of simulation share."""

from __future__ import annotations

from typing import Any

import numpy as np

import featherstone as fs

from ..random_trees import random_q, random_tree, random_v

METHODS = ("semi_implicit_euler", "rk4")
ORDERS = {"semi_implicit_euler": 1, "rk4": 4}


def floating_tree(**kinds: Any) -> fs.Model:
    """A floating base that carries a planar, a spherical and several one-degree joints."""
    kinds = {"losses": False} | kinds
    return random_tree(3, 6, ("revolute", "prismatic", "planar", "spherical"), floating_base=True, **kinds)


def start(model: fs.Model, seed: int = 0, shape: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Random states."""
    return random_q(model, seed, shape), random_v(model, seed, shape)


def wheel(damping: float = 0.0, friction: float = 0.0, inertia: float = 1.0) -> fs.Model:
    """One body on an axle: inertia * acceleration = torque - losses."""
    builder = fs.ModelBuilder("wheel")
    builder.add_link("stand")
    builder.add_link("disc", 1.0, inertia=np.diag([inertia / 2, inertia / 2, inertia]))
    builder.add_joint("axle", "continuous", "stand", "disc", axis=(0, 0, 1), damping=damping, friction=friction)
    return builder.build()


def distance(model: fs.Model, run: fs.Trajectory, other: fs.Trajectory) -> float:
    """How far apart two runs end, in coordinates and velocities."""
    between = fs.difference(model, run.q[-1], other.q[-1])
    return float(np.linalg.norm(np.concatenate([between, run.qd[-1] - other.qd[-1]])))


def orders(errors: list[float]) -> np.ndarray:
    """The order of convergence between steps that halve."""
    e = np.abs(errors)
    return np.log2(e[:-1] / e[1:])


def momentum(model: fs.Model, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum, and angular momentum about the world's origin, of a floating-base robot in world axes.

    A unit twist of the floating base moves all bodies as one, so its component of p = H qd is the momentum of the whole
    robot along that twist, in the base's axes about its origin. H qd is inverse dynamics without gravity and rates.
    """
    without_gravity = model.with_gravity((0, 0, 0))
    p = fs.rnea(without_gravity, q, np.zeros(model.nv), qd)[..., :6]
    pose = fs.forward_kinematics(model, q)[..., 0, :, :]
    R, origin = pose[..., :3, :3], pose[..., :3, 3]
    angular, linear = ((R @ x[..., None])[..., 0] for x in (p[..., :3], p[..., 3:]))
    return linear, angular + np.cross(origin, linear)


def center_of_mass(model: fs.Model, q: np.ndarray) -> np.ndarray:
    """From the potential energy: V = -m g . c, one axis at a time."""
    axes = [model.with_gravity(-np.eye(3)[k]) for k in range(3)]
    return np.stack([fs.potential_energy(x, q) for x in axes], axis=-1) / model.body_mass.sum()
