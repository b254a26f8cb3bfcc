"""Large batches on several threads: the same bits, the same errors, from any thread and after a fork."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import featherstone as fs

from ..functions import FUNCTIONS, LARGE, arrays_for
from ..random_trees import random_tree
from .processes import run_python

COUNT = 4001  # enough to be worth a second thread, and no multiple of a number of lanes


@pytest.fixture(scope="module")
def model():
    return random_tree(5, 6)


@pytest.fixture(scope="module")
def arrays(model):
    return arrays_for(model, 1, (COUNT,))


@pytest.fixture
def threads():
    """`set_num_threads`, put back afterwards."""
    yield fs.set_num_threads
    fs.set_num_threads(None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_number_of_threads_does_not_matter(model, arrays, threads, name):
    threads(1)
    arrays = {key: x[: LARGE.get(name)] for key, x in arrays.items()}
    expected = np.asarray(FUNCTIONS[name](model, arrays))
    for count in (2, 3, 4):
        threads(count)
        np.testing.assert_array_equal(FUNCTIONS[name](model, arrays), expected)
    np.testing.assert_array_equal(FUNCTIONS[name](model, {k: x[-3:] for k, x in arrays.items()}), expected[-3:])


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("places", [(17, 4000), (2500, 3999), (1203, 1204, 3600), (0, 1)])
def test_of_several_bad_states_the_first_is_named(model, arrays, threads, count, places):
    threads(count)
    qd = arrays["qd"].copy()
    qd[list(places), 1] = np.nan
    for _ in range(5):
        with pytest.raises(ValueError, match=rf"^qd: .* got nan at index 1 in state \({places[0]},\)$"):
            FUNCTIONS["aba"](model, arrays | {"qd": qd})


def test_out_is_written_by_all_threads(model, arrays, threads):
    threads(4)
    expected = FUNCTIONS["crba"](model, arrays)
    out = np.full_like(expected, np.nan)
    FUNCTIONS["crba"](model, arrays, out=out)
    np.testing.assert_array_equal(out, expected)


def test_batches_from_several_threads_at_once(model, arrays, threads):
    threads(3)
    expected = FUNCTIONS["rnea"](model, arrays)
    with ThreadPoolExecutor(4) as users:
        for found in users.map(lambda _: FUNCTIONS["rnea"](model, arrays), range(12)):
            np.testing.assert_array_equal(found, expected)


def test_what_is_unchecked_is_so_in_all_threads(model, arrays, threads):
    threads(4)
    bad = arrays["qd"].copy()
    bad[3999] = np.nan
    with fs.unchecked():
        found = FUNCTIONS["rnea"](model, arrays | {"qd": bad})
    assert np.isnan(found[3999]).any()
    assert np.isfinite(found[:3992]).all()


@pytest.mark.parametrize("bad", [0, -1, 1.5, "two", [2]])
def test_numbers_of_threads_that_make_no_sense(threads, bad):
    with pytest.raises((TypeError, ValueError), match=r"^count: expected "):
        threads(bad)


def test_numbers_of_threads(threads):
    threads(3)
    assert fs.get_num_threads() == 3
    threads(np.int64(2))
    assert fs.get_num_threads() == 2
    threads(None)
    assert 1 <= fs.get_num_threads() <= os.cpu_count()


def test_a_forked_process_computes():
    """Threads do not survive a fork, and a pool that waits for them would wait for ever."""
    code = """
import json, os, warnings
import numpy as np
import featherstone as fs
fs.set_num_threads(3)
arm = fs.models.load("planar_2r")
q = np.linspace(0.0, 1.0, 200000).reshape(-1, 2)
expected = fs.potential_energy(arm, q)
def same():
    return bool(np.array_equal(fs.potential_energy(arm, q), expected))
warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads
child = os.fork()
if child == 0:
    os._exit(0 if same() else 1)
print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), same()]))
"""
    assert run_python(code) == [0, True]


def test_batches_run_while_the_interpreter_ends():
    """No new threads can be had then."""
    code = """
import atexit, json
import numpy as np
import featherstone as fs
fs.set_num_threads(2)
arm = fs.models.load("planar_2r")
q = np.linspace(0.0, 1.0, 200000).reshape(-1, 2)
expected = fs.potential_energy(arm, q)
atexit.register(lambda: print(json.dumps(bool(np.array_equal(fs.potential_energy(arm, q), expected)))))
"""
    assert run_python(code) is True


def test_an_interrupt_ends_a_long_batch():
    """Ctrl-C is seen between chunks, and the next batch runs."""
    code = f"""
import json, os, threading
import numpy as np
import featherstone as fs
fs.set_num_threads(2)
arm = fs.models.load("humanoid")
q = np.broadcast_to(arm.neutral(), (400000, arm.nq))
fs.gravity_torque(arm, q[:10])
timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), {int(signal.SIGINT)}))
timer.start()
try:
    for _ in range(1000):
        fs.gravity_torque(arm, q)
    ended = False
except KeyboardInterrupt:
    ended = True
print(json.dumps([ended, bool(np.isfinite(fs.gravity_torque(arm, q[:1000])).all())]))
"""
    assert run_python(code) == [True, True]
