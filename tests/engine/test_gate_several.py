"""The gate with several results: a tuple of arrays for them goes straight in, anything else is told as it ever was."""

from __future__ import annotations

import numpy as np
import pytest

from .gates import FUNCTIONS, MODELS, goes_through_python, open_gates, outcome, parameters, plain, read_only


@pytest.fixture(scope="module", autouse=True)
def _open():
    open_gates()


SEVERAL = sorted(name for name in FUNCTIONS if FUNCTIONS[name].way.more and "out" in parameters(name)[1])


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("shape", [(), (9,)])
def test_several_results_may_be_given_places(name, shape):
    """A tuple of arrays goes straight in; any other, also one whose arrays overlap, is told the same as it ever was."""
    robot, function = "every joint", FUNCTIONS[name]
    model, given = MODELS[robot], plain(robot, name, 0, shape)
    right = function.__wrapped__(model, **given)
    places = tuple(np.full_like(x, np.nan) for x in right)
    assert not goes_through_python(function, (model, *given.values()), {"out": places})
    results = function(model, **given, out=places)
    assert type(results) is tuple
    assert all(x is place for x, place in zip(results, places, strict=True))
    for x, y in zip(places, right):
        np.testing.assert_array_equal(x, y)
    assert goes_through_python(function, (model, *given.values()), {"out": list(places)})
    strange = {
        "a list": list(places),
        "one less": places[:-1],
        "one more": (*places, places[0].copy()),
        "no tuple": places[0],
        "None in it": (*places[:-1], None),
        "twice the same": (places[0],) * len(places),
        "another shape": (*places[:-1], np.empty((*places[-1].shape, 1))),
        "another type": (*places[:-1], places[-1].astype(np.float32)),
        "read-only": (*places[:-1], read_only(places[-1].copy())),
        "none": (),
    }
    for choice, out in strange.items():
        assert outcome(function, (model,), given | {"out": out}) == outcome(
            function.__wrapped__, (model,), given | {"out": out}
        ), choice


@pytest.mark.parametrize("name", SEVERAL)
def test_one_of_several_results_may_be_an_input(name):
    robot, function = "every joint", FUNCTIONS[name]
    model, given = MODELS[robot], plain(robot, name)
    right = function.__wrapped__(model, **given)
    for key in [key for key, x in given.items() if isinstance(x, np.ndarray) and x.ndim == 1]:
        for k, result in enumerate(right):
            memory = np.full(given[key].size + result.size, 7.0)
            own = memory[: given[key].size]
            own[...] = given[key]
            places = [np.empty_like(x) for x in right]
            places[k] = memory[1 : 1 + result.size].reshape(result.shape)
            results = function(model, **(given | {key: own}), out=tuple(places))
            for x, y in zip(results, right, strict=True):
                np.testing.assert_array_equal(x, y)
