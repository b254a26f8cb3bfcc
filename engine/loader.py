"""Kernels as machine code in memory: from the cache, from the IR that a release carries, or translated by Numba now."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import threading
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import cache, layout, lowering, shipped

if TYPE_CHECKING:
    from .kernel import Kernel

_lock = threading.RLock()  # one compilation at a time
_addresses: dict[str, int] = {}
_cells: dict[str, array[int]] = {}
WORK = "_work"  # behind the name of a kernel: the function that tells how much work memory it needs


def _forget_lock() -> None:
    """In a forked process: the thread that held the lock is not there."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_lock)


def symbol_of(kernel: Kernel | None, width: int) -> str:
    """The name of a kernel's machine code: over lanes, or, with width 0, for one state; of the gate if it is None."""
    if kernel is None:
        return "gate"
    return f"{kernel.name}_{width}" if width else kernel.name


def load(kernel: Kernel, width: int) -> int:
    """The address of a kernel's machine code: from this process, from the cache, or compiled now.

    `width` lanes for batches, 0 for one state.
    """
    found = _addresses.get(symbol_of(kernel, width))
    return found if found is not None else _load(kernel, width)


def gate() -> int:
    """The address of the fast way into kernels."""
    found = _addresses.get("gate")
    return found if found is not None else _load(None, 0)


def gate_is_at_hand() -> bool:
    """Whether the gate need not be compiled by Numba."""
    return "gate" in _addresses or cache.has("gate") or shipped.read("gate") is not None


def cell(kernel: Kernel, width: int) -> array[int]:
    """Where a kernel's addresses are written when it is loaded: its own, and that of its work."""
    return _cell(symbol_of(kernel, width))


def _cell(symbol: str) -> array[int]:
    if symbol not in _cells:
        _cells.setdefault(symbol, layout.immortal(array("q", (0, 0))))  # of two threads the first one's
    return _cells[symbol]


def is_loaded(kernel: Kernel) -> bool:
    """Whether a kernel is in this process, for one state or over lanes."""
    return any(symbol_of(kernel, width) in _addresses for width in (0, 2, 4, 8))


def prepare(kernel: Kernel | None, width: int) -> bytes:
    """Object code of a kernel, or of the gate: from the cache, from IR that the package carries, or compiled now."""
    symbol = symbol_of(kernel, width)
    code = cache.read(symbol)
    if code is not None:
        return code
    carried = shipped.read(symbol)
    if carried is not None:
        with contextlib.suppress(RuntimeError):  # written by a newer LLVM than this one
            return cache.keep(symbol, lowering.lower(carried))
    with _no_search_for_garbage():
        return cache.keep(symbol, lowering.lower(portable(kernel, width)))


@contextlib.contextmanager
def _no_search_for_garbage() -> Iterator[None]:
    """Translating makes many objects and little garbage; looking for it would take a sixth of the time."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


def _load(kernel: Kernel | None, width: int) -> int:
    symbol = symbol_of(kernel, width)
    with _lock:
        found = _addresses.get(symbol)
        if found is None:
            address_of = lowering.link(prepare(kernel, width))
            found, work = address_of(symbol), address_of(symbol + WORK)
            if work:
                _cell(symbol)[:] = array("q", (found, work))
            _addresses[symbol] = found
    return found


@functools.cache
def lane_width() -> int:
    """How many lanes a batch runs over: as many float64 as the processor's vectors hold, or FEATHERSTONE_LANES."""
    chosen = os.environ.get("FEATHERSTONE_LANES")
    if chosen:
        if chosen not in ("2", "4", "8"):
            raise ValueError(f"FEATHERSTONE_LANES: expected 2, 4 or 8, got {chosen!r}")
        return int(chosen)
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4 if features.get("avx2") else 2


def portable(kernel: Kernel | None, width: int) -> str:
    """The LLVM IR of a kernel, or of the gate, for any 64-bit processor. This is where Numba works."""
    symbol = symbol_of(kernel, width)
    if kernel is None:
        from .gate import compile_gate

        return lowering.simplify(compile_gate(symbol), {symbol})
    if width:
        from .lane_entry import compile_lanes

        return lowering.simplify(compile_lanes(kernel, symbol, width), {symbol, symbol + WORK})
    from .entry import compile_single

    return lowering.simplify(compile_single(kernel, symbol), {symbol, symbol + WORK})
