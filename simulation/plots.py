"""Pictures of trajectories, by Matplotlib."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .trajectory import Trajectory


def draw(trajectory: Trajectory, path: str | os.PathLike[str] | None = None) -> Any:
    """Joint positions, velocities and the energy balance of one trajectory over time.

    Raises
    ------
    ImportError
        Matplotlib is not installed; the message says how to get it.
    ValueError
        The trajectory is a batch.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("drawing needs Matplotlib: pip install 'featherstone[plot]'") from None
    if trajectory.q.ndim != 2:
        raise ValueError(f"trajectory: expected a single one to draw, got a batch {trajectory.q.shape[:-2]}")
    figure = Figure(figsize=(9, 9), layout="constrained")
    positions, velocities, energy = figure.subplots(3, sharex=True)
    for axes, values, names, label in (
        (positions, trajectory.q, trajectory.coordinate_names, "q (rad, m)"),
        (velocities, trajectory.qd, trajectory.velocity_names, "qd (per s)"),
    ):
        lines = axes.plot(trajectory.t, values, linewidth=1)
        axes.set_ylabel(label)
        if len(names) <= 12:
            axes.legend(lines, names, fontsize="x-small", ncols=2, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    for values, label in (
        (trajectory.energy, "energy"),
        (trajectory.energy[0] + trajectory.work - trajectory.lost, "start + work - losses"),
    ):
        energy.plot(trajectory.t, values, linewidth=1, label=label, linestyle="-" if label == "energy" else "--")
    energy.set_ylabel("energy (J)")
    energy.set_xlabel("t (s)")
    energy.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    for axes in (positions, velocities, energy):
        axes.grid(alpha=0.3)
    figure.suptitle(trajectory.name)
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure
