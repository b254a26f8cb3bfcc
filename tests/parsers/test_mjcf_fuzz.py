"""Damaged MJCF: whatever happens to it, it loads or raises ParseError, and the process lives."""

import warnings
from pathlib import Path

import mujoco
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import featherstone as fs

from ..fuzz.damage import apply
from ..fuzz.words import MJCF_TOKENS, MJCF_VALUES

SHIPPED = sorted((Path(mujoco.__file__).parent / "testdata").glob("*.xml"))
OURS = sorted((Path(__file__).parents[1] / "data" / "mjcf").glob("*.xml"))
SEEDS = [path.read_bytes() for path in (*SHIPPED, *OURS)]
POSITION = st.integers(0, 2**16)
damage = st.one_of(
    st.tuples(st.just("insert"), POSITION, st.sampled_from(MJCF_TOKENS)),
    st.tuples(st.just("delete"), POSITION, st.integers(1, 300)),
    st.tuples(st.just("value"), POSITION, POSITION | st.sampled_from(MJCF_VALUES)),
    st.tuples(st.just("tag"), POSITION, POSITION),
)


def loads(source):
    """Whether it loads; what else it raises than ParseError is an error of the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        try:
            fs.load_mjcf(source)
        except fs.ParseError:
            return False
    return True


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(SEEDS), st.lists(damage, min_size=1, max_size=4))
def test_damage_is_a_parse_error_or_harmless(data, damages):
    for kind, at, what in damages:
        data = apply(data, kind, at, what)
    loads(data)


@pytest.mark.parametrize("depth", [200, 2000, 100_000])
def test_deep_nesting_ends_in_a_parse_error(depth):
    """MuJoCo refuses what is nested deeper than some hundreds."""
    text = "<mujoco><worldbody>" + "<body>" * depth + "</body>" * depth + "</worldbody></mujoco>"
    assert loads(text) == (depth == 200)


def test_a_file_that_includes_itself_is_a_parse_error(tmp_path):
    path = tmp_path / "again.xml"
    path.write_text(f'<mujoco><include file="{path.name}"/></mujoco>')
    assert not loads(path)


def test_a_missing_mesh_is_a_parse_error():
    text = '<mujoco><asset><mesh file="no.stl"/></asset><worldbody><geom type="mesh" mesh="no"/></worldbody></mujoco>'
    assert not loads(text)
