"""Worker processes of `multiprocessing`, however they start, after this one has computed on several threads."""

import multiprocessing
import os

import pytest

import featherstone as fs

from .processes import run_python
from .states import states

METHODS = multiprocessing.get_all_start_methods()
PREPARED = """
import json, multiprocessing, os, sys, warnings
import numpy as np
import featherstone as fs
from tests.engine.states import results, states
from tests.engine.workers import computed, failure
warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads

def many(model, count=4001):
    return model.random_configuration(0, count)

if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    fs.set_num_threads(3)
    model, arrays = states("every joint")
    expected = fs.crba(model, many(model))  # on several threads
"""


def run_with(method, code):
    """What the code prints in a process that has used threads."""
    return run_python(PREPARED.format(method=method) + code)


@pytest.mark.parametrize("method", METHODS)
def test_workers_give_the_same_bits(method):
    """All functions, states and batches, small and large, in two workers."""
    code = """
    here = results()
    with context.Pool(2) as pool:
        there = [pool.apply_async(results) for _ in range(2)]
        large = [pool.apply_async(fs.crba, (model, many(model))) for _ in range(4)]
        same = [found.get(timeout=120) == here for found in there]
        same += [bool(np.array_equal(found.get(timeout=120), expected)) for found in large]
    after = bool(np.array_equal(fs.crba(model, many(model)), expected))
    print(json.dumps([same, after]))
"""
    assert run_with(method, code) == [[True] * 6, True]


@pytest.mark.parametrize("method", METHODS)
def test_workers_choose_their_own_number_of_threads(method):
    """A forked one inherits the choice, a new one has its own; neither changes this process."""
    code = """
    with context.Pool(1) as pool:
        inherited = pool.apply_async(fs.get_num_threads).get(timeout=120)
        pool.apply_async(fs.set_num_threads, (2,)).get(timeout=120)
        chosen = pool.apply_async(fs.get_num_threads).get(timeout=120)
        found = pool.apply_async(fs.crba, (model, many(model))).get(timeout=120)
    print(json.dumps([inherited, chosen, fs.get_num_threads(), bool(np.array_equal(found, expected))]))
"""
    inherited, *others = run_with(method, code)
    assert others == [2, 3, True]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert inherited == (3 if method == "fork" else cores)


@pytest.mark.parametrize("method", METHODS)
def test_workers_load_and_do_not_compile(method):
    """Of a process that has compiled nothing itself: its workers only load what is cached."""
    model, arrays = states("every joint")
    for function in (fs.crba, fs.potential_energy):
        function(model, arrays["q"])  # cached now
    code = """
    with context.Pool(1) as pool:
        loaded = pool.apply_async(computed, (model, arrays["q"])).get(timeout=120)
    print(json.dumps([loaded, "numba" in sys.modules]))
"""
    assert run_with(method, code) == [[True, False], False]


@pytest.mark.parametrize("method", METHODS)
def test_errors_come_back_whole(method):
    code = """
    bad = many(model)
    bad[4000, 0] = np.nan
    with context.Pool(1) as pool:
        found = []
        for function, given in ((fs.crba, (model, bad)), (failure, ())):
            try:
                pool.apply_async(function, given).get(timeout=120)
            except Exception as error:
                found.append([type(error).__name__, str(error), getattr(error, "joint", None)])
    print(json.dumps(found))
"""
    (kind, text, _), (singular, message, joint) = run_with(method, code)
    assert (kind, text) == ("ValueError", "q: expected finite numbers, got nan at index 0 in state (4000,)")
    assert singular == "SingularMassMatrixError"
    assert repr(joint) in message
