"""`featherstone simulate`."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest

import featherstone as fs

SHORT = ("--duration", "0.1", "--dt", "0.01")


def error(result) -> str:
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_text_tells_balance_final_state_and_files(run, tmp_path):
    result = run("simulate", "planar_2r", "--q0", "0.6,-0.9", *SHORT, "--out", tmp_path / "run.npz")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert result.stdout.startswith("planar_2r: 0.1 s in 10 steps of 0.01 s, rk4\n")
    kept = fs.Trajectory.load(tmp_path / "run.npz")
    table = {line[0]: line[1:] for line in lines if line}
    for name, value in kept.energy_balance().items():
        assert float(table[name][0]) == pytest.approx(value, rel=1e-8), name
    for k, name in enumerate(("shoulder", "elbow")):
        rows = [[float(x) for x in line[1:]] for line in lines if line and line[0] == name]
        assert rows[0] == pytest.approx([kept.q[0, k], kept.q[-1, k]], rel=1e-5)
        assert rows[1] == pytest.approx([kept.qd[0, k], kept.qd[-1, k]], rel=1e-5)
    assert lines[-1] == ["wrote", str(tmp_path / "run.npz")]


def test_json_and_files_agree_with_simulate(run, tmp_path):
    paths = [tmp_path / "run.csv", tmp_path / "run.png"]
    options = ("--q0", "0.6 -0.9", "--qd0", "elbow=2", "--tau", "shoulder=3", "--method", "semi_implicit_euler")
    result = run("simulate", "planar_2r", *options, *SHORT, "--out", paths[0], "--plot", paths[1], "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    data = json.loads(result.stdout)
    model = fs.models.load("planar_2r")
    expected = fs.simulate(model, [0.6, -0.9], [0, 2], tau=[3, 0], duration=0.1, dt=0.01)
    assert data["model"] == "planar_2r"
    assert (data["method"], data["duration"], data["dt"], data["steps"]) == ("semi_implicit_euler", 0.1, 0.01, 10)
    assert data["energy"] == expected.energy_balance()
    assert data["final"]["q"] == dict(zip(("shoulder", "elbow"), expected.q[-1].tolist()))
    assert data["final"]["qd"] == dict(zip(("shoulder", "elbow"), expected.qd[-1].tolist()))
    assert data["written"] == [str(path) for path in paths]
    assert data["beyond_limits"] == {}
    with paths[0].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["q:elbow"]) for row in rows] == expected.q[:, 1].tolist()
    assert paths[1].read_bytes().startswith(b"\x89PNG")


def test_the_start_is_neutral_and_at_rest(run):
    data = json.loads(run("simulate", "pendulum", *SHORT, "--json").stdout)
    assert data["final"] == {"q": {"hinge": 0.0}, "qd": {"hinge": 0.0}}
    assert data["energy"]["start"] == pytest.approx(-9.81 / 2)


def test_random_starts_are_reproducible_and_given_values_win(run):
    def final(*options):
        return json.loads(run("simulate", "seven_axis", "--duration", "0", *options, "--json").stdout)["final"]

    assert final("--random", "7") == final("--random", "7")
    assert final("--random", "7") != final("--random", "8")
    partly = final("--random", "7", "--q0", "joint_2=0.25")
    assert partly["q"].pop("joint_2") == 0.25
    assert partly["q"].items() <= final("--random", "7")["q"].items()
    assert any(final("--random", "7")["qd"].values())


def test_floating_base_gravity_and_losses(run):
    options = ("--qd0", "root_joint.vz=3", "--q0", "root_joint.z=1", *SHORT, "--no-losses", "--json")
    data = json.loads(run("simulate", "seven_axis", "--floating-base", "--gravity", "0,0,-2", *options).stdout)
    assert data["final"]["q"]["root_joint.z"] == pytest.approx(1 + 3 * 0.1 - 2 * 0.1**2 / 2)
    cart = ("simulate", "cart_pole", "--qd0", "slide=1", *SHORT, "--json")
    assert json.loads(run(*cart).stdout)["energy"]["lost"] > 0
    assert json.loads(run(*cart, "--no-losses").stdout)["energy"]["lost"] == 0


def test_dry_friction_decides_the_method_unless_it_is_given(run):
    def method(*options):
        return json.loads(run("simulate", *options, *SHORT, "--json").stdout)["method"]

    assert method("planar_2r") == "rk4"
    assert method("cart_pole") == "semi_implicit_euler"
    assert method("cart_pole", "--no-losses") == "rk4"
    assert method("cart_pole", "--method", "rk4") == "rk4"


def test_limits_that_are_left_are_told(run):
    result = run("simulate", "cart_pole", "--qd0", "slide=100", *SHORT, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["beyond_limits"] == {"slide": pytest.approx(0.03)}
    assert result.stderr == "note: limits are not enforced; first beyond their limits: slide at 0.03 s\n"


def test_limits_are_kept_where_they_are_asked_for(run):
    result = run("simulate", "cart_pole", "--qd0", "slide=100", "--limits", *SHORT, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert found["method"] == "semi_implicit_euler"
    assert found["final"]["qd"]["slide"] < 100.0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--dt", "-0.001"), "dt: expected a finite number of seconds > 0, got -0.001"),
        (("--dt", "0"), "dt: expected"),
        (("--dt", "nan"), "dt: expected"),
        (("--duration", "0.0105"), "duration: expected a multiple of dt"),
        (("--duration", "-1"), "duration: expected"),
        (("--method", "euler"), "method: expected one of 'semi_implicit_euler', 'rk4', got 'euler'"),
        (("--q0", "1,2,3"), "--q0: expected 2 numbers or name=number pairs, got 3 numbers"),
        (("--q0", "a,b"), "--q0: expected a number, got 'a'"),
        (("--q0", "nan,0"), "q0: expected finite numbers, got nan"),
        (("--q0", "elbw=1"), "--q0: there is no 'elbw'; did you mean 'elbow'?"),
        (("--q0", "wrist=1"), "--q0: there is no 'wrist'"),
        (("--q0", "elbow=1,2"), "--q0: expected only name=number pairs or only numbers, got '2' among pairs"),
        (("--q0", "elbow=1,elbow=2"), "--q0: 'elbow' is given twice"),
        (("--qd0", "elbow="), "--qd0: expected a number, got ''"),
        (("--tau", "1e999,0"), "tau: expected finite numbers, got inf"),
        (("--gravity", "0,0"), "gravity: expected three finite numbers"),
        (("--gravity", "down"), "--gravity: expected a number, got 'down'"),
        (("--random", "-1"), "--random: expected a seed >= 0, got -1"),
        (("--out", "run.txt"), "--out: expected a name that ends in .npz, .csv, got 'run.txt'"),
        (("--out", "no/such/folder/run.npz"), "--out: there is no directory 'no/such/folder'"),
        (("--plot", "run.gif"), "--plot: expected a name that ends in .png, .pdf, .svg, .jpg, got 'run.gif'"),
        (("--plot", "no/such/folder/run.png"), "--plot: there is no directory 'no/such/folder'"),
    ],
)
def test_wrong_values(run, options, said):
    assert said in error(run("simulate", "planar_2r", *options, "--json"))


def test_an_output_that_is_a_directory(run, tmp_path):
    (tmp_path / "run.npz").mkdir()
    assert "cannot be written" in error(run("simulate", "planar_2r", *SHORT, "--out", tmp_path / "run.npz"))


def test_a_singular_robot(run):
    assert "joint 'joint_6' moves nothing that has inertia" in error(run("simulate", "six_axis", *SHORT))


def test_a_blow_up_is_a_failed_check(run, tmp_path):
    out = tmp_path / "run.npz"
    result = run("simulate", "cart_pole", "--qd0", "pivot=1e200", *SHORT, "--method", "rk4", "--out", out)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: the state became NaN or infinite after t = 0 s")
    assert not out.exists()


def test_plot_without_matplotlib(run, monkeypatch, tmp_path):
    for name in [x for x in sys.modules if x.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_hooks", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    result = run("simulate", "planar_2r", *SHORT, "--plot", tmp_path / "run.png")
    assert "--plot: drawing needs Matplotlib: pip install 'featherstone[plot]'" in error(result)


def test_a_bar_on_a_terminal_leaves_json_clean(run):
    arguments = ("simulate", "planar_2r", "--json", *SHORT)
    result = run(*arguments, env={"FORCE_COLOR": "1", "TERM": "xterm"})
    assert "simulating" in result.stderr
    assert json.loads(result.stdout) == json.loads(run(*arguments).stdout)


def test_the_program_writes_its_files(program, tmp_path):
    names = [tmp_path / "run.npz", tmp_path / "run.svg"]
    result = program("simulate", "planar_2r", "--q0", "-0.9,0.6", *SHORT, "--out", names[0], "--plot", names[1])
    assert (result.returncode, result.stderr) == (0, b"")
    np.testing.assert_array_equal(fs.Trajectory.load(names[0]).q[0], [-0.9, 0.6])
    assert names[1].read_bytes().startswith(b"<?xml")
