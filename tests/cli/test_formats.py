"""A MODEL may be SDFormat or a saved model; the end of its name says so."""

import json
from pathlib import Path

import pytest

import featherstone as fs

CASES = Path(__file__).parents[1] / "data" / "sdf_cases"
TIED, FREE, WORLD = CASES / "poses.sdf", CASES / "nested.sdf", CASES / "turned_round.sdf"


def of(run, *arguments):
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_info_of_sdf(run):
    assert of(run, "info", TIED)["name"] == "poses"
    free = of(run, "info", FREE)
    assert (free["floating_base"], free["nq"]) == (True, 10)


def test_floating_base_lets_a_tied_model_float(run):
    assert of(run, "info", TIED, "--floating-base")["nq"] == 10


def test_the_end_of_a_world(run, tmp_path):
    # one model, or the program could not know which
    text = WORLD.read_text().replace('<model name="ground"><static>true</static><link name="plane"/></model>', "")
    path = tmp_path / "bench.WORLD"
    path.write_text(text)
    assert of(run, "info", path)["gravity"] == [0.0, 0.0, -3.7]
    result = run("info", WORLD)
    assert result.exit_code == 2
    assert "expected one model, got 2: 'ground', 'turned_round'" in result.stderr


def test_check_of_sdf(run, tmp_path):
    assert of(run, "check", TIED)["ok"]
    path = tmp_path / "heavy.sdf"
    path.write_text('<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>')
    result = run("check", path, "--json")
    assert result.exit_code == 1
    assert [x["rule"] for x in json.loads(result.stdout)["findings"]] == ["default-inertia"]
    path.write_text("<sdf/>")
    result = run("check", path, "--json")
    assert [x["rule"] for x in json.loads(result.stdout)["findings"]] == ["parse-error"]


@pytest.mark.parametrize("path", [TIED, FREE], ids=lambda path: path.stem)
def test_compare_of_sdf(run, path):
    assert of(run, "compare", path, "--samples", 5)["ok"]


def test_simulate_sdf(run):
    assert of(run, "simulate", TIED, "--duration", 0.01)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "robot.json"
    path.write_text(fs.models.load("seven_axis").with_gravity((0, 0, -1)).to_json())
    return path


@pytest.mark.parametrize("command", ["info", "check", "simulate", "compare"])
def test_saved_models(run, saved, command):
    more = {"simulate": ("--duration", 0.01), "compare": ("--samples", 3)}
    of(run, command, saved, *more.get(command, ()))


def test_a_saved_model_is_as_it_was(run, saved):
    assert of(run, "info", saved)["gravity"] == [0.0, 0.0, -1.0]
    nq = of(run, "info", saved)["nq"]
    assert of(run, "info", saved, "--floating-base")["nq"] == nq + 7


def test_a_saved_model_that_is_none(run, saved):
    saved.write_text("{}")
    for command in ("info", "simulate", "compare"):
        result = run(command, saved)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{saved.name}: JSON: expected an object" in result.stderr
    assert run("check", saved).exit_code == 1
