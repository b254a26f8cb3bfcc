"""`featherstone check`: everything suspicious about a robot."""

from __future__ import annotations

import typer

from .options import AsJson, ModelName, load, source_of
from .terminal import CHECK_FAILED, command, console, print_json


@command
def check(model: ModelName, as_json: AsJson = False) -> None:
    """Look for whatever is suspicious about a robot. The exit status is 1 if something is found."""
    from ..proof.check import check as examine

    source = source_of(model)
    report = examine(load(model) if source is None else source)
    if as_json:
        print_json(report.to_dict())
    else:
        console().print(str(report), soft_wrap=True)
    if not report.ok:
        raise typer.Exit(CHECK_FAILED)
