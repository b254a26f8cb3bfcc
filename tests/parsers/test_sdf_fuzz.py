"""Damaged SDFormat: whatever happens to a file, it loads or raises ParseError."""

import warnings
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.sdf import load_sdf

from .test_urdf_fuzz import FUZZ, POSITION, apply, bytes_damage

CASES = Path(__file__).parents[1] / "data" / "sdf_cases"
SEEDS = [path.read_bytes() for path in sorted(CASES.glob("*.sdf"))]
WORDS = [
    b"", b"0", b"-1", b"1", b"1e16", b"inf", b"-inf", b"nan", b"1e308", b"1e-320", b"1e999", b"true", b"0 0 0",
    b"1 0 0", b"0 0 0 0 0 0", b"1e59 1e59 1e59 0 0 1e59", b"0 0 0 0 0 0 1", b"world", b"base", b"hull", b"arm",
    b"arm::inner", b"arm::inner::fore", b"inner", b"elbow", b"shoulder", b"tip", b"port", b"__model__", b"__root__",
    b"::", b"arm::", b"near", b"middle", b"far", b"round",
]  # fmt: skip
VALUES = [
    *WORDS, b"fixed", b"ball", b"universal", b"revolute2", b"screw", b"gearbox", b"prismatic", b"continuous", b"1.4",
    b"1.6", b"1.7", b"1.11", b"quat_xyzw", b"euler_rpy", b"${x}",
]  # fmt: skip
PARTS = [
    b"<static>true</static>", b'<link name="new"/>', b'<frame name="new" attached_to="tip"/>', b"<pose/>",
    b"<inertial/>", b'<pose relative_to="shoulder">1 0 0 0 0 0</pose>', b'<model name="new"><link name="l"/></model>',
    b"<axis/>", b"<axis2><xyz>0 1 0</xyz></axis2>", b"<include/>", b'<mimic joint="shoulder"/>',
    b"<thread_pitch>3</thread_pitch>",
    b'<joint name="new" type="fixed"><parent>world</parent><child>base</child></joint>', b"<gravity>false</gravity>",
]  # fmt: skip
meaning_damage = st.one_of(
    st.tuples(st.just("value"), POSITION, POSITION | st.sampled_from(VALUES)),
    st.tuples(st.just("line"), POSITION, POSITION),
    st.tuples(st.just("content"), POSITION, POSITION | st.sampled_from(WORDS)),
    st.tuples(st.just("part"), POSITION, st.sampled_from(PARTS)),
)


def damaged(data: bytes, kind: str, at: int, what) -> bytes:
    """As in URDF, or another text in place of one between two tags, or an element more behind a tag."""
    if kind == "part":
        parts = data.split(b">")
        parts[at % len(parts)] = what + parts[at % len(parts)]
        return b">".join(parts)
    if kind == "content":
        # all that stands between tags is behind a ">"
        parts = data.split(b">")
        texts = [part.partition(b"<")[0] for part in parts]
        filled = [k for k, text in enumerate(texts) if text.strip()]
        if filled:
            k = filled[at % len(filled)]
            new = texts[filled[what % len(filled)]] if isinstance(what, int) else what
            parts[k] = new + parts[k][len(texts[k]) :]
        return b">".join(parts)
    return apply(data, kind, at, what)


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
        data = damaged(data, kind, at, what)
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
    texts = [damaged(seed, "content", k, b"1") for seed in SEEDS for k in range(0, 60, 3)]
    assert any(isinstance(outcome(text, model=None), fs.Model) for text in texts)
