"""Whether results can be written, found out before the work and not after it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

TRAJECTORIES = (".npz", ".csv")
PICTURES = (".png", ".pdf", ".svg", ".jpg")


def check_out(path: str) -> None:
    """Raise ValueError or OSError if a trajectory cannot be written there."""
    _check("--out", path, TRAJECTORIES)


def check_plot(path: str) -> None:
    """Raise ValueError or OSError if a picture cannot be written there, or there is no Matplotlib."""
    _check("--plot", path, PICTURES)
    if path and importlib.util.find_spec("matplotlib") is None:
        raise ValueError("--plot: drawing needs Matplotlib: pip install 'featherstone[plot]'")


def _check(option: str, path: str, endings: tuple[str, ...]) -> None:
    if not path:
        return
    if Path(path).suffix not in endings:
        raise ValueError(f"{option}: expected a name that ends in {', '.join(endings)}, got {path!r}")
    folder = Path(path).parent
    if not folder.is_dir():
        raise ValueError(f"{option}: there is no directory {str(folder)!r}")
    if Path(path).is_dir() or not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise ValueError(f"{option}: {path!r} cannot be written")
