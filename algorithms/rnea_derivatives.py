"""Derivatives of inverse dynamics. Singh, Russell and Wensing (2022), see `algorithms/linearization.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates, free_matrix, free_symmetric_matrix, room_for_matrix
from ..model.losses import loss_slope
from ..model.model import Model
from ..model.tree import Tree
from .call import Call
from .kernels import tree_kernel
from .linearization import linearization_work, sweep_all_inward, sweep_outward
from .ways import AT_HOME, F_EXT, NV, QD, QDD, Q, way


def rnea_derivatives_state(
    tree: Tree,
    options: Any,
    q: Any,
    qd: Any,
    qdd: Any,
    f_ext: Any,
    base: Any,
    dq: Any,
    dqd: Any,
    dqdd: Any,
    work: Any,
) -> None:
    """The three matrices (nv, nv) in the user's coordinates; options: whether to add losses."""
    n = tree.nv
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    qdd_all = all_rates(tree, qdd, after(work, tree.nq + n))
    rest = after(work, tree.nq + 2 * n)
    M = after(rest, linearization_work(tree))  # a matrix over all joints, where there are followers
    H, Z, K = (
        room_for_matrix(tree, dqdd, M),
        room_for_matrix(tree, dqd, after(M, n * n)),
        room_for_matrix(tree, dq, after(M, 2 * n * n)),
    )
    sweep_outward(tree, q_all, qd_all, qdd_all, f_ext, base, rest)
    sweep_all_inward(tree, H, Z, K, rest)
    for k in range(n):
        H[k * n + k] += tree.armature[k]
        if options[0]:
            Z[k * n + k] += loss_slope(tree, k, qd_all)
    free_symmetric_matrix(tree, H, dqdd)
    free_matrix(tree, Z, dqd)
    free_matrix(tree, K, dq)


def rnea_derivatives_work(tree: Tree) -> int:
    """Entries of work memory."""
    matrices = 3 * tree.nv * tree.nv if tree.coupled else 0
    return tree.nq + 2 * tree.nv + linearization_work(tree) + matrices


RNEA_DERIVATIVES = tree_kernel("rnea_derivatives", rnea_derivatives_state, 5, rnea_derivatives_work, outputs=3)


@way(RNEA_DERIVATIVES, inputs=(Q, QD, QDD, F_EXT, AT_HOME), result=(NV, NV), more=((NV, NV), (NV, NV)))
def rnea_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    losses: bool = False,
    base: BaseMotion | None = None,
    out: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of inverse dynamics with respect to configuration, velocity and acceleration.

    Parameters
    ----------
    model : the robot.
    q, qd, qdd, f_ext, losses, base : as in `rnea`. A force f_ext moves with its body's axes.
    out : three (..., nv, nv) float64 arrays for the results.

    Returns
    -------
    dtau_dq : (..., nv, nv), row k the torque of degree of freedom k; column j how it changes when the configuration
        moves along j, `integrate(model, q, dq)` with dq = e_j: for quaternions and planar joints in the moved body's
        axes.
    dtau_dqd : (..., nv, nv).
    dtau_dqdd : (..., nv, nv), the mass matrix; symmetric to the bit.

    Raises
    ------
    TypeError, ValueError
        As `rnea`.

    Notes
    -----
    Singh, Russell and Wensing (2022). Work grows as the sum of depths, and as nv^2 for zeros. Coulomb friction whose
    sign is not smoothed has no slope, at rest neither.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q = fs.models.load("planar_2r"), [0.6, -0.9]
    >>> dq, dqd, dqdd = fs.rnea_derivatives(arm, q, [0, 0], [0, 0])
    >>> dq.round(4).tolist()
    [[-12.1084, 1.7394], [1.7394, 1.7394]]
    >>> bool(abs(dqdd - fs.crba(arm, q)).max() < 1e-14)
    True
    """
    call = Call(RNEA_DERIVATIVES, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("qdd", qdd)
    call.forces(f_ext)
    call.base(base)
    return call.three_matrices(out)
