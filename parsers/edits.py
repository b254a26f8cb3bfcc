"""Changes to an XML text at the places of its attributes; every other byte stays as it is."""

from __future__ import annotations

import re

from .errors import ParseError
from .sources import BLANK, UTF8_MARK, UTF16_STARTS, Source
from .xml import MULTIBYTE, Element

_TAG_NAME = re.compile(rb"<[^\s/>]+")
_ATTRIBUTE = re.compile(rb"\s+([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ENCODING = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)")


def declared_encoding(data: bytes) -> str:
    """The encoding that XML declares, in small letters with "-"; "utf-8" if it declares none."""
    declared = _ENCODING.match(data.removeprefix(UTF8_MARK).lstrip(BLANK))
    return declared[1].decode("ascii", "replace").lower().replace("_", "-") if declared else "utf-8"


class Edits:
    """Changes of attributes in one source, made all at once.

    Raises
    ------
    ParseError
        Bytes in an encoding whose characters have several of them, other than UTF-8: places in it are not known.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._changes: dict[tuple[int, int], bytes] = {}
        name = "utf-16" if source.data.startswith(UTF16_STARTS) else declared_encoding(source.data)
        if source.encoding is None and (name.startswith("utf-16") or name in MULTIBYTE):
            message = f"expected UTF-8, or an encoding of one byte a character, got {name}; save it as UTF-8"
            raise ParseError(message, source.file, 1 + source.skipped, value=name)

    def value(self, element: Element, attribute: str, text: str) -> None:
        """Give an attribute that is there another value."""
        self._changes[self._places(element)[attribute][1]] = text.encode("ascii")

    def name(self, element: Element, attribute: str, text: str) -> None:
        """Give an attribute that is there another name."""
        self._changes[self._places(element)[attribute][0]] = text.encode("ascii")

    def data(self) -> bytes:
        """The whole source, changed."""
        data = self._source.data
        for (start, stop), text in sorted(self._changes.items(), reverse=True):
            data = data[:start] + text + data[stop:]
        declared = declared_encoding(data)
        if self._source.encoding is not None and declared != self._source.encoding:  # a str, which was made UTF-8
            data = data.decode(self._source.encoding).encode(declared, "xmlcharrefreplace")
        return self._source.before + data

    def _places(self, element: Element) -> dict[str, tuple[tuple[int, int], tuple[int, int]]]:
        """Where the name and the value of each attribute stand."""
        data = self._source.data
        tag = _TAG_NAME.match(data, element.start)
        found = {}
        at = tag.end() if tag else len(data)
        while (match := _ATTRIBUTE.match(data, at)) is not None:
            value = 2 if match[2] is not None else 3
            found[match[1].decode("ascii", "replace")] = (match.span(1), match.span(value))
            at = match.end()
        return found
