"""How sensitive results are: what a unit in the last place of the inputs may change."""

from __future__ import annotations

import numpy as np

import featherstone as fs

from .functions import Function

EPS = 2.0**-52


def sensitivity(function: Function, model: fs.Model, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """How much each state's result changes when inputs change by a part of their size, over that part.

    A condition number of each state, seen in a few random directions; the result's own size is the least that it is.
    Where the mass matrix is inverted, it is that matrix's condition number, in units that make its diagonal ones.
    """
    rng, part = np.random.default_rng(7), 2.0**-24
    expected = np.asarray(function(model, arrays))
    rest = tuple(range(1, expected.ndim))
    condition = np.abs(expected).max(axis=rest)
    if function.inverts:
        H = fs.crba(model, arrays["q"])
        root = np.sqrt(np.einsum("bii->bi", H))
        condition = condition * np.linalg.cond(H / (root[:, :, None] * root[:, None, :]))
    for _ in range(4):
        moved = {name: x * (1.0 + part * rng.uniform(-1.0, 1.0, x.shape)) for name, x in arrays.items()}
        change = np.abs(np.asarray(function(model, moved)) - expected).max(axis=rest) / part
        condition = np.maximum(condition, change)
    return condition.reshape(-1, *(1 for _ in rest))
