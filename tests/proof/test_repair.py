"""What is mended becomes physical, everything else stays as it is to the byte."""

import difflib
import re
import sysconfig
import warnings
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.parsers.urdf import UrdfReading
from featherstone.proof.repair import TENSOR_RULES, Repair, repair

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
EMPTY = "ur_description/urdf/ur3.urdf"  # a robot without name and links
FILES = [x for x in sorted(ROBOTS.rglob("*.urdf")) if not x.as_posix().endswith(EMPTY)]
HOPELESS = {"head", "l_ankle_2", "r_ankle_2", "r_hip_2"}  # of icub: moments of 1e-20 and below, with a trace below zero
MENDED = (*TENSOR_RULES, "limits-swapped", "limit-negative")

TEXT = """<?xml version='1.0'?>
<!-- a robot with <inertia ixx="9"/> in a comment -->
<robot name='r'>
  <link name="base"/>
  <link
     name="rod" ><visual><geometry><mesh filename="package://é.dae"/></geometry></visual>
    <inertial><mass value="1"/>
      <origin xyz="0 0 0.1" rpy="0.3 0.2 0.1"/>
      <inertia
          ixx = '0.01'	ixy="0.0" ixz="0"
          iyy="1.0e-2" iyz="0" izz = "+0.03" /> </inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="{}" upper="{}" effort="{}" velocity="{}"/></joint>
  <gazebo><joint name="turn"><limit lower="1" upper="-1"/></joint></gazebo>
</robot>
"""


def text(lower="-1", upper="1", effort="5", velocity="2"):
    return TEXT.format(lower, upper, effort, velocity)


def load(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        return fs.load_urdf(source)


def rules(report):
    return [x.rule for x in report.findings if x.severity != "note"]


def test_a_tensor_becomes_the_nearest_one_in_the_axes_of_the_file():
    mended = repair(text())
    assert [(x.rule, x.element_kind, x.name, x.line) for x in mended.changes] == [
        ("inertia-triangle-rule", "link", "rod", 5)
    ]
    assert "principal moments 0.01, 0.01, 0.03 become 0.015, 0.015, 0.03 kg m^2" in str(mended)
    expected = text().replace("'0.01'", "'0.015000015'").replace('"1.0e-2"', '"0.015000015"')
    assert mended.text == expected  # an entry that does not change keeps its text
    assert mended.ok
    assert fs.check(mended.text).ok
    fs.load_urdf(mended.data, strict=True)


@pytest.mark.parametrize(
    ("given", "expected", "rule"),
    [
        ({"lower": "2.50", "upper": "-1"}, {"lower": "-1", "upper": "2.50"}, "limits-swapped"),
        ({"effort": "-5.0"}, {"effort": "5.0"}, "limit-negative"),
        ({"effort": "-5.0", "velocity": "-1e-3"}, {"effort": "5.0", "velocity": "1e-3"}, "limit-negative"),
    ],
)
def test_limits(given, expected, rule):
    good = text().replace("+0.03", "+0.02")
    wrong = text(**given).replace("+0.03", "+0.02")
    assert repair(good).changes == ()
    mended = repair(wrong)
    assert mended.text == text(**expected).replace("+0.03", "+0.02")
    assert [x.rule for x in mended.changes] == [rule]
    assert mended.ok


@pytest.mark.parametrize(("given", "mended"), [('upper="-1"', 'lower="-1"'), ('lower="1"', 'upper="1"')])
def test_a_single_limit_on_the_wrong_side_of_zero_changes_its_name(given, mended):
    source = text().replace("+0.03", "+0.02").replace('lower="-1" upper="1"', given)
    repaired = repair(source)
    assert repaired.text == source.replace(given, mended, 1)  # and not that in <gazebo>
    assert load(repaired.data).q_lower[0] < load(repaired.data).q_upper[0]
    assert repaired.ok


def test_what_is_left_is_said():
    source = text().replace('xyz="0 1 0"', 'xyz="0 2 0"').replace('"+0.03"', '"-0.03"')
    source = source.replace("'0.01'", "'-0.01'").replace('"1.0e-2"', '"-0.01"')
    mended = repair(source)
    assert mended.changes == ()
    assert mended.text == source
    assert not mended.ok
    assert rules(mended.report) == ["inertia-not-positive", "axis-length", "singular-mass-matrix"]
    assert str(mended).startswith("<string>: nothing to mend\n\nnot mended:\n")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1"])
def test_bytes_keep_their_encoding_line_ends_mark_and_blanks(encoding, ending, tmp_path):
    source = text().replace("version='1.0'", f"version='1.0' encoding='{encoding.removesuffix('-sig')}'")
    data = source.replace("\n", ending).encode(encoding)
    path = tmp_path / "r.urdf"
    path.write_bytes(data)
    mended = repair(path)
    assert len(mended.changes) == 1
    assert mended.report.subject == str(path)
    assert re.sub(rb"0\.015000015", b"", mended.data) == re.sub(rb"0\.01\b|1\.0e-2", b"", data)
    assert "é" in mended.text


def test_text_is_written_in_the_encoding_that_it_declares():
    mended = repair(text().replace("version='1.0'", "version='1.0' encoding='iso-8859-1'"))
    assert b"\xe9.dae" in mended.data
    assert "é.dae" in mended.text
    assert len(mended.changes) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "gbk", "shift_jis"])
def test_bytes_of_other_encodings_are_refused(encoding):
    source = text().replace("version='1.0'", f"version='1.0' encoding='{encoding}'").replace("é", "e")
    with pytest.raises(fs.ParseError, match="save it as UTF-8"):
        repair(source.encode(encoding))


def test_what_is_no_robot_is_an_error():
    with pytest.raises(fs.ParseError):
        repair("<robot name='r'/>")
    with pytest.raises(fs.ParseError, match="cycle"):
        repair(
            "<robot name='r'><link name='a'/><link name='b'/>"
            "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
            "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>"
        )
    with pytest.raises(TypeError, match="expected a path"):
        repair(3)


def test_a_model_is_written_as_urdf_first():
    builder = fs.ModelBuilder("disc")
    builder.add_link("disc", 1.0, inertia=np.diag([1.0, 1.0, 3.0]))
    mended = repair(builder.build())
    assert mended.subject == "disc"
    np.testing.assert_allclose(UrdfReading(mended.data).builder.describe().links[0].inertia[0][0], 1.5, rtol=1e-5)


def test_a_saved_model_is_written_as_urdf_and_sdf_is_refused(tmp_path):
    builder = fs.ModelBuilder("disc")
    builder.add_link("disc", 1.0, inertia=np.diag([1.0, 1.0, 3.0]))
    path = tmp_path / "disc.json"
    path.write_text(builder.build().to_json())
    assert repair(path).data == repair(builder.build()).data
    path = tmp_path / "disc.sdf"
    path.write_text('<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>')
    with pytest.raises(fs.ParseError, match="expected URDF, since the text of SDFormat is not mended"):
        repair(path)


def test_files_are_not_overwritten_unless_told(tmp_path):
    path = tmp_path / "r.urdf"
    mended = repair(text())
    mended.write(path)
    assert path.read_bytes() == mended.data
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        mended.write(path)
    assert path.read_text() == "mine"
    mended.write(path, overwrite=True)
    assert path.read_bytes() == mended.data


def lines_changed(before: bytes, after: bytes):
    matched = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return [x for x in matched.get_opcodes() if x[0] != "equal"]


@pytest.mark.parametrize("path", FILES, ids=lambda x: x.name)
def test_real_robots(path):
    """Mended links pass; other links keep every bit, and so do masses and centres of mass of all."""
    mended = repair(path)
    assert isinstance(mended, Repair)
    before, after = path.read_bytes(), mended.data
    if not mended.changes:
        assert after == before
        return
    assert len(after.splitlines()) == len(before.splitlines())
    assert all(kind == "replace" for kind, *_ in lines_changed(before, after))
    changed = {x.name for x in mended.changes}
    for old, new in zip(UrdfReading(path).builder.describe().links, UrdfReading(after).builder.describe().links):
        assert (old.name, old.mass, old.com) == (new.name, new.mass, new.com)
        if old.name not in changed:
            assert old == new
        else:
            I = np.array(new.inertia)
            moments = np.linalg.eigvalsh(I)
            assert moments[0] > 0
            assert moments[0] + moments[1] - moments[2] > 1e-7 * moments[2]
    assert load(before).description.joints == load(after).description.joints
    left = {x.name for x in mended.report.findings if x.rule in MENDED}
    assert left <= HOPELESS
    assert not left & changed


def test_how_much_is_mended_on_real_robots():
    changes = [x.rule for path in FILES for x in repair(path).changes]
    assert len(changes) == 48
    assert set(changes) == set(TENSOR_RULES)
