"""Functions with a gate: what they look like to readers and libraries, and where the gate stays closed."""

from __future__ import annotations

import ctypes
import inspect
import pickle
import sys
import threading
import typing
import warnings
import weakref

import numpy as np
import pytest

import featherstone as fs
from featherstone.engine import layout, loader
from featherstone.engine.function import Entry, entry_type, gated

from .gates import FUNCTIONS, MODELS, goes_through_python, open_gates
from .processes import run_python

every_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.fixture(scope="module", autouse=True)
def _open():
    open_gates()


class TestLooksLikeAFunction:
    @every_function
    def test_to_the_reader(self, name):
        function = FUNCTIONS[name]
        wrapped = function.__wrapped__
        assert function.__name__ == wrapped.__name__ == name
        assert function.__doc__ == wrapped.__doc__
        assert function.__module__ == wrapped.__module__
        assert inspect.signature(function) == inspect.signature(wrapped)
        assert inspect.isroutine(function)
        assert callable(function)
        assert inspect.getsource(function) == inspect.getsource(wrapped)
        assert typing.get_type_hints(wrapped)["model"] is fs.Model
        assert repr(function) == f"<function {name}>"

    @every_function
    def test_to_other_libraries(self, name):
        function = FUNCTIONS[name]
        assert pickle.loads(pickle.dumps(function)) is function
        assert weakref.ref(function)() is function
        assert hash(function) == hash(function)

    def test_in_a_class(self):
        class Arm:
            torque = fs.gravity_torque

        arm = Arm()
        with pytest.raises(TypeError, match="model: expected a Model, got Arm"):
            arm.torque(np.zeros(1))
        assert Arm.torque is fs.gravity_torque

    @every_function
    def test_in_its_attributes(self, name):
        function = FUNCTIONS[name]
        assert inspect.getfullargspec(function) == inspect.getfullargspec(function.__wrapped__)
        for attribute in ("__code__", "__defaults__", "__kwdefaults__", "__globals__"):
            assert getattr(function, attribute) is getattr(function.__wrapped__, attribute)
        assert not hasattr(function, "unknown")
        assert "None" in repr(type(function)())


def test_objects_of_another_size_go_through_the_same_gate():
    """Interpreters lay out the objects of a class differently; one gate serves all, so caches can be shared."""

    class Larger(Entry):
        __slots__ = ("one", "other", "third")

    entry = entry_type(Larger)()
    entry.__wrapped__, entry.way = fs.gravity_torque.__wrapped__, fs.gravity_torque.way
    model, q = MODELS["one joint"], np.array([0.3])
    for _ in range(3):
        np.testing.assert_array_equal(entry(model, q), fs.gravity_torque(model, q))
    assert type(entry).__basicsize__ > type(fs.gravity_torque).__basicsize__
    assert not goes_through_python(entry, (model, q), {})


@pytest.mark.parametrize("module", ["function", "loader", "lowering", "layout", "words", "cache", "kernel"])
def test_modules_may_be_loaded_again(module):
    """As interactive shells do it; what machine code refers to stays."""
    code = f"""
import gc, importlib, json, sys
import numpy as np
import featherstone as fs
arm = fs.models.load("six_axis")
q = np.linspace(0.1, 0.6, 6)
for _ in range(3):
    before = fs.rnea(arm, q, q, q)
importlib.reload(sys.modules["featherstone.engine.{module}"])
junk = [bytes(range(200)) * (k + 1) for k in range(500)]
gc.collect()
print(json.dumps([before.tolist(), [fs.rnea(arm, q, q, q).tolist() for _ in range(100)][-1]]))
"""
    before, after = run_python(code)
    assert before == after


def test_small_stacks():
    """Threads with the smallest stack on which the ordinary way works too."""
    code = """
import json, threading
import numpy as np
import featherstone as fs
from tests.random_trees import random_tree
found = []
trees = [random_tree(n, n, ("revolute",), massless=False) for n in (20, 30, 40, 56)]
for tree in trees:
    fs.mass_matrix_inverse(tree, np.zeros(tree.nq))
def work():
    for tree in trees:
        fs.mass_matrix_inverse(tree, np.zeros(tree.nq))
    found.append("all")
threading.stack_size(64 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(json.dumps(found))
"""
    assert run_python(code) == ["all"]


def test_names_of_frames_are_trusted_only_where_they_are_ours():
    model = fs.models.load("six_axis")
    q = np.zeros(6)
    name = model.frame_names[-1]
    with pytest.raises(ValueError, match="read-only"):
        model._frame_words[name][0] = 10**9
    with pytest.raises(ValueError, match="read-only"):
        model.frame(name).pose[0, 0] = 2.0
    model._frame_words["evil"] = 3
    with pytest.raises(fs.UnknownNameError):
        fs.frame_pose(model, q, "evil")


def test_a_gate_that_cannot_be_opened_is_told_once(monkeypatch):
    def broken():
        raise RuntimeError("no such symbol")

    monkeypatch.setattr(loader, "gate", broken)
    entry = gated(fs.gravity_torque.way)(fs.gravity_torque.__wrapped__)
    model, q = MODELS["one joint"], np.array([0.3])
    expected = fs.gravity_torque(model, q)
    with pytest.warns(RuntimeWarning, match="the ordinary way.*no such symbol"):
        np.testing.assert_array_equal(entry(model, q), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(entry(model, q), expected)


class TestFallback:
    CODE = """
import json
import featherstone as fs
from tests.engine.states import results
print(json.dumps([type(fs.rnea).__name__, results()]))
"""

    def test_when_it_is_switched_off(self):
        """Functions are then plain ones, and give the same bits."""
        kind, found = run_python(self.CODE, FEATHERSTONE_GATE="0")
        other, expected = run_python(self.CODE)
        assert (kind, other) == ("function", "Function")
        assert found == expected

    @pytest.mark.parametrize("field", ["TYPE", "DATA", "NDIM", "DIMENSIONS", "STRIDES", "DTYPE", "FLAGS"])
    def test_where_memory_is_laid_out_otherwise(self, monkeypatch, field):
        assert layout.is_known()
        layout.is_known.cache_clear()
        monkeypatch.setattr(layout, field, {"TYPE": 2, "FLAGS": 3}.get(field, 6))
        assert not layout.is_known()
        monkeypatch.undo()
        layout.is_known.cache_clear()
        assert layout.is_known()

    @pytest.mark.parametrize("reason", ["no lock", "another interpreter", "32 bits", "other bytes", "debug build"])
    def test_on_other_interpreters(self, monkeypatch, reason):
        changes = {
            "no lock": (sys, "abiflags", "t"),
            "another interpreter": (sys.implementation, "name", "pypy"),
            "32 bits": (ctypes, "sizeof", lambda kind: 4),
            "other bytes": (sys, "byteorder", "big"),
            "debug build": (sys, "gettotalrefcount", lambda: 0),
        }
        owner, name, value = changes[reason]
        monkeypatch.setattr(owner, name, value, raising=False)
        layout.is_known.cache_clear()
        try:
            assert not layout.is_known()
            assert not isinstance(fs.algorithms.ways.way(result=(), inputs=())(abs), Entry)
        finally:
            monkeypatch.undo()
            layout.is_known.cache_clear()


def test_unchecked_is_seen():
    """Also when it is entered after the gate was opened, and only in its own context."""
    model, bad = MODELS["one joint"], np.array([np.nan])
    with fs.unchecked():
        assert np.isnan(fs.gravity_torque(model, bad)).all()
        assert not goes_through_python(fs.gravity_torque, (model, bad), {})
        seen = []

        def elsewhere():
            try:
                fs.gravity_torque(model, bad)
            except ValueError:
                seen.append("checked")

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert seen == ["checked"]
    with pytest.raises(ValueError, match="finite"):
        fs.gravity_torque(model, bad)
