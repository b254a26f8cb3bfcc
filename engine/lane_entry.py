"""The compiled entry of a kernel for a batch: some states at a time, one a lane. Imported only to compile."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
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


def state_reader(count: int, width: int) -> Any:
    """A compiled function that makes the tuple of the operands of `width` states; past the last one, of that again."""
    kind = StateArray(width)
    tuple_type = types.UniTuple(kind, count)

    @intrinsic
    def read(typing_context, block, first):
        def generate(context, builder, signature, arguments):
            def entry(index):
                return _entry_of_block(context, builder, arguments[0], index)

            one = context.get_constant(types.int64, 1)
            last = builder.sub(builder.add(entry(1), entry(2)), one)
            places = []
            for lane in range(width):
                state = builder.add(arguments[1], context.get_constant(types.int64, lane))
                state = builder.select(builder.icmp_signed("<", state, last), state, last)
                places.append((builder.sdiv(state, entry(3)), builder.srem(state, entry(3))))
            values = []
            for k in range(count):
                at = HEADER + PER_OPERAND * k
                start, row, column, step = (entry(at + j) for j in range(4))
                addresses = [
                    builder.add(start, builder.add(builder.mul(r, row), builder.mul(c, column))) for r, c in places
                ]
                array = context.make_helper(builder, kind)
                array.addresses = context.make_tuple(builder, types.UniTuple(types.int64, width), addresses)
                array.step = step
                values.append(array._getvalue())
            return context.make_tuple(builder, tuple_type, values)

        return tuple_type(block, types.int64), generate

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


def compile_lanes(kernel: abi.Kernel, symbol: str, width: int) -> Any:
    """A kernel over lanes as an LLVM module."""
    package = __name__.partition(".")[0]
    source, deviation, margin, size = kernel.source, kernel.deviation, kernel.margin, kernel.work
    inputs, tolerance = kernel.inputs, kernel.tolerance
    count = kernel.inputs + kernel.outputs
    read_record = record_reader(kernel.record)
    read_states, read_room, read_work = state_reader(count, width), room_reader(count, width), work_of_width(width)

    @jit
    def not_finite(array, size):
        """Lanes that are 0 where every entry is finite, else NaN."""
        rest = lift_lanes(array, 0.0)
        whole = size // 4 * 4
        for j in range(0, whole, 4):
            # in pairs, so that no sum waits for all those before it
            rest += (array[j] * 0.0 + array[j + 1] * 0.0) + (array[j + 2] * 0.0 + array[j + 3] * 0.0)
        for j in range(whole, size):
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

    @jit
    def fetch(block, states, room, everything):
        for k in range(inputs):
            at = HEADER + PER_OPERAND * k
            shared = block[at + 1] == 0 and block[at + 2] == 0
            if block[at] != 0 and (everything or not shared):
                move_in(states[k], room[k], block[at + 4])

    @jit
    def deliver(block, states, room):
        """0 where all results that are to be checked are finite; what is not finite is written too."""
        status = 0
        for k in range(inputs, count):
            at = HEADER + PER_OPERAND * k
            rest = move_out(room[k], states[k], block[at + 4])
            if block[at + 5] == RESULT and any_beyond(rest, 0.0):
                status = SUSPECT
        return status

    def entry(block):
        tree = read_record(integers_at(block, 0))
        options = integers_at(block, 5)
        room = read_room(block)
        work = room[count]
        first = block[1]
        for start in range(first, first + block[2], width):
            block[6] = start
            states = read_states(block, start)
            fetch(block, states, room, start == first)
            if look_at_inputs(tree, block, room, start == first) != 0:
                return SUSPECT
            source(tree, options, *room)
            if not positive(margin(tree, work)):
                return SUSPECT
            if deliver(block, states, room) != 0:
                return SUSPECT
        return 0

    def entry_in_place(block):
        tree = read_record(integers_at(block, 0))
        options = integers_at(block, 5)
        work = read_work(block)
        first = block[1]
        for start in range(first, first + block[2], width):
            block[6] = start
            source(tree, options, *read_states(block, start), work)
            if not positive(margin(tree, work)):
                return SUSPECT
        return 0

    def work_of(packed):
        return size(read_record(packed))

    chosen = entry_in_place if kernel.in_place else entry
    for function in (chosen, look_at_inputs, work_of):
        implement(function, package)
    return to_llvm({symbol: chosen, symbol + WORK: work_of}, (INTEGERS,))
