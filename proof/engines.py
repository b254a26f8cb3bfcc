"""The engines to compare with: how each gets its model, and what is compared with it alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from ..model.model import Model
from ..parsers.mjcf import MjcfReading
from ..parsers.mujoco_model import import_mujoco
from ..parsers.sources import Readable
from .direct import compare_manifold
from .pinocchio import PinocchioReference
from .pinocchio_source import from_description, from_urdf, import_pinocchio
from .reference import Reference
from .rows import Row, States


class Engine(ABC):
    """Another engine; making one raises ImportError where it is not installed.

    `version` is its name with its version, `model` what it calls a model.
    """

    model: ClassVar[str]
    version: str

    @abstractmethod
    def of_description(self, model: Model) -> Any:
        """The engine's own model, given link by link."""

    @abstractmethod
    def of_file(self, model: Model, source: Readable | MjcfReading) -> Any:
        """The engine's own model, read by itself; or a text that says why it cannot."""

    @abstractmethod
    def reference(self, model: Model, source: Any, gravity: Any) -> Reference:
        """What answers the questions; StructureError if the engine's model is of another robot."""

    @abstractmethod
    def own_rows(self, model: Model, reference: Any, states: States) -> list[Row]:
        """Rows of what only this engine has."""


class Pinocchio(Engine):
    """Pinocchio, the PyPI package `pin`."""

    model = "pinocchio.Model"

    def __init__(self) -> None:
        self.version = f"Pinocchio {import_pinocchio().__version__}"

    def of_description(self, model: Model) -> Any:
        """Pinocchio's model from our description."""
        return from_description(model.description, model.options.floating_base)

    def of_file(self, model: Model, source: Readable | MjcfReading) -> Any:
        """Pinocchio's model from a URDF."""
        if isinstance(source, MjcfReading):
            return "MuJoCo compiles MJCF for both"
        for joint in model.joints:
            if joint.type == "planar" and joint.axis != (0.0, 0.0, 1.0):
                return f"Pinocchio's reader takes the normal of planar joint {joint.name!r} to be its z axis"
        return from_urdf(source, model.options.floating_base)

    def reference(self, model: Model, source: Any, gravity: Any) -> Reference:
        """Pinocchio's answers."""
        return PinocchioReference(model, source, gravity)

    def own_rows(self, model: Model, reference: Any, states: States) -> list[Row]:
        """The configuration manifold."""
        return compare_manifold(model, reference, states)


class Mujoco(Engine):
    """MuJoCo."""

    model = "mujoco.MjModel"

    def __init__(self) -> None:
        self.version = f"MuJoCo {import_mujoco().__version__}"

    def of_description(self, model: Model) -> Any:
        """MuJoCo's model from our description."""
        from .mujoco_builder import from_model

        return from_model(model)

    def of_file(self, model: Model, source: Readable | MjcfReading) -> Any:
        """MuJoCo's model from a URDF, or the one that it compiled from MJCF."""
        from .mujoco_source import from_urdf as read_urdf
        from .mujoco_source import of_reading

        if isinstance(source, MjcfReading):
            return of_reading(source)
        return read_urdf(source, model)

    def reference(self, model: Model, source: Any, gravity: Any) -> Reference:
        """MuJoCo's answers."""
        from .mujoco import MujocoReference

        return MujocoReference(model, source, gravity)

    def own_rows(self, model: Model, reference: Any, states: States) -> list[Row]:
        """Damping and friction."""
        from .losses import compare_losses

        return compare_losses(model, reference, states)
