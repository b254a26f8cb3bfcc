"""The second derivatives of inverse dynamics. Singh, Russell and Wensing (2023), see `algorithms/second_order.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.losses import loss_curvature
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.storage import MOTION
from .call import Call
from .kernels import tree_kernel
from .linearization import clear, linearization_work, sweep_outward
from .second_order import COLUMNS, put, second_order
from .ways import AT_HOME, F_EXT, NV, QD, QDD, Q, way


def second_derivatives_state(
    tree: Tree,
    options: Any,
    q: Any,
    qd: Any,
    qdd: Any,
    f_ext: Any,
    base: Any,
    dq_dq: Any,
    dq_dqd: Any,
    dqd_dqd: Any,
    dq_dqdd: Any,
    work: Any,
) -> None:
    """The four arrays (nv, nv, nv) in the user's coordinates; options: whether to add losses."""
    n, free = tree.nv, tree.nv_free
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    qdd_all = all_rates(tree, qdd, after(work, tree.nq + n))
    columns = after(work, tree.nq + 2 * n)
    rest = after(columns, COLUMNS * MOTION * n)
    clear(free * free * free, dq_dq)
    clear(free * free * free, dq_dqd)
    clear(free * free * free, dqd_dqd)
    clear(free * free * free, dq_dqdd)
    sweep_outward(tree, q_all, qd_all, qdd_all, f_ext, base, rest)
    second_order(tree, (dq_dq, dq_dqd, dqd_dqd, dq_dqdd), columns, rest)
    if options[0]:
        for k in range(n):
            s = tree.v_scale[k] * tree.v_scale[k] * tree.v_scale[k]
            j = tree.v_source[k]
            put(dqd_dqd, free, j, j, j, s * loss_curvature(tree, k, qd_all))


def second_derivatives_work(tree: Tree) -> int:
    """Entries of work memory."""
    return tree.nq + (2 + COLUMNS * MOTION) * tree.nv + linearization_work(tree)


SECOND_DERIVATIVES = tree_kernel(
    "rnea_second_derivatives", second_derivatives_state, 5, second_derivatives_work, outputs=4
)


class SecondDerivatives(NamedTuple):
    """The second derivatives of inverse dynamics, each (..., nv, nv, nv): [k, i, j] = d^2 tau_k / dx_i dy_j.

    Attributes
    ----------
    d2tau_dq_dq : x = y = q. Along j of `dtau_dq`, whose columns are taken anew where q has moved.
    d2tau_dq_dqd : x = q, y = qd.
    d2tau_dqd_dqd : x = y = qd; symmetric in i and j to the bit.
    d2tau_dq_dqdd : x = q, y = qdd: dH_kj / dq_i of the mass matrix; symmetric in k and j to the bit.
    """

    d2tau_dq_dq: np.ndarray
    d2tau_dq_dqd: np.ndarray
    d2tau_dqd_dqd: np.ndarray
    d2tau_dq_dqdd: np.ndarray


@way(SECOND_DERIVATIVES, inputs=(Q, QD, QDD, F_EXT, AT_HOME), result=(NV, NV, NV), more=((NV, NV, NV),) * 3)
def _four_arrays(
    model: Model,
    q: Any,
    qd: Any,
    qdd: Any,
    f_ext: Any = None,
    *,
    losses: bool = False,
    base: BaseMotion | None = None,
    out: Any = None,
) -> Any:
    """The results as the gate gives them, a plain tuple."""
    call = Call(SECOND_DERIVATIVES, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("qdd", qdd)
    call.forces(f_ext)
    call.base(base)
    return tuple(call.several([(model.nv,) * 3] * 4, out))


def rnea_second_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    losses: bool = False,
    base: BaseMotion | None = None,
    out: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> SecondDerivatives:
    """Second derivatives of inverse dynamics with respect to configuration, velocity and acceleration.

    Parameters
    ----------
    model : the robot.
    q, qd, qdd, f_ext, losses, base : as in `rnea`. A force f_ext moves with its body's axes.
    out : four (..., nv, nv, nv) float64 arrays for the results.

    Returns
    -------
    derivatives : (d2tau_dq_dq, d2tau_dq_dqd, d2tau_dqd_dqd, d2tau_dq_dqdd), each (..., nv, nv, nv) with
        [k, i, j] = d^2 tau_k / dx_i dy_j in d2tau_dx_dy. By q they are along directions of `integrate(model, q, dq)`,
        for quaternions and planar joints in the moved body's axes: d2tau_dq_dq [k, i, j] is the derivative along j of
        dtau_k/dq_i as `rnea_derivatives` gives it where q has moved to. All others, as by qdd twice, are zero.

    Raises
    ------
    TypeError, ValueError
        As `rnea`.

    Notes
    -----
    Singh, Russell and Wensing (2023), arXiv:2302.06001. d2tau_dq_dq is symmetric in i and j but for two degrees of
    freedom of one spherical, floating or planar joint, whose directions turn with it: with S_j x S_i = sum of c_l S_l,
    [k, i, j] - [k, j, i] is the sum of c_l dtau_k/dq_l. d2tau_dqd_dqd is G_kij + G_kji of `christoffel_symbols`. Losses
    bend by qd alone; a sign that is not smoothed has no slope. Work grows as the sum of squared depths, and as 4 nv^3
    for zeros.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm, q, qd = fs.models.load("planar_2r"), [0.6, -0.9], [1.0, 0.5]
    >>> second = fs.rnea_second_derivatives(arm, q, qd, [0.0, 0.0])
    >>> second.d2tau_dqd_dqd.round(4).tolist()
    [[[0.0, 0.94], [0.94, 0.94]], [[-0.94, 0.0], [0.0, 0.0]]]
    >>> G = fs.christoffel_symbols(arm, q)
    >>> bool(abs(second.d2tau_dqd_dqd - G - G.swapaxes(1, 2)).max() < 1e-12)
    True
    """
    return SecondDerivatives(*_four_arrays(model, q, qd, qdd, f_ext, losses=losses, base=base, out=out))
