"""`warmup` and `cache`: compiled code made beforehand, shown, and removed without harm to anything else."""

from __future__ import annotations

import json

import pytest

from featherstone.algorithms import kernels
from featherstone.algorithms.energy import POTENTIAL
from featherstone.engine import cache, shipped
from featherstone.simulation.kernels import all_kernels


@pytest.fixture
def own(tmp_path, monkeypatch):
    """An empty cache for this test, and one kernel to compile."""
    monkeypatch.setenv("FEATHERSTONE_CACHE_DIR", str(tmp_path / "cache"))
    all_kernels()  # imports what registers kernels, before the list is another one
    monkeypatch.setattr(kernels, "KERNELS", [POTENTIAL])
    cache.directory.cache_clear()
    yield tmp_path / "cache"
    cache.directory.cache_clear()


def test_warmup_compiles_what_is_not_there(run, own):
    first = json.loads(run("warmup", "--json").stdout)
    assert (first["kernels"], first["compiled"]) == (3, 3)  # for one state, over lanes, and the gate
    assert len(list(own.rglob("*.o"))) == 3
    second = json.loads(run("warmup", "--json").stdout)
    assert (second["kernels"], second["compiled"]) == (3, 0)
    assert second["path"] == first["path"] == str(cache.directory())
    text = run("warmup").stdout
    assert "3 kernels are ready, 0 of them compiled now" in text
    assert str(own) in text


def test_cache_shows_and_clears(run, own):
    old = own / ("0" * 20)
    old.mkdir(parents=True, mode=0o700)
    own.chmod(0o700)
    (old / "rnea.o").write_bytes(b"x" * 2_000_000)
    (own / "notes.txt").write_text("mine")
    (old / "notes.txt").write_text("mine too")
    run("warmup", "--json")
    shown = json.loads(run("cache", "--json").stdout)
    assert shown["usable"]
    assert shown["path"] == str(own)
    assert [(x["current"], x["files"]) for x in shown["versions"]] == [(True, 3), (False, 1)]
    text = run("cache").stdout
    assert "another" in text
    assert "2.0" in text
    assert "removed 2." in run("cache", "--clear").stdout
    assert not list(own.rglob("*.o"))
    assert (own / "notes.txt").read_text() == "mine"
    assert (old / "notes.txt").read_text() == "mine too"
    assert json.loads(run("cache", "--clear", "--json").stdout)["removed"] == 0


def test_without_a_place_for_it(run, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FEATHERSTONE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    cache.directory.cache_clear()
    try:
        result = run("warmup")
        assert result.exit_code == 1
        assert "FEATHERSTONE_CACHE_DIR" in result.stderr
        assert "cannot be used" in run("cache").stdout
        assert json.loads(run("cache", "--json").stdout)["usable"] is False
    finally:
        cache.directory.cache_clear()


def test_what_a_release_carries_is_told(run, own, monkeypatch):
    assert "carries no LLVM IR" in run("cache").stdout
    monkeypatch.setattr(shipped, "symbols", lambda: ["gate", "rnea"])
    assert "carries LLVM IR: 2 files" in run("cache").stdout
