"""The few operations, besides + - * /, that a recursion may use on its scalars and arrays.

A recursion is plain Python over scalars of any kind. Each function here works as it stands on Python floats, NumPy
arrays and on the scalars of mpmath, SymPy and CasADi; `engine.compiler` gives the compiled meaning for float64.
Nothing in a recursion branches on the value of a scalar: `select_less` chooses between two values instead.
"""

from __future__ import annotations

import math
import sys
from typing import Any

EIGHT = 8  # entries of an array that are treated together
Scalar = Any
Array = Any
Integers = Any  # a flat array of int64; as a record's annotation it says how compiled code reads the field
Reals = Any  # a flat array of scalars


def _library(x: Scalar) -> Any:
    """Return the module whose `sin`, `sqrt` and so on belong to the scalar `x`."""
    # SymPy's functions of time have classes without a module, but bases with one
    package = next(kind.__module__ for kind in type(x).__mro__ if kind.__module__).partition(".")[0]
    return math if package == "builtins" else sys.modules[package]


def sincos(x: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine of an angle in radians."""
    library = _library(x)
    return library.sin(x), library.cos(x)


def with_sines(q: Array, count: int, room: Array) -> Array:
    """Coordinates for `sincos_at`: compiled for one state, with the sines and cosines of all, 2 count, in `room`."""
    return q


def sincos_at(q: Array, k: int) -> tuple[Scalar, Scalar]:
    """Sine and cosine of entry k of what `with_sines` gave."""
    return sincos(q[k])


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return _library(x).sqrt(x)


def exp(x: Scalar) -> Scalar:
    """e^x, of numbers that are at most zero."""
    return _library(x).exp(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y), between -pi and pi."""
    library = _library(y + x)
    return library.arctan2(y, x) if library.__name__ == "numpy" else library.atan2(y, x)


def select_less(a: Scalar, b: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
    """`then` where a < b, else `otherwise`; both are evaluated."""
    library = _library(a + b)
    if library.__name__ == "numpy":
        return library.where(a < b, then, otherwise)
    if library.__name__ == "casadi":
        return library.if_else(a < b, then, otherwise)
    if library.__name__ == "sympy":
        return library.Piecewise((then, a < b), (otherwise, True))
    return then if a < b else otherwise


def lift(array: Array, x: Scalar) -> Scalar:
    """The constant `x` as a scalar of the kind that `array` holds, so that both sides of a branch have one type."""
    return x


def eight_zeros(array: Array) -> Any:
    """Eight zeros, of the kind that `load_eight` gives."""
    zero = lift(array, 0.0)
    return (zero, zero, zero, zero, zero, zero, zero, zero)


def load_eight(array: Array, k: int) -> Any:
    """Entries k to k + 7: sums of so many stay in registers, and none waits for another; of one state, one vector."""
    return (array[k], array[k + 1], array[k + 2], array[k + 3], array[k + 4], array[k + 5], array[k + 6], array[k + 7])


def store_eight(array: Array, k: int, x: Any) -> None:
    """Write entries k to k + 7."""
    array[k], array[k + 1], array[k + 2], array[k + 3] = x[0], x[1], x[2], x[3]
    array[k + 4], array[k + 5], array[k + 6], array[k + 7] = x[4], x[5], x[6], x[7]


def store_column(array: Array, k: int, step: int, x: Any) -> None:
    """Write eight entries, each `step` after the one before, the first at k."""
    array[k], array[k + step], array[k + 2 * step], array[k + 3 * step] = x[0], x[1], x[2], x[3]
    k += 4 * step
    array[k], array[k + step], array[k + 2 * step], array[k + 3 * step] = x[4], x[5], x[6], x[7]


def eight_minus(x: Any, s: Scalar, y: Any) -> Any:
    """x - s y."""
    return (
        x[0] - s * y[0],
        x[1] - s * y[1],
        x[2] - s * y[2],
        x[3] - s * y[3],
        x[4] - s * y[4],
        x[5] - s * y[5],
        x[6] - s * y[6],
        x[7] - s * y[7],
    )


def after(array: Array, count: int) -> Array:
    """The part of a flat array that begins `count` entries later; a view, never a copy."""
    return array[count:]


def present(array: Array) -> bool:
    """Whether an optional array was given."""
    return array is not None


def absent(like: Array) -> Array:
    """An array that is not there, where one like `like` could be given."""
    return None


def positive(x: Scalar) -> bool:
    """Whether x is positive, over lanes whether all are; NaN is not."""
    return bool(x > 0.0)


def copy_if_present(source: Array, target: Array, count: int) -> Array:
    """`target` with a copy of `source`, or an absent array if `source` is absent."""
    if source is None:
        return None
    copy(source, target, count)
    return target


def copy(source: Array, target: Array, count: int) -> None:
    """Copy the first `count` entries of a flat array to another."""
    for k in range(count):
        target[k] = source[k]
