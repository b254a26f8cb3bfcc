"""Everything suspicious about a robot, found before anything is computed with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algorithms.call import SingularMassMatrixError
from ..algorithms.cholesky import cholesky
from ..model.findings import Finding, examine
from ..model.model import Model
from ..parsers.errors import ParseError
from ..parsers.formats import SAVED, ending, load_saved, read
from ..parsers.loading import build
from ..parsers.mjcf import MjcfReading
from ..parsers.sdf_reading import SdfReading
from ..parsers.sources import Readable
from ..parsers.urdf import UrdfReading

DOES_NOT_LOAD = "parse-error"
Reading = UrdfReading | SdfReading | MjcfReading


@dataclass(frozen=True)
class Report:
    """What `check` found.

    Attributes
    ----------
    subject : the robot's name, or its file.
    findings : a `Finding` for each suspicious thing: `rule`, `element_kind`, `name`, `message`, `remedy`, and of a
        file also `file` and `line`.
    """

    subject: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def __str__(self) -> str:
        if self.ok:
            return f"{self.subject}: nothing suspicious"
        lines = [f"{self.subject}: {len(self.findings)} finding{'s' if len(self.findings) > 1 else ''}"]
        for x in self.findings:
            place = "" if x.line is None else f"line {x.line}: "
            lines += ["", f"{severity(x)}: {place}{x.message} [{x.rule}]", f"    {x.remedy}"]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        findings = [{"severity": severity(x), **vars(x)} for x in self.findings]
        return {"subject": self.subject, "ok": self.ok, "findings": findings}


def severity(finding: Finding) -> str:
    """ "error" where the robot does not load, "warning" where it does."""
    return "error" if finding.rule == DOES_NOT_LOAD else "warning"


def check(model_or_path: Model | Readable) -> Report:
    """Look for whatever is suspicious about a robot.

    Parameters
    ----------
    model_or_path : a Model, URDF or MJCF as path or text, or the path of an SDFormat file (.sdf or .world) or of a
        saved model (.json).

    Returns
    -------
    report : `print` shows it, `.ok` says whether there was nothing to find, `.findings` has each by rule, name and
        remedy. A source that is no robot gives one finding, what is wrong with it.

    Raises
    ------
    TypeError
        Neither a Model nor a path nor a text.

    Notes
    -----
    Found are: what the reader of the format warns of; tensors that no body has; joints that move nothing; limits
    without room; followers that cannot reach their own limits; and a singular mass matrix, from its factor at a random
    configuration.

    Examples
    --------
    >>> import featherstone as fs
    >>> print(fs.check(fs.models.load("planar_2r")))
    planar_2r: nothing suspicious
    """
    try:
        if not isinstance(model_or_path, Model) and ending(model_or_path) == SAVED:
            model_or_path = load_saved(model_or_path)
        if isinstance(model_or_path, Model):
            model = model_or_path
            findings = examine(model.description, model.options)
            return Report(model.name, (*findings, *_singular(model, findings)))
        reading = read(model_or_path)
        model = build(reading)
    except ParseError as error:
        return Report(error.file, (_refusal(error),))
    findings = reading.findings(model.options)
    return Report(reading.file, (*findings, *_singular(model, findings, reading)))


def _refusal(error: ParseError) -> Finding:
    remedy = "the robot does not load until this is mended"
    return Finding(DOES_NOT_LOAD, error.element or "file", error.name, error.message, remedy, error.file, error.line)


def _singular(model: Model, findings: list[Finding], reading: Reading | None = None) -> list[Finding]:
    """A joint without inertia that no other finding explains, such as one that only turns a point mass on its axis."""
    try:
        cholesky(model, model.random_configuration(0))
    except SingularMassMatrixError as error:
        moved = next((joint.child for joint in model.joints if joint.name == error.joint), None)
        if any(x.rule == "massless-leaf" and x.name == moved for x in findings):
            return []
        file, line = (None, None) if reading is None else (reading.file, reading.lines.get(("joint", error.joint)))
        message = f"joint {error.joint!r}: moves nothing that has inertia about or along it"
        remedy = (
            "the mass matrix is singular, so forward dynamics is impossible: check mass, centre of mass and inertia of"
            " the links behind it, or give it an armature"
        )
        return [Finding("singular-mass-matrix", "joint", error.joint, message, remedy, file, line)]
    return []
