"""Every broken SDFormat file gets a ParseError that says file, line and name, what was expected and what was found."""

import pytest

from featherstone.parsers.errors import ParseError
from featherstone.parsers.sdf import load_sdf

GOOD = """<?xml version="1.0"?>
<sdf version="1.9">
  <model name="arm">
    <pose>0 0 0 0 0 0</pose>
    <link name="base">
      <inertial>
        <mass>1.5</mass>
        <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>
      </inertial>
    </link>
    <link name="tip">
      <pose relative_to="turn">0 0 0.1 0 0 0</pose>
      <inertial>
        <mass>1</mass>
        <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>
      </inertial>
    </link>
    <joint name="turn" type="revolute">
      <pose relative_to="base">0 0 0.5 0 0 0</pose>
      <parent>base</parent>
      <child>tip</child>
      <axis>
        <xyz>0 0 1</xyz>
        <limit><lower>-1</lower><upper>1</upper><effort>10</effort></limit>
        <dynamics><damping>0.1</damping></dynamics>
      </axis>
    </joint>
  </model>
</sdf>
"""
END = "  </model>\n</sdf>"
MODEL = GOOD[GOOD.index("  <model") : GOOD.index("</sdf>")]
TIP_POSE, JOINT_POSE = '<pose relative_to="turn">0 0 0.1', '<pose relative_to="base">0 0 0.5'
BACK = '<joint name="back" type="fixed"><parent>base</parent><child>tip</child></joint>'

# what is replaced, by what, and the line, element, name and a part of the message of the error
TABLE = {
    "URDF": (GOOD, '<robot name="a"/>', 1, "robot", None, "expected the root element <sdf>, got <robot>"),
    "no version": (' version="1.9"', "", 2, "sdf", None, "expected the attribute 'version'"),
    "old version": ('"1.9"', '"1.3"', 2, "sdf", None, "expected 1.4 or later, below 2.0, got '1.3'"),
    "unknown version": ('"1.9"', '"2.0"', 2, "sdf", None, "expected 1.4 or later, below 2.0, got '2.0'"),
    "version that is none": ('"1.9"', '"1.x"', 2, "sdf", None, "got '1.x'"),
    "doctype": ("<sdf", "<!DOCTYPE sdf><sdf", 2, None, None, "expected no <!DOCTYPE>"),
    "no model": (MODEL, "", 2, "sdf", None, "expected at least one <model>, got none; add one"),
    "only includes": (MODEL, "<include/>", 2, "sdf", None, "expand the file first, by `gz sdf -p`"),
    "two models": ("</sdf>", MODEL + "</sdf>", 2, "sdf", None, "expected one model, got 2: 'arm', 'arm'"),
    "no link": (MODEL, '<model name="m"/>', 3, "model", "m", "expected at least one <link>, got none"),
    "include": (END, "<include><uri>model://x</uri></include>" + END, 28, "model", "arm", "'model://x' is never fetch"),
    "nameless link": ('<link name="tip">', "<link>", 11, "link", None, "expected the attribute 'name'"),
    "reserved name": ('"tip"', '"__tip__"', 11, "link", "__tip__", "the name is reserved"),
    "link called world": ('"tip"', '"world"', 11, "link", "world", "the name is reserved"),
    "separator in a name": ('name="tip"', 'name="a::tip"', 11, "link", "a::tip", "expected no '::' in a name"),
    "link and joint of one name": ('"turn" type', '"tip" type', 18, "joint", "tip", "the name is given twice: a link"),
    "two links of one name": (
        '"tip"', '"base"', 11, "link", "base", "the name is given twice: a link has it at line 5"),
    "mass": ("1.5<", "1,5<", 7, "link", "base", "<mass>: expected a plain decimal number"),
    "negative mass": ("1.5<", "-1.5<", 6, "link", "base", "<mass>: expected a number >= 0, got -1.5"),
    "infinite mass": ("1.5<", "inf<", 7, "link", "base", "<mass>: expected a plain decimal number"),
    "two masses": ("1.5</mass>", "1</mass><mass>1</mass>", 7, "link", "base", "expected one <mass>"),
    "computed inertia": ("<inertial>", '<inertial auto="true">', 6, "link", "base", "are not computed from shapes"),
    "inertial elsewhere": (
        "<mass>1<", '<pose relative_to="base"/><mass>1<', 14, "link", "tip", "it is always relative to the link"),
    "pose of 5": ("0 0 0.1 0 0 0", "0 0 0.1 0 0", 12, "link", "tip", "<pose>: expected 6 numbers"),
    "enormous pose": (
        "0 0 0.1 0 0 0", "1e99 0 0 0 0 0", 12, "link", "tip", "<pose>: expected numbers of at most 1e+60"),
    "unknown rotation": (
        TIP_POSE, '<pose rotation_format="rpy">0 0 0.1', 12, "link", "tip",
        "expected euler_rpy or quat_xyzw, got 'rpy'"),
    "quaternion of 6": (
        TIP_POSE, '<pose rotation_format="quat_xyzw">0 0 0.1', 12, "link", "tip", "<pose>: expected 7 numbers"),
    "no quaternion": (
        TIP_POSE + " 0 0 0", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0', 12, "link", "tip", "got length 0"),
    "quaternion of another length": (
        TIP_POSE + " 0 0 0", '<pose rotation_format="quat_xyzw">0 0 0 0 0 1 1', 12, "link", "tip", "length 1.41421"),
    "degrees of a quaternion": (
        TIP_POSE, '<pose degrees="1" rotation_format="quat_xyzw">0 0 0 1', 12, "link", "tip", "expected no degrees"),
    "degrees": (TIP_POSE, '<pose degrees="maybe">0 0 0.1', 12, "link", "tip", "expected true or false; found 'maybe'"),
    "unknown frame": ('relative_to="turn"', 'relative_to="trun"', 12, "link", "tip", "'trun' in model 'arm'; did you"),
    "the world as a frame": (
        '"turn">0', '"world">0', 12, "link", "tip", "there is no link, joint, frame or model 'world'"),
    "frame of no model": (
        '"turn">0', '"base::x">0', 12, "link", "tip", "there is no link, joint, frame or model 'base::x'"),
    "poses in a circle": (
        JOINT_POSE, '<pose relative_to="tip">0 0 0', 18, "joint", "turn",
        "relative to itself: 'turn' -> 'tip' -> 'turn'"),
    "pose relative to itself": ('"turn">0', '"tip">0', 11, "link", "tip", "is relative to itself: 'tip' -> 'tip'"),
    "frames that hang on each other": (
        END, '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>' + END, 28, "frame", "f",
        "'f' -> 'g'"),
    "no type": (' type="revolute"', "", 18, "joint", "turn", "expected the attribute 'type'"),
    "unknown type": ('"revolute"', '"hinge"', 18, "joint", "turn", "got 'hinge'"),
    "gearbox": ('"revolute"', '"gearbox"', 18, "joint", "turn", "it couples two other joints and closes a loop"),
    "no parent": ("<parent>base</parent>", "", 18, "joint", "turn", "expected a <parent>"),
    "empty parent": ("<parent>base<", "<parent> <", 20, "joint", "turn", "<parent>: expected a name, got nothing"),
    "unknown parent": (
        "<parent>base<", "<parent>bas<", 20, "joint", "turn", "'bas' in model 'arm'; did you mean 'base'"),
    "unknown child": ("<child>tip<", "<child>top<", 21, "joint", "turn", "'top' in model 'arm'; did you mean 'tip'"),
    "the world as a child": ("<child>tip<", "<child>world<", 21, "joint", "turn", "exchange <parent> and <child>"),
    "one link": ("<child>tip<", "<child>base<", 18, "joint", "turn", "parent and child are the same, 'base'"),
    "no axis": ("axis>", "axle>", 18, "joint", "turn", "expected a <axis>"),
    "zero axis": ("0 0 1<", "0 0 0<", 23, "joint", "turn", "expected a direction, got length 0"),
    "axis of 2": ("0 0 1<", "0 0<", 23, "joint", "turn", "<xyz>: expected 3 numbers"),
    "axis in an unknown frame": ("<xyz>", '<xyz expressed_in="x">', 23, "joint", "turn", "there is no link, joint"),
    "limit": ("<lower>-1<", "<lower>no<", 24, "joint", "turn", "<lower>: expected a plain decimal number"),
    "negative damping": ("0.1</damping>", "-1</damping>", 25, "joint", "turn", "expected a number >= 0, got -1"),
    "loop": (END, BACK + END, 28, "joint", "back", "closes a loop: links 'base' - 'tip' hang together without it"),
    "world called in a model": (
        END, '<frame name="f" attached_to="world"/>' + END, 28, "frame", "f",
        "there is no link, joint, frame or model"),
    "canonical link": ('"arm">', '"arm" canonical_link="x"><frame name="f"/>', 3, "frame", "f", "'x' in model 'arm'"),
}  # fmt: skip


@pytest.mark.parametrize("fault", TABLE)
def test_what_is_wrong_is_said(fault):
    old, new, line, element, name, message = TABLE[fault]
    assert GOOD.count(old)
    text = GOOD.replace(old, new) if old in ("axis>",) else GOOD.replace(old, new, 1)
    with pytest.raises(ParseError) as caught:
        load_sdf(text)
    assert (caught.value.line, caught.value.element, caught.value.name) == (line, element, name)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"<string>:{line}: ")


def test_the_good_one_loads():
    assert load_sdf(GOOD).nv == 7


def test_a_file_is_named(tmp_path):
    path = tmp_path / "arm.sdf"
    path.write_text(GOOD.replace("1.5<", "x<"))
    with pytest.raises(ParseError, match=r"arm\.sdf:7: link 'base': <mass>"):
        load_sdf(path)


@pytest.mark.parametrize(("option", "value"), [("model", 3), ("floating_base", "no"), ("strict", 1), ("mimic", None)])
def test_options_are_checked(option, value):
    with pytest.raises(TypeError, match=f"{option}: expected"):
        load_sdf(GOOD, **{option: value})


def test_a_loop_of_four_names_its_links():
    square = "".join(f'<link name="{x}"/>' for x in "abcd") + "".join(
        f'<joint name="{x}{y}" type="fixed"><parent>{x}</parent><child>{y}</child></joint>'
        for x, y in ("ab", "bc", "cd", "da")
    )
    with pytest.raises(ParseError, match="joint 'da': closes a loop: links 'd' - 'c' - 'b' - 'a' hang together"):
        load_sdf(f'<sdf version="1.9"><model name="m">{square}</model></sdf>')


def test_two_ways_to_the_world_are_a_loop():
    ties = "".join(
        f'<joint name="{x}" type="fixed"><parent>world</parent><child>{x}</child></joint>' for x in ("base", "tip")
    )
    with pytest.raises(ParseError, match="closes a loop: links 'world' - 'base' - 'tip'"):
        load_sdf(GOOD.replace(END, ties.replace('name="', 'name="tie_') + END))


def test_long_chains_load_and_long_circles_are_refused():
    """Nothing recurses over frames."""
    count = 3000
    inertia = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    link = f'<link name="l"><inertial><mass>1</mass>{inertia}</inertial></link>'
    frames = [
        f'<frame name="f{k}" attached_to="{f"f{k - 1}" if k else "l"}"><pose>0 0 0.001 0 0 0</pose></frame>'
        for k in range(count)
    ]
    text = f'<sdf version="1.9"><model name="m">{link}{"".join(reversed(frames))}</model></sdf>'
    model = load_sdf(text)
    assert model.frame(f"f{count - 1}").pose[2, 3] == pytest.approx(3.0, rel=1e-12)
    with pytest.raises(ParseError, match=r"they hang on each other: .*'f2994' -> \.\.\. -> 'f2999'$"):
        load_sdf(text.replace('attached_to="l"', f'attached_to="f{count - 1}"'))
