"""Which reader a source is for: the end of a file's name says so, else the first element."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.assembly import assemble
from ..model.errors import ModelError
from ..model.saving import from_json
from .errors import ParseError
from .loading import build, finish
from .mjcf import MjcfReading
from .mujoco_model import root_tag
from .sdf_reading import SdfReading
from .sources import MARK_OR_BLANK, Readable
from .urdf import UrdfReading

if TYPE_CHECKING:
    from ..model.model import Model

SDF = (".sdf", ".world")
SAVED = ".json"


def ending(source: Readable) -> str:
    """The end of a file's name, in lower case; nothing for a text."""
    if isinstance(source, (bytes, bytearray)) or (isinstance(source, str) and source.lstrip(MARK_OR_BLANK)[:1] == "<"):
        return ""
    return os.path.splitext(os.fspath(source))[1].lower() if isinstance(source, (str, os.PathLike)) else ""


def read(source: Readable, floating_base: bool = False) -> UrdfReading | SdfReading | MjcfReading:
    """Read a URDF, an SDFormat file or MJCF; `floating_base` lets that float which SDFormat ties to the world."""
    if ending(source) in SDF:
        return SdfReading(source, None, floating_base or None)
    if root_tag(source) != "mujoco":
        return UrdfReading(source)
    reading = MjcfReading(source)
    if floating_base and not reading.floating_base:
        raise ValueError("floating_base: MJCF says itself whether the base floats: give the body a <freejoint/>")
    return reading


def load_any(source: Readable, *, floating_base: bool = False, mimic: bool = True, quiet: bool = False) -> Model:
    """The model of a URDF, an SDFormat, an MJCF or a saved model's file; `quiet` leaves out the warnings.

    Without `floating_base` an SDFormat file floats if it says so, and a saved model if it did.
    """
    if ending(source) == SAVED:
        model = load_saved(source)
        kept = model.options
        changed = kept.changed(floating_base=kept.floating_base or floating_base, mimic=kept.mimic and mimic)
        return model if changed == kept else assemble(model.description, changed)
    reading = read(source, floating_base)
    options = {"floating_base": floating_base} if isinstance(reading, UrdfReading) else {}
    return build(reading, mimic=mimic, **options) if quiet else finish(reading, False, mimic, **options)


def load_saved(source: Readable) -> Model:
    """The model in a file that `Model.to_json` made."""
    file = str(source)
    try:
        return from_json(Path(file).read_bytes())
    except (ModelError, OSError) as error:
        raise ParseError(str(error), file) from None
