"""The factor of the mass matrix as an object, and the inverse of the mass matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.scalars import after
from ..model.model import Model
from ..model.tree import Tree
from .call import Call
from .crba import complete, mass_matrix_of, mass_matrix_work
from .factor import factorize, invert, pivot_margin, singular_dof, solve_in_place
from .kernels import tree_kernel
from .ways import NV, Q, matrix, rate, way


def factor_state(tree: Tree, options: Any, q: Any, L: Any, work: Any) -> None:
    """D and L of the mass matrix, in place of it; work begins with the pivots and what they compare with."""
    n = tree.nv_free
    mass_matrix_of(tree, q, L, after(work, n), after(work, 2 * n))
    factorize(tree, L)
    complete(tree.elimination_parent, n, L)
    for k in range(n):
        work[k] = L[k * n + k]


def inverse_state(tree: Tree, options: Any, q: Any, inverse: Any, work: Any) -> None:
    """The inverse of the mass matrix."""
    n = tree.nv_free
    L = after(work, 2 * n)
    mass_matrix_of(tree, q, L, after(work, n), after(L, n * n))
    factorize(tree, L)
    for k in range(n):
        work[k] = L[k * n + k]
    invert(tree, L, inverse)


def solve_state(tree: Tree, options: Any, L: Any, b: Any, x: Any, work: Any) -> None:
    """x = H^-1 b with the factor of H."""
    for k in range(tree.nv_free):
        x[k] = b[k]
    solve_in_place(tree, L, x)


def pivot_verdict(tree: Tree, work: Any) -> int:
    """1 + a degree of freedom without inertia, or 0."""
    return singular_dof(tree, work, 1, after(work, tree.nv_free))


def pivots_margin(tree: Tree, work: Any) -> Any:
    """Positive if every degree of freedom has inertia."""
    return pivot_margin(tree, work, 1, after(work, tree.nv_free))


FACTOR = tree_kernel(
    "factor", factor_state, 1, lambda tree: 2 * tree.nv_free + mass_matrix_work(tree), pivot_verdict, pivots_margin
)
INVERSE = tree_kernel(
    "mass_matrix_inverse",
    inverse_state,
    1,
    lambda tree: 2 * tree.nv_free + tree.nv_free * tree.nv_free + mass_matrix_work(tree),
    pivot_verdict,
    pivots_margin,
)
SOLVE = tree_kernel("solve", solve_state, 2)


@way(FACTOR, inputs=(Q,), result=(NV, NV))
def packed_factor(model: Model, q: ArrayLike) -> np.ndarray:
    """D and L of the mass matrices at q, packed into (..., nv, nv)."""
    call = Call(FACTOR, model)
    call.configuration(q)
    return call.run((model.nv, model.nv))


@way(SOLVE, inputs=(matrix("factor"), rate("b")), result=(NV,))
def solve_by_factor(model: Model, factor: np.ndarray, b: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """H^-1 b (..., nv) by packed factors."""
    call = Call(SOLVE, model)
    call.add("factor", factor, (model.nv, model.nv))
    call.rate("b", b)
    return call.run((model.nv,), out)


class Cholesky:
    """The factor of mass matrices H = L^T D L = C^T C that keeps the sparsity of the robot's tree; immutable.

    Made by `cholesky`. L is unit lower triangular, with entries only where one joint carries the other; D is diagonal.
    """

    def __init__(self, model: Model, packed: np.ndarray) -> None:
        packed.flags.writeable = False
        self._model, self._packed = model, packed

    def __repr__(self) -> str:
        return f"<Cholesky of {self._model.name!r}: {self._model.nv} x {self._model.nv}, batch {self.shape}>"

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape."""
        return self._packed.shape[:-2]

    @property
    def L(self) -> np.ndarray:
        """(..., nv, nv), unit lower triangular."""
        return np.tril(self._packed, -1) + np.eye(self._model.nv)

    @property
    def D(self) -> np.ndarray:
        """(..., nv), the pivots: each the inertia that a degree of freedom feels when those after it are free."""
        return np.diagonal(self._packed, axis1=-2, axis2=-1).copy()

    def factor(self) -> np.ndarray:
        """C (..., nv, nv), lower triangular with H = C^T C."""
        return np.sqrt(self.D)[..., None] * self.L

    def matrix(self) -> np.ndarray:
        """H (..., nv, nv), the mass matrix, put together again from its factor."""
        L = self.L
        H = np.swapaxes(L, -1, -2) @ (self.D[..., None] * L)
        return (H + np.swapaxes(H, -1, -2)) / 2

    def solve(self, b: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
        """H^-1 b.

        Parameters
        ----------
        b : (..., nv); batch shapes broadcast with the factor's.
        out : (..., nv) float64 array for the result.

        Returns
        -------
        x : (..., nv).

        Raises
        ------
        TypeError, ValueError
            A wrong type or shape, NaN or infinity.
        """
        return solve_by_factor(self._model, self._packed, b, out=out)

    def logdet(self) -> np.ndarray | float:
        """The logarithm of the determinant of H, (...)."""
        result = np.log(self.D).sum(-1)
        return result if self.shape else float(result)


def cholesky(model: Model, q: ArrayLike) -> Cholesky:
    """Factorise the mass matrix H(q), keeping the sparsity of the tree.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.

    Returns
    -------
    factor : with `solve(b)`, `logdet()`, `matrix()` (H again), `L` and `D`.

    Raises
    ------
    SingularMassMatrixError
        A degree of freedom moves nothing that has inertia; the error names its joint.
    TypeError, ValueError
        Wrong types or shapes, NaN or infinity, a quaternion that is not of unit length.

    Notes
    -----
    Featherstone (2008), section 6.5. No fill-in: work is proportional to the sum of squared depths.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> factor = fs.cholesky(arm, [0.6, -0.9])
    >>> bool(abs(factor.matrix() - fs.crba(arm, [0.6, -0.9])).max() < 1e-14)
    True
    """
    return Cholesky(model, packed_factor(model, q))


@way(INVERSE, inputs=(Q,), result=(NV, NV))
def mass_matrix_inverse(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """The inverse of the mass matrix.

    Parameters
    ----------
    model : the robot.
    q : (..., nq) configuration.
    out : (..., nv, nv) float64 array for the result.

    Returns
    -------
    H^-1 : (..., nv, nv), symmetric to the bit.

    Raises
    ------
    SingularMassMatrixError, TypeError, ValueError
        As `cholesky`.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> product = fs.crba(arm, [0.6, -0.9]) @ fs.mass_matrix_inverse(arm, [0.6, -0.9])
    >>> bool(abs(product - [[1, 0], [0, 1]]).max() < 1e-14)
    True
    """
    call = Call(INVERSE, model)
    call.configuration(q)
    return call.run((model.nv, model.nv), out)
