"""`featherstone check` and `featherstone compare`."""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest

import featherstone as fs
from featherstone.proof import compare as comparing

SOUND = [name for name in fs.models.names() if name != "six_axis"]


@pytest.mark.parametrize("name", SOUND)
def test_sound_robots_pass_the_check(run, name):
    result = run("check", name)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{name}: nothing suspicious")
    data = json.loads(run("check", name, "--json").stdout)
    assert (data["subject"], data["ok"]) == (name, True)
    assert {x["severity"] for x in data["findings"]} <= {"note"}
    assert 1.0 <= data["conditioning"]["number"] < 1e3


def test_findings_are_listed_and_fail_the_check(run, suspicious):
    result = run("check", suspicious)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith(f"{suspicious}: 2 warnings\n")
    assert "[inertia-triangle-rule]" in result.stdout
    assert "[axis-length]" in result.stdout
    result = run("check", suspicious, "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["ok"] is False
    assert {x["rule"] for x in data["findings"]} == {"inertia-triangle-rule", "axis-length"}
    assert all(x["line"] and x["remedy"] for x in data["findings"])


def test_a_singular_robot_is_found(run):
    result = run("check", "six_axis", "--json")
    assert result.exit_code == 1
    found = [x for x in json.loads(result.stdout)["findings"] if x["severity"] != "note"]
    assert [x["name"] for x in found] == ["joint_6"]


def test_a_file_that_is_no_robot_is_a_finding(run, broken):
    result = run("check", broken, "--json")
    if broken.exists():
        assert result.exit_code == 1
        assert [x["severity"] for x in json.loads(result.stdout)["findings"]] == ["error"]
    else:
        assert (result.exit_code, result.stdout) == (2, "")


def test_the_program_checks_standard_input(program, suspicious):
    result = program("check", "-", input=suspicious.read_bytes())
    assert (result.returncode, result.stderr) == (1, b"")
    assert result.stdout.startswith(b"<string>: 2 warnings")


@pytest.mark.parametrize("name", fs.models.names())
def test_shipped_robots_agree_with_pinocchio(run, name):
    result = run("compare", name, "--samples", "5", "--seed", "2", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    data = json.loads(result.stdout)
    assert data["ok"] is True
    assert (data["model"], data["samples"], data["seed"]) == (name, 5, 2)
    assert data["origin"] == f"Pinocchio read {name}.urdf itself"
    assert {"rnea", "crba", "aba"} <= {row["function"] for row in data["rows"]}


def test_the_table_of_a_comparison(run, suspicious):
    result = run("compare", suspicious, "--floating-base", "--samples", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("suspicious, floating base, with Pinocchio")
    assert "agrees" in result.stdout.splitlines()[0]
    assert any(line.startswith("rnea ") and " ok " in line for line in result.stdout.splitlines())


@pytest.mark.parametrize("json_too", [False, True])
def test_a_disagreement_fails(run, monkeypatch, json_too):
    good = comparing.compare("<robot name='r'><link name='a'/></robot>", samples=1)
    wrong = dataclasses.replace(good.rows[0], error=1.0, ok=False)
    bad = dataclasses.replace(good, rows=(wrong, *good.rows[1:]), diagnosis="the masses differ")
    monkeypatch.setattr(comparing, "compare", lambda *arguments, **options: bad)
    result = run("compare", "planar_2r", *(["--json"] if json_too else []))
    assert result.exit_code == 1
    assert "the masses differ" in result.stdout
    if json_too:
        assert json.loads(result.stdout)["ok"] is False


def test_without_pinocchio(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    result = run("compare", "planar_2r")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: the comparison needs Pinocchio")
    assert "pip install 'featherstone[pinocchio]'" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--samples", "0"), "samples: expected a whole number of at least 1, got 0"),
        (("--samples", "-3"), "samples: expected"),
        (("--against", "bullet"), "against: expected 'mujoco', 'pinocchio' or 'truth', got 'bullet'"),
    ],
)
def test_wrong_values(run, options, said):
    result = run("compare", "planar_2r", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
