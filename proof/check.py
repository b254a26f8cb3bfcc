"""Everything suspicious about a robot, found before anything is computed with it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from ..algorithms.call import SingularMassMatrixError
from ..model.findings import Finding, examine
from ..model.model import Model
from ..parsers.errors import ParseError
from ..parsers.formats import SAVED, ending, load_saved, read
from ..parsers.geometry import Outline, read_outlines
from ..parsers.loading import build
from ..parsers.mjcf import MjcfReading
from ..parsers.sdf_reading import SdfReading
from ..parsers.sources import Readable
from ..parsers.urdf import UrdfReading
from .conditioning import Conditioning, ill_conditioned, worst_conditioning
from .extent import lengths_out_of_proportion, measure
from .file_rules import shared_names, transmissions, unreadable_shapes
from .geometry_rules import against_shapes
from .inertia_rules import mirror_images, proportions, spinning_rotors, without_inertial
from .joint_rules import beyond_limits, coaxial, standing_still

DOES_NOT_LOAD = "parse-error"
Reading = UrdfReading | SdfReading | MjcfReading


@dataclass(frozen=True)
class Report:
    """What `check` found.

    Attributes
    ----------
    subject : the robot's name, or its file.
    findings : a `Finding` for each suspicious thing: `rule`, `element_kind`, `name`, `message`, `remedy`, `severity`,
        and of a file also `file` and `line`.
    conditioning : the worst condition number of the mass matrix over random configurations, with its `number`, `joint`
        and `q`; None if the robot does not load, cannot move, or has a singular mass matrix.
    """

    subject: str
    findings: tuple[Finding, ...]
    conditioning: Conditioning | None = None

    @property
    def ok(self) -> bool:
        """Whether there is nothing but notes."""
        return all(x.severity == "note" for x in self.findings)

    def __str__(self) -> str:
        counts = [(kind, sum(x.severity == kind for x in self.findings)) for kind in ("error", "warning", "note")]
        listed = [f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in counts if n]
        lines = [f"{self.subject}: {', '.join(['nothing suspicious'] * self.ok + listed)}"]
        for x in self.findings:
            if x.severity != "note":
                lines += ["", _said(x), f"    {x.remedy}"]
        notes = [_said(x) for x in self.findings if x.severity == "note"]
        return "\n".join([*lines, *([""] if notes else []), *notes])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        conditioning = None if self.conditioning is None else self.conditioning.to_dict()
        findings = [{"severity": x.severity, **vars(x)} for x in self.findings]
        return {"subject": self.subject, "ok": self.ok, "findings": findings, "conditioning": conditioning}


def _said(x: Finding) -> str:
    place = "" if x.line is None else f"line {x.line}: "
    return f"{x.severity}: {place}{x.message} [{x.rule}]"


def check(model_or_path: Model | Readable) -> Report:
    """Look for whatever is suspicious about a robot.

    Parameters
    ----------
    model_or_path : a Model, URDF or MJCF as path or text, or the path of an SDFormat file (.sdf or .world) or of a
        saved model (.json).

    Returns
    -------
    report : `print` shows it, `.ok` says whether there was nothing but notes, `.findings` has each by rule, name,
        severity and remedy. A source that is no robot gives one finding, what is wrong with it.

    Raises
    ------
    TypeError
        Neither a Model nor a path nor a text.

    Notes
    -----
    Found are: what the reader of the format warns of; inertias that no body has, that no matter is dense enough for,
    that are larger than the robot, or unlike their mirror image; joints that move nothing, that cannot move, or that
    turn twice about one line; lengths out of all proportion; a mass matrix that is singular or ill-conditioned in one
    of 64 random configurations. Of a URDF also what does not suit the simple shapes of its <visual> and
    <collision>. docs/check.md has all rules.

    Examples
    --------
    >>> import featherstone as fs
    >>> print(fs.check(fs.models.load("seven_axis")))
    seven_axis: nothing suspicious
    """
    try:
        if not isinstance(model_or_path, Model) and ending(model_or_path) == SAVED:
            model_or_path = load_saved(model_or_path)
        if isinstance(model_or_path, Model):
            return _report(model_or_path, model_or_path.name, examine(model_or_path.description, model_or_path.options))
        return check_reading(read(model_or_path))
    except ParseError as error:
        return Report(error.file, (_refusal(error),))


def check_reading(reading: Reading) -> Report:
    """Look for whatever is suspicious about a robot that has been read; a ParseError if it is none."""
    model = build(reading)
    return _report(model, reading.file, reading.findings(model.options), reading)


def _refusal(error: ParseError) -> Finding:
    remedy = "the robot does not load until this is mended"
    place = (error.file, error.line)
    return Finding(DOES_NOT_LOAD, error.element or "file", error.name, error.message, remedy, *place, "error")


def _report(model: Model, subject: str, known: list[Finding], reading: Reading | None = None) -> Report:
    """What the loader finds, and what only a second look does: with shapes, proportions and the mass matrix."""
    outlines: dict[str, Outline] = {}
    text: list[Finding] = []
    if isinstance(reading, UrdfReading):
        outlines, faults = read_outlines(reading)
        text = [*transmissions(reading), *shared_names(reading), *unreadable_shapes(reading, faults)]
    description, options = model.description, model.options
    extent = measure(description, outlines)
    judged = [
        *lengths_out_of_proportion(description, extent),
        *proportions(description, extent),
        *spinning_rotors(model),
        *without_inertial(description),
        *mirror_images(description),
        *against_shapes(description, outlines, extent),
        *standing_still(description, options),
        *beyond_limits(description, options),
        *coaxial(description, options, extent),
    ]
    judged = list({(x.rule, x.element_kind, x.name): x for x in reversed(judged)}.values())[::-1]  # the first of each
    conditioning, numerical = _conditioning(model, known)
    judged += numerical
    if reading is None:
        return Report(subject, (*known, *judged), conditioning)
    found = [*known, *text, *(_placed(x, reading) for x in judged)]
    return Report(subject, tuple(sorted(found, key=lambda x: x.line or 0)), conditioning)


def _placed(finding: Finding, reading: Reading) -> Finding:
    line = reading.lines.get((finding.element_kind, finding.name or ""))
    return dataclasses.replace(finding, file=reading.file, line=line)


def _conditioning(model: Model, known: list[Finding]) -> tuple[Conditioning | None, list[Finding]]:
    """How well the mass matrix can be inverted; a finding where it cannot, unless another one explains it."""
    try:
        found = worst_conditioning(model)
    except SingularMassMatrixError as error:
        moved = next((joint.child for joint in model.joints if joint.name == error.joint), None)
        if any(x.rule == "massless-leaf" and x.name == moved for x in known):
            return None, []
        message = f"joint {error.joint!r}: moves nothing that has inertia about or along it"
        remedy = (
            "the mass matrix is singular, so forward dynamics is impossible: check mass, centre of mass and inertia of"
            " the links behind it, or give it an armature"
        )
        return None, [Finding("singular-mass-matrix", "joint", error.joint, message, remedy)]
    return found, ill_conditioned(found)
