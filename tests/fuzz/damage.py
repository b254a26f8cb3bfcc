"""Damage to the bytes, values, tags and elements of a file; `what` is what goes in, or a number that chooses it."""

from __future__ import annotations

import re

KINDS_OF_BYTES = ("insert", "delete", "repeat", "byte")
KINDS_OF_MEANING = ("value", "line", "content", "part", "tag", "number", "element", "many")
_NUMBER = re.compile(rb"(?<![\w.+-])[+-]?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?(?![\w.])")
_TAG = re.compile(rb"<(/?)([\w:.-]+)[^<>]*?(/?)>")


def apply(data: bytes, kind: str, at: int, what: int | bytes) -> bytes:
    """One damage.

    insert, delete, repeat, byte : at a byte; mostly they leave no XML.
    value : an attribute's value becomes another one's, or `what`.
    line : two lines change places, or one is dropped or stands twice; many files have an element a line.
    content : the text between two tags becomes another one, or `what`.
    part : `what` stands behind a tag as well.
    tag : what stands behind a "<" becomes what stands behind another one, or `what`.
    number : a number becomes another one, or `what`.
    element : an element, with all that is in it, is dropped, doubled, or put inside or in the place of another one.
    many : an element stands some hundred times, or around itself.
    """
    return _DAMAGES[kind](data, at, what)


def _insert(data: bytes, at: int, what: int | bytes) -> bytes:
    at %= len(data) + 1
    return data[:at] + _bytes(what) + data[at:]


def _delete(data: bytes, at: int, what: int | bytes) -> bytes:
    at %= len(data) + 1
    return data[:at] + data[at + int(what) :]


def _repeat(data: bytes, at: int, what: int | bytes) -> bytes:
    at %= len(data) + 1
    return data[: at + int(what)] + data[at:]


def _byte(data: bytes, at: int, what: int | bytes) -> bytes:
    at %= len(data) + 1
    return data[:at] + bytes([int(what) % 256]) + data[at + 1 :]


def _value(data: bytes, at: int, what: int | bytes) -> bytes:
    # the attributes' values are every second part
    parts = data.split(b'"')
    _put(parts, range(1, len(parts) - 1, 2), at, what)
    return b'"'.join(parts)


def _tag(data: bytes, at: int, what: int | bytes) -> bytes:
    parts = data.split(b"<")
    _put(parts, range(1, len(parts)), at, what)
    return b"<".join(parts)


def _line(data: bytes, at: int, what: int | bytes) -> bytes:
    lines = data.split(b"\n")
    i, j = at % len(lines), int(what) % len(lines)
    lines[i], lines[j] = (lines[j] if at % 3 else b"", lines[i] if at % 2 else lines[j])
    return b"\n".join(lines)


def _content(data: bytes, at: int, what: int | bytes) -> bytes:
    # all that stands between tags is behind a ">"
    parts = data.split(b">")
    texts = [part.partition(b"<")[0] for part in parts]
    filled = [k for k, text in enumerate(texts) if text.strip()]
    if filled:
        k = filled[at % len(filled)]
        new = texts[filled[what % len(filled)]] if isinstance(what, int) else what
        parts[k] = new + parts[k][len(texts[k]) :]
    return b">".join(parts)


def _part(data: bytes, at: int, what: int | bytes) -> bytes:
    parts = data.split(b">")
    parts[at % len(parts)] = _bytes(what) + parts[at % len(parts)]
    return b">".join(parts)


def _number(data: bytes, at: int, what: int | bytes) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    place = found[at % len(found)]
    new = found[what % len(found)][0] if isinstance(what, int) else what
    return data[: place.start()] + new + data[place.end() :]


def _element(data: bytes, at: int, what: int | bytes) -> bytes:
    spans = _elements(data)
    if not spans:
        return data
    start, end = spans[at % len(spans)]
    into = spans[int(what) % len(spans)]
    kind, element = at % 4, data[start:end]
    if kind == 0:
        return data[:start] + data[end:]
    if kind == 1:
        return data[:end] + element + data[end:]
    if kind == 2:
        return data[: into[0]] + element + data[into[1] :]
    behind = data.index(b">", into[0]) + 1
    return data[:behind] + element + data[behind:]


def _many(data: bytes, at: int, what: int | bytes) -> bytes:
    spans = _elements(data)
    if not spans:
        return data
    start, end = spans[at % len(spans)]
    times, element = int(what) % 300, data[start:end]
    times = min(times, 100_000 // len(element))
    behind = data.index(b">", start) + 1
    if at % 2 or data[behind - 2 : behind - 1] == b"/":
        return data[:end] + element * times + data[end:]
    tag = _TAG.match(data, start)
    assert tag
    return data[:start] + data[start:behind] * times + element + (b"</" + tag[2] + b">") * times + data[end:]


def _elements(data: bytes) -> list[tuple[int, int]]:
    """Where the elements stand whose tags fit, the root left out."""
    found: list[tuple[int, int]] = []
    stack: list[tuple[bytes, int]] = []
    for tag in _TAG.finditer(data):
        if tag[3]:
            found.append(tag.span())
        elif not tag[1]:
            stack.append((tag[2], tag.start()))
        elif stack and stack[-1][0] == tag[2]:
            found.append((stack.pop()[1], tag.end()))
    return found[:-1]


def _put(parts: list[bytes], places: range, at: int, what: int | bytes) -> None:
    if places:
        parts[places[at % len(places)]] = parts[places[what % len(places)]] if isinstance(what, int) else what


def _bytes(what: int | bytes) -> bytes:
    return str(what).encode() if isinstance(what, int) else what


_DAMAGES = {
    "insert": _insert, "delete": _delete, "repeat": _repeat, "byte": _byte, "value": _value, "tag": _tag, "line": _line,
    "content": _content, "part": _part, "number": _number, "element": _element, "many": _many,
}  # fmt: skip
