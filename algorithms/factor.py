"""The factor of the mass matrix that keeps the tree's sparsity. Featherstone (2008), section 6.5, table 6.3.

H = L^T D L with L unit lower triangular. Going from the last degree of freedom to the first makes no fill-in: row k of
L has entries only at the degrees of freedom between k and the base, so the work follows the branches. D holds the
pivots, each the inertia that one degree of freedom feels when all after it are free, which the articulated-body
algorithm also finds.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import (
    EIGHT,
    after,
    eight_minus,
    eight_zeros,
    lift,
    load_eight,
    select_less,
    store_column,
    store_eight,
)
from ..model.tree import Tree

# A pivot below this part of what it could be is rounding: 64 units in the last place.
SINGULAR = 64 * 2.0**-52


def factorize(tree: Tree, H: Any) -> None:
    """H (nv, nv) becomes D on the diagonal, L below it and, along the branches, (D L)^T above it."""
    n = tree.nv_free
    up = tree.elimination_parent
    for i in range(n - 1, -1, -1):
        pivot = eliminated(tree, H, i, i)
        inverse = 1.0 / pivot
        H[i * n + i] = pivot
        j = up[i]
        while j >= 0:
            entry = eliminated(tree, H, i, j)
            H[i * n + j] = entry * inverse
            H[j * n + i] = entry
            j = up[j]


def eliminated(tree: Tree, H: Any, i: int, j: int) -> Any:
    """H_ij - sum of L_ki D_k L_kj over all k that i carries, whose rows are done."""
    n = tree.nv_free
    rest = H[i * n + j]
    for k in range(i + 1, tree.last_dof[i] + 1):
        rest -= H[i * n + k] * H[k * n + j]
    return rest


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


def invert(tree: Tree, L: Any, inverse: Any) -> None:
    """inverse = H^-1, symmetric to the bit, with L from `factorize`.

    L H^-1 = D^-1 L^-T is upper triangular, so that below the diagonal each row of H^-1 is a combination of the rows of
    the degrees of freedom that carry it: X_ab = -sum L_ai X_ib over those i, for b < a.
    """
    n = tree.nv_free
    up = tree.elimination_parent
    for a in range(n):
        if a < EIGHT:
            for b in range(a):
                entry = lift(inverse, 0.0)
                i = up[a]
                while i >= 0:
                    entry -= L[a * n + i] * inverse[i * n + b]
                    i = up[i]
                inverse[a * n + b] = entry
        else:
            # the last eight may overlap those before
            for b in range(0, a, EIGHT):
                first = b if b < a - EIGHT else a - EIGHT
                eight = eight_zeros(inverse)
                i = up[a]
                while i >= 0:
                    eight = eight_minus(eight, L[a * n + i], load_eight(inverse, i * n + first))
                    i = up[i]
                store_eight(inverse, a * n + first, eight)
        for b in range(a):
            inverse[b * n + a] = inverse[a * n + b]
        diagonal = 1.0 / L[a * n + a]
        i = up[a]
        while i >= 0:
            diagonal -= L[a * n + i] * inverse[i * n + a]
            i = up[i]
        inverse[a * n + a] = diagonal


def minus_inverse_times(tree: Tree, inverse: Any, X: Any, Z: Any, work: Any) -> None:
    """X and Z (nv, nv) become -H^-1 X and -H^-1 Z, with what `invert` gave.

    Entries of X and Z that are not zero must be between degrees of freedom of which one carries the other. `work` has
    2 nv entries. The products are about as exact as solving with the factor would be (A. Druinsky and S. Toledo, How
    accurate is inv(A)*b?, 2012), and none of them waits for another.
    """
    n = tree.nv_free
    up = tree.elimination_parent
    x, z = work, after(work, n)
    for c in range(n):
        # column c, but for its zeros
        count = 0
        for k in range(c, tree.last_dof[c] + 1):
            x[count], z[count] = X[k * n + c], Z[k * n + c]
            count += 1
        k = up[c]
        while k >= 0:
            x[count], z[count] = X[k * n + c], Z[k * n + c]
            count += 1
            k = up[k]
        a = 0
        while a + EIGHT <= n:
            eight_products(tree, inverse, c, a, x, z, X, Z)
            a += EIGHT
        if a + 1 < n and n > EIGHT:
            eight_products(tree, inverse, c, n - EIGHT, x, z, X, Z)
        else:
            while a < n:
                one_product(tree, inverse, c, a, x, z, X, Z)
                a += 1


def eight_products(tree: Tree, inverse: Any, c: int, a: int, x: Any, z: Any, X: Any, Z: Any) -> None:
    """Rows a to a + 7 of column c."""
    n, up = tree.nv_free, tree.elimination_parent
    of_x, of_z = eight_zeros(inverse), eight_zeros(inverse)
    count = 0
    for k in range(c, tree.last_dof[c] + 1):
        # row k of H^-1 is its column
        rows = load_eight(inverse, k * n + a)
        of_x, of_z = eight_minus(of_x, x[count], rows), eight_minus(of_z, z[count], rows)
        count += 1
    k = up[c]
    while k >= 0:
        rows = load_eight(inverse, k * n + a)
        of_x, of_z = eight_minus(of_x, x[count], rows), eight_minus(of_z, z[count], rows)
        count += 1
        k = up[k]
    store_column(X, a * n + c, n, of_x)
    store_column(Z, a * n + c, n, of_z)


def one_product(tree: Tree, inverse: Any, c: int, a: int, x: Any, z: Any, X: Any, Z: Any) -> None:
    """Row a of column c."""
    n, up = tree.nv_free, tree.elimination_parent
    of_x, of_z = lift(inverse, 0.0), lift(inverse, 0.0)
    count = 0
    for k in range(c, tree.last_dof[c] + 1):
        of_x -= x[count] * inverse[k * n + a]
        of_z -= z[count] * inverse[k * n + a]
        count += 1
    k = up[c]
    while k >= 0:
        of_x -= x[count] * inverse[k * n + a]
        of_z -= z[count] * inverse[k * n + a]
        count += 1
        k = up[k]
    X[a * n + c], Z[a * n + c] = of_x, of_z


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
