"""Which reader a source is for: the end of a file's name says so, a text is URDF."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.assembly import assemble
from ..model.errors import ModelError
from ..model.saving import from_json
from .errors import ParseError
from .loading import build, finish
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


def read(source: Readable, floating_base: bool = False) -> UrdfReading | SdfReading:
    """Read a URDF or an SDFormat file; `floating_base` lets that float which the latter ties to the world."""
    return SdfReading(source, None, floating_base or None) if ending(source) in SDF else UrdfReading(source)


def load_any(source: Readable, *, floating_base: bool = False, mimic: bool = True, quiet: bool = False) -> Model:
    """The model of a URDF, an SDFormat or a saved model's file; `quiet` leaves out the warnings.

    Without `floating_base` an SDFormat file floats if it says so, and a saved model if it did.
    """
    if ending(source) == SAVED:
        model = load_saved(source)
        kept = model.options
        changed = kept.changed(floating_base=kept.floating_base or floating_base, mimic=kept.mimic and mimic)
        return model if changed == kept else assemble(model.description, changed)
    reading = read(source, floating_base)
    options = {} if isinstance(reading, SdfReading) else {"floating_base": floating_base}
    return build(reading, mimic=mimic, **options) if quiet else finish(reading, False, mimic, **options)


def load_saved(source: Readable) -> Model:
    """The model in a file that `Model.to_json` made."""
    file = str(source)
    try:
        return from_json(Path(file).read_bytes())
    except (ModelError, OSError) as error:
        raise ParseError(str(error), file) from None
