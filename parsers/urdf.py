"""The reader of URDF, the robot description format of ROS."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..model.builder import ModelBuilder
from ..model.description import AXIS_TYPES, IDENTITY, MOST_LINKS, ZERO, Matrix, Mimic, Options
from ..model.errors import ModelError
from ..model.findings import Finding, examine, mimic_fault
from ..spatial.inertias import rotate_symmetric
from .errors import ParseError
from .loading import finish, raise_first
from .scope import XACRO_HINT, Scope
from .sources import Readable, Source, open_source
from .values import limit, rotation_from_rpy
from .xml import Element, parse_xml

if TYPE_CHECKING:
    from ..model.model import Model

# spherical is not in the standard, but Bullet, MuJoCo and `Model.to_urdf` have it
URDF_TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating", "spherical")
AXIS_LENGTH_TOLERANCE = 1e-3  # a file's digits explain less, see the axes "0.577 0.577 0.577" of real files
_XACRO = re.compile(r"\$\{[^{}$]*\}?|\$\((?:find|arg|eval|env|optenv|anon|dirname|cwd)\b[^()$]*\)?")


def load_urdf(
    source: Readable,
    *,
    floating_base: bool = False,
    mimic: bool = True,
    strict: bool = False,
    merge_fixed: bool = True,
) -> Model:
    """Read a robot from URDF.

    Only what the dynamics needs is read: meshes are never opened, `package://` paths are never resolved.

    Parameters
    ----------
    source : a path, or the XML text as str or bytes (a str is a text if it begins with "<").
    floating_base : give the root link a floating joint, called "root_joint".
    mimic : apply <mimic>: followers leave q, qd and tau. False makes them free joints.
    strict : make every warning a ParseError.
    merge_fixed : links behind fixed joints become part of the body that carries them, their frames are kept.

    Raises
    ------
    ParseError
        The source cannot be read, is no URDF, or is no robot; with file, line, element, name and value.

    Warns
    -----
    ModelWarning
        One for each thing that loads but looks mistaken, such as a tensor that no body has.

    Notes
    -----
    What <limit> does not give is not limited, nor is what it gives as the largest float64, 1.7976931348623157e308; but
    if it gives one of `lower` and `upper`, the other is 0, as URDF says.
    Position limits of continuous joints are dropped. Axes are normalised. Besides the types of the standard there is
    "spherical", a ball joint, which Bullet and MuJoCo read too.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.load_urdf('''
    ... <robot name="wheel">
    ...   <link name="axle"/>
    ...   <link name="disc">
    ...     <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="2"/></inertial>
    ...   </link>
    ...   <joint name="spin" type="continuous">
    ...     <parent link="axle"/> <child link="disc"/> <axis xyz="0 0 1"/>
    ...   </joint>
    ... </robot>''')
    <Model 'wheel': 1 moving body, nq 1, nv 1, fixed base, 2 kg>
    """
    reading = UrdfReading(source)
    return finish(reading, strict, mimic, floating_base=floating_base, merge_fixed=merge_fixed)


def read_urdf(source: Readable, *, strict: bool = False) -> tuple[ModelBuilder, list[Finding]]:
    """The links and joints of a URDF, not yet built, and all findings about them in the order of their lines.

    Raises
    ------
    ParseError
        The source cannot be read or is no URDF; with strict=True also the first finding.
    """
    reading = UrdfReading(source)
    findings = reading.findings(Options())
    if strict:
        raise_first(findings)
    return reading.builder, findings


class UrdfReading:
    """One URDF, read: a builder with its links and joints, and where in the file they stand."""

    def __init__(self, source: Readable | Source) -> None:
        self.source = source if isinstance(source, Source) else open_source(source)
        self.file = self.source.file
        self.lines: dict[tuple[str, str], int] = {}
        self._closing: dict[str, int] = {}  # links with two parents, and the lines of the joints that close the loops
        self._findings: list[Finding] = []
        self.robot = parse_xml(self.source)
        links, joints = self._check_robot()
        for link in links:
            self._read_link(link)
        types = {joint.name: joint.text(joint.element, "type") for joint in joints}
        children: set[str] = set()
        for joint in joints:
            child = self._read_joint(joint, types)
            if child in children:
                self._closing.setdefault(child, joint.element.line)
            children.add(child)
        self._look_for_xacro()

    def build(self, **options: Any) -> Model:
        """The model, with options of the builder."""
        return self.builder.build(**options)

    def findings(self, options: Options) -> list[Finding]:
        """Everything suspicious, in the order of the lines: what the file says wrongly, and what no robot is like."""
        physical = (
            dataclasses.replace(x, file=self.file, line=self.lines.get((x.element_kind, x.name or ""), 1))
            for x in examine(self.builder.describe(), options)
        )
        return sorted([*self._findings, *physical], key=lambda x: x.line or 0)

    def located(self, error: ModelError) -> ParseError:
        """What the model says is wrong, with the place in the file."""
        kind, name = error.element or ("robot", self.builder.name)
        line = self.lines.get((kind, name), self.robot.line)
        if kind == "link":
            line = self._closing.get(name, line)
        return ParseError(str(error), self.file, line, kind, name)

    def _check_robot(self) -> tuple[list[Scope], list[Scope]]:
        """The links and joints: direct children of the robot, since those in <transmission>, <gazebo> are others."""
        robot = self.robot
        scope = Scope(self.file, robot, "robot", robot.attributes.get("name"))
        if robot.tag != "robot":
            message = f"expected the root element <robot>, got <{robot.tag}>; is it URDF?"
            raise Scope(self.file, robot, robot.tag).error(message)
        self.builder = ModelBuilder(scope.name or "robot")
        links, joints = ([self._name(x) for x in robot.children if x.tag == tag] for tag in ("link", "joint"))
        if not links:
            xacro = any(x.tag.startswith("xacro:") for x in robot.children)
            raise scope.error(f"expected at least one <link>, got none; {XACRO_HINT if xacro else 'add one'}")
        for tag, found in (("link", links), ("joint", joints)):
            if len(found) > MOST_LINKS:
                raise scope.error(f"expected at most {MOST_LINKS} <{tag}>, got {len(found)}; split the robot")
        return links, joints

    def _name(self, element: Element) -> Scope:
        nameless = Scope(self.file, element, element.tag)
        key = (element.tag, nameless.text(element, "name"))
        scope = nameless._replace(name=key[1])
        if key in self.lines:
            message = f"the name is given twice, also at line {self.lines[key]}: expected different ones; rename one"
            raise scope.error(message, value=key[1])
        self.lines[key] = element.line
        return scope

    def _found(self, rule: str, scope: Scope, at: Element, message: str, remedy: str) -> None:
        text = f"{scope.title}: {message}"
        self._findings.append(Finding(rule, scope.kind, scope.name, text, remedy, self.file, at.line))

    def _add(self, add: Callable[..., None], *arguments: Any, **options: Any) -> None:
        """Call one of the builder's methods; what it refuses is wrong in the file."""
        try:
            add(*arguments, **options)
        except ModelError as error:
            raise self.located(error) from None

    def _read_link(self, scope: Scope) -> None:
        inertial = scope.child(scope.element, "inertial")
        if inertial is None:
            self._add(self.builder.add_link, scope.name)
            return
        mass_element = scope.required_child(inertial, "mass", '<mass value="..."/> in kg')
        mass = scope.number(mass_element, "value")
        if mass < 0.0:
            message = f"<mass value>: expected a number >= 0, got {mass:g}; correct the sign"
            raise scope.error(message, mass_element, mass_element.attributes["value"])
        tensor = scope.required_child(inertial, "inertia", '<inertia ixx="..." ... izz="..."/> in kg m^2')
        xx, xy, xz, yy, yz, zz = (scope.number(tensor, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        com, rotation = self._origin(scope, inertial)
        if rotation is not IDENTITY:
            flat = tuple(x for row in rotation for x in row)
            xx, xy, yy, xz, yz, zz = rotate_symmetric(flat, (xx, xy, yy, xz, yz, zz))
        inertia = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        self._add(self.builder.add_link, scope.name, mass, com, inertia)

    def _read_joint(self, scope: Scope, types: dict[str | None, str]) -> str:
        """Give a joint to the builder and return its child link."""
        element, kind = scope.element, types[scope.name]
        if kind not in URDF_TYPES:
            message = f"expected a type of {', '.join(URDF_TYPES)}, got {kind!r}; correct it"
            raise scope.error(message, value=kind)
        ends = [scope.text(scope.required_child(element, x, f'<{x} link="..."/>'), "link") for x in ("parent", "child")]
        position, rotation = self._origin(scope, element)
        axis, limits = self._axis(scope, kind), self._limits(scope, kind)
        dynamics = scope.child(element, "dynamics")
        losses = {key: scope.number(dynamics, key, 0.0) for key in ("damping", "friction")}
        if kind == "fixed":
            losses = {}
        follow = self._mimic(scope, types)
        options = {"rotation": rotation, "position": position, "axis": axis, "mimic": follow, **limits, **losses}
        self._add(self.builder.add_joint, scope.name, kind, *ends, **options)
        return ends[1]

    def _origin(self, scope: Scope, parent: Element) -> tuple[tuple[float, ...], Matrix]:
        origin = scope.child(parent, "origin")
        xyz, rpy = scope.vector(origin, "xyz", ZERO), scope.vector(origin, "rpy", ZERO)
        return xyz, rotation_from_rpy(*rpy) if any(rpy) else IDENTITY

    def _axis(self, scope: Scope, kind: str) -> tuple[float, ...]:
        element = scope.child(scope.element, "axis")
        if element is None:
            return (1.0, 0.0, 0.0)
        axis = scope.vector(element, "xyz")
        length = math.hypot(*axis)
        if kind not in AXIS_TYPES:
            return (1.0, 0.0, 0.0)
        if length == 0.0:
            message = f"<axis xyz>: expected a direction for a {kind} joint, got the zero vector; give it a length of 1"
            raise scope.error(message, element, element.attributes["xyz"])
        if abs(length - 1.0) > AXIS_LENGTH_TOLERANCE:
            message = f"<axis xyz>: expected a length of 1, got {length:g}"
            self._found("axis-length", scope, element, message, "it is normalised: give a unit vector")
        return axis

    def _limits(self, scope: Scope, kind: str) -> dict[str, float]:
        """Limits of joints of one degree of freedom; the numbers of others are checked and left."""
        element = scope.child(scope.element, "limit")
        given: dict[str, float] = {}
        for key in ("lower", "upper", "velocity", "effort"):
            if element is not None and key in element.attributes:
                given[key] = limit(scope.number(element, key))
        ends = given.keys() & {"lower", "upper"}
        if kind in ("revolute", "prismatic"):
            if not ends:
                message = f"expected a <limit> with lower and upper for a {kind} joint, got none"
                remedy = "it moves without limits: give them, or make it continuous if it turns freely"
                self._found("no-limits", scope, element or scope.element, message, remedy)
                return given
            return {"lower": 0.0, "upper": 0.0, **given}
        if kind != "continuous":
            return {}
        if element is not None and ends:
            message = "expected no lower and upper limits for a continuous joint"
            remedy = "they are not used: remove them or make it revolute"
            self._found("limits-on-continuous", scope, element, message, remedy)
        return {key: value for key, value in given.items() if key not in ends}

    def _mimic(self, scope: Scope, types: dict[str | None, str]) -> Mimic | None:
        element = scope.child(scope.element, "mimic")
        if element is None or scope.name is None:
            return None
        leader = scope.text(element, "joint")
        multiplier, offset = scope.number(element, "multiplier", 1.0), scope.number(element, "offset", 0.0)
        fault = mimic_fault(scope.name, types[scope.name], leader, types.get(leader))
        if fault:
            self._findings.append(dataclasses.replace(fault, file=self.file, line=element.line))
            return None
        return Mimic(leader, multiplier, offset)

    def _look_for_xacro(self) -> None:
        """Find what xacro should have replaced: one finding for the robot's name and each of its children."""
        for top in (self.robot, *self.robot.children):
            elements = [top]
            for element in elements:  # grows while it is walked
                elements.extend(element.children if element is not self.robot else ())
                found = next(filter(None, map(_XACRO.search, (*element.attributes.values(), element.text))), None)
                if found or element.tag.startswith("xacro:"):
                    shown = repr(found[0]) if found else f"<{element.tag}>"
                    scope = Scope(self.file, top, top.tag, top.attributes.get("name"))
                    self._found("xacro-left-over", scope, element, f"found {shown}", XACRO_HINT)
                    break
