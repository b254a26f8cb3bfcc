"""From LLVM IR to machine code in memory, by llvmlite alone; the object code of earlier runs comes from the cache."""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, Any

from . import cache

if TYPE_CHECKING:
    from .kernel import Kernel

_lock = threading.RLock()  # one compilation at a time
_addresses: dict[str, int] = {}
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
    if found is None:
        with _lock:
            found = _addresses.get(symbol)
            if found is None:
                code = cache.read(symbol)
                if code is None:
                    code = cache.keep(symbol, _compile(kernel, symbol, width))
                found = _addresses[symbol] = _link(symbol, code)
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


def _compile(kernel: Kernel, symbol: str, width: int) -> bytes:
    import llvmlite.binding as llvm

    if width:
        from .lane_entry import compile_lanes

        code = compile_lanes(kernel, symbol, width)
    else:
        from .entry import compile_single

        code = compile_single(kernel, symbol)
    module = llvm.parse_assembly(code)
    module.verify()
    machine = _target_machine()
    _optimize(module, symbol, machine)
    return machine.emit_object(module)


def _optimize(module: Any, symbol: str, machine: Any) -> None:
    """Once more over the whole, now that only the entry is visible: what has one caller becomes part of it."""
    import llvmlite.binding as llvm

    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


def _link(name: str, code: bytes) -> int:
    import llvmlite.binding as llvm

    machine = _target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _keep.append(engine)
    return engine.get_function_address(name)
