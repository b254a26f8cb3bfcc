"""States of other engines: featherstone's numbers in their coordinates, order and conventions, and back."""

from __future__ import annotations

from . import mujoco, pinocchio

__all__ = ["mujoco", "pinocchio"]
