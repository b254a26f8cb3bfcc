"""`featherstone compare`: a robot's dynamics by featherstone and by another engine."""

from __future__ import annotations

from typing import Annotated

import typer

from ..parsers import models
from .options import AsJson, FloatingBase, ModelName, load, source_of
from .terminal import CHECK_FAILED, command, console, print_json, working

Samples = Annotated[int | None, typer.Option("--samples", help="How many random states; 100, or 3 of the truth.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the random states.")]
Against = Annotated[
    str, typer.Option("--against", help="pinocchio, mujoco, or truth: the same sources with 50 digits.")
]


@command
def compare(
    model: ModelName,
    samples: Samples = None,
    seed: Seed = 0,
    floating_base: FloatingBase = False,
    against: Against = "pinocchio",
    as_json: AsJson = False,
) -> None:
    """Compare a robot's dynamics with another engine's, or the truth. The exit status is 1 if an error is too large."""
    from ..proof.compare import compare as measure

    source = source_of(model)
    with working("comparing"):
        if source is None:
            robot = load(model, floating_base=floating_base)
            # MuJoCo's reader refuses point masses, which a shipped robot has
            file = models.FOLDER / f"{model}.urdf" if against == "pinocchio" else None
            comparison = measure(robot, against, samples, seed, urdf=file)
        else:
            comparison = measure(source, against, samples, seed, floating_base=floating_base)
    if as_json:
        print_json(comparison.to_dict())
    else:
        console().print(str(comparison), soft_wrap=True)
    if not comparison.ok:
        raise typer.Exit(CHECK_FAILED)
