"""Rules about joints that a robot may break and still be one: no room, no speed, no effort, the same line twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..model.description import ONE_DEGREE, Description, Joint, Options
from ..model.findings import Finding, mimic_fault, travel
from .extent import Extent

TURNING = ("revolute", "continuous")
BEYOND = 1e-3  # of a follower's range: files round multipliers and limits
SAME_LINE = 1e-6  # rad, and part of the robot's size: below what files round to


def standing_still(description: Description, options: Options) -> Iterator[Finding]:
    """Joints whose limits let them neither move nor be moved."""
    for joint in description.joints:
        if options.mimic and joint.mimic is not None:
            continue
        if joint.type in ONE_DEGREE and joint.values("lower") == joint.values("upper"):
            message = f"joint {joint.name!r}: both limits are {joint.values('lower')[0]:g}, so it cannot move"
            remedy = "give the limits, make it continuous if it turns freely, or fixed if it shall not move"
            yield Finding("limits-equal", "joint", joint.name, message, remedy)
        if 0.0 in joint.values("velocity"):
            message = f"joint {joint.name!r}: the velocity limit is 0, so it cannot move"
            yield Finding("velocity-zero", "joint", joint.name, message, "give the limit, or none for no limit")
        if 0.0 in joint.values("effort"):
            message = f"joint {joint.name!r}: the effort limit is 0, so nothing can drive it"
            remedy = "fine for a passive joint; else give the limit, or none for no limit"
            yield Finding("effort-zero", "joint", joint.name, message, remedy, severity="note")


def beyond_limits(description: Description, options: Options) -> Iterator[Finding]:
    """Followers whose leader takes them out of their own limits at one end; those that never reach them are known."""
    joints = {joint.name: joint for joint in description.joints}
    for joint in description.joints if options.mimic else ():
        mimic = joint.mimic
        leader = None if mimic is None else joints.get(mimic.joint)
        if mimic is None or leader is None or mimic_fault(joint.name, joint.type, leader.name, leader.type):
            continue
        (lower,), (upper,) = joint.values("lower"), joint.values("upper")
        low, high = travel(mimic, leader)
        room = BEYOND * (upper - lower) if np.isfinite([lower, upper]).all() else 0.0
        meets = low <= upper and high >= lower
        if meets and (low < lower - room or high > upper + room):
            message = (
                f"joint {joint.name!r}: mimics {leader.name!r} and so moves from {low:g} to {high:g}, "
                f"beyond its limits {lower:g} to {upper:g}"
            )
            remedy = "a follower's own limits are not used: narrow those of its leader if they shall hold"
            yield Finding("mimic-unreachable", "joint", joint.name, message, remedy, severity="note")


def coaxial(description: Description, options: Options, extent: Extent) -> Iterator[Finding]:
    """Joints that turn about the same line as the one before, with nothing between that only one of them turns.

    A line that two joints share is no mistake where the first one also carries another branch (a trunk with arms and a
    neck), or where they are apart along it and something heavy lies between.
    """
    into = {joint.child: joint for joint in description.joints}
    heavy = {link.name for link in description.links if link.mass > 0.0 or np.any(link.inertia)}
    for joint in description.joints:
        before, between = _moving_before(joint, into)
        if before is None or ("joint", joint.name) in extent.far or {joint.type, before.type} - set(TURNING):
            continue
        if options.mimic and (joint.mimic or before.mimic) is not None:
            continue
        if any(x.parent in between and x is not joint and x.child not in between for x in description.joints):
            continue
        a, b = (extent.rotations[x.child] @ np.array(x.axis) for x in (before, joint))
        step = extent.origins[joint.child] - extent.origins[before.child]
        light = between.isdisjoint(heavy)
        apart = np.cross(a, step) if light else step
        if np.linalg.norm(np.cross(a, b)) <= SAME_LINE and np.linalg.norm(apart) <= SAME_LINE * extent.size:
            message = f"joint {joint.name!r}: turns about the same line as joint {before.name!r}, which carries it"
            remedy = "fine for a motor behind a spring; else one is redundant, or an <origin> is missing between them"
            yield Finding("same-axis", "joint", joint.name, message, remedy, severity="warning" if light else "note")


def _moving_before(joint: Joint, into: dict[str, Joint]) -> tuple[Joint | None, set[str]]:
    """The moving joint that carries a joint, and the links between the two."""
    between = {joint.parent}
    before = into.get(joint.parent)
    while before is not None and before.type == "fixed":
        between.add(before.parent)
        before = into.get(before.parent)
    return before, between
