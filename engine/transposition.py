"""Between states in the user's memory and lanes in work memory, four entries at a time. Imported only to compile.

A square of as many entries as lanes would take the fewest instructions; but states begin anywhere, and of eight lanes
nearly every store of eight entries would then lie across two cache lines.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from . import scalars
from .lane_functions import lift_lanes
from .lanes import INT32, INT64, LaneArray, StateArray, vector_type
from .translation import callable_plain, overload

FEW = 4  # entries that are moved together
NEAR = 2**19  # bytes of results of a group of states that stay in a cache while the next ones are computed


def _shuffle(builder, a, b, lanes):
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INT32, len(lanes)), lanes))


def _join(builder, vectors):
    """One vector of all entries of a power of two of vectors."""
    while len(vectors) > 1:
        size = vectors[0].type.count
        vectors = [_shuffle(builder, a, b, list(range(2 * size))) for a, b in zip(vectors[::2], vectors[1::2])]
    return vectors[0]


def _row_pointers(context, builder, kind, value, index, count):
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    offset = builder.mul(index, array.step)
    for address in cgutils.unpack_tuple(builder, array.addresses):
        yield builder.inttoptr(builder.add(address, offset), vector_type(count).as_pointer())


def _lane_pointer(builder, pointer, index, width, later):
    entry = builder.add(index, ir.Constant(INT64, later))
    start = builder.gep(pointer, [builder.mul(entry, ir.Constant(INT64, width))])
    return builder.bitcast(start, vector_type(width).as_pointer())


def _transpose(builder, rows, count):
    """`count` vectors, the k-th of all k-th entries, from vectors of `count` entries."""
    joined = _join(builder, rows)
    return [_shuffle(builder, joined, joined, [count * row + k for row in range(len(rows))]) for k in range(count)]


def _fetch_ahead(builder, pointers):
    """Ask for the same entries of the next states that are written, one state a lane, while these are computed.

    Each state's result is a short run of memory, too short for the processor to see where it goes. What is so far ahead
    that it would be out of the cache again before it is written is left alone.
    """
    address = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [address, INT32, INT32, INT32])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [address], kind)
    first, second = (builder.ptrtoint(pointer, INT64) for pointer in pointers[:2])
    distance = builder.mul(builder.sub(second, first), ir.Constant(INT64, len(pointers)))
    near = builder.icmp_unsigned("<", distance, ir.Constant(INT64, NEAR))
    distance = builder.select(near, distance, ir.Constant(INT64, 0))
    write, soon, data = INT32(1), INT32(3), INT32(1)
    for pointer in pointers:
        there = builder.gep(builder.bitcast(pointer, address), [distance])
        builder.call(prefetch, [there, write, soon, data])


def _move_group_in(context, builder, signature, arguments, count):
    width, rows = signature.args[0].width, []
    for pointer in _row_pointers(context, builder, signature.args[0], arguments[0], arguments[2], count):
        row = builder.load(pointer)
        row.align = 8
        rows.append(row)
    for k, vector in enumerate(_transpose(builder, rows, count)):
        builder.store(vector, _lane_pointer(builder, arguments[1], arguments[2], width, k)).align = 8
    return context.get_dummy_value()


def _move_group_out(context, builder, signature, arguments, count):
    width, vectors = signature.args[1].width, []
    for k in range(count):
        loaded = builder.load(_lane_pointer(builder, arguments[0], arguments[2], width, k))
        loaded.align = 8
        vectors.append(loaded)
    rows = _transpose(builder, vectors, width)
    pointers = list(_row_pointers(context, builder, signature.args[1], arguments[1], arguments[2], count))
    for row, pointer in zip(rows, pointers):
        builder.store(row, pointer).align = 8
    _fetch_ahead(builder, pointers)
    return context.get_dummy_value()


@intrinsic
def move_few_in(typing_context, states, lanes, index):
    """Read entries index to index + 3 of all states into lanes; the states' entries are contiguous."""

    def generate(context, builder, signature, arguments):
        return _move_group_in(context, builder, signature, arguments, FEW)

    return types.none(states, lanes, types.int64), generate


@intrinsic
def move_few_out(typing_context, lanes, states, index):
    """Write entries index to index + 3 of lanes to all states; the states' entries are contiguous."""

    def generate(context, builder, signature, arguments):
        return _move_group_out(context, builder, signature, arguments, FEW)

    return types.none(lanes, states, types.int64), generate


@intrinsic
def entries_are_contiguous(typing_context, states):
    """Whether the next entry of a state lies right behind."""

    def generate(context, builder, signature, arguments):
        array = cgutils.create_struct_proxy(states)(context, builder, value=arguments[0])
        return builder.icmp_signed("==", array.step, ir.Constant(INT64, 8))

    return types.boolean(states), generate


@callable_plain
def move_in(states, lanes, size):
    """Copy the entries of all states into lanes."""
    k = 0
    if not entries_are_contiguous(states) or size < FEW:
        while k < size:
            lanes[k] = states[k]
            k += 1
    else:
        while k < size:
            # the last group may overlap the one before
            move_few_in(states, lanes, k if k < size - FEW else size - FEW)
            k += FEW


@callable_plain
def move_out(lanes, states, size):
    """Copy lanes to the entries of all states; lanes that are 0 where every entry is finite, else NaN."""
    rest = lift_lanes(lanes, 0.0)
    k = 0
    if not entries_are_contiguous(states) or size < FEW:
        while k < size:
            rest += lanes[k] * 0.0
            states[k] = lanes[k]
            k += 1
    else:
        while k < size:
            first = k if k < size - FEW else size - FEW
            # in pairs, so that no sum waits for all those before it
            rest += (lanes[first] * 0.0 + lanes[first + 1] * 0.0) + (lanes[first + 2] * 0.0 + lanes[first + 3] * 0.0)
            move_few_out(lanes, states, first)
            k += FEW
    return rest


@overload(scalars.copy)
def _copy(source, target, count):
    if isinstance(source, StateArray) and isinstance(target, LaneArray):
        return lambda source, target, count: move_in(source, target, count)
    if isinstance(source, LaneArray) and isinstance(target, StateArray):

        def out(source, target, count):
            move_out(source, target, count)

        return out

    if isinstance(source, LaneArray) and isinstance(target, LaneArray):

        def each(source, target, count):
            for k in range(count):
                target[k] = source[k]

        return each
    return None
