"""The gradient of a cost of a simulation, against the simulation itself: 1000 steps of 1 ms, on one thread.

python benchmarks/bench_gradient.py [--quick] [--json FILE]

The cost is the sum of all squared velocities and torques; its gradient is by the torque of each step, by the first
state, forces, inertial parameters and drives. It is checked by central differences along a random change of all torques
before anything is timed; the joints are damped for that, since an arm that tumbles for a second is chaotic, and its
differences say nothing. "Checkpoints": states of 100 steps are kept at a time.
"""

from __future__ import annotations

import numpy as np
from harness import Results, command, interleave, table
from robots import real

import featherstone as fs

STEPS, DT = 1000, 0.001
DAMPING = 0.5  # N m s/rad of each joint


def damped(model: fs.Model) -> fs.Model:
    """A robot whose joints are damped; a floating base is not."""
    for joint in model.joints:
        if joint.type in ("revolute", "continuous", "prismatic"):
            model = model.with_joint(joint.name, damping=DAMPING, friction=0.0)
    return model


class Problem:
    """A robot that about holds its weight, and a cost."""

    def __init__(self, name: str, floating_base: bool, batch: tuple[int, ...], method: str) -> None:
        self.model = damped(real(name, floating_base))
        rng = np.random.default_rng(0)
        self.q = self.model.random_configuration(rng, batch)
        self.qd = 0.1 * rng.normal(size=(*batch, self.model.nv))
        holding = fs.gravity_torque(self.model, self.q)[..., None, :]
        self.tau = holding * rng.uniform(0.9, 1.1, (*batch, STEPS, 1))
        self.how = {"duration": STEPS * DT, "dt": DT, "method": method, "losses": True}

    def cost(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, ...]:
        """Squares of velocities and of torques."""
        return (qd * qd).sum(-1) + (tau * tau).sum(-1), np.zeros_like(qd), 2 * qd, 2 * tau

    def simulate(self, change: np.ndarray | float = 0.0) -> fs.Trajectory:
        """The simulation, with other torques."""
        return fs.simulate(self.model, self.q, self.qd, tau=self.tau + change, **self.how)

    def gradient(self, checkpoint: int | None = None) -> fs.RolloutGradient:
        """The cost and its gradient."""
        return fs.rollout_gradient(
            self.model, self.q, self.qd, self.cost, tau=self.tau, checkpoint=checkpoint, **self.how
        )

    def check(self) -> float:
        """How far the gradient is from central differences, in parts of them."""
        change = np.random.default_rng(1).normal(size=self.tau.shape)
        gradient, h = self.gradient(), 1e-4

        def total(x: float) -> np.ndarray:
            run = self.simulate(x * change)
            value = self.cost(run.t, run.q, run.qd, run.tau)[0]
            return value.sum(-1)

        expected = (total(h) - total(-h)) / (2 * h)
        found = (gradient.tau * change).sum((-2, -1))
        error = float(np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1e-3)))
        assert error < 1e-4, f"{self.model.name}: the gradient is off by {error:.1e} of it"
        return error


def measure(quick: bool) -> Results:
    """Seconds of a simulation and of gradients."""
    fs.set_num_threads(1)
    results = []
    for name, floating in [("Panda", False)] if quick else [("Panda", False), ("Go2", True)]:
        for method in ("semi_implicit_euler", "rk4"):
            for batch in ((),) if quick else ((), (64,)):
                problem = Problem(name, floating, batch, method)
                competitors = {
                    "simulation": problem.simulate,
                    "gradient": problem.gradient,
                    "checkpoints": lambda problem=problem: problem.gradient(100),
                }
                row = {"robot": name, "method": method, "batch": batch[0] if batch else 1, "error": problem.check()}
                times = interleave(competitors, 3 if quick else 7, 0.02)
                results.append(row | {who: x._asdict() for who, x in times.items()})
    return results


def tables(results: Results) -> list[str]:
    """Times and ratios."""
    rows = []
    for row in results:
        simulation, gradient, checkpoints = (row[who] for who in ("simulation", "gradient", "checkpoints"))
        ratios = [f"{gradient[k] / simulation[k]:.1f}" for k in ("least", "median")]
        again = f"{checkpoints['least'] / simulation['least']:.1f}"
        times = [f"{1e3 * x['least']:.2f}" for x in (simulation, gradient)]
        rows.append([row["robot"], row["method"], row["batch"], *times, *ratios, again, f"{row['error']:.0e}"])
    header = "robot | method | simulations | simulation, ms | gradient, ms | ratio | (median) | with checkpoints"
    return [table(f"{header} | off from differences", rows)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
