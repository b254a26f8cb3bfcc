"""A URDF mended where it is clear how: the nearest inertias that bodies can have, limits the right way round."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..model.arguments import flag
from ..model.model import Model
from ..parsers.edits import Edits, declared_encoding
from ..parsers.errors import ParseError
from ..parsers.formats import SAVED, SDF, ending, load_saved
from ..parsers.sources import TEXT, UTF8_MARK, Readable
from ..parsers.urdf import UrdfReading
from ..parsers.xml import Element
from ..spatial.consistency import nearest_tensors
from .check import Report, check, check_reading

TENSOR_RULES = ("inertia-not-positive", "inertia-triangle-rule")
ENTRIES = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
UNCHANGED = 1e-12  # part of a tensor's size; an entry that moved less keeps its text
LARGE = 0.3  # part of a tensor's size; who must change it by more should compute it anew


@dataclass(frozen=True)
class Change:
    """One thing that was mended: the rule that it broke, which link or joint, its line, and what was done to it."""

    rule: str
    element_kind: str
    name: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message} [{self.rule}]"


@dataclass(frozen=True)
class Repair:
    """What `repair` made of a URDF.

    Attributes
    ----------
    subject : the file, or the robot's name.
    data : the mended URDF as bytes, in the encoding of the original.
    changes : a `Change` for each thing that was mended.
    report : what `check` says about the mended URDF: what could not be mended.
    """

    subject: str
    data: bytes
    changes: tuple[Change, ...]
    report: Report

    @property
    def text(self) -> str:
        """The mended URDF as text."""
        return self.data.removeprefix(UTF8_MARK).decode(declared_encoding(self.data))

    @property
    def ok(self) -> bool:
        """Whether nothing but notes is left."""
        return self.report.ok

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the mended URDF.

        Raises
        ------
        FileExistsError
            There is such a file, and `overwrite` is not True.
        """
        with open(path, "wb" if flag("overwrite", overwrite) else "xb") as stream:
            stream.write(self.data)

    def __str__(self) -> str:
        if not self.changes:
            lines = [f"{self.subject}: nothing to mend"]
        else:
            lines = [f"{self.subject}: {len(self.changes)} change{'s' if len(self.changes) > 1 else ''}", ""]
            lines += [str(x) for x in self.changes]
        left = [x for x in self.report.findings if x.severity != "note"]
        if left:
            lines += ["", "not mended:"]
            lines += [f"line {x.line}: {x.message} [{x.rule}]\n    {x.remedy}" for x in left]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the text as plain values, for JSON."""
        changes = [vars(x) for x in self.changes]
        return {"subject": self.subject, "ok": self.ok, "changes": changes, "report": self.report.to_dict()}


def repair(model_or_path: Model | Readable) -> Repair:
    """Mend a URDF where it is clear how; the rest of its text stays as it is, byte for byte.

    Parameters
    ----------
    model_or_path : a URDF as path or text; or a Model, or the path of a saved one (.json), which is written as URDF
        first.

    Returns
    -------
    mended : `.data` is the mended URDF, `.changes` says what was done, `.report` what is left; `.write(path)` saves it.

    Raises
    ------
    ParseError
        It is no robot, SDFormat, or in an encoding of several bytes a character other than UTF-8.
    TypeError
        Neither a Model nor a path nor a text.

    Notes
    -----
    Mended are: an inertia that no body has, which becomes the nearest one that a body can have, with the same mass and
    centre of mass (docs/check.md derives it); swapped position limits, which are exchanged; negative limits of velocity
    and effort, of which the sign is left out. Units are never guessed: `check` proposes.

    Examples
    --------
    >>> import featherstone as fs
    >>> mended = fs.repair('''<robot name="disc"><link name="disc"><inertial>
    ...   <mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"/>
    ... </inertial></link></robot>''')
    >>> mended.changes[0].message
    "link 'disc': inertia: principal moments 1, 1, 3 become 1.5, 1.5, 3 kg m^2 (changed by 21 %)"
    >>> mended.text.splitlines()[1]
    '  <mass value="1"/><inertia ixx="1.5000015" ixy="0" ixz="0" iyy="1.5000015" iyz="0" izz="3"/>'
    """
    source = model_or_path
    if not isinstance(source, Model) and ending(source) in SDF:
        message = "expected URDF, since the text of SDFormat is not mended; load it and repair the Model"
        raise ParseError(message, str(source))
    if not isinstance(source, Model) and ending(source) == SAVED:
        source = load_saved(source)
    reading = UrdfReading(source.to_urdf() if isinstance(source, Model) else source)
    edits = Edits(reading.source)
    elements = {(x.tag, x.attributes.get("name")): x for x in reading.robot.children}
    changes: list[Change] = []
    for finding in check_reading(reading).findings:
        element = elements.get((finding.element_kind, finding.name))
        if element is None or finding.name is None:
            continue
        said = None
        if finding.rule in TENSOR_RULES:
            said = _mend_tensor(edits, _within(element, "inertial", "inertia"))
        elif finding.rule == "limits-swapped":
            said = _exchange(edits, _within(element, "limit"))
        elif finding.rule == "limit-negative":
            said = _without_sign(edits, _within(element, "limit"))
        if said and (finding.rule, finding.name) not in [(x.rule, x.name) for x in changes]:
            message = f"{finding.element_kind} {finding.name!r}: {said}"
            changes.append(Change(finding.rule, finding.element_kind, finding.name, finding.line or 1, message))
    data = edits.data()
    report = check(data)
    if reading.file != TEXT:
        findings = tuple(replace(x, file=reading.file) for x in report.findings)
        report = replace(report, subject=reading.file, findings=findings)
    subject = source.name if isinstance(source, Model) else reading.file
    return Repair(subject, data, tuple(changes), report)


def _within(element: Element, *tags: str) -> Element:
    for tag in tags:
        element = next(x for x in element.children if x.tag == tag)
    return element


def _mend_tensor(edits: Edits, element: Element) -> str | None:
    """Write the nearest tensor that a body can have, in the axes of the file; None if there is nothing near."""
    given = np.zeros((3, 3))
    for key, i, j in ENTRIES:
        given[i, j] = given[j, i] = float(element.attributes[key])
    nearest = nearest_tensors(given)
    if not np.isfinite(nearest).all():
        return None
    size = np.linalg.norm(given)
    for key, i, j in ENTRIES:
        if abs(nearest[i, j] - given[i, j]) > UNCHANGED * size:
            edits.value(element, key, f"{nearest[i, j]:.12g}")
    before, after = (", ".join(f"{x:.4g}" for x in np.linalg.eigvalsh(I)) for I in (given, nearest))
    change = float(np.linalg.norm(nearest - given) / size)
    hint = "; that is much: better compute it anew" if change > LARGE else ""
    return f"inertia: principal moments {before} become {after} kg m^2 (changed by {100 * change:.2g} %{hint})"


def _exchange(edits: Edits, element: Element) -> str:
    """Exchange the limits; one that is not given is 0, so the other gets its name."""
    given = element.attributes
    for key, other in (("lower", "upper"), ("upper", "lower")):
        if key in given and other in given:
            edits.value(element, key, given[other])
        elif key in given:
            edits.name(element, key, other)
    return f"limits {given.get('lower', '0')} and {given.get('upper', '0')} are exchanged"


def _without_sign(edits: Edits, element: Element) -> str:
    said = []
    for key in ("velocity", "effort"):
        text = element.attributes.get(key, "0").strip()
        if float(text) < 0.0:
            edits.value(element, key, text.removeprefix("-"))
            said.append(f"the {key} limit {text} becomes {text.removeprefix('-')}")
    return " and ".join(said)
