"""An SDFormat file: its version, its worlds and models, and which of them is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

from ..model.description import MOST_LINKS
from .sdf_frames import Frame, ModelFrames
from .sdf_scope import SdfScope
from .xml import Element

OLDEST = (1, 4)
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})(\.[0-9]{1,4})?")


class Found(NamedTuple):
    """The model that is meant, as a frame in the world or file around it."""

    frame: Frame
    world: SdfScope | None


def find_model(file: str, root: Element, name: str | None) -> Found:
    """The model with this name, or the only one."""
    scope = SdfScope(file, root, root.tag)
    version = _version(scope)
    _refuse_many(scope)
    worlds = [x for x in root.children if x.tag == "world"]
    places = [scope, *(SdfScope(file, x, "world", x.attributes.get("name")) for x in worlds)]
    models = [(place, x) for place in places for x in place.element.children if x.tag == "model"]
    wanted = [(place, x) for place, x in models if name is None or x.attributes.get("name") == name]
    if len(wanted) != 1:
        raise _none_or_many(scope, name, [x for _, x in models], bool(wanted), places)
    place, element = wanted[0]
    around = ModelFrames(place, version)
    frame = next(x for x in around.members if x.scope.element is element)
    return Found(frame, None if place is scope else place)


def refuse_includes(scope: SdfScope) -> None:
    """Raise an error if a part of a model is elsewhere: without it the model would be another."""
    element = next((x for x in scope.element.children if x.tag == "include"), None)
    if element is not None:
        uri = scope.child(element, "uri")
        text = "" if uri is None else uri.text.strip()
        message = f"<include>: {text!r} is never fetched; expand the file first, by `gz sdf -p`"
        raise scope.error(message, element, text)


def _version(scope: SdfScope) -> tuple[int, int]:
    if scope.element.tag != "sdf":
        hint = "is it URDF? use load_urdf" if scope.element.tag == "robot" else "is it SDFormat?"
        raise scope.error(f"expected the root element <sdf>, got <{scope.element.tag}>; {hint}")
    text = scope.text(scope.element, "version")
    match = _VERSION.fullmatch(text.strip())
    version = (int(match[1]), int(match[2])) if match else (0, 0)
    if version < OLDEST or version[0] > 1:
        raise scope.error(f"<sdf version>: expected 1.4 or later, below 2.0, got {text!r}; convert it by `gz sdf -p`")
    return version


def _refuse_many(scope: SdfScope) -> None:
    """Raise an error if all models of the file have more links, frames, joints and models than a robot has links."""
    number, waiting = 0, [scope.element]
    for place in waiting:  # grows while it is walked
        parts = [x for x in place.children if x.tag in ("link", "frame", "joint", "model", "world")]
        number += sum(x.tag != "joint" for x in parts)
        waiting.extend(x for x in parts if x.tag in ("model", "world"))
        if number > MOST_LINKS or len(parts) > 2 * MOST_LINKS:
            raise scope.error(f"expected at most {MOST_LINKS} links, frames and models, got more; split the file")


def _none_or_many(
    scope: SdfScope, name: str | None, models: list[Element], many: bool, places: Iterable[SdfScope]
) -> Exception:
    names = [x.attributes.get("name", "") for x in models]
    if not models:
        included = any(x.tag == "include" for place in places for x in place.element.children)
        hint = "those of <include> are never fetched: expand the file first, by `gz sdf -p`" if included else "add one"
        return scope.error(f"expected at least one <model>, got none; {hint}")
    listed = ", ".join(map(repr, names[:10])) + (" ..." if len(names) > 10 else "")
    if many:
        what = "one model" if name is None else f"one model {name!r}"
        return scope.error(f"expected {what}, got {len(names)}: {listed}; choose one by model=, or rename one")
    near = get_close_matches(str(name), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {listed}"
    return scope.error(f"there is no model {name!r}; {hint}", value=str(name))
