"""The command `featherstone`, also `python -m featherstone`: its commands, and the examples in their help."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from .cache import cache, warmup
from .check import check
from .compare import compare
from .info import info
from .options import examples
from .simulate import simulate

app = typer.Typer(
    name="featherstone",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(
    epilog=examples(
        "featherstone info planar_2r",
        "featherstone info robot.urdf --floating-base",
        "xacro robot.xacro | featherstone info - --json",
    )
)(info)
app.command(
    epilog=examples(
        "featherstone check robot.urdf",
        "featherstone check robot.urdf --json",
        "featherstone check robot.urdf --fix --output mended.urdf",
    ),
)(check)
app.command(
    epilog=examples(
        "featherstone simulate planar_2r --q0 0.6,-0.9 --duration 10 --method rk4",
        "featherstone simulate cart_pole --q0 pivot=0.1 --tau slide=2 --plot cart.png",
        "featherstone simulate quadruped --q0 root_joint.z=0.5 --random 7 --gravity 0,0,-1.62 --out run.npz",
    )
)(simulate)
app.command(
    epilog=examples(
        "featherstone compare robot.urdf",
        "featherstone compare robot.urdf --floating-base --samples 1000 --seed 3",
        "featherstone compare robot.xml --against mujoco",
        "featherstone compare robot.urdf --against truth",
    )
)(compare)
app.command(epilog=examples("featherstone warmup", "featherstone warmup --json"))(warmup)
app.command(epilog=examples("featherstone cache", "featherstone cache --clear"))(cache)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"featherstone {version('featherstone')}")
        raise typer.Exit


@app.callback()
def featherstone(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Rigid-body dynamics of robots.

    MODEL is the path of a URDF or MJCF file, the name of a robot that ships with featherstone, or - for standard input.

    Exit status: 0 all is well, 1 a check failed, 2 bad usage or input.
    """


def main() -> None:
    """Run the command line on `sys.argv` and exit."""
    stdout: Any = sys.stdout
    if hasattr(stdout, "reconfigure"):
        # a tree drawn to a terminal or pipe of another encoding than UTF-8 must not end in an error
        stdout.reconfigure(errors="replace")
    app()
