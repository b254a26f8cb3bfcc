"""The compiled entry of a kernel for one state: reads the block, checks, runs the source. Imported only to compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import intrinsic

from . import kernel as abi
from . import sines  # noqa: F401, what `with_sines` means for one state
from .compiler import INTEGERS, REALS, implement, integers_at, reals_at, to_llvm
from .loader import WORK
from .translation import callable_plain

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
    """A compiled function that makes the tuple of a state's operands, as pointers."""
    tuple_type = types.UniTuple(REALS, count)

    @intrinsic
    def read(typing_context, block):
        def generate(context, builder, signature, arguments):
            values = []
            for k in range(count):
                index = context.get_constant(types.intp, HEADER + PER_OPERAND * k)
                start = builder.load(builder.gep(arguments[0], [index]))
                values.append(builder.inttoptr(start, context.get_value_type(REALS)))
            return context.make_tuple(builder, tuple_type, values)

        return tuple_type(block), generate

    return read


def make_checkers(validate: Callable[..., int], operands: int) -> tuple[Callable[..., int], Callable[..., int]]:
    """Functions that look at the operands of a state, before and after; they write what they find into the block."""

    def finite(block, k):
        at = HEADER + PER_OPERAND * k
        array, size = reals_at(block, at), block[at + 4]
        wrong = False
        for j in range(size):  # to the end, so that many entries are looked at together
            wrong |= array[j] * 0.0 != 0.0
        if wrong:
            block[7] = k
        return not wrong

    finite = callable_plain(finite)

    def check_inputs(tree, block):
        for k in range(operands):
            at = HEADER + PER_OPERAND * k
            wanted = block[at + 5]
            if wanted == 0 or wanted == RESULT or block[at] == 0:
                continue
            if not finite(block, k):
                return NOT_FINITE
            if wanted == CONFIGURATION:
                found = validate(tree, reals_at(block, at))
                if found != 0:
                    block[7] = k
                    block[8] = found
                    return BAD_CONFIGURATION
        return 0

    def check_results(block):
        for k in range(operands):
            if block[HEADER + PER_OPERAND * k + 5] == RESULT and not finite(block, k):
                return NOT_FINITE
        return 0

    return callable_plain(check_inputs), callable_plain(check_results)


def compile_single(kernel: abi.Kernel, symbol: str) -> Any:
    """A kernel for one state as an LLVM module."""
    package = __name__.partition(".")[0]
    source, validate, verdict, size = kernel.source, kernel.validate, kernel.verdict, kernel.work
    count = kernel.inputs + kernel.outputs
    read_record, read_operands = record_reader(kernel.record), operand_reader(count)
    check_inputs, check_results = make_checkers(validate, count)

    def entry(block):
        tree = read_record(integers_at(block, 0))
        work, options = reals_at(block, 4), integers_at(block, 5)
        status = check_inputs(tree, block)
        if status != 0:
            return status
        source(tree, options, *read_operands(block), work)
        found = verdict(tree, work)
        if found != 0:
            block[8] = found
            return BAD_VERDICT
        return check_results(block)

    def work_of(packed):
        return size(read_record(packed))

    for function in (entry, check_inputs, work_of):
        implement(function, package)
    return to_llvm({symbol: entry, symbol + WORK: work_of}, (INTEGERS,), merge=not kernel.in_place)
