"""Inertias of rigid bodies, as users meet them. Featherstone (2008), section 2.13."""

from __future__ import annotations

from typing import Any, Self, overload

import numpy as np

from .arguments import Array, broadcast_shapes, first_index, real_array
from .articulated_inertia import ArticulatedInertia
from .consistency import Fault, find_faults, pseudo_inertia_matrix
from .inertias import RigidTuple, add_inertias, articulated, inertia_times, transform_inertia
from .matrices import SYMMETRY, check_symmetric, symmetric_components, symmetric_matrix
from .quantity import Quantity, numbers, type_error
from .spatial_vectors import Force, Motion
from .storage import RIGID, load_inertia, store_inertia

_UNTURNED = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Inertia(Quantity):
    """Inertias of rigid bodies about the origin of a frame.

    Parameters
    ----------
    mass : (...) kg.
    first_moment : (..., 3) kg m, mass times the position of the centre of mass.
    inertia_about_origin : (..., 3, 3) kg m^2, the rotational inertia about the frame's origin; symmetric.

    Raises
    ------
    TypeError, ValueError
        Not finite real numbers of these shapes, or not symmetric.

    Notes
    -----
    Any numbers are taken, also those of no real body: `check` tells. `I @ v` is the momentum of a velocity, or the
    force of an acceleration; `I + J` the inertia of two bodies that move as one. Batch dimensions broadcast.
    Featherstone (2008), section 2.13.

    Examples
    --------
    >>> import numpy as np
    >>> import featherstone as fs
    >>> I = fs.Inertia.from_mass_com_inertia(2.0, com=[0, 0, 1], inertia_about_com=np.diag([0.2, 0.2, 0.1]))
    >>> I
    Inertia(mass=2, com=[0, 0, 1], inertia_about_com=[[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]])
    >>> I.inertia_about_origin.diagonal()
    array([2.2, 2.2, 0.1])
    >>> I @ fs.Motion(angular=[0, 1, 0], linear=[0, 0, 0])
    Force(moment=[0, 2.2, 0], force=[2, 0, 0])
    >>> I.is_physically_consistent()
    True
    """

    __slots__ = ()
    _size = RIGID
    _load = staticmethod(load_inertia)
    _store = staticmethod(store_inertia)

    def __init__(self, mass: Any, first_moment: Any, inertia_about_origin: Any) -> None:
        self._keep(_rigid_components(mass, "first_moment", first_moment, "inertia_about_origin", inertia_about_origin))

    @classmethod
    def from_mass_com_inertia(cls, mass: Any, com: Any, inertia_about_com: Any) -> Self:
        """Inertias from what robot descriptions state.

        Parameters
        ----------
        mass : (...) kg.
        com : (..., 3) m, the centre of mass.
        inertia_about_com : (..., 3, 3) kg m^2, the rotational inertia about the centre of mass, in the frame's axes.

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of these shapes, or not symmetric.
        """
        given = cls._wrap(_rigid_components(mass, "com", com, "inertia_about_com", inertia_about_com))
        return cls._apply(_from_com, given)

    @classmethod
    def from_matrix(cls, matrix: Any) -> Self:
        """Inertias from 6x6 matrices, (..., 6, 6), of motion vectors to force vectors, angular part first.

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of that shape, or not the matrix of a rigid body.
        """
        A = real_array(matrix, "matrix", (6, 6))
        check_symmetric(A, "matrix")
        H = A[..., :3, 3:]
        h = 0.5 * np.stack(
            [H[..., 2, 1] - H[..., 1, 2], H[..., 0, 2] - H[..., 2, 0], H[..., 1, 0] - H[..., 0, 1]], axis=-1
        )
        made = cls(A[..., 3, 3], h, A[..., :3, :3])
        off = np.abs(made.matrix() - A).max(axis=(-1, -2))
        wrong = off > SYMMETRY * np.abs(A).max(axis=(-1, -2))
        if wrong.any():
            raise ValueError(
                f"matrix{first_index(wrong)}: expected the blocks of a rigid body, [[I, h x], [-h x, m 1]], "
                f"got entries off by {off[wrong][0]:.3g}; hint: ArticulatedInertia takes any symmetric matrix"
            )
        return made

    @classmethod
    def from_parameters(cls, parameters: Any) -> Self:
        """Inertias from (..., 10): m, m c (3), then Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin.

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of that shape.
        """
        hint = "m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin"
        return cls._wrap(real_array(parameters, "parameters", (RIGID,), hint))

    @classmethod
    def zero(cls, shape: tuple[int, ...] = ()) -> Self:
        """The inertia of nothing, or a batch of them."""
        return cls._wrap(np.zeros((*shape, RIGID)))

    @property
    def parameters(self) -> Array:
        """The ten numbers (..., 10) that dynamics is linear in, as in `from_parameters`, read-only."""
        return self._components

    @property
    def mass(self) -> Any:
        """The mass, (...) kg."""
        return self._components[..., 0]

    @property
    def first_moment(self) -> Array:
        """Mass times the position of the centre of mass, (..., 3) kg m, read-only."""
        return self._components[..., 1:4]

    @property
    def com(self) -> Array:
        """The centre of mass, (..., 3) m.

        Raises
        ------
        ValueError
            A mass of zero has no centre.
        """
        massless = self.mass == 0.0
        if np.any(massless):
            where = f"Inertia{first_index(massless)}"
            raise ValueError(f"com: expected a mass that is not zero, got 0 in {where}; hint: first_moment exists")
        return self._com_or_origin()

    @property
    def inertia_about_com(self) -> Array:
        """The rotational inertia about the centre of mass, (..., 3, 3) kg m^2; of a mass of zero, about the origin."""
        x, y, z = np.moveaxis(-self._com_or_origin(), -1, 0)
        with np.errstate(over="ignore", invalid="ignore"):
            I = transform_inertia((_UNTURNED, (x, y, z)), self._scalars())[2]
        return symmetric_matrix(np.stack(I, axis=-1))

    @property
    def inertia_about_origin(self) -> Array:
        """The rotational inertia about the frame's origin, (..., 3, 3) kg m^2."""
        return symmetric_matrix(self._components[..., 4:])

    def _com_or_origin(self) -> Array:
        mass = self._components[..., :1]
        with np.errstate(over="ignore"):
            return np.where(mass == 0.0, 0.0, self.first_moment / np.where(mass == 0.0, 1.0, mass))

    def matrix(self) -> Array:
        """Return the matrices [[I, h x], [-h x, m 1]], (..., 6, 6), of motion vectors to force vectors."""
        return self.articulated().matrix()

    def articulated(self) -> ArticulatedInertia:
        """Return the same inertias as articulated-body inertias."""
        return ArticulatedInertia._apply(articulated, self)

    def pseudo_inertia(self) -> Array:
        """Return the pseudo-inertia matrices [[S, h], [h^T, m]], (..., 4, 4), with S = tr(I)/2 - I about the origin.

        Notes
        -----
        The second moments of mass of the points (x, y, z, 1): positive semidefinite for every real body. Wensing, Kim
        and Slotine (2018), Linear matrix inequalities for physically consistent inertial parameter identification.
        """
        return pseudo_inertia_matrix(self._components[..., 0], self.first_moment, self.inertia_about_origin)

    def is_physically_consistent(self, tolerance: float = 1e-9) -> Any:
        """Return whether a distribution of mass with this inertia exists, (...) bool; see `check`."""
        consistent = ~np.logical_or.reduce([fault.found for fault in self._faults(tolerance)])
        return bool(consistent) if consistent.ndim == 0 else consistent

    def check(self, tolerance: float = 1e-9) -> None:
        """Raise if no distribution of mass has this inertia, saying which condition fails.

        Parameters
        ----------
        tolerance : how far below zero a principal moment, or the sum of two less the third, may be, relative to the
            largest entry of the inertia about the origin.

        Raises
        ------
        ValueError
            A negative mass, a first moment without mass, a negative principal moment about the centre of mass, or one
            greater than the sum of the others (the triangle rule).

        Notes
        -----
        Together they say that `pseudo_inertia` is positive semidefinite.
        """
        for fault in self._faults(tolerance):
            if fault.found.any():
                got = numbers(fault.got[fault.found][0])
                raise ValueError(f"Inertia{first_index(fault.found)}: expected {fault.expected}, got {got}")

    def _faults(self, tolerance: float) -> list[Fault]:
        return find_faults(
            self._components[..., 0], self.first_moment, self.inertia_about_origin, self.inertia_about_com, tolerance
        )

    def __matmul__(self, other: Motion) -> Force:
        if not isinstance(other, Motion):
            raise type_error("@", self, other, "an inertia takes a Motion to a Force")
        return Force._apply(inertia_times, self, other)

    @overload
    def __add__(self, other: Inertia) -> Inertia: ...
    @overload
    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia: ...
    def __add__(self, other: Any) -> Any:
        if isinstance(other, ArticulatedInertia):
            return self.articulated() + other
        if not isinstance(other, Inertia):
            raise type_error("+", self, other, "inertias of both kinds can be added, nothing else")
        return Inertia._apply(add_inertias, self, other)

    def __radd__(self, other: Any) -> ArticulatedInertia:
        if not isinstance(other, ArticulatedInertia):
            raise type_error("+", other, self, "inertias of both kinds can be added, nothing else")
        return other + self.articulated()

    def _as_array(self) -> Array:
        return self.matrix()

    def _parts(self) -> dict[str, Array]:
        place = {"first_moment": self.first_moment} if self.mass == 0.0 else {"com": self.com}
        return {"mass": self.mass} | place | {"inertia_about_com": self.inertia_about_com}


def _from_com(given: RigidTuple) -> RigidTuple:
    """The inertia about the origin of mass, centre of mass, and rotational inertia about it: the parallel axis rule."""
    m, com, I = given
    o = 0.0 * m
    return transform_inertia((_UNTURNED, com), (m, (o, o, o), I))


def _rigid_components(mass: Any, vector_name: str, vector: Any, matrix_name: str, matrix: Any) -> Array:
    m = real_array(mass, "mass")
    v = real_array(vector, vector_name, (3,))
    S = symmetric_components(real_array(matrix, matrix_name, (3, 3)), matrix_name)
    shape = broadcast_shapes({"mass": m.shape, vector_name: v.shape[:-1], matrix_name: S.shape[:-1]})
    components = np.empty((*shape, RIGID))
    components[..., 0], components[..., 1:4], components[..., 4:] = m, v, S
    return components
