"""Vectors as they are typed: "0.1, 0.2" or "elbow=0.2, wrist=0.3"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import numpy as np


def numbers(option: str, text: str) -> list[float]:
    """The numbers in a text, divided by commas or blanks.

    Raises
    ------
    ValueError
        Something else is among them.
    """
    return [_number(option, word) for word in _words(text)]


def assigned(option: str, text: str, names: Sequence[str], default: np.ndarray) -> np.ndarray:
    """A vector with the values that a text gives: all of them in order, or some as name=number over the default.

    Raises
    ------
    ValueError
        Numbers that are none, too many or too few; unknown names, with near ones.
    """
    words = _words(text)
    if not words:
        return default
    if not any("=" in word for word in words):
        if len(words) != len(default):
            raise ValueError(
                f"{option}: expected {len(default)} numbers or name=number pairs, got {len(words)} numbers"
            )
        return np.array(numbers(option, text))
    vector, seen = default.copy(), set()
    for word in words:
        name, equals, value = word.rpartition("=")
        if not equals:
            raise ValueError(f"{option}: expected only name=number pairs or only numbers, got {word!r} among pairs")
        if name in seen:
            raise ValueError(f"{option}: {name!r} is given twice")
        if name not in names:
            near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
            listed = ", ".join(map(repr, near or names[:6]))
            hint = f"did you mean {listed}?" if near else f"there are {listed}" + (" ..." if len(names) > 6 else "")
            raise ValueError(f"{option}: there is no {name!r}; {hint}")
        seen.add(name)
        vector[names.index(name)] = _number(option, value)
    return vector


def _words(text: str) -> list[str]:
    # blanks around = belong to the pair
    return [word for word in re.split(r"[\s,]+", re.sub(r"\s*=\s*", "=", text.strip())) if word]


def _number(option: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"{option}: expected a number, got {word!r}") from None
