"""The largest errors against Pinocchio over all real robots of the package example-robot-data, function by function.

    python benchmarks/accuracy.py [--samples 50] [--seed 0]

Robots stand on a fixed base and, a second time, float.
"""

from __future__ import annotations

import argparse
import sysconfig
from pathlib import Path

from featherstone.proof.compare import Comparison, compare


def robots_folder() -> Path:
    """Where example-robot-data keeps its robots."""
    return Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"


def robots() -> list[Path]:
    """Its URDF files; one of them, ur3.urdf, is an empty robot."""
    return sorted(path for path in robots_folder().rglob("*.urdf") if path.name != "ur3.urdf")


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    worst: dict[str, tuple[float, str]] = {}
    counts: dict[str, int] = {}
    wrong: list[Comparison] = []
    files = robots()
    for path in files:
        for floating in (False, True):
            found = compare(path, samples=options.samples, seed=options.seed, floating_base=floating)
            if not found.ok:
                wrong.append(found)
            for row in found.rows:
                base = "floating" if found.floating_base else "fixed"
                worst.setdefault(row.function, (0.0, "-"))
                if row.error is not None:
                    worst[row.function] = max(worst[row.function], (row.error, f"{path.stem}, {base} base"))
                    counts[row.function] = counts.get(row.function, 0) + 1
    plural = "s" if len(files) > 1 else ""
    print(f"{len(files)} robot{plural}, each with a fixed and a floating base, {options.samples} random states each\n")
    print("| function | comparisons | largest scaled error | where |\n|---|---|---|---|")
    for function, (error, where) in worst.items():
        print(f"| {function} | {counts.get(function, 0)} | {error:.1e} | {where} |")
    for found in wrong:
        print(f"\n{found}")
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
