"""The figures ratios.png and sizes.png, from what the benchmarks wrote with --json.

python benchmarks/plots.py --dynamics dynamics.json --sizes sizes.json [--out FOLDER]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from harness import Results

SETTINGS = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.constrained_layout.use": True}
# colours that people with any colour vision tell apart (Okabe and Ito)
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
BACKGROUND = {"dpi": 130, "metadata": {"Software": None}}  # no version in the file


def ratios(results: Results, file: Path) -> None:
    """How many times faster than Pinocchio a batch is, bars by robot and function."""
    functions = list(dict.fromkeys(row["function"] for row in results))
    names = list(dict.fromkeys(row["robot"] for row in results))
    figure, axes = plt.subplots(figsize=(7.5, 3.4))
    width = 0.8 / len(functions)
    for k, function in enumerate(functions):
        found = {row["robot"]: row["batch"] for row in results if row["function"] == function}
        heights = [found[name]["theirs"]["median"] / found[name]["ours"]["median"] for name in names]
        places = [x + (k - (len(functions) - 1) / 2) * width for x in range(len(names))]
        axes.bar(places, heights, width * 0.92, color=COLOURS[k % len(COLOURS)], label=function)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylabel("times faster than Pinocchio")
    axes.set_title("Batch of 4096 states, one thread; the line at 1 is Pinocchio", loc="left", fontsize=10)
    axes.legend(ncols=len(functions), loc="upper center", bbox_to_anchor=(0.5, -0.1), frameon=False)
    figure.savefig(file, **BACKGROUND)
    plt.close(figure)


def sizes(results: Results, file: Path) -> None:
    """Time of a state, and of a body, against the number of bodies."""
    figure, (whole, body) = plt.subplots(1, 2, figsize=(8.5, 3.4))
    for k, function in enumerate(("rnea", "aba")):
        for who, style in (("ours", "o-"), ("Pinocchio", "s:"), ("MuJoCo", "^--")):
            rows = [x for x in results if x["function"] == function and x["shape"] == "chain" and who in x]
            if not rows:
                continue
            label = f"{function}, {'featherstone' if who == 'ours' else who}"
            n = [row["bodies"] for row in rows]
            for axes, divided in ((whole, False), (body, True)):
                y = [row[who]["least"] / (row["bodies"] if divided else 1) for row in rows]
                axes.loglog(n, y, style, color=COLOURS[k], markersize=4, label=label)
        rows = [x for x in results if x["function"] == function and x["shape"] != "chain"]
        body.loglog(
            [x["bodies"] for x in rows], [x["ours"]["least"] / x["bodies"] for x in rows], "x", color=COLOURS[k]
        )
    whole.set_title("ns a state", loc="left", fontsize=10)
    body.set_title("ns a body (x: binary tree)", loc="left", fontsize=10)
    for axes in (whole, body):
        axes.set_xlabel("bodies in a chain")
        axes.grid(which="major", color="#dddddd", linewidth=0.6)
    handles, labels = whole.get_legend_handles_labels()
    figure.legend(handles, labels, ncols=3, loc="outside lower center", frameon=False)
    figure.savefig(file, **BACKGROUND)
    plt.close(figure)


def main() -> None:
    """Draw what there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dynamics", type=Path, metavar="FILE")
    parser.add_argument("--sizes", type=Path, metavar="FILE")
    parser.add_argument("--out", type=Path, metavar="FOLDER", default=Path(__file__).parent)
    options = parser.parse_args()
    with mpl.rc_context(SETTINGS):
        for draw, source, name in ((ratios, options.dynamics, "ratios.png"), (sizes, options.sizes, "sizes.png")):
            if source:
                draw(json.loads(source.read_text(encoding="utf-8")), options.out / name)


if __name__ == "__main__":
    main()
