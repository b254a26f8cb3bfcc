"""What a model may complain about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

LONGEST = 2000  # characters of an error: names in files may have millions
END = 600  # of them from the end of a longer text, where it says what to do


def shortened(message: str) -> str:
    """A message that people can read: of a longer one the beginning and the end."""
    if len(message) <= LONGEST:
        return message
    return f"{message[: LONGEST - END - 5]} ... {message[-END:]}"


class ModelError(ValueError):
    """A description that is no robot. `element` names what is wrong: ("link" or "joint", its name), or None."""

    def __init__(self, message: str, element: tuple[str, str] | None = None) -> None:
        super().__init__(shortened(message))
        self.element = element

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.element)


class ModelWarning(UserWarning):
    """A description that loads but looks mistaken."""


class UnknownNameError(KeyError, ValueError):
    """A joint, body or frame that the model does not have."""

    def __init__(self, kind: str, name: object, known: Iterable[str], model: str) -> None:
        import difflib

        known = list(known)
        self._given = (kind, name, known, model)
        near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
        listed = ", ".join(repr(x) for x in (near or known[:6])) or "none"
        hint = f"did you mean {listed}?" if near else f"it has {listed}" + (" ..." if len(known) > 6 else "")
        self._message = f"{kind}: model {model!r} has no {kind} named {name!r}; {hint}"
        super().__init__(self._message)

    def __str__(self) -> str:
        return self._message

    def __reduce__(self) -> Any:
        return type(self), self._given
