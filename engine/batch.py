"""Running kernels: one state with float64, a batch over lanes, or anything with the interpreter."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .kernel import (
    BAD_CONFIGURATION,
    BAD_VERDICT,
    CONFIGURATION,
    NOT_FINITE,
    RESULT,
    SUSPECT,
    UNCHECKED,
    Failure,
    Kernel,
    Operand,
    call,
    compilation_disabled,
    make_block,
)


def run(
    kernel: Kernel,
    record: Any,
    packed: np.ndarray,
    options: np.ndarray,
    operands: list[Operand],
    batch: tuple[int, int] | None,
) -> Failure | None:
    """Run a kernel over one state (batch None) or over rows x columns of states; None if all is well."""
    if compilation_disabled():
        return _interpret(kernel, record, options, operands, batch)
    from .loader import lane_width, load

    if batch is None:
        block = make_block(packed, options, operands, 1, 1)
        return call(load(kernel, 0), block, np.empty(kernel.work(record)))
    width = lane_width()
    rows, row = batch
    work = np.empty(width * (kernel.work(record) + (0 if kernel.in_place else sum(x.size for x in operands))))
    block = make_block(packed, options, operands, rows * row, row)
    while block[2] > 0:
        failure = call(load(kernel, width), block, work)
        if failure is None or failure.status != SUSPECT:
            return failure
        found = _search(kernel, record, packed, options, operands, batch, failure.state, width)
        if found:
            return found
        # none of them fails by itself, where a limit is met to rounding: their results are there, go on behind them
        block[1] = failure.state + width
        block[2] = rows * row - block[1]
    return None


def _search(
    kernel: Kernel,
    record: Any,
    packed: np.ndarray,
    options: np.ndarray,
    operands: list[Operand],
    batch: tuple[int, int],
    first: int,
    width: int,
) -> Failure | None:
    """Find the state among some lanes that is at fault, by running them one at a time."""
    rows, row = batch
    for state in range(first, min(first + width, rows * row)):
        single = [_one_state(x, state // row, state % row, kernel.in_place) for x in operands]
        failure = run(kernel, record, packed, options, single, None)
        if failure:
            return failure._replace(state=state)
    return None


def _one_state(x: Operand, row: int, column: int, in_place: bool) -> Operand:
    """A state's operand, contiguous."""
    start = x.start + row * x.row + column * x.column
    if x.array is None or x.step == 8 or in_place:
        return x._replace(start=start)
    return Operand(_view(x, row, column, in_place).copy(), 0, 0, 8, x.size, x.check)


def _view(x: Operand, row: int, column: int, in_place: bool) -> np.ndarray:
    """A state's entries where they lie; for in-place kernels, with all that follows."""
    assert x.array is not None
    start = x.start + row * x.row + column * x.column
    if in_place:
        return x.array.reshape(-1)[start // x.array.itemsize :]
    first = np.ctypeslib.as_array((ctypes.c_double * 1).from_address(x.array.ctypes.data + start))
    return as_strided(first, (x.size,), (x.step,))


def _interpret(
    kernel: Kernel, record: Any, options: np.ndarray, operands: list[Operand], batch: tuple[int, int] | None
) -> Failure | None:
    """The same with the interpreter."""
    rows, row = batch or (1, 1)
    work = np.empty(kernel.work(record))
    for state in range(rows * row):
        arrays = [None if x.array is None else _view(x, state // row, state % row, kernel.in_place) for x in operands]
        for k, (array, x) in enumerate(zip(arrays, operands)):
            if array is None or x.check in (UNCHECKED, RESULT):
                continue
            if not np.isfinite(array[: x.size]).all():
                return Failure(NOT_FINITE, state, k, 0)
            if x.check == CONFIGURATION and kernel.validate(record, array):
                return Failure(BAD_CONFIGURATION, state, k, kernel.validate(record, array))
        with np.errstate(all="ignore"):
            kernel.source(record, options, *arrays, work)
        detail = kernel.verdict(record, work)
        if detail:
            return Failure(BAD_VERDICT, state, 0, int(detail))
        for k, (array, x) in enumerate(zip(arrays, operands)):
            if x.check == RESULT and array is not None and not np.isfinite(array).all():
                return Failure(NOT_FINITE, state, k, 0)
    return None
