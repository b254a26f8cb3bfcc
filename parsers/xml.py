"""XML as a tree of elements that know their lines, built on expat: shared by the readers, knows no format."""

from __future__ import annotations

import re
from typing import Any

from .errors import ParseError
from .sources import Source

MAX_DEPTH = 64
MAX_ELEMENTS = 500_000
# the encodings that a declaration may name: a file shall not choose among all codecs of Python, some are no charsets
_ENCODING = re.compile(
    r"(us-)?ascii|utf-?(8|16)(-?[bl]e)?|iso-?8859-\d+|latin-?\d+|(windows|cp)-?\d+|koi8-[rtu]|mac-?roman"
)
# those of several bytes a character, which expat leaves to us
MULTIBYTE = frozenset(["big5", "cp932", "cp936", "cp949", "euc-jp", "euc-kr", "gb18030", "gb2312", "gbk", "shift-jis"])


class Element:
    """One element.

    `tag` is its name. A prefix that is also the root's is dropped, so that a document which prefixes everything reads
    as one without; elements of other vocabularies keep theirs. `text` is the character data directly inside, `line`
    where the start tag stands, `start` how many bytes of the source go before it.
    """

    __slots__ = ("attributes", "children", "line", "start", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, start: int = 0) -> None:
        self.tag = tag
        self.attributes = attributes
        self.line = line
        self.start = start
        self.text = ""
        self.children: list[Element] = []

    def __repr__(self) -> str:
        return f"<Element {self.tag!r}, line {self.line}>"


def parse_xml(source: Source) -> Element:
    """Read the XML of a source and return its root.

    Time is linear in the length of the source, and no Python recursion depends on it.

    Raises
    ------
    ParseError
        No well-formed XML, an unknown encoding, a document type (so no entity is ever expanded), elements nested
        deeper than `MAX_DEPTH`, or more than `MAX_ELEMENTS`.
    """
    # not at the top: importing the package shall not import XML
    from xml.parsers import expat

    tree = _TreeMaker(source, expat.ParserCreate(source.encoding))
    try:
        tree.parser.Parse(source.data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        line = error.lineno + source.skipped
        message = f"not well-formed XML: {reason} (column {error.offset + 1}); mend the tag there or the one before"
        raise ParseError(message, source.file, line) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ParseError):
            raise
        return parse_xml(_decoded(source, tree.declared, error))
    assert tree.root is not None  # expat accepts no document without one
    return tree.root


class _TreeMaker:
    """Expat's events into elements; the open ones are a stack of our own."""

    def __init__(self, source: Source, parser: Any) -> None:
        self.source = source
        self.parser = parser
        self.root: Element | None = None
        self.declared: str | None = None
        self._open: list[Element] = []
        self._texts: list[list[str]] = []  # the pieces of each open element's text, joined once at its end
        self._prefix = ""
        self._number = 0
        parser.buffer_text = True
        parser.XmlDeclHandler = self._declare
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def _line(self) -> int:
        return self.parser.CurrentLineNumber + self.source.skipped

    def _declare(self, version: str, encoding: str | None, standalone: int) -> None:
        self.declared = encoding
        name = _plain(encoding)
        if not self.source.encoding and encoding and name not in MULTIBYTE and not _ENCODING.fullmatch(name):
            message = f"expected a known encoding, got {encoding!r}; save the file as UTF-8"
            raise ParseError(message, self.source.file, self._line(), value=encoding)

    def _refuse_doctype(self, *unused: Any) -> None:
        message = "expected no <!DOCTYPE>: document types can define entities, which are not expanded; remove it"
        raise ParseError(message, self.source.file, self._line())

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.root is None:
            self._prefix = tag[: tag.rfind(":") + 1]
        element = Element(tag.removeprefix(self._prefix), attributes, self._line(), self.parser.CurrentByteIndex)
        if self.root is None:
            self.root = element
        else:
            self._open[-1].children.append(element)
        self._open.append(element)
        self._texts.append([])
        self._number += 1
        if self._number > MAX_ELEMENTS:
            message = f"expected at most {MAX_ELEMENTS} elements, got more; split the file"
            raise ParseError(message, self.source.file, element.line, element.tag)
        if len(self._open) > MAX_DEPTH:
            message = f"<{tag}>: expected elements nested at most {MAX_DEPTH} deep; take the outer ones away"
            raise ParseError(message, self.source.file, element.line, element.tag)

    def _end(self, tag: str) -> None:
        self._open.pop().text = "".join(self._texts.pop())

    def _text(self, text: str) -> None:
        if self._texts:
            self._texts[-1].append(text)


def _plain(encoding: str | None) -> str:
    return (encoding or "").lower().replace("_", "-")


def _decoded(source: Source, declared: str | None, error: Exception) -> Source:
    """The source in UTF-8, for the declared encodings that expat does not decode itself."""
    name = _plain(declared)
    if source.encoding is None and name in MULTIBYTE:
        try:
            return Source(source.data.decode(name).encode("utf-8"), source.file, source.skipped, "utf-8")
        except UnicodeError as failure:
            error = failure
    message = f"the text cannot be decoded as {declared!r}: {error}; save it as UTF-8"
    raise ParseError(message, source.file, 1 + source.skipped, value=declared) from None
