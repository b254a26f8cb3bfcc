"""One model in SDFormat, read: a builder with its links and joints, and where in the file they stand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.builder import ModelBuilder
from ..model.description import Mimic, Options
from ..model.errors import ModelError
from ..model.findings import Finding, examine, mimic_fault
from .errors import ParseError
from .sdf_document import find_model, refuse_includes
from .sdf_frames import SEPARATOR, WORLD, Frame, ModelFrames, inverse, pose_in_model
from .sdf_joints import JOINT_TYPES, SdfJoint, needs_frame, options_of, place_joint
from .sdf_links import LeftOut, read_inertial
from .sdf_tree import Piece, SdfTree
from .sources import Readable, open_source
from .xml import parse_xml

if TYPE_CHECKING:
    from ..model.model import Model

GRAVITY = Options().gravity


class SdfReading:
    """One model in SDFormat, read."""

    def __init__(self, source: Readable, model: str | None = None, floating_base: bool | None = None) -> None:
        if model is not None and not isinstance(model, str):
            raise TypeError(f"model: expected the name of a model or None, got {model!r}")
        if floating_base is not None and not isinstance(floating_base, bool | np.bool_):
            raise TypeError(f"floating_base: expected None, True or False, got {floating_base!r}")
        opened = open_source(source)
        self.file = opened.file
        found = find_model(self.file, parse_xml(opened), model)
        self.builder = ModelBuilder(found.frame.scope.name or "robot")
        self.lines: dict[tuple[str, str], int] = {}
        self._scope = found.frame.scope
        self._findings: list[Finding] = []
        self._left_out = LeftOut()
        self._gravity = GRAVITY
        if found.world is not None:
            x, y, z = found.world.vector_in(found.world.element, "gravity", GRAVITY)
            self._gravity = (x, y, z)
            self._left_out.note_joints(found.world)
        top = ModelFrames(found.frame.scope, found.frame.model.version)
        self._models = list(top.models())
        self._place_of_top = pose_in_model(found.frame)
        self._poses: dict[int, np.ndarray] = {}
        self._read(floating_base)

    def build(self, **options: Any) -> Model:
        """The model; the options are those of the builder but for the floating base."""
        return self.builder.build(floating_base=self.floating, gravity=self._gravity, **options)

    def findings(self, options: Options) -> list[Finding]:
        """Everything suspicious in the order of lines, and at the end one finding on what a model cannot say."""
        physical = (
            dataclasses.replace(x, file=self.file, line=self.lines.get((x.element_kind, x.name or ""), 1))
            for x in examine(self.builder.describe(), options)
        )
        found = sorted([*self._findings, *physical], key=lambda x: x.line or 0)
        return [*found, *self._left_out.finding(self._scope)]

    def located(self, error: ModelError) -> ParseError:
        """What the model says is wrong, with the place in the file."""
        kind, name = error.element or ("model", self.builder.name)
        return ParseError(str(error), self.file, self.lines.get((kind, name), self._scope.element.line), kind, name)

    def _read(self, floating_base: bool | None) -> None:
        links: list[Frame] = []
        joints: list[SdfJoint] = []
        frames: list[Frame] = []
        for model in self._models:
            refuse_includes(model.scope)
            for frame in model.members:
                kind = frame.scope.kind
                if kind == "link":
                    links.append(frame)
                elif kind == "joint":
                    joints.append(SdfJoint(frame))
                elif kind == "frame":
                    frames.append(frame)
        if not links:
            raise self._scope.error("expected at least one <link>, got none; add one")
        static = {id(model) for model in self._models if self._is_static(model)}
        tree = SdfTree(links, joints)
        self._choose_base(tree.pieces, static, floating_base)
        for link in links:
            at_rest = id(link.model) in static and floating_base is not True
            self._add_link(link, [] if at_rest else self._findings)
        self._add_base_joints(tree.pieces)
        types = {joint.name: self._type(joint, static) for joint in joints}
        for joint in joints:
            self._add_joint(joint, tree.is_reversed(joint), types)
        for frame in frames:
            self._add_frame(frame)

    def _is_static(self, model: ModelFrames) -> bool:
        return model.scope.flag_in(model.scope.element, "static")

    def _pose(self, frame: Frame) -> np.ndarray:
        """The pose of a link or frame in the chosen model."""
        if id(frame) not in self._poses:
            self._poses[id(frame)] = frame.model.place() @ pose_in_model(frame)
        return self._poses[id(frame)]

    def _choose_base(self, pieces: list[Piece], static: set[int], floating_base: bool | None) -> None:
        """Say which pieces float, and whether there is a link "world"."""
        loose = [piece for piece in pieces if not piece.tied]
        for piece in loose:
            held = floating_base is None and any(id(link.model) in static for link in piece.links)
            piece.floats = floating_base is not False and not held
        alone = len(pieces) == 1 and len(loose) == 1 and loose[0].floats
        self.floating = alone or (floating_base is True and not loose)
        if not alone:
            self._add(self.builder.add_link, WORLD)

    def _add_base_joints(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            if piece.tied or self.floating:
                continue
            root = piece.root.name
            X = np.eye(4) if piece.floats else self._place_of_top @ self._pose(piece.root)
            kind = "floating" if piece.floats else "fixed"
            self._join(f"{root}{SEPARATOR}root_joint", kind, [WORLD, root], X, piece.root)

    def _add_link(self, link: Frame, findings: list[Finding]) -> None:
        mass, com, inertia = read_inertial(link, findings, self._left_out)
        self._add(self.builder.add_link, link.name, mass, com, inertia, line=link.scope.element.line)

    def _type(self, joint: SdfJoint, static: set[int]) -> str:
        """The joint's type in the model; in a static model it is held."""
        if id(joint.frame.model) in static or id(joint.child.model) in static:
            if joint.type != "fixed":
                self._left_out.note("static models: held are", "joint", joint.name)
            return "fixed"
        return JOINT_TYPES[joint.type]

    def _add_joint(self, joint: SdfJoint, reverse: bool, types: dict[str, str]) -> None:
        self._findings.extend(joint.findings)
        if joint.springs:
            self._left_out.note("the spring stiffness of", "joint", joint.name)
        parent = inverse(self._place_of_top) if joint.parent is None else self._pose(joint.parent)
        names = [WORLD if joint.parent is None else joint.parent.name, joint.child.name]
        ends = [parent, self._pose(joint.child)]
        if reverse:
            names.reverse()
            ends.reverse()
        kind = types[joint.name]
        placement = place_joint(joint, (ends[0], ends[1]), reverse)
        if kind == "fixed":
            self._join(joint.name, kind, names, placement.outward @ placement.onward, joint.frame)
            return
        options: dict[str, Any] = {"mimic": self._mimic(joint, types)}
        if not needs_frame(joint, placement):
            turned = [placement.onward[:3, :3].T @ axis for axis in placement.axes]
            X = placement.outward @ placement.onward
            self._join(joint.name, kind, names, X, joint.frame, **options, **options_of(joint, turned))
            return
        own = joint.name
        if joint.frame.model.frames[joint.scope.name or ""] is not joint.frame:  # a link of an old file has its name
            own = f"{joint.name}{SEPARATOR}frame"
        self._add(self.builder.add_link, own, line=joint.scope.element.line)
        more = options_of(joint, placement.axes)
        self._join(joint.name, kind, [names[0], own], placement.outward, joint.frame, **options, **more)
        self._join(f"{joint.name}{SEPARATOR}child", "fixed", [own, names[1]], placement.onward, joint.frame)

    def _mimic(self, joint: SdfJoint, types: dict[str, str]) -> Mimic | None:
        scope = joint.scope
        for axis in joint.axes:
            element = scope.child(axis.element, "mimic")
            if element is None:
                continue
            named = scope.text(element, "joint")
            path = joint.frame.model.path(named, scope, element) if named else []
            leader = path[-1].name if path and path[-1].scope.kind == "joint" else named
            multiplier, reference = (
                scope.number_in(element, "multiplier", 1.0),
                scope.number_in(element, "reference", 0.0),
            )
            offset = scope.number_in(element, "offset", 0.0) - multiplier * reference
            fault = mimic_fault(joint.name, types[joint.name], leader, types.get(leader))
            if fault is None:
                return Mimic(leader, multiplier, offset)
            self._findings.append(dataclasses.replace(fault, file=self.file, line=element.line))
        return None

    def _add_frame(self, frame: Frame) -> None:
        owner = frame.model.link(frame.scope.name or "", frame.scope)
        self._add(self.builder.add_link, frame.name, line=frame.scope.element.line)
        X = inverse(self._pose(owner)) @ self._pose(frame)
        self._join(frame.name, "fixed", [owner.name, frame.name], X, frame)

    def _join(self, name: str, kind: str, ends: list[str], X: np.ndarray, at: Frame, **options: Any) -> None:
        where = {"rotation": X[:3, :3], "position": X[:3, 3]}
        self._add(self.builder.add_joint, name, kind, *ends, line=at.scope.element.line, **where, **options)

    def _add(self, add: Callable[..., None], name: str, *arguments: Any, line: int = 0, **options: Any) -> None:
        """Call one of the builder's methods; what it refuses is wrong in the file."""
        kind = "link" if add == self.builder.add_link else "joint"
        self.lines.setdefault((kind, name), line or self._scope.element.line)
        try:
            add(name, *arguments, **options)
        except ModelError as error:
            raise self.located(error) from None
