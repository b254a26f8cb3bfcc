"""Judge damaged and huge files: `python -m tests.fuzz --count 25000 --format urdf`.

Each must load or be refused by a ParseError (of saved models, ModelError) within a second of CPU time; a huge one in
ten. The program ends with 1 if one does otherwise, and writes it to a directory.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import big
from .documents import FORMATS
from .inputs import damaged
from .worker import Outcome, Worker

SECONDS, BIG_SECONDS = 1.0, 10.0
PATIENCE = 3.0  # times the limit on CPU time: an input is ended after so long on the clock
BIG_MEMORY = 8 * 2**30


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="inputs of each format")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", choices=list(FORMATS), action="append", help="several times for several; else all")
    parser.add_argument("--only", metavar="K", help="just input K of the seed, or the huge file of this shape")
    parser.add_argument("--start", type=int, default=0, help="the number of the first input")
    parser.add_argument("--big", action="store_true", help="huge files in place of damaged ones")
    parser.add_argument("--megabytes", type=float, default=50.0, help="size of the huge files")
    parser.add_argument("--offenders", type=Path, default=Path("fuzz-offenders"), help="where they are written to")
    return parser.parse_args()


def jobs(given: argparse.Namespace, format: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The names of a format's inputs, and what they are made of."""
    if given.big:
        for shape in big.SHAPES[format]:
            if given.only in (None, shape):
                yield shape, (format, shape, given.megabytes)
        return
    numbers = range(given.start, given.start + given.count) if given.only is None else [int(given.only)]
    for number in numbers:
        yield str(number), (format, given.seed, number)


def report(given: argparse.Namespace, format: str) -> int:
    """Judge all inputs of a format, print what became of them, and count the offenders."""
    function, limit = (big.huge, BIG_SECONDS) if given.big else (damaged, SECONDS)
    worker = Worker(function, BIG_MEMORY) if given.big else Worker(function)
    counts: Counter[str] = Counter()
    slowest, offenders, begin = ("none", Outcome("none")), 0, time.perf_counter()
    for name, job in jobs(given, format):
        outcome = worker.judge(*job, limit=PATIENCE * limit)
        if outcome.seconds > limit:
            outcome = outcome._replace(kind="hang" if outcome.kind == "hang" else "slow")
        counts[outcome.kind] += 1
        slowest = max(slowest, (name, outcome), key=lambda found: found[1].seconds)
        if given.big or given.only is not None:
            print(f"  {format} {name}: {outcome.kind}, {outcome.seconds:.2f} s {outcome.detail[:2000]}", flush=True)
        if outcome.offends:
            offenders += 1
            given.offenders.mkdir(parents=True, exist_ok=True)
            path = given.offenders / f"{format}-{given.seed}-{name}"
            path.with_suffix(".txt").write_text(f"{outcome}\n{outcome.detail}\n", encoding="utf-8")
            if not given.big:
                path.with_suffix(f".{format}").write_bytes(function(*job)[1])
    worker.close()
    found = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    print(
        f"{format}: {found}; slowest {slowest[0]}, {slowest[1].seconds:.2f} s of CPU ({slowest[1].kind}); "
        f"at most {worker.peak:.0f} MB; {time.perf_counter() - begin:.0f} s",
        flush=True,
    )
    return offenders


if __name__ == "__main__":
    chosen = arguments()
    sys.exit(1 if sum([report(chosen, format) for format in chosen.format or FORMATS]) else 0)
