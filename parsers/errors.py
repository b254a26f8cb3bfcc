"""What a reader of descriptions raises."""

from __future__ import annotations

from ..model.errors import shortened


class ParseError(ValueError):
    """A description that cannot be read as a robot.

    Attributes
    ----------
    file : the path as it was given, or "<string>" for a text.
    line : the line in it, from 1, or None where there is none (a missing file).
    element : the kind of thing that is wrong, such as "link", "joint" or "robot", or None.
    name : its name, or None.
    value : the text that was found in place of the expected one, or None.
    """

    def __init__(
        self,
        message: str,
        file: str = "<string>",
        line: int | None = None,
        element: str | None = None,
        name: str | None = None,
        value: str | None = None,
    ) -> None:
        message = shortened(message)
        # all of them as args: an exception is pickled by its args, and comes back whole from a worker process
        super().__init__(message, file, line, element, name, value)
        self.message = message
        self.file = file
        self.line = line
        self.element = element
        self.name = name
        self.value = value

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"
