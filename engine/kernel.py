"""A kernel: one algorithm's source with the list of arrays it reads and writes, callable on batches of states.

Compiled kernels take one pointer to a block of int64 and return a status:

    block[0]   address of the record (the tree): its sizes and addresses, field by field
    block[1]   how many states
    block[2]   address of the work memory
    block[3]   address of the options, integers that the source may ask for
    block[4]   written on failure: which state
    block[5]   written on failure: which operand
    block[6]   written on failure: what the validation or the verdict found
    block[7 + 4 k ...]   operand k: address, entries from one state to the next (0: the same for all), size, check

The block needs no interpreter, so any language can call a kernel, and threads run it without the GIL.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

HEADER, PER_OPERAND = 7, 4
UNCHECKED, FINITE, CONFIGURATION, RESULT = 0, 1, 2, 3  # what is looked at, before a state is computed or after (RESULT)
GOOD, NOT_FINITE, BAD_CONFIGURATION, BAD_VERDICT = 0, 1, 2, 3  # statuses


def no_verdict(tree: Any, work: Any) -> int:
    """The verdict of a kernel that cannot fail."""
    return 0


def no_work(tree: Any) -> int:
    """The work memory of a kernel that needs none."""
    return 0


@dataclass(frozen=True, eq=False)
class Kernel:
    """An algorithm for one state, to be compiled once and run over many.

    `source(tree, options, *operands, work)` computes; `verdict(tree, work)` says afterwards, from the work memory, whether
    the result can be trusted (0) or what is wrong; `validate(tree, q)` likewise looks at a configuration before.
    `work(tree)` says how many entries the work memory has.
    """

    name: str
    source: Callable[..., None]
    operands: int
    record: type
    validate: Callable[..., int]
    verdict: Callable[..., int] = no_verdict
    work: Callable[..., int] = no_work

    def address(self) -> int:
        """The machine code's address, compiled or loaded at the first use."""
        from .loader import load

        return load(self)


class Operand(NamedTuple):
    """An array that a kernel reads or writes, C-contiguous float64.

    The first state's part begins at entry `start` and has `size` entries, `stride` entries lead to the next state's.
    """

    array: np.ndarray | None
    stride: int
    size: int
    check: int = UNCHECKED
    start: int = 0


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
    return {name: getattr(kind, "__forward_arg__", kind) for name, kind in record.__annotations__.items()}


def pack(record: Any) -> np.ndarray:
    """The sizes and addresses of a record's fields. The caller keeps the record alive."""
    return np.array([x if isinstance(x, int) else x.ctypes.data for x in record], np.int64)


def run(
    kernel: Kernel, record: Any, packed: np.ndarray, options: np.ndarray, operands: list[Operand], count: int
) -> Failure | None:
    """Run a kernel over `count` states; None if all is well."""
    if compilation_disabled():
        return _run_python(kernel, record, options, operands, count, np.empty(kernel.work(record)))
    memory = np.empty(kernel.work(record))
    block = np.empty(HEADER + PER_OPERAND * len(operands), np.int64)
    block[0], block[1], block[2], block[3] = packed.ctypes.data, count, memory.ctypes.data, options.ctypes.data
    for k, (array, stride, size, check, start) in enumerate(operands):
        at = HEADER + PER_OPERAND * k
        address = 0 if array is None else array.ctypes.data + array.itemsize * start
        block[at : at + PER_OPERAND] = address, stride, size, check
    status = _call(kernel.address(), block.ctypes.data)
    return Failure(status, *map(int, block[4:7])) if status else None


def _call(address: int, block: int) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)(block)


def _run_python(
    kernel: Kernel, record: Any, options: np.ndarray, operands: list[Operand], count: int, work: np.ndarray
) -> Failure | None:
    """The same as compiled code does, with the interpreter."""
    flat = [None if x.array is None else x.array.reshape(-1) for x in operands]
    for b in range(count):
        state = [None if array is None else array[x.start + b * x.stride :] for array, x in zip(flat, operands)]
        for k, (array, x) in enumerate(zip(state, operands)):
            if array is None or x.check in (UNCHECKED, RESULT):
                continue
            if not np.isfinite(array[: x.size]).all():
                return Failure(NOT_FINITE, b, k, 0)
            if x.check == CONFIGURATION and kernel.validate(record, array):
                return Failure(BAD_CONFIGURATION, b, k, kernel.validate(record, array))
        with np.errstate(all="ignore"):
            kernel.source(record, options, *state, work)
        detail = kernel.verdict(record, work)
        if detail:
            return Failure(BAD_VERDICT, b, 0, int(detail))
        for k, (array, x) in enumerate(zip(state, operands)):
            if x.check == RESULT and not np.isfinite(array[: x.size]).all():
                return Failure(NOT_FINITE, b, k, 0)
    return None
