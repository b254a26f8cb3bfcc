"""Components as matrices and back: 3x3 cross-product and symmetric matrices, 6x6 matrices of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arguments import Array, first_index

# where the entries of a symmetric 3x3 matrix, row by row, stand among (xx, xy, yy, xz, yz, zz)
_SYMMETRIC = [0, 1, 3, 1, 2, 4, 3, 4, 5]
SYMMETRY = 1e-9  # how far from symmetric a matrix may be, relative to its largest entry


def cross_matrix(a: Array) -> Array:
    """The matrix of a x, (..., 3, 3), of vectors (..., 3)."""
    x, y, z = np.moveaxis(a, -1, 0)
    o = np.zeros_like(x)
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1).reshape(*a.shape[:-1], 3, 3)


def symmetric_matrix(components: Array) -> Array:
    """Symmetric matrices, (..., 3, 3), of components (..., 6)."""
    return components[..., _SYMMETRIC].reshape(*components.shape[:-1], 3, 3)


def symmetric_components(matrix: Array, name: str) -> Array:
    """The components, (..., 6), of symmetric matrices (..., 3, 3).

    Raises
    ------
    ValueError
        A matrix that is not symmetric.
    """
    check_symmetric(matrix, name)
    flat = (0.5 * matrix + 0.5 * np.swapaxes(matrix, -1, -2)).reshape(*matrix.shape[:-2], 9)
    return flat[..., [0, 1, 4, 2, 5, 8]]


def check_symmetric(matrix: Array, name: str) -> None:
    """Raise ValueError if one of the matrices (..., n, n) is not symmetric, up to rounding."""
    difference = np.abs(matrix - np.swapaxes(matrix, -1, -2)).max(axis=(-1, -2))
    wrong = difference > SYMMETRY * np.abs(matrix).max(axis=(-1, -2))
    if wrong.any():
        raise ValueError(
            f"{name}{first_index(wrong)}: expected a symmetric matrix, "
            f"got entries that differ by {difference[wrong][0]:.3g} from their mirror image"
        )


def blocks(top_left: Any, top_right: Any, bottom_left: Any, bottom_right: Any) -> Array:
    """The 6x6 matrices of four 3x3 blocks, each with the same batch shape."""
    return np.concatenate(
        [np.concatenate([top_left, top_right], axis=-1), np.concatenate([bottom_left, bottom_right], axis=-1)], axis=-2
    )
