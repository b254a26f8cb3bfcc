"""What a release carries: LLVM IR that the sources give, used without Numba, and passed over where it does not fit."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from featherstone.algorithms.energy import POTENTIAL
from featherstone.engine import loader, shipped

from .processes import ROOT, run_python

CARRY = ROOT / ".ci" / "carry_ir.py"
CODE = """
import json, sys
from pathlib import Path
import featherstone as fs
from featherstone.engine import shipped
shipped.DIRECTORY = Path({directory!r})
arm = fs.models.load("planar_2r")
print(json.dumps([fs.potential_energy(arm, [0.6, -0.9]).hex(), "numba" in sys.modules, shipped.symbols()]))
"""


@pytest.fixture(scope="module")
def carried(tmp_path_factory):
    """A directory with the IR of one kernel and of the gate."""
    directory = tmp_path_factory.mktemp("release") / "ir"
    directory.mkdir()
    for kernel in (POTENTIAL, None):
        code = gzip.compress(loader.portable(kernel, 0).encode())
        (directory / f"{loader.symbol_of(kernel, 0)}{shipped.SUFFIX}").write_bytes(code)
    (directory / shipped.MANIFEST).write_text(json.dumps(shipped.manifest_now()))
    return directory


def first_call(directory, tmp_path):
    """The energy, whether Numba was imported, and what is carried, in a process with an empty cache."""
    return run_python(CODE.format(directory=str(directory)), FEATHERSTONE_CACHE_DIR=str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The energy as the sources give it."""
    energy, translated, symbols = first_call("nowhere", tmp_path_factory.mktemp("live"))
    assert translated
    assert symbols == []
    return energy


def copy_of(carried, tmp_path):
    directory = tmp_path / "ir"
    directory.mkdir()
    for path in carried.iterdir():
        (directory / path.name).write_bytes(path.read_bytes())
    return directory


def test_a_first_call_needs_no_numba_and_gives_the_same_bits(carried, expected, tmp_path):
    assert first_call(carried, tmp_path) == [expected, False, ["gate", "potential_energy"]]


def test_ir_of_other_sources_is_not_used(carried, expected, tmp_path):
    directory = copy_of(carried, tmp_path)
    (directory / shipped.MANIFEST).write_text(json.dumps(shipped.manifest_now() | {"sources": "0" * 64}))
    assert first_call(directory, tmp_path) == [expected, True, []]


def test_ir_of_a_later_llvm_is_not_used(carried, expected, tmp_path):
    directory = copy_of(carried, tmp_path)
    (directory / shipped.MANIFEST).write_text(json.dumps(shipped.manifest_now() | {"llvm": 1000}))
    assert first_call(directory, tmp_path) == [expected, True, []]


@pytest.mark.parametrize("spoil", ["cut", "not compressed", "another language", "missing", "manifest", "list"])
def test_ir_that_cannot_be_read_is_passed_over(carried, expected, tmp_path, spoil):
    directory = copy_of(carried, tmp_path)
    path = directory / f"potential_energy{shipped.SUFFIX}"
    if spoil == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    elif spoil == "not compressed":
        path.write_bytes(b"define")
    elif spoil == "another language":
        path.write_bytes(gzip.compress(b"define double @f( of a later LLVM"))
    elif spoil == "missing":
        path.unlink()
    else:
        (directory / shipped.MANIFEST).write_text({"manifest": "{", "list": "[]"}[spoil])
    energy, translated, _ = first_call(directory, tmp_path)
    assert (energy, translated) == (expected, True)


def test_the_same_sources_give_the_same_text():
    """Whatever was translated before, and whatever the order of sets."""
    code = """
import hashlib, json
from featherstone.engine import loader
from featherstone.simulation.kernels import all_kernels
found = {}
for kernel in [kernel for kernel in all_kernels() if kernel.name in ("potential_energy", "integrate")]{order}:
    for width in (0, 2){order}:
        text = loader.portable(kernel, width)
        found[loader.symbol_of(kernel, width)] = hashlib.sha256(text.encode()).hexdigest()
print(json.dumps(found))
"""
    one = run_python(code.replace("{order}", ""), PYTHONHASHSEED="1")
    other = run_python(code.replace("{order}", "[::-1]"), PYTHONHASHSEED="2")
    assert one == other
    assert len(set(one.values())) == 4


def test_the_text_names_no_platform():
    text = loader.portable(POTENTIAL, 2)
    assert not [line for line in text.splitlines() if line.startswith("target ")]
    assert "x86" not in text
    assert '"target-' not in text
    assert "featherstone" not in text
    assert hashlib.sha256(text.encode()).hexdigest()


def test_the_release_script_writes_what_is_read(tmp_path):
    """For some kernels by name."""
    done = subprocess.run(
        [sys.executable, str(CARRY), str(tmp_path / "ir"), "potential_energy"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "MB" in done.stdout
    names = {path.name for path in Path(tmp_path / "ir").iterdir()}
    suffix = shipped.SUFFIX
    assert names == {f"potential_energy{x}{suffix}" for x in ("", "_2", "_4", "_8")} | {
        f"gate{suffix}",
        shipped.MANIFEST,
    }
