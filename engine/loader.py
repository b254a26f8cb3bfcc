"""From LLVM IR to machine code in memory, by llvmlite alone; the object code of earlier runs comes from the cache."""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING, Any

from . import cache

if TYPE_CHECKING:
    from .kernel import Kernel

_lock = threading.RLock()
_addresses: dict[str, int] = {}
_keep: list[Any] = []  # execution engines own the code


def load(kernel: Kernel) -> int:
    """The address of a kernel's machine code: from this process, from the cache, or compiled now."""
    found = _addresses.get(kernel.name)
    if found is None:
        with _lock:
            found = _addresses.get(kernel.name)
            if found is None:
                code = cache.read(kernel.name)
                if code is None:
                    code = _compile(kernel)
                    cache.write(kernel.name, code)
                found = _addresses[kernel.name] = _link(kernel.name, code)
    return found


@functools.cache
def _target_machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )


def _compile(kernel: Kernel) -> bytes:
    import llvmlite.binding as llvm

    from .entry import compile_kernel

    body, wrapper = compile_kernel(kernel)
    module = llvm.parse_assembly(body)
    module.link_in(llvm.parse_assembly(wrapper))
    module.verify()
    return _target_machine().emit_object(module)


def _link(name: str, code: bytes) -> int:
    import llvmlite.binding as llvm

    machine = _target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _keep.append(engine)
    return engine.get_function_address(name)
