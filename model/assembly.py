"""From a description to a model: order, merging of fixed joints, canonical frames, packing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .arguments import read_only
from .description import Description, Joint, Link, Options, Rotor
from .drives import drive_numbers, drives
from .elements import canonical_rotation, elements, inverse_pose, pose
from .errors import ModelError
from .followers import Moved, couple, last_carried, parent_dofs
from .handover import assign_places, assign_slots
from .tree import ELEMENT_SIZES, FIXED, REVOLUTE, Tree, tree_from

ROOT_JOINT = "root_joint"


class Frame(NamedTuple):
    """A link of the description: its pose (4x4) in the link frame of the body that carries it; body 0 is the base."""

    name: str
    body: int
    pose: np.ndarray


class Assembly(NamedTuple):
    """What `assemble` finds out: joints and bodies in the tree's order, all frames, the packed tree.

    `elements` has for each joint the first and the last body of the tree that it moves, `carriers` for each frame the
    body of the tree that carries it.
    """

    joints: tuple[Joint, ...]
    frames: dict[str, Frame]
    tree: Tree
    leader: tuple[str | None, ...]
    elements: tuple[tuple[int, int], ...]
    carriers: dict[str, int]


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


class _Bodies:
    """The bodies of the tree, one entry each; the base is the first."""

    def __init__(self) -> None:
        self.joints: list[Joint] = []
        self.spans: list[tuple[int, int]] = []
        self.moved: list[Moved] = []
        self.kind, self.link, self.parent, self.pitch, self.rotor = [FIXED], [0], [-1], [0.0], [0]
        self.turned, self.placement, self.inertia = [np.eye(3)], [np.eye(4)], [np.zeros(10)]

    def enter(self, joint: Joint, carrier: int, T: np.ndarray) -> int:
        """Put bodies behind a moving joint whose frame has pose T in the link frame of `carrier`; the last of them."""
        first, number = len(self.kind), len(self.joints)
        self.joints.append(joint)
        if joint.rotor is not None and joint.rotor.gyroscopic:
            self._spin(joint, joint.rotor, carrier, T, number)
            first += 1
        parent, before = carrier, pose(self.turned[carrier].T @ T[:3, :3], self.turned[carrier].T @ T[:3, 3])
        for element in elements(joint):
            self.moved.append(Moved(number, ELEMENT_SIZES[element.kind][1]))
            self._add(parent, element.kind, before @ element.frame, element.frame[:3, :3], element.pitch)
            parent, before = len(self.kind) - 1, inverse_pose(element.frame)
        self.link[-1] = number + 1
        self.spans.append((first, parent))
        return parent

    def _add(self, parent: int, kind: int, placement: np.ndarray, turned: np.ndarray, pitch: float = 0.0) -> None:
        self.kind.append(kind)
        self.link.append(0)
        self.rotor.append(0)
        self.parent.append(parent)
        self.pitch.append(pitch)
        self.turned.append(turned)
        self.placement.append(placement)
        self.inertia.append(np.zeros(10))

    def _spin(self, joint: Joint, rotor: Rotor, carrier: int, T: np.ndarray, number: int) -> None:
        """A rotor on the carrier: about its axis it has its inertia, which the carrier then has no more."""
        axis = joint.axis if rotor.axis is None else rotor.axis
        placement = pose(
            self.turned[carrier].T @ T[:3, :3] @ canonical_rotation(axis), self.turned[carrier].T @ T[:3, 3]
        )
        self.moved.append(Moved(number, 1, rotor.ratio))
        self._add(carrier, REVOLUTE, placement, np.eye(3))
        self.rotor[-1] = max(self.rotor) + 1
        along = T[:3, :3] @ np.array(axis)
        xx, xy, yy, xz, yz, zz = rotor.inertia * np.outer(along, along)[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
        self.inertia[carrier] -= np.array([0.0, 0.0, 0.0, 0.0, xx, xy, yy, xz, yz, zz])
        self.inertia[-1][9] = rotor.inertia


def _assembly(description: Description, options: Options) -> Assembly:
    root, children = root_and_children(description)
    links = {link.name: link for link in description.links}
    bodies = _Bodies()
    frames: dict[str, Frame] = {}
    carriers: dict[str, int] = {}

    def arrive(link: str, body: int, T: np.ndarray) -> None:
        frames[link], carriers[link] = Frame(link, bodies.link[body], read_only(T)), body
        if body:
            bodies.inertia[body] += inertia_in_body(links[link], T)

    root_body = 0
    if options.floating_base:
        if any(joint.name == ROOT_JOINT for joint in description.joints):
            raise ModelError(f"joint {ROOT_JOINT!r}: the name is kept for the floating base", ("joint", ROOT_JOINT))
        root_body = bodies.enter(Joint(ROOT_JOINT, "floating", "", root), 0, np.eye(4))
    arrive(root, root_body, np.eye(4))
    stack = list(reversed(children[root]))
    while stack:
        joint = stack.pop()
        body, T = carriers[joint.parent], frames[joint.parent].pose @ pose(joint.rotation, joint.position)
        if joint.type == "fixed" and options.merge_fixed:
            arrive(joint.child, body, T)
        else:
            arrive(joint.child, bodies.enter(joint, body, T), np.eye(4))
        stack.extend(reversed(children[joint.child]))

    joints = bodies.joints
    sizes = np.array([ELEMENT_SIZES[kind] for kind in bodies.kind])
    q_index, v_index = np.cumsum(sizes[:, 0]) - sizes[:, 0], np.cumsum(sizes[:, 1]) - sizes[:, 1]
    last_child, slot, slots = assign_slots(bodies.parent)
    place, places = assign_places(bodies.parent, last_child)
    followers = couple(joints, bodies.moved, sizes, options.mimic)
    follows = tuple(leader is not None for leader in followers.of_bodies)
    driven = drive_numbers(bodies.moved, options.floating_base)
    upward = parent_dofs(bodies.parent, sizes[:, 1], v_index)
    elimination = followers.elimination_parents(upward)
    tree = tree_from(
        {
            "nb": len(bodies.kind) - 1,
            "links": len(joints),
            "nq": int(sizes[:, 0].sum()),
            "nv": int(sizes[:, 1].sum()),
            **followers.fields,
            "rotors": max(bodies.rotor),
            "drives": max(driven, default=0),
            "parameters": 10 * len(joints),
            "slots": slots,
            "last_child": last_child,
            "slot": slot,
            "place": place,
            "places": places,
            "parent": bodies.parent,
            "joint_type": bodies.kind,
            "q_index": q_index,
            "v_index": v_index,
            "dofs": sizes[:, 1],
            "axis": sizes[:, 2],
            "link": bodies.link,
            "follows": [False, *follows],
            "rotor": bodies.rotor,
            "body": np.repeat(np.arange(len(bodies.kind)), sizes[:, 1]),
            "drive": driven,
            "parent_dof": upward,
            "elimination_parent": elimination,
            "last_dof": last_carried(elimination),
            "placement": np.array([[*T[:3, :3].ravel(), *T[:3, 3]] for T in bodies.placement]),
            "inertia": np.array([_rotated_inertia(I, R.T) for I, R in zip(bodies.inertia, bodies.turned)]),
            "link_rotation": np.array(bodies.turned),
            "pitch": bodies.pitch,
            **drives(joints, bodies.moved),
            "gravity": options.gravity,
            "zeros": np.zeros(followers.fields["nv_free"]),
        }
    )
    leaders = tuple(None if leader is None else joints[leader].name for leader in followers.leaders)
    return Assembly(tuple(joints), frames, tree, leaders, tuple(bodies.spans), carriers)
