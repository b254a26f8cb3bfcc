"""Bad input: every function says which argument is wrong, what it expected and what it got."""

import re

import numpy as np
import pytest

import featherstone as fs

from ..functions import CONFIGURATIONS, FUNCTIONS, arrays_for

CALLED = {"tau": {"solve": "b"}}  # what a function calls an input, where that is not its name here
EACH_INPUT = [(name, key) for name, function in FUNCTIONS.items() for key in function.inputs]
every_input = pytest.mark.parametrize(("name", "key"), EACH_INPUT)
# of which every entry is read
every_whole_input = pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, key in EACH_INPUT if key not in FUNCTIONS[name].in_part]
)
every_function = pytest.mark.parametrize("name", FUNCTIONS)


def title(name, key):
    """What the message calls an input."""
    return CALLED.get(key, {}).get(name, key)


def fails(error, name, model, given, pattern):
    with pytest.raises(error, match=pattern):
        FUNCTIONS[name](model, given)


@every_input
@pytest.mark.parametrize("change", ["shorter", "longer", "empty", "one number", "flat"])
def test_wrong_shapes(model, arrays, name, key, change):
    x = arrays[key]
    bad = {
        "shorter": x[..., :-1],
        "longer": np.concatenate([x, x[..., :1]], -1),
        "empty": [],
        "one number": 1.0,
        "flat": x.reshape(-1, 1),
    }[change]
    expected = ", ".join(map(str, ("...", *x.shape)))
    shape = re.escape(str(np.shape(bad)))
    pattern = rf"^{title(name, key)}: expected shape \({re.escape(expected)}\), got {shape}"
    fails(ValueError, name, model, arrays | {key: bad}, pattern)


@every_input
def test_rows_of_different_lengths(model, arrays, name, key):
    bad = [arrays[key].tolist(), [0.0]]
    fails(ValueError, name, model, arrays | {key: bad}, f"^{title(name, key)}: expected an array of shape")


def place(key, entry):
    """Where the message says that an entry of a state is: f_ext has two indices."""
    return rf"\({entry // 6}, {entry % 6}\)" if key == "f_ext" else str(entry)


@every_whole_input
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(model, arrays, name, key, number):
    bad = arrays[key].copy()
    entry = min(4, bad.size - 1)
    bad.flat[entry] = number
    pattern = f"^{title(name, key)}: expected finite numbers, got {number} at index {place(key, entry)}$"
    fails(ValueError, name, model, arrays | {key: bad}, pattern)


@every_whole_input
@pytest.mark.parametrize("state", [(0, 0), (1, 1), (1, 2)])
def test_numbers_that_are_not_finite_in_a_batch(model, batches, name, key, state):
    bad = batches[key].copy()
    bad[state].flat[2] = np.nan
    where = f"{place(key, 2)} in state {re.escape(str(state))}"
    pattern = rf"^{title(name, key)}: expected finite numbers, got nan at index {where}$"
    fails(ValueError, name, model, batches | {key: bad}, pattern)


@every_whole_input
def test_the_first_bad_state_is_named(model, batches, name, key):
    bad = batches[key].copy()
    bad[0, 2].flat[1] = bad[1, 0].flat[0] = np.nan
    fails(ValueError, name, model, batches | {key: bad}, rf"got nan at index {place(key, 1)} in state \(0, 2\)")


@every_whole_input
def test_a_bad_number_that_all_states_share(model, batches, name, key):
    bad = batches[key][0, 0].copy()
    bad.flat[0] = np.nan
    alone = len(FUNCTIONS[name].inputs) == 1 or name == "solve"
    where = "" if alone else r" in state \(0, 0\)"
    fails(
        ValueError,
        name,
        model,
        batches | {key: bad},
        f"^{title(name, key)}: .* got nan at index {place(key, 0)}{where}",
    )


class Thing:
    """No array."""


@every_input
@pytest.mark.parametrize(
    "bad",
    [
        "text",
        b"bytes",
        {"a": 1.0},
        {1.0, 2.0},
        Thing(),
        Thing,
        (x for x in (1.0, 2.0)),
        1j,
        True,
        np.datetime64("2008-01-01"),
        np.array([1.0], object),
        np.zeros(1, [("field", float)]),
        ["a", "b"],
        [None, 1.0],
        [1 + 0j, 1.0],
        [10**400],
        [Thing()],
    ],
    ids=lambda bad: type(bad).__name__ if not isinstance(bad, list) else repr(bad)[:12],
)
def test_what_is_no_array_of_real_numbers(model, arrays, name, key, bad):
    pattern = f"^{title(name, key)}: expected real numbers, got {type(bad).__name__} of dtype "
    fails(TypeError, name, model, arrays | {key: bad}, pattern)


@every_input
@pytest.mark.parametrize("kind", [complex, object, bool, str])
def test_arrays_of_another_kind(model, arrays, name, key, kind):
    bad = arrays[key].astype(kind)
    fails(TypeError, name, model, arrays | {key: bad}, f"^{title(name, key)}: expected real numbers, got ndarray")


@every_input
def test_masked_arrays(model, arrays, name, key):
    """The mask would be lost without a word."""
    bad = np.ma.masked_array(arrays[key], arrays[key] > 0.0)
    fails(TypeError, name, model, arrays | {key: bad}, f"^{title(name, key)}: expected an array without a mask")


@every_input
def test_nothing(model, arrays, name, key):
    if key == "f_ext":
        FUNCTIONS[name](model, arrays | {key: None})
    else:
        fails(
            TypeError, name, model, arrays | {key: None}, f"^{title(name, key)}: expected an array of shape .* got None"
        )


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if len(function.inputs) > 1])
def test_batches_that_do_not_broadcast(model, batches, name):
    first, second = FUNCTIONS[name].inputs[:2]
    bad = batches | {second: batches[second][:, :2]}
    called = "factor" if name == "solve" else first
    pattern = rf"^batch shapes do not broadcast: {called} \(2, 3\), {title(name, second)} \(2, 2\)"
    fails(ValueError, name, model, bad, pattern)


@every_function
@pytest.mark.parametrize("bad", [None, "pendulum", 3, fs.Model, [], np.zeros(3)], ids=repr)
def test_what_is_no_model(arrays, name, bad):
    if name == "frame_pose":  # asks the model for its last frame first
        with pytest.raises(TypeError, match=f"^model: expected a Model, got {type(bad).__name__}"):
            fs.frame_pose(bad, arrays["q"], "base")
    else:
        fails(TypeError, name, bad, arrays, f"^model: expected a Model, got {type(bad).__name__}")


@every_function
@pytest.mark.parametrize("factor", [0.0, 0.5, 1.0 + 2e-6, 1.0 - 2e-6, 1.5, 1e200])
def test_quaternions_of_another_length(model, arrays, batches, name, factor):
    for key in [key for key in FUNCTIONS[name].inputs if key in CONFIGURATIONS]:
        for k in model.quaternion_indices:
            joint = next(x for x in model.joints if x.type in ("floating", "spherical") and places(model, x.name, k))
            bad = arrays[key].copy()
            bad[k : k + 4] *= factor
            pattern = rf"^{key}: expected a quaternion \(x, y, z, w\) of unit length for joint '{joint.name}', got "
            fails(ValueError, name, model, arrays | {key: bad}, pattern)
            bad = batches[key].copy()
            bad[1, 1, k : k + 4] *= factor
            fails(ValueError, name, model, batches | {key: bad}, rf"^{key}: .* '{joint.name}'.* in state \(1, 1\)")


def places(model, joint, k):
    """Whether the coordinate k is the joint's."""
    found = model.q_index(joint)
    return found.start <= k < found.stop


@every_function
@pytest.mark.parametrize("factor", [1.0, 1.0 + 9e-7, 1.0 - 9e-7, -1.0])
def test_quaternions_within_tolerance_are_taken(model, arrays, name, factor):
    given = {key: x.copy() for key, x in arrays.items()}
    for key in CONFIGURATIONS:
        for k in model.quaternion_indices:
            given[key][k : k + 4] *= factor
    assert np.isfinite(FUNCTIONS[name](model, given)).all()


@pytest.mark.parametrize("shape", [(), (2,)])
def test_results_that_overflow(model, shape):
    """Finite inputs whose result float64 cannot hold."""
    given = arrays_for(model, 3, shape)
    where = r" in state \(0,\)" if shape else ""
    far = given["q"].copy()
    far[..., :3] = 1e200
    for name, bad in (
        ("rnea", {"qd": np.full_like(given["qd"], 1e200)}),
        ("bias_torque", {"qd": np.full_like(given["qd"], 1e200)}),
        ("aba", {"qd": np.full_like(given["qd"], 1e200)}),
        ("kinetic_energy", {"qd": np.full_like(given["qd"], 1e200)}),
        ("integrate", {"q": np.where(far == 1e200, 1.7e308, far), "dq": np.full_like(given["qd"], 1.7e308)}),
    ):
        fails(OverflowError, name, model, given | bad, f"^the result is not finite{where}: the inputs are too large")


@every_function
def test_an_error_leaves_inputs_alone_and_later_calls_right(model, batches, name):
    expected = np.asarray(FUNCTIONS[name](model, batches))
    key = FUNCTIONS[name].inputs[-1]
    bad = batches[key].copy()
    bad[1, 2].flat[0] = np.nan
    kept = bad.copy()
    fails(ValueError, name, model, batches | {key: bad}, "expected finite numbers")
    np.testing.assert_array_equal(bad, kept)
    np.testing.assert_array_equal(FUNCTIONS[name](model, batches), expected)
