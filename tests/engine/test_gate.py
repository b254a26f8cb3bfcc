"""The gate: the same bits and the same errors as the ordinary way, whatever it is given, and no trace of itself."""

from __future__ import annotations

import gc
import resource
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import featherstone as fs
from featherstone.algorithms.rnea_second_derivatives import _four_arrays

from ..functions import arrays_for
from .gates import (
    CHANGES,
    FUNCTIONS,
    MODELS,
    goes_through_python,
    is_configuration,
    open_gates,
    outcome,
    parameters,
    plain,
    read_only,
    spoilt,
)

every_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.fixture(scope="module", autouse=True)
def _open():
    open_gates()


class SubModel(fs.Model):
    """A model of a type of its own."""


OUTS = ("absent", "None", "plain", "overlapping", "one more", "float32", "every second entry", "read-only", "a list")
OPTIONS = {
    "losses": (True, False, np.True_, 1, None, "yes"),
    "kind": ("spatial", "classical", "".join(["class", "ical"]), "Spatial", None, 1, ["spatial"]),
    "method": ("aba", "cholesky", "".join(["cho", "lesky"]), "Cholesky", None, 1, ["aba"]),
}
WORDS = ("local", "world", "local_world_aligned", "".join(["wor", "ld"]), "World", None, 1, b"local", ["world"])
FRAMES = ("the last", "the root", "unknown", "equal", "bytes", None, ["a", "list"], 3, np.str_("base"))


def frame(model, choice):
    if choice == "equal":
        return "".join(list(model.frame_names[-1]))  # another object
    return {"the last": model.frame_names[-1], "the root": model.frame_names[0], "bytes": b"base"}.get(
        choice if isinstance(choice, str) else "", choice
    )


def result_of(name, robot):
    """An array of the shape of a function's result, if it is one; nothing has no centre of mass."""
    if robot == "bolted" and name.startswith(("cent", "composite")):
        return np.empty(0)
    result = FUNCTIONS[name].__wrapped__(MODELS[robot], **plain(robot, name))
    return result if isinstance(result, np.ndarray) else np.empty(1)


def takes_array(name):
    """Whether `out` is one array."""
    return "out" in parameters(name)[1] and not FUNCTIONS[name].way.more


def out_of(choice, shape, arrays):
    made = np.full(shape, np.nan)
    if choice == "overlapping":
        for x in arrays:
            if isinstance(x, np.ndarray) and x.shape == shape and x.dtype == np.float64 and x.flags.writeable:
                return x
    return {
        "None": None,
        "one more": np.full((*shape, 1), np.nan),
        "float32": made.astype(np.float32),
        "every second entry": np.full((*shape[:-1], 2 * shape[-1]), np.nan)[..., ::2] if shape else made,
        "read-only": read_only(made),
        "a list": made.tolist(),
    }.get(choice, made)


@st.composite
def calls(draw, name):
    """A robot, and arguments by position and by name: most of them right, anything wrong now and then."""
    robot = draw(st.sampled_from(sorted(MODELS)))
    model = MODELS[robot]
    shape = draw(st.sampled_from([(), (), (1,), (3,), (17,), (2, 3)]))
    given = plain(robot, name, draw(st.integers(0, 3)), shape)
    for key in given:
        if shape and isinstance(given[key], np.ndarray) and draw(st.integers(0, 4)) == 0:
            given[key] = given[key][0]  # shared by all states
        if key == "frame":
            given[key] = frame(model, draw(st.sampled_from(FRAMES)))
        elif key == "reference":
            given[key] = draw(st.sampled_from(WORDS))
        elif draw(st.integers(0, 2)) == 0:
            given[key] = CHANGES[draw(st.sampled_from(sorted(CHANGES)))](given[key])
    positional, by_name = parameters(name)
    count = draw(st.integers(0, len(positional))) if draw(st.booleans()) else len(positional)
    arguments = [model, *(given[key] for key in positional[:count])]
    named = {key: given[key] for key in positional[count:]}
    for key in [key for key in by_name if key in OPTIONS and draw(st.integers(0, 2)) == 0]:
        named[key] = draw(st.sampled_from(OPTIONS[key]))
    if "out" in by_name and draw(st.booleans()):
        choice = draw(st.sampled_from(OUTS[1:]))
        kept = shape if draw(st.integers(0, 9)) else (*shape, 2)
        named["out"] = out_of(choice, (*kept, *result_of(name, robot).shape), given.values())
    strange = draw(st.sampled_from(["no"] * 12 + ["fewer", "more", "twice", "unknown", "other model", "model by name"]))
    if strange == "fewer":
        (arguments if len(arguments) > 1 else named or arguments).pop() if len(arguments) > 1 else arguments.clear()
    elif strange == "more":
        arguments += [1, 2, 3]
    elif strange == "twice":
        named[positional[0]] = given[positional[0]]
    elif strange == "unknown":
        named["torque"] = 1
    elif strange == "other model":
        arguments[0] = draw(st.sampled_from([None, model.tree, "robot", 1.0]))
    elif strange == "model by name":
        named |= {"model": arguments.pop(0)} | dict(zip(positional, arguments))
        arguments = []
    named = dict(draw(st.permutations(sorted(named.items(), key=lambda item: item[0]))))
    return tuple(arguments), named


@every_function
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_it_does_what_the_ordinary_way_does(name, data):
    """Bits, types, flags, errors and messages; what is given is not changed but for `out`."""
    arguments, named = data.draw(calls(name))
    function = FUNCTIONS[name]
    assert outcome(function, arguments, named) == outcome(function.__wrapped__, arguments, named)


# what a robot changes is the same for all functions: sizes, and which of two kernels is taken
EVERYWHERE = ("rnea", "aba", "crba", "frame_jacobian", "kinetic_energy", "difference", "rnea_derivatives")
PAIRS = [(name, robot) for name in FUNCTIONS for robot in MODELS if robot == "every joint" or name in EVERYWHERE]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("name", "robot"), PAIRS)
def test_each_array_that_is_not_plain(name, change, robot):
    """One argument at a time."""
    function, model = FUNCTIONS[name], MODELS[robot]
    for key, x in (given := plain(robot, name)).items():
        if isinstance(x, np.ndarray) and x.size:
            named = given | {key: CHANGES[change](x)}
            assert outcome(function, (model,), named) == outcome(function.__wrapped__, (model,), named), key


@every_function
@pytest.mark.parametrize("robot", ["every joint", "floating", "mimic", "one joint"])
@pytest.mark.parametrize("shape", [(), (1,), (9,)])
def test_plain_arguments_go_straight_in(name, robot, shape):
    """Without Python in between, by position and by name, with an array for the result or without."""
    function, model, given = FUNCTIONS[name], MODELS[robot], plain(robot, name, 0, shape)
    assert not goes_through_python(function, (model, *given.values()), {})
    assert not goes_through_python(function, (model,), given)
    by_name = parameters(name)[1]
    if takes_array(name):
        out = np.empty((*shape, *result_of(name, robot).shape))
        for named in ({"out": out}, {"out": None}):
            assert not goes_through_python(function, (model, *given.values()), named)
        backwards = out[..., ::-1]
        around = goes_through_python(function, (model, *given.values()), {"out": backwards})
        assert around == (not backwards.flags.c_contiguous)
    if "losses" in by_name:
        assert not goes_through_python(function, (model, *given.values()), {"losses": True})
    if "method" in by_name:
        for method in ("aba", "cholesky"):
            assert not goes_through_python(function, (model, *given.values()), {"method": method})
    for key, words in FUNCTIONS[name].way.words:
        for word in words:
            assert not goes_through_python(function, (model,), given | {key: word})
            assert outcome(function, (model,), given | {key: word}) == outcome(
                function.__wrapped__, (model,), given | {key: word}
            )
        rest = {x: value for x, value in given.items() if x != key}
        assert not goes_through_python(function, (model,), rest)
        np.testing.assert_array_equal(function(model, **rest), function(model, **rest, **{key: words[0]}))
    if given.pop("f_ext", None) is not None:
        assert not goes_through_python(function, (model, *given.values()), {})
        assert not goes_through_python(function, (model, *given.values(), None), {})


@every_function
def test_states_may_share_arguments(name):
    """A batch of some arguments, one state of the others; the result is that of the ordinary way, to the bit."""
    robot, model, function = "every joint", MODELS["every joint"], FUNCTIONS[name]
    given = plain(robot, name, 0, (9,))
    arrays = [key for key, x in given.items() if isinstance(x, np.ndarray)]
    for key in arrays[1:]:
        mixed = given | {key: given[key][4]}
        assert not goes_through_python(function, (model,), mixed)
        assert outcome(function, (model,), mixed) == outcome(function.__wrapped__, (model,), mixed)
    if len(arrays) > 1:
        with pytest.raises(ValueError, match="do not broadcast"):
            function(model, **(given | {arrays[0]: given[arrays[0]][:5]}))
        assert goes_through_python(function, (model,), given | {arrays[0]: given[arrays[0]][:1]})


def test_large_batches_let_other_threads_run():
    model = MODELS["one joint"]
    q = np.zeros((100_000, 1))
    assert goes_through_python(fs.gravity_torque, (model, q), {})
    assert not goes_through_python(fs.gravity_torque, (model, q[:1000]), {})


@every_function
def test_the_result_may_be_an_input(name):
    """`out` that overlaps with an input, wholly or in part."""
    for robot, model in MODELS.items():
        given = plain(robot, name)
        shape = result_of(name, robot).shape
        if not takes_array(name) or not shape or 0 in shape:
            continue
        for key, x in given.items():
            if not isinstance(x, np.ndarray) or x.ndim != 1:
                continue
            for shift in (0, 1, x.size):
                count = int(np.prod(shape))

                def call(function, key=key, x=x, shift=shift, count=count, model=model, given=given, shape=shape):
                    memory = np.full(x.size + count + shift, 7.0)
                    own = memory[: x.size]
                    own[...] = x
                    out = memory[shift : shift + count].reshape(shape)
                    assert function(model, **(given | {key: own}), out=out) is out
                    return out.copy()

                np.testing.assert_array_equal(call(FUNCTIONS[name]), call(FUNCTIONS[name].__wrapped__))


def test_inputs_that_overflow_and_joints_that_move_nothing():
    """What the kernel itself refuses is told as in the ordinary way, and no result is lost."""
    builder = fs.ModelBuilder("massless tip")
    for link, mass in (("base", 1.0), ("arm", 1.0), ("tip", 0.0)):
        builder.add_link(link, mass, (0, 0, 0), np.eye(3) * mass)
    builder.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 0, 1))
    builder.add_joint("wrist", "revolute", "arm", "tip", axis=(0, 0, 1))
    tip, arm = builder.build(), fs.models.load("planar_2r")
    zero, huge = np.zeros(2), np.full(2, 1e200)
    for function, arguments in (
        (fs.aba, (tip, zero, zero, zero)),
        (fs.mass_matrix_inverse, (tip, zero)),
        (fs.rnea, (arm, zero, huge, zero)),
        (fs.kinetic_energy, (arm, zero, huge)),
    ):
        found = outcome(function, arguments, {})
        assert found.kind == "error"
        assert found == outcome(function.__wrapped__, arguments, {})


def test_a_model_of_another_type_goes_the_ordinary_way():
    model = MODELS["one joint"]
    other = object.__new__(SubModel)
    vars(other).update(vars(model))
    for slot in ("packed", "_frame_words"):
        object.__setattr__(other, slot, getattr(model, slot))
    q = np.array([0.3])
    assert goes_through_python(fs.gravity_torque, (other, q), {})
    np.testing.assert_array_equal(fs.gravity_torque(other, q), fs.gravity_torque(model, q))


@every_function
def test_a_model_that_was_never_made_is_an_error(name):
    given = plain("one joint", name)
    with pytest.raises(AttributeError):
        FUNCTIONS[name](object.__new__(fs.Model), **given)


@pytest.mark.parametrize("n", [40, 130, 420])
def test_work_memory_of_any_size(n):
    """On the stack, in the heap, and so large that other threads should run meanwhile."""
    from ..random_trees import random_tree

    model = random_tree(n, n, ("revolute", "prismatic"), massless=False)
    rng = np.random.default_rng(n)
    q, qd, tau = rng.normal(size=(3, n))
    for function, arguments in ((fs.crba, (q,)), (fs.aba, (q, qd, tau)), (fs.mass_matrix_inverse, (q,))):
        found = outcome(function, (model, *arguments), {})
        assert found == outcome(function.__wrapped__, (model, *arguments), {})
    assert goes_through_python(fs.crba, (model, q), {}) == (n == 420)


def test_threads_do_not_disturb_each_other():
    """Work memory is a thread's own."""
    robots = ("every joint", "floating", "mimic")
    expected = {robot: fs.aba(MODELS[robot], **plain(robot, "aba")) for robot in robots}
    wrong = []

    def work(robot):
        given = tuple(plain(robot, "aba").values())
        for _ in range(3000):
            if not np.array_equal(fs.aba(MODELS[robot], *given), expected[robot]):
                wrong.append(robot)

    threads = [threading.Thread(target=work, args=(robot,)) for robot in robots * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def several(named):
    """The arrays of an `out` of several."""
    return named["out"] if isinstance(named.get("out"), tuple) else ()


@every_function
def test_references_are_counted(name):
    """Of arguments, results and of what all calls share, for calls that succeed, are refused, or go around."""
    robot = "every joint"
    model, given = MODELS[robot], plain(robot, name)
    function, arguments = FUNCTIONS[name], (model, *given.values())
    bad = (model, *(spoilt(x, np.nan) if isinstance(x, np.ndarray) else x for x in given.values()))
    named = {"out": function.__wrapped__(*arguments)} if "out" in parameters(name)[1] else {}
    watched = [*arguments, *bad, *named.values(), *several(named), None, True, False, np.ndarray, fs.Model]

    def calls():
        function(*arguments)
        function(*arguments, **named)
        with pytest.raises(ValueError):
            function(*bad)
        function(model, *(x.tolist() if isinstance(x, np.ndarray) else x for x in given.values()))
        with fs.unchecked():
            function(*arguments)

    calls()
    gc.collect()
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(200):
        calls()
    gc.collect()
    after = [sys.getrefcount(x) for x in watched]
    assert max(abs(x - y) for x, y in zip(before, after)) < 50


def test_ten_million_calls_leave_no_trace():
    """Memory is flat, and no reference is lost or gained."""
    model = MODELS["one joint"]
    q, qd, out = np.array([0.3]), np.array([0.1]), np.empty(1)
    rnea, energy = fs.rnea, fs.kinetic_energy
    shared = [q, qd, out, model, None, np.dtype(float), np.ndarray]

    def calls(count):
        for _ in range(count):
            rnea(model, q, qd, qd)
            rnea(model, q, qd, qd, out=out)
            energy(model, q, qd)

    calls(100_000)
    before, memory = [sys.getrefcount(x) for x in shared], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(3_400_000)
    after = [sys.getrefcount(x) for x in shared]
    assert max(abs(x - y) for x, y in zip(before, after)) < 100
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 4096  # KiB


def test_configurations_are_known():
    """The helper of these tests: every function has at least one array."""
    assert all(any(map(is_configuration, parameters(name)[0])) for name in FUNCTIONS if name != "solve_by_factor")


@pytest.mark.parametrize("shape", [(), (9,)])
@pytest.mark.parametrize("robot", ["every joint", "mimic"])
def test_second_derivatives_go_straight_in_but_for_their_names(robot, shape):
    """The gate makes plain tuples; a named one is made around it."""
    states = arrays_for(MODELS[robot], 3, shape)
    given = [states[key] for key in ("q", "qd", "qdd", "f_ext")]
    for _ in range(3):
        fs.rnea_second_derivatives(MODELS[robot], *given)
    for losses in (False, True):
        assert not goes_through_python(_four_arrays, (MODELS[robot], *given), {"losses": losses})
        found = fs.rnea_second_derivatives(MODELS[robot], *given, losses=losses)
        right = _four_arrays.__wrapped__(MODELS[robot], *given, losses=losses)
        assert all(map(np.array_equal, found, right))
