"""Inverse and forward dynamics against MuJoCo's mj_inverse and mj_forward: one call, and a batch of 4096 states.

python benchmarks/bench_mujoco.py            the table of benchmarks/README.md
python benchmarks/bench_mujoco.py --quick    one robot, few rounds

The robots are the real ones on a fixed base, built in MuJoCo from our numbers: no contacts, no limits, no damping.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import mujoco
import numpy as np
from harness import MODELS, Times, interleave
from robots import in_mujoco, real

import featherstone as fs

BATCH = 4096


class Pair:
    """One robot in both, and random states."""

    def __init__(self, name: str) -> None:
        self.ours = real(name)
        self.theirs = in_mujoco(self.ours)
        self.data = mujoco.MjData(self.theirs)
        rng = np.random.default_rng(0)
        self.q = self.ours.random_configuration(rng, BATCH)
        self.qd, self.x = rng.normal(size=(2, BATCH, self.ours.nv))

    def inverse(self, k: int) -> np.ndarray:
        """Torques of state k by mj_inverse."""
        data = self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = self.q[k], self.qd[k], self.x[k]
        mujoco.mj_inverse(self.theirs, data)
        return data.qfrc_inverse

    def forward(self, k: int) -> np.ndarray:
        """Accelerations of state k by mj_forward."""
        data = self.data
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = self.q[k], self.qd[k], self.x[k]
        mujoco.mj_forward(self.theirs, data)
        return data.qacc

    def both(self, name: str) -> tuple[Callable[..., np.ndarray], Callable[[int], np.ndarray]]:
        """Our function of a state or a batch, and MuJoCo's of the number of a state."""
        if name == "rnea":
            return lambda q, v, x, out=None: fs.rnea(self.ours, q, v, x, out=out), self.inverse
        return lambda q, v, x, out=None: fs.aba(self.ours, q, v, x, out=out), self.forward


def measure(pair: Pair, name: str, rounds: int, seconds: float) -> tuple[dict[str, Times], dict[str, Times]]:
    """Times of one call and of a batch, after a look whether both give the same."""
    ours, theirs = pair.both(name)
    out = ours(pair.q, pair.qd, pair.x)
    for k in range(5):
        np.testing.assert_allclose(theirs(k), out[k], rtol=1e-8, atol=1e-8 * abs(out[k]).max())
    q, v, x = pair.q[0], pair.qd[0], pair.x[0]
    one = interleave({"ours": lambda: ours(q, v, x), "theirs": lambda: theirs(0)}, rounds, seconds)
    batch = {
        "ours": lambda: ours(pair.q, pair.qd, pair.x, out=out),
        "theirs": lambda: [theirs(k) for k in range(BATCH)],
    }
    return one, interleave(batch, rounds, seconds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="Panda only, few rounds")
    quick = parser.parse_args().quick
    fs.set_num_threads(1)
    columns = ["robot", "function", "one call, us", "MuJoCo", "batch, ns a state", "(median)", "MuJoCo", "(median)"]
    columns += ["ratio", "(median)"]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for robot in ["Panda"] if quick else list(MODELS):
        pair = Pair(robot)
        for name in ("rnea", "aba"):
            one, many = measure(pair, name, 3 if quick else 7, 0.02)
            ours, theirs = many["ours"], many["theirs"]
            print(
                f"| {robot} | {name} | {one['ours'].least * 1e6:.1f} | {one['theirs'].least * 1e6:.1f} |"
                f" {ours.least / BATCH * 1e9:.0f} | {ours.median / BATCH * 1e9:.0f} |"
                f" {theirs.least / BATCH * 1e9:.0f} | {theirs.median / BATCH * 1e9:.0f} |"
                f" {theirs.least / ours.least:.1f} | {theirs.median / ours.median:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
