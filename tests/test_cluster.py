"""A Dask cluster of two worker processes gives the bits that one process gives, also when workers die."""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from distributed import wait

import featherstone as fs
from featherstone.engine import cache

EXAMPLE = Path(__file__).parents[1] / "examples" / "cluster.py"
PATIENCE = 60  # s, for a machine that has much else to do
STATES, ROLLOUTS = [500] * 9 + [77], [20] * 4 + [7]  # in each part


@pytest.fixture(scope="module")
def example():
    """The example as a module that no process can import: workers get its functions themselves."""
    spec = importlib.util.spec_from_file_location("cluster_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def jobs(example):
    """Functions, robots, sizes of the parts, and what this process computes; all kernels are cached then."""
    found = []
    for function, name, counts in (
        (example.largest_gravity_torque, "seven_axis", STATES),
        (example.highest_points, "planar_2r", ROLLOUTS),
    ):
        model = fs.models.load(name)
        found.append((function, model, counts, example.compute(None, function, model, counts)))
    return found


@pytest.fixture(scope="module")
def client(example, jobs):
    with example.connected() as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        yield client


@pytest.fixture
def two(client):
    """A client whose two workers are there, also after other tests killed some."""
    client.wait_for_workers(2, timeout=PATIENCE)
    return client


def gathered(client, futures):
    """The results; an error where they do not come."""
    wait(futures, timeout=PATIENCE)
    return client.gather(futures)


def assert_same(found, expected):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        np.testing.assert_array_equal(ours, theirs)


def until(condition):
    """Wait for it, but not for ever."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def run_example(directory, *arguments):
    """What the example prints, in a session of its own so that all of it can be ended."""
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLE), "--states", "2000", "--rollouts", "50", "--parts", "7", *arguments],
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    assert errors == ""
    assert process.returncode == 0
    return output


@pytest.mark.parametrize("which", [0, 1], ids=["states", "rollouts"])
def test_two_workers_give_the_bits_of_one_process(example, jobs, two, which):
    function, model, counts, expected = jobs[which]
    found = gathered(two, example.submit(two, function, model, counts))
    assert_same(found, expected)
    assert np.ptp(np.concatenate(found)) > 0.1


def test_parts_are_different_and_do_not_depend_on_their_number(example, jobs):
    """A part's random numbers come from its own number, so that more parts can be added to a sweep."""
    for function, model, counts, expected in jobs:
        assert_same(example.compute(None, function, model, counts[:3]), expected[:3])
        assert not np.array_equal(expected[0], expected[1])


def test_both_workers_compute(example, jobs, two):
    def who(part, count, model):
        time.sleep(0.02)
        return os.getpid()

    pids = set(gathered(two, example.submit(two, who, jobs[0][1], [1] * 20)))
    assert len(pids) == 2
    assert os.getpid() not in pids


@pytest.mark.parametrize("victims", [1, 2])
def test_what_dies_with_workers_is_computed_again(example, jobs, two, tmp_path, victims):
    """Killed midway: with results that are lost, parts under way, and with both workers also the model."""
    function, model, counts, expected = jobs[0]

    begun, gate = tmp_path / "begun", tmp_path / "gate"
    begun.mkdir()

    def slow(part, count, model):
        descriptor, _ = tempfile.mkstemp(prefix=f"{part}-", dir=begun)
        os.close(descriptor)
        end = time.monotonic() + 20
        while part > 2 and not gate.exists() and time.monotonic() < end:
            time.sleep(0.02)
        return function(part, count, model)

    before = two.run(os.getpid)
    futures = example.submit(two, slow, model, counts)
    first = example.lose_a_worker(two, futures)
    lost = [before[first]]
    if victims == 2:
        (other,) = set(before) - {first}
        os.kill(before[other], signal.SIGKILL)
        lost.append(before[other])
    assert not all(future.done() for future in futures)
    gate.touch()
    assert_same(gathered(two, futures), expected)
    assert len(list(begun.iterdir())) > len(counts)
    for pid in lost:
        until(lambda pid=pid: is_gone(pid))
    two.wait_for_workers(2, timeout=PATIENCE)
    until(lambda: not set(lost) & set(two.run(os.getpid, on_error="ignore").values()))


def test_workers_run_on_one_thread_also_those_that_replace_others(two):
    assert set(two.run(fs.get_num_threads).values()) == {1}


def test_workers_load_what_is_in_the_cache(example, jobs, two):
    """They share the directory, and do not even import the compiler."""

    def loaded():
        return str(cache.directory()), "llvmlite" in sys.modules, "numba" in sys.modules

    for function, model, counts, _ in jobs:
        for worker in two.scheduler_info()["workers"]:
            two.submit(function, 0, counts[0], model, workers=[worker], pure=False).result(timeout=PATIENCE)
    assert set(two.run(loaded).values()) == {(str(cache.directory()), True, False)}


def test_a_model_is_pickled_once(example, jobs, two, monkeypatch):
    function, model, counts, expected = jobs[0]
    pickled = []
    reduce = fs.Model.__reduce__
    monkeypatch.setattr(fs.Model, "__reduce__", lambda self: pickled.append(self) or reduce(self))
    assert_same(gathered(two, example.submit(two, function, model, counts)), expected)
    assert pickled == [model]


def test_an_error_on_a_worker_is_the_error_here(two):
    bad = two.submit(fs.gravity_torque, fs.models.load("planar_2r"), [0.0, np.nan], pure=False)
    with pytest.raises(ValueError, match=r"^q: expected finite numbers, got nan at index 1$"):
        bad.result(timeout=PATIENCE)


def test_a_cluster_that_is_there_is_used_and_left(two, tmp_path):
    before = two.run(os.getpid)
    output = run_example(tmp_path, "--address", two.scheduler_info()["address"])
    assert output.endswith("the same bits as from one process: True\n")
    assert two.run(os.getpid) == before


def test_the_example_loses_a_worker_and_gives_the_same(tmp_path):
    output = run_example(tmp_path, "--lose-a-worker")
    assert output.startswith("seven_axis: 2000 random configurations in 7 parts\n")
    assert output.endswith("the same bits as from one process: True\n")


def test_workers_that_are_not_ours_are_not_killed(tmp_path):
    command = [sys.executable, str(EXAMPLE), "--lose-a-worker", "--address", "tcp://127.0.0.1:1"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert run.returncode == 2
    assert "--lose-a-worker is for local workers" in run.stderr


def test_a_local_cluster_leaves_no_process(example):
    with example.connected() as client:
        client.wait_for_workers(2, timeout=PATIENCE)
        pids = set(client.run(os.getpid).values())
    assert len(pids) == 2
    for pid in pids:
        until(lambda pid=pid: is_gone(pid))
