"""What a joint's drive adds to the dynamics, for each degree of freedom of the tree: armature, rotors and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from .description import Joint
from .followers import Moved


def drives(joints: list[Joint], bodies: list[Moved]) -> dict[str, Any]:
    """The tree's fields about drives; a rotor has none of its own but its inertia, which is its body's."""
    rows: list[list[float]] = []
    reached = dict.fromkeys(range(len(joints)), 0)  # degrees of freedom of each joint that its bodies had so far
    for body in bodies:
        if body.ratio is not None:
            rows.append([0.0] * len(FIELDS))
            continue
        joint, first = joints[body.joint], reached[body.joint]
        reached[body.joint] += body.dofs
        for d in range(first, first + body.dofs):
            rows.append([joint.values(name)[d] for name in FIELDS])
            rows[-1][0] += reflected_inertia(joint)
    table = dict(zip(FIELDS, np.array(rows).reshape(-1, len(FIELDS)).T))
    beyond = np.maximum(table.pop("stiction") - table["friction"], 0.0)
    speed = table.pop("stribeck_velocity")
    shaped = int((beyond > 0).any() or (table["smoothing"] > 0).any())
    return {
        **table,
        "shaped_friction": shaped,
        "breakaway": beyond,
        "decay": np.divide(1.0, speed, where=speed > 0, out=np.zeros(len(speed))),
    }


def drive_numbers(bodies: list[Moved], floating_base: bool) -> list[int]:
    """For each degree of freedom its number, from 1 on, among those of joints; 0 of rotors and of a floating base."""
    found: list[int] = []
    count = 0
    for body in bodies:
        for _ in range(body.dofs):
            driven = body.ratio is None and not (floating_base and body.joint == 0)
            count += driven
            found.append(count if driven else 0)
    return found


FIELDS = ("armature", "damping", "friction", "stiction", "stribeck_velocity", "smoothing")


def reflected_inertia(joint: Joint) -> float:
    """n^2 J of a rotor that enters as armature."""
    rotor = joint.rotor
    return 0.0 if rotor is None or rotor.gyroscopic else rotor.ratio * rotor.ratio * rotor.inertia
