"""What the reader of URDF takes from a file, and from where."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import load_urdf, read_urdf

BODY = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(joint, before="", after=""):
    """A base and a tip with one joint between them, which is the text `joint`."""
    return f'<robot name="r">{before}<link name="base"/><link name="tip">{BODY}</link>{joint}{after}</robot>'


def hinge(inside="", type="continuous", **attributes):
    extra = "".join(f' {k}="{v}"' for k, v in attributes.items())
    return f'<joint name="j" type="{type}"{extra}><parent link="base"/><child link="tip"/>{inside}</joint>'


def read_joint(inside, type="revolute"):
    builder, findings = read_urdf(robot(hinge(inside, type)))
    assert findings == []
    return builder.describe().joints[0]


def test_defaults():
    joint = read_joint("", "continuous")
    assert (joint.name, joint.type, joint.parent, joint.child) == ("j", "continuous", "base", "tip")
    assert joint.position == (0, 0, 0)
    assert joint.rotation == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert joint.axis == (1, 0, 0)
    assert (joint.velocity, joint.effort) == (np.inf, np.inf)
    assert (joint.damping, joint.friction, joint.armature, joint.mimic) == (0, 0, 0, None)


def test_a_link_without_inertial_has_no_mass():
    link = read_urdf('<robot><link name="a"/></robot>')[0].describe().links[0]
    assert link.mass == 0
    assert not np.any(link.inertia)


def test_limits_damping_and_friction_are_kept():
    joint = read_joint(
        '<limit lower="-1.5" upper="2" velocity="3" effort="40"/><dynamics damping="0.1" friction="0.2"/>'
    )
    assert (joint.lower, joint.upper, joint.velocity, joint.effort) == (-1.5, 2, 3, 40)
    assert (joint.damping, joint.friction) == (0.1, 0.2)


@pytest.mark.parametrize(("given", "expected"), [('lower="-1"', (-1, 0)), ('upper="1"', (0, 1))])
def test_one_limit_alone_makes_the_other_zero(given, expected):
    joint = read_joint(f"<limit {given}/>", "prismatic")
    assert (joint.lower, joint.upper, joint.velocity, joint.effort) == (*expected, np.inf, np.inf)


def test_origin_is_yaw_pitch_roll():
    # each angle alone is a turn about its axis; the order is that of fixed axes: roll first
    roll, pitch, yaw = 0.3, -0.7, 1.1
    joint = read_joint(f'<origin xyz="1 2 3" rpy="{roll} {pitch} {yaw}"/><limit lower="0" upper="1"/>')
    (a, b), (c, d), (e, f) = ((np.cos(x), np.sin(x)) for x in (roll, pitch, yaw))
    Rx = np.array([[1, 0, 0], [0, a, -b], [0, b, a]])
    Ry = np.array([[c, 0, d], [0, 1, 0], [-d, 0, c]])
    Rz = np.array([[e, -f, 0], [f, e, 0], [0, 0, 1]])
    assert joint.position == (1, 2, 3)
    # three products of numbers below 1
    np.testing.assert_allclose(joint.rotation, Rz @ Ry @ Rx, rtol=0, atol=8 * np.finfo(float).eps)


def test_an_inertial_frame_turns_the_tensor():
    inertial = (
        '<inertial><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><mass value="1"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial>'
    )
    link = read_urdf(f'<robot><link name="a">{inertial}</link></robot>')[0].describe().links[0]
    assert link.com == (0, 0, 1)
    # Rz(90 deg): x -> y, y -> -x; exact, as a quarter turn is
    assert link.inertia == ((2, -0.1, -0.3), (-0.1, 1, 0.2), (-0.3, 0.2, 2.5))


@pytest.mark.parametrize("type", ["fixed", "floating"])
def test_joints_without_an_axis_may_have_a_zero_one(type):
    read_joint('<axis xyz="0 0 0"/>', type)


@pytest.mark.parametrize(
    ("type", "nq", "nv"),
    [
        ("fixed", 0, 0),
        ("revolute", 1, 1),
        ("continuous", 1, 1),
        ("prismatic", 1, 1),
        ("planar", 3, 3),
        ("floating", 7, 6),
    ],
)
def test_every_joint_type(type, nq, nv):
    model = load_urdf(robot(hinge('<limit lower="0" upper="1"/>' if type in ("revolute", "prismatic") else "", type)))
    assert (model.nq, model.nv) == (nq, nv)
    assert model.mass == 2


def test_mimic_reads_multiplier_and_offset():
    after = (
        f'<link name="b">{BODY}</link><joint name="k" type="continuous"><parent link="tip"/><child link="b"/>'
        '<mimic joint="j" multiplier="-2" offset="0.5"/></joint>'
    )
    builder, findings = read_urdf(robot(hinge(), after=after))
    mimic = builder.describe().joints[1].mimic
    assert findings == []
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j", -2, 0.5)
    assert load_urdf(robot(hinge(), after=after)).nv == 1
    assert load_urdf(robot(hinge(), after=after), mimic=False).nv == 2


def test_a_follower_may_stand_before_its_leader():
    before = (
        f'<link name="b">{BODY}</link><joint name="k" type="continuous"><parent link="tip"/><child link="b"/>'
        '<mimic joint="j"/></joint>'
    )
    assert load_urdf(robot(hinge(), before=before), strict=True).nv == 1


def test_links_and_joints_elsewhere_in_the_file_are_not_the_robots():
    after = (
        '<transmission name="t"><joint name="j"><hardwareInterface/></joint><joint name="unknown"/></transmission>'
        '<gazebo><link name="g"/><joint name="h" type="ball"/></gazebo>'
        '<ros2_control><joint name="j"/><joint name="j"/></ros2_control>'
        '<material name="m"/><link_extra/><drake:joint xmlns:drake="http://drake.mit.edu" name="d" type="ball"/>'
    )
    assert load_urdf(robot(hinge(), after=after), strict=True).joint_names == ("j",)


def test_geometry_is_not_looked_at():
    link = '<link name="v"><visual><origin rpy="bad"/><geometry><mesh filename="package://none/a.stl"/></geometry></visual></link>'
    joint = '<joint name="f" type="fixed"><parent link="tip"/><child link="v"/></joint>'
    assert load_urdf(robot(hinge(), after=link + joint), strict=True).nv == 1


@pytest.mark.parametrize(
    "text",
    [
        robot(hinge()).replace("<robot", '<robot xmlns="http://www.ros.org/urdf"'),
        robot(hinge()).replace("<robot", '<robot xmlns:xacro="http://ros.org/wiki/xacro" xmlns:a="b"'),
        robot(hinge())
        .replace("</", "</u:")
        .replace("<", "<u:")
        .replace("<u:/u:", "</u:")
        .replace("<u:robot", '<u:robot xmlns:u="x"'),
    ],
    ids=["default namespace", "declared prefixes", "prefixed"],
)
def test_namespaces_do_not_hide_the_robot(text):
    assert load_urdf(text, strict=True).joint_names == ("j",)


def test_a_path_a_text_and_bytes_are_the_same(tmp_path):
    text = robot(hinge())
    path = tmp_path / "r.urdf"
    path.write_text(text)
    models = [load_urdf(x) for x in (path, str(path), text, text.encode(), bytearray(text.encode()))]
    assert all(m.description == models[0].description for m in models)


@pytest.mark.parametrize(
    "start", ["\n", " \t\r\n", "\ufeff", "\ufeff\n", "<?xml version='1.0'?>", "\n\n<?xml version='1.0'?>\n"]
)
def test_blanks_and_a_byte_order_mark_before_the_text(start, tmp_path):
    text = start + robot(hinge())
    path = tmp_path / "r.urdf"
    path.write_bytes(text.encode())
    for source in (text, text.encode(), path):
        assert load_urdf(source).nv == 1


def test_lines_count_what_stands_before_the_text():
    with pytest.raises(ParseError) as caught:
        load_urdf("\n \r\n<?xml version='1.0'?>\n<robot>\n<link/></robot>")
    assert caught.value.line == 5


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-8", "Gelenk_ö_関節"),
        ("utf-16", "Gelenk_ö_関節"),
        ("latin-1", "Gelenk_ö"),
        ("cp1252", "Gelenk_ö"),
        ("gb2312", "关节"),
        ("gb18030", "关节"),
        ("Shift_JIS", "関節"),
        ("EUC-KR", "관절"),
    ],
)
def test_the_declaration_decides_the_encoding(encoding, name, tmp_path):
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + robot(hinge().replace('"j"', f'"{name}"'))
    path = tmp_path / "r.urdf"
    path.write_bytes(text.encode(encoding))
    assert load_urdf(path).joint_names == (name,)
    # a str is decoded already, whatever it says
    assert load_urdf(text).joint_names == (name,)


@pytest.mark.parametrize("encoding", ["klingon", "idna", "zip", "utf-7", "unicode_escape", "undefined", "euc-jp"])
def test_an_unknown_or_wrong_encoding_is_refused(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><robot name="\xe9\xff">{BODY}</robot>'
    with pytest.raises(ParseError) as caught:
        load_urdf(text.encode("latin-1"))
    assert caught.value.line == 1
    assert str(caught.value).startswith("<string>:1: ")


def test_bytes_that_are_not_utf_8_are_refused():
    with pytest.raises(ParseError, match="<string>:1: not well-formed XML"):
        load_urdf(b'<robot name="\xff"/>')


@pytest.mark.parametrize("source", ["", " \n", "\ufeff", b"", b" \n", b"\xef\xbb\xbf"])
def test_nothing_is_refused(source):
    with pytest.raises(ParseError, match=r"^<string>.*got an empty text"):
        load_urdf(source)


@pytest.mark.parametrize(
    "data",
    [b"\x7fELF\x02\x01\x01", b"\x89PNG\r\n", bytes(range(256)), b"\xff\xfe\x00\x00", b"PK\x03\x04", b"name: robot"],
)
def test_files_that_are_no_xml_are_refused(data, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes(data)
    with pytest.raises(ParseError) as caught:
        load_urdf(path)
    assert str(caught.value).startswith(f"{path}:1: ")


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "r.urdf"
    path.touch()
    with pytest.raises(ParseError, match="expected XML, got an empty text"):
        load_urdf(path)


@pytest.mark.parametrize("name", ["missing.urdf", "nul\0.urdf", "x" * 5000, "robot name='r'"])
def test_a_path_that_is_none_is_refused(name):
    with pytest.raises(ParseError, match="the file cannot be read") as caught:
        load_urdf(name)
    assert caught.value.line is None
    assert len(str(caught.value)) < 500


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(ParseError, match="expected a file, got a directory"):
        load_urdf(tmp_path)


def test_a_path_object_of_any_kind_is_taken(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(robot(hinge()))

    class Somewhere(os.PathLike):
        def __fspath__(self):
            return str(path)

    assert load_urdf(Somewhere()).nv == 1


@pytest.mark.parametrize("source", [None, 3, ["<robot/>"], sys.stdin])
def test_other_things_are_a_type_error(source):
    with pytest.raises(TypeError, match="expected a path"):
        load_urdf(source)


def test_entities_are_never_expanded():
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 30))
    bomb = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e0 "x">{levels}]><robot name="&e29;"/>'
    with pytest.raises(ParseError, match="DOCTYPE"):
        load_urdf(bomb)


def test_a_chain_of_3000_links_loads():
    links = "".join(f'<link name="l{i}">{BODY}</link>' for i in range(3001))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(3000)
    )
    model = load_urdf(f"<robot>{joints}{links}</robot>", strict=True)
    assert model.nv == 3000
    assert model.mass == 6002


def test_deep_nesting_beside_the_robot_is_refused_without_recursion():
    with pytest.raises(ParseError, match="nested at most 64 deep"):
        load_urdf("<robot>" + "<a>" * 1_000_000)


def test_parse_errors_survive_pickling():
    with pytest.raises(ParseError) as caught:
        load_urdf("<robot>\n<link/></robot>")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert (copy.file, copy.line, copy.element) == ("<string>", 2, "link")


def test_importing_the_package_imports_no_xml():
    code = "import sys, featherstone.parsers.urdf; print([m for m in sys.modules if m.startswith(('xml', 'pyexpat'))])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
