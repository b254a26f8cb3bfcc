"""Articulated-body inertias, as users meet them. Featherstone (2008), section 7.1."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .arguments import Array, broadcast_shapes, first_index, real_array
from .inertias import add_articulated, articulated_times
from .matrices import blocks, check_symmetric, symmetric_components, symmetric_matrix
from .quantity import Quantity, type_error
from .spatial_vectors import Force, Motion
from .storage import ARTICULATED, load_articulated, store_articulated


class ArticulatedInertia(Quantity):
    """Articulated-body inertias: symmetric matrices [[I, H], [H^T, M]] of accelerations to forces.

    Parameters
    ----------
    angular : (..., 3, 3) kg m^2, the block I of angular accelerations and moments; symmetric.
    coupling : (..., 3, 3) kg m, the block H of linear accelerations and moments.
    linear : (..., 3, 3) kg, the block M of linear accelerations and forces; symmetric.

    Raises
    ------
    TypeError, ValueError
        Not finite real numbers of these shapes, or not symmetric.

    Notes
    -----
    Unlike a rigid body, a body of a mechanism may resist with a different mass in every direction. Batch dimensions
    broadcast. Featherstone (2008), section 7.1.

    Examples
    --------
    >>> import numpy as np
    >>> import featherstone as fs
    >>> IA = fs.ArticulatedInertia(angular=np.eye(3), coupling=np.zeros((3, 3)), linear=np.diag([1, 2, 4]))
    >>> IA @ fs.Motion(angular=[0, 0, 0], linear=[1, 1, 1])
    Force(moment=[0, 0, 0], force=[1, 2, 4])
    >>> IA.solve(fs.Force(moment=[0, 0, 3], force=[4, 4, 4]))
    Motion(angular=[0, 0, 3], linear=[4, 2, 1])
    """

    __slots__ = ()
    _size = ARTICULATED
    _load = staticmethod(load_articulated)
    _store = staticmethod(store_articulated)

    def __init__(self, angular: Any, coupling: Any, linear: Any) -> None:
        I = symmetric_components(real_array(angular, "angular", (3, 3)), "angular")
        H = real_array(coupling, "coupling", (3, 3))
        M = symmetric_components(real_array(linear, "linear", (3, 3)), "linear")
        shape = broadcast_shapes({"angular": I.shape[:-1], "coupling": H.shape[:-2], "linear": M.shape[:-1]})
        components = np.empty((*shape, ARTICULATED))
        components[..., :6], components[..., 15:] = M, I
        components[..., 6:15] = H.reshape(*H.shape[:-2], 9)
        self._keep(components)

    @classmethod
    def from_matrix(cls, matrix: Any) -> Self:
        """Articulated inertias from symmetric matrices, (..., 6, 6), angular part first.

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of that shape, or not symmetric.
        """
        A = real_array(matrix, "matrix", (6, 6))
        check_symmetric(A, "matrix")
        A = 0.5 * A + 0.5 * np.swapaxes(A, -1, -2)
        return cls(A[..., :3, :3], A[..., :3, 3:], A[..., 3:, 3:])

    @classmethod
    def zero(cls, shape: tuple[int, ...] = ()) -> Self:
        """The inertia of nothing, or a batch of them."""
        return cls._wrap(np.zeros((*shape, ARTICULATED)))

    @property
    def angular(self) -> Array:
        """The block I, (..., 3, 3) kg m^2."""
        return symmetric_matrix(self._components[..., 15:])

    @property
    def coupling(self) -> Array:
        """The block H, (..., 3, 3) kg m."""
        return self._components[..., 6:15].reshape(*self.shape, 3, 3)

    @property
    def linear(self) -> Array:
        """The block M, (..., 3, 3) kg."""
        return symmetric_matrix(self._components[..., :6])

    def matrix(self) -> Array:
        """Return the matrices [[I, H], [H^T, M]], (..., 6, 6)."""
        H = self.coupling
        return blocks(self.angular, H, np.swapaxes(H, -1, -2), self.linear)

    def solve(self, force: Force) -> Motion:
        """Return the accelerations that forces give: the inverse of `@`.

        Raises
        ------
        TypeError
            Not a Force.
        ValueError
            An inertia that is singular to rounding: along some motion nothing resists.
        """
        if not isinstance(force, Force):
            raise type_error("solve", self, force, "forces are what has to be solved for: Force.from_array")
        broadcast_shapes({"ArticulatedInertia": self.shape, "Force": force.shape})
        A = self.matrix()
        # scaled to a diagonal of ones, which makes the condition number independent of units
        diagonal = np.abs(np.diagonal(A, axis1=-2, axis2=-1))
        d = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        A = d[..., :, None] * A * d[..., None, :]
        size = np.abs(np.linalg.eigvalsh(A))
        singular = size.min(axis=-1) <= 6.0 * np.finfo(float).eps * size.max(axis=-1)
        if singular.any():
            raise ValueError(
                f"ArticulatedInertia{first_index(singular)}: expected a regular matrix, got a singular one; "
                "hint: along some motion nothing resists, such as that of a joint without inertia"
            )
        scaled = d * np.asarray(force)
        return Motion.from_array(d * np.linalg.solve(A, scaled[..., None])[..., 0])

    def __matmul__(self, other: Motion) -> Force:
        if not isinstance(other, Motion):
            raise type_error("@", self, other, "an inertia takes a Motion to a Force")
        return Force._apply(articulated_times, self, other)

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        if not isinstance(other, ArticulatedInertia):
            return NotImplemented  # a rigid-body inertia knows how
        return self._apply(add_articulated, self, other)

    def _as_array(self) -> Array:
        return self.matrix()

    def _parts(self) -> dict[str, Array]:
        return {"angular": self.angular, "coupling": self.coupling, "linear": self.linear}
