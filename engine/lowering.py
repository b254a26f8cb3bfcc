"""LLVM IR to machine code, by llvmlite alone.

In two steps: `simplify` makes one small module of what Numba gave, for any 64-bit processor; `lower` optimises it for
this one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from . import layout


@functools.cache
def _machine(here: bool) -> Any:
    """This processor, or one about which nothing more is known than its kind."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    if not here:
        return target.create_target_machine(opt=2, jit=True)
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )


def simplify(module: Any, exports: set[str]) -> str:
    """Inline and clean up a module of Numba's; only what `exports` names stays visible.

    The text names no processor and no platform.
    """
    import llvmlite.binding as llvm

    for function in module.functions:
        if not function.is_declaration and function.name not in exports:
            function.linkage = "internal"
    for variable in module.global_variables:
        if variable.linkage == llvm.Linkage.common:
            variable.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=1)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = False
    _run_passes(module, _machine(False), tuning)
    text = re.sub(r"^(; ModuleID|source_filename|target \w+) = .*\n", "", str(module), flags=re.MULTILINE)
    # names that tell in which order Numba met the functions
    short: dict[str, str] = {}
    return re.sub(r"_ZN[\w.$]+", lambda found: short.setdefault(found[0], f"part_{len(short)}"), text)


def lower(code: str) -> bytes:
    """Object code for this processor."""
    import llvmlite.binding as llvm

    machine = _machine(True)
    module = llvm.parse_assembly(code)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    _run_passes(module, machine, llvm.create_pipeline_tuning_options(speed_level=3))
    return machine.emit_object(module)


def _run_passes(module: Any, machine: Any, tuning: Any) -> None:
    import llvmlite.binding as llvm

    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


def link(code: bytes) -> Callable[[str], int]:
    """Put object code into memory. Returns a function that tells the address of a symbol, 0 if there is none."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(True))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return layout.immortal(engine).get_function_address  # it owns the code
