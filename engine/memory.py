"""Reading memory, and calling C functions, from compiled code. Imported only to compile."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .compiler import INTEGERS


def _stack(typing_context, count):
    """Words on the stack until the function returns."""

    def generate(context, builder, signature, arguments):
        return builder.alloca(ir.IntType(64), arguments[0])

    return INTEGERS(types.int64), generate


def _at(typing_context, address):
    """The words at an address."""

    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(INTEGERS))

    return INTEGERS(types.int64), generate


def _address_of(typing_context, pointer):
    """The address of words."""

    def generate(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(INTEGERS), generate


def _float_at(typing_context, pointer):
    """The number that a word holds."""

    def generate(context, builder, signature, arguments):
        return builder.load(builder.bitcast(arguments[0], ir.DoubleType().as_pointer()))

    return types.float64(INTEGERS), generate


def _as_int(typing_context, x):
    """A C int."""

    def generate(context, builder, signature, arguments):
        return builder.trunc(arguments[0], ir.IntType(32))

    return types.int32(types.int64), generate


def _call(typing_context, function, arguments):
    """Call the C function at an address with a tuple of arguments; its result is a word."""

    def generate(context, builder, signature, given):
        values = [builder.extract_value(given[1], k) for k in range(len(arguments))]
        kind = ir.FunctionType(ir.IntType(64), [x.type for x in values])
        return builder.call(builder.inttoptr(given[0], kind.as_pointer()), values)

    return types.int64(types.int64, arguments), generate


stack: Any = intrinsic(_stack)
at: Any = intrinsic(_at)
address_of: Any = intrinsic(_address_of)
float_at: Any = intrinsic(_float_at)
as_int: Any = intrinsic(_as_int)
call: Any = intrinsic(_call)
