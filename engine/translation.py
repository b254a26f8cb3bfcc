"""Numba's front half alone: from bytecode over types to LLVM IR, as it leaves the translator. Imported only to compile.

What Numba would do besides is left out: optimising and making machine code of each function by itself, wrappers for the
interpreter, and passes for language that recursions do not use. The loader optimises the whole once.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable
from typing import Any

import llvmlite.binding as llvm
from numba import extending
from numba.core import cgutils, compiler, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.registry import cpu_target

FAST_MATH = {"contract", "nsz"}  # fused multiply-add; no reassociation, NaN and inf keep their meaning


class PlainLibrary(JITCodeLibrary):
    """The IR of one function, and the libraries of those that it calls."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add IR as it is."""
        self._final_module.link_in(llvm.parse_assembly(cgutils.normalize_ir_text(str(ir_module))))

    def add_linking_library(self, library: Any) -> None:
        """Remember what this one calls."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Nothing is made of the IR here."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """For callers that Numba compiles in its own way."""
        module = whole([self])
        for function in module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        return module


def whole(libraries: list[Any]) -> Any:
    """One module of some functions and of all that they reach."""
    module = llvm.parse_assembly("")
    seen, waiting = set(), list(libraries)
    while waiting:
        library = waiting.pop()
        if library in seen:
            continue
        seen.add(library)
        if isinstance(library, PlainLibrary):
            module.link_in(library._final_module, preserve=True)
            waiting += library._linking_libraries
        else:  # one of Numba's own
            module.link_in(library._get_module_for_linking(), preserve=True)
    return module


_operators = {function for function in vars(operator).values() if callable(function)}
_resolved: dict[Any, Any] = {}


class RememberingContext:
    """Numba's typing context, but what an operator gives for some types is looked up once, not each time it is used."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        if kws or not isinstance(function, Hashable) or function not in _operators:
            return self._context.resolve_function_type(function, args, kws)
        key = (function, tuple(args))
        found = _resolved.get(key)
        if found is None:
            found = self._context.resolve_function_type(function, args, kws)
            if found is not None:
                _resolved[key] = found
        return found


@register_pass(mutates_CFG=True, analysis_only=False)
class InferTypes(typed_passes.NopythonTypeInference):
    """Numba's inference, in the remembering context."""

    _name = "featherstone_infer_types"

    def run_pass(self, state: Any) -> bool:
        """Infer the types of one function."""
        context, state.typingctx = state.typingctx, RememberingContext(state.typingctx)
        try:
            return super().run_pass(state)
        finally:
            state.typingctx = context


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPlainly(FunctionPass):
    """Lower to LLVM IR, and let callers find it there."""

    _name = "featherstone_lower_plainly"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Lower one function."""
        state.library = PlainLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        typed_passes.NativeLowering().run_pass(state)
        # what Numba's tables know this function by, in place of the one that would run it: any built-in of its own
        anything: list[Any] = []
        key = anything.append
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state["cr"] = state.cr._replace(cfunc=key)
        return True


class Translator(compiler.CompilerBase):
    """Numba's compiler with the few passes that recursions need."""

    def define_pipelines(self) -> list[PassManager]:
        """One pipeline."""
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        manager = PassManager("featherstone")
        for step in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            InferTypes,
            typed_passes.PreLowerStripPhis,
            LowerPlainly,
            typed_passes.NoPythonBackend,
        ):
            manager.add_pass(step, step.__name__)
        manager.finalize()
        return [manager]


PLAIN: Any = {"error_model": "numpy", "pipeline_class": Translator}
FAST = {**PLAIN, "fastmath": FAST_MATH}

# Numba's decorators, with this translator: a meaning of a function for some types, and a function that can be called
overload = functools.partial(extending.overload, jit_options=PLAIN)
callable_plain = extending.register_jitable(**PLAIN)
callable_fast = extending.register_jitable(**FAST)


def translate(entry: Callable[..., Any], arguments: tuple[Any, ...], result: Any) -> Any:
    """Numba's result for a function: its `library` and its description, `fndesc`."""
    flags: Any = compiler.Flags()
    flags.error_model = "numpy"
    flags.fastmath = FAST_MATH
    return compiler.compile_extra(
        cpu_target.typing_context,
        cpu_target.target_context,
        entry,
        arguments,
        result,
        flags,
        {},
        pipeline_class=Translator,
    )
