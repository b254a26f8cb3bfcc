"""One thread and two: batches of 65,536 states, and the smallest batch that two threads finish sooner.

python benchmarks/bench_threads.py [--quick] [--json FILE]

Both give the same bits, which is checked before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from harness import Results, Times, command, interleave, table
from robots import real

import featherstone as fs

LARGE = 65536
SMALL = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
FUNCTIONS = {
    "rnea": lambda model, states, out: fs.rnea(model, *states, out=out),
    "aba": lambda model, states, out: fs.aba(model, *states, out=out),
    "crba": lambda model, states, out: fs.crba(model, states[0], out=out),
}


def on(threads: int, function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    """A call on some threads."""

    def call() -> object:
        fs.set_num_threads(threads)
        return function(*arguments)

    return call


def compared(model: fs.Model, name: str, batch: int, rounds: int, seconds: float) -> dict[str, Times]:
    """The times on one thread and on two."""
    rng = np.random.default_rng(0)
    states = model.random_configuration(rng, batch), *rng.normal(size=(2, batch, model.nv))
    out = np.full((batch, model.nv) + (model.nv,) * (name == "crba"), np.nan)
    other = out.copy()
    on(1, FUNCTIONS[name], model, states, out)()
    on(2, FUNCTIONS[name], model, states, other)()
    assert np.array_equal(out, other), f"{name} on two threads gives other results"
    calls = {str(threads): on(threads, FUNCTIONS[name], model, states, out) for threads in (1, 2)}
    return interleave(calls, rounds, seconds)


def measure(quick: bool) -> Results:
    """Nanoseconds of a state for each robot, function and size of batch."""
    results = []
    for robot in ("Panda",) if quick else ("Panda", "G1"):
        model = real(robot)
        for name in FUNCTIONS:
            sizes = (256, 4096, 16384) if quick else (*SMALL, LARGE)
            for batch in sizes:
                rounds, seconds = (7, 0.05) if batch == LARGE else (3, 0.005) if quick else (15, 0.005)
                times = compared(model, name, batch, rounds, seconds)
                row = {"robot": robot, "function": name, "batch": batch}
                for threads, time in times.items():
                    row[threads] = Times(*(x / batch * 1e9 for x in time))._asdict()
                results.append(row)
    fs.set_num_threads(None)
    return results


def ratio(row: dict, which: str = "median") -> float:
    """How many times faster two threads are."""
    return row["1"][which] / row["2"][which]


def tables(results: Results) -> list[str]:
    """The largest batch, and the ratio against the size of the batch."""
    sizes = sorted({row["batch"] for row in results})
    large, small = [], []
    for robot, name in dict.fromkeys((row["robot"], row["function"]) for row in results):
        rows = {row["batch"]: row for row in results if (row["robot"], row["function"]) == (robot, name)}
        last = rows[sizes[-1]]
        cells = [f"{last[threads][which]:.0f}" for threads in ("1", "2") for which in ("least", "median")]
        large.append([robot, name, sizes[-1], *cells, f"{ratio(last, 'least'):.2f}", f"{ratio(last):.2f}"])
        # from there on two threads are never slower
        faster = [n for n in sizes if all(ratio(rows[k]) > 1.05 for k in sizes if k >= n)]
        ratios = [f"{ratio(rows[n]):.2f}" for n in sizes[:-1]]
        small.append([robot, name, faster[0] if faster else "none", *ratios])
    header = "robot | function | batch | 1 thread, ns a state | (median) | 2 threads | (median) | ratio | (median)"
    ratios = " | ".join(str(n) for n in sizes[:-1])
    return [table(header, large), table(f"robot | function | faster from | {ratios}", small)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
