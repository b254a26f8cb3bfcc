"""Where the energy of a simulated robot comes from and goes to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.energy import kinetic_energy, potential_energy
from ..algorithms.rnea import rnea
from ..model.assembly import ROOT_JOINT, assemble
from ..model.base_motion import BaseMotion
from ..model.description import Joint, Link
from ..model.losses import add_losses, secant_damping
from ..model.model import Model
from ..spatial.lie import quaternion_from_rotation
from .stepping import SEMI_IMPLICIT_EULER
from .stops import Stops, stop_forces
from .trajectory import Account

if TYPE_CHECKING:
    from .rollout import Rollout


def account(run: Rollout) -> Account:
    """Energy, work and losses over time."""
    model, dt, base = run.model, run.dt * run.every, run.base_motions()
    energy = kinetic_energy(model, run.q, run.qd, base=base) + potential_energy(model, run.q, base=base)
    work = _done(run.tau, run.qd, dt)
    if run.f_ext is not None:
        # constant in the bodies' axes, so that its generalised force changes within a step
        still = model.zero_rate
        f_ext = run.f_ext if run.f_ext.ndim == 2 else run.f_ext[..., None, :, :]
        pushed = rnea(model, run.q, still, still) - rnea(model, run.q, still, still, f_ext)
        work += _integrated((pushed * run.qd).sum(-1), dt)
    if base is not None:
        work += _integrated(_power_of_base(run, base), dt)
    lost = np.zeros_like(work)
    if run.springs is not None:
        energy = energy + run.springs.energy(run.q)
        rate = run.qd[..., run.springs.motor_v] - run.qd[..., run.springs.link_v]
        lost += _integrated((run.springs.damping * rate * rate).sum(-1), dt)
    if run.losses:
        lost += _integrated(_power_lost(run), dt)
    if run.stops is not None:
        lost += _integrated(_power_to_stops(run, run.stops), dt)
    return Account(np.asarray(energy), work, lost)


def _power_lost(run: Rollout) -> np.ndarray:
    """What damping and friction take at each time kept, as the method has them."""
    tree = run.model.tree
    rates = [scale * run.qd[..., k] for k, scale in zip(tree.v_source.tolist(), tree.v_scale.tolist())]
    force = [np.zeros(run.qd.shape[:-1]) for _ in rates]
    if run.method == SEMI_IMPLICIT_EULER:
        secant_damping(tree, rates, force)
        force = [c * rate for c, rate in zip(force, rates)]
    else:
        add_losses(tree, 1.0, rates, force)
    return sum((f * rate for f, rate in zip(force, rates)), np.zeros(run.qd.shape[:-1]))


def _power_to_stops(run: Rollout, stops: Stops) -> np.ndarray:
    """What the stops take, or give back, at each time kept."""
    tree, q, qd = run.model.tree, np.moveaxis(run.q, -1, 0), np.moveaxis(run.qd, -1, 0)
    force, braking = np.zeros_like(qd), np.zeros((tree.nv, *qd.shape[1:]))
    stop_forces(tree, 0.0, stops.table(run.model), q, qd, force, braking)
    return -(force * qd).sum(0)


def _power_of_base(run: Rollout, base: BaseMotion) -> np.ndarray:
    """What moves the base does to the moving bodies at each time kept: its force on them over its velocity."""
    R, position = np.moveaxis(base.array[..., :9], -1, 0), base.array[..., 9:12]
    turned = np.stack(quaternion_from_rotation(tuple(R)), axis=-1)
    shape = run.q.shape[:-1]
    q, qd, qdd = (
        np.concatenate([*(np.broadcast_to(x, (*shape, x.shape[-1])) for x in of_base), of_joints], axis=-1)
        for of_base, of_joints in (
            ((position, turned), run.q),
            ((base.velocity,), run.qd),
            ((base.acceleration,), run.qdd),
        )
    )
    return (rnea(_on_free_base(run.model), q, qd, qdd)[..., :6] * base.velocity).sum(-1)


def _on_free_base(model: Model) -> Model:
    """The robot on a massless base with a floating joint of its own, which comes first."""
    described = model.description
    taken = {x.name for x in described.links} | {x.name for x in described.joints} | {ROOT_JOINT}
    world, carrier, mover = (name + "_" * max(map(len, taken)) for name in ("world", "carrier", "mover"))
    root = next(name for name in model.frame_names if name not in {joint.child for joint in described.joints})
    links, joints = [Link(world)], [Joint(mover, "floating", world, root)]
    if model.options.floating_base:
        links.append(Link(carrier))
        joints = [Joint(mover, "floating", world, carrier), Joint(ROOT_JOINT, "floating", carrier, root)]
    links += [Link(x.name) if model.frame(x.name).body == 0 else x for x in described.links]
    whole = replace(described, links=tuple(links), joints=(*joints, *described.joints))
    free: Model = assemble(whole, model.options.changed(floating_base=False))
    return free


def _integrated(power: np.ndarray, dt: float) -> np.ndarray:
    """The integral over time of what is linear in time between rows (..., rows)."""
    mean = (power[..., 1:] + power[..., :-1]) / 2
    start = np.zeros((*power.shape[:-1], 1))
    return np.concatenate([start, np.cumsum(dt * mean, -1)], -1)


def _done(force: np.ndarray, qd: np.ndarray, dt: float) -> np.ndarray:
    """Work of a generalised force over time that is held over each step."""
    mean = (qd[..., 1:, :] + qd[..., :-1, :]) / 2
    power = (force[..., :-1, :] * mean).sum(-1)
    start = np.zeros((*qd.shape[:-2], 1))
    return np.concatenate([start, np.cumsum(dt * power, -1)], -1)
