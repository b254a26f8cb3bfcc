"""Arguments and options that several commands have, and how a MODEL becomes a robot."""

from __future__ import annotations

import difflib
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ..model.assembly import assemble
from ..parsers import models
from ..parsers.formats import load_any

if TYPE_CHECKING:
    from ..model.model import Model

STANDARD_INPUT = "-"

ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A URDF or MJCF file, an SDFormat file (.sdf or .world), a saved model (.json), - for URDF or MJCF on "
        "standard input, "
        f"or a shipped robot: {', '.join(models.names())}.",
    ),
]
FloatingBase = Annotated[bool, typer.Option("--floating-base", help="Give the root link a floating joint.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


def examples(*lines: str) -> str:
    """The end of a command's help: examples, one a line."""
    return "\n\n".join(["Examples:", *(f"  {line}" for line in lines)])


def source_of(name: str) -> str | bytes | None:
    """What a MODEL stands for: a path, the bytes of standard input, or None if it is a shipped robot.

    Raises
    ------
    OSError
        It looks like a path and cannot be opened.
    ValueError
        It is neither a file nor a shipped robot; the error suggests near names.
    """
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read()
    if name in models.names() and not os.path.isfile(name):
        return None
    if os.path.exists(name) or os.path.basename(name) != name or os.path.splitext(name)[1]:
        open(name, "rb").close()  # raises what is wrong with it
        return name
    near = difflib.get_close_matches(name, models.names(), n=2, cutoff=0.5)
    listed = ", ".join(map(repr, near or models.names()))
    hint = f"did you mean {listed}?" if near else f"shipped robots are {listed}"
    raise ValueError(f"MODEL: {name!r} is neither a file nor a shipped robot; {hint}")


def load(name: str, *, floating_base: bool = False, mimic: bool = True) -> Model:
    """The robot that a MODEL stands for.

    Raises
    ------
    ParseError, ValueError
        There is none.
    ImportError
        It is MJCF, and MuJoCo is not installed.
    """
    source = source_of(name)
    if source is not None:
        return load_any(source, floating_base=floating_base, mimic=mimic)
    model = models.load(name, floating_base=floating_base or None)
    return model if mimic else assemble(model.description, model.options.changed(mimic=False))
