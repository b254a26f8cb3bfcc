"""One call from Python for one state, of every public function that takes states, against Pinocchio's calls.

python benchmarks/bench_calls.py [--quick] [--json FILE]

All inputs are checked and each result is a new array, unless the table says otherwise. Results are checked to be equal
before anything is timed. The ordinary way is the same call where the one into machine code cannot be used.
"""

from __future__ import annotations

import functools
import timeit
from types import FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from bench_dynamics import Pair, full
from harness import MODELS, Results, command, interleave, table, warmup

import featherstone as fs
from featherstone.engine.function import Entry

RUN = 100  # calls for each look at the clock


class Call(NamedTuple):
    """Our expression, Pinocchio's statement, and its result where that is not the statement's own value."""

    ours: str
    theirs: str
    result: str | None = None


CALLS = {
    "rnea": Call("fs.rnea(model, q, v, a)", "pin.rnea(m, d, Q, V, A)"),
    "rnea with f_ext": Call("fs.rnea(model, q, v, a, f_ext)", "pin.rnea(m, d, Q, V, A, F)"),
    "rnea into `out`": Call("fs.rnea(model, q, v, a, out=out)", "pin.rnea(m, d, Q, V, A)"),
    "crba": Call("fs.crba(model, q)", "pin.crba(m, d, Q)"),
    "aba": Call("fs.aba(model, q, v, a)", "pin.aba(m, d, Q, V, A)"),
    "forward_dynamics, cholesky": Call(
        "fs.forward_dynamics(model, q, v, a, method='cholesky')",
        "pin.crba(m, d, Q); bias = pin.nonLinearEffects(m, d, Q, V); pin.cholesky.decompose(m, d);"
        " qdd = pin.cholesky.solve(m, d, A - bias)",
        "qdd",
    ),
    "mass_matrix_inverse": Call("fs.mass_matrix_inverse(model, q)", "pin.computeMinverse(m, d, Q)"),
    "cholesky": Call("fs.cholesky(model, q)", "pin.crba(m, d, Q); pin.cholesky.decompose(m, d)", "d.D"),
    "Cholesky.solve": Call("factor.solve(a)", "pin.cholesky.solve(m, d, A)"),
    "gravity_torque": Call("fs.gravity_torque(model, q)", "pin.computeGeneralizedGravity(m, d, Q)"),
    "bias_torque": Call("fs.bias_torque(model, q, v)", "pin.nonLinearEffects(m, d, Q, V)"),
    "gravity_jacobian": Call("fs.gravity_jacobian(model, q)", "pin.computeGeneralizedGravityDerivatives(m, d, Q)"),
    "coriolis_matrix": Call("fs.coriolis_matrix(model, q, v)", "pin.computeCoriolisMatrix(m, d, Q, V)"),
    "mass_matrix_rate": Call(
        "fs.mass_matrix_rate(model, q, v)", "pin.computeCoriolisMatrix(m, d, Q, V); C = d.C + d.C.T", "C"
    ),
    "christoffel_symbols": Call(
        "fs.christoffel_symbols(model, q)",
        "C = np.stack([pin.computeCoriolisMatrix(m, d, Q, unit) for unit in units], -1)",
        "C",
    ),
    "rnea_second_derivatives": Call(  # theirs by differences, exact by qd, since it is not bound to Python
        "fs.rnea_second_derivatives(model, q, v, a)[2]",
        "x0 = pin.computeRNEADerivatives(m, d, Q, V, A)[1].copy();"
        " Qs = [pin.integrate(m, Q, 1e-6 * unit) for unit in units];"
        " moved = [pin.computeRNEADerivatives(m, d, x, V, A)[0].copy() for x in Qs];"
        " C = np.stack([pin.computeRNEADerivatives(m, d, Q, V + unit, A)[1] - x0 for unit in units], -1)",
        "C",
    ),
    "hybrid_dynamics": Call(
        "fs.hybrid_dynamics(model, q, v, known, a, a)[1]",
        "pin.crba(m, d, Q); H = full(d.M); bias = pin.nonLinearEffects(m, d, Q, V); qdd = A.copy();"
        " qdd[free] = np.linalg.solve(H[np.ix_(free, free)], (A - bias - H[:, held] @ A[held])[free])",
        "qdd",
    ),
    "forward_kinematics": Call(
        "fs.forward_kinematics(model, q)",
        "pin.forwardKinematics(m, d, Q)",
        "np.array([d.oMi[i].homogeneous for i in joints])",
    ),
    "frame_pose": Call(
        "fs.frame_pose(model, q, frame)",
        "pin.forwardKinematics(m, d, Q); pin.updateFramePlacement(m, d, i)",
        "d.oMf[i]",
    ),
    "frame_jacobian": Call(
        "fs.frame_jacobian(model, q, frame, 'world')",
        "J = pin.computeFrameJacobian(m, d, Q, i, pin.ReferenceFrame.WORLD)",
        "J[halves]",
    ),
    "relative_jacobian": Call(
        "fs.relative_jacobian(model, q, frame, root)",
        "J = pin.computeFrameJacobian(m, d, Q, i, pin.ReferenceFrame.LOCAL)",
        "J[halves]",
    ),
    "frame_jacobian_rate": Call(
        "fs.frame_jacobian_rate(model, q, v, frame)",
        "pin.computeJointJacobiansTimeVariation(m, d, Q, V); pin.updateFramePlacement(m, d, i);"
        " J = pin.getFrameJacobianTimeVariation(m, d, i, pin.ReferenceFrame.LOCAL)",
        "J[halves]",
    ),
    "kinematic_hessian": Call(
        "fs.kinematic_hessian(model, q, frame)",
        "pin.computeJointKinematicHessians(m, d, Q); pin.updateFramePlacement(m, d, i);"
        " J = pin.getFrameKinematicHessian(m, d, i, pin.ReferenceFrame.LOCAL)",
        "J.ravel().reshape(J.shape, order='F')[halves]",  # its array has Fortran's order and says that it has C's
    ),
    "frame_velocity": Call(
        "fs.frame_velocity(model, q, v, frame)",
        "pin.forwardKinematics(m, d, Q, V); x = pin.getFrameVelocity(m, d, i)",
        "x.vector[halves]",
    ),
    "frame_acceleration": Call(
        "fs.frame_acceleration(model, q, v, a, frame)",
        "pin.forwardKinematics(m, d, Q, V, A); x = pin.getFrameAcceleration(m, d, i)",
        "x.vector[halves]",
    ),
    "center_of_mass": Call("fs.center_of_mass(model, q)", "pin.centerOfMass(m, d, Q)"),
    "center_of_mass_jacobian": Call("fs.center_of_mass_jacobian(model, q)", "pin.jacobianCenterOfMass(m, d, Q)"),
    "center_of_mass_velocity": Call(
        "fs.center_of_mass_velocity(model, q, v)", "pin.centerOfMass(m, d, Q, V)", "d.vcom[0]"
    ),
    "center_of_mass_acceleration": Call(
        "fs.center_of_mass_acceleration(model, q, v, a)", "pin.centerOfMass(m, d, Q, V, A)", "d.acom[0]"
    ),
    "centroidal_momentum": Call(
        "fs.centroidal_momentum(model, q, v)",
        "x = pin.computeCentroidalMomentum(m, d, Q, V)",
        "x.vector[halves]",
    ),
    "centroidal_momentum_rate": Call(
        "fs.centroidal_momentum_rate(model, q, v, a)",
        "x = pin.computeCentroidalMomentumTimeVariation(m, d, Q, V, A)",
        "x.vector[halves]",
    ),
    "centroidal_momentum_matrix": Call(
        "fs.centroidal_momentum_matrix(model, q)", "J = pin.ccrba(m, d, Q, V)", "J[halves]"
    ),
    "centroidal_momentum_matrix_rate": Call(
        "fs.centroidal_momentum_matrix_rate(model, q, v)", "J = pin.dccrba(m, d, Q, V)", "J[halves]"
    ),
    "torque_regressor": Call(
        "fs.torque_regressor(model, q, v, a)",
        "x = pin.computeJointTorqueRegressor(m, d, Q, V, A)",
        "x[np.ix_(rows, blocks)]",
    ),
    "momentum_regressor": Call(
        "fs.momentum_regressor(model, q, v)",
        "x = pin.computeJointTorqueRegressor(m, d, Q, O, V).copy();"
        " x -= pin.computeJointTorqueRegressor(m, d, Q, O, O)",
        "x[np.ix_(rows, blocks)]",
    ),
    "kinetic_energy_regressor": Call(
        "fs.kinetic_energy_regressor(model, q, v)", "x = pin.computeKineticEnergyRegressor(m, d, Q, V)", "x[blocks]"
    ),
    "potential_energy_regressor": Call(
        "fs.potential_energy_regressor(model, q)", "x = pin.computePotentialEnergyRegressor(m, d, Q)", "x[blocks]"
    ),
    "momentum_about": Call(
        "fs.momentum_about(model, q, v, origin)",
        "x = pin.computeCentroidalMomentum(m, d, Q, V); x = x.se3Action(pin.SE3(np.eye(3), d.com[0]))",
        "x.vector[halves]",
    ),
    "composite_inertia": Call(
        "fs.composite_inertia(model, q)", "pin.ccrba(m, d, Q, V); I = d.Ig.matrix()", "I[np.ix_(halves, halves)]"
    ),
    "generalized_momentum": Call(
        "fs.generalized_momentum(model, q, v)",
        "p = pin.rnea(m, d, Q, O, V) - pin.computeGeneralizedGravity(m, d, Q)",
        "p",
    ),
    "generalized_momentum_rate": Call(
        "fs.generalized_momentum_rate(model, q, v, a)",
        "pin.computeCoriolisMatrix(m, d, Q, V); p = A + d.C.T @ V - pin.computeGeneralizedGravity(m, d, Q)",
        "p",
    ),
    "kinetic_energy": Call("fs.kinetic_energy(model, q, v)", "pin.computeKineticEnergy(m, d, Q, V)"),
    "potential_energy": Call("fs.potential_energy(model, q)", "pin.computePotentialEnergy(m, d, Q)"),
    "rnea_derivatives": Call(
        "fs.rnea_derivatives(model, q, v, a)[0]", "J = pin.computeRNEADerivatives(m, d, Q, V, A)", "J[0]"
    ),
    "aba_derivatives": Call(
        "fs.aba_derivatives(model, q, v, a)[0]", "J = pin.computeABADerivatives(m, d, Q, V, A)", "J[0]"
    ),
    "integrate": Call("fs.integrate(model, q, v)", "pin.integrate(m, Q, V)"),
    "difference": Call("fs.difference(model, q, q1)", "pin.difference(m, Q, Q1)"),
    "integrate_derivatives": Call("fs.integrate_derivatives(model, q, v)[1]", "J = pin.dIntegrate(m, Q, V)", "J[1]"),
    "difference_derivatives": Call(
        "fs.difference_derivatives(model, q, q1)[1]", "J = pin.dDifference(m, Q, Q1)", "J[1]"
    ),
}


def deepest_body(model: fs.Model) -> str:
    """The body with the most joints between it and the base; `frame_pose` follows these only, Pinocchio all."""
    depth: list[int] = []
    for parent in model.parent:
        depth.append(depth[parent] + 1 if parent >= 0 else 1)
    return model.body_names[int(np.argmax(depth))]


def names_of(pair: Pair) -> dict[str, Any]:
    """What the expressions and statements name, for the first state."""
    joints = [pair.theirs.getJointId(joint) for joint in pair.ours.joint_names]
    if any(pair.theirs.joints[i].nq != 1 for i in joints):
        raise ValueError("expected a robot of which all joints have one coordinate in both libraries")
    f_ext = np.random.default_rng(1).normal(size=(pair.ours.nb, 6))
    F = pin.StdVec_Force([pin.Force.Zero() for _ in range(pair.theirs.njoints)])
    for i, (moment, force) in zip(joints, f_ext.reshape(-1, 2, 3)):
        F[i] = pin.Force(force, moment)
    frame = deepest_body(pair.ours)
    known, order = np.arange(pair.ours.nv) % 2 == 0, np.array(pair.order)
    theirs = [np.ascontiguousarray(x[:, k]) for x, k in ((pair.Q, 0), (pair.Q, 1), (pair.V, 0), (pair.A, 0))]
    return {
        **{"fs": fs, "model": pair.ours, "factor": fs.cholesky(pair.ours, pair.q[0]), "frame": frame},
        **{"root": pair.ours.frame_names[0], "halves": [3, 4, 5, 0, 1, 2]},
        **{"q": pair.q[0], "q1": pair.q[1], "v": pair.qd[0], "a": pair.qdd[0], "f_ext": f_ext},
        **{"rows": pair.order, "blocks": np.concatenate([np.arange(10 * i - 10, 10 * i) for i in joints])},
        **{"O": np.zeros(pair.ours.nv)},
        **{"out": np.empty(pair.ours.nv), "np": np, "joints": joints, "F": F, "full": full, "origin": np.zeros(3)},
        **{"units": np.eye(pair.ours.nv), "known": known, "held": order[known], "free": order[~known]},
        **{"pin": pin, "m": pair.theirs, "d": pair.data, "i": pair.theirs.getFrameId(frame, pin.FrameType.BODY)},
        **dict(zip(("Q", "Q1", "V", "A"), theirs)),
    }


def ordinary(function: Any) -> Any:
    """A function without a fast way, which calls others without theirs."""
    plain = getattr(function, "__wrapped__", function)
    called = {name: plain.__globals__.get(name) for name in plain.__code__.co_names}
    others = {name: ordinary(x) for name, x in called.items() if isinstance(x, Entry)}
    made = FunctionType(plain.__code__, {**plain.__globals__, **others}, plain.__name__, plain.__defaults__)
    made.__kwdefaults__ = plain.__kwdefaults__
    return made


def ordinary_names(names: dict[str, Any]) -> dict[str, Any]:
    """The same names, without fast ways."""
    functions = {name: ordinary(x) for name in fs.__all__ if isinstance(x := getattr(fs, name), (Entry, FunctionType))}
    solve = functools.partial(ordinary(fs.Cholesky.solve), names["factor"])
    return {**names, "fs": SimpleNamespace(**functions), "factor": SimpleNamespace(solve=solve)}


def in_our_order(pair: Pair, x: Any) -> np.ndarray:
    """A result of Pinocchio's in our order of joints; of a matrix whose upper triangle alone is there, both."""
    x = np.array(x.homogeneous if isinstance(x, pin.SE3) else x)
    n, order = pair.ours.nv, pair.order
    if x.shape == (n, n) and not np.tril(x, -1).any():
        x = full(x)
    for axis, size in enumerate(x.shape):
        if size == n and (axis > 0 or x.shape in ((n,), (n, n), (n, n, n))):
            x = np.take(x, order, axis)
    return x


def check(pair: Pair, call: Call, names: dict[str, Any]) -> None:
    """Pinocchio's call and the ordinary way give what ours gives."""
    room = dict(names)
    exec(call.theirs, room)
    expected = in_our_order(pair, eval(call.result or call.theirs, room))
    for ours in (names, names, ordinary_names(names)):  # the second of two calls goes the fast way
        names["out"].fill(np.nan)
        found = eval(call.ours, dict(ours))
        found = found.D if isinstance(found, fs.Cholesky) else found
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


def measure(quick: bool) -> Results:
    """Seconds of each call, for each robot."""
    warmup()
    fs.set_num_threads(1)
    rounds, seconds = (3, 0.004) if quick else (15, 0.01)
    results = []
    for robot in ["Panda", "Go2"] if quick else MODELS:
        pair = Pair(robot)
        names = names_of(pair)
        without = ordinary_names(names)
        for function, call in CALLS.items():
            check(pair, call, names)
            timers = {"ours": (call.ours, names), "theirs": (call.theirs, names), "ordinary": (call.ours, without)}
            competitors = {
                who: functools.partial(timeit.Timer(code, globals=room).timeit, RUN)
                for who, (code, room) in timers.items()
            }
            times = interleave(competitors, rounds, seconds)
            row = {who: {"least": x.least / RUN, "median": x.median / RUN} for who, x in times.items()}
            results.append({"robot": robot, "function": function, **row})
    return results


def tables(results: Results) -> list[str]:
    """Least times, our part of Pinocchio's, and the ordinary way."""
    rows = []
    for row in results:
        ours, theirs, without = row["ours"], row["theirs"], row["ordinary"]
        parts = [f"{ours[which] / theirs[which]:.2f}" for which in ("least", "median")]
        cells = [f"{ours['least'] * 1e6:.2f}", f"{theirs['least'] * 1e6:.2f}", *parts, f"{without['least'] * 1e6:.1f}"]
        rows.append([row["robot"], row["function"], *cells])
    header = "robot | function | one call, us | Pinocchio | part of Pinocchio's time | (median) | the ordinary way, us"
    return [table(header, rows)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
