"""The factor of the mass matrix that keeps the tree's sparsity. Featherstone (2008), section 6.5, table 6.3.

H = L^T D L with L unit lower triangular. Going from the last degree of freedom to the first makes no fill-in: row k of
L has entries only at the degrees of freedom between k and the base, so the work follows the branches. D holds the
pivots, each the inertia that one degree of freedom feels when all after it are free, which the articulated-body
algorithm also finds.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import EIGHT, eight_minus, lift, load_eight, select_less, store_eight
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


def solve_rows(tree: Tree, L: Any, factor: float, X: Any) -> None:
    """X (nv, nv) becomes factor H^-1 X, with L from `factorize`.

    Entries of X that are not zero before must be between degrees of freedom of which one carries the other.
    """
    n = tree.nv_free
    up = tree.elimination_parent
    # L^T D Y = factor X: this fills nothing in, so of row k the columns between k and the base, and those beyond k
    for k in range(n - 1, -1, -1):
        j = up[k]
        while j >= 0:
            l = L[k * n + j]
            for c in range(k, tree.last_dof[k] + 1):
                X[j * n + c] -= l * X[k * n + c]
            c = up[k]
            while c >= 0:
                X[j * n + c] -= l * X[k * n + c]
                c = up[c]
            j = up[j]
        inverse = factor / L[k * n + k]
        for c in range(k, tree.last_dof[k] + 1):
            X[k * n + c] = inverse * X[k * n + c]
        c = up[k]
        while c >= 0:
            X[k * n + c] = inverse * X[k * n + c]
            c = up[c]
    # L X = Y, some columns at a time, which stay in the nearest cache
    for first in range(0, n, EIGHT):
        for k in range(n):
            subtract_rows(tree, L, k, first, first + EIGHT if first + EIGHT < n else n, X)


def subtract_rows(tree: Tree, L: Any, k: int, first: int, end: int, X: Any) -> None:
    """X_k -= sum of L_kj X_j over the j between k and the base, in columns `first` to before `end`."""
    n, up = tree.nv_free, tree.elimination_parent
    c = first
    while c + EIGHT <= end:
        x = load_eight(X, k * n + c)
        j = up[k]
        while j >= 0:
            x = eight_minus(x, L[k * n + j], load_eight(X, j * n + c))
            j = up[j]
        store_eight(X, k * n + c, x)
        c += EIGHT
    while c < end:
        one = X[k * n + c]
        j = up[k]
        while j >= 0:
            one -= L[k * n + j] * X[j * n + c]
            j = up[j]
        X[k * n + c] = one
        c += 1


def invert(tree: Tree, L: Any, inverse: Any) -> None:
    """inverse = H^-1, symmetric to the bit, with L from `factorize`.

    L H^-1 = D^-1 L^-T is upper triangular, so that below the diagonal each row of H^-1 is a combination of the rows of
    the degrees of freedom that carry it: X_ab = -sum L_ai X_ib over those i, for b < a.
    """
    n = tree.nv_free
    up = tree.elimination_parent
    for a in range(n):
        for b in range(a):
            inverse[a * n + b] = lift(inverse, 0.0)
        subtract_rows(tree, L, a, 0, a, inverse)
        for b in range(a):
            inverse[b * n + a] = inverse[a * n + b]
        diagonal = 1.0 / L[a * n + a]
        i = up[a]
        while i >= 0:
            diagonal -= L[a * n + i] * inverse[i * n + a]
            i = up[i]
        inverse[a * n + a] = diagonal


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
