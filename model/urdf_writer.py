"""Models as URDF, and what URDF cannot say about them."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from .description import AXIS_TYPES, IDENTITY, Description, Joint, Link, Matrix, Options
from .errors import ModelError, ModelWarning
from .splitting import SPLIT, split

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 has no way to write
ORTHONORMAL = 1e-12  # angles say rotations only: what is further from one than rounding is changed
LARGEST = sys.float_info.max  # for "no limit": other readers refuse a <limit> without effort and velocity
LIMITED = ("revolute", "continuous", "prismatic")
SHOWN = 6  # names in the warning


def to_urdf(description: Description, options: Options) -> str:
    """The URDF of a description; one warning lists all that it leaves out."""
    left_out = _left_out(description, options)
    if left_out:
        warnings.warn(f"model {description.name!r}: URDF cannot say: {'; '.join(left_out)}", ModelWarning, stacklevel=3)
    description = split(description)
    lines = [f"<robot name={_quoted(description.name)}>"]
    for link in description.links:
        lines += _link(link)
    for joint in description.joints:
        lines += _joint(joint)
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *lines, "</robot>", ""])


def _left_out(description: Description, options: Options) -> list[str]:
    standard, joints = Options(), description.joints
    found = [
        f"{name}={getattr(options, name)} (give it to load_urdf)"
        for name in ("floating_base", "mimic", "merge_fixed")
        if getattr(options, name) != getattr(standard, name)
    ]
    if options.gravity != standard.gravity:
        found.append(f"gravity {options.gravity} (use with_gravity)")
    moving = [joint for joint in joints if joint.type != "fixed"]
    for what, concerned in (
        ("the armature of", [x for x in moving if any(x.values("armature"))]),
        ("the rotor of", [x for x in moving if x.rotor is not None]),
        ("the shape of the friction of", [x for x in moving if any((*x.values("stiction"), *x.values("smoothing")))]),
        ("as one joint (written as several):", [x for x in moving if x.type in SPLIT]),
        ("different damping or friction of the degrees of", [x for x in moving if _has_several_losses(x)]),
        ("the limits of", [x for x in moving if x.type not in LIMITED and x.type not in SPLIT and _has_limits(x)]),
        ("the exact rotation, which is not orthonormal, of", [x for x in joints if not _is_orthonormal(x.rotation)]),
        (
            "in the standard's types (spherical is for Bullet and MuJoCo):",
            [x for x in joints if _is_ball(x)],
        ),
    ):
        if concerned:
            found.append(f"{what} {_listed(x.name for x in concerned)}")
    return found


def _listed(names: Iterable[str]) -> str:
    names = list(map(repr, names))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _has_several_losses(joint: Joint) -> bool:
    several = isinstance(joint.damping, tuple) or isinstance(joint.friction, tuple)
    return several and joint.type not in SPLIT


def _has_limits(joint: Joint) -> bool:
    limits = [value for key in ("lower", "upper", "velocity", "effort") for value in joint.values(key)]
    return any(map(math.isfinite, limits))


def _is_ball(joint: Joint) -> bool:
    return joint.type == "spherical"


def _is_orthonormal(rotation: Matrix) -> bool:
    R = np.array(rotation)
    return bool(abs(R @ R.T - np.eye(3)).max() <= ORTHONORMAL)


def _link(link: Link) -> list[str]:
    if link == Link(link.name):
        return [f"  <link name={_quoted(link.name)}/>"]
    (xx, _, _), (xy, yy, _), (xz, yz, zz) = link.inertia
    tensor = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    return [
        f"  <link name={_quoted(link.name)}>",
        "    <inertial>",
        f'      <origin xyz="{_numbers(link.com)}" rpy="0 0 0"/>',
        f'      <mass value="{_numbers([link.mass])}"/>',
        f"      <inertia {_attributes(tensor)}/>",
        "    </inertial>",
        "  </link>",
    ]


def _joint(joint: Joint) -> list[str]:
    free = joint.type == "revolute" and (joint.lower, joint.upper) == (-math.inf, math.inf)
    kind = "continuous" if free else joint.type
    limits = _limits(joint, kind)
    losses = {key: max(joint.values(key), default=0.0) for key in ("damping", "friction")}
    rpy = (0.0, 0.0, 0.0) if joint.rotation == IDENTITY else rpy_from_rotation(joint.rotation)
    lines = [
        f'  <joint name={_quoted(joint.name)} type="{kind}">',
        f'    <origin xyz="{_numbers(joint.position)}" rpy="{_numbers(rpy)}"/>',
        f"    <parent link={_quoted(joint.parent)}/>",
        f"    <child link={_quoted(joint.child)}/>",
    ]
    if kind in AXIS_TYPES:
        lines.append(f'    <axis xyz="{_numbers(joint.axis)}"/>')
    if limits:
        lines.append(f"    <limit {_attributes(limits)}/>")
    if any(losses.values()):
        lines.append(f"    <dynamics {_attributes(losses)}/>")
    if joint.mimic is not None:
        relation = {"multiplier": joint.mimic.multiplier, "offset": joint.mimic.offset}
        lines.append(f"    <mimic joint={_quoted(joint.mimic.joint)} {_attributes(relation)}/>")
    return [*lines, "  </joint>"]


def _limits(joint: Joint, kind: str) -> dict[str, float]:
    """What <limit> says: all, with the largest number for infinity, or nothing where that is allowed."""
    keys = {"continuous": ("velocity", "effort")}.get(kind, ("lower", "upper", "velocity", "effort"))
    given = {key: joint.values(key)[0] for key in keys} if kind in LIMITED else {}
    if kind == "continuous" and all(value == math.inf for value in given.values()):
        return {}
    return {key: min(max(value, -LARGEST), LARGEST) for key, value in given.items()}


def rpy_from_rotation(R: Matrix) -> tuple[float, float, float]:
    """The angles of R = Rz(yaw) Ry(pitch) Rx(roll).

    With pitch near a quarter turn yaw is any angle, but roll is then that of Rz(-yaw) R, so the three together give R.
    """
    yaw = math.atan2(R[1][0] + 0.0, R[0][0] + 0.0)
    s, c = math.sin(yaw), math.cos(yaw)
    pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return roll, pitch, yaw


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(repr, map(float, values)))


def _attributes(values: dict[str, Any]) -> str:
    return " ".join(f'{key}="{_numbers([value])}"' for key, value in values.items())


def _quoted(name: str) -> str:
    """An attribute's value in quotes."""
    if wrong := NO_XML.search(name):
        raise ModelError(f"name {name!r}: expected characters that XML has, got {wrong[0]!r}; use rename")
    return quoteattr(name)
