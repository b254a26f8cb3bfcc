"""The mass matrix by the composite-rigid-body algorithm. Featherstone (2008), section 6.2, table 6.2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after, lift, with_sines
from ..model.coupling import all_coordinates, free_matrix
from ..model.handover import composite_inertia, hand_over_composite
from ..model.joints import component, component_along, joint_transform, rigid_column, rigid_size
from ..model.model import Model
from ..model.tree import Tree
from ..spatial.inertias import transform_inertia
from ..spatial.motions import TransformTuple, shift_force, turn_force
from ..spatial.rotations import compose, rotate
from ..spatial.storage import RIGID, TRANSFORM, load_transform, store_transform
from .call import Call
from .kernels import tree_kernel
from .ways import NV, Q, way


def crba_recursion(tree: Tree, q: Any, H: Any, size: Any, work: Any) -> None:
    """H(q) of every joint, without armature; size (nv): what each diagonal entry compares with.

    Only entries on and below the diagonal are written, and of them only those of joints that carry each other.
    """
    X_up = work
    E = after(X_up, TRANSFORM * (tree.nb + 1))  # each body's axes, and its origin seen from its parent's
    I_c = after(E, TRANSFORM * (tree.nb + 1))
    q = with_sines(q, tree.nq, after(I_c, RIGID * tree.slots))
    n = tree.nv
    for i in range(1, tree.nb + 1):
        X = joint_transform(tree, i, q)
        store_transform(X_up, i, X)
        store_transform(E, i, in_base_axes(tree, i, X, E))

    for i in range(tree.nb, 0, -1):
        # I_c of the parent += X* I_c X
        I_i = composite_inertia(tree, i, I_c)
        if tree.parent[i] > 0:
            hand_over_composite(tree, i, transform_inertia(load_transform(X_up, i), I_i), I_c)
        for d in range(tree.dofs[i]):
            # F = I_c S;  H_ij = S_j^T F for i's own and all ancestors' degrees of freedom
            k = tree.v_index[i] + d
            F = rigid_column(tree, i, d, I_i)
            size[k] = rigid_size(tree, i, d, I_i)
            for e in range(d + 1):
                H[k * n + tree.v_index[i] + e] = component(tree, i, e, F)
            # all the way to the base in axes parallel to the base's, so that a step is a shift of origin only
            if tree.parent[i] > 0:
                F = turn_force(load_transform(E, i)[0], F)
            j = i
            while tree.parent[j] > 0:
                F = shift_force(load_transform(E, j)[1], F)
                j = tree.parent[j]
                for e in range(tree.dofs[j]):
                    H[k * n + tree.v_index[j] + e] = component_along(tree, j, e, E, F)


def in_base_axes(tree: Tree, i: int, X: TransformTuple, E: Any) -> TransformTuple:
    """Body i's axes, and its origin seen from its parent's, in coordinates parallel to the base's."""
    if tree.parent[i] == 0:
        return X
    R = load_transform(E, tree.parent[i])[0]
    return (compose(R, X[0]), rotate(R, X[1]))


def complete(up: Any, n: int, H: Any) -> None:
    """Fill the other triangle of H, and zeros where no degree of freedom carries the other; `up` leads to the next."""
    for k in range(n):
        last, j = k, up[k]
        while j >= 0:
            uncouple(n, H, k, j + 1, last)
            H[j * n + k] = H[k * n + j]
            last, j = j, up[j]
        uncouple(n, H, k, 0, last)


def uncouple(n: int, H: Any, k: int, first: int, last: int) -> None:
    """Zeros between k and the degrees of freedom from `first` to before `last`."""
    for j in range(first, last):
        H[k * n + j] = lift(H, 0.0)
        H[j * n + k] = lift(H, 0.0)


def crba_work(tree: Tree) -> int:
    """Entries of work memory that the recursion needs."""
    return 2 * TRANSFORM * (tree.nb + 1) + RIGID * tree.slots + 2 * tree.nq


def mass_matrix_of(tree: Tree, q: Any, H: Any, size: Any, work: Any) -> None:
    """H(q) (nv, nv) in the user's coordinates with armature; size (nv), see `crba_recursion`.

    Written where `factorize` reads: below the diagonal along the elimination tree. `work` has `mass_matrix_work(tree)`
    entries.
    """
    n, free = tree.nv, tree.nv_free
    q_all = all_coordinates(tree, q, work)
    H_all = after(work, tree.nq)
    size_all = after(H_all, n * n)
    rest = after(size_all, n)
    if tree.coupled:
        crba_recursion(tree, q_all, H_all, size_all, rest)
        complete(tree.parent_dof, n, H_all)
        for k in range(n):
            H_all[k * n + k] += tree.armature[k]
        free_matrix(tree, H_all, H)
        for k in range(free):
            size[k] = lift(size, 0.0)
        for j in range(n):
            size[tree.v_source[j]] += tree.v_scale[j] * tree.v_scale[j] * size_all[j]
    else:
        crba_recursion(tree, q, H, size, rest)
        for k in range(n):
            H[k * n + k] += tree.armature[k]


def mass_matrix_work(tree: Tree) -> int:
    """Entries of work memory that `mass_matrix_of` needs."""
    return tree.nq + tree.nv * tree.nv + tree.nv + crba_work(tree)


def crba_state(tree: Tree, options: Any, q: Any, H: Any, work: Any) -> None:
    """The mass matrix in the user's coordinates."""
    mass_matrix_of(tree, q, H, work, after(work, tree.nv_free))
    complete(tree.elimination_parent, tree.nv_free, H)


CRBA = tree_kernel("crba", crba_state, 1, lambda tree: tree.nv_free + mass_matrix_work(tree))


@way(CRBA, inputs=(Q,), result=(NV, NV))
def crba(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """The mass matrix H(q) of the robot, armature included.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    out : (..., nv, nv) float64 array for the result.

    Returns
    -------
    H : (..., nv, nv), kg m^2 and kg; full, and symmetric to the bit.

    Raises
    ------
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    Composite rigid bodies, Featherstone (2008), table 6.2. With mimic followers G^T H G of the full matrix.

    Examples
    --------
    >>> import featherstone as fs
    >>> H = fs.crba(fs.models.load("planar_2r"), [0.6, -0.9])
    >>> bool((H == H.T).all())
    True
    """
    call = Call(CRBA, model)
    call.configuration(q)
    return call.run((model.nv, model.nv), out)
