"""Where a description comes from: a path, or the text itself."""

from __future__ import annotations

import os
from typing import NamedTuple

from .errors import ParseError

Readable = str | bytes | bytearray | os.PathLike[str]
TEXT = "<string>"  # stands for the file's name in errors about a text
BLANK = b" \t\r\n"
MARK_OR_BLANK = "\ufeff \t\r\n"
UTF8_MARK = b"\xef\xbb\xbf"
# the marks of UTF-16, and a "<" of UTF-16 without a mark
UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")


class Source(NamedTuple):
    """Bytes of XML that begin at its first "<".

    `file` names their origin in errors, `skipped` is how many lines went before, and `encoding`, when it is known from
    elsewhere, overrides what the XML declares. `before` are the bytes that went before: a mark, blanks.
    """

    data: bytes
    file: str
    skipped: int = 0
    encoding: str | None = None
    before: bytes = b""


def open_source(source: Readable) -> Source:
    """Read a path, or take a text: bytes, or a str that begins with "<" behind an optional byte order mark and blanks.

    Raises
    ------
    ParseError
        The file cannot be read, or there is nothing in it that begins like XML.
    TypeError
        The source is neither a path nor a text.
    """
    if isinstance(source, (bytes, bytearray)):
        return _begin(bytes(source), TEXT, None)
    if isinstance(source, str) and source.lstrip(MARK_OR_BLANK).startswith("<"):
        try:
            return _begin(source.lstrip("\ufeff").encode("utf-8"), TEXT, "utf-8")
        except UnicodeEncodeError as error:
            line = source.count("\n", 0, error.start) + 1
            found = source[error.start : error.end]
            raise ParseError(f"expected text, got the lone surrogate {found!r}", TEXT, line, value=found) from None
    if isinstance(source, (str, os.PathLike)):
        return _begin(*_read_file(source), None)
    raise TypeError(
        f"source: expected a path (str or os.PathLike) or XML text (str or bytes), got {type(source).__name__}; "
        "of an open file pass .read()"
    )


def _read_file(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    file = os.fsdecode(path)
    if not file.strip(MARK_OR_BLANK):
        raise ParseError("expected a path or XML text, got an empty text", TEXT, value=file)
    shown = file if len(file) <= 300 else file[:300] + "..."
    if os.path.isdir(file):
        raise ParseError("expected a file, got a directory; give the path of a file in it", shown)
    try:
        with open(file, "rb") as stream:
            return stream.read(), file
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        hint = "check the path; XML text would begin with '<'"
        raise ParseError(f"the file cannot be read: {reason.lower()}; {hint}", shown) from None


def _begin(data: bytes, file: str, encoding: str | None) -> Source:
    """Skip what stands before the first "<": XML allows nothing there, pasted texts often have an empty line."""
    if data.startswith(UTF16_STARTS):
        return Source(data, file, 0, encoding)
    rest = data.removeprefix(UTF8_MARK).lstrip(BLANK)
    if not rest:
        raise ParseError("expected XML, got an empty text", file, 1, value="")
    if not rest.startswith(b"<"):
        found = rest[:20].decode("ascii", "backslashreplace")
        raise ParseError(f"expected XML, which begins with '<', got {found!r}", file, 1, value=found)
    before = data[: len(data) - len(rest)]
    lines = before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
    return Source(rest, file, lines, encoding, before)
