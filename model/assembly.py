"""From a description to a model: order, merging of fixed joints, canonical frames, packing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import tree as kinds
from .description import AXIS_TYPES, Description, Joint, Link, Options
from .errors import ModelError
from .tree import JOINT_SIZES, Tree, tree_from

ROOT_JOINT = "root_joint"
_CODES = {
    "fixed": kinds.FIXED,
    "revolute": kinds.REVOLUTE,
    "continuous": kinds.REVOLUTE,
    "prismatic": kinds.PRISMATIC,
    "planar": kinds.PLANAR,
    "spherical": kinds.SPHERICAL,
    "floating": kinds.FLOATING,
}


class Frame(NamedTuple):
    """A link of the description: its pose (4x4) in the link frame of the body that carries it; body 0 is the base."""

    name: str
    body: int
    pose: np.ndarray


@dataclass(frozen=True)
class Assembly:
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
                f"link {joint.child!r} is the child of two joints: {other!r} and {joint.name!r}; a robot must be a tree,"
                " so cut the loop at one of them",
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
    """The least rotation that takes the z axis to a unit vector (a half turn about x first, if that points down)."""
    x, y, z = axis
    if z < 0:
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
        frames[link] = Frame(link, body, T)
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
    types = [kinds.FIXED] + [_CODES[joint.type] for joint in joints]
    sizes = np.array([JOINT_SIZES[t] for t in types])
    q_index, v_index = np.cumsum(sizes[:, 0]) - sizes[:, 0], np.cumsum(sizes[:, 1]) - sizes[:, 1]
    nq, nv = int(sizes[:, 0].sum()), int(sizes[:, 1].sum())
    body = np.repeat(np.arange(nb + 1), sizes[:, 1])
    per_dof = np.array([(joints[b - 1].damping, joints[b - 1].friction, joints[b - 1].armature) for b in body]).reshape(nv, 3)

    leaders, q_scale, q_offset = _mimic(joints, options)
    leads = np.array([q_index[b] if l is None else q_index[l] for b, l in enumerate([None, *leaders])], int)
    free_bodies = [b for b in range(nb + 1) if b == 0 or leaders[b - 1] is None]
    free_q = np.concatenate([np.arange(q_index[b], q_index[b] + sizes[b, 0]) for b in free_bodies]).astype(int)
    free_v = np.concatenate([np.arange(v_index[b], v_index[b] + sizes[b, 1]) for b in free_bodies]).astype(int)
    new_q, new_v = np.full(nq, -1), np.full(nv, -1)
    new_q[free_q], new_v[free_v] = np.arange(len(free_q)), np.arange(len(free_v))
    q_source, v_source = new_q.copy(), new_v.copy()
    q_factor, q_shift, v_factor = np.ones(nq), np.zeros(nq), np.ones(nv)
    for b, leader in enumerate(leaders, start=1):
        if leader is not None:
            q_source[q_index[b]], v_source[v_index[b]] = new_q[leads[b]], new_v[v_index[leader]]
            q_factor[q_index[b]], q_shift[q_index[b]] = q_scale[b - 1], q_offset[b - 1]
            v_factor[v_index[b]] = q_scale[b - 1]
    coupled = int(len(free_bodies) < nb + 1)

    upward = _parent_dofs(parent, sizes[:, 1], v_index)
    tree = tree_from(
        {
            "nb": nb,
            "nq": nq,
            "nv": nv,
            "nq_free": len(free_q),
            "nv_free": len(free_v),
            "coupled": coupled,
            "parent": parent,
            "joint_type": types,
            "q_index": q_index,
            "v_index": v_index,
            "dofs": sizes[:, 1],
            "axis": sizes[:, 2],
            "body": body,
            "elimination_parent": _elimination_parents(upward, v_source, len(free_v)) if coupled else upward,
            "q_source": q_source,
            "v_source": v_source,
            "placement": np.array([[*T[:3, :3].ravel(), *T[:3, 3]] for T in placement]),
            "inertia": np.array([_rotated_inertia(I, R.T) for I, R in zip(inertia, Z)]),
            "link_rotation": np.array(Z),
            "armature": per_dof[:, 2],
            "damping": per_dof[:, 0],
            "friction": per_dof[:, 1],
            "gravity": options.gravity,
            "q_scale": q_factor,
            "q_offset": q_shift,
            "v_scale": v_factor,
        }
    )
    names = tuple(None if leader is None else joints[leader - 1].name for leader in leaders)
    return Assembly(tuple(joints), frames, tree, names)


def _mimic(joints: list[Joint], options: Options) -> tuple[list[int | None], list[float], list[float]]:
    """For each body the body that its joint follows in the end, or None, with multiplier and offset."""
    number = {joint.name: b for b, joint in enumerate(joints, start=1)}
    leaders: list[int | None] = [None] * len(joints)
    scales, offsets = [1.0] * len(joints), [0.0] * len(joints)
    if not options.mimic:
        return leaders, scales, offsets
    for start in range(len(joints)):
        # follow the chain to a joint that is free or known already, then come back
        chain: list[int] = []
        visited: set[int] = set()
        b = start
        while joints[b].mimic is not None and leaders[b] is None:
            if b in visited:
                circle = " -> ".join(repr(joints[x].name) for x in [*chain[chain.index(b) :], b])
                name = joints[start].name
                raise ModelError(f"joint {name!r}: mimic relations form a cycle: {circle}", ("joint", name))
            chain.append(b)
            visited.add(b)
            b = _followed(joints[b], joints, number)
        for b in reversed(chain):
            relation = joints[b].mimic
            leader = _followed(joints[b], joints, number)
            # q = m (s q_leader + o) + offset
            leaders[b] = leader + 1 if leaders[leader] is None else leaders[leader]
            scales[b] = relation.multiplier * scales[leader]
            offsets[b] = relation.multiplier * offsets[leader] + relation.offset
    return leaders, scales, offsets


def _followed(joint: Joint, joints: list[Joint], number: dict[str, int]) -> int:
    """The index of the joint that this one follows."""
    leader, element = joint.mimic.joint, ("joint", joint.name)
    if leader not in number:
        raise ModelError(f"joint {joint.name!r}: mimic: there is no moving joint {leader!r} to follow", element)
    for x in (joint, joints[number[leader] - 1]):
        if JOINT_SIZES[_CODES[x.type]][0] != 1:
            raise ModelError(
                f"joint {joint.name!r}: mimic: expected joints of one degree of freedom, {x.name!r} is {x.type}", element
            )
    return number[leader] - 1


def _parent_dofs(parent: list[int], dofs: np.ndarray, v_index: np.ndarray) -> list[int]:
    """For each degree of freedom the next one towards the base, -1 if there is none."""
    last = [-1] * len(parent)  # the last degree of freedom at or above a body
    upward = []
    for b in range(1, len(parent)):
        last[b] = last[parent[b]]
        for k in range(int(v_index[b]), int(v_index[b] + dofs[b])):
            upward.append(last[b])
            last[b] = k
    return upward


def _elimination_parents(upward: list[int], v_source: np.ndarray, nv_free: int) -> list[int]:
    """The elimination tree of G^T H G, from the last unknown to the first, for the sparsity that followers leave."""
    pattern: list[set[int]] = [set() for _ in range(nv_free)]
    for k in range(len(upward)):
        j = k
        while j >= 0:
            a, b = int(v_source[k]), int(v_source[j])
            pattern[max(a, b)].add(min(a, b))
            j = upward[j]
    parents = [-1] * nv_free
    for k in range(nv_free - 1, -1, -1):
        pattern[k].discard(k)
        if pattern[k]:
            parents[k] = max(pattern[k])
            pattern[parents[k]] |= pattern[k]
    return parents
