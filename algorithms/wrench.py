"""Forces at a frame, as the dynamics take them: on bodies, in their axes, about their origins."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..model.base_motion import BaseMotion
from ..model.model import Model
from .call import as_floats, check_model
from .kinematics import frame_pose

AXES = ("world", "frame")


def external_wrench(
    model: Model,
    q: ArrayLike,
    frame: str,
    *,
    force: ArrayLike = (0.0, 0.0, 0.0),
    moment: ArrayLike = (0.0, 0.0, 0.0),
    point: ArrayLike | None = None,
    axes: str = "world",
    base: BaseMotion | None = None,
) -> np.ndarray:
    """`f_ext` of a force and a couple that act ON the body that carries a frame.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    frame : the link at which they act.
    force, moment : (..., 3) N and N m, in world axes or in the frame's; the moment is a couple besides the force's own.
    point : (..., 3) m, where the force acts: a place in the world, or with axes="frame" in the frame; if not given, the
        frame's origin.
    axes : "world" or "frame".
    base : where the base is, if not at the world's frame.

    Returns
    -------
    f_ext : (..., nb, 6), (moment; force) on each body in its link frame about its origin, zero but for one body. Those
        of several frames can be added. On a frame of the fixed base they do nothing: all zero.

    Raises
    ------
    UnknownNameError
        There is no such frame.
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length, unknown axes.

    Notes
    -----
    With the frame at p in the body: f = R^T F, n = R^T C + p x f. Featherstone (2008), section 2.8.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> f_ext = fs.external_wrench(arm, [0.0, 0.0], "tip", force=[0.0, 10.0, 0.0])
    >>> fs.gravity_torque(arm, [0.0, 0.0]).shape, f_ext.shape
    ((2,), (2, 6))
    """
    check_model(model)
    if axes not in AXES:
        raise ValueError(f"axes: expected 'world' or 'frame', got {axes!r}")
    given = {"force": force, "moment": moment} | ({} if point is None else {"point": point})
    arrays = {name: as_floats(name, value, (3,), model) for name, value in given.items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite numbers, got {array[~np.isfinite(array)][0]}")
    pose = frame_pose(model, q, frame, base=base)
    _, body, in_body = model.frame(frame)
    R, p = in_body[:3, :3], in_body[:3, 3]
    if axes == "frame":
        turn, where = R, p if point is None else p + arrays["point"] @ R.T
    else:
        turn = R @ np.swapaxes(pose[..., :3, :3], -1, -2)
        where = p if point is None else p + _turned(turn, arrays["point"] - pose[..., :3, 3])
    f, n = _turned(turn, arrays["force"]), _turned(turn, arrays["moment"])
    n = n + np.cross(where, f)
    batch = np.broadcast_shapes(f.shape[:-1], n.shape[:-1], pose.shape[:-2])
    f_ext = np.zeros((*batch, model.nb, 6))
    if body:
        f_ext[..., body - 1, :3], f_ext[..., body - 1, 3:] = n, f
    return f_ext


def _turned(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (R @ x[..., None])[..., 0]
