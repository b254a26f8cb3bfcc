"""Motions and forces of rigid bodies: spatial (6D) vectors, angular part first. Featherstone (2008), chapter 2."""

from __future__ import annotations

from typing import Any, NoReturn, Self, overload

import numpy as np

from .arguments import Array, broadcast_shapes, real_array
from .matrices import blocks, cross_matrix
from .motions import cross_force, cross_motion, minus, plus, power, times
from .quantity import Quantity, type_error
from .storage import MOTION, load_motion, store_motion

_ARRAY_HINT = "make one from an array by from_array"


class SpatialVector(Quantity):
    """What motions and forces have in common: they are elements of vector spaces, each of its own."""

    __slots__ = ()
    _size = MOTION
    _load = staticmethod(load_motion)
    _store = staticmethod(store_motion)

    def _keep_halves(self, names: tuple[str, str], angular: Any, linear: Any) -> None:
        a, b = real_array(angular, names[0], (3,)), real_array(linear, names[1], (3,))
        shape = broadcast_shapes({names[0]: a.shape[:-1], names[1]: b.shape[:-1]})
        components = np.empty((*shape, 6))
        components[..., :3], components[..., 3:] = a, b
        self._keep(components)

    @classmethod
    def from_array(cls, array: Any) -> Self:
        """Vectors from an array (..., 6), angular part first.

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of that shape.
        """
        if isinstance(array, Quantity):
            raise TypeError(f"array: expected an array, got {type(array).__name__}; hint: motions are no forces")
        return cls._wrap(real_array(array, "array", (6,), "angular part first, then linear part"))

    @classmethod
    def zero(cls, shape: tuple[int, ...] = ()) -> Self:
        """The zero vector, or a batch of them."""
        return cls._wrap(np.zeros((*shape, 6)))

    def _as_array(self) -> Array:
        return self._components

    def _same(self, operation: str, other: object) -> None:
        if type(other) is not type(self):
            unlike = isinstance(other, SpatialVector)
            hint = "motions and forces are different spaces, whose product is power: dot" if unlike else _ARRAY_HINT
            raise type_error(operation, self, other, hint)

    def __add__(self, other: Self) -> Self:
        self._same("+", other)
        return self._apply(plus, self, other)

    def __radd__(self, other: Any) -> NoReturn:
        # without it, NumPy's arrays would try to concatenate
        raise type_error("+", other, self, f"{_ARRAY_HINT}; sum(...) needs start={type(self).__name__}.zero()")

    def __sub__(self, other: Self) -> Self:
        self._same("-", other)
        return self._apply(minus, self, other)

    def __neg__(self) -> Self:
        return self._wrap(-self._components)

    def __mul__(self, factor: Any) -> Self:
        if isinstance(factor, Quantity):
            raise type_error("*", self, factor, "power is dot, the cross products are cross")
        return self._apply(times, real_array(factor, "factor", hint="a number, or an array of the batch shape"), self)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Self:
        if isinstance(divisor, Quantity):
            raise type_error("/", self, divisor, "a spatial vector can be divided by numbers only")
        array = real_array(divisor, "divisor", hint="a number, or an array of the batch shape")
        if not array.all():
            raise ValueError("divisor: expected numbers that are not zero, got 0")
        broadcast_shapes({type(self).__name__: self.shape, "divisor": array.shape})
        return self._wrap(self._components / array[..., None])

    def _power(self, other: SpatialVector) -> Any:
        broadcast_shapes({type(self).__name__: self.shape, type(other).__name__: other.shape})
        return power(self._scalars(), other._scalars())


class Motion(SpatialVector):
    """Velocities or accelerations of rigid bodies: motion vectors (omega; v).

    Parameters
    ----------
    angular : (..., 3) rad/s (rad/s^2), the angular velocity.
    linear : (..., 3) m/s (m/s^2), the velocity of the point of the body that is at the frame's origin.

    Raises
    ------
    TypeError, ValueError
        Not finite real numbers of these shapes.

    Notes
    -----
    Both halves are in one frame's axes; `Transform` takes them to another frame. Batch dimensions broadcast.
    Featherstone (2008), sections 2.2 and 2.9.

    Examples
    --------
    >>> import featherstone as fs
    >>> v = fs.Motion(angular=[0, 0, 2], linear=[1, 0, 0])
    >>> 0.5 * v + v
    Motion(angular=[0, 0, 3], linear=[1.5, 0, 0])
    >>> float(v.dot(fs.Force(moment=[0, 0, 3], force=[4, 0, 0])))
    10.0
    >>> v.cross(fs.Motion([1, 0, 0], [0, 0, 0]))
    Motion(angular=[0, 2, 0], linear=[0, 0, 0])
    """

    __slots__ = ()

    def __init__(self, angular: Any, linear: Any) -> None:
        self._keep_halves(("angular", "linear"), angular, linear)

    @property
    def angular(self) -> Array:
        """The angular half, (..., 3), read-only."""
        return self._components[..., :3]

    @property
    def linear(self) -> Array:
        """The linear half, (..., 3), read-only."""
        return self._components[..., 3:]

    def _parts(self) -> dict[str, Array]:
        return {"angular": self.angular, "linear": self.linear}

    def dot(self, other: Force) -> Any:
        """Return the power, (...) W, of a force over this velocity.

        Raises
        ------
        TypeError
            Not a Force: two motions have no inner product.
        """
        if not isinstance(other, Force):
            raise type_error("dot", self, other, "power is the product of a Motion and a Force")
        return self._power(other)

    @overload
    def cross(self, other: Motion) -> Motion: ...
    @overload
    def cross(self, other: Force) -> Force: ...
    def cross(self, other: Motion | Force) -> Motion | Force:
        """Return v x m of a motion, v x* f of a force: the rate of a vector that this velocity carries along.

        Raises
        ------
        TypeError
            Neither a Motion nor a Force.

        Notes
        -----
        v x* = -(v x)^T. Featherstone (2008), section 2.9.
        """
        if isinstance(other, Motion):
            return Motion._apply(cross_motion, self, other)
        if isinstance(other, Force):
            return Force._apply(cross_force, self, other)
        raise type_error("cross", self, other, _ARRAY_HINT)

    def motion_cross_matrix(self) -> Array:
        """Return the matrix of v x on motions, (..., 6, 6)."""
        w, v = cross_matrix(self.angular), cross_matrix(self.linear)
        return blocks(w, np.zeros_like(w), v, w)

    def force_cross_matrix(self) -> Array:
        """Return the matrix of v x* on forces, (..., 6, 6)."""
        w, v = cross_matrix(self.angular), cross_matrix(self.linear)
        return blocks(w, v, np.zeros_like(w), w)


class Force(SpatialVector):
    """Forces on rigid bodies, and their momenta: force vectors (moment; force).

    Parameters
    ----------
    moment : (..., 3) N m (kg m^2/s), the moment about the frame's origin.
    force : (..., 3) N (kg m/s), the force.

    Raises
    ------
    TypeError, ValueError
        Not finite real numbers of these shapes.

    Notes
    -----
    Both halves are in one frame's axes; `Transform` takes them to another frame. Batch dimensions broadcast.
    Featherstone (2008), section 2.3.

    Examples
    --------
    >>> import featherstone as fs
    >>> weight = fs.Force(moment=[0, 0, 0], force=[0, 0, -9.81])
    >>> at_tip = fs.Transform(rotation=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], position=[2, 0, 0])
    >>> at_tip @ weight
    Force(moment=[0, 19.62, 0], force=[0, 0, -9.81])
    """

    __slots__ = ()

    def __init__(self, moment: Any, force: Any) -> None:
        self._keep_halves(("moment", "force"), moment, force)

    @property
    def moment(self) -> Array:
        """The moment about the origin, (..., 3), read-only."""
        return self._components[..., :3]

    @property
    def force(self) -> Array:
        """The force, (..., 3), read-only."""
        return self._components[..., 3:]

    def _parts(self) -> dict[str, Array]:
        return {"moment": self.moment, "force": self.force}

    def dot(self, other: Motion) -> Any:
        """Return the power, (...) W, of this force over a velocity.

        Raises
        ------
        TypeError
            Not a Motion: two forces have no inner product.
        """
        if not isinstance(other, Motion):
            raise type_error("dot", self, other, "power is the product of a Motion and a Force")
        return self._power(other)
