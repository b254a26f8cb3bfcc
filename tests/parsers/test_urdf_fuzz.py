"""Damaged files of real robots: whatever happens to them, they load or raise ParseError."""

import sysconfig
import warnings
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import load_urdf

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
# small ones, for speed: between them they hold every element that is read
FILES = sorted(path for path in ROBOTS.rglob("*.urdf") if path.stat().st_size < 30_000)
CASES = sorted((Path(__file__).parents[1] / "data" / "urdf_cases").glob("*.urdf"))
SEEDS = [path.read_bytes() for path in (*FILES, *CASES)]
TOKENS = [
    b"<", b">", b'"', b"/>", b"&", b"\0", b"\xff", b"\xef\xbb\xbf", b"<!DOCTYPE a>", b"<!--", b"]]>", b"<robot>",
    b"</robot>", b"<link/>", b'<joint name="j"/>', b"<inertial>", b"${x}", b"<a>" * 70, b"\xd8\x00",
]  # fmt: skip
VALUES = [
    b"", b"0", b"-1", b"1e308", b"1e-320", b"1e999", b"nan", b"0 0 0", b"1e200 1e200 1e200", b"3 3", b"world", b"base",
    b"planar", b"floating", b"continuous", b"prismatic", b"fixed", b"ball", b"utf-16", b"cp037", b"${x}", b"&#48;",
]  # fmt: skip

POSITION = st.integers(0, 2**17)  # more than a file has bytes, so that damage falls everywhere
bytes_damage = st.one_of(
    st.tuples(st.just("insert"), POSITION, st.sampled_from(TOKENS)),
    st.tuples(st.just("delete"), POSITION, st.integers(1, 400)),
    st.tuples(st.just("repeat"), POSITION, st.integers(1, 400)),
    st.tuples(st.just("byte"), POSITION, st.integers(0, 255)),
)
meaning_damage = st.one_of(
    st.tuples(st.just("value"), POSITION, POSITION | st.sampled_from(VALUES)),
    st.tuples(st.just("line"), POSITION, POSITION),
)


def apply(data: bytes, kind: str, at: int, what) -> bytes:
    """Damage to bytes, which mostly leaves no XML, or to values and lines, which mostly leaves XML."""
    if kind == "value":
        # the attributes' values are every second part; in place of one another one's, or the given one
        parts = data.split(b'"')
        values = range(1, len(parts) - 1, 2)
        if values:
            parts[values[at % len(values)]] = parts[values[what % len(values)]] if isinstance(what, int) else what
        return b'"'.join(parts)
    if kind == "line":
        # many files have an element a line: swap two, drop the first or repeat it in the place of the second
        lines = data.split(b"\n")
        i, j = at % len(lines), what % len(lines)
        lines[i], lines[j] = (lines[j] if at % 3 else b"", lines[i] if at % 2 else lines[j])
        return b"\n".join(lines)
    at %= len(data) + 1
    if kind == "insert":
        return data[:at] + what + data[at:]
    if kind == "delete":
        return data[:at] + data[at + what :]
    if kind == "repeat":
        return data[: at + what] + data[at:]
    return data[:at] + bytes([what]) + data[at + 1 :]


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
