"""From a description to a model: order, merging of fixed joints, canonical frames, packing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import tree as kinds
from .arguments import read_only
from .description import AXIS_TYPES, Description, Joint, Link, Options
from .errors import ModelError
from .followers import couple, parent_dofs
from .handover import assign_places, assign_slots
from .tree import JOINT_CODES, JOINT_SIZES, Tree, tree_from

ROOT_JOINT = "root_joint"


class Frame(NamedTuple):
    """A link of the description: its pose (4x4) in the link frame of the body that carries it; body 0 is the base."""

    name: str
    body: int
    pose: np.ndarray


class Assembly(NamedTuple):
    """What `assemble` finds out: joints and bodies in the tree's order, all frames, the packed tree."""

    joints: tuple[Joint, ...]
    frames: dict[str, Frame]
    tree: Tree
    leader: tuple[str | None, ...]


def root_and_children(description: Description) -> tuple[str, dict[str, list[Joint]]]:
    """The root link and the joints that leave each link, in the order of the source; an error if this is no tree."""
    names = {link.name for link in description.links}
    if not names:
        raise ModelError(f"robot {description.name!r}: expected at least one link, got none")
    children: dict[str, list[Joint]] = {name: [] for name in names}
    into: dict[str, Joint] = {}
    for joint in description.joints:
        element = ("joint", joint.name)
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in names:
                raise ModelError(f"joint {joint.name!r}: {role}: there is no link {link!r}", element)
        if joint.child in into:
            other = into[joint.child].name
            raise ModelError(
                f"link {joint.child!r} is the child of two joints: {other!r} and {joint.name!r};"
                " a robot must be a tree, so cut the loop at one of them",
                ("link", joint.child),
            )
        into[joint.child] = joint
        children[joint.parent].append(joint)
    roots = [link.name for link in description.links if link.name not in into]
    if len(roots) > 1:
        raise ModelError(
            f"links {roots[0]!r} and {roots[1]!r} both have no parent; expected one root, so join them by a joint",
            ("link", roots[1]),
        )
    reached = set(roots)
    stack = roots[:]
    while stack:
        below = [joint.child for joint in children[stack.pop()]]
        reached.update(below)
        stack.extend(below)
    if len(reached) < len(names):
        # every link that is not reached has a parent, so following parents must run into a circle
        link = next(x.name for x in description.links if x.name not in reached)
        order: dict[str, int] = {}
        while link not in order:
            order[link] = len(order)
            link = into[link].parent
        circle = " <- ".join(repr(x) for x in [*list(order)[order[link] :], link])
        raise ModelError(f"links form a cycle: {circle}; a robot must be a tree", ("link", link))
    return roots[0], children


def canonical_rotation(axis: tuple[float, float, float]) -> np.ndarray:
    """The least rotation that takes the z axis to a unit vector; near -z by way of -axis."""
    x, y, z = axis
    if z < -0.9:
        return canonical_rotation((-x, -y, -z)) @ np.diag([1.0, -1.0, -1.0])
    k = np.array([[0.0, 0.0, x], [0.0, 0.0, y], [-x, -y, 0.0]])
    return np.eye(3) + k + k @ k / (1.0 + z)


def pose(rotation: Any, position: Any) -> np.ndarray:
    """A 4x4 matrix."""
    T = np.eye(4)
    T[:3, :3] = rotation
    T[:3, 3] = position
    return T


def inertia_in_body(link: Link, T: np.ndarray) -> np.ndarray:
    """Mass, first moment and inertia about the origin (xx, xy, yy, xz, yz, zz) of a link whose frame has pose T."""
    R = T[:3, :3]
    c = R @ np.array(link.com) + T[:3, 3]
    # the parallel-axis theorem: to the body's origin
    I = R @ np.array(link.inertia) @ R.T + link.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([link.mass, *(link.mass * c), I[0, 0], I[1, 0], I[1, 1], I[2, 0], I[2, 1], I[2, 2]])


def _rotated_inertia(packed: np.ndarray, R: np.ndarray) -> np.ndarray:
    m, h, (xx, xy, yy, xz, yz, zz) = packed[0], packed[1:4], packed[4:]
    I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return np.array([m, *(R @ h), I[0, 0], I[1, 0], I[1, 1], I[2, 0], I[2, 1], I[2, 2]])


def assemble(description: Description, options: Options) -> Any:
    """Build a model. The order is depth first; the joints that leave a link keep the order of the source."""
    from .model import Model

    return Model(description, options, _assembly(description, options))


def _assembly(description: Description, options: Options) -> Assembly:
    root, children = root_and_children(description)
    links = {link.name: link for link in description.links}
    joints: list[Joint] = []
    parent, Z, placement, inertia = [-1], [np.eye(3)], [np.eye(4)], [np.zeros(10)]
    frames: dict[str, Frame] = {}

    def enter(joint: Joint, body: int, T: np.ndarray) -> None:
        """Put a body behind a moving joint whose frame has pose T in the link frame of its parent body."""
        joints.append(joint)
        parent.append(body)
        Z.append(canonical_rotation(joint.axis) if joint.type in AXIS_TYPES else np.eye(3))
        placement.append(pose(Z[body].T @ T[:3, :3] @ Z[-1], Z[body].T @ T[:3, 3]))
        inertia.append(np.zeros(10))

    def arrive(link: str, body: int, T: np.ndarray) -> None:
        frames[link] = Frame(link, body, read_only(T))
        inertia[body] += inertia_in_body(links[link], T)

    if options.floating_base:
        if any(joint.name == ROOT_JOINT for joint in description.joints):
            raise ModelError(f"joint {ROOT_JOINT!r}: the name is kept for the floating base", ("joint", ROOT_JOINT))
        enter(Joint(ROOT_JOINT, "floating", "", root), 0, np.eye(4))
    arrive(root, len(joints), np.eye(4))
    stack = list(reversed(children[root]))
    while stack:
        joint = stack.pop()
        body, T = frames[joint.parent].body, frames[joint.parent].pose @ pose(joint.rotation, joint.position)
        if joint.type == "fixed" and options.merge_fixed:
            arrive(joint.child, body, T)
        else:
            enter(joint, body, T)
            arrive(joint.child, len(joints), np.eye(4))
        stack.extend(reversed(children[joint.child]))

    nb = len(joints)
    types = [kinds.FIXED] + [JOINT_CODES[joint.type] for joint in joints]
    sizes = np.array([JOINT_SIZES[t] for t in types])
    q_index, v_index = np.cumsum(sizes[:, 0]) - sizes[:, 0], np.cumsum(sizes[:, 1]) - sizes[:, 1]
    nq, nv = int(sizes[:, 0].sum()), int(sizes[:, 1].sum())
    moved = np.repeat(np.arange(nb + 1), sizes[:, 1])
    owners = [joints[b - 1] for b in moved]

    last_child, slot, slots = assign_slots(parent)
    place, places = assign_places(parent, last_child)
    followers = couple(joints, sizes, options.mimic)
    upward = parent_dofs(parent, sizes[:, 1], v_index)
    tree = tree_from(
        {
            "nb": nb,
            "nq": nq,
            "nv": nv,
            **followers.fields,
            "slots": slots,
            "last_child": last_child,
            "slot": slot,
            "place": place,
            "places": places,
            "parent": parent,
            "joint_type": types,
            "q_index": q_index,
            "v_index": v_index,
            "dofs": sizes[:, 1],
            "axis": sizes[:, 2],
            "body": moved,
            "parent_dof": upward,
            "elimination_parent": followers.elimination_parents(upward),
            "placement": np.array([[*T[:3, :3].ravel(), *T[:3, 3]] for T in placement]),
            "inertia": np.array([_rotated_inertia(I, R.T) for I, R in zip(inertia, Z)]),
            "link_rotation": np.array(Z),
            "armature": [joint.armature for joint in owners],
            "damping": [joint.damping for joint in owners],
            "friction": [joint.friction for joint in owners],
            "gravity": options.gravity,
            "zeros": np.zeros(followers.fields["nv_free"]),
        }
    )
    leaders = tuple(None if leader is None else joints[leader].name for leader in followers.leaders)
    return Assembly(tuple(joints), frames, tree, leaders)
