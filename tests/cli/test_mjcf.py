"""MJCF as MODEL, and the comparison with MuJoCo, on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import featherstone as fs

FOLDER = Path(__file__).parents[1] / "data" / "mjcf"
LOSSES = FOLDER / "losses.xml"


def test_info_of_mjcf(run):
    result = run("info", LOSSES, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["nv"] == 3


def test_mjcf_on_standard_input(run):
    assert run("info", "-", input=LOSSES.read_bytes()).exit_code == 0


def test_simulation_of_mjcf(run, tmp_path):
    out = tmp_path / "run.npz"
    assert run("simulate", LOSSES, "--duration", 0.01, "--out", out).exit_code == 0
    assert out.exists()


def test_check_of_mjcf(run, tmp_path):
    result = run("check", LOSSES)
    assert (result.exit_code, result.stderr) == (0, "")
    path = tmp_path / "spring.xml"
    path.write_text(LOSSES.read_text().replace('name="slide" ', 'name="slide" stiffness="50" '))
    result = run("check", path)
    assert result.exit_code == 1
    assert "springs (stiffness) of joints 'slide'" in result.stdout
    assert "[left-out]" in result.stdout


@pytest.mark.parametrize("model", [LOSSES, *(name for name in fs.models.names())])
def test_comparison_with_mujoco(run, model):
    result = run("compare", model, "--against", "mujoco", "--samples", 5)
    assert result.exit_code == 0, result.output
    assert "with MuJoCo" in result.stdout
    assert ": agrees" in result.stdout


def test_comparison_of_mjcf_with_pinocchio(run):
    result = run("compare", LOSSES, "--samples", 5)
    assert result.exit_code == 0, result.output
    assert "with Pinocchio" in result.stdout


def test_broken_mjcf_is_one_line(run, tmp_path):
    path = tmp_path / "broken.xml"
    path.write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    for command in ("info", "simulate", "compare"):
        result = run(command, path)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {path}:1: MuJoCo refuses the model: mass and inertia")
        assert len(result.stderr.splitlines()) == 1
    assert run("check", path).exit_code == 1


def test_the_base_of_mjcf_floats_or_not_by_itself(run):
    assert run("info", FOLDER / "free.xml", "--floating-base").exit_code == 0
    result = run("info", LOSSES, "--floating-base")
    assert result.exit_code == 2
    assert "MJCF says itself whether the base floats" in result.stderr


def test_without_mujoco_the_error_says_how_to_get_it(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    for arguments in (("info", LOSSES), ("check", LOSSES), ("compare", "planar_2r", "--against", "mujoco")):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "pip install 'featherstone[mujoco]'" in result.stderr
