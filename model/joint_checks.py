"""Whether a joint makes sense: its fields as users give them become those that the rest of the package relies on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .arguments import as_float
from .description import AXIS_TYPES, JOINT_TYPES, Joint, Mimic, Rotor, Screw, Values, floats, matrix, vector
from .errors import ModelError
from .numbers import check_size, convert, number

# a length is 1 but for the rounding of a division by it: such an axis stays as it is, and so does a saved one
UNIT = 2.0**-51
LIMITS = ("lower", "upper", "velocity", "effort")
NOT_NEGATIVE = ("damping", "friction", "armature", "stiction", "stribeck_velocity", "smoothing")
DIVISORS = ("stribeck_velocity", "smoothing")  # velocities that others are divided by
SMALLEST = 1e-60  # its square and the inverse of that are float64 as well


def checked_joint(joint: Joint) -> Joint:
    """The joint with tuples of floats for what was given, and axes of unit length."""
    element = ("joint", joint.name)
    if joint.type not in JOINT_TYPES:
        known = ", ".join(JOINT_TYPES)
        raise ModelError(f"joint {joint.name!r}: type: expected one of {known}, got {joint.type!r}", element)
    rotation = convert(matrix, joint.rotation, "rotation", element)
    if abs(np.array(rotation) @ np.array(rotation).T - np.eye(3)).max() > 1e-6 or np.linalg.det(rotation) < 0:
        raise ModelError(
            f"joint {joint.name!r}: rotation: expected an orthonormal right-handed matrix, got {rotation}", element
        )
    axis = convert(vector, joint.axis, "axis", element)
    joint = replace(
        joint,
        rotation=rotation,
        axis=_direction(axis, "axis", element) if joint.type in AXIS_TYPES else axis,
        position=convert(vector, joint.position, "position", element),
        mimic=_mimic(joint.mimic, element),
        axis2=_second_axis(joint, element),
        pitch=number(joint.pitch, "pitch", element),
        screws=_screws(joint, element),
    )
    if joint.type == "universal":
        _check_angle(joint)
    if (joint.type == "helical") != bool(joint.pitch):
        expected = "the travel in m/rad" if joint.type == "helical" else f"none of a {joint.type} joint"
        raise ModelError(f"joint {joint.name!r}: pitch: expected {expected}, got {joint.pitch:g}", element)
    numbers: dict[str, Any] = {key: _values(joint, key, _limit) for key in LIMITS}
    numbers |= {key: _values(joint, key, number) for key in NOT_NEGATIVE}
    joint = replace(joint, rotor=_rotor(joint, element), **numbers)
    _check_friction(joint)
    if joint.type == "spherical" and joint.values("upper")[0] < 0:
        message = f"joint {joint.name!r}: upper: expected the greatest angle of its rotation, >= 0, got {joint.upper!r}"
        raise ModelError(message, element)
    return joint


def _direction(axis: Any, what: str, element: tuple[str, str]) -> Any:
    length = math.hypot(*axis)
    if not 1e-6 < length < 1e12:
        raise ModelError(f"joint {element[1]!r}: {what}: expected a direction, got {axis}", element)
    return tuple(x / length for x in axis) if abs(length - 1.0) > UNIT else axis


def _second_axis(joint: Joint, element: tuple[str, str]) -> Any:
    axis = convert(vector, joint.axis2, "axis2", element)
    return _direction(axis, "axis2", element) if joint.type == "universal" else axis


def _check_angle(joint: Joint) -> None:
    if math.hypot(*np.cross(joint.axis, joint.axis2)) < 1e-6:
        message = f"joint {joint.name!r}: axis2: expected another direction than axis, got {joint.axis2}"
        raise ModelError(message, ("joint", joint.name))


def _mimic(mimic: Mimic | None, element: tuple[str, str]) -> Mimic | None:
    if mimic is None:
        return None
    if not isinstance(mimic, Mimic):
        raise ModelError(f"joint {element[1]!r}: mimic: expected a Mimic or None, got {mimic!r}", element)
    multiplier = number(mimic.multiplier, "mimic multiplier", element)
    return Mimic(str(mimic.joint), multiplier, number(mimic.offset, "mimic offset", element))


def _screws(joint: Joint, element: tuple[str, str]) -> tuple[Screw, ...]:
    given = joint.screws
    if joint.type != "composite":
        if _shape(given) not in ((0,), (0, 6)):
            message = f"joint {joint.name!r}: screws: expected none of a {joint.type} joint; make it composite"
            raise ModelError(message, element)
        return ()
    array = floats(given)
    if array is None or array.ndim != 2 or array.shape[1] != 6 or not len(array):
        raise ModelError(
            f"joint {joint.name!r}: screws: expected finite numbers of shape (k, 6), a row (w; v) for each degree of"
            f" freedom, got {given!r}",
            element,
        )
    check_size(array, "screws", element)
    return tuple(_unit_screw(tuple(row), element) for row in array.tolist())


def _unit_screw(screw: Any, element: tuple[str, str]) -> Screw:
    turns = any(screw[:3])
    length = math.hypot(*(screw[:3] if turns else screw[3:]))
    if abs(length - 1.0) > 1e-6:
        hint = f"; divide it by {length:g}" if length else ""
        raise ModelError(
            f"joint {element[1]!r}: screws: expected rows (w; v) with w of unit length, or w zero and v of unit length,"
            f" got {screw}{hint}",
            element,
        )
    return screw if abs(length - 1.0) <= UNIT else tuple(x / length for x in screw)


def _values(joint: Joint, key: str, read: Callable[..., float]) -> Values:
    """One number, or of a joint with several degrees of freedom one for each."""
    element, given = ("joint", joint.name), getattr(joint, key)
    # a joint with a quaternion has limits of its whole rotation or none
    count = 1 if key in ("lower", "upper") and joint.coordinates != joint.degrees else joint.degrees
    shape = _shape(given)
    if count > 1 and shape != ():
        if shape != (count,):
            message = f"joint {joint.name!r}: {key}: expected one number, or {count} of them, got {given!r}"
            raise ModelError(message, element)
        values = tuple(read(x, key, element) for x in given)
        result: Values = values
    else:
        result = read(given, key, element)
        values = (result,)
    if key in NOT_NEGATIVE and min(values) < 0:
        raise ModelError(f"joint {joint.name!r}: {key}: expected a number >= 0, got {given!r}", element)
    if key in DIVISORS and any(0 < x < SMALLEST for x in values):
        message = f"joint {joint.name!r}: {key}: expected 0 or at least {SMALLEST:g}, got {given!r}"
        raise ModelError(message, element)
    return result


def _shape(x: Any) -> tuple[int, ...] | None:
    """The shape of an array, None of what is none."""
    try:
        return np.shape(x)
    except ValueError:
        return None


def _limit(x: Any, what: str, element: tuple[str, str]) -> float:
    """A number, which may be infinite."""
    value = as_float(x)
    if math.isnan(value):
        raise ModelError(f"joint {element[1]!r}: {what}: expected a number, got {x!r}", element)
    return value


def _rotor(joint: Joint, element: tuple[str, str]) -> Rotor | None:
    rotor = joint.rotor
    if rotor is None:
        return None
    if not isinstance(rotor, Rotor):
        raise ModelError(f"joint {joint.name!r}: rotor: expected a Rotor or None, got {rotor!r}", element)
    if joint.degrees != 1:
        message = f"joint {joint.name!r}: rotor: expected a joint of one degree of freedom, it is {joint.type}"
        raise ModelError(message, element)
    inertia, ratio = number(rotor.inertia, "rotor inertia", element), number(rotor.ratio, "rotor ratio", element)
    if inertia < 0:
        raise ModelError(f"joint {joint.name!r}: rotor inertia: expected a number >= 0, got {inertia!r}", element)
    if not isinstance(rotor.gyroscopic, bool | np.bool_):
        message = f"joint {joint.name!r}: rotor gyroscopic: expected True or False, got {rotor.gyroscopic!r}"
        raise ModelError(message, element)
    axis: Any = rotor.axis
    if axis is not None:
        axis = _direction(convert(vector, axis, "rotor axis", element), "rotor axis", element)
    elif rotor.gyroscopic and joint.type not in AXIS_TYPES:
        message = (
            f"joint {joint.name!r}: rotor axis: expected the rotor's direction, since a {joint.type} joint has none"
        )
        raise ModelError(message, element)
    return Rotor(inertia, ratio, bool(rotor.gyroscopic), axis)


def _check_friction(joint: Joint) -> None:
    """Friction that begins at `stiction` falls to the Coulomb friction, over some velocity."""
    if any(joint.values("stribeck_velocity")) and not any(joint.values("stiction")):
        f = max(joint.values("friction"))
        message = (
            f"joint {joint.name!r}: stiction: expected at least the friction {f:g} beside stribeck_velocity, got 0"
        )
        raise ModelError(message, ("joint", joint.name))
    for f, start, speed in zip(joint.values("friction"), joint.values("stiction"), joint.values("stribeck_velocity")):
        if start and start < f:
            message = f"joint {joint.name!r}: stiction: expected at least the friction {f:g}, got {start:g}"
            raise ModelError(message, ("joint", joint.name))
        if start > f and not speed:
            message = f"joint {joint.name!r}: stribeck_velocity: expected a velocity > 0 beside stiction, got {speed:g}"
            raise ModelError(message, ("joint", joint.name))
