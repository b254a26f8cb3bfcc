"""Damaged files of real robots: whatever happens to them, they load or raise ParseError."""

import sysconfig
import warnings
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import load_urdf

from ..fuzz.damage import apply
from ..fuzz.words import URDF_TOKENS, URDF_VALUES

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
# small ones, for speed: between them they hold every element that is read
FILES = sorted(path for path in ROBOTS.rglob("*.urdf") if path.stat().st_size < 30_000)
CASES = sorted((Path(__file__).parents[1] / "data" / "urdf_cases").glob("*.urdf"))
SEEDS = [path.read_bytes() for path in (*FILES, *CASES)]
POSITION = st.integers(0, 2**17)  # more than a file has bytes, so that damage falls everywhere
bytes_damage = st.one_of(
    st.tuples(st.just("insert"), POSITION, st.sampled_from(URDF_TOKENS)),
    st.tuples(st.just("delete"), POSITION, st.integers(1, 400)),
    st.tuples(st.just("repeat"), POSITION, st.integers(1, 400)),
    st.tuples(st.just("byte"), POSITION, st.integers(0, 255)),
)
meaning_damage = st.one_of(
    st.tuples(st.just("value"), POSITION, POSITION | st.sampled_from(URDF_VALUES)),
    st.tuples(st.just("line"), POSITION, POSITION),
)


def outcome(data: bytes, **options):
    """The model, or the ParseError; anything else that is raised, NumPy's warnings too, fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", fs.ModelWarning)
        try:
            return load_urdf(data, **options)
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


FUZZ = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@settings(FUZZ, max_examples=300)
@given(seed=st.sampled_from(SEEDS), damages=st.lists(bytes_damage, min_size=1, max_size=3))
def test_damaged_bytes_load_or_are_refused(seed, damages):
    check_damaged(seed, damages)


@settings(FUZZ, max_examples=600)
@given(
    seed=st.sampled_from(SEEDS),
    damages=st.lists(meaning_damage, min_size=1, max_size=4),
    floating_base=st.booleans(),
    mimic=st.booleans(),
    merge_fixed=st.booleans(),
)
def test_damaged_meanings_load_or_are_refused(seed, damages, **options):
    check_damaged(seed, damages, **options)


@settings(FUZZ, max_examples=200)
@given(st.binary(max_size=200))
@example(b"<\x00r\x00/\x00>\x00")
@example(b"\xff\xfe<\x00r\x00/\x00>\x00")
def test_any_bytes_are_refused_by_a_parse_error(data):
    assert isinstance(outcome(data), ParseError)
