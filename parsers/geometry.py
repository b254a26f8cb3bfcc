"""The simple shapes in a URDF's <visual> and <collision>: boxes, cylinders, spheres. Meshes are not read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..model.description import IDENTITY, ZERO
from .errors import ParseError
from .scope import Scope
from .urdf import UrdfReading
from .values import rotation_from_rpy
from .xml import Element

ROLES = ("visual", "collision")


@dataclass(frozen=True)
class Shape:
    """A solid in a link.

    `half` are half its lengths along its own axes, (3,) m; `rotation` (3, 3) and `position` (3,) m its pose in the
    link; `volume` in m^3; `spread` (3,) m^2 the mean squares of its points' distances from its middle along its axes.
    """

    kind: str
    half: tuple[float, float, float]
    rotation: np.ndarray
    position: np.ndarray
    volume: float
    spread: tuple[float, float, float]

    def corners(self) -> np.ndarray:
        """The corners (8, 3) m of the box around it, in the link's frame."""
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, 8).T
        return signs * self.half @ self.rotation.T + self.position

    def second_moment(self) -> np.ndarray:
        """The mean (3, 3) m^2 of r r^T over its points r in the link's frame."""
        about_middle = self.rotation @ np.diag(self.spread) @ self.rotation.T
        return about_middle + np.outer(self.position, self.position)


class Outline(NamedTuple):
    """What a link looks like: the shapes of those roles (visual, collision) that are described by shapes alone.

    `shapes` has one tuple for each such role; a role with a mesh, or without anything, is left out.
    """

    shapes: dict[str, tuple[Shape, ...]]

    def corners(self) -> np.ndarray:
        """All corners (n, 3) m of all shapes, in the link's frame."""
        found = [shape.corners() for shapes in self.shapes.values() for shape in shapes]
        return np.concatenate(found) if found else np.zeros((0, 3))


def read_outlines(reading: UrdfReading) -> tuple[dict[str, Outline], list[ParseError]]:
    """The outline of each link, and what was wrong with those that cannot be read.

    A role in which something is wrong is left out: a robot's dynamics does not depend on how it looks.
    """
    outlines, faults = {}, []
    for element in reading.robot.children:
        if element.tag == "link":
            scope = Scope(reading.file, element, "link", element.attributes["name"])
            roles = {}
            for role in ROLES:
                try:
                    shapes = list(_shapes(scope, role))
                except ParseError as error:
                    faults.append(error)
                    continue
                whole = tuple(shape for shape in shapes if shape is not None)
                if shapes and len(whole) == len(shapes):
                    roles[role] = whole
            outlines[element.attributes["name"]] = Outline(roles)
    return outlines, faults


def _shapes(scope: Scope, role: str) -> Iterator[Shape | None]:
    """Each shape of a role; None for what is no simple shape."""
    for item in scope.element.children:
        if item.tag == role:
            geometry = scope.child(item, "geometry")
            for element in geometry.children if geometry is not None else ():
                yield _shape(scope, item, element)


def _shape(scope: Scope, item: Element, element: Element) -> Shape | None:
    if element.tag == "box":
        x, y, z = (0.5 * length for length in scope.vector(element, "size"))
        half, volume, spread = (x, y, z), 8.0 * x * y * z, (x * x / 3.0, y * y / 3.0, z * z / 3.0)
    elif element.tag == "cylinder":
        r, h = scope.number(element, "radius"), 0.5 * scope.number(element, "length")
        half, volume, spread = (r, r, h), 2.0 * math.pi * r * r * h, (r * r / 4.0, r * r / 4.0, h * h / 3.0)
    elif element.tag == "sphere":
        r = scope.number(element, "radius")
        s = r * r / 5.0
        half, volume, spread = (r, r, r), 4.0 / 3.0 * math.pi * r**3, (s, s, s)
    else:
        return None
    if min(half) < 0.0:
        raise scope.error(f"<{element.tag}>: expected lengths >= 0; correct the sign", element)
    origin = scope.child(item, "origin")
    rpy = scope.vector(origin, "rpy", ZERO)
    rotation = np.array(rotation_from_rpy(*rpy) if any(rpy) else IDENTITY)
    return Shape(element.tag, half, rotation, np.array(scope.vector(origin, "xyz", ZERO)), volume, spread)
