"""Rows of what is computed directly: inverse dynamics, the mass matrix, kinematics, energies, the manifold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algorithms.configuration import difference, integrate
from ..algorithms.crba import crba
from ..algorithms.energy import kinetic_energy, potential_energy
from ..algorithms.kinematics import forward_kinematics, frame_pose
from ..algorithms.rnea import bias_torque, gravity_torque, rnea
from ..model.model import Model
from .pinocchio import PinocchioReference
from .pseudo_inertia import pseudo_inertia
from .reference import Reference
from .rows import DIRECT, SOLVED, Row, States, compared, heaviness, relative

SAME_WAY = 1e-5  # how well two displacements agree that go the same way round


class Inertias(NamedTuple):
    """Of each moving joint, by name, what moves with it as one body: pseudo-inertias (n, 4, 4), ours and theirs.

    (S, h; h^T, m) with the second moment S, the first moment h and the mass m, in the frame of the link that the joint
    moves. They change frames as T J T^T, and add.
    """

    names: list[str]
    ours: np.ndarray
    theirs: np.ndarray


def inertias(model: Model, reference: Reference) -> Inertias:
    """Both sides' inertias; bodies of ours behind unmerged fixed joints are merged for it."""
    merged = {x.owner: np.zeros((4, 4)) for x in reference.joints}
    poses = forward_kinematics(model, model.neutral())
    last = [last for _, last in model.elements]
    packed, turns = model.tree.inertia.reshape(-1, 10)[last], model.tree.link_rotation.reshape(-1, 3, 3)[last]
    for b, ((m, *h, xx, xy, yy, xz, yz, zz), R) in enumerate(zip(packed, turns)):
        carrier = b
        while model.joints[carrier].type == "fixed" and model.parent[carrier] >= 0:
            carrier = int(model.parent[carrier])
        name = model.joints[carrier].name
        if name in merged:
            T = np.linalg.inv(poses[carrier]) @ poses[b]
            T[:3, :3] = T[:3, :3] @ R
            merged[name] += T @ pseudo_inertia(m, h, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ T.T
    return Inertias(list(merged), np.array([*merged.values()]).reshape(-1, 4, 4), reference.inertias())


def total_masses(model: Model, reference: Reference) -> tuple[float, float]:
    """Of the whole robot, its base included, ours and theirs."""
    return model.mass, reference.total_mass()


def compare_inertias(model: Model, reference: Reference) -> list[Row]:
    """The rows that the others rest on: whether both sides have read the same robot."""
    _, ours, theirs = inertias(model, reference)
    whole = total_masses(model, reference)
    of_masses = relative(np.append(ours[:, 3, 3], whole[0]), np.append(theirs[:, 3, 3], whole[1]))
    return [
        compared("body masses", of_masses, DIRECT, reference.calls["inertias"]),
        compared("body inertias", relative(ours, theirs, heaviness(model)), DIRECT, reference.calls["inertias"]),
    ]


def compare_inverse_dynamics(model: Model, reference: Reference, s: States) -> list[Row]:
    """rnea and its special cases, and crba."""
    still, floor = np.zeros_like(s.qd), heaviness(model)
    found = {
        "rnea": (rnea(model, s.q, s.qd, s.qdd), reference.rnea(s.q, s.qd, s.qdd)),
        "gravity_torque": (gravity_torque(model, s.q), reference.rnea(s.q, still, still)),
        "bias_torque": (bias_torque(model, s.q, s.qd, s.f_ext), reference.rnea(s.q, s.qd, still, s.f_ext)),
    }
    of_torques, of_matrix = reference.calls["rnea"], reference.calls["crba"]
    if reference.coupled:
        of_torques, of_matrix = f"G^T {of_torques}", f"G^T {of_matrix} G"
    torques = [compared(name, relative(*pair, floor), DIRECT, of_torques) for name, pair in found.items()]
    return [*torques, compared("crba", relative(crba(model, s.q), reference.crba(s.q), floor), DIRECT, of_matrix)]


def compare_kinematics(model: Model, reference: Reference, s: States) -> list[Row]:
    """Poses of the bodies, and of all links by name."""
    theirs = dict(zip(reference.links, np.moveaxis(reference.poses(s.q), 1, 0)))
    bodies = forward_kinematics(model, s.q)
    of_bodies = [relative(bodies[:, b], theirs[name]) for b, name in enumerate(model.body_names) if name in theirs]
    of_frames = [relative(frame_pose(model, s.q, name), pose) for name, pose in theirs.items()]
    return [
        compared("forward_kinematics", np.array(of_bodies), DIRECT, reference.calls["poses"]),
        compared("frame_pose, all links", np.array(of_frames), DIRECT, reference.calls["poses"]),
    ]


def compare_energies(model: Model, reference: Reference, s: States) -> list[Row]:
    """Kinetic and potential energy."""
    floor = heaviness(model)
    kinetic = relative(kinetic_energy(model, s.q, s.qd), reference.kinetic_energy(s.q, s.qd), floor)
    ours, theirs, note = potential_energy(model, s.q), reference.potential_energy(s.q), ""
    if any(joint.type == "fixed" for joint in model.joints):
        neutral = model.neutral()[None]
        ours, theirs = ours - potential_energy(model, neutral), theirs - reference.potential_energy(neutral)
        note = "less the neutral configuration's, since links fixed to the base count as bodies in this model"
    return [
        compared("kinetic_energy", kinetic, DIRECT, reference.calls["kinetic_energy"]),
        compared("potential_energy", relative(ours, theirs, floor), DIRECT, reference.calls["potential_energy"], note),
    ]


def compare_manifold(model: Model, reference: PinocchioReference, s: States) -> list[Row]:
    """integrate and difference.

    Pinocchio's logarithms lose digits, that of SE(2) near 0 and that of SE(3) near a half turn; its exponentials do
    not. So `difference` is right if Pinocchio's `integrate` leads back along it, and its logarithm goes the same way.
    """
    moved = relative(*reference.aligned(integrate(model, s.q, s.qd), reference.integrate(s.q, s.qd)))
    dq = difference(model, s.q, s.q1)
    back = relative(*reference.aligned(s.q1, reference.integrate(s.q, dq)))
    same_way = relative(*reference.unwound(dq, reference.difference(s.q, s.q1))) < SAME_WAY
    errors = back if same_way.all() else np.array(np.inf)
    return [
        compared("integrate", moved, DIRECT, "pinocchio.integrate"),
        compared("difference", errors, SOLVED, "pinocchio.integrate leads back; pinocchio.difference, roughly"),
    ]
