"""Edited copies of a description: joints locked, other robots attached, parts taken out, names and masses changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .assembly import ROOT_JOINT, inertia_in_body
from .builder import ModelBuilder
from .description import ZERO, Description, Joint, Link, Mimic, Options, matrix, vector
from .elements import inverse_pose, pose
from .errors import ModelError, UnknownNameError
from .joint_checks import checked_joint
from .joints import joint_transform
from .validity import invalid_joint

if TYPE_CHECKING:
    from .model import Model

WORLD = "world"  # the link that a robot is fixed to when its floating base is locked


def locked(model: Model, names: Any, values: Any) -> tuple[Description, Options]:
    """The description with some joints, and those that follow them, fixed where they are at some coordinates."""
    given = _by_name(names, values)
    poses = _poses(model, _configuration(model, given))
    leaders = dict(zip(model.joint_names, model.leaders))
    fixed = {name for name in model.joint_names if name in given or leaders[name] in given}
    links, joints, options = model.description.links, [], model.options
    for joint in model.description.joints:
        if joint.name in fixed:
            R, p = poses[joint.name]
            joint = Joint(joint.name, "fixed", joint.parent, joint.child, matrix(R), vector(p))
        elif joint.mimic is not None and joint.mimic.joint in fixed:
            joint = replace(joint, mimic=None)  # it was free: the model leaves mimic relations out
        joints.append(joint)
    if ROOT_JOINT in fixed:
        R, p = poses[ROOT_JOINT]
        root = model.joints[0].child
        if any(link.name == WORLD for link in links):
            raise ModelError(f"link {WORLD!r}: the name is needed for what the locked base is fixed to; rename it")
        links = (Link(WORLD), *links)
        joints.insert(0, Joint(ROOT_JOINT, "fixed", WORLD, root, matrix(R), vector(p)))
        options = options.changed(floating_base=False)
    return replace(model.description, links=links, joints=tuple(joints)), options


def _by_name(names: Any, values: Any) -> dict[str, Any]:
    if isinstance(names, Mapping):
        if values is not None:
            raise TypeError("values: expected none beside a mapping of joints to values")
        return dict(names)
    if isinstance(names, str):
        return {names: values}
    if not isinstance(names, Iterable):
        raise TypeError(f"joint_names: expected a name, several or a mapping of names to values, got {names!r}")
    names = list(names)
    if values is None:
        return dict.fromkeys(names)
    if isinstance(values, Mapping):
        raise TypeError("values: expected numbers in the order of the names, got a mapping; give it alone")
    expected = f"values: expected one for each of the {len(names)} joints"
    if not isinstance(values, Iterable) or (isinstance(values, np.ndarray) and not values.ndim):
        raise ValueError(f"{expected}, got {values!r}; put it into a list")
    values = list(values)
    if len(values) != len(names):
        raise ValueError(f"{expected}, got {len(values)}")
    return dict(zip(names, values))


def _configuration(model: Model, values: dict[str, Any]) -> np.ndarray:
    """The neutral configuration, but for the joints that are given."""
    q = model.neutral()
    for name, value in values.items():
        where = model.q_index(name)
        if value is None:
            continue
        array = np.asarray(value)
        if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
            raise ValueError(f"joint {name!r}: expected finite numbers, got {value!r}")
        expected = () if isinstance(where, int) else (where.stop - where.start,)
        if array.shape != expected and not (expected == () and array.shape == (1,)):
            wanted = f"{expected[0]} numbers" if expected else "one number"
            raise ValueError(f"joint {name!r}: expected {wanted}, got {value!r}")
        q[where] = array if expected else array.reshape(())
    wrong = invalid_joint(model.tree, q)
    if wrong:
        name = model.joint_of_body(wrong)
        raise ValueError(f"joint {name!r}: expected a quaternion (x, y, z, w) of unit length; divide it by its norm")
    return q


def _poses(model: Model, q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The pose of each joint's child link in its parent link, as the description has them."""
    tree = model.tree
    all_q = tree.q_scale * q[tree.q_source] + tree.q_offset
    turned = tree.link_rotation.reshape(-1, 3, 3)
    found = {}
    for joint, (first, last) in zip(model.joints, model.elements):
        T = pose(turned[tree.parent[first]], ZERO)
        for i in range(first, last + 1):
            R, p = joint_transform(tree, i, all_q)
            T = T @ pose(np.reshape(R, (3, 3)), p)
        T[:3, :3] = T[:3, :3] @ turned[last].T
        if joint.parent:  # from the body that carries the parent link to that link
            T = inverse_pose(model.frame(joint.parent).pose) @ T
        found[joint.name] = (T[:3, :3], T[:3, 3])
    return found


def with_fields(description: Description, name: str, changes: Mapping[str, Any]) -> Description:
    """The description with some fields of a joint changed."""
    known = [joint.name for joint in description.joints]
    if name not in known:
        raise UnknownNameError("joint", name, known, description.name)
    possible = [x.name for x in fields(Joint) if x.name not in ("name", "parent", "child")]
    for key in changes:
        if key not in possible:
            raise TypeError(f"joint {name!r}: expected fields among {', '.join(possible)}, got {key!r}")
    joints = (checked_joint(replace(x, **changes)) if x.name == name else x for x in description.joints)
    return replace(description, joints=tuple(joints))


def attached(model: Model, other: Model, frame: str, prefix: str, pose: Any) -> Description:
    """The description with another robot's root fixed to a frame, its names behind a prefix."""
    model.frame(frame)
    T = np.eye(4) if pose is None else np.asarray(pose)
    if T.shape != (4, 4) or T.dtype.kind not in "iuf" or not np.isfinite(T).all() or (T[3] != [0, 0, 0, 1]).any():
        raise ValueError(f"pose: expected a homogeneous 4x4 matrix, got {pose!r}")
    if abs(T[:3, :3].T @ T[:3, :3] - np.eye(3)).max() > 1e-9 or np.linalg.det(T[:3, :3]) < 0:
        raise ValueError("pose: expected a rotation in the upper left 3x3, got one that turns or stretches axes apart")
    _same_mimic(model, other)
    added = renamed(
        other.description,
        {link.name: prefix + link.name for link in other.description.links},
        {joint.name: prefix + joint.name for joint in other.description.joints},
    )
    root = prefix + _root(other.description)
    bolt = Joint(f"{prefix}attachment", "fixed", frame, root, matrix(T[:3, :3]), vector(T[:3, 3]))
    both = model.description
    for kind, mine, theirs in (
        ("link", both.links, added.links),
        ("joint", both.joints, (bolt, *added.joints)),
    ):
        shared = {x.name for x in mine} & {x.name for x in theirs}
        if shared:
            raise ModelError(f"{kind} {min(shared)!r}: both robots have one of that name; give another prefix")
    return replace(both, links=(*both.links, *added.links), joints=(*both.joints, bolt, *added.joints))


def _same_mimic(model: Model, other: Model) -> None:
    """Refuse followers that would become free, and free joints that would become followers."""
    theirs = other.options.mimic
    related = next((joint for joint in other.description.joints if joint.mimic is not None), None)
    if related is not None and theirs != model.options.mimic:
        raise ModelError(
            f"joint {related.name!r} of the other robot: its mimic relation is "
            f"{'' if theirs else 'not '}applied there (mimic={theirs}) and would {'not ' if theirs else ''}be here; "
            "load both with the same mimic",
            ("joint", related.name),
        )


def _root(description: Description) -> str:
    children = {joint.child for joint in description.joints}
    return next(link.name for link in description.links if link.name not in children)


def part(model: Model, link: str) -> Description:
    """The description of a link and of all that it carries; the link becomes the root."""
    model.frame(link)
    kept, joints = {link}, []
    waiting = [link]
    while waiting:
        parent = waiting.pop()
        for joint in model.description.joints:
            if joint.parent == parent:
                kept.add(joint.child)
                waiting.append(joint.child)
    joints = [joint for joint in model.description.joints if joint.parent in kept]
    names = {joint.name for joint in joints}
    for k, joint in enumerate(joints):
        if joint.mimic is None or joint.mimic.joint in names:
            continue
        if model.options.mimic:
            leader = joint.mimic.joint
            message = f"joint {joint.name!r} follows {leader!r}, which is not behind {link!r}; lock {leader!r} first"
            raise ModelError(message, ("joint", joint.name))
        joints[k] = replace(joint, mimic=None)  # it is free: the model leaves mimic relations out
    links = tuple(x for x in model.description.links if x.name in kept)
    return replace(model.description, links=links, joints=tuple(joints))


def renamed(description: Description, links: Mapping[str, str], joints: Mapping[str, str]) -> Description:
    """The description with other names of some links and joints."""
    for kind, names, known in (
        ("link", links, [link.name for link in description.links]),
        ("joint", joints, [joint.name for joint in description.joints]),
    ):
        if not isinstance(names, Mapping):
            raise TypeError(f"{kind}s: expected a mapping of old names to new ones, got {names!r}")
        for old, new in names.items():
            if old not in known:
                raise UnknownNameError(kind, old, known, description.name)
            if not isinstance(new, str) or not new:
                raise ModelError(f"{kind} {old!r}: expected a new name, got {new!r}", (kind, old))
        after = [names.get(name, name) for name in known]
        twice = {name for name in after if after.count(name) > 1}
        if twice:
            raise ModelError(f"{kind} {min(twice)!r}: two would have that name", (kind, min(twice)))
    return replace(
        description,
        links=tuple(replace(link, name=links.get(link.name, link.name)) for link in description.links),
        joints=tuple(_renamed_joint(joint, links, joints) for joint in description.joints),
    )


def _renamed_joint(joint: Joint, links: Mapping[str, str], joints: Mapping[str, str]) -> Joint:
    mimic = joint.mimic
    if mimic is not None:
        mimic = Mimic(joints.get(mimic.joint, mimic.joint), mimic.multiplier, mimic.offset)
    parent, child = links.get(joint.parent, joint.parent), links.get(joint.child, joint.child)
    return replace(joint, name=joints.get(joint.name, joint.name), parent=parent, child=child, mimic=mimic)


def scaled(model: Model, factor: float, links: Iterable[str] | None) -> Description:
    """The description with masses and inertias multiplied, those of some links or of all."""
    if isinstance(factor, bool) or not isinstance(factor, int | float | np.number) or not 0 <= factor < np.inf:
        raise ValueError(f"factor: expected a finite number >= 0, got {factor!r}")
    chosen = set(model.frame_names) if links is None else set([links] if isinstance(links, str) else links)
    for name in chosen:
        model.frame(name)
    return replace(
        model.description,
        links=tuple(
            replace(x, mass=float(factor) * x.mass, inertia=matrix(float(factor) * np.array(x.inertia)))
            if x.name in chosen
            else x
            for x in model.description.links
        ),
    )


def loaded(model: Model, frame: str, mass: float, com: Any, inertia: Any) -> Description:
    """The description with a rigid payload added to a link."""
    model.frame(frame)
    check = ModelBuilder()
    check.add_link("payload", mass, com, np.zeros((3, 3)) if inertia is None else inertia)
    payload = check.describe().links[0]
    least = np.linalg.eigvalsh(np.array(payload.inertia))[0]
    if least < -1e-9 * abs(np.array(payload.inertia)).max():
        raise ModelError(f"inertia: expected no negative principal moment, got {least:g} kg m^2")
    links = []
    for link in model.description.links:
        if link.name == frame:
            m, *rest = inertia_in_body(link, np.eye(4)) + inertia_in_body(payload, np.eye(4))
            c, (xx, xy, yy, xz, yz, zz) = np.array(rest[:3]) / (m or 1.0), rest[3:]
            about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            about_com = about_origin - m * (c @ c * np.eye(3) - np.outer(c, c))
            link = replace(link, mass=float(m), com=vector(c), inertia=matrix(about_com))
        links.append(link)
    return replace(model.description, links=tuple(links))
