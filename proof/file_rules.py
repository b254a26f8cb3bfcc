"""Rules about a URDF's text, beside its links and joints."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.findings import Finding
from ..parsers.errors import ParseError
from ..parsers.urdf import UrdfReading


def transmissions(reading: UrdfReading) -> Iterator[Finding]:
    """Transmissions for joints that there are not."""
    for element in reading.robot.children:
        for inner in element.children if element.tag == "transmission" else ():
            joint = inner.attributes.get("name")
            if inner.tag == "joint" and joint is not None and ("joint", joint) not in reading.lines:
                name = element.attributes.get("name")
                message = f"transmission {name!r}: there is no joint {joint!r}"
                remedy = "correct the name or remove the transmission"
                found = Finding(
                    "transmission-dangling", "transmission", name, message, remedy, reading.file, inner.line
                )
                yield found


def shared_names(reading: UrdfReading) -> Iterator[Finding]:
    """Links and joints of one name: two name spaces in URDF, but one in tools that make frames of both."""
    for (kind, name), line in reading.lines.items():
        if kind == "joint" and ("link", name) in reading.lines:
            message = f"joint {name!r}: there is also a link of that name, at line {reading.lines['link', name]}"
            remedy = "allowed, but ambiguous where frames of links and joints are mixed; rename one"
            yield Finding("name-shared", "joint", name, message, remedy, reading.file, line, "note")


def unreadable_shapes(reading: UrdfReading, faults: list[ParseError]) -> Iterator[Finding]:
    """Shapes that are not described well: the dynamics does not need them, viewers do."""
    for error in faults:
        remedy = "the dynamics does not need it, viewers and collision checkers do"
        yield Finding(
            "shape-unreadable", error.element or "link", error.name, error.message, remedy, reading.file, error.line
        )
