"""`featherstone check --fix`: a mended copy, never over another file, exit status by what is left."""

import json

import pytest

from featherstone.proof.repair import repair

from .conftest import SUSPICIOUS

MENDABLE = SUSPICIOUS.replace('xyz="0 0 2"', 'xyz="0 0 1"')


@pytest.fixture
def mendable(tmp_path):
    """A robot that loads with one warning, which can be mended."""
    path = tmp_path / "arm.urdf"
    path.write_text(MENDABLE)
    return path


def test_the_copy_is_written_beside_the_original(run, mendable):
    result = run("check", mendable, "--fix")
    copy = mendable.with_name("arm.fixed.urdf")
    assert result.exit_code == 0
    assert result.stderr == f"written: {copy}\n"
    assert result.stdout.startswith(f"{mendable}: 1 change\n\nline 3: link 'arm': inertia: principal moments 1, 1, 3 ")
    assert copy.read_bytes() == repair(mendable).data
    assert mendable.read_text() == MENDABLE
    assert run("check", copy).exit_code == 0


def test_what_is_left_fails(run, suspicious):
    result = run("check", suspicious, "--fix")
    assert result.exit_code == 1
    assert "not mended:\nline 7: joint 'hinge': <axis xyz>" in result.stdout
    assert suspicious.with_name("suspicious.fixed.urdf").exists()


def test_files_are_not_overwritten_unless_told(run, mendable):
    copy = mendable.with_name("arm.fixed.urdf")
    copy.write_text("mine")
    result = run("check", mendable, "--fix")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "exists; give another --output, or --overwrite" in result.stderr
    assert copy.read_text() == "mine"
    assert run("check", mendable, "--fix", "--overwrite").exit_code == 0
    assert copy.read_bytes() == repair(mendable).data


def test_nothing_is_written_if_nothing_changed_unless_a_place_is_given(run, mendable):
    run("check", mendable, "--fix")
    copy = mendable.with_name("arm.fixed.urdf")
    result = run("check", copy, "--fix")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{copy}: nothing to mend\n"
    assert not copy.with_name("arm.fixed.fixed.urdf").exists()
    other = copy.with_name("other.urdf")
    assert run("check", copy, "--fix", "--output", other).exit_code == 0
    assert other.read_bytes() == copy.read_bytes()


def test_json(run, mendable):
    result = run("check", mendable, "--fix", "--json")
    data = json.loads(result.stdout)
    assert (result.exit_code, result.stderr) == (0, "")
    assert data["output"] == str(mendable.with_name("arm.fixed.urdf"))
    assert [(x["rule"], x["name"], x["line"]) for x in data["changes"]] == [("inertia-triangle-rule", "arm", 3)]
    assert data["ok"] is True
    assert data["report"]["ok"] is True


def test_standard_input_to_standard_output(program):
    result = program("check", "-", "--fix", "--output", "-", input=MENDABLE.encode())
    assert result.returncode == 0
    assert result.stdout == repair(MENDABLE).data
    assert b"1 change" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("planar_2r", "--fix"), "ships with featherstone"),
        (("-", "--fix"), "standard input has no place beside it"),
        (("planar_2r", "--output", "a.urdf"), "--output: expected --fix"),
        (("planar_2r", "--overwrite"), "--overwrite: expected --fix"),
        (("planar_2r", "--fix", "--json", "--output", "-"), "--json: expected --output to be a file"),
        (("planar_2r", "--fix", "--output", "no/such/place.urdf"), "No such file"),
    ],
)
def test_wrong_usage(run, arguments, said):
    result = run("check", *arguments, input=MENDABLE)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_that_is_no_robot_cannot_be_mended(run, broken):
    result = run("check", broken, "--fix")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert not broken.with_name(broken.stem + ".fixed.urdf").exists()
