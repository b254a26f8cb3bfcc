"""The report finds what is suspicious about a robot, by rule, name and remedy."""

import json
import re
from pathlib import Path

import pytest

import featherstone as fs
from featherstone.proof.check import Report, check

GOOD = """<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 0.5"/><mass value="2"/>
    <inertia ixx="0.17" ixy="0" ixz="0" iyy="0.17" iyz="0" izz="0.002"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


def rules(report):
    return [(x.rule, x.element_kind, x.name) for x in report.findings]


@pytest.mark.parametrize("source", [GOOD, GOOD.encode(), fs.load_urdf(GOOD)], ids=["text", "bytes", "model"])
def test_nothing_is_found_in_a_good_robot(source):
    report = check(source)
    assert isinstance(report, Report)
    assert report.ok
    assert report.findings == ()
    assert str(report).endswith(": nothing suspicious")
    described = report.to_dict()
    assert described["conditioning"].keys() == {"number", "joint", "q"}
    assert (described["subject"], described["ok"], described["findings"]) == (report.subject, True, [])


def test_every_finding_has_rule_name_place_and_remedy(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(GOOD.replace('ixx="0.17"', 'ixx="-0.17"').replace('xyz="0 1 0"', 'xyz="0 2 0"'))
    report = check(path)
    assert not report.ok
    assert report.subject == str(path)
    assert rules(report) == [("inertia-not-positive", "link", "rod"), ("axis-length", "joint", "turn")]
    text = str(report)
    assert text.startswith(f"{path}: 2 warnings\n")
    for x in report.findings:
        assert f"warning: line {x.line}: {x.message} [{x.rule}]" in text
        assert x.remedy in text
    described = json.loads(json.dumps(report.to_dict()))
    assert [x["severity"] for x in described["findings"]] == ["warning", "warning"]
    assert described["findings"][1]["line"] == 5


def test_a_model_is_examined_without_its_file():
    builder = fs.ModelBuilder("arm")
    builder.add_link("base")
    builder.add_link("rod", 1.0, inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 5]])
    builder.add_link("leaf")
    builder.add_joint("turn", "revolute", "base", "rod", lower=1.0, upper=-1.0)
    builder.add_joint("end", "revolute", "rod", "leaf", position=(0, 2, 0))
    report = check(builder.build())
    assert report.subject == "arm"
    assert rules(report) == [
        ("inertia-triangle-rule", "link", "rod"),
        ("massless-leaf", "link", "leaf"),
        ("limits-swapped", "joint", "turn"),
    ]
    assert "line" not in str(report)


@pytest.mark.parametrize("as_model", [False, True], ids=["text", "model"])
def test_a_point_mass_on_its_own_axis_is_found(as_model):
    """No rule about links sees it: the link has mass, but the joint moves none of it."""
    text = GOOD.replace('izz="0.002"', 'izz="0"').replace('xyz="0 1 0"', 'xyz="0 0 1"')
    report = check(fs.load_urdf(text) if as_model else text)
    assert rules(report) == [("thin-rod", "link", "rod"), ("singular-mass-matrix", "joint", "turn")]
    assert report.conditioning is None
    assert report.findings[1].line == (None if as_model else 5)
    assert "armature" in report.findings[1].remedy


def test_a_massless_floating_base_is_found():
    report = check(fs.load_urdf(GOOD, floating_base=True))
    assert rules(report) == [("singular-mass-matrix", "joint", "root_joint")]


@pytest.mark.parametrize(
    ("source", "element", "name", "line"),
    [
        (GOOD.replace('value="2"', 'value="two"'), "link", "rod", 3),
        (GOOD.replace('link="base"/><child', 'link="nobody"/><child'), "joint", "turn", 5),
        (GOOD.replace("</robot>", ""), "file", None, 7),
    ],
)
def test_a_file_that_is_no_robot_is_one_error(tmp_path, source, element, name, line):
    path = tmp_path / "arm.urdf"
    path.write_text(source)
    report = check(path)
    assert not report.ok
    with pytest.raises(fs.ParseError) as raised:
        fs.load_urdf(path)
    (found,) = report.findings
    assert (found.rule, found.element_kind, found.name, found.line) == ("parse-error", element, name, line)
    assert found.message == raised.value.message
    assert report.to_dict()["findings"][0]["severity"] == "error"
    assert re.search(rf"error: line {line}: .*\[parse-error\]", str(report))
    assert "1 error\n" in str(report)


def test_a_missing_file_is_an_error():
    report = check(Path("there/is/none.urdf"))
    assert rules(report) == [("parse-error", "file", None)]
    assert report.findings[0].line is None
    assert "cannot be read" in str(report)


def test_what_is_no_source_is_refused():
    with pytest.raises(TypeError, match="source: expected a path"):
        check(3)
