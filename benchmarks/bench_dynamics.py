"""Dynamics against Pinocchio: a batch of 4096 states on one thread.

python benchmarks/bench_dynamics.py [--quick] [--json FILE]

Results are checked to be equal before anything is timed.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from harness import MODELS, ROBOTS, Results, command, interleave, table

import featherstone as fs

BATCH = 4096


class Pair:
    """One robot in both libraries, and the same random states in both orders of joints."""

    def __init__(self, name: str) -> None:
        path = ROBOTS / MODELS[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.ours = fs.load_urdf(path, mimic=False)
        self.theirs = pin.buildModelFromUrdf(str(path))
        self.data, self.pool = self.theirs.createData(), pin.ModelPool(self.theirs, 1)
        joints = [self.theirs.joints[self.theirs.getJointId(joint)] for joint in self.ours.joint_names]
        self.order = [joint.idx_v for joint in joints]
        rng = np.random.default_rng(0)
        self.q = self.ours.random_configuration(rng, BATCH)
        self.qd, self.qdd = rng.normal(size=(2, BATCH, self.ours.nv))
        theirs = np.zeros((self.theirs.nq, BATCH))
        for k, joint in enumerate(joints):
            if joint.nq == 1:
                theirs[joint.idx_q] = self.q[:, k]
            else:  # a continuous joint is a point on the circle there
                theirs[joint.idx_q], theirs[joint.idx_q + 1] = np.cos(self.q[:, k]), np.sin(self.q[:, k])
        self.Q = np.asfortranarray(theirs)
        self.V, self.A = (np.asfortranarray(self.permuted(x).T) for x in (self.qd, self.qdd))

    def permuted(self, x: np.ndarray) -> np.ndarray:
        """From our order of joints to Pinocchio's."""
        result = np.empty_like(x)
        result[:, self.order] = x
        return result

    def loop(self, function):
        """Pinocchio's Python call over all states."""
        Q, V, A = (np.ascontiguousarray(x.T) for x in (self.Q, self.V, self.A))
        return lambda: [function(self.theirs, self.data, q, v, a) for q, v, a in zip(Q, V, A)]


def full(M: np.ndarray) -> np.ndarray:
    """Both triangles of a matrix of which Pinocchio fills the upper one."""
    return np.triu(M) + np.triu(M, 1).T


def pinocchio_cholesky(model, data, q, v, tau):
    """Forward dynamics by the factor of the mass matrix, with Pinocchio's Python calls."""
    pin.crba(model, data, q)
    bias = pin.nonLinearEffects(model, data, q, v)
    pin.cholesky.decompose(model, data)
    return pin.cholesky.solve(model, data, tau - bias)


def pinocchio_minverse(model, data, q, v, a):
    """The inverse of the mass matrix; only its upper triangle is filled."""
    return pin.computeMinverse(model, data, q)


FUNCTIONS = {
    "rnea": (lambda m, q, v, a, out=None: fs.rnea(m, q, v, a, out=out), lambda m, d, q, v, a: pin.rnea(m, d, q, v, a)),
    "aba": (lambda m, q, v, a, out=None: fs.aba(m, q, v, a, out=out), lambda m, d, q, v, a: pin.aba(m, d, q, v, a)),
    "crba": (lambda m, q, v, a, out=None: fs.crba(m, q, out=out), lambda m, d, q, v, a: pin.crba(m, d, q)),
    "cholesky": (
        lambda m, q, v, a, out=None: fs.forward_dynamics(m, q, v, a, method="cholesky", out=out),
        pinocchio_cholesky,
    ),
    "minverse": (lambda m, q, v, a, out=None: fs.mass_matrix_inverse(m, q, out=out), pinocchio_minverse),
    "kinematics": (
        lambda m, q, v, a, out=None: fs.forward_kinematics(m, q, out=out),
        lambda m, d, q, v, a: pin.forwardKinematics(m, d, q),
    ),
}


def check(pair: Pair, name: str) -> None:
    """Both libraries give the same for the first states."""
    ours, theirs = FUNCTIONS[name]
    if name == "kinematics":
        poses = fs.forward_kinematics(pair.ours, pair.q[:5])
        for k in range(5):
            pin.framesForwardKinematics(pair.theirs, pair.data, np.ascontiguousarray(pair.Q[:, k]))
            ids = [pair.theirs.getFrameId(body, pin.FrameType.BODY) for body in pair.ours.body_names]
            expected = np.array([pair.data.oMf[i].homogeneous for i in ids])
            np.testing.assert_allclose(poses[k], expected, rtol=0, atol=1e-12)
        return
    found = ours(pair.ours, pair.q, pair.qd, pair.qdd)
    for k in range(5):
        expected = np.array(
            theirs(pair.theirs, pair.data, *(np.ascontiguousarray(x[:, k]) for x in (pair.Q, pair.V, pair.A)))
        )
        expected = full(expected)[np.ix_(pair.order, pair.order)] if expected.ndim == 2 else expected[pair.order]
        np.testing.assert_allclose(found[k], expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def batch(pair: Pair, name: str) -> dict[str, Callable[[], object]]:
    """All states: ours, and theirs by the in-parallel call with one thread, or by a loop of Python calls."""
    ours, theirs = FUNCTIONS[name]
    in_parallel = {"rnea": pin.rneaInParallel, "aba": pin.abaInParallel}.get(name)
    reference = pair.loop(theirs)
    if in_parallel:
        reference = functools.partial(in_parallel, 1, pair.pool, pair.Q, pair.V, pair.A)
    # into an array that is there: Pinocchio's loop writes to one as well
    out = np.empty_like(ours(pair.ours, pair.q, pair.qd, pair.qdd))
    return {"ours": lambda: ours(pair.ours, pair.q, pair.qd, pair.qdd, out=out), "theirs": reference}


def measure(quick: bool) -> Results:
    """Seconds of a batch for each robot and function."""
    fs.set_num_threads(1)
    rounds, seconds = (3, 0.01) if quick else (9, 0.02)
    results = []
    for robot in ["Panda", "Go2"] if quick else MODELS:
        pair = Pair(robot)
        for name in FUNCTIONS:
            check(pair, name)
            times = interleave(batch(pair, name), rounds, seconds)
            results.append({"robot": robot, "function": name, "batch": {who: x._asdict() for who, x in times.items()}})
    return results


def tables(results: Results) -> list[str]:
    """Least times, and the ratios of the least and of the medians."""
    rows = []
    for row in results:
        ours, theirs = row["batch"]["ours"], row["batch"]["theirs"]
        states = [f"{x['least'] / BATCH * 1e9:.0f}" for x in (ours, theirs)]
        ratios = [f"{theirs[which] / ours[which]:.1f}" for which in ("least", "median")]
        rows.append([row["robot"], row["function"], *states, *ratios])
    return [table("robot | function | batch, ns a state | Pinocchio | ratio | (median)", rows)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
