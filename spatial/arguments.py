"""What a user passes becomes a finite float64 array of the right shape, or an error: the threshold of this room."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def real_array(value: Any, name: str, trailing: tuple[int, ...] = (), hint: str = "") -> Array:
    """A copy of `value` as float64, of shape (..., *trailing).

    Raises
    ------
    TypeError
        Not an array of real numbers.
    ValueError
        Another shape, or a number that is not finite.
    """
    expected = "real numbers of shape (" + ", ".join(["...", *map(str, trailing)]) + ")"
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(_complaint(name, expected, "rows of different lengths", hint)) from None
    if array.dtype.kind not in "iuf":
        got = type(value).__name__ if array.dtype.kind == "O" else f"{type(value).__name__} of {array.dtype}"
        raise TypeError(_complaint(name, expected, got, hint))
    if array.shape[array.ndim - len(trailing) :] != trailing or array.ndim < len(trailing):
        raise ValueError(_complaint(name, expected, f"shape {array.shape}", hint))
    copy = np.array(array, np.float64, order="C")
    finite = np.isfinite(copy)
    if not finite.all():
        index = tuple(int(i) for i in np.argwhere(~finite)[0])
        where = f" at index {index}" if index else ""
        raise ValueError(_complaint(name, "finite numbers", f"{copy[index]}{where}", hint))
    return copy


def broadcast_shapes(named: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The common batch shape of several arguments.

    Raises
    ------
    ValueError
        Shapes that do not broadcast, each named.
    """
    try:
        return np.broadcast_shapes(*named.values())
    except ValueError:
        got = ", ".join(f"{name} {shape}" for name, shape in named.items())
        hint = "from the last on, dimensions must be equal or 1"
        raise ValueError(_complaint("batch shapes", "shapes that broadcast", got, hint)) from None


def first_index(mask: Any) -> str:
    """The first batch index where `mask` holds, as text to put behind a name; nothing without a batch."""
    mask = np.asarray(mask)
    return f"[{', '.join(str(i) for i in np.argwhere(mask)[0])}]" if mask.ndim else ""


def _complaint(name: str, expected: str, got: str, hint: str) -> str:
    return f"{name}: expected {expected}, got {got}" + (f"; hint: {hint}" if hint else "")
