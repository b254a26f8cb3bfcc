"""How large a robot is, and which of its lengths are out of all proportion: what other rules measure links by."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..model.assembly import root_and_children
from ..model.description import Description
from ..model.findings import Finding
from ..parsers.geometry import Outline

FAR = 1.0  # m; a shorter length is never far
OUT_OF_PROPORTION = 30.0  # times the upper quartile of the robot's lengths: mistakes by 1000 are far above it
HUGE = 100.0  # m; no robot is as large


class Extent(NamedTuple):
    """A robot's size and the lengths that were left out of it.

    `size` is the diagonal in m of the box around all link origins, centres of mass and shapes, every joint at zero;
    `origins` the origin (3,) m of each link and `rotations` its axes (3, 3), in the root's frame; `far` the elements
    ("link" or "joint", name) whose centre of mass or origin is out of all proportion.
    """

    size: float
    origins: dict[str, np.ndarray]
    rotations: dict[str, np.ndarray]
    far: frozenset[tuple[str, str]]


def measure(description: Description, outlines: dict[str, Outline]) -> Extent:
    """A robot's extent; the description must be a tree."""
    root, children = root_and_children(description)
    lengths = {("joint", joint.name): math.hypot(*joint.position) for joint in description.joints}
    lengths |= {("link", link.name): math.hypot(*link.com) for link in description.links if link.mass > 0.0}
    some = [x for x in lengths.values() if x > 0.0]
    limit = max(FAR, OUT_OF_PROPORTION * float(np.quantile(some, 0.75, method="lower"))) if some else FAR
    # where the robot stands in the world is no length of it
    placed = {("joint", joint.name) for joint in children[root] if joint.type == "fixed"}
    far = frozenset(element for element, x in lengths.items() if x > limit and element not in placed)

    origins, rotations = {root: np.zeros(3)}, {root: np.eye(3)}
    stack = [root]
    while stack:
        parent = stack.pop()
        for joint in children[parent]:
            left_out = ("joint", joint.name) in far | placed
            step = np.zeros(3) if left_out else rotations[parent] @ joint.position
            origins[joint.child] = origins[parent] + step
            rotations[joint.child] = rotations[parent] @ joint.rotation
            stack.append(joint.child)
    points = [*origins.values()]
    for link in description.links:
        local = [*outlines[link.name].corners()] if link.name in outlines else []
        if link.mass > 0.0 and ("link", link.name) not in far:
            local.append(np.array(link.com))
        points += [origins[link.name] + rotations[link.name] @ x for x in local]
    return Extent(float(np.linalg.norm(np.ptp(points, axis=0))), origins, rotations, far)


def lengths_out_of_proportion(description: Description, extent: Extent) -> list[Finding]:
    """Origins and centres of mass far away from the rest, and robots too large to be one."""
    findings = []
    com = {link.name: link.com for link in description.links}
    position = {joint.name: joint.position for joint in description.joints}
    for kind, name in sorted(extent.far):
        link = kind == "link"
        what, p, frame = (
            ("centre of mass", com[name], "the link's") if link else ("origin", position[name], "the parent's")
        )
        message = (
            f"{kind} {name!r}: {what}: {math.hypot(*p):.4g} m from {frame} origin,"
            f" while the rest of the robot is {extent.size:.3g} m across"
        )
        findings.append(Finding("far-away", kind, name, message, "is it in millimetres? URDF wants metres"))
    if extent.size > HUGE:
        message = f"robot {description.name!r}: {extent.size:.4g} m across, with every joint at zero"
        findings.append(Finding("robot-too-large", "robot", description.name, message, "are lengths in millimetres?"))
    return findings
