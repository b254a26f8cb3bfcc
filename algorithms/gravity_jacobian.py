"""The derivatives of the torques that hold a robot against gravity, from the masses that each joint carries.

Of all that degree of freedom k's body carries, F is the linear momentum when k moves by 1. Where j carries k, moving j
turns gravity as k sees it, so that

    d tau_k / d q_j = w_j . (F_k x a)        for j from the base to k

with w_j the angular part of S_j, and a = -g the acceleration that stands for gravity. Torques are the gradient of a
potential, so d tau_j / d q_k is the same for j and k of different joints. It is what the derivatives of inverse
dynamics (`algorithms/linearization.py`) are at rest, F_k . (a x S_j).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, with_sines
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, free_matrix, room_for_matrix
from ..model.joints import column_in, joint_transform, turning_along
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.rotations import rotate
from ..spatial.storage import TRANSFORM, load_inertia, load_transform, store_transform
from ..spatial.vectors import add, cross, scale, subtract
from .call import Call
from .crba import in_base_axes
from .kernels import tree_kernel
from .rnea_derivatives import RNEA_DERIVATIVES
from .ways import NV, Q, way

MOMENT = 4  # entries of a mass and its first moment


def gravity_jacobian_recursion(tree: Tree, q: Any, K: Any, work: Any) -> None:
    """K = d tau / d q (nv, nv) over every joint's rates. `work` has `gravity_jacobian_work(tree)` entries."""
    n = tree.nv
    E = work
    carried = after(E, TRANSFORM * (tree.nb + 1))
    q = with_sines(q, tree.nq, after(carried, MOMENT * (tree.nb + 1)))
    g = tree.gravity
    up = (lift(work, -g[0]), lift(work, -g[1]), lift(work, -g[2]))
    for i in range(1, tree.nb + 1):
        X = in_base_axes(tree, i, joint_transform(tree, i, q), E)
        m, h, _ = load_inertia(tree.inertia, i)
        store_transform(E, i, X)
        carried[MOMENT * i] = lift(work, m)
        carried[MOMENT * i + 1], carried[MOMENT * i + 2], carried[MOMENT * i + 3] = rotate(X[0], h)

    for k in range(n * n):
        K[k] = lift(K, 0.0)
    for i in range(tree.nb, 0, -1):
        at = MOMENT * i
        m, h = carried[at], (carried[at + 1], carried[at + 2], carried[at + 3])
        if tree.parent[i] > 0:
            # about the parent's origin
            at, x = MOMENT * tree.parent[i], add(h, scale(m, load_transform(E, i)[1]))
            carried[at] += m
            carried[at + 1] += x[0]
            carried[at + 2] += x[1]
            carried[at + 3] += x[2]
        for e in range(tree.dofs[i]):
            k = tree.v_index[i] + e
            w, u = column_in(tree, i, e, E)
            moment = cross(subtract(scale(m, u), cross(h, w)), up)
            for c in range(tree.dofs[i]):
                K[k * n + tree.v_index[i] + c] = turning_along(tree, i, c, E, moment)
            b = tree.parent[i]
            while b > 0:
                for c in range(tree.dofs[b]):
                    j = tree.v_index[b] + c
                    turned = turning_along(tree, b, c, E, moment)
                    K[k * n + j] = turned
                    K[j * n + k] = turned
                b = tree.parent[b]


def gravity_jacobian_work(tree: Tree) -> int:
    """Entries of work memory that the recursion needs."""
    return (TRANSFORM + MOMENT) * (tree.nb + 1) + 2 * tree.nq


def gravity_jacobian_state(tree: Tree, options: Any, q: Any, K: Any, work: Any) -> None:
    """K in the user's coordinates."""
    rest = after(work, tree.nq)
    K_all = room_for_matrix(tree, K, after(rest, gravity_jacobian_work(tree)))
    gravity_jacobian_recursion(tree, all_coordinates(tree, q, work), K_all, rest)
    free_matrix(tree, K_all, K)


GRAVITY_JACOBIAN = tree_kernel(
    "gravity_jacobian",
    gravity_jacobian_state,
    1,
    lambda tree: tree.nq + gravity_jacobian_work(tree) + (tree.nv * tree.nv if tree.coupled else 0),
)


@way(GRAVITY_JACOBIAN, inputs=(Q,), result=(NV, NV))
def gravity_jacobian(
    model: Model, q: ArrayLike, *, base: BaseMotion | None = None, out: np.ndarray | None = None
) -> np.ndarray:
    """The derivatives of `gravity_torque` by the configuration: how stiff gravity makes the robot.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    base : how the base moves, as in `gravity_torque`.
    out : (..., nv, nv) float64 array for the result.

    Returns
    -------
    K : (..., nv, nv), row k the torque of degree of freedom k; column j how it changes when the configuration moves
        along j, `integrate(model, q, dq)` with dq = e_j: for quaternions and planar joints in the moved body's axes.

    Raises
    ------
    TypeError, ValueError
        As `gravity_torque`.

    Notes
    -----
    `rnea_derivatives` at rest, for less: work grows as the sum of depths, and as nv^2 for zeros. Second derivatives of
    the potential energy, symmetric but between two degrees of freedom of one spherical, floating or planar joint. With
    `base` it is `rnea_derivatives` itself.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.gravity_jacobian(fs.models.load("planar_2r"), [0.6, -0.9]).round(4).tolist()
    [[-12.1084, 1.7394], [1.7394, 1.7394]]
    """
    call = Call(GRAVITY_JACOBIAN if base is None else RNEA_DERIVATIVES, model)
    call.configuration(q)
    shape = (model.nv, model.nv)
    if base is None:
        return call.run(shape, out)
    call.rate("qd", model.zero_rate)
    call.rate("qdd", model.zero_rate)
    call.forces(None)
    call.base(base)
    return call.run_all([shape] * 3, [out, None, None])[0]
