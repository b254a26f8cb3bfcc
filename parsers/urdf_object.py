"""Robots that another package has read from URDF: urdfpy and urchin, or yourdfpy. None of them is imported."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.arguments import flag
from ..model.builder import ModelBuilder
from ..model.description import NO_INERTIA, Matrix, Mimic, Options
from ..model.errors import ModelError, ModelWarning
from ..model.findings import Finding, examine, mimic_fault
from ..spatial.inertias import rotate_symmetric
from .values import decimal, limit

if TYPE_CHECKING:
    from ..model.model import Model

PLACEHOLDERS = ("drop", "keep")
SHOWN = 6  # names in a warning


def from_urdf_object(
    robot: Any,
    *,
    floating_base: bool = False,
    mimic: bool = True,
    strict: bool = False,
    merge_fixed: bool = True,
    placeholders: str = "drop",
) -> Model:
    """Make a model of a robot that urdfpy, urchin or yourdfpy has read.

    Parameters
    ----------
    robot : a `urdfpy.URDF`, `urchin.URDF`, `yourdfpy.URDF` or its `robot`: whatever has `links` and `joints` with the
        attributes of theirs.
    floating_base, mimic, merge_fixed : as in `load_urdf`.
    strict : make every warning a ModelError.
    placeholders : urdfpy and urchin invent 1 kg and a unit tensor for a link without <inertial> and keep no sign of it.
        "drop" takes links of just that inertia as massless, "keep" takes them as they are; a warning lists them.

    Raises
    ------
    TypeError
        The object has no links and joints.
    ModelError
        What it has is no robot.

    Warns
    -----
    ModelWarning
        As `load_urdf` does, but without a line, for nothing is known of the file.

    Notes
    -----
    What a package loses when it reads a file stays lost: with `load_urdf` nothing is.

    Examples
    --------
    >>> from types import SimpleNamespace as Thing
    >>> import featherstone as fs
    >>> disc = Thing(mass=2.0, inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 2]], origin=None)
    >>> links = [Thing(name="axle", inertial=None), Thing(name="disc", inertial=disc)]
    >>> spin = Thing(name="spin", type="continuous", parent="axle", child="disc", origin=None, axis=[0, 0, 1],
    ...              limit=None, dynamics=None, mimic=None)
    >>> fs.from_urdf_object(Thing(name="wheel", links=links, joints=[spin]))
    <Model 'wheel': 1 moving body, nq 1, nv 1, fixed base, 2 kg>
    """
    flag("strict", strict)
    if placeholders not in PLACEHOLDERS:
        raise ValueError(f"placeholders: expected {' or '.join(map(repr, PLACEHOLDERS))}, got {placeholders!r}")
    inner: Any = robot if hasattr(robot, "links") else getattr(robot, "robot", None)
    if not hasattr(inner, "links") or not hasattr(inner, "joints"):
        raise TypeError(
            f"robot: expected an object of urdfpy, urchin or yourdfpy, got {type(robot).__name__};"
            " of a path or text use load_urdf"
        )
    builder = ModelBuilder(getattr(inner, "name", None) or "robot")
    findings: list[Finding] = []
    joints = list(inner.joints)
    # urdfpy and urchin call a joint's type so; yourdfpy does not invent inertias
    invents = any(hasattr(joint, "joint_type") for joint in joints)
    suspected = [link.name for link in inner.links if invents and _is_placeholder(link.inertial)]
    for link in inner.links:
        _add_link(builder, link, massless=placeholders == "drop" and link.name in suspected)
    types = {joint.name: _type(joint) for joint in joints}
    for joint in joints:
        _add_joint(builder, joint, types, findings)
    model = builder.build(floating_base=floating_base, mimic=mimic, merge_fixed=merge_fixed)
    findings += [
        *_placeholders(model.name, suspected, placeholders),
        *examine(builder.describe(), Options(mimic=mimic)),
    ]
    if strict and findings:
        raise ModelError(str(findings[0]), (findings[0].element_kind, findings[0].name or ""))
    for finding in findings:
        warnings.warn(str(finding), ModelWarning, stacklevel=2)
    return model


def _is_placeholder(inertial: Any) -> bool:
    return (
        inertial is not None
        and inertial.mass == 1.0
        and np.array_equal(inertial.inertia, np.eye(3))
        and np.array_equal(inertial.origin, np.eye(4))
    )


def _placeholders(robot: str, names: list[str], placeholders: str) -> list[Finding]:
    if not names:
        return []
    listed = ", ".join(map(repr, names[:SHOWN])) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    message = f"robot {robot!r}: links {listed} have 1 kg and a unit tensor, as readers invent for want of <inertial>"
    if placeholders == "drop":
        remedy = "they are taken as massless: use load_urdf, or placeholders='keep' if the file says so"
    else:
        remedy = "they are kept: use load_urdf, or placeholders='drop' if the file has no <inertial> there"
    return [Finding("inertia-invented", "robot", robot, message, remedy)]


def _add_link(builder: ModelBuilder, link: Any, massless: bool) -> None:
    inertial = link.inertial
    if inertial is None or massless:
        builder.add_link(link.name)
        return
    T = _pose(inertial.origin, ("link", link.name))
    builder.add_link(link.name, inertial.mass, T[:3, 3], _turned(inertial.inertia, T[:3, :3]))


def _turned(tensor: Any, rotation: np.ndarray) -> Any:
    """A tensor in the link's axes; what is no 3x3 matrix stays as it is, for the builder to refuse."""
    array = np.asarray(tensor)
    if array.shape != (3, 3) or array.dtype.kind not in "iuf" or (rotation == np.eye(3)).all():
        return NO_INERTIA if tensor is None else tensor
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = array.tolist()
    xx, xy, yy, xz, yz, zz = rotate_symmetric(tuple(rotation.ravel().tolist()), (xx, xy, yy, xz, yz, zz))
    turned: Matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return turned


def _add_joint(builder: ModelBuilder, joint: Any, types: dict[str, str], findings: list[Finding]) -> None:
    kind = types[joint.name]
    element = ("joint", str(joint.name))
    T = _pose(joint.origin, element)
    given = _numbers(joint.limit, ("lower", "upper", "velocity", "effort"), element)
    limits, losses = {key: limit(value) for key, value in given.items()}, {}
    if kind != "fixed":
        losses = _numbers(joint.dynamics, ("damping", "friction"), element)
    if kind == "continuous":
        limits = {key: limits[key] for key in limits if key in ("velocity", "effort")}
    elif kind not in ("revolute", "prismatic"):
        limits = {}
    elif limits.keys() & {"lower", "upper"}:
        limits = {"lower": 0.0, "upper": 0.0, **limits}  # as URDF says
    options: dict[str, Any] = {"rotation": T[:3, :3], "position": T[:3, 3], **limits, **losses}
    if joint.axis is not None:
        options["axis"] = joint.axis
    if joint.mimic is not None:
        follow = joint.mimic
        numbers = {"multiplier": 1.0, "offset": 0.0, **_numbers(follow, ("multiplier", "offset"), element)}
        fault = mimic_fault(joint.name, kind, follow.joint, types.get(follow.joint))
        if fault:
            findings.append(fault)
        else:
            options["mimic"] = Mimic(follow.joint, numbers["multiplier"], numbers["offset"])
    builder.add_joint(joint.name, kind, joint.parent, joint.child, **options)


def _type(joint: Any) -> str:
    return str(joint.joint_type if hasattr(joint, "joint_type") else joint.type)


def _pose(origin: Any, element: tuple[str, str]) -> np.ndarray:
    if origin is None:
        return np.eye(4)
    T = np.asarray(origin)
    if T.shape != (4, 4) or T.dtype.kind not in "iuf":
        raise ModelError(f"{element[0]} {element[1]!r}: origin: expected a 4x4 matrix, got {origin!r}", element)
    return T.astype(np.float64)


def _numbers(thing: Any, keys: tuple[str, ...], element: tuple[str, str]) -> dict[str, float]:
    """The attributes that there are; some are texts, as they stand in the file."""
    found = {}
    for key in keys:
        value = getattr(thing, key, None)
        if value is None:
            continue
        try:
            found[key] = decimal(value) if isinstance(value, str) else float(value)
        except (TypeError, ValueError) as error:
            raise ModelError(f"{element[0]} {element[1]!r}: {key}: {error}; found {value!r}", element) from None
        if math.isnan(found[key]):
            raise ModelError(f"{element[0]} {element[1]!r}: {key}: expected a number, got NaN", element)
    return found
