"""Numbers as descriptions write them, and the rotations they stand for."""

from __future__ import annotations

import math
import re
import sys

from ..model.description import Matrix

LARGEST = sys.float_info.max
BLANK = " \t\r\n"  # XML's; Python's own notion of blank has many more
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BLANKS = re.compile(f"[{BLANK}]+")


def decimal(text: str) -> float:
    """One plain, finite decimal number. Python's float() would also take 1_0, nan, infinity and fullwidth digits.

    Raises
    ------
    ValueError
        What was expected instead.
    """
    text = text.strip(BLANK)
    if not _DECIMAL.fullmatch(text):
        raise ValueError("expected a plain decimal number, such as -0.25 or 1e-3")
    value = float(text)
    if math.isinf(value):
        raise ValueError("expected a number below 1.8e308, the largest of float64")
    return value + 0.0  # no minus zero


def limit(value: float) -> float:
    """A limit; the largest float64 says that there is none, where a format wants a number."""
    return math.copysign(math.inf, value) if abs(value) >= LARGEST else value


def decimals(text: str, count: int) -> tuple[float, ...]:
    """Several plain decimal numbers, with blanks between them.

    Raises
    ------
    ValueError
        What was expected instead.
    """
    words = _BLANKS.split(text.strip(BLANK)) if text.strip(BLANK) else []
    if len(words) != count:
        raise ValueError(f"expected {count} numbers with blanks between them, got {len(words)}")
    return tuple(map(decimal, words))


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Matrix:
    """Rz(yaw) Ry(pitch) Rx(roll): turns about the fixed axes x, y, z, in that order."""
    (sr, cr), (sp, cp), (sy, cy) = map(_sine_and_cosine, (roll, pitch, yaw))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def _sine_and_cosine(angle: float) -> tuple[float, float]:
    """Sine and cosine of an angle, with exact zeros for quarter turns.

    The double next to pi/2 has a cosine of 6e-17. Writing 0 for it moves the rotation by less than one rounding of its
    entries, and keeps axes that were meant to be parallel parallel. Angles near 0 are not quarter turns: their small
    sine is right as it is.
    """
    s, c = math.sin(angle), math.cos(angle)
    rounding = 2.0**-52
    if abs(c) < rounding:
        return s, 0.0
    if abs(s) < rounding and abs(angle) > 1.0:
        return 0.0, c
    return s, c
