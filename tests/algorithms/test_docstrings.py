"""The examples in the documentation of public functions give what they say."""

import doctest
import inspect

import pytest

import featherstone as fs

ROOMS = ("featherstone.algorithms", "featherstone.identification", "featherstone.simulation")
FUNCTIONS = sorted(
    name for name in fs.__all__ if getattr(inspect.unwrap(getattr(fs, name)), "__module__", "").startswith(ROOMS)
)


def test_there_are_many():
    assert {"rnea", "kinetic_energy", "frame_jacobian", "identify", "center_of_mass"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples(name):
    tests = doctest.DocTestFinder(recurse=False).find(inspect.unwrap(getattr(fs, name)), name, globs={})
    assert isinstance(getattr(fs, name), type) or any(test.examples for test in tests)
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", ["casadi", "names", "sympy"])
def test_examples_of_symbols(name):
    (test,) = doctest.DocTestFinder(recurse=False).find(getattr(fs.symbolic, name), name, globs={})
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0
