"""Numba's part: from a Python source to LLVM IR. Imported only when something must be compiled.

Pointers stand for flat arrays (`x[i]`, `x[i] = s`), so that a compiled function needs neither Numba's arrays nor its
runtime, and can be called from any language. `implement` tells Numba to compile every function of this package that a
source reaches, from the very same Python code.
"""

from __future__ import annotations

import functools
import math
import re
import types as python_types
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from . import scalars
from .exponential import exp_below_one
from .lanes import Lanes
from .sincos import EXACT_REDUCTION, near_sincos
from .translation import callable_fast, overload, translate, whole

REALS = types.CPointer(types.float64)
INTEGERS = types.CPointer(types.int64)
NUMBERS = (types.Float, types.Integer)


@overload(scalars.sincos)
def _sincos(x):
    if not isinstance(x, NUMBERS):
        return None

    def one_sincos(x):
        x = float(x)
        if abs(x) <= EXACT_REDUCTION:
            return near_sincos(x)
        return math.sin(x), math.cos(x)

    return one_sincos


@overload(scalars.sqrt)
def _sqrt(x):
    return (lambda x: math.sqrt(x)) if isinstance(x, NUMBERS) else None


@overload(scalars.exp)
def _exp(x):
    return (lambda x: exp_below_one(x)) if isinstance(x, NUMBERS) else None


@overload(scalars.atan2)
def _atan2(y, x):
    return (lambda y, x: math.atan2(y, x)) if isinstance(x, NUMBERS) else None


@overload(scalars.select_less)
def _select_less(a, b, then, otherwise):
    if all(isinstance(x, NUMBERS) for x in (a, b, then, otherwise)):
        return lambda a, b, then, otherwise: then if a < b else otherwise
    return None


@overload(scalars.lift)
def _lift(array, x):
    return (lambda array, x: float(x)) if isinstance(array, types.CPointer) else None


@intrinsic
def load_vector(typing_context, array, k):
    """Eight entries as one vector."""
    kind = Lanes(scalars.EIGHT)

    def generate(context, builder, signature, arguments):
        start = builder.gep(arguments[0], [arguments[1]])
        loaded = builder.load(builder.bitcast(start, context.get_value_type(kind).as_pointer()))
        loaded.align = 8
        return loaded

    return kind(array, types.intp), generate


@intrinsic
def store_vector(typing_context, array, k, x):
    """Write one vector over eight entries."""

    def generate(context, builder, signature, arguments):
        start = builder.gep(arguments[0], [arguments[1]])
        builder.store(arguments[2], builder.bitcast(start, arguments[2].type.as_pointer())).align = 8
        return context.get_dummy_value()

    return types.none(array, types.intp, x), generate


@intrinsic
def zero_vector(typing_context, array):
    """Eight zeros as one vector."""
    kind = Lanes(scalars.EIGHT)

    def generate(context, builder, signature, arguments):
        return ir.Constant(context.get_value_type(kind), None)

    return kind(array), generate


@intrinsic
def store_vector_apart(typing_context, array, k, step, x):
    """Write the entries of one vector `step` entries apart."""

    def generate(context, builder, signature, arguments):
        place = builder.gep(arguments[0], [arguments[1]])
        for entry in range(scalars.EIGHT):
            builder.store(builder.extract_element(arguments[3], ir.Constant(ir.IntType(32), entry)), place)
            place = builder.gep(place, [arguments[2]])
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, x), generate


@overload(scalars.eight_zeros)
def _eight_zeros(array):
    return (lambda array: zero_vector(array)) if isinstance(array, types.CPointer) else None


@overload(scalars.store_column)
def _store_column(array, k, step, x):
    if isinstance(array, types.CPointer):
        return lambda array, k, step, x: store_vector_apart(array, k, step, x)
    return None


@overload(scalars.load_eight)
def _load_eight(array, k):
    return (lambda array, k: load_vector(array, k)) if isinstance(array, types.CPointer) else None


@overload(scalars.store_eight)
def _store_eight(array, k, x):
    return (lambda array, k, x: store_vector(array, k, x)) if isinstance(array, types.CPointer) else None


@overload(scalars.eight_minus)
def _eight_minus(x, s, y):
    return (lambda x, s, y: x - s * y) if isinstance(x, Lanes) else None


@overload(scalars.after)
def _after(array, count):
    return (lambda array, count: advance(array, count)) if isinstance(array, types.CPointer) else None


@overload(scalars.present)
def _present(array):
    return (lambda array: address(array) != 0) if isinstance(array, types.CPointer) else None


@overload(scalars.positive)
def _positive(x):
    return (lambda x: x > 0.0) if isinstance(x, NUMBERS) else None


@overload(scalars.copy)
def _copy(source, target, count):
    if not isinstance(target, types.CPointer):
        return None

    def each(source, target, count):
        for k in range(count):
            target[k] = source[k]

    return each


@overload(scalars.copy_if_present)
def _copy_if_present(source, target, count):
    def optional(source, target, count):
        if scalars.present(source):
            scalars.copy(source, target, count)
            return target
        return nowhere(target)

    return optional


@overload(scalars.absent)
def _absent(like):
    return lambda like: nowhere(like)


@intrinsic
def nowhere(typing_context, array):
    """An absent array of the kind of `array`."""

    def generate(context, builder, signature, arguments):
        return ir.Constant(context.get_value_type(array), None)

    return array(array), generate


@intrinsic
def advance(typing_context, pointer, count):
    """Pointer arithmetic: the address of entry `count`."""

    def generate(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    return pointer(pointer, types.intp), generate


@intrinsic
def address(typing_context, pointer):
    """The address that a pointer holds, as an integer."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(pointer), generate


def _pointer_reader(pointer_type):
    @intrinsic
    def read(typing_context, block, index):
        def generate(context, builder, signature, arguments):
            entry = builder.load(builder.gep(arguments[0], [arguments[1]]))
            return builder.inttoptr(entry, context.get_value_type(pointer_type))

        return pointer_type(block, types.intp), generate

    return read


reals_at = _pointer_reader(REALS)
integers_at = _pointer_reader(INTEGERS)


@functools.cache
def _implement_one(function: Callable[..., Any]) -> None:
    callable_fast(function)


def implement(function: Callable[..., Any], package: str, seen: set[Any] | None = None) -> None:
    """Make Numba compile each function of `package` that `function` calls by name, directly or not."""
    seen = set() if seen is None else seen
    captured = [cell.cell_contents for cell in function.__closure__ or ()]
    for reached in [function.__globals__.get(name) for name in function.__code__.co_names] + captured:
        if not isinstance(reached, python_types.FunctionType) or reached in seen:
            continue
        if not reached.__module__.startswith(package) or reached.__module__ == scalars.__name__:
            continue
        seen.add(reached)
        _implement_one(reached)
        implement(reached, package, seen)


def to_llvm(entries: dict[str, Callable[..., Any]], arguments: tuple[Any, ...], *, merge: bool = False) -> Any:
    """Compile functions of the same arguments that return int64 to an LLVM module that exports them by name.

    With `merge` all that they call becomes part of them: a state alone has no other work to hide a call behind.
    """
    exports = ir.Module("exports")
    results = {name: translate(entry, arguments, types.int64) for name, entry in entries.items()}
    for name, result in results.items():
        _export(exports, name, result.fndesc, arguments)
    module = whole([result.library for result in results.values()])
    if merge:
        text = re.sub(r"^(define .*\))( [^)\n]*\{)$", r"\1 alwaysinline\2", str(module), flags=re.MULTILINE)
        module = llvm.parse_assembly(text)
    module.link_in(llvm.parse_assembly(str(exports)))
    return module


def _export(exports: ir.Module, name: str, description: Any, arguments: tuple[Any, ...]) -> None:
    """Numba's convention within: results come back through the first argument; errors, of which are none, next."""
    context = cpu_target.target_context
    inner_type = context.call_conv.get_function_type(types.int64, arguments)
    inner = ir.Function(exports, inner_type, description.llvm_func_name)
    int64 = ir.IntType(64)
    outer = ir.Function(exports, ir.FunctionType(int64, [context.get_value_type(kind) for kind in arguments]), name)
    builder = ir.IRBuilder(outer.append_basic_block())
    answer = cgutils.alloca_once(builder, int64)
    failure = cgutils.alloca_once_value(builder, ir.Constant(inner_type.args[1].pointee, None))
    builder.call(inner, [answer, failure, *outer.args])
    builder.ret(builder.load(answer))
