"""The same robot seen from another link: the joints between it and the root, the other way round."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .description import IDENTITY, ZERO, Description, Joint, Link, matrix, vector
from .elements import inverse_pose, pose
from .errors import ModelError

if TYPE_CHECKING:
    from .model import Model

# exp(S q) with one axis: its inverse is the same joint about the opposite axis, at the same coordinates
REVERSIBLE = ("fixed", "revolute", "continuous", "prismatic", "helical", "cylindrical")


def rerooted(model: Model, link: str) -> Description:
    """The description with a link as its root.

    A joint T J(q) from parent to child becomes J(q)^-1 from the child to a frame at the joint, and T^-1, which is
    fixed, from there to the parent: link frames stay where they are in their links.
    """
    model.frame(link)
    if not model.options.floating_base:
        raise ModelError(
            f"link {link!r}: expected a robot with a floating base, since one that is fixed would be held by another"
            " link; load it with floating_base=True, and lock 'root_joint' afterwards to fix it"
        )
    into = {joint.child: joint for joint in model.description.joints}
    path: list[Joint] = []
    while link in into:
        path.append(into[link])
        link = into[link].parent
    links = list(model.description.links)
    taken = {x.name for x in model.description.links} | {x.name for x in model.description.joints}
    turned: dict[str, list[Joint]] = {}
    for joint in path:
        _refuse_what_has_a_direction(joint)
        turned[joint.name] = parts = _reversed(joint, taken)
        links += [Link(part.child) for part in parts[:-1]]
    joints = [part for joint in model.description.joints for part in turned.get(joint.name, [joint])]
    return replace(model.description, links=tuple(links), joints=tuple(joints))


def _refuse_what_has_a_direction(joint: Joint) -> None:
    start = f"joint {joint.name!r}: lies between the root and the new root and cannot be reversed: "
    if joint.type not in REVERSIBLE:
        raise ModelError(
            f"{start}it is {joint.type}, whose coordinates the other way round would be others; expected one of"
            f" {', '.join(REVERSIBLE)}",
            ("joint", joint.name),
        )
    if joint.rotor is not None and joint.rotor.gyroscopic:
        raise ModelError(f"{start}its rotor spins on the link that would be the child", ("joint", joint.name))


def _reversed(joint: Joint, taken: set[str]) -> list[Joint]:
    """The joint from its child to its parent, and where it is not at the parent's origin, a fixed joint behind it."""
    back = inverse_pose(pose(joint.rotation, joint.position))
    if joint.type == "fixed":
        R, p = matrix(back[:3, :3]), vector(back[:3, 3])
        return [replace(joint, parent=joint.child, child=joint.parent, rotation=R, position=p)]
    x, y, z = joint.axis
    moving = replace(joint, parent=joint.child, child=joint.parent, rotation=IDENTITY, position=ZERO, axis=(-x, -y, -z))
    if np.array_equal(back, np.eye(4)):
        return [moving]
    name = f"{joint.name}_reversed"
    while name in taken:
        name += "_"
    taken.add(name)
    rest = Joint(name, "fixed", name, joint.parent, matrix(back[:3, :3]), vector(back[:3, 3]))
    return [replace(moving, child=name), rest]
