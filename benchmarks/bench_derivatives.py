"""Derivatives of inverse and forward dynamics against Pinocchio: batches of 4096 states on one thread, and one call.

python benchmarks/bench_derivatives.py [--quick] [--json FILE]

Pinocchio's are loops of its Python calls, which write into its data; ours write into arrays that are there, as a loop
that runs again and again does, and in another column into new ones. Results are checked to be equal before anything is
timed. Robots with legs float.
"""

from __future__ import annotations

import functools
import timeit

import numpy as np
import pinocchio as pin
from harness import MODELS, ROBOTS, Results, command, interleave, table, warmup
from robots import real

import featherstone as fs
from featherstone.compat.pinocchio import Pair

BATCH, RUN = 4096, 50
FLOATING = ("Go2", "G1", "Talos")
FUNCTIONS = {
    "rnea_derivatives": (fs.rnea_derivatives, pin.computeRNEADerivatives),
    "aba_derivatives": (fs.aba_derivatives, pin.computeABADerivatives),
}


class Twins:
    """A robot in both libraries, at the same random states."""

    def __init__(self, name: str) -> None:
        floating = name in FLOATING
        self.model = real(name, floating)
        root = [pin.JointModelFreeFlyer()] if floating else []
        self.other = pin.buildModelFromUrdf(str(ROBOTS / MODELS[name]), *root)
        self.data = self.other.createData()
        self.pair = Pair(self.model, self.other)
        rng = np.random.default_rng(0)
        q = self.model.random_configuration(rng, BATCH)
        self.state = (q, *rng.normal(size=(2, BATCH, self.model.nv)))
        # a torque's entries are those of an acceleration in the same order, but for the base's, which may be any
        self.theirs = [np.ascontiguousarray(x) for x in (self.pair.to_q(q), *map(self.pair.to_tau, self.state[1:]))]

    def loop(self, function):
        """Pinocchio's Python call over all states."""
        rows = list(zip(*self.theirs))
        return lambda: [function(self.other, self.data, *row) for row in rows]

    def check(self, ours, theirs) -> None:
        """Both give the same for the first states."""
        q, qd, last = (x[:5] for x in self.state)
        to_last = self.pair.to_a if ours is fs.rnea_derivatives else self.pair.to_tau
        found = ours(self.model, q, qd, last)
        order = self.pair.v_to
        for k, state in enumerate(zip(self.pair.to_q(q), self.pair.to_v(qd), to_last(last))):
            for x, y in zip(found, theirs(self.other, self.data, *state)):
                right = np.array(y)[np.ix_(order, order)]
                upper = np.triu(np.array(y))
                symmetric = (upper + np.triu(upper, 1).T)[np.ix_(order, order)]
                right = symmetric if x is found[2] else right
                np.testing.assert_allclose(x[k], right, rtol=1e-8, atol=1e-8 * abs(right).max())


def measure(quick: bool) -> Results:
    """Seconds of a batch and of one call for each robot and function."""
    warmup()
    fs.set_num_threads(1)
    rounds, seconds = (3, 0.01) if quick else (9, 0.02)
    results = []
    for name in ["Panda"] if quick else ["Panda", *FLOATING]:
        twins = Twins(name)
        one = [np.ascontiguousarray(x[0]) for x in twins.state]
        their_one = [np.ascontiguousarray(x[0]) for x in twins.theirs]
        for function, (ours, theirs) in FUNCTIONS.items():
            twins.check(ours, theirs)
            outs = ours(twins.model, *twins.state)
            batch = {
                "ours": functools.partial(ours, twins.model, *twins.state, out=outs),
                "new": functools.partial(ours, twins.model, *twins.state),
                "theirs": twins.loop(theirs),
            }
            rooms = {"ours": (ours, twins.model, one), "theirs": (theirs, twins.other, their_one)}
            calls = {}
            for who, (call, model, state) in rooms.items():
                data = (twins.data,) if who == "theirs" else ()
                names = {"call": call, "model": model, "data": data, **dict(zip("abc", state))}
                code = "call(model, *data, a, b, c)" if data else "call(model, a, b, c)"
                calls[who] = functools.partial(timeit.Timer(code, globals=names).timeit, RUN)
            row = {"robot": name + ", floating" * (name in FLOATING), "nv": twins.model.nv, "function": function}
            for what, competitors in (("batch", batch), ("one", calls)):
                times = interleave(competitors, rounds, seconds)
                count = BATCH if what == "batch" else RUN
                row[what] = {who: {"least": x.least / count, "median": x.median / count} for who, x in times.items()}
            results.append(row)
    return results


def tables(results: Results) -> list[str]:
    """Least times, and ratios of the least and of the medians."""
    rows = []
    for row in results:
        batch, one = row["batch"], row["one"]
        cells = [f"{batch[who]['least'] * 1e6:.2f}" for who in ("ours", "new", "theirs")]
        cells += [f"{batch['theirs'][which] / batch['ours'][which]:.1f}" for which in ("least", "median")]
        cells += [f"{one[who]['least'] * 1e6:.2f}" for who in ("ours", "theirs")]
        cells += [f"{one['ours'][which] / one['theirs'][which]:.2f}" for which in ("least", "median")]
        rows.append([row["robot"], row["nv"], row["function"], *cells])
    header = "robot | nv | function | batch, us a state | into new arrays | Pinocchio | ratio | (median) | one call, us"
    return [table(f"{header} | Pinocchio | part of Pinocchio's time | (median)", rows)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
