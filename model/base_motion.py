"""A base that moves as prescribed: a vehicle, a ship, a turntable, whatever the robot does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

ORTHONORMAL = 1e-6  # how far from a rotation's the products of its axes may be


class BaseMotion:
    """How a robot's base moves at an instant, or at a batch of them.

    Parameters
    ----------
    pose : (..., 4, 4) homogeneous matrix, m: coordinates in the base to world coordinates; the identity if not given.
    velocity : (..., 6) its (angular; linear) velocity, rad/s and m/s, in its own axes, of the point at its origin.
    acceleration : (..., 6) the spatial acceleration: the plain rate of `velocity`.

    Raises
    ------
    TypeError, ValueError
        Not finite real numbers of these shapes, shapes that do not broadcast, or a matrix that is no pose.

    Notes
    -----
    The base is the link that joints without a parent hang on. Its axes are those in which a floating base has its
    velocity and acceleration, so that a floating robot whose base moves in this way has the same joint torques.

    Examples
    --------
    An arm on a lift that accelerates upwards feels more weight:

    >>> import featherstone as fs
    >>> arm = fs.models.load("six_axis")
    >>> lift = fs.BaseMotion(acceleration=[0, 0, 0, 0, 0, 9.81])
    >>> tau = fs.gravity_torque(arm, arm.neutral(), base=lift)
    >>> bool(abs(tau - 2 * fs.gravity_torque(arm, arm.neutral())).max() < 1e-9)
    True
    """

    __slots__ = ("array",)
    array: np.ndarray

    def __init__(
        self, pose: ArrayLike | None = None, velocity: ArrayLike | None = None, acceleration: ArrayLike | None = None
    ) -> None:
        T = _numbers("pose", np.eye(4) if pose is None else pose, (4, 4))
        v = _numbers("velocity", np.zeros(6) if velocity is None else velocity, (6,))
        a = _numbers("acceleration", np.zeros(6) if acceleration is None else acceleration, (6,))
        R = T[..., :3, :3]
        if (T[..., 3, :] != [0, 0, 0, 1]).any() or (np.linalg.det(R) < 0).any():
            raise ValueError("pose: expected a homogeneous matrix of a rotation and a position")
        if np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0) > ORTHONORMAL:
            raise ValueError("pose: expected a rotation in the upper left 3x3, got one that stretches or bends axes")
        parts = [R.reshape(*R.shape[:-2], 9), T[..., :3, 3], v, a]
        try:
            batch = np.broadcast_shapes(*(x.shape[:-1] for x in parts))
        except ValueError:
            shapes = f"pose {T.shape}, velocity {v.shape}, acceleration {a.shape}"
            raise ValueError(f"batch shapes do not broadcast: {shapes}") from None
        array = np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in parts], axis=-1)
        array.flags.writeable = False
        object.__setattr__(self, "array", array)

    @classmethod
    def from_array(cls, array: np.ndarray) -> BaseMotion:
        """A motion from what `array` has: (..., 24) the pose (rotation by rows, position), velocity, acceleration."""
        found = cls.__new__(cls)
        array = np.array(array, np.float64)
        array.flags.writeable = False
        object.__setattr__(found, "array", array)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"BaseMotion is immutable, {name!r} cannot be set; make another one")

    def __reduce__(self) -> Any:
        return type(self), (self.pose, self.velocity, self.acceleration)

    def __repr__(self) -> str:
        return f"<BaseMotion, batch shape {self.array.shape[:-1]}>"

    @property
    def pose(self) -> np.ndarray:
        """(..., 4, 4)."""
        T = np.zeros((*self.array.shape[:-1], 4, 4))
        T[..., :3, :3], T[..., :3, 3] = self.array[..., :9].reshape(*T.shape[:-2], 3, 3), self.array[..., 9:12]
        T[..., 3, 3] = 1.0
        return T

    @property
    def velocity(self) -> np.ndarray:
        """(..., 6)."""
        return self.array[..., 12:18]

    @property
    def acceleration(self) -> np.ndarray:
        """(..., 6)."""
        return self.array[..., 18:]


def _numbers(name: str, value: Any, core: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    listed = ", ".join(map(str, core))
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected real numbers of shape (..., {listed}), got {value!r}")
    if array.shape[max(0, array.ndim - len(core)) :] != core:
        raise ValueError(f"{name}: expected shape (..., {listed}), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, got {array[~np.isfinite(array)][0]}")
    return array.astype(np.float64)
