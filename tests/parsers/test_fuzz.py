"""Some hundred damaged files of each format, as `python -m tests.fuzz` makes them, and the limits on huge ones."""

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
