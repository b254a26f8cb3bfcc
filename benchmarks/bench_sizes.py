"""Inverse and forward dynamics of trees of 10 to 10,000 bodies: whether the time of a body stays the same.

python benchmarks/bench_sizes.py [--quick] [--json FILE]

Batches of 256 states on one thread. Up to 300 bodies the results are compared with Pinocchio's, above that inverse
dynamics must undo forward dynamics.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import mujoco
import numpy as np
import pinocchio as pin
from harness import Results, Times, command, interleave, table
from robots import binary_tree, chain, in_mujoco, in_pinocchio

import featherstone as fs

BATCH, FEW = 256, 16  # ours and Pinocchio's; MuJoCo's states, one Python call each
SIZES = (10, 30, 100, 300, 1000, 3000, 10000)
LARGEST_PINOCCHIO, LARGEST_MUJOCO = 300, 1000  # its work memory grows as the cube; its model takes seconds to make
FUNCTIONS = {"rnea": fs.rnea, "aba": fs.aba}


def rounding(model: fs.Model, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """What rounding may make of the torques of each state.

    They are sums over all bodies of weight and the parts of rates and accelerations. On its way through each body a
    force passes a rotation and a cross product, eight roundings one upon the other, an articulated inertia four times
    as many.
    """
    bias, zero = np.abs(fs.rnea(model, q, qd, 0 * qd)), 0 * qd
    inertial = np.abs(fs.rnea(model, q, zero, qdd) - fs.rnea(model, q, zero, zero))
    return 32 * model.nb * np.finfo(float).eps * (bias + inertial).max(axis=-1)


def check(what: str, model: fs.Model, states: np.ndarray, tau: np.ndarray) -> None:
    """The inverse dynamics of q, qd, qdd is tau."""
    left, bound = np.abs(fs.rnea(model, *states) - tau).max(axis=-1), rounding(model, *states)
    worst = np.argmax(left / bound)
    assert left[worst] <= bound[worst], f"{model.name}, {what}: {left[worst]:.1e}, expected {bound[worst]:.1e}"


def in_a_row(theirs: mujoco.MjModel, data: mujoco.MjData, states: np.ndarray) -> np.ndarray:
    """MuJoCo's inverse dynamics without the mass matrix that mj_inverse makes as well, state by state."""
    result = np.empty(states.shape[1:])
    for k in range(states.shape[1]):
        data.qpos[:], data.qvel[:], data.qacc[:] = states[:, k]
        mujoco.mj_kinematics(theirs, data)
        mujoco.mj_comPos(theirs, data)
        mujoco.mj_comVel(theirs, data)
        mujoco.mj_rne(theirs, data, 1, result[k])
    return result


def competitors(model: fs.Model, states: np.ndarray) -> dict[str, dict]:
    """For each function what is to be timed: ours, and the others' where they can; all checked to agree."""
    q, qd, qdd = states
    found = {}
    for name, function in FUNCTIONS.items():
        found[name] = {"ours": functools.partial(function, model, q, qd, qdd, out=np.empty_like(q))}
    # the third of the states is an acceleration for the one, a torque for the other
    check("aba", model, np.stack([q, qd, fs.aba(model, *states)]), qdd)
    if model.nb <= LARGEST_PINOCCHIO:
        theirs = in_pinocchio(model)
        pool, transposed = pin.ModelPool(theirs, 1), [np.asfortranarray(x.T) for x in states]
        for name, function in (("rnea", pin.rneaInParallel), ("aba", pin.abaInParallel)):
            found[name]["Pinocchio"] = functools.partial(function, 1, pool, *transposed)
        check("Pinocchio's rnea", model, states, found["rnea"]["Pinocchio"]().T)
        check("Pinocchio's aba", model, np.stack([q, qd, found["aba"]["Pinocchio"]().T]), qdd)
    if model.nb <= LARGEST_MUJOCO:
        theirs = in_mujoco(model)
        found["rnea"]["MuJoCo"] = functools.partial(in_a_row, theirs, mujoco.MjData(theirs), states[:, :FEW])
        check("MuJoCo's rne", model, states[:, :FEW], found["rnea"]["MuJoCo"]())
    return found


def cost_of_a_call(model: fs.Model, function: Callable[..., object], rounds: int) -> float:
    """What a call costs each state of a batch, before and after it is computed: the time of a batch of one state."""
    zero = np.zeros((1, model.nb))
    times = interleave({"call": functools.partial(function, model, zero, zero, zero)}, rounds, 0.01)
    return times["call"].least / BATCH * 1e9


def measure(quick: bool) -> Results:
    """Nanoseconds of a state for each tree and function; all sizes take turns, since they are compared."""
    fs.set_num_threads(1)
    models = [chain(n) for n in ((10, 100, 1000) if quick else SIZES)] + [binary_tree(127 if quick else 1023)]
    calls = {name: cost_of_a_call(models[0], function, 9) for name, function in FUNCTIONS.items()}
    everything = {}
    for k, model in enumerate(models):
        states = np.random.default_rng(0).normal(size=(3, BATCH, model.nb))
        for name, functions in competitors(model, states).items():
            everything |= {(k, name, who): function for who, function in functions.items()}
    times = interleave(everything, 3 if quick else 15, 0.02)
    rows = {}
    for (k, name, who), time in times.items():
        shape = "chain" if (np.diff(models[k].parent) == 1).all() else "binary tree"
        start = {"function": name, "shape": shape, "bodies": models[k].nb, "call": calls[name]}
        per_state = 1e9 / (FEW if who == "MuJoCo" else BATCH)
        row = rows.setdefault((k, name), start)
        row[who] = Times(time.least * per_state, time.median * per_state)._asdict()
    return list(rows.values())


def tables(results: Results) -> list[str]:
    """Times and ratios of all trees, and how far the times of a body lie apart."""
    rows = []
    for row in sorted(results, key=lambda row: row["function"], reverse=True):
        ours, bodies = row["ours"], row["bodies"]
        cells = [row["function"], row["shape"], bodies, f"{ours['least']:.0f}", f"{ours['least'] / bodies:.2f}"]
        cells.append(f"{ours['median'] / bodies:.2f}")
        for who in ("Pinocchio", "MuJoCo"):
            theirs = row[who]["median"] if who in row else 0.0
            cells.append(f"{theirs / bodies:.1f} ({theirs / ours['median']:.1f}x)" if who in row else "")
        rows.append(cells)
    header = "function | tree | bodies | ns a state (least) | ns a body (least) | (median) | Pinocchio, median | MuJoCo"
    spread = []
    for name in FUNCTIONS:
        for what, weight in (("all", 0.0), ("less the call", 1.0)):
            found = [
                ((row["ours"]["least"] - weight * row["call"]) / row["bodies"], f"{row['shape']} of {row['bodies']}")
                for row in results
                if row["function"] == name
            ]
            (least, at_least), (most, at_most) = min(found), max(found)
            spread.append([name, what, f"{least:.2f}", at_least, f"{most:.2f}", at_most, f"{most / least:.2f}"])
    return [table(header, rows), table("function | time | least ns a body | at | most | at | ratio", spread)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
