"""The examples in all docstrings run, and say what they say."""

import doctest
import importlib
import pkgutil

import pytest

import featherstone as fs

MODULES = sorted(x.name for x in pkgutil.walk_packages(fs.__path__, "featherstone.") if not x.name.endswith("__main__"))


def examples(name):
    """The examples of a module, with those of public functions, which are objects that only look like functions."""
    module = importlib.import_module(name)
    finder, found = doctest.DocTestFinder(exclude_empty=True), {}
    for test in finder.find(module, name, globs={}):
        found[test.name] = test
    for key, value in vars(module).items():
        wrapped = getattr(value, "__wrapped__", None)
        if getattr(wrapped, "__module__", None) == name:
            for test in finder.find(wrapped, f"{name}.{key}", module=module, globs={}):
                found[test.name] = test
    return [test for test in found.values() if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for test in examples(name):
        said = []
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append).failed == 0, (
            "".join(said)
        )


def test_there_are_many():
    assert sum(len(examples(name)) for name in MODULES) > 80
