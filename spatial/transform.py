"""Plücker transforms: the pose of a frame in another, acting on coordinates. Featherstone (2008), section 2.8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from .arguments import Array, broadcast_shapes, first_index, real_array
from .articulated_inertia import ArticulatedInertia
from .inertias import transform_articulated, transform_inertia
from .lie import exp_se3, log_se3, quaternion_from_rotation
from .matrices import blocks, cross_matrix
from .motions import (
    MotionTuple,
    TransformTuple,
    compose_transforms,
    invert_transform,
    transform_force,
    transform_motion,
)
from .quantity import Quantity, type_error
from .rigid_inertia import Inertia
from .rotations import rotate, rotation_from_quaternion
from .spatial_vectors import Force, Motion
from .storage import TRANSFORM, load_transform, store_transform
from .vectors import add

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

LAST_ROW = 1e-12  # how far a homogeneous matrix's last row may be from (0, 0, 0, 1): rounding errors only
ORTHONORMALITY = 1e-6  # how far from a rotation a matrix may be: that of one written with seven digits


class Transform(Quantity):
    """The pose of frame B in frame A, and the Plücker transform X_AB that takes coordinates from B to A.

    Parameters
    ----------
    rotation : (..., 3, 3), the rotation R_AB: its columns are B's axes in A's. Kept as given.
    position : (..., 3) m, the position of B's origin in A's axes.

    Raises
    ------
    TypeError, ValueError
        Not finite real numbers of these shapes, or no rotation: orthonormal to 1e-6, determinant +1.

    Notes
    -----
    `X_AB @ X_BC` is X_AC. `X_AB @ m` takes motions, forces and inertias to A, each by its own rule: motions by
    `motion_matrix()`, forces by `force_matrix()`, inertias by force_matrix() I motion_matrix()^-1.
    Batch dimensions broadcast. Featherstone (2008), section 2.8.

    Examples
    --------
    >>> import numpy as np
    >>> import featherstone as fs
    >>> X_AB = fs.Transform.from_quaternion([0, 0, 1, 1], position=[1, 0, 0])  # a quarter turn about z
    >>> X_AB @ fs.Motion(angular=[0, 0, 1], linear=[0, 0, 0])
    Motion(angular=[0, 0, 1], linear=[0, -1, 0])
    >>> X_AB @ X_AB.inverse()
    Transform(quaternion=[0, 0, 0, 1], position=[0, 0, 0])
    >>> X_AB.log()
    Motion(angular=[0, 0, 1.5708], linear=[0.785398, -0.785398, 0])
    """

    __slots__ = ()
    _size = TRANSFORM
    _load = staticmethod(load_transform)
    _store = staticmethod(store_transform)

    def __init__(self, rotation: Any, position: Any = (0.0, 0.0, 0.0)) -> None:
        R = real_array(rotation, "rotation", (3, 3), "from_quaternion and from_rotation take other forms")
        p = real_array(position, "position", (3,))
        _check_rotation(R)
        shape = broadcast_shapes({"rotation": R.shape[:-2], "position": p.shape[:-1]})
        components = np.empty((*shape, TRANSFORM))
        components[..., :9], components[..., 9:] = R.reshape(*R.shape[:-2], 9), p
        self._keep(components)

    @classmethod
    def identity(cls, shape: tuple[int, ...] = ()) -> Self:
        """The transform of a frame to itself, or a batch of them."""
        return cls(np.broadcast_to(np.eye(3), (*shape, 3, 3)))

    @classmethod
    def from_matrix(cls, matrix: Any) -> Self:
        """Poses from homogeneous matrices, (..., 4, 4).

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of that shape, no rotation at the top left, or a last row other than (0, 0, 0, 1).
        """
        T = real_array(matrix, "matrix", (4, 4), "homogeneous matrices [[R, p], [0, 1]]")
        wrong = (np.abs(T[..., 3, :] - (0.0, 0.0, 0.0, 1.0)) > LAST_ROW).any(axis=-1)
        if wrong.any():
            raise ValueError(f"matrix{first_index(wrong)}: expected a last row (0, 0, 0, 1), got {T[wrong][0, 3]}")
        return cls(T[..., :3, :3], T[..., :3, 3])

    @classmethod
    def from_rotation(cls, rotation: Rotation, position: Any = (0.0, 0.0, 0.0)) -> Self:
        """Poses from SciPy's rotations and positions (..., 3) m.

        Raises
        ------
        TypeError, ValueError
            No `scipy.spatial.transform.Rotation`, or positions that are not finite real numbers.
        """
        from scipy.spatial.transform import Rotation

        if not isinstance(rotation, Rotation):
            raise TypeError(
                f"rotation: expected a scipy.spatial.transform.Rotation, got {type(rotation).__name__}; "
                "hint: Transform(rotation, position) takes matrices"
            )
        return cls(rotation.as_matrix(), position)

    @classmethod
    def from_quaternion(cls, quaternion: Any, position: Any = (0.0, 0.0, 0.0)) -> Self:
        """Poses from quaternions (..., 4), in the order x, y, z, w, of any length but zero, and positions (..., 3) m.

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of these shapes, or a quaternion of length zero.
        """
        q = real_array(quaternion, "quaternion", (4,), "the order is x, y, z, w")
        largest = np.abs(q).max(axis=-1, keepdims=True)
        zero = largest[..., 0] == 0.0
        if zero.any():
            raise ValueError(f"quaternion{first_index(zero)}: expected one that is not zero, got (0, 0, 0, 0)")
        x, y, z, w = np.moveaxis(q / largest, -1, 0)  # so that no square overflows or vanishes
        R = np.stack(rotation_from_quaternion((x, y, z, w)), axis=-1)
        return cls(R.reshape(*R.shape[:-1], 3, 3), position)

    @classmethod
    def exp(cls, motion: Motion) -> Self:
        """The poses that constant motions in body axes reach from the identity within a unit of time.

        Raises
        ------
        TypeError
            Not a Motion.
        """
        if not isinstance(motion, Motion):
            raise TypeError(f"motion: expected a Motion, got {type(motion).__name__}; hint: Motion.from_array")
        return cls._apply(_exp, motion)

    def log(self) -> Motion:
        """Return the smallest motion, in body axes, of which this is `exp`; it turns by pi at most."""
        return Motion._apply(_log, self)

    @property
    def rotation(self) -> Array:
        """The rotation R_AB, (..., 3, 3), read-only."""
        return self._components[..., :9].reshape(*self.shape, 3, 3)

    @property
    def position(self) -> Array:
        """The position of B's origin in A's axes, (..., 3) m, read-only."""
        return self._components[..., 9:]

    @property
    def quaternion(self) -> Array:
        """The unit quaternion of the rotation, (..., 4), in the order x, y, z, w; the largest component is positive."""
        return np.stack(quaternion_from_rotation(self._scalars()[0]), axis=-1)

    def as_matrix(self) -> Array:
        """Return homogeneous matrices [[R, p], [0, 1]], (..., 4, 4)."""
        T = np.zeros((*self.shape, 4, 4))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = self.rotation, self.position, 1.0
        return T

    def motion_matrix(self) -> Array:
        """Return X_AB, (..., 6, 6): motions' coordinates from B to A."""
        R = self.rotation
        return blocks(R, np.zeros_like(R), cross_matrix(self.position) @ R, R)

    def force_matrix(self) -> Array:
        """Return X_AB* = X_AB^-T, (..., 6, 6): forces' coordinates from B to A."""
        R = self.rotation
        return blocks(R, cross_matrix(self.position) @ R, np.zeros_like(R), R)

    def inverse(self) -> Self:
        """Return X_BA: the pose of A in B."""
        return self._apply(invert_transform, self)

    def transform_point(self, point: Any) -> Array:
        """Return points' coordinates in A, (..., 3) m, of those in B; batch dimensions broadcast.

        Raises
        ------
        TypeError, ValueError
            Not finite real numbers of shape (..., 3).
        """
        array = real_array(point, "point", (3,))
        broadcast_shapes({"Transform": self.shape, "point": array.shape[:-1]})
        R, p = self._scalars()
        x, y, z = np.moveaxis(array, -1, 0)
        return np.stack(add(rotate(R, (x, y, z)), p), axis=-1)

    @overload
    def __matmul__(self, other: Transform) -> Transform: ...
    @overload
    def __matmul__(self, other: Motion) -> Motion: ...
    @overload
    def __matmul__(self, other: Force) -> Force: ...
    @overload
    def __matmul__(self, other: Inertia) -> Inertia: ...
    @overload
    def __matmul__(self, other: ArticulatedInertia) -> ArticulatedInertia: ...
    def __matmul__(self, other: Any) -> Any:
        for kind, function in _VERBS.items():
            if isinstance(other, kind):
                return kind._apply(function, self, other)
        raise type_error("@", self, other, "points are moved by transform_point, arrays are made a Motion or a Force")

    def _as_array(self) -> Array:
        return self.as_matrix()

    def _parts(self) -> dict[str, Array]:
        return {"quaternion": self.quaternion, "position": self.position}


_VERBS: dict[type[Quantity], Any] = {
    Transform: compose_transforms,
    Motion: transform_motion,
    Force: transform_force,
    Inertia: transform_inertia,
    ArticulatedInertia: transform_articulated,
}


def _exp(m: MotionTuple) -> TransformTuple:
    quaternion, p = exp_se3(m)
    return rotation_from_quaternion(quaternion), p


def _log(X: TransformTuple) -> MotionTuple:
    return log_se3(quaternion_from_rotation(X[0]), X[1])


def _check_rotation(R: Array) -> None:
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2))
    wrong = ~(off <= ORTHONORMALITY)
    if wrong.any():
        raise ValueError(
            f"rotation{first_index(wrong)}: expected an orthonormal matrix, got R R^T off the identity by "
            f"{off[wrong][0]:.3g}; hint: from_quaternion divides out any length"
        )
    mirrored = np.linalg.det(R) < 0.0
    if mirrored.any():
        raise ValueError(
            f"rotation{first_index(mirrored)}: expected determinant +1, got -1; hint: a reflection, or left-handed axes"
        )
