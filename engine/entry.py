"""The compiled entry of a kernel: reads the block, checks each state, runs the source. Imported only to compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import intrinsic, register_jitable

from . import kernel as abi
from .compiler import INTEGERS, REALS, advance, implement, integers_at, reals_at, to_llvm

HEADER, PER_OPERAND = abi.HEADER, abi.PER_OPERAND
CONFIGURATION, RESULT = abi.CONFIGURATION, abi.RESULT
NOT_FINITE, BAD_CONFIGURATION, BAD_VERDICT = abi.NOT_FINITE, abi.BAD_CONFIGURATION, abi.BAD_VERDICT
KINDS = {"int": types.int64, "Integers": INTEGERS, "Reals": REALS}


def record_reader(record: type) -> Any:
    """A compiled function that makes a named tuple of the packed fields at a pointer."""
    kinds = [KINDS[kind] for kind in abi.field_kinds(record).values()]
    record_type = types.NamedTuple(kinds, record)

    @intrinsic
    def read(typing_context, packed):
        def generate(context, builder, signature, arguments):
            values = []
            for k, kind in enumerate(kinds):
                entry = builder.load(builder.gep(arguments[0], [context.get_constant(types.intp, k)]))
                values.append(entry if kind == types.int64 else builder.inttoptr(entry, context.get_value_type(kind)))
            return context.make_tuple(builder, record_type, values)

        return record_type(packed), generate

    return read


def operand_reader(count: int) -> Any:
    """A compiled function that makes the tuple of a state's operands."""
    tuple_type = types.UniTuple(REALS, count)

    @intrinsic
    def read(typing_context, block, state):
        def generate(context, builder, signature, arguments):
            def entry(index):
                return builder.load(builder.gep(arguments[0], [context.get_constant(types.intp, index)]))

            values = []
            for k in range(count):
                start = builder.inttoptr(entry(HEADER + PER_OPERAND * k), context.get_value_type(REALS))
                offset = builder.mul(arguments[1], entry(HEADER + PER_OPERAND * k + 1))
                values.append(builder.gep(start, [offset]))
            return context.make_tuple(builder, tuple_type, values)

        return tuple_type(block, types.int64), generate

    return read


def make_checkers(validate: Callable[..., int], operands: int) -> tuple[Callable[..., int], Callable[..., int]]:
    """Functions that look at the operands of one state, before and after; they write what they find into the block."""

    def finite(block, k, state):
        at = HEADER + PER_OPERAND * k
        array, start = reals_at(block, at), state * block[at + 1]
        for j in range(block[at + 2]):
            if array[start + j] * 0.0 != 0.0:
                block[5] = k
                return False
        return True

    finite = register_jitable(error_model="numpy")(finite)

    def check_inputs(tree, block, state):
        for k in range(operands):
            at = HEADER + PER_OPERAND * k
            wanted, stride = block[at + 3], block[at + 1]
            if wanted == 0 or wanted == RESULT or block[at] == 0 or (state > 0 and stride == 0):
                continue
            if not finite(block, k, state):
                return NOT_FINITE
            if wanted == CONFIGURATION:
                found = validate(tree, advance(reals_at(block, at), state * stride))
                if found != 0:
                    block[5] = k
                    block[6] = found
                    return BAD_CONFIGURATION
        return 0

    def check_results(block, state):
        for k in range(operands):
            if block[HEADER + PER_OPERAND * k + 3] == RESULT and not finite(block, k, state):
                return NOT_FINITE
        return 0

    options = {"error_model": "numpy"}
    return register_jitable(**options)(check_inputs), register_jitable(**options)(check_results)


def compile_kernel(kernel: abi.Kernel) -> tuple[str, str]:
    """LLVM IR of a kernel: its body, and the wrapper that exports it under the kernel's name."""
    package = __name__.partition(".")[0]
    source, validate, verdict = kernel.source, kernel.validate, kernel.verdict
    read_record, read_operands = record_reader(kernel.record), operand_reader(kernel.operands)
    check_inputs, check_results = make_checkers(validate, kernel.operands)

    def entry(block):
        tree = read_record(integers_at(block, 0))
        work, options = reals_at(block, 2), integers_at(block, 3)
        for state in range(block[1]):
            block[4] = state
            status = check_inputs(tree, block, state)
            if status != 0:
                return status
            source(tree, options, *read_operands(block, state), work)
            found = verdict(tree, work)
            if found != 0:
                block[6] = found
                return BAD_VERDICT
            status = check_results(block, state)
            if status != 0:
                return status
        return 0

    implement(entry, package)
    implement(check_inputs, package)
    return to_llvm(entry, kernel.name)
