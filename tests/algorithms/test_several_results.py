"""Functions with several results: where they are put, whatever is given for `out`."""

import numpy as np
import pytest

import featherstone as fs

from ..functions import arrays_for

SEVERAL = {
    "rnea_derivatives": ("q", "qd", "qdd", "f_ext"),
    "aba_derivatives": ("q", "qd", "tau", "f_ext"),
    "integrate_derivatives": ("q", "dq"),
    "difference_derivatives": ("q0", "q1"),
}
every_function = pytest.mark.parametrize("name", SEVERAL)


def call(name, model, arrays, **options):
    return getattr(fs, name)(model, *(arrays[x] for x in SEVERAL[name]), **options)


def test_all_of_them_are_here():
    gated = {name for name in fs.__all__ if getattr(getattr(fs, name), "way", None) and getattr(fs, name).way.more}
    assert gated - {"rnea_second_derivatives"} == set(SEVERAL)


@every_function
@pytest.mark.parametrize("kind", [tuple, list])
def test_results_go_where_they_are_asked_to(model, arrays, batches, name, kind):
    for given in (arrays, batches):
        expected = call(name, model, given)
        outs = kind(np.full(x.shape, np.nan) for x in expected)
        found = call(name, model, given, out=outs)
        assert type(found) is tuple
        for got, out, right in zip(found, outs, expected):
            assert got is out
            np.testing.assert_array_equal(out, right)


@every_function
def test_memory_of_any_kind_is_filled(model, batches, name):
    """Transposed and strided arrays, and arrays that share memory with an input."""
    expected = call(name, model, batches)
    strided = [np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan)[..., ::2] for x in expected]
    transposed = [np.full(x.shape[::-1], np.nan).T for x in expected]
    for outs in (strided, transposed):
        found = call(name, model, batches, out=outs)
        assert all(x is y for x, y in zip(found, outs))
        for out, right in zip(outs, expected):
            np.testing.assert_array_equal(out, right)


@every_function
def test_a_result_may_lie_upon_an_input(model, batches, name):
    given = {x: y.copy() for x, y in batches.items()}
    expected = call(name, model, given)
    first = SEVERAL[name][0]
    room = np.full(given[first].size + expected[0].size, 3.0)
    room[: given[first].size] = given[first].ravel()
    given[first] = room[: given[first].size].reshape(given[first].shape)
    out = room[3 : 3 + expected[0].size].reshape(expected[0].shape)
    found = call(name, model, given, out=(out, *(np.empty_like(x) for x in expected[1:])))
    for got, right in zip(found, expected):
        np.testing.assert_array_equal(got, right)


@every_function
def test_too_few_too_many_and_none_at_all(model, arrays, name):
    expected = call(name, model, arrays)
    for wrong in (expected[:1], (*expected, expected[0]), ()):
        with pytest.raises(TypeError, match=f"^out: expected a tuple of .* arrays, got {len(wrong)} of them"):
            call(name, model, arrays, out=wrong)
    for wrong in (expected[0], "out", 1.0, {}):
        with pytest.raises(TypeError, match=f"^out: expected a tuple of .* arrays, got {type(wrong).__name__}"):
            call(name, model, arrays, out=wrong)


@every_function
@pytest.mark.parametrize("place", [0, -1])
def test_one_that_is_wrong_is_told(model, arrays, name, place):
    expected = call(name, model, arrays)
    read_only = expected[0].copy()
    read_only.flags.writeable = False
    cases = (
        (expected[0].astype(np.float32), TypeError, "float64 array, got float32"),
        (expected[0].tolist(), TypeError, "float64 array, got list"),
        (np.zeros((1, *expected[0].shape)), ValueError, "expected shape"),
        (read_only, ValueError, "read-only"),
    )
    for wrong, kind, text in cases:
        outs = [np.full(x.shape, 7.0) for x in expected]
        outs[place] = wrong
        with pytest.raises(kind, match=f"^out: .*{text}"):
            call(name, model, arrays, out=tuple(outs))
        assert all((x == 7.0).all() for x in outs if x is not wrong)


@every_function
def test_results_may_not_share_memory(model, arrays, name):
    expected = call(name, model, arrays)
    one = np.empty_like(expected[0])
    for others in ((one,), (one[::-1],)):
        outs = (one, *others, *(np.empty_like(x) for x in expected[2:]))
        with pytest.raises(ValueError, match=r"^out: expected"):
            call(name, model, arrays, out=outs)


@every_function
@pytest.mark.parametrize("shape", [(0,), (3, 0), (1,), (2, 1, 3)])
def test_batches_of_any_shape(model, name, shape):
    given = arrays_for(model, 5, shape)
    found = call(name, model, given)
    assert all(x.shape == (*shape, model.nv, model.nv) for x in found)
    assert all(x.dtype == np.float64 and x.flags.owndata for x in found)


@every_function
def test_states_that_are_shared(model, batches, name):
    """One configuration for all, as if it were repeated."""
    first, *others = SEVERAL[name]
    shared = batches | {first: batches[first][0, 0]}
    repeated = batches | {first: np.broadcast_to(batches[first][0, 0], batches[first].shape)}
    assert others
    for x, y in zip(call(name, model, shared), call(name, model, repeated)):
        np.testing.assert_array_equal(x, y)
