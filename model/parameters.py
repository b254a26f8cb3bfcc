"""The parameters that dynamics is linear in: ten of each body, and those of drives.

Of a body, in its link frame about the frame's origin: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz. Links that are fixed to
it are part of it. Behind those of all bodies come the drives that are asked for, in this order, each kind a block:

    "armature"   of each degree of freedom, with the reflected inertia of rotors
    "rotor"      the inertia J of each gyroscopic rotor
    "damping"    d of each degree of freedom
    "friction"   Coulomb's f of each degree of freedom
    "stiction"   by how much the friction at rest is more than f, with Stribeck's curve as it is

Degrees of freedom are those of all joints, mimic followers included, body by body; a floating base has no drives.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .arguments import read_only
from .assembly import ROOT_JOINT, inertia_in_body
from .description import NO_INERTIA, Description, Joint, Link, Rotor, floats, matrix, vector
from .errors import ModelError
from .joint_checks import checked_joint

if TYPE_CHECKING:
    from .robot import Robot
    from .tree import Tree

BODY_NAMES = ("m", "m c_x", "m c_y", "m c_z", "I_xx", "I_xy", "I_yy", "I_xz", "I_yz", "I_zz")
BODY = len(BODY_NAMES)
DRIVES = ("armature", "rotor", "damping", "friction", "stiction")


def asked_drives(drives: Any) -> tuple[str, ...]:
    """The kinds of parameters of drives that are asked for, in their order: of None, "all", a kind or several."""
    if drives is None:
        return ()
    kinds = (drives,) if isinstance(drives, str) else tuple(drives) if isinstance(drives, Iterable) else (drives,)
    kinds = DRIVES if kinds == ("all",) else kinds
    for kind in kinds:
        if not isinstance(kind, str) or kind not in DRIVES:
            raise ValueError(f"drives: expected None, 'all' or some of {', '.join(map(repr, DRIVES))}, got {kind!r}")
    return tuple(kind for kind in DRIVES if kind in kinds)


def drive_columns(tree: Tree, drives: Any) -> np.ndarray:
    """How many parameters of drives there are, and where those of each kind begin among all, -1 if not asked for."""
    asked, end = asked_drives(drives), tree.parameters
    starts = []
    for kind in DRIVES:
        starts.append(end if kind in asked else -1)
        end += _count(tree, kind) if kind in asked else 0
    return read_only([end - tree.parameters, *starts], np.int64)


def _count(tree: Tree, kind: str) -> int:
    return tree.rotors if kind == "rotor" else tree.drives


def spinning_rotor(joint: Joint) -> Rotor | None:
    """The joint's rotor, if it is a body of its own."""
    return joint.rotor if joint.rotor is not None and joint.rotor.gyroscopic else None


def parameters(model: Robot, drives: Any) -> np.ndarray:
    """The parameters of a model."""
    bodies = np.zeros((model.nb, BODY))
    for link in model.description.links:
        frame = model.frame(link.name)
        if frame.body > 0:
            bodies[frame.body - 1] += inertia_in_body(link, frame.pose)
    return np.concatenate([bodies.ravel(), *(_drive_values(model, kind) for kind in asked_drives(drives))])


def _drive_values(model: Robot, kind: str) -> np.ndarray:
    if kind == "rotor":
        return np.array([rotor.inertia for joint in model.joints if (rotor := spinning_rotor(joint)) is not None])
    field = "breakaway" if kind == "stiction" else kind
    return getattr(model.tree, field)[model.tree.drive > 0]


def parameter_names(model: Robot, drives: Any) -> tuple[str, ...]:
    """What each parameter is."""
    names = [f"{body}: {name}" for body in model.body_names for name in BODY_NAMES]
    degrees = [
        joint.name if joint.degrees == 1 else f"{joint.name}[{d}]"
        for joint in model.joints
        for d in range(joint.degrees)
        if joint.name != ROOT_JOINT or not model.options.floating_base
    ]
    rotors = [joint.name for joint in model.joints if spinning_rotor(joint) is not None]
    for kind in asked_drives(drives):
        names += [f"{name}: {kind}" for name in (rotors if kind == "rotor" else degrees)]
    return tuple(names)


def with_parameters(model: Robot, pi: Any, drives: Any) -> Description:
    """The description with other parameters; what does not change stays as it is."""
    asked = asked_drives(drives)
    array, size = floats(pi), model.tree.parameters + int(drive_columns(model.tree, drives)[0])
    if array is None or array.shape != (size,):
        got = f"shape {array.shape}" if array is not None else "something else"
        raise ValueError(
            f"pi: expected {size} finite numbers, ten for each of {model.nb} bodies"
            f" and {size - model.tree.parameters} of drives, got {got}"
        )
    bodies, rest = array[: model.tree.parameters].reshape(-1, BODY), array[model.tree.parameters :]
    old = parameters(model, None).reshape(-1, BODY)
    changed = [b for b in range(model.nb) if (bodies[b] != old[b]).any()]
    links = []
    for link in model.description.links:
        b = model.frame(link.name).body - 1
        if b in changed:
            # all of it belongs to the link that the joint moves
            link = _link(link.name, bodies[b]) if link.name == model.body_names[b] else Link(link.name)
        links.append(link)
    ends = np.cumsum([_count(model.tree, kind) for kind in asked])
    given = dict(zip(asked, np.split(rest, ends[:-1]))) if asked else {}
    edited = _drives(model, given)
    joints = tuple(edited.get(joint.name, joint) for joint in model.description.joints)
    return replace(model.description, links=tuple(links), joints=joints)


def _link(name: str, numbers: np.ndarray) -> Link:
    """A link of ten numbers."""
    m, h, (xx, xy, yy, xz, yz, zz) = float(numbers[0]), numbers[1:4], numbers[4:]
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m < 0 or (m == 0 and h.any()):
        expected = "a mass >= 0" if m < 0 else "no first moment without mass"
        raise ModelError(f"link {name!r}: pi: expected {expected}, got m = {m:g}, m c = {h.tolist()}", ("link", name))
    if not m:
        return Link(name, inertia=matrix(about_origin) if about_origin.any() else NO_INERTIA)
    c = h / m
    return Link(name, m, vector(c), matrix(about_origin - m * (c @ c * np.eye(3) - np.outer(c, c))))


def _drives(model: Robot, given: dict[str, np.ndarray]) -> dict[str, Joint]:
    """The joints with other drives, by name."""
    edited: dict[str, Joint] = {}
    now = {kind: _drive_values(model, kind) for kind in DRIVES}
    values = now | given
    d = r = 0
    for joint in model.joints:
        if joint.name == ROOT_JOINT and model.options.floating_base:
            continue
        part = slice(d, d + joint.degrees)
        own = {kind: values[kind][part] for kind in DRIVES if kind != "rotor"}
        changes: dict[str, Any] = {}
        if (own["armature"] != now["armature"][part]).any():
            changes["armature"] = _field(own["armature"])
            if joint.rotor is not None and not joint.rotor.gyroscopic:
                changes["rotor"] = None  # it is part of the armature
        if (own["damping"] != now["damping"][part]).any():
            changes["damping"] = _field(own["damping"])
        if any((own[kind] != now[kind][part]).any() for kind in ("friction", "stiction")):
            changes |= _friction(joint, own["friction"], own["stiction"])
        rotor = spinning_rotor(joint)
        if rotor is not None:
            if values["rotor"][r] != rotor.inertia:
                changes["rotor"] = replace(rotor, inertia=float(values["rotor"][r]))
            r += 1
        if changes:
            edited[joint.name] = checked_joint(replace(joint, **changes))
        d += joint.degrees
    return edited


def _friction(joint: Joint, friction: np.ndarray, beyond: np.ndarray) -> dict[str, Any]:
    """The fields of a friction f that is more at rest; where there is no Stribeck curve all of it is f."""
    curved = np.array(joint.values("stribeck_velocity")) > 0
    friction, beyond = friction + np.where(curved, 0, beyond), np.where(curved, beyond, 0)
    starts = np.where(beyond > 0, friction + beyond, np.where(curved, friction, 0))
    changes = {"friction": _field(friction), "stiction": _field(starts)}
    if not starts.any():
        changes["stribeck_velocity"] = 0.0
    return changes


def _field(values: np.ndarray) -> float | tuple[float, ...]:
    """A field of a joint: one number if it has one degree of freedom."""
    numbers = tuple(values.tolist())
    return numbers[0] if len(numbers) == 1 else numbers
