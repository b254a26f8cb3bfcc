"""Whole processes: import, load a shipped robot, first call; with nothing cached, and with a warm cache.

python benchmarks/bench_start.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

STEPS = {
    "import featherstone": "import featherstone",
    "import, load a robot, first rnea": (
        "import featherstone as fs; m = fs.models.load('quadruped'); z = [0] * m.nv; fs.rnea(m, m.neutral(), z, z)"
    ),
    "import, load a robot, first aba": (
        "import featherstone as fs; m = fs.models.load('quadruped'); z = [0] * m.nv; fs.aba(m, m.neutral(), z, z)"
    ),
    "import, load a robot, first rnea of a batch": (
        "import featherstone as fs, numpy as np; m = fs.models.load('quadruped'); z = np.zeros((9, m.nv));"
        "fs.rnea(m, m.neutral(), z, z)"
    ),
}


def seconds(code: str, cache: str) -> float:
    """The time of one process."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "FEATHERSTONE_CACHE_DIR": cache})
    return time.perf_counter() - begin


def main() -> None:
    """Print the table."""
    print("| process | nothing cached, s | warm cache, s (median of 7) |")
    print("|---|---|---|")
    for name, code in STEPS.items():
        with tempfile.TemporaryDirectory() as cache:
            cold = seconds(code, cache)
            warm = statistics.median(seconds(code, cache) for _ in range(7))
        print(f"| {name} | {cold:.2f} | {warm:.2f} |", flush=True)
    bare = statistics.median(seconds("import numpy", "") for _ in range(7))
    print(f"| import numpy alone | | {bare:.2f} |")


if __name__ == "__main__":
    main()
