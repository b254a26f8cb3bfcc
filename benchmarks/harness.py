"""Timing of competitors in one process, in turn, so that a change of the machine's speed meets all of them."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

Results = list[dict[str, Any]]
ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
MODELS = {
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "Panda": "panda_description/urdf/panda.urdf",
    "Go2": "go2_description/urdf/go2.urdf",
    "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "Talos": "talos_data/robots/talos_full_v2.urdf",
}


class Times(NamedTuple):
    """Seconds of one call: the least and the median of all rounds."""

    least: float
    median: float


def warmup() -> None:
    """Compile all kernels in another process: one that has just compiled measures slower."""
    subprocess.run([sys.executable, "-m", "featherstone", "warmup"], check=True, stdout=subprocess.DEVNULL)


def interleave(competitors: dict[Any, Callable[[], object]], rounds: int, seconds: float) -> dict[Any, Times]:
    """Time each competitor in each round, as many calls as fill `seconds`."""
    calls = {}
    for name, function in competitors.items():
        function()
        begin = time.perf_counter()
        function()
        calls[name] = max(1, int(seconds / max(time.perf_counter() - begin, 1e-7)))
    found: dict[Any, list[float]] = {name: [] for name in competitors}
    for _ in range(rounds):
        for name, function in competitors.items():
            begin = time.perf_counter()
            for _ in range(calls[name]):
                function()
            found[name].append((time.perf_counter() - begin) / calls[name])
    return {name: Times(min(x), statistics.median(x)) for name, x in found.items()}


def table(header: str, rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table; the header's columns are separated by bars."""
    columns = header.count("|") + 1
    return "\n".join([f"| {header} |", "|---" * columns + "|", *(f"| {' | '.join(map(str, x))} |" for x in rows)])


def command(documentation: str, measure: Callable[[bool], Results], tables: Callable[[Results], list[str]]) -> None:
    """A script's command line: measure, print the tables and, if asked for, keep what was measured."""
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--quick", action="store_true", help="a small part of it, in some seconds")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was measured")
    options = parser.parse_args()
    results = measure(options.quick)
    print(machine())
    for text in tables(results):
        print(f"\n{text}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def machine() -> str:
    """The processor and the versions that a table was measured with."""
    cpu = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), cpu)
    packages = ("numpy", "numba", "llvmlite", "pin", "mujoco")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}, {versions}"
