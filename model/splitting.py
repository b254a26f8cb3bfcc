"""Joints that a format does not have, as several that it has: massless links between joints of one degree each.

A helical joint becomes a revolute one and a prismatic one that follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .description import IDENTITY, Description, Joint, Link, Mimic, Screw, vector
from .elements import screws
from .joint_checks import LIMITS, NOT_NEGATIVE

SPLIT = ("helical", "universal", "cylindrical", "composite")
PER_DEGREE = (*LIMITS, *NOT_NEGATIVE)


def split(description: Description) -> Description:
    """The description with joints of one degree in place of those that can be split."""
    chains = split_joints(description)
    links, joints = list(description.links), []
    for joint in description.joints:
        parts = chains.get(joint.name, [joint])
        joints += parts
        links += [Link(part.child) for part in parts[:-1]]
    return replace(description, links=tuple(links), joints=tuple(joints))


def split_joints(description: Description) -> dict[str, list[Joint]]:
    """The parts, from parent to child, of each joint that can be split."""
    taken = {link.name for link in description.links} | {joint.name for joint in description.joints}

    def fresh(name: str) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    return {joint.name: _parts(joint, fresh) for joint in description.joints if joint.type in SPLIT}


def _parts(joint: Joint, fresh: Callable[[str], str]) -> list[Joint]:
    """The joints of one degree that a joint consists of, and a fixed one if the last axis does not meet the link."""
    if joint.type == "helical":
        x, y, z = joint.axis
        given: tuple[Screw, ...] = ((x, y, z, joint.pitch * x, joint.pitch * y, joint.pitch * z),)
    else:
        given = screws(joint)
    found: list[Joint] = []
    here = np.zeros(3)
    for d, screw in enumerate(given):
        angular, linear = np.array(screw[:3]), np.array(screw[3:])
        point = np.cross(angular, linear)
        values: dict[str, Any] = {key: joint.values(key)[d] for key in PER_DEGREE}
        turn = replace(
            joint,
            name=joint.name if joint.type == "helical" else fresh(f"{joint.name}_{d + 1}"),
            type="revolute" if angular.any() else "prismatic",
            rotation=IDENTITY,
            position=tuple((point - here).tolist()),
            axis=screw[:3] if angular.any() else screw[3:],
            pitch=0.0,
            screws=(),
            **values,
        )
        found.append(turn)
        pitch = float(angular @ linear)
        if joint.pitch or abs(pitch) > 1e-12:
            travel = fresh(f"{turn.name}_travel")
            follows = Mimic(turn.name, joint.pitch or pitch)
            found.append(Joint(travel, "prismatic", "", "", axis=screw[:3], mimic=follows, **_reach(turn, follows)))
        here = point
    if here.any():
        found.append(Joint(fresh(f"{joint.name}_end"), "fixed", "", "", position=vector(-here)))
    return _chained(joint, found, fresh)


def _reach(leader: Joint, mimic: Mimic) -> dict[str, Any]:
    """The limits of a follower, which are those of its leader."""
    lower, upper = sorted(mimic.multiplier * x for x in (*leader.values("lower"), *leader.values("upper")))
    return {"lower": lower, "upper": upper, "velocity": abs(mimic.multiplier) * leader.values("velocity")[0]}


def _chained(joint: Joint, parts: list[Joint], fresh: Callable[[str], str]) -> list[Joint]:
    """The parts one behind the other, from the joint's parent to its child."""
    at = np.array(joint.rotation) @ np.array(parts[0].position) + np.array(joint.position)
    parts[0] = replace(parts[0], rotation=joint.rotation, position=tuple(at.tolist()))
    parent = joint.parent
    for k, part in enumerate(parts):
        child = joint.child if k == len(parts) - 1 else fresh(f"{part.name}_link")
        parts[k] = replace(part, parent=parent, child=child)
        parent = child
    return parts
