"""Why a model and its reference disagree: the usual suspects, each tried, the first that fits in one sentence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..algorithms.crba import crba
from ..algorithms.kinematics import forward_kinematics, frame_pose
from ..algorithms.rnea import rnea
from ..model.findings import ONE_DEGREE
from ..model.model import Model
from .direct import inertias, total_masses
from .reference import Reference
from .rows import Row, States, relative

SAME = 1e-9  # far above rounding, far below any mistake
Pair = tuple[np.ndarray, np.ndarray]


def diagnose(model: Model, reference: Reference, states: States, rows: tuple[Row, ...]) -> str:
    """One sentence on the rows that are not ok; an empty text if all are."""
    wrong = [row for row in rows if not row.ok]
    if not wrong:
        return ""
    for suspect in SUSPECTS:
        sentence = suspect(model, reference, states)
        if sentence:
            return sentence
    worst = max(wrong, key=lambda row: (row.error or 0.0) / row.tolerance)
    found = worst.note if worst.error is None else f"{worst.function} by {worst.error:.1e}"
    return f"masses, gravity and kinematics agree, but not {', '.join(row.function for row in wrong)}: {found}"


def _masses(model: Model, reference: Reference, states: States) -> str | None:
    found = inertias(model, reference)
    weights = [
        *((f"what moves with joint {name!r}", a[3, 3], b[3, 3]) for name, a, b in zip(*found)),
        ("the whole robot, its base included,", *total_masses(model, reference)),
    ]
    for what, ours, theirs in weights:
        if abs(ours - theirs) > SAME * max(1.0, theirs):
            return f"{what} weighs {ours:.6g} kg in featherstone and {theirs:.6g} kg in {reference.engine}"
    return None


def _gravity(model: Model, reference: Reference, states: States) -> str | None:
    theirs = reference.gravity
    if np.abs(model.gravity - theirs).max() <= SAME:
        return None
    return f"gravity is {_shown(model.gravity)} m/s^2 in featherstone and {_shown(theirs)} in {reference.engine}"


def _joints(model: Model, reference: Reference, states: States) -> str | None:
    """The first joint, from the base outward, that puts its body elsewhere in the body that carries it."""
    moved, neutral = (_poses_in_parents(model, reference, q) for q in (states.q, model.neutral()[None]))
    for b, (joint, pair) in enumerate(zip(model.joints, moved)):
        if relative(*pair).max() <= SAME:
            continue
        if model.options.mimic and joint.mimic is not None:
            follows = f"joint {joint.name!r}, which follows {joint.mimic.joint!r}"
            return f"{follows}, is elsewhere in {reference.engine}: its multiplier, offset, origin or axis differs"
        if relative(*neutral[b]).max() > SAME:
            return f"joint {joint.name!r} has another origin in featherstone than in {reference.engine}"
        if _runs_backwards(model, reference, states, b, pair[1]):
            moves = "slides" if joint.type == "prismatic" else "turns"
            there = f"than in {reference.engine}: its axis is reversed"
            return f"joint {joint.name!r} {moves} the other way in featherstone {there}"
        moves = "moves along another axis or another way"
        return f"joint {joint.name!r} has the same origin in {reference.engine}, but {moves}"
    return None


def _poses_in_parents(model: Model, reference: Reference, q: np.ndarray) -> list[Pair]:
    """For each body its poses in the nearest one that carries it, ours and theirs; the same where they have none."""
    ours, theirs = forward_kinematics(model, q), dict(zip(reference.links, np.moveaxis(reference.poses(q), 1, 0)))
    pairs: list[Pair] = []
    for b, name in enumerate(model.body_names):
        parent = int(model.parent[b])
        while parent >= 0 and model.body_names[parent] not in theirs:
            parent = int(model.parent[parent])
        pair = (ours[:, b], theirs.get(name, ours[:, b]))
        if parent >= 0 and name in theirs:
            carriers = (ours[:, parent], theirs[model.body_names[parent]])
            pair = (np.linalg.inv(carriers[0]) @ pair[0], np.linalg.inv(carriers[1]) @ pair[1])
        pairs.append(pair)
    return pairs


def _runs_backwards(model: Model, reference: Reference, s: States, b: int, theirs: np.ndarray) -> bool:
    """Whether a joint's poses are theirs once its own coordinate changes its sign."""
    joint = model.joints[b]
    if joint.type not in ONE_DEGREE:
        return False
    backwards = s.q.copy()
    backwards[:, model.q_index(joint.name)] *= -1.0
    return bool(relative(_poses_in_parents(model, reference, backwards)[b][0], theirs).max() <= SAME)


def _frames(model: Model, reference: Reference, states: States) -> str | None:
    theirs = reference.poses(states.q)
    for k, name in enumerate(reference.links):
        if relative(frame_pose(model, states.q, name), theirs[:, k]).max() > SAME:
            return f"all moving bodies agree, but link {name!r} sits elsewhere on the body that carries it"
    return None


def _inertias(model: Model, reference: Reference, states: States) -> str | None:
    """The first body whose centre of mass or tensor differs, though its mass does not."""
    moments = {"centre of mass": np.s_[:3, 3], "rotational inertia": np.s_[:3, :3]}
    for name, ours, theirs in zip(*inertias(model, reference)):
        for what, entries in moments.items():
            if np.abs(ours - theirs)[entries].max() > SAME * max(1e-3, np.abs(theirs[entries]).max()):
                return f"what moves with joint {name!r} has another {what} in featherstone than in {reference.engine}"
    return None


def _armature(model: Model, reference: Reference, states: States) -> str | None:
    """Mass matrices that differ by the same diagonal in every state."""
    excess = crba(model, states.q) - reference.crba(states.q)
    added = np.einsum("nii->ni", excess).mean(0)
    size = float(np.abs(added).max(initial=0.0))
    if size <= SAME or np.abs(excess - np.diag(added)).max() > SAME * max(1.0, size):
        return None
    k = int(np.abs(added).argmax())
    joint = f"joint {model.joint_of_dof(k)!r} has {added[k]:.6g} more on the mass matrix's diagonal"
    return f"armature: {joint} in featherstone than in {reference.engine}, in every state"


def _torques(model: Model, reference: Reference, s: States) -> Pair:
    return rnea(model, s.q, s.qd, s.qdd), reference.rnea(s.q, s.qd, s.qdd)


def _halves(model: Model, reference: Reference, states: States) -> str | None:
    """Torques that agree once the halves of a six-degree joint change places."""
    ours, theirs = _torques(model, reference, states)
    for joint in model.joints:
        if joint.type == "floating":
            place = model.qd_index(joint.name)
            swapped = np.roll(ours[:, place], 3, axis=1)
            if relative(ours[:, place], theirs[:, place]).max() > SAME >= relative(swapped, theirs[:, place]).max():
                return f"joint {joint.name!r}: the angular and the linear half of its torques are exchanged"
    return None


def _order(model: Model, reference: Reference, states: States) -> str | None:
    """Torques that are the same numbers in another order."""
    ours, theirs = _torques(model, reference, states)
    if relative(ours, theirs).max(initial=0.0) > SAME >= relative(np.sort(ours), np.sort(theirs)).max(initial=0.0):
        return "the generalised forces are the same numbers in another order: the joints are ordered differently"
    return None


def _shown(x: np.ndarray) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in x) + ")"


SUSPECTS: tuple[Callable[[Model, Reference, States], str | None], ...] = (
    _masses,
    _gravity,
    _joints,
    _frames,
    _inertias,
    _armature,
    _halves,
    _order,
)
