"""Robots written with xacro, the macro language of ROS: expanded by the package `xacro`, read as URDF."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import ParseError
from .loading import finish
from .sources import Source
from .urdf import UrdfReading

if TYPE_CHECKING:
    from ..model.model import Model

_alone = threading.Lock()  # xacro keeps what it is busy with in global variables


def load_xacro(
    path: str | os.PathLike[str],
    mappings: Mapping[str, Any] | None = None,
    *,
    floating_base: bool = False,
    mimic: bool = True,
    strict: bool = False,
    merge_fixed: bool = True,
) -> Model:
    """Read a robot from a xacro file, with the package `xacro` (`pip install "featherstone[xacro]"`).

    Expanding a file evaluates the Python expressions in it and reads the files and environment variables that it names.
    So nothing but this function does it: use it for files that you trust.

    Parameters
    ----------
    path : the xacro file.
    mappings : values for its <xacro:arg>, by name; True and False become "true" and "false".
    floating_base, mimic, strict, merge_fixed : as in `load_urdf`.

    Raises
    ------
    ImportError
        The package `xacro` is not installed.
    ParseError
        The file cannot be expanded, with the file that xacro was in; or what it expands to is no robot, with the line
        in what the command `xacro` prints.

    Warns
    -----
    ModelWarning
        As `load_urdf` does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import featherstone as fs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rod.urdf.xacro"
    >>> _ = path.write_text('''<robot name="rod" xmlns:xacro="http://www.ros.org/wiki/xacro">
    ...   <xacro:arg name="mass" default="1"/>
    ...   <link name="rod">
    ...     <inertial><mass value="$(arg mass)"/> <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    ...   </link>
    ... </robot>''')
    >>> fs.load_xacro(path, {"mass": 2.5}, floating_base=True)
    <Model 'rod': 1 moving body, nq 7, nv 6, floating base, 2.5 kg>
    """
    file = os.fsdecode(path)
    reading = UrdfReading(Source(_expand(file, mappings), f"{file} (expanded)", 0, "utf-8"))
    return finish(reading, strict, mimic, floating_base=floating_base, merge_fixed=merge_fixed)


def _expand(file: str, mappings: Mapping[str, Any] | None) -> bytes:
    """The URDF that a file expands to."""
    try:
        import xacro
    except ImportError:
        raise ImportError("load_xacro needs the package xacro: pip install 'featherstone[xacro]'") from None
    if not os.path.isfile(file):
        raise ParseError("the file cannot be read: there is no such file; check the path", file)
    given = {str(key): _argument(value) for key, value in (mappings or {}).items()}
    with _alone:
        try:
            document = xacro.process_file(file, mappings=given)
        except (Exception, SystemExit) as error:
            # the file may be wrong in any way in which Python can fail
            within = [x for x in getattr(xacro, "filestack", None) or [] if x]
            reason = " ".join(str(error).split()) or type(error).__name__
            message = f"xacro cannot expand it: {reason}; try `xacro {os.path.basename(file)}`"
            raise ParseError(message, str(within[-1]) if within else file) from None
    return document.toprettyxml(indent="  ", encoding="utf-8")


def _argument(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
