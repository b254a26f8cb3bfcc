"""Starting up: importing is light, what was compiled once runs without the compiler, several may start at once."""

import json

import numpy as np
import pytest

from ..functions import FUNCTIONS
from ..sensitivity import EPS, sensitivity
from .processes import finish, run_python, start_python
from .states import ROBOTS, results, states

HEAVY = {"numba", "llvmlite", "scipy", "matplotlib", "typer", "rich", "xml", "pinocchio", "mujoco", "casadi", "sympy"}
LOADED = "sorted({name.partition('.')[0] for name in sys.modules})"
ENERGY = """
import json, sys
import featherstone as fs
arm = fs.models.load("planar_2r")
print(json.dumps([fs.potential_energy(arm, [0.6, -0.9]), "numba" in sys.modules]))
"""


def check(found, scale=64.0):
    """That other results are those of this process, to a few units in the last place of what they depend on."""
    for key, expected in results().items():
        robot, name = key.split(": ")
        if key in found:
            model, arrays = states(robot)
            allowed = scale * EPS * sensitivity(FUNCTIONS[name], model, arrays)
            batch, single = (np.asarray(x) for x in found[key])
            assert (np.abs(batch - expected[0]) <= allowed).all(), key
            assert (np.abs(single - expected[1]) <= allowed[0]).all(), key


@pytest.fixture
def empty(tmp_path):
    """An empty cache of a process's own."""
    return {"FEATHERSTONE_CACHE_DIR": str(tmp_path / "cache")}


def test_importing_is_light_and_compiles_nothing(tmp_path, empty):
    code = f"import sys, json; before = {LOADED}; import featherstone; print(json.dumps([before, {LOADED}]))"
    before, after = run_python(code, **empty)
    assert not HEAVY & (set(after) - set(before))
    assert "numpy" in after
    assert not list(tmp_path.iterdir())


def test_what_was_compiled_runs_without_numba_and_gives_the_same_bits():
    """All kernels are in the cache when this process has used them; another one loads them."""
    expected = results()
    code = f"""
import sys, json
from tests.engine.states import results
found = results()
print(json.dumps([{LOADED}, found]))
"""
    loaded, found = run_python(code)
    assert found == expected
    assert "llvmlite" in loaded
    assert not (HEAVY - {"llvmlite"}) & set(loaded)


def test_plain_python_gives_the_same():
    """NUMBA_DISABLE_JIT: each source is Python that runs as it stands."""
    code = f"""
import sys, json
from tests.engine.states import results
found = results()
print(json.dumps([{LOADED}, found]))
"""
    loaded, found = run_python(code, NUMBA_DISABLE_JIT="1")
    assert len(found) == len(ROBOTS) * len(FUNCTIONS)
    assert not HEAVY & set(loaded)
    check(found)


@pytest.mark.parametrize("width", [2, 4, 8])
def test_the_number_of_lanes_does_not_matter(width):
    code = "import json; from tests.engine.states import results; print(json.dumps(results(functions=['rnea'])))"
    check(run_python(code, FEATHERSTONE_LANES=str(width)))


def test_a_wrong_number_of_lanes_is_an_error():
    code = """
import json
import featherstone as fs
try:
    fs.potential_energy(fs.models.load("pendulum"), [[0.0]])
except ValueError as error:
    print(json.dumps(str(error)))
"""
    assert run_python(code, FEATHERSTONE_LANES="3") == "FEATHERSTONE_LANES: expected 2, 4 or 8, got '3'"


def test_two_processes_may_start_at_once_and_a_spoilt_cache_is_mended(tmp_path, empty):
    """Both find an empty cache and compile; others then only load, until the digest is wrong."""
    first = [finish(process) for process in [start_python(ENERGY, **empty) for _ in range(2)]]
    energy = first[0][0]
    assert first[0][0] == first[1][0]
    assert run_python(ENERGY, **empty) == [energy, False]
    (file,) = (path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert file.suffix == ".o"
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert run_python(ENERGY, **empty) == [energy, True]
    assert run_python(ENERGY, **empty) == [energy, False]


def test_without_a_cache_everything_works(tmp_path):
    (tmp_path / "file").write_text("in the way")
    energy, compiled = run_python(ENERGY, FEATHERSTONE_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert compiled
    assert energy == run_python(ENERGY)[0]


def test_results_can_be_told_as_text():
    """The way they go between processes here keeps every bit."""
    found = results(["floating"], ["rnea"])
    assert json.loads(json.dumps(found)) == found
