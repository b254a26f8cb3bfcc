"""Numbers of a description: finite, of the right shape, and of a size that float64 arithmetic leaves room for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import as_float
from .errors import ModelError

# no robot comes near it, and the product of mass and two lengths of that size is still a float64
LARGEST = 1e60
Element = tuple[str, str]


def number(x: Any, what: str, element: Element) -> float:
    """A finite number."""
    value = as_float(x)
    if not math.isfinite(value):
        raise ModelError(f"{element[0]} {element[1]!r}: {what}: expected a finite number, got {x!r}", element)
    check_size(value, what, element)
    return value


def check_size(x: Any, what: str, element: Element) -> None:
    """Raise the error of a number that is too large."""
    size = np.abs(x).max()
    if size > LARGEST:
        raise ModelError(f"{element[0]} {element[1]!r}: {what}: expected at most {LARGEST:g}, got {size:g}", element)


def convert(converter: Callable[[Any], Any], x: Any, what: str, element: Element) -> Any:
    """What a converter such as `vector` makes of x, its ValueError told with the element."""
    try:
        value = converter(x)
    except ValueError as error:
        raise ModelError(f"{element[0]} {element[1]!r}: {what}: {error}", element) from None
    check_size(value, what, element)
    return value
