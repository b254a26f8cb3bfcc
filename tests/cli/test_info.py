"""`featherstone info`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import ALL, random_tree

MIMIC = """<robot name="pair">
  <link name="base"/>
  <link name="one">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="two">
    <inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <joint name="lead" type="continuous"><parent link="base"/><child link="one"/></joint>
  <joint name="follow" type="continuous">
    <parent link="one"/><child link="two"/><mimic joint="lead" multiplier="-2" offset="0.5"/>
  </joint>
</robot>
"""


@pytest.mark.parametrize("name", fs.models.names())
def test_text_of_every_shipped_robot(run, name):
    model = fs.models.load(name)
    result = run("info", name)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(str(model))
    for word in (*model.joint_names, *model.frame_names, "lower", "upper", "damping", "friction", "m/s^2"):
        assert word in result.stdout
    assert not any(line != line.rstrip() for line in result.stdout.splitlines()), "blanks at the end of a line"


@pytest.mark.parametrize("name", fs.models.names())
def test_json_of_every_shipped_robot(run, name):
    model = fs.models.load(name)
    data = json.loads(run("info", name, "--json").stdout)
    assert (data["name"], data["nb"], data["nq"], data["nv"]) == (name, model.nb, model.nq, model.nv)
    assert data["mass"] == pytest.approx(model.mass)
    assert data["gravity"] == model.gravity.tolist()
    assert [joint["name"] for joint in data["joints"]] == list(model.joint_names)
    assert [body["name"] for body in data["bodies"]] == list(model.body_names)
    assert sum(body["mass"] for body in data["bodies"]) == pytest.approx(model.body_mass.sum())
    assert [frame["name"] for frame in data["frames"]] == list(model.frame_names)
    for joint, leader in zip(data["joints"], model.leaders):
        if leader is None:
            first, end = joint["q"]
            assert np.arange(model.nq)[model.q_index(joint["name"])] == pytest.approx(np.arange(first, end))
            assert joint["follows"] is None
        else:
            assert joint["q"] is joint["qd"] is None
            assert joint["follows"]["joint"] == leader
    for frame in data["frames"]:
        number, pose = model.frame(frame["name"])[1:]
        assert frame["body"] == (model.body_names[number - 1] if number else None)
        np.testing.assert_array_equal(frame["pose"], pose)


def test_limits_that_are_none_are_null(run):
    data = json.loads(run("info", "planar_2r", "--json").stdout)
    assert data["joints"][0]["upper"] is None
    assert data["joints"][0]["damping"] == 0.0


def test_floating_base(run, suspicious):
    assert json.loads(run("info", suspicious, "--json").stdout)["floating_base"] is False
    data = json.loads(run("info", suspicious, "--floating-base", "--json").stdout)
    assert data["floating_base"] is True
    assert (data["nq"], data["nv"], data["joints"][0]["q"]) == (8, 7, [0, 7])
    assert "0:7" in run("info", suspicious, "--floating-base").stdout
    assert json.loads(run("info", "planar_2r", "--floating-base", "--json").stdout)["nv"] == 8


def test_mimic_and_no_mimic(run, tmp_path):
    path = tmp_path / "pair.urdf"
    path.write_text(MIMIC)
    data = json.loads(run("info", path, "--json").stdout)
    assert data["nv"] == 1
    assert data["joints"][1]["follows"] == {"joint": "lead", "multiplier": -2.0, "offset": 0.5}
    assert "follows lead" in run("info", path).stdout
    data = json.loads(run("info", path, "--no-mimic", "--json").stdout)
    assert data["nv"] == 2
    assert data["joints"][1]["follows"] is None
    free = json.loads(run("info", "seven_axis", "--no-mimic", "--json").stdout)
    assert free["nv"] == len(free["joints"]) > fs.models.load("seven_axis").nv


def test_names_that_look_like_markup_are_printed_as_they_are(run, tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_text(MIMIC.replace('"one"', '"[bold]one[/bold]"').replace('"lead"', '":smile: [/] lead"'))
    text = run("info", path).stdout
    assert "[bold]one[/bold]" in text
    assert ":smile: [/] lead" in text


def test_colours_only_where_they_are_asked_for(run):
    assert "\x1b[" not in run("info", "planar_2r").stdout
    assert "\x1b[" in run("info", "planar_2r", env={"FORCE_COLOR": "1", "TERM": "xterm"}).stdout


def test_a_saved_robot_with_every_joint_type(run, tmp_path):
    """Joints of several degrees of freedom, limits of each, rotors: as text and as plain data."""
    model = random_tree(1, 12, ALL, mimic=True)
    path = tmp_path / "robot.json"
    path.write_text(model.to_json())
    result = run("info", str(path))
    assert (result.exit_code, result.stderr) == (0, "")
    data = json.loads(run("info", str(path), "--json").stdout)
    for shown, joint, leader in zip(data["joints"], model.joints, model.leaders):
        assert shown["name"] == joint.name
        assert np.array_equal(shown["screws"], np.array(joint.screws))
        assert (shown["rotor"] is None) == (joint.rotor is None)
        if leader is not None:
            scale = 1.0
            while joint.mimic is not None:
                scale *= joint.mimic.multiplier
                joint = model.joints[model.joint_names.index(joint.mimic.joint)]
            assert shown["follows"]["multiplier"] == pytest.approx(scale, rel=1e-14)
