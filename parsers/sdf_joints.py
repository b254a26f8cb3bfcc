"""The joints of SDFormat: their types, axes, limits and losses, and where they stand."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..model.findings import Finding
from .sdf_frames import WORLD, Frame, inverse, pose_in_model
from .urdf import AXIS_LENGTH_TOLERANCE
from .xml import Element

# of SDFormat, and what they are in a model
JOINT_TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "ball": "spherical",
    "screw": "helical",
    "universal": "universal",
    "revolute2": "universal",
}
AXES = {"fixed": (), "ball": (), "universal": ("axis", "axis2"), "revolute2": ("axis", "axis2")}
ONE_AXIS = ("axis",)
REVERSIBLE = ("fixed", "revolute", "continuous", "prismatic", "screw", "ball")
OLD_AXES = (1, 5)  # before this version axes are in the model's frame
NEAR = 1e-14  # how far from a joint's axis rounding may take the child's origin, for a distance of 1


class Axis(NamedTuple):
    """A unit direction in the joint's frame, with what the file says about moving about or along it."""

    element: Element
    direction: np.ndarray
    properties: dict[str, float]  # the limits and losses of a `Joint`


class SdfJoint:
    """One joint: its type, the links that it joins (no parent is the world), its frame and its axes."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.scope = scope = frame.scope
        self.name = frame.name
        self.findings: list[Finding] = []
        self.springs = False
        self.type = scope.text(scope.element, "type")
        if self.type not in JOINT_TYPES:
            raise scope.error(f"expected a type of {', '.join(JOINT_TYPES)}, got {self.type!r}{_hint(self.type)}")
        parent = scope.word_in(scope.element, "parent", "<parent>the name of a link</parent>")
        child = scope.word_in(scope.element, "child", "<child>the name of a link</child>")
        if child == WORLD:
            message = "<child>: the world cannot be a child; exchange <parent> and <child>"
            raise scope.error(message, scope.child(scope.element, "child"), child)
        self.parent = None if parent == WORLD else self._link(parent, "parent")
        self.child = self._link(child, "child")
        if self.parent is self.child:
            raise scope.error(f"expected two links, but parent and child are the same, {self.child.name!r}")
        # poses in the outermost model that is read
        place = frame.model.place()
        self.pose = place @ pose_in_model(frame)
        self.axes = [self._axis(tag, place) for tag in AXES.get(self.type, ONE_AXIS)]
        self.losses = self._losses() if self.type == "ball" else {}

    def _link(self, name: str, tag: str) -> Frame:
        return self.frame.model.link(name, self.scope, self.scope.child(self.scope.element, tag))

    def _axis(self, tag: str, place: np.ndarray) -> Axis:
        scope = self.scope
        element = scope.required_child(scope.element, tag, f"<{tag}><xyz>...</xyz></{tag}>")
        given = np.array(scope.vector_in(element, "xyz", (0.0, 0.0, 1.0)))
        xyz = scope.child(element, "xyz")
        length = math.hypot(*given)
        if not 1e-6 < length < 1e12:
            message = f"<{tag} xyz>: expected a direction, got length {length:g}; give it a length of 1"
            raise scope.error(message, xyz, xyz.text if xyz else None)
        if abs(length - 1.0) > AXIS_LENGTH_TOLERANCE:
            message = f"{scope.title}: <{tag} xyz>: expected a length of 1, got {length:g}"
            remedy = "it is normalised: give a unit vector"
            self.findings.append(Finding("axis-length", "joint", self.name, message, remedy, scope.file, element.line))
        rotation = self._orientation(element, xyz, place)
        direction = given / length if rotation is None else self.pose[:3, :3].T @ rotation @ given / length
        return Axis(element, direction, self._properties(tag, element))

    def _orientation(self, element: Element, xyz: Element | None, place: np.ndarray) -> np.ndarray | None:
        """The rotation of the frame that an axis is expressed in; None is that of the joint."""
        model = self.frame.model
        named = "" if xyz is None else xyz.attributes.get("expressed_in", "")
        if not named and (model.version < OLD_AXES or self.scope.flag_in(element, "use_parent_model_frame")):
            return place[:3, :3]
        if not named:
            return None
        X = place
        for frame in model.path(named, self.scope, xyz):
            X = X @ pose_in_model(frame)
        return X[:3, :3]

    def _properties(self, tag: str, element: Element) -> dict[str, float]:
        """What there is of limits and losses. Negative limits of velocity and effort mean none."""
        scope = self.scope
        limit, dynamics = scope.child(element, "limit"), scope.child(element, "dynamics")
        found: dict[str, float] = {}
        for key in ("velocity", "effort"):
            value = scope.limit_in(limit, key, math.inf)
            found[key] = value if value >= 0.0 else math.inf
        if self.type != "continuous":
            found["lower"] = scope.limit_in(limit, "lower", -math.inf)
            found["upper"] = scope.limit_in(limit, "upper", math.inf)
        for key in ("damping", "friction"):
            found[key] = scope.number_in(dynamics, key, 0.0)
            if found[key] < 0.0:
                at = scope.child(dynamics, key) if dynamics else None
                raise scope.error(f"<{tag} {key}>: expected a number >= 0, got {found[key]:g}; correct the sign", at)
        self.springs |= scope.number_in(dynamics, "spring_stiffness", 0.0) != 0.0
        return found

    def _losses(self) -> dict[str, float]:
        """Damping and friction of a joint that turns in all directions; its <axis> says no more."""
        element = self.scope.child(self.scope.element, "axis")
        if element is None:
            return {}
        found = self._properties("axis", element)
        return {key: found[key] for key in ("damping", "friction")}

    def pitch(self) -> float:
        """How far a screw moves along its axis, in m per rad."""
        scope, element = self.scope, self.scope.element
        old = scope.number_in(element, "thread_pitch", 0.0)
        if scope.child(element, "screw_thread_pitch") is None and old != 0.0:
            return -1.0 / old  # rad per m, and left-handed
        return scope.number_in(element, "screw_thread_pitch", 1.0) / math.tau


class Placement(NamedTuple):
    """A joint as it stands between two links: its pose in the first, that of the second in it, and its axes."""

    outward: np.ndarray
    onward: np.ndarray
    axes: list[np.ndarray]


def place_joint(joint: SdfJoint, ends: tuple[np.ndarray, np.ndarray], reverse: bool) -> Placement:
    """A joint between links with these poses; `reverse` makes its child the first of them."""
    sign = -1.0 if reverse else 1.0
    outward, onward = inverse(ends[0]) @ joint.pose, inverse(joint.pose) @ ends[1]
    return Placement(outward, onward, [sign * axis.direction for axis in joint.axes])


def needs_frame(joint: SdfJoint, placement: Placement) -> bool:
    """Whether the second link's origin circles about the joint, so that the joint needs a frame of its own."""
    offset = placement.onward[:3, 3]
    room = NEAR * (1.0 + float(np.abs(offset).max()))
    if joint.type in ("fixed", "prismatic"):
        return False
    if joint.type in ("revolute", "continuous", "screw"):
        offset = np.cross(placement.axes[0], offset)
    return bool(np.abs(offset).max() > room)


def options_of(joint: SdfJoint, axes: list[np.ndarray]) -> dict[str, Any]:
    """What the builder takes of a joint besides its ends and its pose; the axes are in the moved frame at zero."""
    if not joint.axes:
        return dict(joint.losses)
    first, *more = joint.axes
    options: dict[str, Any] = {"axis": axes[0], **first.properties}
    if more:
        options |= {key: tuple(axis.properties[key] for axis in joint.axes) for key in first.properties}
        options["axis2"] = axes[1]
    if joint.type == "screw":
        options["pitch"] = joint.pitch()
    return options


def _hint(kind: str) -> str:
    if kind == "gearbox":
        return "; it couples two other joints and closes a loop: say so by <mimic> in the axis of one of them"
    return "; correct it"
