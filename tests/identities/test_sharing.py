"""One model in many hands: threads, pickles, copies; it never changes."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import featherstone as fs

from ..functions import FUNCTIONS, arrays_for
from .robots import robot as named

MODELS = ("planar", "chain floating", "star bolted", "random floating mimic")


@pytest.fixture(params=MODELS)
def model(request):
    return named(request.param).model


def all_results(model, seed=1):
    """Every function on a batch and on one state."""
    arrays = arrays_for(model, seed, (7,))
    one = {name: x[0] for name, x in arrays.items()}
    return [np.asarray(f(model, given)) for f in FUNCTIONS.values() for given in (arrays, one)]


def test_four_threads_give_what_one_gives(model):
    expected = [all_results(model, seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(all_results, model, k % 4) for k in range(24)]
        for k, task in enumerate(tasks):
            for found, wanted in zip(task.result(), expected[k % 4], strict=True):
                np.testing.assert_array_equal(found, wanted)


def test_a_switch_in_one_thread_is_off_in_others():
    """`unchecked` holds for the context that entered it."""
    model = named("planar").model
    bad = np.full(model.nq, np.nan)
    with ThreadPoolExecutor(1) as pool, fs.unchecked():
        assert np.isnan(fs.gravity_torque(model, bad)).any()
        with pytest.raises(ValueError, match="q: expected finite numbers"):
            pool.submit(fs.gravity_torque, model, bad).result()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_model_gives_the_same_bits(model, protocol):
    other = pickle.loads(pickle.dumps(model, protocol))
    assert other is not model
    assert repr(other) == repr(model)
    assert str(other) == str(model)
    assert other.joint_names == model.joint_names
    for name, value in zip(model.tree._fields, model.tree):
        np.testing.assert_array_equal(getattr(other.tree, name), value)
    for found, expected in zip(all_results(other), all_results(model), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_an_edited_model_pickles_with_its_edits(model):
    frame = model.frame_names[-1]
    edited = model.with_gravity((1.0, 2.0, 3.0)).with_payload(frame, 1.5, (0.1, 0.2, 0.3), 0.01 * np.eye(3))
    other = pickle.loads(pickle.dumps(edited))
    np.testing.assert_array_equal(other.gravity, (1.0, 2.0, 3.0))
    for found, expected in zip(all_results(other), all_results(edited), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_is_the_model_itself(model, copied):
    assert copied(model) is model


def test_computing_does_not_change_the_model(model):
    before = [np.array(x) for x in model.tree], pickle.dumps(model)
    first = all_results(model)
    for found, expected in zip(all_results(model), first, strict=True):
        np.testing.assert_array_equal(found, expected)
    for now, then in zip(model.tree, before[0], strict=True):
        np.testing.assert_array_equal(now, then)
    assert pickle.dumps(model) == before[1]
