"""Poses of bodies and frames. Featherstone (2008), section 4.2 and the first pass of table 5.1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates
from ..model.joints import joint_transform
from ..model.model import Model
from ..model.moving_base import base_transform, store_base_transform
from ..model.tree import Tree
from ..spatial.motions import TransformTuple, compose_transforms
from ..spatial.rotations import compose, transpose
from ..spatial.storage import TRANSFORM, load_rotation, load_transform, store_pose, store_transform
from .call import Call
from .frames import frame_in_body
from .kernels import tree_kernel
from .ways import AT_HOME, FRAME, NB, Q, way


def poses_recursion(tree: Tree, q: Any, base: Any, X_world: Any) -> None:
    """X_world: the pose of each body's canonical frame in the world, and behind it work; `poses_work` entries."""
    q = with_sines(q, tree.nq, after(X_world, TRANSFORM * (tree.nb + 1)))
    store_base_transform(tree, base, X_world, 0)
    for i in range(1, tree.nb + 1):
        X = compose_transforms(load_transform(X_world, tree.parent[i]), joint_transform(tree, i, q))
        store_transform(X_world, i, X)


def poses_work(tree: Tree) -> int:
    """Entries of the nb + 1 poses and of work memory behind them."""
    return TRANSFORM * (tree.nb + 1) + 2 * tree.nq


def link_pose(tree: Tree, i: int, X: TransformTuple) -> TransformTuple:
    """The pose of body i's link frame, from that of its canonical frame."""
    return (compose(X[0], transpose(load_rotation(tree.link_rotation, i))), X[1])


def kinematics_state(tree: Tree, options: Any, q: Any, base: Any, poses: Any, work: Any) -> None:
    """4x4 poses of all bodies' link frames."""
    X_world = after(work, tree.nq)
    poses_recursion(tree, all_coordinates(tree, q, work), base, X_world)
    for i in range(1, tree.nb + 1):
        if tree.link[i] > 0:
            store_pose(poses, tree.link[i] - 1, link_pose(tree, i, load_transform(X_world, i)))


def frame_state(tree: Tree, options: Any, q: Any, offset: Any, base: Any, frame: Any, work: Any) -> None:
    """The 4x4 pose of a frame that body options[0] carries; `offset` is its 4x4 pose in the body's link frame."""
    q_all = all_coordinates(tree, q, work)
    i = options[0]
    X = frame_in_body(tree, i, offset)
    while i > 0:
        X = compose_transforms(joint_transform(tree, i, q_all), X)
        i = tree.parent[i]
    store_pose(frame, 0, compose_transforms(base_transform(tree, base, q), X))


KINEMATICS = tree_kernel("forward_kinematics", kinematics_state, 2, lambda tree: tree.nq + poses_work(tree))
FRAME_POSE = tree_kernel("frame_pose", frame_state, 3, lambda tree: tree.nq)


@way(KINEMATICS, inputs=(Q, AT_HOME), result=(NB, 4, 4))
def forward_kinematics(
    model: Model, q: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """World poses of all moving bodies.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : where the base is, if not at the world's frame.
    out : (..., nb, 4, 4) float64 array for the result.

    Returns
    -------
    T : (..., nb, 4, 4) homogeneous matrices, m: coordinates in a body's link frame to world coordinates.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.forward_kinematics(fs.models.load("planar_2r"), [0.6, -0.9])[1, :3, 3].round(4)
    array([0.8253, 0.5646, 0.    ])
    """
    call = Call(KINEMATICS, model)
    call.configuration(q)
    call.base(base)
    return call.run((model.nb, 4, 4), out)


@way(FRAME_POSE, inputs=(Q, FRAME, AT_HOME), result=(4, 4), named=("frame", "_frame_words"))
def frame_pose(
    model: Model, q: ArrayLike, frame: str, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The world pose of a frame: any link of the description, also one behind fixed joints.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    frame : the link's name.
    base : where the base is, if not at the world's frame.
    out : (..., 4, 4) float64 array for the result.

    Returns
    -------
    T : (..., 4, 4) homogeneous matrix, m: coordinates in the frame to world coordinates.

    Raises
    ------
    UnknownNameError
        There is no such frame; the error suggests near ones.
    TypeError, ValueError
        As `forward_kinematics`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.frame_pose(fs.models.load("planar_2r"), [0.6, -0.9], "tip")[:3, 3].round(4)
    array([1.5896, 0.3282, 0.    ])
    """
    call = Call(FRAME_POSE, model)
    call.configuration(q)
    call.frame(frame)
    call.base(base)
    return call.run((4, 4), out)
