"""Rollouts: 1024 of them, 1000 steps of 1 ms each, on one thread, against mujoco.rollout with one thread.

python benchmarks/bench_rollouts.py [--quick] [--json FILE]

Smooth dynamics under constant torques, no contacts, limits or damping; both step by semi-implicit Euler, and are
checked to take the same steps. Ours keeps every hundredth state; MuJoCo keeps all, in an array that is there before.
"""

from __future__ import annotations

import time

import mujoco
import numpy as np
from harness import Results, Times, command, table
from mujoco import rollout
from robots import chain, in_mujoco, real

import featherstone as fs

ROLLOUTS, STEPS, DT, EVERY = 1024, 1000, 0.001, 100
FEW = 32  # MuJoCo's rollouts: one costs it the same as the next
PHYSICS, APPLIED = (int(x) for x in (mujoco.mjtState.mjSTATE_FULLPHYSICS, mujoco.mjtState.mjSTATE_QFRC_APPLIED))


class Pair:
    """One robot in both, and the same random states and torques."""

    def __init__(self, name: str, model: fs.Model) -> None:
        self.name, self.model, self.theirs = name, model, in_mujoco(model, DT)
        self.data = [mujoco.MjData(self.theirs)]
        rng = np.random.default_rng(0)
        self.q, self.qd = model.random_configuration(rng, ROLLOUTS), 0.1 * rng.normal(size=(ROLLOUTS, model.nv))
        self.floating = model.nq > model.nv
        # arms nearly hold their weight, robots that fall need little for their limbs
        self.tau = fs.gravity_torque(model, self.q) * rng.uniform(0.9, 1.1, (ROLLOUTS, 1))
        if self.floating:
            self.tau[:, :6] = 0.0
            self.tau *= 0.01
        self.initial = np.concatenate([np.zeros((ROLLOUTS, 1)), *self.to_mujoco(self.q, self.qd)], axis=-1)
        self.kept = np.empty((FEW * STEPS, self.initial.shape[-1]))

    def rotation(self, q: np.ndarray) -> np.ndarray:
        """The base's axes in the world."""
        return fs.forward_kinematics(self.model, q)[..., 0, :3, :3]

    def to_mujoco(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of a floating base MuJoCo has w first, and the velocity in world axes before the angular one."""
        if not self.floating:
            return q, qd
        linear = np.einsum("...ij,...j->...i", self.rotation(q), qd[..., 3:6])
        quaternion = np.concatenate([q[..., :3], q[..., 6:7], q[..., 3:6], q[..., 7:]], axis=-1)
        return quaternion, np.concatenate([linear, qd[..., :3], qd[..., 6:]], axis=-1)

    def ours(self, method: str, steps: int = STEPS, every: int = EVERY, count: int = ROLLOUTS) -> fs.Trajectory:
        """Our rollouts."""
        return fs.simulate(
            self.model,
            self.q[:count],
            self.qd[:count],
            tau=self.tau[:count],
            duration=steps * DT,
            dt=DT,
            method=method,
            losses=False,
            save_every=every,
        )

    def mujoco(self, steps: int = STEPS) -> np.ndarray:
        """MuJoCo's, the first few; a view of the array that keeps them."""
        state, few = self.kept[: FEW * steps].reshape(FEW, steps, -1), slice(FEW)
        control = self.tau[few, None]
        rollout.rollout(
            self.theirs, self.data, self.initial[few], control, control_spec=APPLIED, nstep=steps, state=state
        )
        return state

    def check(self, steps: int = 20) -> float:
        """The largest difference of the first steps; with a floating base its velocity agrees to first order only.

        There ours steps the linear velocity in the base's own axes and MuJoCo in the world's: two methods of first
        order. All joints and the angular velocity agree to rounding after the first step.
        """
        run, theirs = self.ours("semi_implicit_euler", steps, 1, FEW), self.mujoco(steps)[..., 1:]
        nq = self.model.nq
        q, qd = self.to_mujoco(run.q[:, 1:], run.qd[:, 1:])
        scale = 1.0 + np.abs(theirs).max()
        exact = 1e-9 * scale
        if self.floating:
            assert np.abs(qd[:, 0, 3:] - theirs[:, 0, nq + 3 :]).max() < exact, self.name
            assert np.abs(q[:, 0, 3:] - theirs[:, 0, 3:nq]).max() < exact, self.name
        left = max(np.abs(q - theirs[..., :nq]).max(), np.abs(qd - theirs[..., nq:]).max())
        assert left < (steps * DT * scale if self.floating else exact), f"{self.name}: states differ by {left:.1e}"
        return float(left / scale)


def seconds(function, *arguments) -> float:
    """The time of one call."""
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def measure(quick: bool) -> Results:
    """Nanoseconds of a step of one rollout."""
    fs.set_num_threads(1)
    robots = [("two links", chain(2)), ("Panda", real("Panda"))]
    robots += [] if quick else [(f"{name}, floating", real(name, True)) for name in ("Go2", "G1")]
    results = []
    for name, model in robots:
        pair = Pair(name, model)
        difference = pair.check()
        for method in ("semi_implicit_euler", "rk4"):
            pair.ours(method, EVERY)
        count = 128 if quick else ROLLOUTS
        found: dict[str, list[float]] = {"semi_implicit_euler": [], "MuJoCo": [], "rk4": []}
        for _ in range(2 if quick else 5):
            for who, times in found.items():
                if who == "MuJoCo":
                    times.append(seconds(pair.mujoco) / (FEW * STEPS) * 1e9)
                else:
                    times.append(seconds(pair.ours, who, STEPS, EVERY, count) / (count * STEPS) * 1e9)
        row = {who: Times(min(times), float(np.median(times)))._asdict() for who, times in found.items()}
        results.append({"robot": name, "nv": model.nv, "difference": difference, **row})
    return results


def tables(results: Results) -> list[str]:
    """Times and ratios."""
    rows = []
    for row in results:
        euler, theirs, rk4 = (row[who] for who in ("semi_implicit_euler", "MuJoCo", "rk4"))
        ratios = [f"{theirs[k] / euler[k]:.1f}" for k in ("least", "median")]
        cells = [f"{x[k]:.0f}" for x in (euler, theirs) for k in ("least", "median")]
        rk = [f"{rk4['least']:.0f}", f"{rk4['median']:.0f}"]
        rows.append([row["robot"], row["nv"], *cells, *ratios, *rk, f"{row['difference']:.0e}"])
    header = "robot | nv | Euler, ns a step | (median) | MuJoCo | (median) | ratio | (median) | our rk4 | (median)"
    return [table(f"{header} | difference after 20 steps", rows)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
