"""What looks mistaken in a description that is nevertheless a robot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .description import ONE_DEGREE, Description, Joint, Mimic, Options

# rounding in a file's digits and in the eigenvalues stays far below this part of a tensor's size, mistakes far above
TENSOR_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Finding:
    """One suspicious thing.

    `rule` is a short identifier, `element_kind` and `name` say which link or joint (or other element of a file),
    `message` what is wrong with it and `remedy` how to mend it. A finding in a file has its `file`, and
    its `line` where that is known.
    `severity` is "error" where there is no robot, "warning" for what is a mistake, "note" for what may be meant.
    """

    rule: str
    element_kind: str
    name: str | None
    message: str
    remedy: str
    file: str | None = None
    line: int | None = None
    severity: str = "warning"

    def __str__(self) -> str:
        place = "" if self.line is None else f":{self.line}"
        start = "" if self.file is None else f"{self.file}{place}: "
        return f"{start}{self.message}; {self.remedy}"


def examine(description: Description, options: Options | None = None) -> list[Finding]:
    """Everything suspicious in a description, in its order: first the links, then the joints.

    The links and joints need not be one tree. `options` say how they will become a model: where mimic relations apply,
    a follower may be massless.
    """
    options = options or Options()
    types = {joint.name: joint.type for joint in description.joints}
    findings = [*_tensors(description), *_massless(description, options)]
    joints = {joint.name: joint for joint in description.joints}
    for joint in description.joints:
        findings.extend(_limits(joint))
        if joint.mimic is not None:
            fault = mimic_fault(joint.name, joint.type, joint.mimic.joint, types.get(joint.mimic.joint))
            findings.extend([fault] if fault else _reach(joint, joint.mimic, joints[joint.mimic.joint]))
    return findings


def mimic_fault(name: str, joint_type: str, leader: str, leader_type: str | None) -> Finding | None:
    """Why a joint cannot follow another (of type None if there is no such joint), or None if it can."""
    if joint_type not in ONE_DEGREE:
        rule = "mimic-on-fixed-joint" if joint_type == "fixed" else "mimic-on-many-degrees"
        message = (
            f"joint {name!r}: mimics {leader!r}, but is {joint_type}: only joints of one degree of freedom can mimic"
        )
        return Finding(rule, "joint", name, message, "the mimic is not applied: remove it or change the joint's type")
    if leader_type in ONE_DEGREE:
        return None
    what = "which does not exist" if leader_type is None else f"which is {leader_type}"
    message = f"joint {name!r}: mimics {leader!r}, {what}: expected a joint of one degree of freedom"
    remedy = "the mimic is not applied and the joint is free: correct the name or remove the mimic"
    return Finding("mimic-dangling", "joint", name, message, remedy)


def _tensors(description: Description) -> Iterator[Finding]:
    """Rotational inertias that no distribution of mass has."""
    links = [link for link in description.links if np.any(link.inertia)]
    if not links:
        return
    tensors = np.array([link.inertia for link in links])
    sizes = np.abs(tensors).max(axis=(1, 2))
    # per size, so that neither very large nor very small numbers leave the range of float64
    moments = np.linalg.eigvalsh(tensors / sizes[:, None, None])
    for link, size, (small, middle, large) in zip(links, sizes.tolist(), moments.tolist()):
        shown = ", ".join(f"{size * x:.4g}" for x in (small, middle, large))
        start = f"link {link.name!r}: inertia: the principal moments are {shown} kg m^2"
        if small < -TENSOR_TOLERANCE:
            message = f"{start}: expected none below zero"
            remedy = "check the signs and the order of the products of inertia"
            yield Finding("inertia-not-positive", "link", link.name, message, remedy)
        elif small + middle - large < -TENSOR_TOLERANCE:
            message = f"{start}: expected none above the sum of the other two (the triangle rule)"
            remedy = "check the moments of inertia, and that they are about the centre of mass"
            yield Finding("inertia-triangle-rule", "link", link.name, message, remedy)


def _massless(description: Description, options: Options) -> Iterator[Finding]:
    """Joints that move nothing: the mass matrix of such a robot is singular."""
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)
    carried = {joint.child for joint in description.joints}
    order = [link.name for link in description.links if link.name not in carried]
    seen = set(order)
    for link in order:  # grows while it is walked: parents first
        for joint in children.get(link, ()):
            if joint.child not in seen:
                seen.add(joint.child)
                order.append(joint.child)

    heavy = {link.name for link in description.links if link.mass > 0.0}
    round_about = {link.name for link in description.links if np.any(link.inertia)}
    for link in reversed(order):
        for joint in children.get(link, ()):
            for property_of_subtree in (heavy, round_about):
                if joint.child in property_of_subtree:
                    property_of_subtree.add(link)

    for joint in description.joints:
        turns = joint.type in ("revolute", "continuous", "spherical", "helical", "universal")
        moves_something = joint.child in heavy or (turns and joint.child in round_about)
        motor = joint.rotor is not None and joint.rotor.inertia > 0.0
        moves_something = moves_something or motor or min(joint.values("armature"), default=0.0) > 0.0
        follows = options.mimic and joint.mimic is not None
        if joint.child in seen and joint.type != "fixed" and not moves_something and not follows:
            what = "mass" if joint.child in round_about else "mass or inertia"
            message = (
                f"link {joint.child!r}: moves with joint {joint.name!r}, but neither it nor what it carries has {what}"
            )
            remedy = "forward dynamics is impossible: give the link its inertia or fix the joint"
            yield Finding("massless-leaf", "link", joint.child, message, remedy)


def _limits(joint: Joint) -> Iterator[Finding]:
    """Limits of joints that leave no room, or are no limits."""
    coordinates = joint.coordinates == joint.degrees  # else they are a quaternion, which has no limits
    for lower, upper in zip(joint.values("lower"), joint.values("upper")) if coordinates else ():
        if lower > upper:
            message = f"joint {joint.name!r}: the lower limit {lower:g} is above the upper limit {upper:g}"
            yield Finding("limits-swapped", "joint", joint.name, message, "exchange the two")
    for what in ("velocity", "effort"):
        limit = min(joint.values(what), default=0.0)
        if limit < 0.0:
            message = f"joint {joint.name!r}: the {what} limit is {limit:g}: expected a number >= 0"
            remedy = "give its absolute value, or none for no limit"
            yield Finding("limit-negative", "joint", joint.name, message, remedy)


def travel(mimic: Mimic, leader: Joint) -> tuple[float, float]:
    """From where to where a follower moves while its leader moves between its limits."""
    ends = (*leader.values("lower"), *leader.values("upper"))
    # multiplier 0 with a leader without limits: the follower stays at the offset
    moved = [mimic.multiplier * x + mimic.offset if mimic.multiplier else mimic.offset for x in ends]
    return min(moved), max(moved)


def _reach(joint: Joint, mimic: Mimic, leader: Joint) -> Iterator[Finding]:
    """Followers whose own limits lie outside of where their leader takes them."""
    (first, last), (lower, upper) = ((*x.values("lower"), *x.values("upper")) for x in (leader, joint))
    if first > last or lower > upper:
        return
    low, high = travel(mimic, leader)
    room = 1e-9 * max((abs(x) for x in (low, high, lower, upper) if math.isfinite(x)), default=0.0)
    if low > upper + room or high < lower - room:
        message = (
            f"joint {joint.name!r}: mimics {leader.name!r} and so moves from {low:g} to {high:g}, "
            f"but its limits are {lower:g} to {upper:g}"
        )
        yield Finding("mimic-unreachable", "joint", joint.name, message, "correct multiplier and offset, or the limits")
