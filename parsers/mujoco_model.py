"""MuJoCo's compiled model of an MJCF source, and names for all of its bodies and joints."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import ModuleType
from typing import Any, NamedTuple

from .errors import ParseError
from .mjcf_limits import refuse_too_much
from .sources import TEXT, open_source

UNNAMED_MODEL = "MuJoCo Model"  # what MuJoCo calls a model without a name
_LINE = re.compile(r"\bline (?:number=)?(\d+)", re.IGNORECASE)
_ELEMENT_NAME = re.compile(r"Element name '([^']*)'")
_PREFIX = re.compile(r"(?:(?:XML )?Error: )+")
_ROOT = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*<([\w:.-]+)", re.DOTALL)


def import_mujoco() -> ModuleType:
    """The module `mujoco`, which is optional.

    Raises
    ------
    ImportError
        It is not installed, or does not load, or another package of that name is there.
    """
    try:
        mujoco = importlib.import_module("mujoco")
    except ModuleNotFoundError as error:
        raise ImportError("this needs MuJoCo: pip install 'featherstone[mujoco]'") from error
    except ImportError as error:
        hint = "try pip install --upgrade 'featherstone[mujoco]'"
        raise ImportError(f"MuJoCo is installed but does not load: {error}; {hint}") from error
    if not hasattr(mujoco, "MjModel"):
        raise ImportError("the installed package 'mujoco' is not the simulator: pip install 'featherstone[mujoco]'")
    return mujoco


def root_tag(source: Any) -> str | None:
    """The name of the first element of a path or XML text ("robot", "mujoco"), or None if there is none to see."""
    try:
        found = _ROOT.match(open_source(source).data)
    except ParseError:
        return None
    return found[1].decode("ascii", "replace") if found else None


class Compiled(NamedTuple):
    """An `mujoco.MjModel`, what names its source in errors, and what MuJoCo has to say about it."""

    model: Any
    file: str
    said: tuple[str, ...] = ()


_ears = Lock()


@contextmanager
def listening() -> Iterator[list[str]]:
    """Collect MuJoCo's warnings, which else go to the standard error stream and a log file in the current directory."""
    mujoco, said = import_mujoco(), []
    with _ears:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda message: said.append(" ".join(message.split())))
        try:
            yield said
        finally:
            mujoco.set_mju_user_warning(before)


def compile_mjcf(source: Any) -> Compiled:
    """Let MuJoCo compile a path or an XML text; an `mujoco.MjModel` is taken as it is.

    Raises
    ------
    ParseError
        The source cannot be read, is larger than a robot (see `mjcf_limits.py`), or MuJoCo refuses it;
        with MuJoCo's message, and file, line and name if it says so.
    ImportError
        MuJoCo is not installed.
    """
    mujoco = import_mujoco()
    if isinstance(source, mujoco.MjModel):
        return Compiled(source, "<MjModel>")
    opened = open_source(source)
    root = _ROOT.match(opened.data)
    if root and root[1] != b"mujoco":
        tag = root[1].decode("ascii", "replace")
        hint = "; this is URDF: use load_urdf" if tag == "robot" else "; is it MJCF?"
        raise ParseError(f"expected the root element <mujoco>, got <{tag}>{hint}", opened.file, element=tag)
    refuse_too_much(opened.data, opened.file)
    try:
        with listening() as said:
            if opened.file == TEXT:
                model = mujoco.MjModel.from_xml_string(_text(opened.data))
            else:
                model = mujoco.MjModel.from_xml_path(os.fsdecode(source))
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        raise _refusal(error, opened.file) from None
    return Compiled(model, opened.file, tuple(said))


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(f"expected UTF-8, which is all that MuJoCo reads: {error.reason}", TEXT) from None
    if "\0" in text:
        raise ParseError("expected XML, got a null character", TEXT, text.count("\n", 0, text.index("\0")) + 1)
    return text


def _refusal(error: Exception, file: str) -> ParseError:
    """MuJoCo's message on one line, and the line and the name that it mentions."""
    if isinstance(error, ParseError):
        return error
    lines = [" ".join(x.split()) for x in str(error).splitlines()]
    message = _PREFIX.sub("", "; ".join(filter(None, lines)), count=1)
    line, name = _LINE.search(message), _ELEMENT_NAME.search(message)
    return ParseError(
        f"MuJoCo refuses the model: {message or 'no reason given'}",
        file,
        int(line[1]) if line else None,
        name=name[1] if name and name[1] else None,
    )


def model_name(mj: Any) -> str:
    """The name of the model, "robot" if it has none."""
    name = bytes(mj.names).split(b"\0", 1)[0].decode("utf-8", "replace")
    return "robot" if name in ("", UNNAMED_MODEL) else name


def body_names(mj: Any) -> list[str]:
    """A name for each body, the world first; bodies without one are called body1, body2, ... after their index."""
    taken = {mj.body(b).name for b in range(mj.nbody)}
    return [mj.body(b).name or unique(f"body{b}", taken) for b in range(mj.nbody)]


def joint_names(mj: Any) -> list[str]:
    """A name for each joint; those without one are called after their body and, if it has several, numbered from 1."""
    taken = {mj.joint(j).name for j in range(mj.njnt)}
    bodies = body_names(mj)
    names = []
    for j in range(mj.njnt):
        b = int(mj.jnt_bodyid[j])
        number = "" if mj.body_jntnum[b] == 1 else str(j - int(mj.body_jntadr[b]) + 1)
        names.append(mj.joint(j).name or unique(f"{bodies[b]}_joint{number}", taken))
    return names


def unique(name: str, taken: set[str]) -> str:
    """The name, with underscores behind it until nothing else has it; it is taken then."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def switched_off(mj: Any, *flags: str) -> bool:
    """Whether one of MuJoCo's disable flags ("GRAVITY", "DAMPER", ...) is set in the model."""
    bits = import_mujoco().mjtDisableBit
    return any(mj.opt.disableflags & int(getattr(bits, f"mjDSBL_{flag}", 0)) for flag in flags)
