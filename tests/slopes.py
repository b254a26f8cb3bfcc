"""Derivatives by differences, with bounds of their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

STEP = 2e-3
WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # the central difference of sixth order


def slope(function: Callable[[float], Any], error: Any, step: float = STEP) -> tuple[Any, Any]:
    """The derivative at 0 of an array-valued function whose values are off by `error`, and a bound of its own error.

    The difference leaves C step^6, the one at twice the step 64 times as much: so the two differ by 63 times the error.
    An eighth is taken instead of a 63rd, since terms of higher order follow.
    """

    def difference(h: float) -> Any:
        return sum(w / h * (function(k * h) - function(-k * h)) for k, w in WEIGHTS)

    found, coarse = difference(step), difference(2.0 * step)
    rounding = sum(abs(w) for _, w in WEIGHTS) * 2.0 / step * error
    return found, np.abs(found - coarse).max() / 8.0 + rounding
