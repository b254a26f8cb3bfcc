"""Run all benchmarks and rewrite the measured tables of benchmarks/README.md and its figures.

python benchmarks/run_all.py            about half an hour, on a machine that does nothing else
python benchmarks/run_all.py --quick    a small part of each, in about a minute; rewrites nothing

It fails if a script does, as they do where results disagree; never because something was slow.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from harness import machine, warmup

HERE = Path(__file__).resolve().parent
README = HERE / "README.md"


class Script(NamedTuple):
    """A script, the tables that it prints, in order, and whether it keeps what it measured for the figures."""

    name: str
    tables: tuple[str, ...]
    options: tuple[str, ...] = ()
    quick: tuple[str, ...] = ("--quick",)
    keeps: bool = False


SCRIPTS = (
    Script("bench_calls", ("calls",)),
    Script("bench_dynamics", ("dynamics",), keeps=True),
    Script("bench_mujoco", ("mujoco",)),
    Script("bench_sizes", ("sizes", "spread"), keeps=True),
    Script("bench_rollouts", ("rollouts",)),
    Script("bench_derivatives", ("derivatives",)),
    Script("bench_gradient", ("gradient",)),
    Script("bench_threads", ("threads", "crossover")),
    Script("bench_flops", ("operations", "memory")),
    Script("bench_start", ("start", "cold")),
    Script("accuracy", ("accuracy",), quick=("--samples", "2")),
)


def run(script: Script, quick: bool, folder: Path) -> tuple[int, str]:
    """The exit code of a script, and what it printed; shown as it comes."""
    options = [*(script.quick if quick else script.options)]
    if script.keeps:
        options += ["--json", str(folder / f"{script.name}.json")]
    command = [sys.executable, "-u", str(HERE / f"{script.name}.py"), *options]
    print(f"\n== {script.name} {' '.join(options[:2])}", flush=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        lines = []
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    return process.returncode, "".join(lines)


def tables_in(text: str) -> list[str]:
    """The Markdown tables of a text: lines that begin with a bar and follow each other."""
    return [found.group().strip() for found in re.finditer(r"^(\|.*\n?)+", text, re.MULTILINE)]


def rewritten(text: str, found: dict[str, str]) -> str:
    """The text with new tables between its markers; an error if a marker is missing."""
    for name, table in found.items():
        text, count = re.subn(
            rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)",
            lambda match, table=table: f"{match[1]}{table}\n{match[2]}",
            text,
            flags=re.DOTALL,
        )
        if count != 1:
            raise ValueError(f"expected one pair of markers of the table {name!r}, found {count}")
    return text


def draw(folder: Path, out: Path) -> int:
    """The figures."""
    files = ["--dynamics", str(folder / "bench_dynamics.json"), "--sizes", str(folder / "bench_sizes.json")]
    return subprocess.call([sys.executable, str(HERE / "plots.py"), *files, "--out", str(out)])


def main() -> None:
    """Run everything, then rewrite, if nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small part of each; rewrite nothing")
    quick = parser.parse_args().quick
    found = {"machine": f"Measured on: {machine()}."}
    failed = []
    warmup()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for script in SCRIPTS:
            code, printed = run(script, quick, folder)
            tables = tables_in(printed)
            if code or len(tables) != len(script.tables):
                failed.append(script.name)
                continue
            found.update(zip(script.tables, tables))
        if not failed and draw(folder, folder if quick else HERE):
            failed.append("plots")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; nothing was rewritten")
    text = rewritten(README.read_text(encoding="utf-8"), found)
    if not quick:
        README.write_text(text, encoding="utf-8")
    print("\nall results agree" + ("" if quick else f"; {README.name} and its figures are rewritten"))


if __name__ == "__main__":
    main()
