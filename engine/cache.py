"""Object code of kernels, kept between processes in a directory of the user's own.

`FEATHERSTONE_CACHE_DIR` names it; the default is the user's cache directory. A subdirectory holds what one version of
the sources, Numba and the processor gave. Files appear whole or not at all, and carry a digest; where nothing can be
written, code is compiled anew in each process.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import stat
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

try:
    from _blake2 import blake2b  # hashlib loads OpenSSL besides, which takes longer than all that is digested here
except ImportError:
    from hashlib import blake2b

ROOMS = ("spatial", "model", "algorithms", "engine", "simulation")  # where kernels and what they call live


def base_directory() -> Path:
    """Where all versions' object code is kept.

    Raises
    ------
    RuntimeError
        The user has no home.
    """
    chosen = os.environ.get("FEATHERSTONE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "featherstone"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "featherstone"


@functools.cache
def directory() -> Path | None:
    """Where this version's object code is kept; None if there is no safe place for it."""
    try:
        base = base_directory()
        place = base / _key()
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    for path in (base, place):
        if not _is_private(path):
            warnings.warn(
                f"{path} belongs to or can be written by others, so compiled code is not kept there and each process"
                f" compiles anew; chmod 700 it, or set FEATHERSTONE_CACHE_DIR to a directory of your own",
                RuntimeWarning,
                stacklevel=2,
            )
            return None
    return place


def has(name: str) -> bool:
    """Whether there is object code of a kernel."""
    place = directory()
    return place is not None and (place / f"{name}.o").exists()


def read(name: str) -> bytes | None:
    """The kernel's object code, or None."""
    place = directory()
    if place is None:
        return None
    try:
        with open(place / f"{name}.o", "rb") as file:
            if sys.platform != "win32" and os.fstat(file.fileno()).st_uid != os.getuid():
                return None  # from the time when others could write here
            content = file.read()
    except OSError:
        return None
    digest, code = content[:32], content[32:]
    return code if _digest(code) == digest else None


def keep(name: str, code: bytes) -> bytes:
    """Keep the kernel's object code, if that is possible; if another process was first, return its code instead.

    So all processes run the same bits: two compilations of one source may round differently.
    """
    place = directory()
    if place is None:
        return code
    import tempfile

    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=place)
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(code) + code)
        try:
            os.link(temporary, place / f"{name}.o")
        except OSError:
            there = read(name)
            if there is not None:
                return there
            os.replace(temporary, place / f"{name}.o")
    except OSError:
        pass
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    return code


def _digest(code: bytes) -> bytes:
    return blake2b(code, digest_size=32).digest()


def _is_private(path: Path) -> bool:
    """Whether only this user can write there: object code from others must never run."""
    if sys.platform == "win32":
        return True
    status = path.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def sources_digest() -> str:
    """A digest of all sources that kernels are made of."""
    digest = blake2b(digest_size=32)
    inside = os.path.dirname(os.path.dirname(__file__))
    for room in ROOMS:
        for name in sorted(os.listdir(os.path.join(inside, room))):
            if name.endswith(".py"):
                digest.update(f"{room}/{name}".encode())
                with open(os.path.join(inside, room, name), "rb", 0) as file:
                    digest.update(file.read())
    return digest.hexdigest()


def version(package: str) -> bytes:
    """What tells a package's version, without importing it."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        return b"absent"
    try:
        return Path(found.submodule_search_locations[0], "_version.py").read_bytes()
    except OSError:
        from importlib.metadata import version

        return version(package).encode()


@functools.cache
def _key() -> str:
    """What the object code depends on: sources, compiler, processor."""
    import llvmlite.binding as llvm

    digest = blake2b(sources_digest().encode(), digest_size=32)
    for package in ("numba", "llvmlite"):
        digest.update(version(package))
    digest.update(f"{sys.platform} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode())
    return digest.hexdigest()[:20]


class Kept(NamedTuple):
    """The object code of one version: where, how many files and bytes, and whether it is the version that runs."""

    path: Path
    files: int
    size: int
    current: bool


def contents() -> list[Kept]:
    """What is kept, version by version, the one that runs first."""
    found = []
    for path in _versions():
        sizes = [file.stat().st_size for file in _files(path)]
        found.append(Kept(path, len(sizes), sum(sizes), path.name == _key()))
    return sorted(found, key=lambda kept: (not kept.current, kept.path))


def clear() -> None:
    """Remove the object code of all versions, and nothing else."""
    for path in _versions():
        for file in _files(path):
            file.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # something else is there, or another process was faster
            path.rmdir()


def _versions() -> list[Path]:
    try:
        return [path for path in base_directory().iterdir() if re.fullmatch("[0-9a-f]{20}", path.name)]
    except (OSError, RuntimeError):
        return []


def _files(version: Path) -> list[Path]:
    return [path for path in version.iterdir() if path.suffix == ".o" or path.name.startswith("tmp")]
