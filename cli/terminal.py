"""What the commands print, where, and what a user's mistake looks like: one line and an exit status, no traceback."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

import typer

from ..model.errors import ModelWarning

if TYPE_CHECKING:
    from rich.console import Console

CHECK_FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
WIDE = 10_000  # columns: no line is broken where no terminal asks for it


def console(stderr: bool = False) -> Console:
    """Where to print; made anew each time, since tests and callers exchange the streams."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not made.is_terminal:
        made.width = WIDE
    return made


def line(kind: str, message: object, style: str) -> None:
    """One line on standard error."""
    from rich.text import Text

    text = " ".join(str(message).split("\n"))
    console(stderr=True).print(Text.assemble((f"{kind}: ", style), text), soft_wrap=True)


def print_json(data: Any) -> None:
    """JSON on standard output; what is infinite or NaN becomes null."""
    sys.stdout.write(json.dumps(_plain(data), indent=2, allow_nan=False) + "\n")


def _plain(x: Any) -> Any:
    if isinstance(x, dict):
        return {str(key): _plain(value) for key, value in x.items()}
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [_plain(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x


def number(x: float) -> str:
    """A number for a table; a dash where there is no limit."""
    return f"{x:.6g}" if math.isfinite(x) else "-"


def print_table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]], left: int = 1) -> None:
    """A table on standard output; the first `left` columns are text, the others numbers."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="left" if k < left else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    out = console()
    out.print(Text(title, style="bold"), soft_wrap=True)
    out.print(table)
    out.print()


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[float], None] | bool]:
    """A bar on standard error: a function to call with the part done; False where it is no terminal."""
    if not console(stderr=True).is_terminal:
        yield False
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), TextColumn(what), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda part: bar.update(task, completed=part)


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """A sign on standard error that something is going on; nothing where it is no terminal."""
    out = console(stderr=True)
    if not out.is_terminal:
        yield
        return
    with out.status(what):
        yield


def command(function: Callable[..., None]) -> Callable[..., None]:
    """A command that tells warnings and a user's mistakes in lines on standard error."""

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always", ModelWarning)
            warnings.showwarning = _show_as_line(warnings.showwarning)
            try:
                function(*arguments, **options)
            except KeyboardInterrupt:
                line("interrupted", "nothing was written", "bold red")
                raise typer.Exit(INTERRUPTED) from None
            except ArithmeticError as error:
                line("error", error, "bold red")
                raise typer.Exit(CHECK_FAILED) from None
            except BrokenPipeError:
                raise
            except OSError as error:
                reason = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error
                line("error", reason, "bold red")
                raise typer.Exit(BAD_INPUT) from None
            except (ValueError, MemoryError, ImportError) as error:
                line("error", error, "bold red")
                raise typer.Exit(BAD_INPUT) from None

    return run


def _show_as_line(otherwise: Callable[..., None]) -> Callable[..., None]:
    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        source: str | None = None,
    ) -> None:
        if issubclass(category, ModelWarning):
            line("warning", message, "bold yellow")
        else:
            otherwise(message, category, filename, lineno, file, source)

    return show
