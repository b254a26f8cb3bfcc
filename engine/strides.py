"""Arrays of any strides and broadcast shapes as a kernel's operands, copied only if need be."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .kernel import Operand

ABSENT = Operand(None, 0, 0, 0, 0)


def spread(
    arrays: Sequence[np.ndarray | None],
    cores: Sequence[tuple[int, ...]],
    batch: tuple[int, ...],
    checks: Sequence[int],
) -> tuple[list[Operand], tuple[int, int] | None]:
    """Operands and the (rows, columns) of the batch, None for a single state.

    `cores` are the shapes of one state's part; an array's other dimensions broadcast to `batch`.
    """
    if not batch:
        return [_single(x, core, check) for x, core, check in zip(arrays, cores, checks)], None
    if len(batch) == 1:
        return [_row(x, core, check) for x, core, check in zip(arrays, cores, checks)], (1, batch[0])
    views = [None if x is None else _entries_last(x, core) for x, core in zip(arrays, cores)]
    strides = [_batch_strides(x, batch) for x in views]
    shape, strides = _merge(batch, strides)
    if len(shape) > 2:
        views = [x if x is None or x.ndim == 1 else _whole(x, batch) for x in views]
        shape, strides = _merge(batch, [_batch_strides(x, batch) for x in views])
    rows, columns = (1, 1, *shape)[-2:]
    operands = []
    for x, steps, check in zip(views, strides, checks):
        if x is None:
            operands.append(ABSENT)
        else:
            row, column = (0, 0, *steps)[-2:]
            operands.append(Operand(x, row, column, x.strides[-1], x.shape[-1], check))
    return operands, (rows, columns)


def _single(x: np.ndarray | None, core: tuple[int, ...], check: int) -> Operand:
    if x is None:
        return ABSENT
    if not x.flags.c_contiguous:
        x = np.ascontiguousarray(x)
    return Operand(x, 0, 0, 8, x.size, check)


def _row(x: np.ndarray | None, core: tuple[int, ...], check: int) -> Operand:
    """An operand of a batch of one dimension."""
    if x is None:
        return ABSENT
    x = _entries_last(x, core)
    strides, shape = x.strides, x.shape
    return Operand(x, 0, 0 if len(shape) == 1 or shape[0] == 1 else strides[0], strides[-1], shape[-1], check)


def _entries_last(x: np.ndarray, core: tuple[int, ...]) -> np.ndarray:
    """The array with one last dimension for all entries of a state."""
    if len(core) == 1:
        return x
    return x.reshape(*x.shape[: x.ndim - len(core)], math.prod(core))


def _whole(x: np.ndarray, batch: tuple[int, ...]) -> np.ndarray:
    return np.ascontiguousarray(np.broadcast_to(x, (*batch, x.shape[-1])))


def _batch_strides(x: np.ndarray | None, batch: tuple[int, ...]) -> list[int]:
    """Bytes from a state to the next along each dimension of the batch; 0 where it is the same."""
    if x is None:
        return [0] * len(batch)
    own = x.shape[:-1]
    steps = [0 if n == 1 else step for n, step in zip(own, x.strides)]
    return [0] * (len(batch) - len(own)) + steps


def _merge(batch: tuple[int, ...], strides: list[list[int]]) -> tuple[tuple[int, ...], list[list[int]]]:
    """Dimensions of the batch, joined wherever all arrays step through them evenly."""
    shape: list[int] = []
    merged: list[list[int]] = [[] for _ in strides]
    for d in range(len(batch) - 1, -1, -1):
        if batch[d] == 1:
            continue
        if shape and all(steps[d] == done[0] * shape[0] for steps, done in zip(strides, merged)):
            shape[0] *= batch[d]
            continue
        shape.insert(0, batch[d])
        for steps, done in zip(strides, merged):
            done.insert(0, steps[d])
    return tuple(shape), merged


def overlaps_itself(x: np.ndarray) -> bool:
    """Whether two entries of an array share memory."""
    if x.flags.c_contiguous or not x.size:
        return False
    steps = sorted((abs(step), n) for step, n in zip(x.strides, x.shape) if n > 1)
    reach = x.itemsize
    for step, n in steps:
        if step < reach:  # else a step leads beyond all that smaller ones reach
            break
        reach += step * (n - 1)
    else:
        return False
    places = np.zeros(1, np.int64)
    for step, n in steps:
        places = np.add.outer(places, step * np.arange(n)).ravel()
    return bool((np.diff(np.sort(places)) < x.itemsize).any())
