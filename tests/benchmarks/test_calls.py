"""Benchmarks of one call and of starts: no public function is left out, and the ordinary way is the ordinary one."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.engine.function import Entry

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def test_every_function_of_states_is_measured():
    import bench_calls
    import bench_start

    one = {name for call in bench_calls.CALLS.values() for name in re.findall(r"fs\.(\w+)", call.ours)}
    cold = {name for code in bench_start.CALLS.values() for name in re.findall(r"fs\.(\w+)", code)}
    gated = {name for name in fs.__all__ if hasattr(getattr(fs, name), "way")}
    assert gated | {"cholesky"} <= one
    assert one | {"rollout_gradient", "simulate", "step_derivatives"} == cold


def test_pinocchio_agrees_with_each_call():
    from bench_calls import CALLS, check, names_of
    from bench_dynamics import Pair

    pair = Pair("Go2")
    names = names_of(pair)
    for call in CALLS.values():
        check(pair, call, names)


def test_the_ordinary_way_has_no_fast_ways(monkeypatch):
    from bench_calls import ordinary

    arm = fs.models.load("planar_2r")
    q, qd = np.array([0.6, -0.9]), np.array([1.0, 0.5])
    calls = [
        (fs.rnea, (q, qd, qd), {}),
        (fs.gravity_torque, (q,), {}),  # calls rnea
        (fs.aba, (q, qd, qd), {}),  # calls forward_dynamics
        (fs.forward_dynamics, (q, qd, qd), {"method": "cholesky"}),
    ]
    for function, args, options in calls:
        expected = [function(arm, *args, **options) for _ in range(3)][-1]
        plain = ordinary(function)
        assert not isinstance(plain, Entry)
        assert not any(isinstance(plain.__globals__.get(name), Entry) for name in plain.__code__.co_names)
        np.testing.assert_array_equal(plain(arm, *args, **options), expected)
    solve = ordinary(fs.Cholesky.solve)
    factor = ordinary(fs.cholesky)(arm, q)
    np.testing.assert_array_equal(solve(factor, qd), fs.cholesky(arm, q).solve(qd))
    assert not isinstance(solve.__globals__["solve_by_factor"], Entry)


def test_the_deepest_body_has_the_most_joints_below():
    from bench_calls import deepest_body
    from robots import binary_tree, chain

    assert deepest_body(chain(5)) == "link4"
    assert deepest_body(binary_tree(7)) == "link3"  # on link1, on link0


def test_calls_tell_our_part_of_the_time():
    from bench_calls import tables

    times = {"ours": (1e-6, 2e-6), "theirs": (2e-6, 8e-6), "ordinary": (9e-6, 9e-6)}
    row = {who: {"least": x, "median": y} for who, (x, y) in times.items()}
    (found,) = tables([{"robot": "Go2", "function": "rnea", **row}])
    assert found.splitlines()[-1] == "| Go2 | rnea | 1.00 | 2.00 | 0.50 | 0.25 | 9.0 |"


def test_starts_tell_our_part_of_the_time():
    from bench_start import STEPS, tables

    def row(name, least):
        return {"process": name, **{c: {"least": least, "median": 2 * least} for c in ("whole", "together", *STEPS)}}

    bare = {c: {"least": 0.04, "median": 0.05} for c in ("whole", "together", "import")}
    cold = {"function": "crba", "states": "batch", "checkout": (2.0, 2.5), "release": (0.25, 0.5)}
    warm, nothing = tables([row("featherstone", 0.1), row("Pinocchio", 0.2), {"process": "numpy", **bare}, cold])
    assert warm.splitlines()[2:] == [
        "| featherstone | 100.0 | 100.0 | 100.0 | 100.0 | 200.0 | 100.0 | 200.0 |",
        "| Pinocchio | 200.0 | 200.0 | 200.0 | 200.0 | 400.0 | 200.0 | 400.0 |",
        "| part of Pinocchio's time | 0.50 | 0.50 | 0.50 | 0.50 | 0.50 | 0.50 | 0.50 |",
        "| numpy | 40.0 |  |  | 40.0 | 50.0 | 40.0 | 50.0 |",
    ]
    assert nothing.splitlines()[2:] == ["| crba | batch | 2.00 | 2.50 | 0.25 | 0.50 |"]


def test_a_process_tells_the_times_between():
    from bench_start import process

    whole, parts = process("import os; print(1, 3, 3.5, os.environ['WORD'])", WORD="10")
    assert parts == [2.0, 0.5, 6.5]
    assert whole > 0


def test_first_calls_run_with_and_without_numba(monkeypatch):
    import bench_start

    monkeypatch.setitem(bench_start.CALLS, "rnea", "fs.integrate(robot, q, v)")  # the smallest kernel
    one, batch = bench_start.cold(["rnea"], 1, ["integrate"])
    assert [row["states"] for row in (one, batch)] == ["one state", "batch"]
    for row in (one, batch):
        for first, whole in (row["checkout"], row["release"]):
            assert 0 < first < whole


def test_unknown_kernels_are_not_carried(tmp_path):
    carry = [sys.executable, str(ROOT / ".ci/carry_ir.py"), str(tmp_path / "ir"), "integrate", "integrated"]
    done = subprocess.run(carry, capture_output=True, text=True)
    assert done.returncode
    assert "no such kernel: integrated;" in done.stderr
    assert not (tmp_path / "ir").exists()
