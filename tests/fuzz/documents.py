"""The files that are damaged: shipped robots, the tests' own files, and small files of packages that the tests need."""

from __future__ import annotations

import sysconfig
import warnings
from functools import cache
from pathlib import Path

import mujoco

import featherstone as fs

from ..random_trees import random_tree

LARGEST = 30_000  # bytes, for speed
DATA = Path(__file__).parents[1] / "data"
ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"


@cache
def urdf() -> list[bytes]:
    """Small real robots and our own cases: between them they hold every element that is read."""
    shipped = Path(fs.models.__file__).parent / "robots"
    return _contents(ROBOTS, "*.urdf") + _contents(shipped, "*.urdf") + _contents(DATA, "*.urdf")


@cache
def sdf() -> list[bytes]:
    """Our own cases: nested models, frames, all joints."""
    return _contents(DATA, "*.sdf")


@cache
def mjcf() -> list[bytes]:
    """Files that MuJoCo's package brings, and our own."""
    return _contents(Path(mujoco.__file__).parent / "testdata", "*.xml") + _contents(DATA, "*.xml")


@cache
def json() -> list[bytes]:
    """Saved models: shipped robots, those of SDFormat files, and random trees of every joint type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        models = [fs.models.load(name) for name in fs.models.names() if name != "humanoid"]
        models += [
            fs.load_sdf(DATA / "sdf_cases" / f"{name}.sdf") for name in ("nested", "poses", "screws", "old_axes")
        ]
    models += [random_tree(seed, 6) for seed in range(12)]
    return [model.to_json().encode() for model in models]


def _contents(folder: Path, pattern: str) -> list[bytes]:
    paths = sorted(folder.rglob(pattern))
    return [path.read_bytes() for path in paths if path.stat().st_size < LARGEST]


FORMATS = {"urdf": urdf, "sdf": sdf, "mjcf": mjcf, "json": json}
