"""A description of either format, told apart by its first element."""

from __future__ import annotations

from .mjcf import MjcfReading
from .mujoco_model import root_tag
from .sources import Readable
from .urdf import UrdfReading


def read(source: Readable) -> UrdfReading | MjcfReading:
    """Read MJCF if the first element is <mujoco>, else URDF.

    Raises
    ------
    ParseError
        The source cannot be read, or is no robot's description.
    ImportError
        MJCF, and MuJoCo is not installed.
    """
    return MjcfReading(source) if root_tag(source) == "mujoco" else UrdfReading(source)
