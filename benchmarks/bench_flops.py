"""Operations a state, GFLOP/s against what the core can do at most, and peak memory.

python benchmarks/bench_flops.py [--quick] [--json FILE]

The sources themselves are counted, run on scalars that count. A pair of sine and cosine counts as the 41 operations
of its polynomials over lanes; changes of sign, comparisons, checks and moving states into lanes count as none.
"""

from __future__ import annotations

import functools
import subprocess
import sys

import numpy as np
from counting import operations
from harness import MODELS, Results, Times, command, interleave, table
from peak import peak_kernel
from robots import real

import featherstone as fs
from featherstone.engine.loader import lane_width

BATCH = 4096
SINCOS = 41  # of `near_sincos` in engine/sincos.py: 10 to reduce the angle, 13 the sine, 18 the cosine
TURNS = 20000  # of the loop of multiply-adds
FUNCTIONS = {
    "rnea": lambda model, states, out: fs.rnea(model, *states, out=out),
    "aba": lambda model, states, out: fs.aba(model, *states, out=out),
    "crba": lambda model, states, out: fs.crba(model, states[0], out=out),
}
MEMORY = """
import resource, sys
def peak():
    # what a fork inherits from its parent is in ru_maxrss on Linux, not in VmHWM
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
{code}
print(peak())
"""
STEPS = {
    "import numpy": "import numpy as np",
    "import featherstone": "import featherstone as fs",
    "load a robot of 35 degrees of freedom": "m = fs.models.load('humanoid')",
    "65,536 states": "q = m.random_configuration(0, 65536); v = np.zeros((65536, m.nv)); tau = v.copy(); v[:] = 0.5",
    "rnea of them": "fs.set_num_threads(1); fs.rnea(m, q, v, v, out=tau)",
    "aba of them": "fs.aba(m, q, v, tau, out=tau)",
}


def memory() -> Results:
    """Peak memory in MB of a process that does one thing after another, each in a process of its own."""
    found, code = [], ""
    for name, line in STEPS.items():
        code += f"{line}\n"
        # the second time: nothing has to be compiled
        for _ in range(2):
            process = subprocess.run(
                [sys.executable, "-c", MEMORY.format(code=code)], check=True, capture_output=True, text=True
            )
        found.append({"step": name, "MB": float(process.stdout)})
    return found


def measure(quick: bool) -> Results:
    """Operations and times for each robot and function; then memory."""
    fs.set_num_threads(1)
    width = lane_width()
    peak, per_turn = peak_kernel(width)
    results: Results = []
    for robot in ("Panda",) if quick else MODELS:
        model = real(robot)
        rng = np.random.default_rng(0)
        states = model.random_configuration(rng, BATCH), *rng.normal(size=(2, BATCH, model.nv))
        for name, function in FUNCTIONS.items():
            counted = operations(name, model)
            out = np.empty((BATCH, model.nv) + (model.nv,) * (name == "crba"))
            both = {
                "ours": functools.partial(function, model, states, out),
                "peak": functools.partial(peak, TURNS),
            }
            times = interleave(both, 3 if quick else 9, 0.02)
            row = {"robot": robot, "function": name, "width": width, **counted}
            row["ours"] = Times(*(x / BATCH * 1e9 for x in times["ours"]))._asdict()
            row["peak"] = Times(*(TURNS * per_turn / x / 1e9 for x in times["peak"]))._asdict()
            results.append(row)
    return results + memory()


def tables(results: Results) -> list[str]:
    """Operations, GFLOP/s and the part of the peak; memory."""
    rows = []
    for row in (row for row in results if "robot" in row):
        kinds = [row.get(kind, 0) for kind in ("adds", "multiplies", "divisions", "sincos")]
        total = sum(kinds[:3]) + SINCOS * kinds[3]
        rates = [total / row["ours"][which] for which in ("least", "median")]
        parts = [f"{rate / row['peak'][which] * 100:.0f} %" for rate, which in zip(rates, ("least", "median"))]
        times = [f"{row['ours'][which]:.0f}" for which in ("least", "median")]
        rates = [f"{x:.1f}" for x in (*rates, row["peak"]["least"])]
        rows.append([row["robot"], row["function"], *kinds, total, *times, *rates, *parts])
    header = (
        "robot | function | adds | multiplies | divisions | sine and cosine | in all | ns a state | (median)"
        " | GFLOP/s | (median) | peak | part of it | (median)"
    )
    steps = [[row["step"], f"{row['MB']:.0f}"] for row in results if "step" in row]
    return [table(header, rows), table("after | peak memory, MB", steps)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
