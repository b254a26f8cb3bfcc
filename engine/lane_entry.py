"""The compiled entry of a kernel for a batch: some states at a time, one a lane. Imported only to compile."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from . import kernel as abi
from .compiler import INTEGERS, implement, integers_at, to_llvm
from .entry import record_reader
from .lane_functions import any_beyond, lift_lanes, work_of_width
from .lanes import LaneArray, StateArray
from .loader import WORK
from .scalars import positive
from .translation import callable_fast as jit
from .transposition import move_in, move_out

HEADER, PER_OPERAND = abi.HEADER, abi.PER_OPERAND
FINITE, CONFIGURATION, RESULT, SUSPECT = abi.FINITE, abi.CONFIGURATION, abi.RESULT, abi.SUSPECT


def _entry_of_block(context, builder, block, index):
    return builder.load(builder.gep(block, [context.get_constant(types.intp, index)]))


def place_reader(width: int) -> Any:
    """A compiled function that makes the tuple of rows and of columns of `width` states; past the last, that again."""
    kind = types.UniTuple(types.int64, 2 * width)

    @intrinsic
    def read(typing_context, block, first):
        def generate(context, builder, signature, arguments):
            block, state = arguments
            one, zero = context.get_constant(types.int64, 1), context.get_constant(types.int64, 0)
            last = builder.sub(
                builder.add(_entry_of_block(context, builder, block, 1), _entry_of_block(context, builder, block, 2)),
                one,
            )
            columns = _entry_of_block(context, builder, block, 3)
            row, column = builder.sdiv(state, columns), builder.srem(state, columns)
            rows, places = [row], [column]
            for _ in range(width - 1):
                # the next state is in the next column, or first in the next row; a division takes ten times as long
                more = builder.icmp_signed("<", state, last)
                state = builder.select(more, builder.add(state, one), state)
                further = builder.add(column, one)
                wraps = builder.icmp_signed("==", further, columns)
                row = builder.select(builder.and_(more, wraps), builder.add(row, one), row)
                column = builder.select(more, builder.select(wraps, zero, further), column)
                rows.append(row)
                places.append(column)
            return context.make_tuple(builder, kind, rows + places)

        return kind(block, types.int64), generate

    return read


def operand_reader(k: int, width: int) -> Any:
    """A compiled function that makes operand k of `width` states at some places."""
    kind = StateArray(width)
    at = HEADER + PER_OPERAND * k

    @intrinsic
    def read(typing_context, block, places):
        def generate(context, builder, signature, arguments):
            start, row, column, step = (_entry_of_block(context, builder, arguments[0], at + j) for j in range(4))
            where = cgutils.unpack_tuple(builder, arguments[1])
            addresses = [
                builder.add(start, builder.add(builder.mul(r, row), builder.mul(c, column)))
                for r, c in zip(where[:width], where[width:])
            ]
            array = context.make_helper(builder, kind)
            array.addresses = context.make_tuple(builder, types.UniTuple(types.int64, width), addresses)
            array.step = step
            return array._getvalue()

        return kind(block, places), generate

    return read


def state_reader(count: int, width: int) -> Any:
    """A compiled function that makes the tuple of the operands of `width` states at some places."""

    def read(block, places):
        return ()

    for k in range(count):
        read = _with_operand(read, operand_reader(k, width))
    return jit(read)


def _with_operand(before: Any, reader: Any) -> Any:
    before = jit(before)

    def read(block, places):
        return (*before(block, places), reader(block, places))

    return read


def room_reader(count: int, width: int) -> Any:
    """A compiled function that makes the tuple of the operands' lanes in work memory and of the memory behind them."""
    kind = LaneArray(width)
    tuple_type = types.UniTuple(kind, count + 1)

    @intrinsic
    def read(typing_context, block):
        def generate(context, builder, signature, arguments):
            pointer = context.get_value_type(kind)
            here = builder.inttoptr(_entry_of_block(context, builder, arguments[0], 4), pointer)
            values = []
            for k in range(count):
                at = HEADER + PER_OPERAND * k
                absent = builder.icmp_signed(
                    "==", _entry_of_block(context, builder, arguments[0], at), context.get_constant(types.int64, 0)
                )
                values.append(builder.select(absent, ir.Constant(pointer, None), here))
                size = _entry_of_block(context, builder, arguments[0], at + 4)
                here = builder.gep(here, [builder.mul(size, context.get_constant(types.int64, width))])
            return context.make_tuple(builder, tuple_type, [*values, here])

        return tuple_type(block), generate

    return read


def fetch_after(before: Any, k: int, reader: Any) -> Any:
    """What brings the inputs before the k-th into work memory, and the k-th; one that all share only once."""
    at = HEADER + PER_OPERAND * k

    def fetch(block, places, room, everything):
        before(block, places, room, everything)
        shared = block[at + 1] == 0 and block[at + 2] == 0
        if block[at] != 0 and (everything or not shared):
            move_in(reader(block, places), room[k], block[at + 4])

    return fetch


def deliver_after(before: Any, k: int, reader: Any) -> Any:
    """What takes the results before the k-th out of work memory, and the k-th."""
    at = HEADER + PER_OPERAND * k

    def deliver(block, places, room, everything):
        before(block, places, room, everything)
        move_out(room[k], reader(block, places), block[at + 4])

    return deliver


def compile_lanes(kernel: abi.Kernel, symbol: str, width: int) -> Any:
    """A kernel over lanes as an LLVM module."""
    package = __name__.partition(".")[0]
    source, deviation, margin, size = kernel.source, kernel.deviation, kernel.margin, kernel.work
    inputs, tolerance = kernel.inputs, kernel.tolerance
    count = kernel.inputs + kernel.outputs
    read_record = record_reader(kernel.record)
    read_places, read_states = place_reader(width), state_reader(count, width)
    read_room, read_work = room_reader(count, width), work_of_width(width)

    @jit
    def not_finite(array, size):
        """Lanes that are 0 where every entry is finite, else NaN."""
        rest = lift_lanes(array, 0.0)
        for j in range(size):
            rest += array[j] * 0.0
        return rest

    @jit
    def look_at_inputs(tree, block, room, everything):
        """0 where all inputs that are to be checked are finite and near enough to configurations."""
        for k in range(inputs):
            at = HEADER + PER_OPERAND * k
            wanted = block[at + 5]
            shared = block[at + 1] == 0 and block[at + 2] == 0
            if wanted == 0 or block[at] == 0 or (shared and not everything):
                continue
            if any_beyond(not_finite(room[k], block[at + 4]), 0.0):
                return SUSPECT
            if wanted == CONFIGURATION and any_beyond(deviation(tree, room[k]), tolerance):
                return SUSPECT
        return 0

    def nothing(block, places, room, everything):
        pass

    fetch = nothing
    for k in range(inputs):
        fetch = fetch_after(jit(fetch), k, operand_reader(k, width))
    fetch = jit(fetch)

    @jit
    def look_at_results(block, room):
        for k in range(inputs, count):
            at = HEADER + PER_OPERAND * k
            if block[at + 5] == RESULT and any_beyond(not_finite(room[k], block[at + 4]), 0.0):
                return SUSPECT
        return 0

    deliver = nothing
    for k in range(inputs, count):
        deliver = deliver_after(jit(deliver), k, operand_reader(k, width))
    deliver = jit(deliver)

    def entry(block):
        tree = read_record(integers_at(block, 0))
        options = integers_at(block, 5)
        room = read_room(block)
        work = room[count]
        first = block[1]
        for start in range(first, first + block[2], width):
            block[6] = start
            places = read_places(block, start)
            fetch(block, places, room, start == first)
            if look_at_inputs(tree, block, room, start == first) != 0:
                return SUSPECT
            source(tree, options, *room)
            if not positive(margin(tree, work)):
                return SUSPECT
            if look_at_results(block, room) != 0:
                return SUSPECT
            deliver(block, places, room, True)
        return 0

    def entry_in_place(block):
        tree = read_record(integers_at(block, 0))
        options = integers_at(block, 5)
        work = read_work(block)
        first = block[1]
        for start in range(first, first + block[2], width):
            block[6] = start
            source(tree, options, *read_states(block, read_places(block, start)), work)
            if not positive(margin(tree, work)):
                return SUSPECT
        return 0

    def work_of(packed):
        return size(read_record(packed))

    chosen = entry_in_place if kernel.in_place else entry
    for function in (chosen, look_at_inputs, work_of):
        implement(function, package)
    return to_llvm({symbol: chosen, symbol + WORK: work_of}, (INTEGERS,))
