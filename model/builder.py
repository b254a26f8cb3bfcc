"""The one way to a Model: add links and joints in any order, then build."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .arguments import as_float, flag
from .description import (
    AXIS_TYPES,
    IDENTITY,
    JOINT_TYPES,
    NO_INERTIA,
    ZERO,
    Description,
    Joint,
    Link,
    Mimic,
    Options,
    matrix,
    vector,
)
from .errors import ModelError

if TYPE_CHECKING:
    from .model import Model


# no robot comes near it, and the product of mass and two lengths of that size is still a float64
LARGEST = 1e60
# a length is 1 but for the rounding of a division by it: such an axis stays as it is, and so does a saved one
UNIT = 2.0**-51


class ModelBuilder:
    """Builds a model link by link, joint by joint.

    >>> import featherstone as fs
    >>> builder = fs.ModelBuilder("pendulum")
    >>> builder.add_link("base")
    >>> builder.add_link("rod", mass=1.0, com=(0, 0, -0.5), inertia=[[1/12, 0, 0], [0, 1/12, 0], [0, 0, 0]])
    >>> builder.add_joint("hinge", "revolute", parent="base", child="rod", axis=(0, 1, 0))
    >>> builder.build()
    <Model 'pendulum': 1 moving body, nq 1, nv 1, fixed base, 1 kg>
    """

    def __init__(self, name: str = "robot") -> None:
        self.name = str(name)
        self._links: dict[str, Link] = {}
        self._joints: dict[str, Joint] = {}

    def add_link(self, name: str, mass: float = 0.0, com: Any = ZERO, inertia: Any = NO_INERTIA) -> None:
        """Add a rigid link.

        Parameters
        ----------
        name : unique among the links.
        mass : kg, not negative.
        com : (3,) m, the centre of mass in the link's frame.
        inertia : (3, 3) kg m^2, the rotational inertia about the centre of mass, in the link's axes; symmetric. Whether
            a body can have it is not asked here but by `check`.

        Raises
        ------
        ModelError
            A name that is taken, or a number that is not finite, negative or not symmetric.
        """
        element = ("link", str(name))
        self._check_name(name, self._links, element)
        mass = _number(mass, "mass", element)
        if mass < 0:
            raise ModelError(f"link {name!r}: mass: expected a number >= 0, got {mass!r}", element)
        tensor = _convert(matrix, inertia, "inertia", element)
        array = np.array(tensor)
        if abs(array - array.T).max() > 1e-9 * abs(array).max():
            raise ModelError(f"link {name!r}: inertia: expected a symmetric matrix, got {inertia!r}", element)
        self._links[str(name)] = Link(str(name), mass, _convert(vector, com, "com", element), tensor)

    def add_joint(
        self,
        name: str,
        type: str,
        parent: str,
        child: str,
        *,
        rotation: Any = IDENTITY,
        position: Any = ZERO,
        axis: Any = (1.0, 0.0, 0.0),
        lower: float = -math.inf,
        upper: float = math.inf,
        velocity: float = math.inf,
        effort: float = math.inf,
        damping: float = 0.0,
        friction: float = 0.0,
        armature: float = 0.0,
        mimic: Mimic | None = None,
    ) -> None:
        """Add a joint from a parent link to a child link; the links may be added later.

        Parameters
        ----------
        name : unique among the joints.
        type : "fixed", "revolute", "continuous", "prismatic", "planar", "spherical" or "floating".
        parent, child : names of links.
        rotation, position : (3, 3) and (3,) m, the pose of the joint frame in the parent link's frame.
        axis : (3,) in the joint frame, any length but zero; the normal of a planar joint.
        lower, upper, velocity, effort : limits, rad or m, per second, N m or N.
        damping, friction, armature : per degree of freedom, see `Joint`.
        mimic : the joint that this one follows, for one-degree joints.

        Raises
        ------
        ModelError
            A name that is taken, an unknown type, a zero axis, or a number that makes no sense.
        """
        element = ("joint", str(name))
        self._check_name(name, self._joints, element)
        if type not in JOINT_TYPES:
            raise ModelError(f"joint {name!r}: type: expected one of {', '.join(JOINT_TYPES)}, got {type!r}", element)
        rotation = _convert(matrix, rotation, "rotation", element)
        if abs(np.array(rotation) @ np.array(rotation).T - np.eye(3)).max() > 1e-6 or np.linalg.det(rotation) < 0:
            raise ModelError(
                f"joint {name!r}: rotation: expected an orthonormal right-handed matrix, got {rotation}", element
            )
        axis = _convert(vector, axis, "axis", element)
        if type in AXIS_TYPES:
            length = math.hypot(*axis)
            if not 1e-6 < length < 1e12:
                raise ModelError(f"joint {name!r}: axis: expected a direction, got {axis}", element)
            if abs(length - 1.0) > UNIT:
                axis = tuple(x / length for x in axis)
        losses = {"damping": damping, "friction": friction, "armature": armature}
        for key, value in losses.items():
            losses[key] = _number(value, key, element)
            if losses[key] < 0:
                raise ModelError(f"joint {name!r}: {key}: expected a number >= 0, got {value!r}", element)
        limits = {"lower": lower, "upper": upper, "velocity": velocity, "effort": effort}
        for key, value in limits.items():
            limits[key] = as_float(value)
            if math.isnan(limits[key]):
                raise ModelError(f"joint {name!r}: {key}: expected a number, got {value!r}", element)
        if mimic is not None:
            if not isinstance(mimic, Mimic):
                raise ModelError(f"joint {name!r}: mimic: expected a Mimic or None, got {mimic!r}", element)
            multiplier = _number(mimic.multiplier, "mimic multiplier", element)
            mimic = Mimic(str(mimic.joint), multiplier, _number(mimic.offset, "mimic offset", element))
        self._joints[str(name)] = Joint(
            str(name),
            type,
            str(parent),
            str(child),
            rotation,
            _convert(vector, position, "position", element),
            axis,
            mimic=mimic,
            **limits,
            **losses,
        )

    def describe(self) -> Description:
        """All links and joints so far, unchecked as a tree."""
        return Description(self.name, tuple(self._links.values()), tuple(self._joints.values()))

    def build(
        self,
        *,
        floating_base: bool = False,
        mimic: bool = True,
        merge_fixed: bool = True,
        gravity: Any = (0.0, 0.0, -9.81),
    ) -> Model:
        """Assemble the model.

        Parameters
        ----------
        floating_base : give the root link a floating joint, called "root_joint".
        mimic : apply mimic relations: followers leave q, qd and tau. False makes them free joints.
        merge_fixed : links behind fixed joints become part of the body that carries them, their frames are kept.
            False makes them bodies of their own, without degrees of freedom.
        gravity : (3,) m/s^2 in world axes.

        Raises
        ------
        ModelError
            The links and joints are not one tree, or mimic relations form a cycle.
        """
        from .assembly import assemble

        try:
            g = vector(gravity)
        except ValueError as error:
            raise ModelError(f"gravity: {error}") from None
        flags = {"floating_base": floating_base, "mimic": mimic, "merge_fixed": merge_fixed}
        return assemble(
            self.describe(), Options(**{name: flag(name, value) for name, value in flags.items()}, gravity=g)
        )

    @staticmethod
    def _check_name(name: object, taken: dict[str, Any], element: tuple[str, str]) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"{element[0]}: name: expected a text, got {name!r}", element)
        if name in taken:
            raise ModelError(f"{element[0]} {name!r}: the name is given twice", element)


def _number(x: Any, what: str, element: tuple[str, str]) -> float:
    value = as_float(x)
    if not math.isfinite(value):
        raise ModelError(f"{element[0]} {element[1]!r}: {what}: expected a finite number, got {x!r}", element)
    _check_size(value, what, element)
    return value


def _check_size(x: Any, what: str, element: tuple[str, str]) -> None:
    size = np.abs(x).max()
    if size > LARGEST:
        raise ModelError(f"{element[0]} {element[1]!r}: {what}: expected at most {LARGEST:g}, got {size:g}", element)


def _convert(converter: Any, x: Any, what: str, element: tuple[str, str]) -> Any:
    try:
        value = converter(x)
    except ValueError as error:
        raise ModelError(f"{element[0]} {element[1]!r}: {what}: {error}", element) from None
    _check_size(value, what, element)
    return value
