"""What a reader does with the findings about a source."""

from __future__ import annotations

from ..model.findings import Finding
from .errors import ParseError


def raise_first(findings: list[Finding]) -> None:
    """Raise the first of the findings in a file, if there is any, as an error."""
    if findings:
        first = findings[0]
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        text = f"{first.message}; {first.remedy}{more}"
        raise ParseError(text, first.file or "", first.line, first.element_kind, first.name)
