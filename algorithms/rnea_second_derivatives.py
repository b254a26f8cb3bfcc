"""The second derivatives of inverse dynamics. Singh, Russell and Wensing (2023), see `algorithms/second_order.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates
from ..model.losses import loss_curvature
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.storage import MOTION
from .call import Call
from .kernels import tree_kernel
from .linearization import accelerate_outward, clear, linearization_work, sweep_outward
from .second_order import COLUMNS, put, second_order


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
    room = after(work, tree.nq + 2 * n)
    columns = after(room, MOTION * (tree.nb + 1))
    rest = after(columns, COLUMNS * MOTION * n)
    clear(free * free * free, dq_dq)
    clear(free * free * free, dq_dqd)
    clear(free * free * free, dqd_dqd)
    clear(free * free * free, dq_dqdd)
    sweep_outward(tree, q_all, qd_all, f_ext, base, rest)
    accelerate_outward(tree, qdd_all, room, rest)
    second_order(tree, (dq_dq, dq_dqd, dqd_dqd, dq_dqdd), columns, rest)
    if options[0]:
        for k in range(n):
            s = tree.v_scale[k] * tree.v_scale[k] * tree.v_scale[k]
            put(tree, dqd_dqd, k, k, k, s * loss_curvature(tree, k, qd_all))


def second_derivatives_work(tree: Tree) -> int:
    """Entries of work memory."""
    return tree.nq + (2 + COLUMNS * MOTION) * tree.nv + MOTION * (tree.nb + 1) + linearization_work(tree)


SECOND_DERIVATIVES = tree_kernel(
    "rnea_second_derivatives", second_derivatives_state, 5, second_derivatives_work, outputs=4
)


class SecondDerivatives(NamedTuple):
    """The second derivatives of inverse dynamics, each (..., nv, nv, nv)."""

    d2tau_dq_dq: np.ndarray
    d2tau_dq_dqd: np.ndarray
    d2tau_dqd_dqd: np.ndarray
    d2tau_dq_dqdd: np.ndarray


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
    """Second."""
    call = Call(SECOND_DERIVATIVES, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("qdd", qdd)
    call.forces(f_ext)
    call.base(base)
    return SecondDerivatives(*call.several([(model.nv,) * 3] * 4, out))
