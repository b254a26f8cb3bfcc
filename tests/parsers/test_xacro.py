"""Robots written with xacro."""

import doctest
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.parsers.errors import ParseError

EXAMPLE = Path(__file__).parents[2] / "examples" / "arm.urdf.xacro"
NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
COMMON = f"""<robot {NAMESPACE}>
  <xacro:property name="m" value="2"/>
  <xacro:macro name="body" params="name mass:=1 *where">
    <link name="${{name}}">
      <inertial>
        <xacro:insert_block name="where"/>
        <mass value="${{mass * m}}"/>
        <inertia ixx="${{mass}}" ixy="0" ixz="0" iyy="${{mass}}" iyz="0" izz="${{mass}}"/>
      </inertial>
    </link>
  </xacro:macro>
</robot>
"""
MAIN = f"""<robot name="two" {NAMESPACE}>
  <xacro:include filename="common.xacro"/>
  <xacro:arg name="tool" default="false"/>
  <xacro:body name="base"><origin xyz="0 0 0"/></xacro:body>
  <xacro:body name="arm" mass="3"><origin xyz="0 0 ${{sqrt(4) / 10}}"/></xacro:body>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint>
  <xacro:if value="$(arg tool)">
    <link name="tool"/>
    <joint name="flange" type="fixed"><parent link="arm"/><child link="tool"/></joint>
  </xacro:if>
</robot>
"""


@pytest.fixture
def main(tmp_path):
    (tmp_path / "common.xacro").write_text(COMMON)
    (tmp_path / "two.urdf.xacro").write_text(MAIN)
    return tmp_path / "two.urdf.xacro"


def test_macros_properties_arguments_and_includes(main):
    model = fs.load_xacro(main)
    assert (model.name, model.mass, model.frame_names) == ("two", 8.0, ("base", "arm"))
    # 6 kg at 0.2 m, level
    assert fs.gravity_torque(model, [np.pi / 2]) == pytest.approx([-6 * 9.81 * 0.2], rel=1e-15)
    assert fs.load_xacro(main, {"tool": True}).frame_names == ("base", "arm", "tool")
    assert fs.load_xacro(str(main), {"tool": "true"}, floating_base=True).nv == 7
    # the arguments of one call are not those of the next
    assert fs.load_xacro(main).frame_names == ("base", "arm")


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_example_has_as_many_links_as_asked_for(count):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fs.load_xacro(EXAMPLE, {"links": count})
    assert (model.nv, model.mass) == (count, 1.5 * count)
    # the same arm as a table: rods along x, turning about y
    rod = {"a": 0.4, "mass": 1.5, "com": (-0.2, 0, 0), "inertia": np.diag([0, 0.02, 0.02])}
    table = fs.from_dh([rod] * count, "standard", base=[[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    q = np.linspace(0.3, 1.0, count)
    np.testing.assert_allclose(fs.gravity_torque(model, q), fs.gravity_torque(table, q), rtol=1e-13, atol=1e-13)


FAULTS = {
    "no XML": ("<robot", "not well-formed|unclosed token"),
    "unknown property": (MAIN.replace("sqrt(4)", "length"), "name 'length' is not defined"),
    "an error in an expression": (MAIN.replace("sqrt(4)", "1 / 0"), "division by zero"),
    "unknown macro": (MAIN.replace("xacro:body", "xacro:limb"), "unknown macro name: xacro:limb"),
    "no file to include": (MAIN.replace("common.xacro", "gone.xacro"), "gone.xacro"),
    "unknown argument": (MAIN.replace("arg tool", "arg tol"), "tol"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_xacro_cannot_expand_is_a_parse_error_with_the_file(main, fault):
    text, message = FAULTS[fault]
    main.write_text(text)
    with pytest.raises(ParseError, match=message) as caught:
        fs.load_xacro(main)
    assert caught.value.file == str(main)
    assert "xacro cannot expand it" in str(caught.value)


def test_an_error_in_an_included_file_names_it(main):
    (main.parent / "common.xacro").write_text("<robot><link></robot>")
    with pytest.raises(ParseError) as caught:
        fs.load_xacro(main)
    assert caught.value.file == str(main.parent / "common.xacro")


def test_what_it_expands_to_may_be_no_robot(main):
    main.write_text(MAIN.replace('link="base"', 'link="bass"'))
    with pytest.raises(ParseError, match=r"two\.urdf\.xacro \(expanded\):\d+: joint 'turn': parent: there is no link"):
        fs.load_xacro(main)


def test_warnings_name_the_file(main):
    main.write_text(
        MAIN.replace(
            "</robot>",
            '<link name="rod"><inertial><mass value="1"/><inertia ixx="9" ixy="0" '
            'ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="j" type="fixed"><parent link="arm"/>'
            '<child link="rod"/></joint></robot>',
        )
    )
    with pytest.warns(fs.ModelWarning, match=r"two\.urdf\.xacro \(expanded\):\d+: link 'rod': inertia"):
        fs.load_xacro(main)
    with pytest.raises(ParseError, match="link 'rod': inertia"):
        fs.load_xacro(main, strict=True)


def test_a_missing_file_is_a_parse_error(tmp_path):
    with pytest.raises(ParseError, match="there is no such file"):
        fs.load_xacro(tmp_path / "gone.xacro")


def test_without_the_package_the_error_says_what_to_install(main, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ImportError, match=r"pip install 'featherstone\[xacro\]'"):
        fs.load_xacro(main)


def test_the_example_in_the_docs():
    for test in doctest.DocTestFinder(recurse=False).find(fs.load_xacro, "load_xacro", globs={}):
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0
