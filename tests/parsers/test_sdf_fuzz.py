"""Damaged SDFormat: whatever happens to a file, it loads or raises ParseError."""

import warnings
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.sdf import load_sdf

from ..fuzz.damage import apply
from ..fuzz.words import SDF_PARTS, SDF_VALUES, SDF_WORDS
from .test_urdf_fuzz import FUZZ, POSITION, bytes_damage

CASES = Path(__file__).parents[1] / "data" / "sdf_cases"
SEEDS = [path.read_bytes() for path in sorted(CASES.glob("*.sdf"))]
meaning_damage = st.one_of(
    st.tuples(st.just("value"), POSITION, POSITION | st.sampled_from(SDF_VALUES)),
    st.tuples(st.just("line"), POSITION, POSITION),
    st.tuples(st.just("content"), POSITION, POSITION | st.sampled_from(SDF_WORDS)),
    st.tuples(st.just("part"), POSITION, st.sampled_from(SDF_PARTS)),
)


def outcome(data: bytes, **options):
    """The model, or the ParseError; anything else that is raised, NumPy's warnings too, fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", fs.ModelWarning)
        try:
            return load_sdf(data, **options)
        except ParseError as error:
            return error


def check_damaged(data, damages, **options):
    for kind, at, what in damages:
        data = apply(data, kind, at, what)
    found = outcome(data, **options)
    if isinstance(found, ParseError):
        assert str(found).startswith(f"<string>:{found.line}: ")
        assert found.line is not None
        assert 1 <= found.line <= data.count(b"\n") + data.count(b"\r") + 1
    else:
        assert found.mass >= 0


@settings(FUZZ, max_examples=200)
@given(seed=st.sampled_from(SEEDS), damages=st.lists(bytes_damage, min_size=1, max_size=3))
def test_damaged_bytes_load_or_are_refused(seed, damages):
    check_damaged(seed, damages)


@settings(FUZZ, max_examples=800)
@given(
    seed=st.sampled_from(SEEDS),
    damages=st.lists(meaning_damage, min_size=1, max_size=4),
    model=st.none() | st.just("turned_round"),
    floating_base=st.none() | st.booleans(),
    mimic=st.booleans(),
    merge_fixed=st.booleans(),
)
def test_damaged_meanings_load_or_are_refused(seed, damages, **options):
    check_damaged(seed, damages, **options)


@settings(FUZZ, max_examples=100)
@given(st.binary(max_size=200))
@example(b"<\x00s\x00d\x00f\x00/\x00>\x00")
def test_any_bytes_are_refused_by_a_parse_error(data):
    assert isinstance(outcome(data), ParseError)


def test_damage_leaves_robots_too():
    """Not all damage is refused before it is looked at."""
    texts = [apply(seed, "content", k, b"1") for seed in SEEDS for k in range(0, 60, 3)]
    assert any(isinstance(outcome(text, model=None), fs.Model) for text in texts)
