"""`featherstone check`: everything suspicious about a robot, and with `--fix` a mended copy of its URDF."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from ..parsers import models
from ..parsers.formats import SAVED
from .options import AsJson, ModelName, load, source_of
from .terminal import CHECK_FAILED, command, console, line, print_json

STANDARD_OUTPUT = "-"

Fix = Annotated[bool, typer.Option("--fix", help="Write a mended copy of the URDF, NAME.fixed.urdf beside it.")]
Output = Annotated[
    str, typer.Option("--output", metavar="FILE", help="Where --fix writes instead; - for standard output.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Let --fix write over a file that is there.")]


@command
def check(
    model: ModelName, fix: Fix = False, output: Output = "", overwrite: Overwrite = False, as_json: AsJson = False
) -> None:
    """Look for whatever is suspicious about a robot. The exit status is 1 if something but notes is found.

    With --fix, what can be mended is mended in a copy: inertias that no body has, swapped and negative limits. The copy
    is written if anything changed, or if --output is given; the exit status is then 1 if something is left.
    """
    from ..proof.check import check as examine

    source = source_of(model)
    if fix:
        _fix(model, source, output, overwrite, as_json)
        return
    if output or overwrite:
        raise ValueError(f"{'--output' if output else '--overwrite'}: expected --fix before it")
    report = examine(load(model) if source is None else source)
    _tell(report, report.to_dict(), as_json)


def _fix(model: str, source: str | bytes | None, output: str, overwrite: bool, as_json: bool) -> None:
    from ..proof.repair import repair

    place = output or _beside(model, source)
    if as_json and place == STANDARD_OUTPUT:
        raise ValueError("--json: expected --output to be a file, since both would go to standard output")
    mended = repair(models.FOLDER / f"{model}.urdf" if source is None else source)
    written = bool(mended.changes or output)
    if place == STANDARD_OUTPUT:
        sys.stdout.buffer.write(mended.data)
    elif written:
        try:
            mended.write(place, overwrite=overwrite)
        except FileExistsError:
            raise ValueError(f"--fix: {place!r} exists; give another --output, or --overwrite") from None
        if not as_json:
            line("written", place, "bold green")
    _tell(mended, mended.to_dict() | {"output": place if written else None}, as_json, place == STANDARD_OUTPUT)


def _beside(model: str, source: str | bytes | None) -> str:
    """Where the mended copy goes if nobody says: beside the original."""
    if not isinstance(source, str):
        what = "standard input" if source is not None else f"{model!r}, which ships with featherstone,"
        raise ValueError(f"--fix: {what} has no place beside it; say where to write with --output FILE")
    return source.removesuffix(".urdf").removesuffix(SAVED) + ".fixed.urdf"


def _tell(result: Any, described: dict[str, Any], as_json: bool, stderr: bool = False) -> None:
    if as_json:
        print_json(described)
    else:
        console(stderr).print(str(result), soft_wrap=True)
    if not result.ok:
        raise typer.Exit(CHECK_FAILED)
