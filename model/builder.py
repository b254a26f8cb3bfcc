"""The one way to a Model: add links and joints in any order, then build."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .arguments import flag
from .description import (
    IDENTITY,
    NO_INERTIA,
    ZERO,
    Description,
    Joint,
    Link,
    Mimic,
    Options,
    Rotor,
    Values,
    matrix,
    vector,
)
from .errors import ModelError
from .joint_checks import checked_joint
from .numbers import convert, number

if TYPE_CHECKING:
    from .model import Model


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
        mass = number(mass, "mass", element)
        if mass < 0:
            raise ModelError(f"link {name!r}: mass: expected a number >= 0, got {mass!r}", element)
        tensor = convert(matrix, inertia, "inertia", element)
        array = np.array(tensor)
        if abs(array - array.T).max() > 1e-9 * abs(array).max():
            raise ModelError(f"link {name!r}: inertia: expected a symmetric matrix, got {inertia!r}", element)
        self._links[str(name)] = Link(str(name), mass, convert(vector, com, "com", element), tensor)

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
        lower: Values = -math.inf,
        upper: Values = math.inf,
        velocity: Values = math.inf,
        effort: Values = math.inf,
        damping: Values = 0.0,
        friction: Values = 0.0,
        armature: Values = 0.0,
        mimic: Mimic | None = None,
        axis2: Any = (0.0, 1.0, 0.0),
        pitch: float = 0.0,
        screws: Any = (),
        stiction: Values = 0.0,
        stribeck_velocity: Values = 0.0,
        smoothing: Values = 0.0,
        rotor: Rotor | None = None,
    ) -> None:
        """Add a joint from a parent link to a child link; the links may be added later.

        Parameters
        ----------
        name : unique among the joints.
        type : "fixed", "revolute", "continuous", "prismatic", "helical", "universal", "cylindrical", "planar",
            "spherical", "floating" or "composite".
        parent, child : names of links.
        rotation, position : (3, 3) and (3,) m, the pose of the joint frame in the parent link's frame.
        axis : (3,) in the joint frame, any length but zero; the normal of a planar joint, the first axis of a universal
            one.
        lower, upper, velocity, effort : limits, rad or m, per second, N m or N; see `Joint`.
        damping, friction, armature, stiction, stribeck_velocity, smoothing : losses and inertia of the drive, see
            `Joint`. Those of a joint with several degrees of freedom are one number for all, or one for each.
        mimic : the joint that this one follows, for one-degree joints.
        axis2 : (3,) the second axis of a universal joint, which the first one turns along.
        pitch : m/rad, the travel of a helical joint along its axis.
        screws : (k, 6) the motion subspace of a composite joint: for each degree of freedom a unit screw (w; v) in the
            joint frame at zero. The joint moves by exp(S_1 q_1) exp(S_2 q_2) ...
        rotor : of the joint's motor, for one-degree joints.

        Raises
        ------
        ModelError
            A name that is taken, an unknown type, a zero axis, or a number that makes no sense.

        Examples
        --------
        A joint that no library has: a turn about x, then a skew screw that does not pass through the joint's origin.

        >>> import featherstone as fs
        >>> builder = fs.ModelBuilder()
        >>> builder.add_link("base")
        >>> builder.add_link("tool", mass=1.0, com=(0, 0, 0.2))
        >>> turn, screw = (1, 0, 0, 0, 0, 0), (0, 0.6, 0.8, 0.3, 0.02, 0.03)
        >>> builder.add_joint("wrist", "composite", "base", "tool", screws=[turn, screw])
        >>> builder.build().qd_index("wrist")
        slice(0, 2, None)
        """
        element = ("joint", str(name))
        self._check_name(name, self._joints, element)
        self._joints[str(name)] = checked_joint(
            Joint(
                str(name),
                type,
                str(parent),
                str(child),
                rotation,
                position,
                axis,
                lower,
                upper,
                velocity,
                effort,
                damping,
                friction,
                armature,
                mimic,
                axis2,
                pitch,
                screws,
                stiction,
                stribeck_velocity,
                smoothing,
                rotor,
            )
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
