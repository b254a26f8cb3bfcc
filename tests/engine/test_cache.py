"""The cache of object code: never wrong code, never someone else's, and never a reason to fail."""

import hashlib
import os
import shutil
import stat
from pathlib import Path

import pytest

from featherstone.engine import cache

CODE = bytes(range(256)) * 16


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """A cache in a directory of its own, which does not exist yet."""
    base = tmp_path / "outer" / "cache"
    monkeypatch.setenv("FEATHERSTONE_CACHE_DIR", str(base))
    cache.directory.cache_clear()
    yield base
    cache.directory.cache_clear()


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def again():
    """The directory as a new process finds it."""
    cache.directory.cache_clear()
    return cache.directory()


def test_what_is_written_is_read(chosen):
    assert cache.read("rnea") is None
    cache.keep("rnea", CODE)
    assert cache.read("rnea") == CODE
    assert cache.read("aba") is None
    again()
    assert cache.read("rnea") == CODE


def test_a_directory_is_made_for_this_user_only(chosen):
    place = cache.directory()
    assert place is not None
    assert place.parent == chosen
    assert mode(chosen) == mode(place) == 0o700


def test_writing_leaves_one_file_with_a_digest(chosen):
    for _ in range(3):
        cache.keep("rnea", CODE)
    (file,) = cache.directory().iterdir()
    assert file.name == "rnea.o"
    assert file.read_bytes() == hashlib.blake2b(CODE, digest_size=32).digest() + CODE
    assert not mode(file) & (stat.S_IWGRP | stat.S_IWOTH)


@pytest.mark.parametrize("kept", [0, 1, 31, 32, 33, 1000, len(CODE) + 31])
def test_a_truncated_file_is_not_read(chosen, kept):
    """As a process leaves it that is killed while it writes, on a file system that allows that."""
    cache.keep("rnea", CODE)
    file = cache.directory() / "rnea.o"
    file.write_bytes(file.read_bytes()[:kept])
    assert cache.read("rnea") is None
    cache.keep("rnea", CODE)
    assert cache.read("rnea") == CODE


@pytest.mark.parametrize("place", [0, 31, 32, 100, len(CODE) + 31])
def test_a_changed_bit_is_not_read(chosen, place):
    cache.keep("rnea", CODE)
    file = cache.directory() / "rnea.o"
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    assert cache.read("rnea") is None


def test_a_file_that_grew_is_not_read(chosen):
    cache.keep("rnea", CODE)
    with (cache.directory() / "rnea.o").open("ab") as file:
        file.write(b"more")
    assert cache.read("rnea") is None


def test_what_is_not_a_file_is_not_read(chosen):
    (cache.directory() / "rnea.o").mkdir()
    assert cache.read("rnea") is None
    cache.keep("rnea", CODE)  # does not fail
    assert cache.read("rnea") is None
    assert [path.name for path in cache.directory().iterdir()] == ["rnea.o"]


@pytest.mark.parametrize("bits", [0o720, 0o702, 0o770, 0o777, 0o1777])
@pytest.mark.parametrize("which", ["base", "place"])
def test_a_directory_that_others_can_write_to_is_refused(chosen, bits, which):
    """Object code from others must never run."""
    cache.keep("rnea", CODE)
    place = cache.directory()
    (chosen if which == "base" else place).chmod(bits)
    with pytest.warns(RuntimeWarning, match="can be written by others.*chmod 700 it"):
        assert again() is None
    assert cache.read("rnea") is None
    cache.keep("aba", CODE)
    assert not (place / "aba.o").exists()


@pytest.mark.parametrize("bits", [0o700, 0o750, 0o755, 0o711])
def test_a_directory_that_others_can_read_is_taken(chosen, bits):
    cache.directory().chmod(bits)
    chosen.chmod(bits)
    assert again() is not None


@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077, 0o000])
def test_any_umask_gives_a_safe_directory(chosen, umask):
    """Where groups are private to users, 002 is the default: the cache must not lie open then, nor be refused."""
    before = os.umask(umask)
    try:
        assert cache.directory() is not None
        cache.keep("rnea", CODE)
    finally:
        os.umask(before)
    assert cache.read("rnea") == CODE
    for path in (chosen, cache.directory(), cache.directory() / "rnea.o"):
        assert not mode(path) & (stat.S_IWGRP | stat.S_IWOTH)


def test_a_directory_that_cannot_be_made_is_done_without(tmp_path, monkeypatch):
    """A read-only home, a full disk, a file in the way."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FEATHERSTONE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    try:
        assert again() is None
        cache.keep("rnea", CODE)
        assert cache.read("rnea") is None
    finally:
        cache.directory.cache_clear()


def test_a_directory_that_disappears_is_done_without(chosen):
    cache.keep("rnea", CODE)
    shutil.rmtree(chosen)
    assert cache.read("rnea") is None
    cache.keep("rnea", CODE)
    assert cache.read("rnea") is None


@pytest.mark.parametrize("error", [OSError("disk full"), PermissionError("no")])
def test_a_failing_write_leaves_nothing_behind(chosen, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(os, "link", fail)
    monkeypatch.setattr(os, "replace", fail)
    assert cache.keep("rnea", CODE) == CODE
    assert list(cache.directory().iterdir()) == []


def test_without_links_a_file_is_put_in_place(chosen, monkeypatch):
    def fail(*_):
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", fail)
    assert cache.keep("rnea", CODE) == CODE
    assert cache.read("rnea") == CODE


def test_the_first_of_two_compilations_is_kept(chosen):
    assert cache.keep("rnea", CODE) == CODE
    assert cache.keep("rnea", CODE + b"otherwise") == CODE
    assert cache.read("rnea") == CODE


def test_without_a_choice_it_is_in_the_users_cache_directory(tmp_path, monkeypatch):
    monkeypatch.delenv("FEATHERSTONE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    try:
        assert again().parent == tmp_path / "featherstone"
    finally:
        cache.directory.cache_clear()


class TestKey:
    """What object code depends on is in the name of its directory."""

    key = staticmethod(cache._key.__wrapped__)

    def test_is_the_same_each_time(self):
        assert self.key() == self.key() == cache._key()

    @pytest.fixture
    def copied(self, tmp_path, monkeypatch):
        """The package's sources, copied."""
        package = Path(cache.__file__).parents[1]
        for room in (*cache.ROOMS, "proof"):
            shutil.copytree(package / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(cache, "__file__", str(tmp_path / "engine" / "cache.py"))
        return tmp_path

    def test_is_that_of_the_sources_wherever_they_are(self, copied):
        assert self.key() == cache._key()

    @pytest.mark.parametrize("room", cache.ROOMS)
    def test_changes_with_each_source(self, copied, room):
        for path in sorted((copied / room).rglob("*.py")):
            before = self.key()
            path.write_bytes(path.read_bytes() + b"\n")
            assert self.key() != before

    def test_changes_when_a_source_is_renamed(self, copied):
        before = self.key()
        (copied / "spatial" / "lie.py").rename(copied / "spatial" / "groups.py")
        assert self.key() != before

    def test_does_not_change_with_what_no_kernel_is_made_of(self, copied):
        before = self.key()
        (copied / "proof" / "compare.py").write_text("")
        assert self.key() == before

    @pytest.mark.parametrize("distribution", ["numba", "llvmlite"])
    def test_changes_with_the_compiler(self, monkeypatch, distribution):
        before, version = self.key(), cache.version
        monkeypatch.setattr(cache, "version", lambda name: b"0.0" if name == distribution else version(name))
        assert self.key() != before

    def test_changes_with_the_processor(self, monkeypatch):
        import llvmlite.binding as llvm

        before = self.key()
        monkeypatch.setattr(llvm, "get_host_cpu_name", lambda: "another")
        assert self.key() != before


def test_files_of_others_are_not_loaded(monkeypatch, chosen):
    """Not even in a directory that is private now."""
    cache.keep("rnea", CODE)
    assert cache.read("rnea") == CODE
    own = os.getuid()
    monkeypatch.setattr(cache.os, "getuid", lambda: own + 1)
    assert cache.read("rnea") is None
