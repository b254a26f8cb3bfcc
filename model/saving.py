"""Models as JSON: description and options, every number bit for bit.

    {"format": "featherstone model", "version": 1, "name": ..., "options": {...}, "links": [...], "joints": [...]}

The fields of the options, links, joints and mimic relations are those of the classes in `description.py`, all of them
required and no others. Numbers are written with the fewest digits that read back as the same float64. JSON has no
infinity: a limit that is none is the text "inf" or "-inf". What differs between a joint's degrees of freedom is a list.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NoReturn

from .builder import ModelBuilder
from .description import MOST_LINKS, Description, Mimic, Options, Rotor
from .errors import ModelError
from .joint_checks import LIMITS, NOT_NEGATIVE

if TYPE_CHECKING:
    from .model import Model

FORMAT = "featherstone model"
VERSION = 1
Read = Callable[[Any, str], Any]  # of a value and its place in the document


def to_json(description: Description, options: Options) -> str:
    """The document of a description and its options."""
    document = {"format": FORMAT, "version": VERSION, "name": description.name, "options": asdict(options)}
    document["links"] = [asdict(link) for link in description.links]
    document["joints"] = [_without_infinities(asdict(joint)) for joint in description.joints]
    return json.dumps(document, allow_nan=False)


def _without_infinities(joint: dict[str, Any]) -> dict[str, Any]:
    return joint | {key: _in_words(joint[key]) for key in LIMITS}


def _in_words(x: Any) -> Any:
    if isinstance(x, tuple):
        return [_in_words(entry) for entry in x]
    return str(x) if math.isinf(x) else x


def from_json(text: str | bytes | bytearray) -> Model:
    """Build the model of a document."""
    if not isinstance(text, str | bytes | bytearray):
        raise TypeError(f"text: expected JSON as str or bytes, got {type(text).__name__}; of a file pass its contents")
    document = _parse(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        got = _shown(document.get("format")) if isinstance(document, dict) else _shown(document)
        raise ModelError(f'JSON: expected an object with "format": "{FORMAT}", got {got}')
    version = document.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise ModelError(f"version: expected {VERSION}, got {_shown(version)}; write the model with this release")
    for key in LISTS:
        if isinstance(document.get(key), list) and len(document[key]) > MOST_LINKS:
            raise ModelError(f"{key}: expected at most {MOST_LINKS}, got {len(document[key])}; split the model")
    found = _record({"format": _text, "version": _number, "name": _text, "options": _options, **LISTS})(document, "")
    builder = ModelBuilder(found["name"])
    for link in found["links"]:
        builder.add_link(**link)
    for joint in found["joints"]:
        builder.add_joint(**joint)
    return builder.build(**found["options"])


def _parse(text: str | bytes | bytearray) -> Any:
    """Plain JSON: no NaN, no infinity, no name twice in an object; all numbers are floats."""
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=float, parse_float=float
        )
    except RecursionError:
        raise ModelError("JSON: expected lists and objects nested at most 5 deep, got far more") from None
    except ModelError:
        raise
    except ValueError as error:  # also of bytes that are no Unicode
        raise ModelError(f"JSON: expected the text of a saved model, got none: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ModelError(f"JSON: expected each field once in an object, got {_shown(key)} twice")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ModelError(f'JSON: expected finite numbers, got {name}; a limit that is none is "inf" or "-inf"')


# readers of values: each takes a value and its place, and returns what the builder takes


def _wrong(place: str, expected: str, got: Any) -> ModelError:
    return ModelError(f"{place}: expected {expected}, got {_shown(got)}")


def _shown(x: Any) -> str:
    """A value in an error: short, and without following any nesting."""
    if isinstance(x, dict | list):
        return f"{'an object' if isinstance(x, dict) else 'a list'} of {len(x)}"
    if x is None or isinstance(x, bool):
        return {None: "null", True: "true", False: "false"}[x]
    shown = f"{x:.17g}" if isinstance(x, float) else ascii(x)
    return shown if len(shown) <= 60 else shown[:60] + "..."


def _text(x: Any, place: str) -> str:
    if not isinstance(x, str):
        raise _wrong(place, "a text", x)
    return x


def _flag(x: Any, place: str) -> bool:
    if not isinstance(x, bool):
        raise _wrong(place, "true or false", x)
    return x


def _number(x: Any, place: str) -> float:
    if not isinstance(x, float) or math.isinf(x):
        raise _wrong(place, "a number below 1.8e308", x)
    return x


def _limit(x: Any, place: str) -> float:
    return float(x) if x in ("inf", "-inf") else _number(x, place)


def _list(read: Read, length: int | None = None) -> Read:
    def read_list(x: Any, place: str) -> list[Any]:
        if not isinstance(x, list) or length not in (None, len(x)):
            raise _wrong(place, "a list" if length is None else f"a list of {length}", x)
        return [read(entry, f"{place}[{i}]") for i, entry in enumerate(x)]

    return read_list


def _record(readers: dict[str, Read]) -> Read:
    """The reader of an object with just these fields."""

    def read_record(x: Any, place: str) -> dict[str, Any]:
        if not isinstance(x, dict):
            raise _wrong(place, "an object", x)
        before = f"{place}: " if place else ""
        for key in x:
            if key not in readers:
                raise ModelError(f"{before}expected no field but {', '.join(readers)}, got {_shown(key)}")
        for key in readers:
            if key not in x:
                raise ModelError(f"{before}expected the field {key!r}, got none")
        return {key: read(x[key], f"{before}{key}") for key, read in readers.items()}

    return read_record


def _values(read: Read) -> Read:
    """The reader of one value, or of a list of some."""
    several = _list(read)
    return lambda x, place: several(x, place) if isinstance(x, list) else read(x, place)


def _mimic(x: Any, place: str) -> Mimic | None:
    return None if x is None else Mimic(**_record({"joint": _text, "multiplier": _number, "offset": _number})(x, place))


def _rotor(x: Any, place: str) -> Rotor | None:
    fields: dict[str, Read] = {"inertia": _number, "ratio": _number, "gyroscopic": _flag, "axis": _vector_or_none}
    return None if x is None else Rotor(**_record(fields)(x, place))


def _vector_or_none(x: Any, place: str) -> Any:
    return None if x is None else _vector(x, place)


_vector = _list(_number, 3)
_matrix = _list(_vector, 3)
_options = _record({"floating_base": _flag, "mimic": _flag, "merge_fixed": _flag, "gravity": _vector})
_link = _record({"name": _text, "mass": _number, "com": _vector, "inertia": _matrix})
_joint = _record(
    {
        **dict.fromkeys(("name", "type", "parent", "child"), _text),
        "rotation": _matrix,
        "position": _vector,
        "axis": _vector,
        **dict.fromkeys(LIMITS, _values(_limit)),
        **dict.fromkeys(NOT_NEGATIVE, _values(_number)),
        "mimic": _mimic,
        "axis2": _vector,
        "pitch": _number,
        "screws": _list(_list(_number, 6)),
        "rotor": _rotor,
    }
)
LISTS = {"links": _list(_link), "joints": _list(_joint)}
