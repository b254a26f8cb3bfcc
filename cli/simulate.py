"""`featherstone simulate`: run a robot from a state, tell where it ends and whether the energies add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from .files import check_out, check_plot
from .options import AsJson, FloatingBase, ModelName, load
from .terminal import command, console, line, number, print_json, print_table, progress
from .vectors import assigned, numbers

if TYPE_CHECKING:
    from ..model.model import Model
    from ..simulation.trajectory import Trajectory

VALUES = "all numbers, or name=number pairs"
Duration = Annotated[float, typer.Option("--duration", help="Simulated time, s; a multiple of dt.")]
Step = Annotated[float, typer.Option("--dt", help="Time step, s.")]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        help="rk4 or semi_implicit_euler; if not given, rk4 but with dry friction or --limits, which it does not suit.",
    ),
]
Q0 = Annotated[str, typer.Option("--q0", help=f"Coordinates at the start: {VALUES}.")]
Qd0 = Annotated[str, typer.Option("--qd0", help=f"Velocities at the start: {VALUES}.")]
Tau = Annotated[str, typer.Option("--tau", help=f"Constant torques and forces: {VALUES}.")]
Random = Annotated[
    int | None, typer.Option("--random", metavar="SEED", help="A random state where --q0 and --qd0 say nothing.")
]
NoLosses = Annotated[bool, typer.Option("--no-losses", help="Leave out damping and friction.")]
Limits = Annotated[bool, typer.Option("--limits", help="Keep torques, velocities and positions within their limits.")]
Gravity = Annotated[str, typer.Option("--gravity", metavar="X,Y,Z", help="Gravity in world axes, m/s^2.")]
Out = Annotated[str, typer.Option("--out", metavar="FILE", help="Write the trajectory as .npz or .csv.")]
Plot = Annotated[str, typer.Option("--plot", metavar="FILE", help="Draw positions, velocities and energies.")]


@command
def simulate(
    model: ModelName,
    duration: Duration = 2.0,
    dt: Step = 0.001,
    method: Method = "",
    q0: Q0 = "",
    qd0: Qd0 = "",
    tau: Tau = "",
    random: Random = None,
    no_losses: NoLosses = False,
    limits: Limits = False,
    gravity: Gravity = "",
    floating_base: FloatingBase = False,
    out: Out = "",
    plot: Plot = "",
    as_json: AsJson = False,
) -> None:
    """Simulate a robot and print its energy balance and final state.

    Without --q0, --qd0 and --random it starts at rest with all coordinates zero. Joint limits are enforced with
    --limits only: torques are cut, positions and velocities are pushed back by springs and dampers.
    """
    from ..simulation.simulate import simulate as integrate
    from ..simulation.trajectory import column_names

    check_out(out)
    check_plot(plot)
    robot = load(model, floating_base=floating_base)
    if gravity:
        robot = robot.with_gravity(numbers("--gravity", gravity))
    if not method:
        stiff = limits or (robot.friction.any() and not no_losses)
        method = "semi_implicit_euler" if stiff else "rk4"
    start_q, start_qd = _start(robot, random)
    coordinates, velocities = column_names(robot)
    start_q = assigned("--q0", q0, coordinates, start_q)
    start_qd = assigned("--qd0", qd0, velocities, start_qd)
    torque = assigned("--tau", tau, velocities, np.zeros(robot.nv))
    with progress("simulating") as report:
        run = integrate(
            robot,
            start_q,
            start_qd,
            tau=torque,
            duration=duration,
            dt=dt,
            method=method,
            losses=not no_losses,
            limits=limits,
            progress=report,
        )
    written = []
    if out:
        run.save(out)
        written.append(out)
    if plot:
        run.plot(plot)
        written.append(plot)
    beyond = beyond_limits(robot, run)
    if beyond and not limits:
        passed = ", ".join(f"{name} at {when:.4g} s" for name, when in beyond.items())
        line("note", f"limits are not enforced; first beyond their limits: {passed}", "bold cyan")
    if as_json:
        print_json(summary(run, method, dt, written) | {"beyond_limits": beyond})
    else:
        _print(run, method, dt, written)


def _start(robot: Model, seed: int | None) -> tuple[np.ndarray, np.ndarray]:
    if seed is None:
        return robot.neutral(), np.zeros(robot.nv)
    if seed < 0:
        raise ValueError(f"--random: expected a seed >= 0, got {seed}")
    rng = np.random.default_rng(seed)
    return robot.random_configuration(rng), rng.uniform(-1.0, 1.0, robot.nv)


def beyond_limits(robot: Model, run: Trajectory) -> dict[str, float]:
    """The coordinates that leave their limits, and when each first does, s."""
    outside = (run.q < robot.q_lower) | (run.q > robot.q_upper)
    found = outside.any(axis=0)
    return {run.coordinate_names[k]: float(run.t[outside[:, k].argmax()]) for k in np.flatnonzero(found)}


def summary(run: Trajectory, method: str, dt: float, written: list[str]) -> dict[str, Any]:
    """What a run came to, as plain data."""
    return {
        "model": run.name,
        "method": method,
        "duration": float(run.t[-1]),
        "dt": dt,
        "steps": len(run) - 1,
        "energy": {name: float(value) for name, value in run.energy_balance().items()},
        "final": {
            "q": dict(zip(run.coordinate_names, run.q[-1].tolist())),
            "qd": dict(zip(run.velocity_names, run.qd[-1].tolist())),
        },
        "written": written,
    }


def _print(run: Trajectory, method: str, dt: float, written: list[str]) -> None:
    out = console()
    out.print(f"{run.name}: {run.t[-1]:g} s in {len(run) - 1} steps of {dt:g} s, {method}\n", soft_wrap=True)
    balance = run.energy_balance()
    order = ("start", "work", "lost", "end", "residual")
    print_table("Energy balance", ["", "J"], [[name, f"{float(balance[name]):.9g}"] for name in order])
    out.print("The residual is the method's error: it shrinks with --dt.\n", soft_wrap=True)
    for title, names, values in (
        ("Coordinates (rad, m)", run.coordinate_names, run.q),
        ("Velocities (rad/s, m/s)", run.velocity_names, run.qd),
    ):
        print_table(
            title,
            ["name", "start", "end"],
            [[n, number(x), number(y)] for n, x, y in zip(names, values[0], values[-1])],
        )
    for path in written:
        out.print(f"wrote {path}", soft_wrap=True)
