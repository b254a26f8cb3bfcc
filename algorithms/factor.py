"""The factor of the mass matrix that keeps the tree's sparsity. Featherstone (2008), section 6.5, table 6.3.

H = L^T D L with L unit lower triangular. Going from the last degree of freedom to the first makes no fill-in: row k of
L has entries only at the degrees of freedom between k and the base, so the work follows the branches. D holds the
pivots, each the inertia that one degree of freedom feels when all after it are free, which the articulated-body
algorithm also finds.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift, select_less
from ..model.tree import Tree

# A pivot below this part of what it could be is rounding: 64 units in the last place.
SINGULAR = 64 * 2.0**-52


def factorize(tree: Tree, H: Any) -> None:
    """H (nv, nv) becomes D on the diagonal and L below it; what is above stays as it was."""
    n = tree.nv_free
    up = tree.elimination_parent
    for k in range(n - 1, -1, -1):
        pivot = H[k * n + k]
        i = up[k]
        while i >= 0:
            a = H[k * n + i] / pivot
            j = i
            while j >= 0:
                H[i * n + j] -= a * H[k * n + j]
                j = up[j]
            H[k * n + i] = a
            i = up[i]


def solve_in_place(tree: Tree, L: Any, x: Any) -> None:
    """x becomes H^-1 x, with L from `factorize`."""
    n = tree.nv_free
    up = tree.elimination_parent
    # L^T y = x
    for k in range(n - 1, -1, -1):
        j = up[k]
        while j >= 0:
            x[j] -= L[k * n + j] * x[k]
            j = up[j]
    # D L x = y
    for k in range(n):
        x[k] = x[k] / L[k * n + k]
        j = up[k]
        while j >= 0:
            x[k] -= L[k * n + j] * x[j]
            j = up[j]


def invert(tree: Tree, L: Any, inverse: Any, row: Any) -> None:
    """inverse = H^-1, symmetric to the bit, with L from `factorize`, which is lost; row has nv entries.

    H^-1 = W D^-1 W^T with W = L^-1, which has L's sparsity: an entry (a, b) is a sum over the degrees of freedom that
    carry both a and b.
    """
    n = tree.nv_free
    up = tree.elimination_parent
    # W below the diagonal, D^-1 on it, D^-1 W^T above it
    for k in range(n):
        j = up[k]
        while j >= 0:
            row[j] = L[k * n + j]
            j = up[j]
        i = up[k]
        while i >= 0:
            a = L[k * n + i]
            j = up[i]
            while j >= 0:
                row[j] += a * L[i * n + j]
                j = up[j]
            i = up[i]
        L[k * n + k] = 1.0 / L[k * n + k]
        j = up[k]
        while j >= 0:
            L[k * n + j] = -row[j]
            L[j * n + k] = -row[j] * L[j * n + j]
            j = up[j]
    for a in range(n):
        total = L[a * n + a]
        j = up[a]
        while j >= 0:
            total += L[a * n + j] * L[j * n + a]
            j = up[j]
        inverse[a * n + a] = total
        for b in range(a):
            # the last degree of freedom that carries both
            i, j = a, b
            while i != j:
                if i > j:
                    i = up[i]
                else:
                    j = up[j]
            total = lift(row, 0.0)
            while j >= 0:
                total += L[a * n + j] * L[j * n + b]
                j = up[j]
            inverse[a * n + b] = total
            inverse[b * n + a] = total


def singular_dof(tree: Tree, pivot: Any, stride: int, size: Any) -> int:
    """1 + the last degree of freedom whose pivot is zero to rounding, or 0; pivots lie `stride` apart."""
    for k in range(tree.nv_free - 1, -1, -1):
        # written so that an overflow, which is told elsewhere, does not count
        if SINGULAR * size[k] - pivot[k * stride] >= 0.0:
            return k + 1
    return 0


def pivot_margin(tree: Tree, pivot: Any, stride: int, size: Any) -> Any:
    """Positive if no pivot is zero to rounding: the least of pivot - SINGULAR size."""
    least = lift(pivot, 1.0)
    for k in range(tree.nv_free):
        rest = pivot[k * stride] - SINGULAR * size[k]
        least = select_less(rest, least, rest, least)
    return least
