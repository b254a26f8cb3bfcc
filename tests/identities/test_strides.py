"""Any shapes that broadcast, in any memory layout, for inputs and outputs alike."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import featherstone as fs

from ..functions import WITH_OUT, arrays_for, core
from ..random_trees import random_tree

NAMES = ("rnea", "aba", "crba", "integrate", "forward_kinematics", "difference")


@functools.cache
def model():
    return random_tree(1, 3, ("floating", "revolute", "planar"))


def laid_out(x, draw):
    """The same numbers in an array whose axes lie in any order, run either way, and leave gaps or not."""
    order = draw(st.permutations(range(x.ndim)))
    steps = draw(st.lists(st.sampled_from((1, 2, -1, -3)), min_size=x.ndim, max_size=x.ndim))
    shape = [x.shape[k] * abs(steps[k]) for k in order]
    room = np.full(shape, np.nan).transpose(np.argsort(order))
    view = room[tuple(slice(None, None, step) for step in steps)]
    view = view[tuple(slice(0, n) for n in x.shape)]
    view[...] = x
    return view


def stretched(x, batch, core_dimensions):
    """The same numbers for a whole batch, without copying: steps of zero bytes."""
    return np.broadcast_to(x, (*batch, *x.shape[x.ndim - core_dimensions :]))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, derandomize=True, deadline=None)
@given(data=st.data())
def test_shapes_and_layouts_do_not_matter(name, data):
    function, robot = WITH_OUT[name], model()
    shapes = mutually_broadcastable_shapes(num_shapes=len(function.inputs), max_dims=4, max_side=5, min_side=0)
    chosen = data.draw(shapes)
    batch = chosen.result_shape
    arrays, whole = {}, {}
    for key, shape in zip(function.inputs, chosen.input_shapes):
        arrays[key] = arrays_for(robot, len(arrays), shape)[key]
        if key == "q1":  # less than half a turn away, where the difference is unique
            arrays[key] = fs.integrate(robot, stretched(arrays["q0"], batch, 1), arrays_for(robot, 5, batch)["dq"])
        own = core(robot, key)
        whole[key] = np.ascontiguousarray(stretched(arrays[key], batch, own))
        arrays[key] = laid_out(arrays[key], data.draw)
        if data.draw(st.booleans()):
            arrays[key] = stretched(arrays[key], batch, own)
    expected = function(robot, whole)
    found = function(robot, arrays)
    assert found.shape == expected.shape
    if batch:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    out = laid_out(np.full(expected.shape, np.nan), data.draw)
    assert function(robot, arrays, out=out) is out
    np.testing.assert_array_equal(out, found)
