"""The named thing that a reader is busy with: looks up what it needs, and says where and in what an error is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from .errors import ParseError
from .values import decimal, decimals
from .xml import Element

T = TypeVar("T")
Vector = tuple[float, ...]
XACRO_HINT = "it is left over from xacro: expand the file first, with `xacro robot.urdf.xacro > robot.urdf`"


class Scope(NamedTuple):
    """A link, joint or the like: the file it stands in, its element, its kind, and its name if it has one."""

    file: str
    element: Element
    kind: str
    name: str | None = None

    @property
    def title(self) -> str:
        """How an error calls it."""
        return self.kind if self.name is None else f"{self.kind} {self.name!r}"

    def error(self, message: str, at: Element | None = None, value: str | None = None) -> ParseError:
        """An error in this thing, at the line of one of its elements."""
        line = (at or self.element).line
        return ParseError(f"{self.title}: {message}", self.file, line, self.kind, self.name, value)

    def child(self, parent: Element, tag: str) -> Element | None:
        """The one child with this tag, or None."""
        found = [x for x in parent.children if x.tag == tag]
        if len(found) > 1:
            raise self.error(f"expected one <{tag}>, got another at line {found[0].line}; remove one", found[1])
        return found[0] if found else None

    def required_child(self, parent: Element, tag: str, example: str) -> Element:
        """The one child with this tag."""
        found = self.child(parent, tag)
        if found is None:
            raise self.error(f"<{parent.tag}>: expected a <{tag}>; add {example}", parent)
        return found

    def text(self, element: Element, attribute: str) -> str:
        """An attribute that is not empty."""
        value = element.attributes.get(attribute)
        if not value:
            got = "none" if value is None else "an empty one"
            raise self.error(
                f"<{element.tag}>: expected the attribute {attribute!r}, got {got}; add it", element, value
            )
        return value

    def number(self, element: Element | None, attribute: str, default: float | None = None) -> float:
        """An attribute that is a plain decimal number; without a default it must be there."""
        return self._convert(element, attribute, default, decimal)

    def vector(self, element: Element | None, attribute: str, default: Vector | None = None) -> Vector:
        """An attribute that is three plain decimal numbers; without a default it must be there."""
        return self._convert(element, attribute, default, lambda text: decimals(text, 3))

    def _convert(self, element: Element | None, attribute: str, default: T | None, convert: Callable[[str], T]) -> T:
        if default is not None and (element is None or attribute not in element.attributes):
            return default
        element = element or self.element
        text = element.attributes.get(attribute)
        if text is None:
            raise self.error(f"<{element.tag}>: expected the attribute {attribute!r}, got none; add it", element)
        try:
            return convert(text)
        except ValueError as error:
            shown = text if len(text) <= 60 else text[:60] + "..."
            message = f"<{element.tag} {attribute}>: {error}; found {shown!r}{hint(text)}"
            raise self.error(message, element, text) from None


def hint(text: str) -> str:
    """How to mend a text that is no number, where it is plain what went wrong."""
    if "${" in text or "$(" in text:
        return f"; {XACRO_HINT}"
    if "," in text:
        return "; write blanks between numbers and a point before decimals, no commas"
    return ""
