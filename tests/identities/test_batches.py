"""A batch is nothing but its states: one at a time, in parts, broadcast, or in any number of dimensions."""

import math

import numpy as np
import pytest

import featherstone as fs

from ..functions import CONFIGURATIONS, FUNCTIONS, arrays_for, core
from ..sensitivity import EPS, sensitivity
from .robots import robot as named

MODELS = ("planar", "chain floating", "star bolted", "branches mimic", "random floating mimic")
COUNT = 11  # no multiple of a lane width


@pytest.fixture(params=MODELS)
def model(request):
    return named(request.param).model


@pytest.fixture(params=FUNCTIONS)
def function(request):
    return FUNCTIONS[request.param]


def test_a_batch_is_its_states_one_by_one(function, model):
    """To a few units in the last place of the inputs: a batch may run on vectors with their own sine and cosine."""
    arrays = arrays_for(model, 1, (COUNT,))
    together = np.asarray(function(model, arrays))
    alone = np.stack([function(model, {name: x[k] for name, x in arrays.items()}) for k in range(COUNT)])
    assert together.shape == alone.shape
    assert (np.abs(together - alone) <= 64 * EPS * sensitivity(function, model, arrays)).all()
    # the mass of one body on a planar joint does not change
    assert np.abs(together).max() > 0.1 or (model.nb, function.call) == (1, fs.mass_matrix_rate)


def test_a_batch_does_not_depend_on_how_it_is_split(function, model):
    """To the bit: f(x)[k] is f(x[k : k + 1])[0]."""
    arrays = arrays_for(model, 2, (COUNT,))
    together = np.asarray(function(model, arrays))
    for cut in (slice(0, 1), slice(4, 5), slice(COUNT - 1, COUNT), slice(0, 3), slice(3, COUNT), slice(None, None, 4)):
        part = function(model, {name: x[cut] for name, x in arrays.items()})
        np.testing.assert_array_equal(part, together[cut])


def test_a_state_does_not_depend_on_its_neighbours(function, model):
    arrays, others = arrays_for(model, 3, (COUNT,)), arrays_for(model, 4, (COUNT,))
    mixed = {
        name: np.where(np.arange(COUNT).reshape(-1, *(1,) * (x.ndim - 1)) == 5, x, others[name])
        for name, x in arrays.items()
    }
    np.testing.assert_array_equal(np.asarray(function(model, mixed))[5], np.asarray(function(model, arrays))[5])


@pytest.mark.parametrize("angle", [3e5, 1e9, math.nan])
def test_a_state_does_not_depend_on_a_neighbour_that_is_far_away(function, angle):
    """Many turns away, where sine and cosine need another reduction, or nowhere at all."""
    model = named("star bolted").model
    arrays = arrays_for(model, 9, (160,))
    turning = next(model.q_index(joint.name) for joint in model.joints if joint.type == "revolute")
    far = {name: x.copy() for name, x in arrays.items()}
    for name in ("q", "q0"):
        far[name][5::8, turning] = angle  # among any number of lanes up to eight
    with fs.unchecked():
        alone, together = (np.asarray(function(model, given)) for given in (arrays, far))
    others = np.arange(160) % 8 != 5
    np.testing.assert_array_equal(together[others], alone[others])


def test_batch_shapes_broadcast(function, model):
    """Each input with a batch shape of its own, as ufuncs do."""
    shapes = [(3, 1, 2), (4, 1), (1,), (3, 1, 1), (2,)]
    given = {name: arrays_for(model, 5, shape)[name] for name, shape in zip(function.inputs, shapes)}
    if "q1" in given:  # near q0, since it must not be a full turn away
        given["q1"] = fs.integrate(model, given["q0"], arrays_for(model, 5, (4, 1))["dq"])
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - core(model, name)] for name, x in given.items()))
    whole = {
        name: np.ascontiguousarray(np.broadcast_to(x, (*batch, *x.shape[x.ndim - core(model, name) :])))
        for name, x in given.items()
    }
    found, expected = np.asarray(function(model, given)), np.asarray(function(model, whole))
    assert found.shape[: len(batch)] == batch
    np.testing.assert_array_equal(found, expected)
    flat = {name: x.reshape(-1, *x.shape[len(batch) :]) for name, x in whole.items()}
    np.testing.assert_array_equal(np.asarray(function(model, flat)).reshape(expected.shape), expected)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_an_empty_batch_gives_an_empty_result(function, model, shape):
    arrays = arrays_for(model, 6, shape)
    one = np.asarray(function(model, arrays_for(model, 6, ())))
    assert np.asarray(function(model, arrays)).shape == (*shape, *one.shape)


def test_one_state_has_no_batch_dimension(function, model):
    one = np.asarray(function(model, arrays_for(model, 7, ())))
    batch = np.asarray(function(model, arrays_for(model, 7, (1,))))
    assert batch.shape == (1, *one.shape)


def test_quaternions_within_tolerance_are_divided_by_their_length():
    """A length off by less than 1e-6 changes nothing but rounding."""
    robot = named("chain floating")
    model = robot.model
    arrays = arrays_for(model, 8, (COUNT,))
    for name in FUNCTIONS:
        function = FUNCTIONS[name]
        stretched = {key: x.copy() for key, x in arrays.items()}
        for key in CONFIGURATIONS:
            for k in model.quaternion_indices:
                stretched[key][:, k : k + 4] *= 1.0 + 9e-7
        found, expected = np.asarray(function(model, stretched)), np.asarray(function(model, arrays))
        assert (np.abs(found - expected) <= 64 * EPS * sensitivity(function, model, arrays)).all(), name
