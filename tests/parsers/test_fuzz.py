"""Some hundred damaged files of each format, as `python -m tests.fuzz` makes them, and the limits on huge ones."""

import json

import pytest

import featherstone as fs

from ..fuzz import big
from ..fuzz.inputs import damaged, make
from ..fuzz.worker import Worker, judge


@pytest.mark.parametrize("format", ["urdf", "sdf", "json"])
def test_damaged_files_load_or_are_refused(format):
    found = [judge(*damaged(format, 1, number)) for number in range(300)]
    assert [outcome for outcome in found if outcome.offends] == []
    assert {"loads", "refused"} <= {outcome.kind for outcome in found}


def test_damaged_mjcf_loads_or_is_refused():
    """In a process of its own, as MuJoCo may crash."""
    worker = Worker(damaged)
    found = [worker.judge("mjcf", 1, number, limit=60.0) for number in range(300)]
    worker.close()
    assert [outcome for outcome in found if outcome.offends] == []
    assert {"loads", "refused"} <= {outcome.kind for outcome in found}


def test_an_input_is_a_function_of_seed_and_number():
    assert make("json", 0, 7) == make("json", 0, 7)
    assert make("json", 0, 7) != make("json", 1, 7)


@pytest.mark.parametrize("parent", [None, 0], ids=["chain", "star"])
def test_three_thousand_links_load(parent):
    text = big.tree(*big.ROBOT, big.JOINT % ("continuous", ""), "</robot>", parent, 3000)(0)
    with pytest.warns(fs.ModelWarning, match="mass"):
        model = fs.load_urdf(text)
    assert model.nv == 2999


@pytest.mark.parametrize(
    "text",
    [
        '<replicate count="99999999"/>',
        '<replicate count="300"><replicate count="300"><body/></replicate></replicate>',
        '<replicate count="&#57;9999"/>',
        "<flexcomp count='999 999 9'/>",
    ],
)
def test_what_would_keep_mujoco_busy_is_refused(text):
    with pytest.raises(fs.ParseError, match=r"expected .* at most 4000"):
        fs.load_mjcf(f"<mujoco>\n<worldbody>{text}</worldbody></mujoco>")


def test_counts_in_comments_are_none():
    model = fs.load_mjcf('<mujoco><!-- -- <replicate count="99999999"> --><worldbody/></mujoco>')
    assert model.nv == 0


def test_too_many_links_are_refused():
    with pytest.raises(fs.ParseError, match="at most 10000 <link>"):
        fs.load_urdf("<robot>" + "".join(f'<link name="{i}"/>' for i in range(10_001)) + "</robot>")
    with pytest.raises(fs.ParseError, match="at most 10000 links"):
        fs.load_sdf(big.SDF["loose_links"](10**6))
    with pytest.raises(fs.ModelError, match="links: expected at most 10000"):
        fs.Model.from_json(big.JSON["links_only"](10**5))
    with pytest.raises(fs.ParseError, match="at most 10000 bodies"):
        fs.load_mjcf("<mujoco><worldbody>" + "<body/>" * 10_001 + "</worldbody></mujoco>")


@pytest.mark.parametrize("shape", ["long_attribute", "same_attributes"])
def test_long_attributes_do_not_keep_the_limits_of_mjcf_busy(shape):
    worker = Worker(big.huge)
    found = worker.judge("mjcf", shape, 1.0, limit=60.0)
    worker.close()
    assert found.kind == "refused"


def test_too_many_screws_are_refused():
    joint = {"screws": [[0, 0, 1, 0, 0, 0]] * 6000}
    document = {"format": "featherstone model", "version": 1, "links": [], "joints": [joint, joint]}
    with pytest.raises(fs.ModelError, match="screws: expected at most 10000, got 12000"):
        fs.Model.from_json(json.dumps(document))


@pytest.mark.parametrize("place", ["type", "parent", "name"])
def test_errors_about_long_words_are_short(place):
    """Their beginning says where, their end what to do."""
    words = {"name": "j", "type": "fixed", "parent": "a", place: "x" * 10**6}
    text = '<robot><link name="a"/><joint name="{name}" type="{type}"><parent link="{parent}"/></joint></robot>'
    text = text.format(**words).replace("</joint>", '<child link="b"/></joint>')
    with pytest.raises(fs.ParseError) as caught:
        fs.load_urdf(text)
    assert len(str(caught.value)) < 2100
    assert str(caught.value).startswith("<string>:1: joint '")
    assert "x" * 500 in str(caught.value)


def test_no_name_is_suggested_for_a_long_one():
    text = '<sdf version="1.9"><model name="m"><link name="tip"/><frame name="f" attached_to="{}"/></model></sdf>'
    with pytest.raises(fs.ParseError, match="did you mean 'tip'"):
        fs.load_sdf(text.format("tipp"))
    with pytest.raises(fs.ParseError) as caught:
        fs.load_sdf(text.format("tip" * 10**6))
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    "element", ["<model/>", '<model name="file"/>', '<model name="a" content_type="text/xml"></model>']
)
def test_a_model_without_a_file_is_refused_before_mujoco_stops_at_it(element):
    with pytest.raises(fs.ParseError, match="'file'") as caught:
        fs.load_mjcf(f"<mujoco>\n<asset>{element}</asset></mujoco>")
    assert (caught.value.line, caught.value.element) == (2, "model")
    assert fs.load_mjcf("<mujoco/>").nv == 0


def test_a_model_with_a_missing_file_is_refused_by_mujoco():
    with pytest.raises(fs.ParseError, match=r"no\.xml"):
        fs.load_mjcf('<mujoco><asset><model file="no.xml"/></asset></mujoco>')
    assert fs.load_mjcf("<mujoco/>").nv == 0
