"""SIMD lanes: a scalar that is a vector of float64, one lane a state. Imported only to compile.

`Lanes(w)` is the scalar, `LaneArray(w)` a flat array of them, `StateArray(w)` the same entry of w states that lie
anywhere in the user's memory: reading one gathers, writing scatters. With these types in place of float64 and
pointers, Numba compiles a source unchanged.
"""

from __future__ import annotations

import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import models, register_model

DOUBLE, INT64, INT32 = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
FLAGS = ("contract", "nsz")
NUMBERS = (types.Float, types.Integer)


class Lanes(types.Type):
    """A vector of `width` float64."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")


class LaneArray(types.Type):
    """A pointer to vectors."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"LaneArray({width})")


class StateArray(types.Type):
    """The addresses of one entry in each of `width` states, and the bytes from an entry to the next."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"StateArray({width})")


def vector_type(width: int) -> ir.VectorType:
    """The LLVM type of a vector of float64."""
    return ir.VectorType(DOUBLE, width)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, vector_type(kind.width))


@register_model(LaneArray)
class _LaneArrayModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, DOUBLE.as_pointer())


@register_model(StateArray)
class _StateArrayModel(models.StructModel):
    def __init__(self, manager, kind):
        members = [("addresses", types.UniTuple(types.int64, kind.width)), ("step", types.int64)]
        super().__init__(manager, kind, members)


def splat(builder, value, width):
    """A vector with one value in all lanes."""
    vector = vector_type(width)
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(INT32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(INT32, width), [0] * width))


def as_lanes(context, builder, kind, value, width):
    if isinstance(kind, Lanes):
        return value
    return splat(builder, context.cast(builder, value, kind, types.float64), width)


def _arithmetic(function, instruction):
    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) != 2 or not any(isinstance(x, Lanes) for x in args):
                return None
            if not all(isinstance(x, (Lanes, *NUMBERS)) for x in args):
                return None
            return signature(next(x for x in args if isinstance(x, Lanes)), *args)

    def generate(context, builder, sig, args):
        a, b = (as_lanes(context, builder, kind, x, sig.return_type.width) for kind, x in zip(sig.args, args))
        return getattr(builder, instruction)(a, b, flags=FLAGS)

    lower_builtin(function, Lanes, Lanes)(generate)
    for number in NUMBERS:
        lower_builtin(function, Lanes, number)(generate)
        lower_builtin(function, number, Lanes)(generate)


for _function, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.iadd, "fadd"),
    (operator.isub, "fsub"),
):
    _arithmetic(_function, _instruction)


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args, kws):
        return signature(args[0], args[0]) if isinstance(args[0], Lanes) else None


@lower_builtin(operator.neg, Lanes)
def _negate(context, builder, sig, args):
    return builder.fneg(args[0])


@infer_global(operator.getitem)
class _Getitem(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], LaneArray | StateArray) and isinstance(args[1], types.Integer):
            return signature(Lanes(args[0].width), args[0], types.intp)
        return None


@infer_global(operator.setitem)
class _Setitem(AbstractTemplate):
    def generic(self, args, kws):
        if isinstance(args[0], LaneArray | StateArray):
            return signature(types.none, args[0], types.intp, args[2])
        return None


def _entry(builder, pointer, index, width):
    start = builder.gep(pointer, [builder.mul(index, ir.Constant(index.type, width))])
    return builder.bitcast(start, vector_type(width).as_pointer())


@lower_builtin(operator.getitem, LaneArray, types.intp)
def _load(context, builder, sig, args):
    loaded = builder.load(_entry(builder, args[0], args[1], sig.args[0].width))
    loaded.align = 8
    return loaded


def _store(context, builder, sig, args):
    width = sig.args[0].width
    value = as_lanes(context, builder, sig.args[2], args[2], width)
    builder.store(value, _entry(builder, args[0], args[1], width)).align = 8


def _state_pointers(context, builder, kind, value, index):
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    offset = builder.mul(index, array.step)
    for address in cgutils.unpack_tuple(builder, array.addresses):
        yield builder.inttoptr(builder.add(address, offset), DOUBLE.as_pointer())


@lower_builtin(operator.getitem, StateArray, types.intp)
def _gather(context, builder, sig, args):
    result = ir.Constant(vector_type(sig.args[0].width), ir.Undefined)
    for lane, pointer in enumerate(_state_pointers(context, builder, sig.args[0], args[0], args[1])):
        result = builder.insert_element(result, builder.load(pointer), ir.Constant(INT32, lane))
    return result


def _scatter(context, builder, sig, args):
    value = as_lanes(context, builder, sig.args[2], args[2], sig.args[0].width)
    for lane, pointer in enumerate(_state_pointers(context, builder, sig.args[0], args[0], args[1])):
        builder.store(builder.extract_element(value, ir.Constant(INT32, lane)), pointer)


for _kind in (Lanes, *NUMBERS):
    lower_builtin(operator.setitem, LaneArray, types.intp, _kind)(_store)
    lower_builtin(operator.setitem, StateArray, types.intp, _kind)(_scatter)
