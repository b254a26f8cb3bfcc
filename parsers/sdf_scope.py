"""The named thing that the reader of SDFormat is busy with: there values stand inside elements, not in attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import islice
from typing import TypeVar

import numpy as np

from ..model.assembly import pose
from ..model.numbers import LARGEST
from ..spatial.rotations import rotation_from_quaternion
from .scope import Scope, Vector, hint
from .values import BLANK, decimal, decimals, rotation_from_rpy
from .xml import Element

T = TypeVar("T")
FLAGS = {"true": True, "1": True, "false": False, "0": False}
INFINITIES = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "infinity": math.inf, "-infinity": -math.inf}
NO_LIMIT = 1e16  # older versions write their infinity so
LENGTH_TOLERANCE = 1e-3  # of a quaternion: a file's digits explain less, and readers disagree on what more means
LIKELY = 200  # names that are compared with one that is not found, and characters of a name
FORMATS = ("euler_rpy", "quat_xyzw")


class SdfScope(Scope):
    """A model, link, joint or frame: as `Scope`, with the contents of child elements as values."""

    __slots__ = ()

    def word_in(self, parent: Element, tag: str, example: str) -> str:
        """The text of a child that must be there, not empty."""
        element = self.required_child(parent, tag, example)
        word = element.text.strip(BLANK)
        if not word:
            raise self.error(f"<{tag}>: expected a name, got nothing; write {example}", element, element.text)
        return word

    def number_in(self, parent: Element | None, tag: str, default: float) -> float:
        """The plain decimal number in a child."""
        return self._content(parent, tag, default, decimal)

    def limit_in(self, parent: Element | None, tag: str, default: float) -> float:
        """The number in a child, which may be an infinity; numbers as large as `NO_LIMIT` are one."""
        return self._content(parent, tag, default, _limit)

    def vector_in(self, parent: Element | None, tag: str, default: Vector) -> Vector:
        """The three numbers in a child."""
        return self._content(parent, tag, default, lambda text: decimals(text, 3))

    def flag_in(self, parent: Element | None, tag: str) -> bool:
        """The truth value in a child; false if there is none."""
        return self._content(parent, tag, False, _flag)

    def flag_of(self, element: Element, attribute: str) -> bool:
        """An attribute that is a truth value; false if it is not there."""
        text = element.attributes.get(attribute, "false")
        return self._value(element, f"{element.tag} {attribute}", text, _flag)

    def pose_in(self, parent: Element) -> np.ndarray:
        """The pose (4, 4) in a child <pose>, in whatever frame it is relative to; none or an empty one is no motion."""
        element = self.child(parent, "pose")
        if element is None:
            return np.eye(4)
        kind, degrees = element.attributes.get("rotation_format", FORMATS[0]), self.flag_of(element, "degrees")
        if kind not in FORMATS:
            message = f"<pose rotation_format>: expected {' or '.join(FORMATS)}, got {kind!r}; correct it"
            raise self.error(message, element, kind)
        if not element.text.strip(BLANK):
            return np.eye(4)
        if kind == "euler_rpy":
            x, y, z, *angles = self._value(element, "pose", element.text, lambda text: _bounded(text, 6))
            roll, pitch, yaw = map(math.radians, angles) if degrees else angles
            return pose(rotation_from_rpy(roll, pitch, yaw), (x, y, z))
        if degrees:
            raise self.error("<pose degrees>: expected no degrees with a quaternion; remove the attribute", element)
        x, y, z, *quaternion = self._value(element, "pose", element.text, lambda text: _bounded(text, 7))
        length = math.hypot(*quaternion)
        if abs(length - 1.0) > LENGTH_TOLERANCE:
            message = f"<pose>: expected a quaternion x, y, z, w of length 1 behind the position, got length {length:g}"
            raise self.error(f"{message}; divide it by its length (no rotation is 0 0 0 1)", element, element.text)
        a, b, c, d = (x / length for x in quaternion)
        return pose(np.reshape(rotation_from_quaternion((a, b, c, d)), (3, 3)), (x, y, z))

    def _content(self, parent: Element | None, tag: str, default: T, convert: Callable[[str], T]) -> T:
        element = None if parent is None else self.child(parent, tag)
        return default if element is None else self._value(element, tag, element.text, convert)

    def _value(self, element: Element, what: str, text: str, convert: Callable[[str], T]) -> T:
        try:
            return convert(text)
        except ValueError as error:
            shown = text if len(text) <= 60 else text[:60] + "..."
            raise self.error(f"<{what}>: {error}; found {shown!r}{hint(text)}", element, text) from None


def _flag(text: str) -> bool:
    word = text.strip(BLANK).lower()
    if word not in FLAGS:
        raise ValueError("expected true or false")
    return FLAGS[word]


def _bounded(text: str, count: int) -> Vector:
    values = decimals(text, count)
    if max(map(abs, values)) > LARGEST:
        raise ValueError(f"expected numbers of at most {LARGEST:g}")
    return values


def _limit(text: str) -> float:
    word = text.strip(BLANK).lower()
    value = INFINITIES[word] if word in INFINITIES else decimal(text)
    return math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name that was meant, if one is near; long ones, and those far behind, are not compared."""
    short = [x for x in islice(names, LIKELY) if len(x) <= LIKELY]
    return next(iter(get_close_matches(name, short, n=1)), None) if len(name) <= LIKELY else None
