"""Between states in the user's memory and lanes in work memory, four entries at a time. Imported only to compile."""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from . import scalars
from .lanes import INT32, INT64, LaneArray, StateArray, vector_type
from .translation import callable_plain, overload

GROUP = 4  # entries that are moved together


def _shuffle(builder, a, b, lanes):
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INT32, len(lanes)), lanes))


def _join(builder, vectors):
    """One vector of all entries of a power of two of vectors."""
    while len(vectors) > 1:
        size = vectors[0].type.count
        vectors = [_shuffle(builder, a, b, list(range(2 * size))) for a, b in zip(vectors[::2], vectors[1::2])]
    return vectors[0]


def _row_pointers(context, builder, kind, value, index):
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    offset = builder.mul(index, array.step)
    for address in cgutils.unpack_tuple(builder, array.addresses):
        yield builder.inttoptr(builder.add(address, offset), vector_type(GROUP).as_pointer())


def _lane_pointer(builder, pointer, index, width, later):
    entry = builder.add(index, ir.Constant(INT64, later))
    start = builder.gep(pointer, [builder.mul(entry, ir.Constant(INT64, width))])
    return builder.bitcast(start, vector_type(width).as_pointer())


def _transpose(builder, rows):
    """GROUP vectors, one an entry, from one vector a state; or the other way round."""
    # halves of entries first, then single ones: each step pairs vectors of rows
    width = len(rows)
    joined = _join(builder, rows)  # state after state
    return [_shuffle(builder, joined, joined, [GROUP * lane + k for lane in range(width)]) for k in range(GROUP)]


@intrinsic
def move_group_in(typing_context, states, lanes, index):
    """Read entries index to index + 3 of all states into lanes; the states' entries are contiguous."""
    width = states.width

    def generate(context, builder, signature, arguments):
        rows = []
        for pointer in _row_pointers(context, builder, states, arguments[0], arguments[2]):
            row = builder.load(pointer)
            row.align = 8
            rows.append(row)
        for k, vector in enumerate(_transpose(builder, rows)):
            builder.store(vector, _lane_pointer(builder, arguments[1], arguments[2], width, k)).align = 8
        return context.get_dummy_value()

    return types.none(states, lanes, types.int64), generate


@intrinsic
def move_group_out(typing_context, lanes, states, index):
    """Write entries index to index + 3 of lanes to all states; the states' entries are contiguous."""
    width = states.width

    def generate(context, builder, signature, arguments):
        vectors = []
        for k in range(GROUP):
            loaded = builder.load(_lane_pointer(builder, arguments[0], arguments[2], width, k))
            loaded.align = 8
            vectors.append(loaded)
        joined = _join(builder, vectors)  # entry after entry
        for lane, pointer in enumerate(_row_pointers(context, builder, states, arguments[1], arguments[2])):
            row = _shuffle(builder, joined, joined, [width * k + lane for k in range(GROUP)])
            builder.store(row, pointer).align = 8
        return context.get_dummy_value()

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
    if entries_are_contiguous(states) and size >= 4:
        while k < size:
            # the last group may overlap the one before
            at = k if k < size - 4 else size - 4
            move_group_in(states, lanes, at)
            k += 4
    else:
        while k < size:
            lanes[k] = states[k]
            k += 1


@callable_plain
def move_out(lanes, states, size):
    """Copy lanes to the entries of all states."""
    k = 0
    if entries_are_contiguous(states) and size >= 4:
        while k < size:
            at = k if k < size - 4 else size - 4
            move_group_out(lanes, states, at)
            k += 4
    else:
        while k < size:
            states[k] = lanes[k]
            k += 1


@overload(scalars.copy)
def _copy(source, target, count):
    if isinstance(source, StateArray) and isinstance(target, LaneArray):
        return lambda source, target, count: move_in(source, target, count)
    if isinstance(source, LaneArray) and isinstance(target, StateArray):
        return lambda source, target, count: move_out(source, target, count)

    if isinstance(source, LaneArray) and isinstance(target, LaneArray):

        def each(source, target, count):
            for k in range(count):
                target[k] = source[k]

        return each
    return None
