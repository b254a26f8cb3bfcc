"""From a file that has been read to a model: what all readers do at the end."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Protocol

from ..model.arguments import flag
from ..model.description import Options
from ..model.errors import ModelError, ModelWarning
from ..model.findings import Finding
from .errors import ParseError

if TYPE_CHECKING:
    from ..model.model import Model


class Reading(Protocol):
    """A file that has been read."""

    def build(self, **options: Any) -> Model:
        """The model, with options of the builder."""

    def findings(self, options: Options) -> list[Finding]:
        """Everything suspicious, in the order of the lines."""

    def located(self, error: ModelError) -> ParseError:
        """What the model says is wrong, with the place in the file."""


def finish(reading: Reading, strict: bool, mimic: bool, **options: Any) -> Model:
    """Build the model and warn of each finding, in the name of the function that called the caller."""
    flag("strict", strict)
    model = build(reading, mimic=mimic, **options)
    findings = reading.findings(Options(mimic=mimic))
    if strict:
        raise_first(findings)
    for finding in findings:
        warnings.warn(str(finding), ModelWarning, stacklevel=3)
    return model


def build(reading: Reading, **options: Any) -> Model:
    """Build the model; what is wrong with it is wrong in the file."""
    try:
        return reading.build(**options)
    except ModelError as error:
        raise reading.located(error) from None


def raise_first(findings: list[Finding]) -> None:
    """Raise the first of the findings in a file, if there is any, as an error."""
    if findings:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        text = f"{first.message}; {first.remedy}{more}"
        raise ParseError(text, first.file or "", first.line, first.element_kind, first.name)
