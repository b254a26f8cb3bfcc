"""Models as JSON: what comes back is the same bit for bit, and what is no saved model is a ModelError."""

import doctest
import json
import math
import pickle
import sysconfig
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import featherstone as fs

from ..random_trees import ALL, random_tree

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
FILES = [path for path in sorted(ROBOTS.rglob("*.urdf")) if path.name != "ur3.urdf"]
OPTIONS = {"floating_base": True, "mimic": False, "merge_fixed": False}


def exact(model):
    """All that a model is made of, as a text that tells -0.0 from 0.0."""
    return repr((model.description, model.options))


def assert_comes_back(model):
    text = model.to_json()
    for saved in (text, text.encode(), bytearray(text, "utf-16")):
        back = fs.Model.from_json(saved)
        assert exact(back) == exact(model)
        assert back.to_json() == text
        assert exact(pickle.loads(pickle.dumps(back))) == exact(pickle.loads(pickle.dumps(model)))
    for name, array in model.tree._asdict().items():
        assert np.array_equal(array, getattr(back.tree, name)), name


def small():
    """A model with a follower, limits and a fixed joint, to be damaged."""
    builder = fs.ModelBuilder("small")
    for name in ("base", "upper", "fore", "tool"):
        builder.add_link(name, 1.0, (0.1, 0.0, 0.0), 0.1 * np.eye(3))
    builder.add_joint("shoulder", "revolute", "base", "upper", axis=(0, 0.6, 0.8), lower=-1.0, upper=2.0)
    builder.add_joint("elbow", "prismatic", "upper", "fore", mimic=fs.Mimic("shoulder", -0.5, 0.1))
    builder.add_joint("grip", "fixed", "fore", "tool", axis=(3, 0, 0))
    return builder.build()


DOCUMENT = json.loads(small().to_json())


def saved(change):
    document = json.loads(json.dumps(DOCUMENT))
    change(document)
    return json.dumps(document)


class TestRoundTrip:
    @pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
    def test_real_robots(self, path):
        builder = fs.read_urdf(path)[0]
        assert_comes_back(builder.build())
        assert_comes_back(builder.build(**OPTIONS, gravity=(0.1, -0.0, 1e-300)))

    @pytest.mark.parametrize("seed", range(12))
    def test_random_trees_of_every_joint_type(self, seed):
        mimic = seed % 3 == 0
        model = random_tree(seed, 12, ALL, mimic=mimic, fixed=True, floating_base=bool(seed % 2))
        assert mimic or {joint.type for joint in model.description.joints} == {*ALL, "fixed"}
        assert mimic == any(model.leaders)
        assert_comes_back(model)
        free = next(name for name, leader in zip(model.joint_names[2:], model.leaders[2:]) if leader is None)
        assert_comes_back(model.with_payload("link3", 0.3, (0.1, 0.2, 0.3)).lock(free))

    def test_all_68(self):
        assert len(FILES) == 68

    def test_odd_numbers_and_names(self):
        builder = fs.ModelBuilder("")
        builder.add_link('<"&\u00e9\n\ud800>', 5e-324, (-0.0, 1 / 3, 1e60), np.full((3, 3), -0.0))
        builder.add_link("b")
        odd = {"lower": math.inf, "upper": -math.inf, "velocity": -math.inf, "effort": 1.7e308}
        builder.add_joint("j", "revolute", '<"&\u00e9\n\ud800>', "b", axis=(-0.0, 0.1, 7), **odd)
        assert_comes_back(builder.build())

    @given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).filter(lambda x: math.hypot(*x) > 1e-5))
    def test_axes_are_normalised_once(self, axis):
        for _ in range(2):
            builder = fs.ModelBuilder()
            builder.add_joint("j", "revolute", "a", "b", axis=axis)
            before, axis = axis, builder.describe().joints[0].axis
        assert axis == before
        assert abs(math.hypot(*axis) - 1.0) <= 2.0**-51


REFUSED = {
    "nothing": ("", "JSON: expected the text of a saved model"),
    "no Unicode": (b"\xff\xff", "JSON: expected the text of a saved model"),
    "another thing": ("[1, 2]", r"got a list of 2$"),
    "another format": ('{"format": "x"}', "got 'x'$"),
    "twice": (small().to_json()[:-1] + ', "name": "other"}', "'name' twice"),
    "NaN": (saved(lambda x: x["links"][0].update(mass=math.nan)), "finite numbers, got NaN"),
    "infinity": (saved(lambda x: x["joints"][0].update(upper=math.inf)), "finite numbers, got Infinity"),
    "huge": (small().to_json().replace("2.0", "1e999"), r"^joints\[0\]: upper: expected a number below .*, got inf$"),
    "huge integer": (small().to_json().replace("2.0", "9" * 5000), r"joints\[0\]: upper: .* got inf"),
    "above the largest": (saved(lambda x: x["links"][1].update(mass=1e70)), "link 'upper': mass: expected at most"),
    "version": (saved(lambda x: x.update(version=2)), "^version: expected 1, got 2;"),
    "version true": (saved(lambda x: x.update(version=True)), "^version: expected 1, got true;"),
    "unknown field": (saved(lambda x: x["links"][1].update(color="red")), r"^links\[1\]: .*, got 'color'$"),
    "missing field": (saved(lambda x: x["options"].pop("gravity")), "^options: expected the field 'gravity', got none"),
    "bool": (saved(lambda x: x["links"][2].update(com=[0, True, 0])), r"^links\[2\]: com\[1\]: .*, got true$"),
    "short": (saved(lambda x: x["links"][2].update(com=[0, 0])), r"^links\[2\]: com: .* a list of 3, got a list of 2$"),
    "flag": (saved(lambda x: x["options"].update(mimic=1)), "^options: mimic: expected true or false, got 1"),
    "mimic": (saved(lambda x: x["joints"][1].update(mimic="shoulder")), r"^joints\[1\]: mimic: expected an object"),
    "type": (saved(lambda x: x["joints"][1].update(type="ball")), "joint 'elbow': type: expected one of"),
    "two parents": (saved(lambda x: x["joints"][2].update(child="fore")), "the child of two joints"),
    "cycle": (saved(lambda x: x["joints"][0].update(parent="tool")), "links form a cycle|no parent"),
    "asymmetric": (saved(lambda x: x["links"][0]["inertia"][0].__setitem__(1, 0.1)), "symmetric"),
    "left-handed": (saved(lambda x: x["joints"][0]["rotation"][0].__setitem__(0, -1)), "right-handed"),
}  # fmt: skip


class TestRefused:
    @pytest.mark.parametrize("name", REFUSED)
    def test_with_the_place_and_what_was_expected(self, name):
        text, match = REFUSED[name]
        with pytest.raises(fs.ModelError, match=match) as caught:
            fs.Model.from_json(text)
        assert len(str(caught.value)) < 500

    @pytest.mark.parametrize("nest", ["[{}]", '{{"a":{}}}'])
    def test_deep_nesting(self, nest):
        before, after = nest.format("\0").replace("{{", "{").replace("}}", "}").split("\0")
        start = time.monotonic()
        for depth in (300, 900, 100_000):
            deep = before * depth + "1" + after * depth
            for text in (deep, before * depth, small().to_json().replace("2.0", deep)):
                with pytest.raises(fs.ModelError):
                    fs.Model.from_json(text)
        assert time.monotonic() - start < 30

    def test_what_is_no_text(self):
        with pytest.raises(TypeError, match="JSON as str or bytes, got dict"):
            fs.Model.from_json(DOCUMENT)


STRANGE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "base", "shoulder", "elbow", "root_joint", "inf", "planar", "fixed", 10**400, 1e60])
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def places(x):
    """Each container in a document, once with each of its keys."""
    found = []
    for key in list(x) if isinstance(x, dict) else range(len(x)):
        found.append((x, key))
        if isinstance(x[key], dict | list):
            found += places(x[key])
    return found


def loads_or_is_refused(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # numbers of 1e60 may be too large in the end
        try:
            model = fs.Model.from_json(text)
        except fs.ModelError:
            return
        assert exact(fs.Model.from_json(model.to_json())) == exact(model)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.sampled_from(["put", "drop", "copy"]), STRANGE), min_size=1, max_size=3
    )
)
def test_damaged_values(changes):
    document = json.loads(json.dumps(DOCUMENT))
    for at, what, value in changes:
        every = places(document)
        if not every:
            break
        where, key = every[at % len(every)]
        if what == "drop":
            del where[key]
        else:
            other, name = every[(at * 7919 + 1) % len(every)]
            where[key] = value if what == "put" else json.loads(json.dumps(other[name]))
    loads_or_is_refused(json.dumps(document))


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 10**5), st.integers(0, 40), st.binary(max_size=6) | st.sampled_from([b"NaN", b"1e999", b"{", b"]"])
)
def test_damaged_bytes(at, length, inserted):
    text = small().to_json().encode()
    at %= len(text)
    loads_or_is_refused(text[:at] + inserted + text[at + length :])


@settings(max_examples=100, deadline=None)
@given(st.text() | st.binary())
def test_garbage(text):
    with pytest.raises(fs.ModelError):
        fs.Model.from_json(text)


@pytest.mark.parametrize("method", ["to_json", "from_json", "to_urdf"])
def test_the_examples_in_the_docs(method):
    finder = doctest.DocTestFinder(recurse=False)
    for test in finder.find(getattr(fs.Model, method), method, globs={}):
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0
