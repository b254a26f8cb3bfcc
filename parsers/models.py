"""The small robots that ship inside the package: URDF files of our own, in the folder `robots` beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .urdf import load_urdf

if TYPE_CHECKING:
    from ..model.model import Model

FOLDER = Path(__file__).parent / "robots"


class Nature(NamedTuple):
    """What a robot is by nature and URDF cannot say: whether its base floats, and its gravity if not along -z."""

    floating: bool = False
    gravity: tuple[float, float, float] | None = None


ROBOTS = {
    "cart_pole": Nature(),
    "humanoid": Nature(floating=True),
    "pendulum": Nature(),
    "planar_2r": Nature(gravity=(0.0, -9.81, 0.0)),
    "quadruped": Nature(floating=True),
    "seven_axis": Nature(),
    "six_axis": Nature(),
}


def names() -> tuple[str, ...]:
    """The names of all shipped robots.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.models.names()
    ('cart_pole', 'humanoid', 'pendulum', 'planar_2r', 'quadruped', 'seven_axis', 'six_axis')
    """
    return tuple(ROBOTS)


def load(name: str, *, floating_base: bool | None = None) -> Model:
    """Load a shipped robot.

    Parameters
    ----------
    name : one of `names()`.
    floating_base : give the root link a floating joint, called "root_joint"; None does so for robots that walk.

    Returns
    -------
    model : with the standard gravity (0, 0, -9.81) m/s^2, except `planar_2r`, which moves in the x-y plane and has
        (0, -9.81, 0).

    Raises
    ------
    ValueError
        There is no such robot; the error suggests near names.

    Notes
    -----
    `six_axis` is a textbook's arm of point masses and its mass matrix is singular: its last joint turns nothing that
    has inertia. Inverse dynamics works; forward dynamics needs a payload with inertia about that joint's axis.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.models.load("quadruped")
    <Model 'quadruped': 13 moving bodies, nq 19, nv 18, floating base, 15.32 kg>
    """
    if not isinstance(name, str) or name not in ROBOTS:
        import difflib

        near = difflib.get_close_matches(str(name), ROBOTS, n=2, cutoff=0.5)
        listed = ", ".join(map(repr, near or ROBOTS))
        hint = f"did you mean {listed}?" if near else f"there are {listed}"
        raise ValueError(f"name: no shipped robot is called {name!r}; {hint}")
    nature = ROBOTS[name]
    floating = nature.floating if floating_base is None else bool(floating_base)
    model = load_urdf(FOLDER / f"{name}.urdf", floating_base=floating)
    return model if nature.gravity is None else model.with_gravity(nature.gravity)
