"""The LLVM IR of all kernels that a release carries, so that a first call need not translate: valid for its sources.

`.ci/carry_ir.py` writes it when a release is made.
"""

from __future__ import annotations

import functools
from pathlib import Path

from .cache import sources_digest

DIRECTORY = Path(__file__).parent / "ir"
MANIFEST, SUFFIX = "manifest.json", ".ll.gz"


def manifest_now() -> dict[str, object]:
    """What IR that is made here and now is made of: the sources, and the language's version."""
    import llvmlite.binding as llvm

    return {"sources": sources_digest(), "llvm": llvm.llvm_version_info[0]}


@functools.cache
def _is_valid() -> bool:
    """Whether there is IR, made from the sources that are here, in a language that this LLVM reads."""
    import json

    try:
        manifest = json.loads((DIRECTORY / MANIFEST).read_text())
    except (OSError, ValueError):
        return False
    now = manifest_now()
    try:
        return manifest["sources"] == now["sources"] and int(manifest["llvm"]) <= int(str(now["llvm"]))
    except (TypeError, KeyError, ValueError):
        return False


def symbols() -> list[str]:
    """What is carried and can be used."""
    return sorted(path.name.removesuffix(SUFFIX) for path in DIRECTORY.glob(f"*{SUFFIX}")) if _is_valid() else []


def read(symbol: str) -> str | None:
    """The IR of a kernel, or None."""
    if not _is_valid():
        return None
    import gzip

    try:
        return gzip.decompress((DIRECTORY / f"{symbol}{SUFFIX}").read_bytes()).decode()
    except (OSError, EOFError, ValueError):
        return None
