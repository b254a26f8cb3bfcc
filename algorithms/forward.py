"""Forward dynamics, two ways: articulated bodies, or the factorised mass matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift
from ..model.base_motion import BaseMotion
from ..model.coupling import all_coordinates, all_rates, free_torques, room_for_torques
from ..model.losses import add_losses
from ..model.model import Model
from ..model.tree import Tree
from .aba import aba_recursion, aba_work
from .call import Call
from .crba import mass_matrix_of, mass_matrix_work
from .factor import factorize, pivot_margin, singular_dof, solve_in_place
from .kernels import tree_kernel
from .rnea import rnea_recursion, rnea_work
from .ways import AT_HOME, F_EXT, NV, QD, TAU, Q, way

METHODS = ("aba", "cholesky")


def forward_by_articulated_bodies(
    tree: Tree, q: Any, qd: Any, tau: Any, f_ext: Any, base: Any, diagonal: Any, qdd: Any, work: Any
) -> None:
    """qdd of a tree without followers; `work` has `articulated_work(tree)` entries and begins with pivots and sizes."""
    aba_recursion(tree, q, qd, tau, f_ext, base, diagonal, qdd, work, after(work, tree.nv), after(work, 2 * tree.nv))


def articulated_work(tree: Tree) -> int:
    """Entries of work memory that `forward_by_articulated_bodies` needs."""
    return 2 * tree.nv + aba_work(tree)


def articulated_verdict(tree: Tree, work: Any) -> int:
    """1 + a degree of freedom without inertia, or 0."""
    return singular_dof(tree, work, 1, after(work, tree.nv))


def articulated_margin(tree: Tree, work: Any) -> Any:
    """Positive if every degree of freedom has inertia."""
    return pivot_margin(tree, work, 1, after(work, tree.nv))


def forward_by_factor(
    tree: Tree, q: Any, qd: Any, tau: Any, f_ext: Any, base: Any, diagonal: Any, qdd: Any, work: Any
) -> None:
    """qdd by H qdd = tau - bias; `work` has `factor_work(tree)` entries and begins with the factor and sizes."""
    n = tree.nv_free
    size = after(work, n * n)
    rest = after(size, n)
    bias_by_recursion(tree, q, qd, f_ext, base, qdd, rest)
    for k in range(n):
        qdd[k] = tau[k] - qdd[k]
    mass_matrix_of(tree, q, work, size, rest)
    # the armature is in H already
    for k in range(tree.nv):
        s = tree.v_source[k] * (n + 1)
        work[s] += tree.v_scale[k] * tree.v_scale[k] * (diagonal[k] - tree.armature[k])
    factorize(tree, work)
    solve_in_place(tree, work, qdd)


def bias_by_recursion(tree: Tree, q: Any, qd: Any, f_ext: Any, base: Any, bias: Any, work: Any) -> None:
    """bias = ID(q, qd, 0, f_ext) in the user's coordinates; `work` has `bias_work(tree)` entries."""
    q_all = all_coordinates(tree, q, work)
    qd_all = all_rates(tree, qd, after(work, tree.nq))
    zero = after(work, tree.nq + tree.nv)
    bias_all = room_for_torques(tree, bias, after(zero, tree.nv))
    for k in range(tree.nv):
        zero[k] = lift(zero, 0.0)
    rnea_recursion(tree, q_all, qd_all, zero, f_ext, base, bias_all, after(zero, 2 * tree.nv))
    free_torques(tree, bias_all, bias)


def bias_work(tree: Tree) -> int:
    """Entries of work memory that `bias_by_recursion` needs."""
    return tree.nq + 3 * tree.nv + rnea_work(tree)


def factor_work(tree: Tree) -> int:
    """Entries of work memory that `forward_by_factor` needs."""
    bias, matrix = bias_work(tree), mass_matrix_work(tree)
    return tree.nv_free * (tree.nv_free + 1) + (bias if bias > matrix else matrix)


def factor_verdict(tree: Tree, work: Any) -> int:
    """1 + a degree of freedom without inertia, or 0."""
    return singular_dof(tree, work, tree.nv_free + 1, after(work, tree.nv_free * tree.nv_free))


def factor_margin(tree: Tree, work: Any) -> Any:
    """Positive if every degree of freedom has inertia."""
    return pivot_margin(tree, work, tree.nv_free + 1, after(work, tree.nv_free * tree.nv_free))


def without_losses(tree: Tree, options: Any, qd: Any, tau: Any, room: Any) -> Any:
    """tau less the losses at qd where the options ask for them, written into `room` (nq + 3 nv)."""
    if not options[0]:
        return tau
    qd_all = all_rates(tree, qd, room)
    lost = after(room, tree.nv)
    for k in range(tree.nv):
        lost[k] = lift(lost, 0.0)
    add_losses(tree, -1.0, qd_all, lost)
    net = after(lost, tree.nv)
    if tree.coupled:
        free_torques(tree, lost, net)
        for k in range(tree.nv_free):
            net[k] += tau[k]
        return net
    for k in range(tree.nv):
        lost[k] += tau[k]
    return lost


def aba_state(tree: Tree, options: Any, q: Any, qd: Any, tau: Any, f_ext: Any, base: Any, qdd: Any, work: Any) -> None:
    """Forward dynamics by articulated bodies, for models without followers; options: whether there are losses."""
    net = without_losses(tree, options, qd, tau, after(work, articulated_work(tree)))
    forward_by_articulated_bodies(tree, q, qd, net, f_ext, base, tree.armature, qdd, work)


def cholesky_state(
    tree: Tree, options: Any, q: Any, qd: Any, tau: Any, f_ext: Any, base: Any, qdd: Any, work: Any
) -> None:
    """Forward dynamics by the factorised mass matrix; options: whether there are losses."""
    net = without_losses(tree, options, qd, tau, after(work, factor_work(tree)))
    forward_by_factor(tree, q, qd, net, f_ext, base, tree.armature, qdd, work)


ABA = tree_kernel(
    "aba", aba_state, 5, lambda tree: articulated_work(tree) + 3 * tree.nv, articulated_verdict, articulated_margin
)
CHOLESKY = tree_kernel(
    "forward_cholesky",
    cholesky_state,
    5,
    lambda tree: factor_work(tree) + 3 * tree.nv,
    factor_verdict,
    factor_margin,
)


@way(
    ABA,
    CHOLESKY,
    inputs=(Q, QD, TAU, F_EXT, AT_HOME),
    result=(NV,),
    second_if="coupled",
    choice=("method", *METHODS),
)
def forward_dynamics(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: str = "aba",
    losses: bool = False,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Forward dynamics: the accelerations that the generalised forces tau give.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration, rad and m.
    qd : (..., nv) velocity, per second.
    tau : (..., nv) generalised forces, N m and N.
    f_ext : (..., nb, 6) forces ON the bodies, (moment; force) in each body's link frame about its origin, N m and N.
    method : "aba" (articulated bodies, work grows as nb) or "cholesky" (the mass matrix and its sparse factor). Models
        with mimic followers use the factor either way.
    losses : subtract the model's damping and friction, d qd + f sign(qd), from tau.
    base : how the base moves, if it does not stand still.
    out : (..., nv) float64 array for the result.

    Returns
    -------
    qdd : (..., nv), per second squared; of a floating base the spatial acceleration in its own axes.

    Raises
    ------
    SingularMassMatrixError
        A degree of freedom moves nothing that has inertia; the error names its joint.
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length, an unknown method.

    Notes
    -----
    Featherstone (2008), table 7.1 for the articulated-body algorithm, tables 6.2 and 6.3 for the other way.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> q, qd, tau = [0.6, -0.9], [1.0, 0.5], [2.0, -1.0]
    >>> a = fs.forward_dynamics(arm, q, qd, tau)
    >>> fs.rnea(arm, q, qd, a).round(9)
    array([ 2., -1.])
    """
    if method not in METHODS:
        raise ValueError(f"method: expected 'aba' or 'cholesky', got {method!r}")
    coupled = isinstance(model, Model) and model.tree.coupled
    call = Call(ABA if method == "aba" and not coupled else CHOLESKY, model, losses=losses)
    call.configuration(q)
    call.rate("qd", qd)
    call.rate("tau", tau)
    call.forces(f_ext)
    call.base(base)
    return call.run((model.nv,), out)


@way(ABA, CHOLESKY, inputs=(Q, QD, TAU, F_EXT, AT_HOME), result=(NV,), second_if="coupled")
def aba(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    losses: bool = False,
    base: BaseMotion | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Forward dynamics by the articulated-body algorithm; see `forward_dynamics`, of which it is the default method.

    Parameters
    ----------
    model, q, qd, tau, f_ext, losses, base, out : as in `forward_dynamics`.

    Returns
    -------
    qdd : (..., nv), per second squared.

    Raises
    ------
    SingularMassMatrixError, TypeError, ValueError
        As `forward_dynamics`.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.aba(fs.models.load("pendulum"), [0.0], [0.0], [0.0]).shape
    (1,)
    """
    return forward_dynamics(model, q, qd, tau, f_ext, losses=losses, base=base, out=out)
