"""Starts of processes: with a warm cache against Pinocchio, and with nothing cached for each public function.

python benchmarks/bench_start.py [--quick] [--json FILE]

A start is: import, load Go2 from its URDF, call once. With nothing cached, the first call makes machine code: in a
source checkout Numba translates the sources first, a release carries its results as LLVM IR. Both are made here, as
copies of the package.
"""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import MODELS, ROBOTS, Results, command, table, warmup

import featherstone as fs

URDF = str(ROBOTS / MODELS["Go2"])
CARRY = Path(__file__).resolve().parents[1] / ".ci/carry_ir.py"
BATCH = 16
STEPS = ("import", "load", "first call")
START = {
    "featherstone": f"""
from time import perf_counter
times = [perf_counter()]
import featherstone as fs
times.append(perf_counter())
robot = fs.load_urdf({URDF!r})
times.append(perf_counter())
import numpy as np
zero = np.zeros(robot.nv)
fs.rnea(robot, robot.neutral(), zero, zero)
times.append(perf_counter())
import sys
assert "numba" not in sys.modules, "the cache is not warm"
print(*times)
""",
    "Pinocchio": f"""
from time import perf_counter
times = [perf_counter()]
import pinocchio as pin
times.append(perf_counter())
robot = pin.buildModelFromUrdf({URDF!r})
data = robot.createData()
times.append(perf_counter())
import numpy as np
zero = np.zeros(robot.nv)
pin.rnea(robot, data, pin.neutral(robot), zero, zero)
times.append(perf_counter())
print(*times)
""",
    "import numpy alone": """
from time import perf_counter
times = [perf_counter()]
import numpy
times.append(perf_counter())
print(*times)
""",
}
COLD = """
import sys, time
import featherstone as fs, numpy as np
assert fs.__file__.startswith({package!r}), fs.__file__
robot = fs.load_urdf({urdf!r})
q, v = np.tile(robot.neutral(), {batch} + (1,)), np.zeros({batch} + (robot.nv,))
begin = time.perf_counter()
{call}
print(begin, time.perf_counter())
assert ("numba" in sys.modules) is {translated}, "it was not as expected whether Numba was imported"
"""
CALLS = {
    "rnea": "fs.rnea(robot, q, v, v)",
    "crba": "fs.crba(robot, q)",
    "aba": "fs.aba(robot, q, v, v)",
    "forward_dynamics, cholesky": "fs.forward_dynamics(robot, q, v, v, method='cholesky')",
    "mass_matrix_inverse": "fs.mass_matrix_inverse(robot, q)",
    "cholesky and solve": "fs.cholesky(robot, q).solve(v)",
    "gravity_torque": "fs.gravity_torque(robot, q)",
    "bias_torque": "fs.bias_torque(robot, q, v)",
    "gravity_jacobian": "fs.gravity_jacobian(robot, q)",
    "coriolis_matrix": "fs.coriolis_matrix(robot, q, v)",
    "mass_matrix_rate": "fs.mass_matrix_rate(robot, q, v)",
    "christoffel_symbols": "fs.christoffel_symbols(robot, q)",
    "generalized_momentum": "fs.generalized_momentum(robot, q, v)",
    "generalized_momentum_rate": "fs.generalized_momentum_rate(robot, q, v, v)",
    "rnea_derivatives": "fs.rnea_derivatives(robot, q, v, v)",
    "aba_derivatives": "fs.aba_derivatives(robot, q, v, v)",
    "rnea_second_derivatives": "fs.rnea_second_derivatives(robot, q, v, v)",
    "hybrid_dynamics": "fs.hybrid_dynamics(robot, q, v, robot.joint_names[:6], v, v)",
    "forward_kinematics": "fs.forward_kinematics(robot, q)",
    "frame_pose": "fs.frame_pose(robot, q, robot.body_names[-1])",
    "frame_jacobian": "fs.frame_jacobian(robot, q, robot.body_names[-1])",
    "relative_jacobian": "fs.relative_jacobian(robot, q, robot.body_names[-1], robot.body_names[0])",
    "frame_jacobian_rate": "fs.frame_jacobian_rate(robot, q, v, robot.body_names[-1])",
    "kinematic_hessian": "fs.kinematic_hessian(robot, q, robot.body_names[-1])",
    "frame_velocity": "fs.frame_velocity(robot, q, v, robot.body_names[-1])",
    "frame_acceleration": "fs.frame_acceleration(robot, q, v, v, robot.body_names[-1])",
    "center_of_mass": "fs.center_of_mass(robot, q)",
    "center_of_mass_jacobian": "fs.center_of_mass_jacobian(robot, q)",
    "center_of_mass_velocity": "fs.center_of_mass_velocity(robot, q, v)",
    "center_of_mass_acceleration": "fs.center_of_mass_acceleration(robot, q, v, v)",
    "centroidal_momentum": "fs.centroidal_momentum(robot, q, v)",
    "centroidal_momentum_rate": "fs.centroidal_momentum_rate(robot, q, v, v)",
    "centroidal_momentum_matrix": "fs.centroidal_momentum_matrix(robot, q)",
    "centroidal_momentum_matrix_rate": "fs.centroidal_momentum_matrix_rate(robot, q, v)",
    "torque_regressor": "fs.torque_regressor(robot, q, v, v)",
    "momentum_regressor": "fs.momentum_regressor(robot, q, v)",
    "kinetic_energy_regressor": "fs.kinetic_energy_regressor(robot, q, v)",
    "potential_energy_regressor": "fs.potential_energy_regressor(robot, q)",
    "momentum_about": "fs.momentum_about(robot, q, v, [0, 0, 0])",
    "composite_inertia": "fs.composite_inertia(robot, q)",
    "kinetic_energy": "fs.kinetic_energy(robot, q, v)",
    "potential_energy": "fs.potential_energy(robot, q)",
    "integrate": "fs.integrate(robot, q, v)",
    "difference": "fs.difference(robot, q, q)",
    "integrate_derivatives": "fs.integrate_derivatives(robot, q, v)",
    "difference_derivatives": "fs.difference_derivatives(robot, q, q)",
    "simulate, Euler": "fs.simulate(robot, q, v, duration=0.01, dt=0.001)",
    "simulate, rk4": "fs.simulate(robot, q, v, duration=0.01, dt=0.001, method='rk4')",
    "rollout_gradient": "fs.rollout_gradient(robot, q, v, lambda *x: (0.0, 0.0, 0.0), duration=0.001, dt=0.001)",
    "step_derivatives, Euler": "fs.step_derivatives(robot, q, v, v, 0.001)",
    "step_derivatives, rk4": "fs.step_derivatives(robot, q, v, v, 0.001, method='rk4')",
}


def process(code: str, **environment: str) -> tuple[float, list[float]]:
    """Seconds of a whole process, and those between the times that it prints."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    whole = time.perf_counter() - begin
    times = [float(x) for x in done.stdout.split()]
    return whole, [later - sooner for sooner, later in itertools.pairwise(times)]


def copy_of_package(folder: Path) -> str:
    """A copy of the package without IR; returns the PYTHONPATH that finds it."""
    shutil.copytree(Path(fs.__file__).parent, folder / "featherstone", ignore=shutil.ignore_patterns("ir"))
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    process("import featherstone", PYTHONPATH=path)  # its bytecode
    return path


def release(folder: Path, kernels: list[str]) -> str:
    """A copy of the package that carries the IR of some kernels, or of all; returns the PYTHONPATH that finds it."""
    path = copy_of_package(folder)
    carry = [sys.executable, str(CARRY), str(folder / "featherstone/engine/ir"), *kernels]
    subprocess.run(carry, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": path})
    return path


def start(rounds: int) -> Results:
    """Starts with a warm cache, in turn."""
    warmup()
    found: dict[str, list[list[float]]] = {name: [] for name in START}
    for _ in range(rounds):
        for name, code in START.items():
            whole, parts = process(code)
            found[name].append([whole, sum(parts), *parts])
    columns = ("whole", "together", *STEPS)
    return [
        {"process": name, **{c: {"least": min(x), "median": statistics.median(x)} for c, x in zip(columns, zip(*runs))}}
        for name, runs in found.items()
    ]


def cold(functions: list[str], rounds: int, kernels: list[str]) -> Results:
    """First calls with nothing cached, in turn; of both the least of the rounds."""
    least: dict[tuple[str, str, str], tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folders = {name: Path(temporary).resolve() / name for name in ("checkout", "release")}
        paths = {"checkout": copy_of_package(folders["checkout"]), "release": release(folders["release"], kernels)}
        for _ in range(rounds):
            for function in functions:
                for states, batch in (("one state", ()), ("batch", (BATCH,))):
                    for way, path in paths.items():
                        code = COLD.format(
                            package=str(folders[way]),
                            urdf=URDF,
                            batch=batch,
                            call=CALLS[function],
                            translated=way == "checkout",
                        )
                        with tempfile.TemporaryDirectory() as cache:
                            whole, (first,) = process(code, PYTHONPATH=path, FEATHERSTONE_CACHE_DIR=cache)
                        key = (function, states, way)
                        before = least.get(key, (first, whole))
                        least[key] = (min(first, before[0]), min(whole, before[1]))
    return [
        {"function": function, "states": states, **{way: least[function, states, way] for way in paths}}
        for function, states in dict.fromkeys(key[:2] for key in least)
    ]


def measure(quick: bool) -> Results:
    """Starts with a warm cache, then with none."""
    if quick:
        return start(3) + cold(["rnea"], 1, ["rnea"])
    return start(15) + cold(list(CALLS), 1, [])


def start_rows(results: Results) -> list[list[str]]:
    """The first table: least times, of the last two columns also medians, and our parts of Pinocchio's."""
    columns = [(c, "least") for c in STEPS] + [(c, x) for c in ("together", "whole") for x in ("least", "median")]
    ours, theirs, bare = results
    rows = [[row["process"], *(f"{row[c][x] * 1e3:.1f}" for c, x in columns)] for row in (ours, theirs)]
    rows.append(["part of Pinocchio's time", *(f"{ours[c][x] / theirs[c][x]:.2f}" for c, x in columns)])
    cells = [f"{bare[c][x] * 1e3:.1f}" if c in bare else "" for c, x in columns]
    return [*rows, [bare["process"], *cells]]


def tables(results: Results) -> list[str]:
    """Starts with a warm cache, in ms, and with none, in seconds."""
    warm = start_rows([row for row in results if "process" in row])
    rows = []
    for row in results:
        if "function" in row:
            seconds = [f"{x:.2f}" for way in ("checkout", "release") for x in row[way]]
            rows.append([row["function"], row["states"], *seconds])
    header = "process | import, ms | load | first call | together | (median) | whole process | (median)"
    nothing = "function | for | checkout: first call, s | whole process | release: first call, s | whole process"
    return [table(header, warm), table(nothing, rows)]


if __name__ == "__main__":
    command(__doc__, measure, tables)
