"""Every broken file gets a ParseError that says file, line and name, what was expected and what was found."""

import pytest

from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import load_urdf

GOOD = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="tip">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="1.5"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/>
    <child link="tip"/>
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
</robot>
"""
LINES = GOOD.splitlines()
MASS, INERTIA, AXIS, LIMIT, PARENT, CHILD = (LINES[i - 1] for i in (7, 8, 15, 16, 12, 13))
SECOND_TIP = '  <joint name="again" type="fixed"><parent link="base"/><child link="tip"/></joint>\n</robot>'
CYCLE = '  <joint name="back" type="fixed"><parent link="tip"/><child link="base"/></joint>\n</robot>'
ISLAND = """  <link name="x"/><link name="y"/>
  <joint name="xy" type="fixed"><parent link="x"/><child link="y"/></joint>
  <joint name="yx" type="fixed"><parent link="y"/><child link="x"/></joint>
</robot>"""
FOLLOWER = """  <link name="b"/>
  <joint name="follower" type="revolute">
    <parent link="tip"/><child link="b"/><limit lower="0" upper="1"/><mimic joint="turn"/>
  </joint>
</robot>"""

# what is replaced, by what, the line of the error, the name of what is wrong, a part of the message
TABLE = {
    "not closed": ("</robot>", "", 20, None, "not well-formed XML"),
    "tags crossed": ("    </inertial>\n  </link>", "    </link>\n  </inertial>", 9, None, "mismatched tag"),
    "attribute twice": ('<mass value="1.5"/>', '<mass value="1.5" value="2"/>', 7, None, "duplicate attribute"),
    "text after the end": ("</robot>", "</robot>\n<robot/>", 20, None, "junk after document element"),
    "unknown entity": ('name="arm"', 'name="&arm;"', 2, None, "undefined entity"),
    "control character": ('name="arm"', 'name="a\x01m"', 2, None, "not well-formed XML"),
    "document type": ("<robot ", "<!DOCTYPE robot>\n<robot ", 2, None, "expected no <!DOCTYPE>"),
    "entities": ("<robot ", '<!DOCTYPE r [<!ENTITY a "b">]>\n<robot ', 2, None, "expected no <!DOCTYPE>"),
    "external entity": (
        "<robot ",
        '<!DOCTYPE r SYSTEM "file:///etc/hosts">\n<robot ',
        2,
        None,
        "expected no <!DOCTYPE>",
    ),
    "too deep": ("</robot>", "<a>" * 64 + "</a>" * 64 + "</robot>", 19, None, "nested at most 64 deep"),
    "unknown encoding": ('"1.0"', '"1.0" encoding="klingon"', 1, None, "klingon"),
    "link without name": ('<link name="base"/>', "<link/>", 3, None, "<link>: expected the attribute 'name'"),
    "link with empty name": ('<link name="base"/>', '<link name=""/>', 3, None, "'name', got an empty one"),
    "joint without name": ('<joint name="turn"', "<joint", 11, None, "<joint>: expected the attribute 'name'"),
    "link twice": ('<link name="base"/>', '<link name="base"/><link name="base"/>', 3, "base", "given twice"),
    "joint twice": ("</robot>", LINES[10] + "</joint></robot>", 19, "turn", "given twice, also at line 11"),
    "joint without type": (' type="revolute"', "", 11, "turn", "expected the attribute 'type'"),
    "unknown type": ('"revolute"', '"ball"', 11, "turn", "expected a type of fixed, revolute"),
    "type in capitals": ('"revolute"', '"Revolute"', 11, "turn", "got 'Revolute'"),
    "no parent": (PARENT, "", 11, "turn", "expected a <parent>"),
    "no child": (CHILD, "", 11, "turn", "expected a <child>"),
    "parent without link": (PARENT, "<parent/>", 12, "turn", "<parent>: expected the attribute 'link'"),
    "two parent elements": (PARENT, PARENT + PARENT, 12, "turn", "expected one <parent>, got another at line 12"),
    "unknown parent": (PARENT, '<parent link="bass"/>', 11, "turn", "'bass'"),
    "unknown child": (CHILD, '<child link="top"/>', 11, "turn", "'top'"),
    "own child": (CHILD, '<child link="base"/>', 3, "base", "'base' <- 'base'"),
    "child of two joints": ("</robot>", SECOND_TIP, 19, "tip", "child of two joints: 'turn' and 'again'"),
    "no root": ("</robot>", CYCLE, 3, "base", "cycle"),
    "cycle beside the tree": ("</robot>", ISLAND, 19, "x", "cycle"),
    "two roots": ("</robot>", '  <link name="loose"/>\n</robot>', 19, "loose", "no parent"),
    "no inertia": (INERTIA, "", 5, "tip", "<inertial>: expected a <inertia>"),
    "no mass": (MASS, "", 5, "tip", "<inertial>: expected a <mass>"),
    "mass without value": ('<mass value="1.5"/>', "<mass/>", 7, "tip", "<mass>: expected the attribute 'value'"),
    "tensor entry missing": (' ixz="0"', "", 8, "tip", "<inertia>: expected the attribute 'ixz'"),
    "negative mass": ('"1.5"', '"-1.5"', 7, "tip", "expected a number >= 0, got -1.5"),
    "mass is nan": ('"1.5"', '"nan"', 7, "tip", "found 'nan'"),
    "mass is inf": ('"1.5"', '"inf"', 7, "tip", "found 'inf'"),
    "mass is empty": ('"1.5"', '""', 7, "tip", "found ''"),
    "mass with unit": ('"1.5"', '"1.5kg"', 7, "tip", "found '1.5kg'"),
    "mass with underscore": ('"1.5"', '"1_5"', 7, "tip", "found '1_5'"),
    "mass with comma": ('"1.5"', '"1,5"', 7, "tip", "no commas"),
    "mass in hexadecimal": ('"1.5"', '"0x1p1"', 7, "tip", "found '0x1p1'"),
    "mass of fullwidth digits": ('"1.5"', '"１"', 7, "tip", "expected a plain decimal number"),
    "mass with a no-break space": ('"1.5"', '"1.5\u00a0"', 7, "tip", "expected a plain decimal number"),
    "mass overflows": ('"1.5"', '"1e999"', 7, "tip", "1.8e308"),
    "mass beyond all reason": ('"1.5"', '"1e300"', 4, "tip", "mass: expected at most 1e+60, got 1e+300"),
    "position beyond all reason": ('"0 0 0.5"', '"0 0 1e200"', 11, "turn", "position: expected at most 1e+60"),
    "mass of two numbers": ('"1.5"', '"1 5"', 7, "tip", "found '1 5'"),
    "mass left over from xacro": ('"1.5"', '"${m}"', 7, "tip", "expand the file first"),
    "mass twice": (MASS, MASS + MASS, 7, "tip", "expected one <mass>"),
    "inertial twice": ("    <inertial>", "    <inertial/>\n    <inertial>", 6, "tip", "expected one <inertial>"),
    "bad tensor entry": ('ixx="1"', 'ixx="one"', 8, "tip", "<inertia ixx>"),
    "bad centre of mass": (
        'xyz="0 0 0.1"',
        'xyz="0 0"',
        6,
        "tip",
        "expected 3 numbers with blanks between them, got 2",
    ),
    "bad inertial rpy": ('0.1" rpy="0 0 0"', '0.1" rpy="0 0 0 1"', 6, "tip", "<origin rpy>: expected 3 numbers"),
    "four numbers": ('xyz="0 0 0.5"', 'xyz="0 0 0.5 1"', 14, "turn", "got 4"),
    "no numbers": ('xyz="0 0 0.5"', 'xyz=""', 14, "turn", "got 0"),
    "numbers with commas": ('xyz="0 0 0.5"', 'xyz="0, 0, 0.5"', 14, "turn", "no commas"),
    "exponent without digits": ('xyz="0 0 0.5"', 'xyz="0 0 1e"', 14, "turn", "found '0 0 1e'"),
    "lone point": ('xyz="0 0 0.5"', 'xyz="0 0 ."', 14, "turn", "found '0 0 .'"),
    "two origins": (AXIS, "<origin/>", 15, "turn", "expected one <origin>"),
    "zero axis": ('"0 0 1"', '"0 0 0"', 15, "turn", "got the zero vector"),
    "tiny axis": ('"0 0 1"', '"0 0 1e-300"', 11, "turn", "axis: expected a direction"),
    "axis without xyz": ('<axis xyz="0 0 1"/>', "<axis/>", 15, "turn", "<axis>: expected the attribute 'xyz'"),
    "axis of words": ('"0 0 1"', '"x y z"', 15, "turn", "found 'x y z'"),
    "two axes": (AXIS, AXIS + "\n" + AXIS, 16, "turn", "got another at line 15"),
    "bad limit": ('upper="1"', 'upper="pi"', 16, "turn", "<limit upper>"),
    "limit overflows": ('effort="10"', 'effort="1e400"', 16, "turn", "<limit effort>"),
    "two limits": (LIMIT, LIMIT + "\n" + LIMIT, 17, "turn", "expected one <limit>"),
    "bad damping": ('damping="0.1"', 'damping="low"', 17, "turn", "<dynamics damping>"),
    "negative damping": ('damping="0.1"', 'damping="-0.1"', 11, "turn", "damping: expected a number >= 0"),
    "negative friction": ('friction="0.2"', 'friction="-0.2"', 11, "turn", "friction: expected a number >= 0"),
    "mimic cycle": ("</joint>\n</robot>", '<mimic joint="turn"/></joint>\n</robot>', 11, "turn", "cycle"),
    "longer mimic cycle": (
        "  </joint>\n</robot>",
        '  <mimic joint="follower"/></joint>\n' + FOLLOWER,
        11,
        "turn",
        "cycle",
    ),
    "mimic without joint": ("</joint>\n</robot>", "<mimic/></joint>\n</robot>", 18, "turn", "attribute 'joint'"),
    "bad multiplier": (
        "</joint>\n</robot>",
        '<mimic joint="turn" multiplier="x"/></joint>\n</robot>',
        18,
        "turn",
        "<mimic multiplier>",
    ),
    "multiplier beyond all reason": (
        "</joint>\n</robot>",
        '<mimic joint="turn" multiplier="1e300"/></joint>\n</robot>',
        11,
        "turn",
        "mimic multiplier: expected at most 1e+60",
    ),
    "two mimics": (
        "</joint>\n</robot>",
        '<mimic joint="a"/><mimic joint="b"/></joint>\n</robot>',
        18,
        "turn",
        "expected one <mimic>",
    ),
    "tensor beyond float64 when rotated": (
        '0.1" rpy="0 0 0"/>\n      <mass value="1.5"/>\n      <inertia ixx="1" ixy="0"',
        '0.1" rpy="0.5 0.5 0"/>\n      <mass value="1.5"/>\n      <inertia ixx="1.7e308" ixy="1.7e308"',
        4,
        "tip",
        "finite numbers",
    ),
}


def test_the_unbroken_file_loads():
    assert load_urdf(GOOD, strict=True).joint_names == ("turn",)


@pytest.mark.parametrize("case", TABLE)
def test_a_broken_file_is_refused_with_file_line_and_name(case, tmp_path):
    old, new, line, name, expected = TABLE[case]
    assert GOOD.count(old) == 1 or old in ("</robot>", '"1.0"', '"1.5"', "<robot ")
    path = tmp_path / "arm.urdf"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ParseError) as caught:
        load_urdf(path)
    error = caught.value
    assert str(error).startswith(f"{path}:{line}: ")
    assert expected in str(error)
    assert (error.file, error.line, error.name) == (str(path), line, name)
    assert name is None or name in error.message
    assert error.element is not None or name is None


def test_a_robot_without_links_is_refused():
    with pytest.raises(ParseError, match=r"<string>:2: robot 'x': expected at least one <link>"):
        load_urdf('\n<robot name="x"><joint name="j" type="fixed"/></robot>')


def test_a_file_for_xacro_is_told_from_a_robot_without_links():
    text = '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arm name="a"/></robot>'
    with pytest.raises(ParseError, match="expand the file first"):
        load_urdf(text)


@pytest.mark.parametrize("text", ["<sdf/>", "<sdf><robot/></sdf>", "<Robot/>", "<mujoco model='arm'><link/></mujoco>"])
def test_another_root_element_is_refused(text):
    with pytest.raises(ParseError, match=r"<string>:1: \w+: expected the root element <robot>, got <\w+>"):
        load_urdf(text)


def test_the_value_found_is_kept():
    with pytest.raises(ParseError) as caught:
        load_urdf(GOOD.replace('"1.5"', '"1_5"'))
    assert (caught.value.element, caught.value.value) == ("link", "1_5")


def test_a_long_value_is_shortened_in_the_message_and_kept_in_the_error():
    with pytest.raises(ParseError) as caught:
        load_urdf(GOOD.replace('"1.5"', f'"{"x" * 100000}"'))
    assert len(str(caught.value)) < 500
    assert len(caught.value.value or "") == 100000
