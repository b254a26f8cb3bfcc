"""Robots from tables of Denavit-Hartenberg parameters.

J. Denavit and R. S. Hartenberg, "A kinematic notation for lower-pair mechanisms based on matrices", Journal of Applied
Mechanics 22 (1955): standard. J. J. Craig, *Introduction to Robotics*, chapter 3: modified.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.arguments import as_float
from ..model.assembly import pose
from ..model.builder import ModelBuilder
from ..model.description import floats
from ..model.errors import ModelError
from ..model.numbers import LARGEST
from .values import rotation_from_rpy

if TYPE_CHECKING:
    from ..model.model import Model

CONVENTIONS = ("modified", "standard")
TYPES = ("revolute", "prismatic")
OF_LINK = ("mass", "com", "inertia")
OF_JOINT = ("lower", "upper", "velocity", "effort", "damping", "friction", "armature")
KEYS = ("a", "alpha", "d", "theta", "type", "offset", "sign", *OF_JOINT, *OF_LINK, "joint", "link")


def from_dh(
    rows: Iterable[Mapping[str, Any]],
    convention: str = "modified",
    *,
    name: str = "robot",
    gravity: Any = None,
    base: Any = None,
    tool: Any = None,
) -> Model:
    """Make a robot from a table of Denavit-Hartenberg parameters.

    Parameters
    ----------
    rows : one mapping for each joint, from the base outward. Its keys, none of which is required:

        - `a`, `alpha`, `d`, `theta`: m and rad, 0 if not given. In the modified convention `a` and `alpha` of row i are
          Craig's a_{i-1} and alpha_{i-1}.
        - `type`: "revolute" (if not given) or "prismatic".
        - `offset`, `sign`: the joint's variable is theta + offset + sign * q, or d + offset + sign * q if it is
          prismatic; `sign` is 1 (if not given) or -1.
        - `lower`, `upper`, `velocity`, `effort`, `damping`, `friction`, `armature`: of q, as in `Joint`.
        - `mass`, `com` (3,), `inertia` (3, 3): kg, m and kg m^2, of link i in DH frame i, the inertia about the centre
          of mass; zero if not given.
        - `joint`, `link`: names, joint1, joint2, ... and link1, link2, ... if not given.
    convention : "modified", a row is Rx(alpha) Tx(a) Rz(theta) Tz(d), or "standard", Rz(theta) Tz(d) Tx(a) Rx(alpha).
    name : the robot's name.
    gravity : (3,) m/s^2 in world axes; (0, 0, -9.81) if not given.
    base : (4, 4) pose of DH frame 0, the frame "base", in the world.
    tool : (4, 4) pose of a frame "tool" in the last DH frame.

    Raises
    ------
    ModelError
        An entry that makes no sense, with the number of its row (from 1) and its key.

    Notes
    -----
    The frame of each link is its DH frame: `frame_pose(model, q, "link3")` is the product of the base and three rows.
    In the modified convention it is also the frame of the body. In the standard one joint i turns about z_{i-1}, so
    that the body's frame is at the near end of the link: it is called "link3_near", and `link3` is fixed to it.
    Nothing is asked of the inertias but symmetry: `check` tells what no body has.

    Examples
    --------
    >>> import featherstone as fs
    >>> rod = {"a": 1.0, "mass": 2.0, "com": (-0.5, 0, 0), "inertia": [[0, 0, 0], [0, 1/6, 0], [0, 0, 1/6]]}
    >>> arm = fs.from_dh([rod, rod], "standard", gravity=(0, -9.81, 0))
    >>> arm
    <Model 'robot': 2 moving bodies, nq 2, nv 2, fixed base, 4 kg>
    >>> fs.gravity_torque(arm, [0.0, 0.0])
    array([39.24,  9.81])
    """
    _choice("convention", convention, CONVENTIONS)
    table = _listed(rows)
    builder = ModelBuilder(name)
    parent = "base"
    if base is None:
        builder.add_link("base")
    else:
        builder.add_link("world")
        builder.add_link("base")
        _join(builder, "base_joint", "fixed", "world", "base", _rigid("base", base))
    for number, row in enumerate(table, start=1):
        try:
            parent = _add_row(builder, parent, number, row, convention)
        except ModelError as error:
            raise ModelError(f"row {number}: {error}", error.element) from None
    if tool is not None:
        builder.add_link("tool")
        _join(builder, "tool_joint", "fixed", parent, "tool", _rigid("tool", tool))
    return builder.build() if gravity is None else builder.build(gravity=gravity)


def _add_row(builder: ModelBuilder, parent: str, number: int, row: Mapping[str, Any], convention: str) -> str:
    """Give the link and the joint of one row to the builder and return the link's name."""
    _check_keys(row)
    kind = _choice("type", row.get("type", "revolute"), TYPES)
    a, alpha, d, theta, offset = (_number(row, key, 0.0) for key in ("a", "alpha", "d", "theta", "offset"))
    sign = _number(row, "sign", 1.0)
    if abs(sign) != 1.0:
        raise ModelError(f"sign: expected 1 or -1, got {row['sign']!r}")
    _check_limits(row)
    if kind == "revolute":
        theta += offset
    else:
        d += offset
    along_x = pose(rotation_from_rpy(alpha, 0.0, 0.0), (a, 0.0, 0.0))
    along_z = pose(rotation_from_rpy(0.0, 0.0, theta), (0.0, 0.0, d))

    joint, link = row.get("joint", f"joint{number}"), row.get("link", f"link{number}")
    builder.add_link(link, **{key: row[key] for key in OF_LINK if key in row})
    options = {"axis": (0.0, 0.0, sign), **{key: row[key] for key in OF_JOINT if key in row}}
    # what the joint does, about or along z, commutes with along_z: it may come after it
    if convention == "modified":
        _join(builder, joint, kind, parent, link, along_x @ along_z, **options)
    else:
        builder.add_link(f"{link}_near")
        _join(builder, joint, kind, parent, f"{link}_near", along_z, **options)
        _join(builder, f"{link}_joint", "fixed", f"{link}_near", link, along_x)
    return str(link)


def _join(builder: ModelBuilder, name: str, kind: str, parent: str, child: str, T: np.ndarray, **options: Any) -> None:
    builder.add_joint(name, kind, parent, child, rotation=T[:3, :3], position=T[:3, 3], **options)


def _listed(rows: Any) -> list[Any]:
    try:
        table = list(rows)
    except TypeError:
        raise ModelError(f"rows: expected a sequence of mappings, one for each joint, got {rows!r}") from None
    if not table:
        raise ModelError("rows: expected at least one, got none")
    return table


def _check_keys(row: Any) -> None:
    if not isinstance(row, Mapping):
        raise ModelError(f"expected a mapping such as {{'a': 0.4, 'alpha': 0.0, 'd': 0.1}}, got {row!r}")
    for key in row:
        if key not in KEYS:
            near = get_close_matches(str(key).lower(), KEYS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ModelError(f"{key!r}: expected a key of {', '.join(KEYS)}{hint}")


def _check_limits(row: Mapping[str, Any]) -> None:
    """What the builder leaves to `check`, since a file may have it: here it is a slip of the pen."""
    lower, upper = as_float(row.get("lower", -math.inf)), as_float(row.get("upper", math.inf))
    if lower > upper:
        raise ModelError(f"lower: expected at most upper, which is {upper:g}, got {lower:g}")
    for key in ("velocity", "effort"):
        if as_float(row.get(key, math.inf)) < 0.0:
            raise ModelError(f"{key}: expected a number >= 0, got {row[key]!r}")


def _choice(what: str, value: Any, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise ModelError(f"{what}: expected {' or '.join(map(repr, choices))}, got {value!r}")
    return value


def _number(row: Mapping[str, Any], key: str, default: float) -> float:
    value = as_float(row.get(key, default))
    if not abs(value) <= LARGEST:
        raise ModelError(f"{key}: expected a finite number of at most {LARGEST:g}, got {row[key]!r}")
    return value


def _rigid(what: str, x: Any) -> np.ndarray:
    """A 4x4 pose."""
    T = floats(x)
    if T is None or T.shape != (4, 4) or np.abs(T).max() > LARGEST:
        raise ModelError(f"{what}: expected a 4x4 matrix of finite numbers, got {x!r}")
    R = T[:3, :3]
    if abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0 or (T[3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise ModelError(f"{what}: expected a pose: a rotation, a position and a last row 0, 0, 0, 1, got {x!r}")
    return T
