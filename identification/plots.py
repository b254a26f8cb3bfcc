"""Pictures of identifications, by Matplotlib."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .identification import Identification
    from .measurement import Measurement


def draw(found: Identification, data: Measurement, path: str | os.PathLike[str] | None = None) -> Any:
    """Measured and predicted torque of each degree of freedom, and what is left.

    Raises
    ------
    ImportError
        Matplotlib is not installed; the message says how to get it.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("drawing needs Matplotlib: pip install 'featherstone[plot]'") from None
    predicted = found.predict(data.q, data.qd, data.qdd)
    count = len(found.joint_names)
    x, label = (data.t, "t (s)") if data.t is not None else (np.arange(len(data)), "moment")
    figure = Figure(figsize=(9, 1.0 + 1.6 * max(count, 1)), layout="constrained")
    all_axes = figure.subplots(max(count, 1), sharex=True, squeeze=False)[:, 0]
    for k, name in enumerate(found.joint_names):
        axes = all_axes[k]
        axes.plot(x, data.tau[:, k], linewidth=1, label="measured")
        axes.plot(x, predicted[:, k], linewidth=1, linestyle="--", label="predicted")
        axes.plot(x, data.tau[:, k] - predicted[:, k], linewidth=0.7, label="difference")
        axes.set_ylabel(name, fontsize="small")
        axes.grid(alpha=0.3)
    all_axes[0].legend(fontsize="x-small", ncols=3, loc="upper right")
    all_axes[-1].set_xlabel(label)
    figure.suptitle(f"{found.nominal.name}: torque (N m, N)")
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure
