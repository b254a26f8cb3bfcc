"""One damaged file of a format: a function of a seed and a number."""

from __future__ import annotations

import copy
import json
import random
from typing import Any, NamedTuple

from . import words
from .damage import KINDS_OF_BYTES, KINDS_OF_MEANING, apply
from .documents import FORMATS


class Input(NamedTuple):
    """The bytes, and the options of the reader."""

    data: bytes
    options: dict[str, Any]


class Vocabulary(NamedTuple):
    """What goes into the files of a format: as bytes, as values of attributes or texts, as elements."""

    tokens: list[bytes]
    values: list[bytes]
    parts: list[bytes]


XML = {
    "urdf": Vocabulary(words.URDF_TOKENS, words.URDF_VALUES, words.URDF_PARTS),
    "sdf": Vocabulary(words.SDF_PARTS + words.URDF_TOKENS, words.SDF_VALUES, words.SDF_PARTS),
    "mjcf": Vocabulary(words.MJCF_TOKENS, words.MJCF_VALUES, words.MJCF_PARTS),
    "json": Vocabulary(words.JSON_TOKENS, words.NUMBERS, words.JSON_TOKENS),
}
FLAGS = {
    "urdf": ("floating_base", "mimic", "merge_fixed", "strict"),
    "sdf": ("floating_base", "mimic", "merge_fixed", "strict"),
    "mjcf": ("merge_fixed", "strict"),
    "json": (),
}


def make(format: str, seed: int, number: int) -> Input:
    """The input of this number: one to six damages of a document, most often of its meaning."""
    rng = random.Random(f"{format} {seed} {number}")
    data = rng.choice(FORMATS[format]())
    if format == "json" and rng.random() < 0.7:
        data = _other_values(rng, data)
    else:
        kinds = KINDS_OF_BYTES if rng.random() < 0.25 else KINDS_OF_MEANING
        if format == "json":
            kinds = (*KINDS_OF_BYTES, "number", "value")
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
            kind = rng.choice(kinds)
            data = apply(data, kind, rng.randrange(2**24), _what(rng, kind, XML[format]))
    options: dict[str, Any] = {key: rng.random() < 0.5 for key in FLAGS[format] if rng.random() < 0.5}
    if rng.random() < 0.8:
        options.pop("strict", None)
    if format == "sdf" and rng.random() < 0.3:
        options["model"] = "turned_round"  # of the file that has two
    return Input(data, options)


def _what(rng: random.Random, kind: str, vocabulary: Vocabulary) -> int | bytes:
    """What the damage takes: a number, or something of the vocabulary."""
    if kind == "insert":
        return rng.choice(vocabulary.tokens)
    if kind == "part":
        return rng.choice(vocabulary.parts)
    if kind in ("delete", "repeat"):
        return rng.randint(1, 400)
    if kind in ("value", "content", "number") and rng.random() < 0.7:
        return rng.choice(words.NUMBERS if kind == "number" else [*vocabulary.values, *words.NUMBERS])
    return rng.randrange(2**24)


def _other_values(rng: random.Random, data: bytes) -> bytes:
    """Values of a JSON document replaced, dropped, copied to other places, or lists made long."""
    document = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = _places(document)
        if not places:
            break
        (where, key), (other, name) = rng.choice(places), rng.choice(places)
        kind = rng.choice(("put", "put", "number", "copy", "drop", "long"))
        if kind == "drop":
            del where[key]
        elif kind == "long" and isinstance(where[key], list):
            where[key] = where[key] * rng.randint(0, 50)
        elif kind == "number":
            where[key] = rng.choice((-1, 1)) * 10.0 ** rng.randint(-320, 308)
        else:
            where[key] = (
                json.loads(json.dumps(other[name])) if kind == "copy" else copy.deepcopy(rng.choice(words.JSON_VALUES))
            )
    return json.dumps(document).encode()


def _places(top: Any) -> list[tuple[Any, Any]]:
    """Each container in a document, once with each of its keys."""
    found = []
    waiting = [top]
    for where in waiting:  # grows while it is walked
        for key in list(where) if isinstance(where, dict) else range(len(where)):
            found.append((where, key))
            if isinstance(where[key], dict | list):
                waiting.append(where[key])
    return found


def damaged(format: str, seed: int, number: int) -> tuple[str, bytes, dict[str, Any]]:
    """What the worker judges of a number."""
    return format, *make(format, seed, number)
