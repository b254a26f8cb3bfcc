"""Checks of plain arguments, and arrays that stay as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def flag(name: str, value: object) -> bool:
    """`value` if it is True or False, else a TypeError."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected True or False, got {value!r}")
    return bool(value)


def as_float(x: Any) -> float:
    """A float, NaN if x is no real number."""
    if isinstance(x, str | bytes | np.complexfloating):
        return math.nan
    try:
        return float(x)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def read_only(x: Any, dtype: Any = None) -> np.ndarray:
    """A copy that nobody can write to: a view of an array that is not writeable cannot be made so."""
    array = np.array(x, dtype, order="C")
    array.flags.writeable = False
    return array[...]
