"""From LLVM IR to machine code in memory, by llvmlite alone; the object code of earlier runs comes from the cache."""

from __future__ import annotations

import functools
import os
import threading
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import cache

if TYPE_CHECKING:
    from .kernel import Kernel

_lock = threading.RLock()  # one compilation at a time
_addresses: dict[str, int] = {}
_cells: dict[str, array[int]] = {}
WORK = "_work"  # behind the name of a kernel: the function that tells how much work memory it needs
_keep: list[Any] = []  # execution engines own the code


def _forget_lock() -> None:
    """In a forked process: the thread that held the lock is not there."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_lock)


def load(kernel: Kernel, width: int) -> int:
    """The address of a kernel's machine code: from this process, from the cache, or compiled now.

    `width` lanes for batches, 0 for one state.
    """
    symbol = f"{kernel.name}_{width}" if width else kernel.name
    found = _addresses.get(symbol)
    return found if found is not None else _load(symbol, lambda: _translate(kernel, symbol, width))


def gate() -> int:
    """The address of the fast way into kernels for one state."""
    found = _addresses.get("gate")
    return found if found is not None else _load("gate", _translate_gate)


def gate_is_at_hand() -> bool:
    """Whether the gate need not be compiled."""
    return "gate" in _addresses or cache.has("gate")


def cell(kernel: Kernel) -> array[int]:
    """Where the addresses of a kernel for one state are written when it is loaded: of itself, and of its work."""
    return _cells.setdefault(kernel.name, array("q", (0, 0)))


def _load(symbol: str, translate: Callable[[], str]) -> int:
    with _lock:
        found = _addresses.get(symbol)
        if found is None:
            code = cache.read(symbol)
            if code is None:
                code = cache.keep(symbol, _compile(translate(), symbol))
            engine = _link(code)
            found = engine.get_function_address(symbol)
            work = engine.get_function_address(f"{symbol}{WORK}")
            if work:
                _cells.setdefault(symbol, array("q", (0, 0)))[:] = array("q", (found, work))
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


@functools.cache
def _target_machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )


def _translate(kernel: Kernel, symbol: str, width: int) -> str:
    if width:
        from .lane_entry import compile_lanes

        return compile_lanes(kernel, symbol, width)
    from .entry import compile_single

    return compile_single(kernel, symbol)


def _translate_gate() -> str:
    from .gate import compile_gate

    return compile_gate("gate")


def _compile(code: str, symbol: str) -> bytes:
    """LLVM IR to object code. Only what is called from outside stays visible, so that the rest becomes part of it."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(code)
    module.verify()
    for function in module.functions:
        if not function.is_declaration and function.name not in (symbol, symbol + WORK):
            function.linkage = "internal"
    machine = _target_machine()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


def _link(code: bytes) -> Any:
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _keep.append(engine)
    return engine
