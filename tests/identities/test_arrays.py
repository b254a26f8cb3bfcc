"""Arrays in and out: any layout and type of number, nothing changed but what was asked for, nothing shared."""

import numpy as np
import pytest

from ..functions import CONFIGURATIONS, FUNCTIONS, WITH_OUT, arrays_for
from .robots import robot as named

MODELS = ("chain floating", "star bolted", "random floating mimic")
COUNT = 5


@pytest.fixture(params=MODELS)
def model(request):
    return named(request.param).model


@pytest.fixture(params=FUNCTIONS)
def function(request):
    return FUNCTIONS[request.param]


@pytest.fixture(params=WITH_OUT)
def with_out(request):
    return WITH_OUT[request.param]


def spaced(x):
    """Every second entry of a larger array."""
    larger = np.full([2 * n for n in x.shape], np.nan)
    view = larger[tuple(slice(None, None, 2) for _ in x.shape)]
    view[...] = x
    return view


def unaligned(x):
    """An array that begins at an odd address."""
    raw = np.zeros(x.nbytes + 1, np.uint8)[1:]
    view = raw.view(x.dtype).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def read_only(x):
    copy = x.copy()
    copy.flags.writeable = False
    return copy


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "spaced": spaced,
    "backwards": lambda x: np.ascontiguousarray(x[::-1, ..., ::-1])[::-1, ..., ::-1],
    "last axis first": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, -1, 0)), 0, -1),
    "read-only": read_only,
    "big-endian": lambda x: x.astype(">f8"),
    "unaligned": unaligned,
    "list": lambda x: x.tolist(),
    "tuple of rows": tuple,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_does_not_matter(function, model, layout):
    arrays = arrays_for(model, 1, (COUNT,))
    given = {name: LAYOUTS[layout](x) for name, x in arrays.items()}
    np.testing.assert_array_equal(function(model, given), function(model, arrays))


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.longdouble])
def test_other_floats_are_taken_at_their_value(function, model, kind):
    arrays = arrays_for(model, 2, (COUNT,))
    given = {name: x.astype(kind) for name, x in arrays.items()}
    for name in CONFIGURATIONS:  # quaternions that all kinds hold exactly
        for k in model.quaternion_indices:
            given[name][:, k : k + 4] = [0.5, -0.5, 0.5, 0.5]
    expected = np.asarray(function(model, {name: x.astype(float) for name, x in given.items()}))
    found = np.asarray(function(model, given))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint16, int])
def test_whole_numbers_are_taken_at_their_value(function, model, kind):
    arrays = arrays_for(model, 3, (COUNT,))
    whole = {name: np.abs(np.round(2 * x)) for name, x in arrays.items()}
    for name in CONFIGURATIONS:
        for k in model.quaternion_indices:
            whole[name][:, k : k + 4] = [0.0, 1.0, 0.0, 0.0]
    given = {name: x.astype(kind) if kind is not int else x.astype(int).tolist() for name, x in whole.items()}
    np.testing.assert_array_equal(function(model, given), function(model, whole))


def test_results_are_float64_arrays_that_own_their_data(function, model):
    result = np.asarray(function(model, arrays_for(model, 4, (COUNT,))))
    assert result.dtype == np.float64
    assert result.flags.c_contiguous
    assert result.flags.writeable


def test_inputs_are_not_changed(function, model):
    arrays = arrays_for(model, 5, (COUNT,))
    kept = {name: x.copy() for name, x in arrays.items()}
    function(model, arrays)
    for name, x in arrays.items():
        np.testing.assert_array_equal(x, kept[name])


def test_results_share_memory_with_nothing(function, model):
    arrays = arrays_for(model, 6, (COUNT,))
    first, second = np.asarray(function(model, arrays)), np.asarray(function(model, arrays))
    others = [second, *arrays.values(), model.packed, *(x for x in model.tree if isinstance(x, np.ndarray))]
    assert not any(np.may_share_memory(first, other) for other in others)


def test_writing_into_a_result_changes_no_later_one(function, model):
    arrays = arrays_for(model, 7, (COUNT,))
    first = np.asarray(function(model, arrays))
    kept = first.copy()
    first[...] = np.nan
    np.testing.assert_array_equal(function(model, arrays), kept)


def test_writing_into_inputs_changes_no_earlier_result(function, model):
    arrays = arrays_for(model, 8, (COUNT,))
    result = np.asarray(function(model, arrays))
    kept = result.copy()
    for x in arrays.values():
        x[...] = np.nan
    np.testing.assert_array_equal(result, kept)


def test_out_is_returned_and_written_in_full(with_out, model):
    arrays = arrays_for(model, 9, (COUNT,))
    expected = with_out(model, arrays)
    out = np.full(expected.shape, np.nan)
    assert with_out(model, arrays, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("layout", ["Fortran order", "spaced", "backwards", "last axis first", "unaligned"])
def test_out_may_have_any_layout(with_out, model, layout):
    arrays = arrays_for(model, 10, (COUNT,))
    expected = with_out(model, arrays)
    out = LAYOUTS[layout](np.full(expected.shape, np.nan))
    assert with_out(model, arrays, out=out) is out
    np.testing.assert_array_equal(out, expected)


def test_out_of_one_state(with_out, model):
    arrays = {name: x[0] for name, x in arrays_for(model, 11, (COUNT,)).items()}
    expected = with_out(model, arrays)
    out = np.full(expected.shape, np.nan)
    assert with_out(model, arrays, out=out) is out
    np.testing.assert_array_equal(out, expected)


def test_out_writes_nothing_beside_itself(with_out, model):
    arrays = arrays_for(model, 12, (COUNT,))
    expected = with_out(model, arrays)
    room = np.full((COUNT + 2, *expected.shape[1:]), 7.0)
    with_out(model, arrays, out=room[1:-1])
    np.testing.assert_array_equal(room[1:-1], expected)
    assert (room[[0, -1]] == 7.0).all()


def test_out_may_be_an_input(with_out, model):
    """As with ufuncs the result is that of the inputs as they were."""
    arrays = arrays_for(model, 13, (COUNT,))
    expected = with_out(model, arrays)
    same = [name for name in with_out.inputs if arrays[name].shape == expected.shape]
    for name in same:
        given = {key: x.copy() for key, x in arrays.items()}
        assert with_out(model, given, out=given[name]) is given[name]
        np.testing.assert_array_equal(given[name], expected)


def test_out_may_overlap_an_input(with_out, model):
    """The result in the memory of each input in turn, from one entry on."""
    arrays = arrays_for(model, 14, (COUNT,))
    expected = with_out(model, arrays)
    for name in with_out.inputs:
        size = arrays[name].size
        room = np.full(max(size, expected.size) + 1, np.nan)
        room[:size] = arrays[name].ravel()
        given = arrays | {name: room[:size].reshape(arrays[name].shape)}
        out = room[1 : 1 + expected.size].reshape(expected.shape)
        assert np.shares_memory(given[name], out)
        np.testing.assert_array_equal(with_out(model, given, out=out), expected)


def test_one_input_may_be_another(model):
    arrays = arrays_for(model, 15, (COUNT,))
    arrays["qdd"] = arrays["qd"]
    expected = FUNCTIONS["rnea"](model, arrays | {"qdd": arrays["qd"].copy()})
    np.testing.assert_array_equal(FUNCTIONS["rnea"](model, arrays), expected)
