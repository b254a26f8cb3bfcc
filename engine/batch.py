"""Running kernels: one state with float64, a batch over lanes, or anything with the interpreter."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
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
    data_address,
    make_block,
)
from .loader import lane_width, load
from .threads import get_num_threads, pool

SMALL = 2**17  # entries of work memory, over all states, that no second thread is worth
CHUNK = 0.02  # s of work between two looks at Ctrl-C
WORTH_THREADS = 2e-4  # s of work left that repay waking other threads


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
    if batch is None:
        block = make_block(packed, options, operands, 1, 1)
        return call(load(kernel, 0), block, np.empty(kernel.work(record)))
    return _Batch(kernel, record, packed, options, operands, batch).run()


def _aligned(count: int) -> np.ndarray:
    """Work memory that begins with a cache line, so that no vector of lanes lies across two."""
    memory = np.empty(count + 7)
    start = -(data_address(memory) // 8) % 8
    return memory[start : start + count]


class _Batch:
    """States that threads take chunk by chunk. A state's result depends neither on chunks nor on threads."""

    def __init__(
        self,
        kernel: Kernel,
        record: Any,
        packed: np.ndarray,
        options: np.ndarray,
        operands: list[Operand],
        batch: tuple[int, int],
    ) -> None:
        self.kernel, self.record, self.packed, self.options, self.operands = kernel, record, packed, options, operands
        self.rows, self.row = batch
        self.total = self.rows * self.row
        self.width = lane_width()
        self.address = load(kernel, self.width)
        self.block = make_block(packed, options, operands, 0, self.row)
        own = 0 if kernel.in_place else sum(x.size for x in operands)
        self.work = self.width * (kernel.work(record) + own)
        self.lock = threading.Lock()
        self.next, self.per_state = 0, 0.0
        self.failure: Failure | None = None
        self.stopped = False

    def run(self) -> Failure | None:
        """Compute all states, in this thread and, if there is enough to do, in others."""
        memory = _aligned(self.work)
        if self.total * self.work < SMALL * self.width:
            self._compute(0, self.total, memory)
            return self.failure
        # a first look at what a state costs
        self._compute(*self._take(16 * self.width), memory)
        threads = get_num_threads()
        helpers = []
        if threads > 1 and (self.total - self.next) * self.per_state > WORTH_THREADS and not self.failure:
            with contextlib.suppress(RuntimeError):  # no new threads when the interpreter ends
                helpers = [pool(threads - 1).submit(self._work_off, threads) for _ in range(threads - 1)]
        try:
            self._work_off(1 + len(helpers), memory)
        finally:
            self.stopped = True
            for helper in helpers:
                if not helper.cancel():
                    helper.result()
        return self.failure

    def _work_off(self, threads: int, memory: np.ndarray | None = None) -> None:
        memory = _aligned(self.work) if memory is None else memory
        while not self.stopped:
            left = self.total - self.next
            share = left if threads == 1 else left // (2 * threads)
            first, count = self._take(min(int(CHUNK / max(self.per_state, 1e-9)), share))
            if not count:
                return
            self._compute(first, count, memory)

    def _take(self, count: int) -> tuple[int, int]:
        """The next states for a thread, whole groups of lanes."""
        count = max(4, -(-count // self.width)) * self.width
        with self.lock:
            first = self.next
            self.next = min(first + count, self.total)
            return first, self.next - first

    def _compute(self, first: int, count: int, memory: np.ndarray) -> None:
        begin = time.perf_counter()
        block = self.block[:]
        block[1], block[2] = first, count
        while block[2] > 0:
            failure = call(self.address, block, memory)
            if failure is None:
                break
            found: Failure | None = failure
            if failure.status == SUSPECT:
                batch = (self.rows, self.row)
                found = _search(
                    self.kernel, self.record, self.packed, self.options, self.operands, batch, failure.state, self.width
                )
            if found:
                self._fail(found)
                return
            # none of them fails by itself, where a limit is met to rounding: their results are there, go on behind them
            block[1] = failure.state + self.width
            block[2] = first + count - block[1]
        self.per_state = (time.perf_counter() - begin) / count if count else 0.0

    def _fail(self, failure: Failure) -> None:
        """Take no more states; of several failures keep the first in the batch."""
        with self.lock:
            self.next = self.total
            if self.failure is None or failure.state < self.failure.state:
                self.failure = failure


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
            with np.errstate(all="ignore"):
                wrong = kernel.validate(record, array) if x.check == CONFIGURATION else 0
            if wrong:
                return Failure(BAD_CONFIGURATION, state, k, int(wrong))
        with np.errstate(all="ignore"):
            kernel.source(record, options, *arrays, work)
        detail = kernel.verdict(record, work)
        if detail:
            return Failure(BAD_VERDICT, state, 0, int(detail))
        for k, (array, x) in enumerate(zip(arrays, operands)):
            if x.check == RESULT and array is not None and not np.isfinite(array).all():
                return Failure(NOT_FINITE, state, k, 0)
    return None
