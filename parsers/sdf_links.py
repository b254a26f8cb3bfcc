"""The links of SDFormat, and the list of what SDFormat says and a model cannot."""

from __future__ import annotations

from ..model.description import Matrix
from ..model.findings import Finding
from ..spatial.inertias import rotate_symmetric
from .sdf_frames import Frame
from .sdf_scope import SdfScope

MOMENTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # and what they are if not given
SHOWN = 6  # names for each thing that is left out


class LeftOut:
    """What is not in the model, and of which links and joints: one finding about all of it."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def note(self, what: str, kind: str, name: str) -> None:
        """Add something that a link or joint has."""
        self._found.setdefault(f"{what} {kind}", []).append(name)

    def note_joints(self, world: SdfScope) -> None:
        """The joints between models of a world."""
        for element in world.element.children:
            if element.tag == "joint":
                self.note("between the models of the world", "joint", element.attributes.get("name", ""))

    def note_link(self, name: str, scope: SdfScope) -> None:
        """What a link has that no body of a model has."""
        gravity = scope.child(scope.element, "gravity")
        if gravity is not None and not scope.flag_in(scope.element, "gravity"):
            self.note("no gravity on", "link", name)
        if scope.flag_in(scope.element, "kinematic"):
            self.note("moved as prescribed (<kinematic>):", "link", name)
        decay = scope.child(scope.element, "velocity_decay")
        if any(scope.number_in(decay, tag, 0.0) for tag in ("linear", "angular")):
            self.note("the velocity decay of", "link", name)

    def finding(self, scope: SdfScope) -> list[Finding]:
        """One finding that lists everything, or none."""
        if not self._found:
            return []
        listed = "; ".join(f"{what} {_names(names)}" for what, names in self._found.items())
        message = f"{scope.title}: SDFormat says what a model cannot: {listed}"
        remedy = "it is left out: the dynamics is that of the rest"
        return [Finding("left-out", "model", scope.name, message, remedy, scope.file, scope.element.line)]


def _names(names: list[str]) -> str:
    return ", ".join(map(repr, names[:SHOWN])) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def read_inertial(link: Frame, findings: list[Finding], left_out: LeftOut) -> tuple[float, tuple[float, ...], Matrix]:
    """Mass, centre of mass and inertia about it in the link's axes."""
    scope = link.scope
    left_out.note_link(link.name, scope)
    inertial = scope.child(scope.element, "inertial")
    if inertial is not None and scope.flag_of(inertial, "auto"):
        message = "<inertial auto>: inertias are not computed from shapes; have them written into the file"
        raise scope.error(f"{message}, by `gz sdf -p --expand-auto-inertials`", inertial, inertial.attributes["auto"])
    mass = scope.number_in(inertial, "mass", 1.0)
    if mass < 0.0:
        raise scope.error(f"<mass>: expected a number >= 0, got {mass:g}; correct the sign", inertial)
    tensor = None if inertial is None else scope.child(inertial, "inertia")
    xx, xy, xz, yy, yz, zz = (scope.number_in(tensor, key, default) for key, default in MOMENTS.items())
    given = [] if tensor is None else [x.tag for x in tensor.children]
    missing = [key for key in ("ixx", "iyy", "izz") if key not in given]
    if inertial is None or scope.child(inertial, "mass") is None:
        missing.insert(0, "mass")
    if missing:
        message = f"{scope.title}: expected an <inertial>, not given are {', '.join(missing)}"
        remedy = "SDFormat makes each of them 1 (kg, kg m^2): give them"
        line = (inertial or scope.element).line
        findings.append(Finding("default-inertia", "link", link.name, message, remedy, scope.file, line))
    if inertial is None:
        return mass, (0.0, 0.0, 0.0), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    pose = scope.child(inertial, "pose")
    if pose is not None and pose.attributes.get("relative_to"):
        message = "<inertial><pose relative_to>: expected none, it is always relative to the link; remove the attribute"
        raise scope.error(message, pose, pose.attributes["relative_to"])
    added = scope.child(inertial, "fluid_added_mass")
    if added is not None and any(scope.number_in(added, x.tag, 0.0) for x in added.children):
        left_out.note("the fluid's added mass of", "link", link.name)
    X = scope.pose_in(inertial)
    flat = tuple(X[:3, :3].ravel().tolist())
    xx, xy, yy, xz, yz, zz = rotate_symmetric(flat, (xx, xy, yy, xz, yz, zz))
    return mass, tuple(X[:3, 3].tolist()), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
