"""A kernel: one algorithm's source with the arrays it reads and writes, for one state or a batch over lanes.

Compiled kernels take one pointer to a block of int64 and return a status (GOOD, or why they stopped):

    block[0]   address of the record (the tree): its sizes and addresses, field by field
    block[1]   the first state
    block[2]   how many states
    block[3]   states in a row of the batch: state s lies in row s // row, column s % row
    block[4]   address of the work memory
    block[5]   address of the options, integers that the source may ask for
    block[6]   written on failure: which state
    block[7]   written on failure: which operand
    block[8]   written on failure: what the validation or the verdict found
    block[9 + 6 k ...]   operand k: address, bytes from a row to the next, from a column to the next, from an entry to
               the next, how many entries, what is checked

The block needs no interpreter, so any language can call a kernel, and threads run it without the GIL.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

HEADER, PER_OPERAND = 9, 6
UNCHECKED, FINITE, CONFIGURATION, RESULT = 0, 1, 2, 3  # what is looked at, before a state is computed or after it
GOOD, NOT_FINITE, BAD_CONFIGURATION, BAD_VERDICT, SUSPECT = 0, 1, 2, 3, 4  # statuses; SUSPECT: something in these lanes


def no_verdict(tree: Any, work: Any) -> int:
    """The verdict of a kernel that cannot fail."""
    return 0


def no_margin(tree: Any, work: Any) -> float:
    """The margin of a kernel that cannot fail."""
    return 1.0


def no_work(tree: Any) -> int:
    """The work memory of a kernel that needs none."""
    return 0


class Kernel(NamedTuple):
    """An algorithm for one state, to be compiled once and run over many.

    `source(tree, options, *inputs, *outputs, work)` computes. `work(tree)` says how many entries the work memory has.
    `validate(tree, q)` looks at a configuration before, `verdict(tree, work)` at the work memory after: 0, or what is
    wrong.
    `deviation(tree, q)` and `margin(tree, work)` ask the same over lanes: all is well if the deviation is at most
    `tolerance` and the margin is positive. `in_place` kernels get the user's memory itself, not a copy of the state in
    work memory.
    """

    name: str
    source: Callable[..., None]
    inputs: int
    outputs: int
    record: type
    validate: Callable[..., int]
    deviation: Callable[..., Any]
    tolerance: float
    verdict: Callable[..., int] = no_verdict
    margin: Callable[..., Any] = no_margin
    work: Callable[..., int] = no_work
    in_place: bool = False


def _field_address(x: np.ndarray) -> int:
    """Where an array's data is, from the field of the array's header: a fifth of the time that NumPy takes to tell."""
    return ctypes.c_size_t.from_address(id(x) + _DATA_FIELD).value


def _told_address(x: np.ndarray) -> int:
    """Where an array's data is, as NumPy tells."""
    return x.ctypes.data


def _choose_address() -> Callable[[np.ndarray], int]:
    """The field follows two words in CPython; an interpreter for which that is not so is asked the slow way."""
    if sys.implementation.name != "cpython" or "t" in getattr(sys, "abiflags", ""):  # t: without the GIL
        return _told_address
    samples = [np.empty(3), np.empty((2, 5))[:, 1:], np.empty(0)]
    right = all(_field_address(x) == _told_address(x) for x in samples)
    return _field_address if right else _told_address


_DATA_FIELD = object.__basicsize__
data_address = _choose_address()


class Operand(NamedTuple):
    """An array that a kernel reads or writes, and how: strides in bytes, and where the first state's entries begin."""

    array: np.ndarray | None
    row: int
    column: int
    step: int
    size: int
    check: int = UNCHECKED
    start: int = 0

    @property
    def address(self) -> int:
        """Of the first state's first entry."""
        return 0 if self.array is None else data_address(self.array) + self.start


class Failure(NamedTuple):
    """Why a kernel stopped: a status, the state, the operand, and what the validation or the verdict found."""

    status: int
    state: int
    operand: int
    detail: int


def compilation_disabled() -> bool:
    """Whether sources run as plain Python, as Numba's own variable NUMBA_DISABLE_JIT asks."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def field_kinds(record: type) -> dict[str, str]:
    """How compiled code reads each field of a named tuple: "int", "Integers" or "Reals", as it is annotated."""
    return {name: str(getattr(kind, "__forward_arg__", kind)) for name, kind in record.__annotations__.items()}


def pack(record: Any) -> np.ndarray:
    """The sizes and addresses of a record's fields. The caller keeps the record alive."""
    return np.array([x if isinstance(x, int) else x.ctypes.data for x in record], np.int64)


def make_block(packed: np.ndarray, options: np.ndarray, operands: list[Operand], count: int, row: int) -> array[int]:
    """The block of a call, without work memory."""
    block = [data_address(packed), 0, count, row, 0, data_address(options), 0, 0, 0]
    for x in operands:
        block += (x.address, x.row, x.column, x.step, x.size, x.check)
    return array("q", block)


@functools.cache
def _function(address: int) -> Callable[[int], int]:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)


def call(address: int, block: array[int], work: np.ndarray) -> Failure | None:
    """Run machine code over the states of a block; the GIL is released meanwhile."""
    block[4] = data_address(work)
    status = _function(address)(block.buffer_info()[0])
    return Failure(status, *block[6:9]) if status else None
