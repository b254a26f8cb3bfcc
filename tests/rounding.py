"""Rounding errors, derived: the algorithms' own sources run on numbers that carry a bound of their error.

Running error analysis, Higham, Accuracy and Stability of Numerical Algorithms (2002), section 3.3: each operation adds
half a unit in the last place of its result to what it inherits. So every bound holds with or without fused operations,
and grows with the condition of the problem by itself. Bounds are proven, not typical: errors are usually a small part
of them.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

import featherstone as fs
from featherstone.engine.kernel import Kernel, field_kinds

U = 2.0**-53  # half a unit in the last place
LIBRARY_ULPS = 2.0  # how far a sine or cosine may be from the truth


class Rounded:
    """Numbers, one for each state of a batch, with bounds of their absolute errors."""

    __slots__ = ("error", "value")
    __array_ufunc__ = None  # so that a NumPy scalar on the left asks this class
    __module__ = "rounded_scalars"  # where the sources look for sin and cos

    def __init__(self, value: Any, error: Any = 0.0) -> None:
        self.value, self.error = value, error

    def __add__(self, other: Any) -> Rounded:
        if not isinstance(other, Rounded):
            other = Rounded(other)
        value = self.value + other.value
        return Rounded(value, self.error + other.error + U * abs(value))

    def __sub__(self, other: Any) -> Rounded:
        return self + -other

    def __rsub__(self, other: Any) -> Rounded:
        return -self + other

    def __mul__(self, other: Any) -> Rounded:
        if not isinstance(other, Rounded):
            value = self.value * other
            return Rounded(value, abs(other) * self.error + U * abs(value))
        value = self.value * other.value
        inherited = abs(self.value) * other.error + (abs(other.value) + other.error) * self.error
        return Rounded(value, inherited + U * abs(value))

    def __truediv__(self, other: Any) -> Rounded:
        if not isinstance(other, Rounded):
            other = Rounded(other)
        value = self.value / other.value
        least = abs(other.value) - other.error
        inherited = (self.error + abs(value) * other.error) / np.where(least > 0.0, least, np.nan)
        return Rounded(value, inherited + U * abs(value))

    def __rtruediv__(self, other: Any) -> Rounded:
        return Rounded(other) / self

    def __neg__(self) -> Rounded:
        return Rounded(-self.value, self.error)

    __radd__ = __add__
    __rmul__ = __mul__


def _turned(function: Any) -> Any:
    def of(x: Rounded) -> Rounded:
        value = function(x.value)
        return Rounded(value, x.error + 2.0 * LIBRARY_ULPS * U * abs(value))

    return of


library = types.ModuleType(Rounded.__module__)
library.sin, library.cos = _turned(np.sin), _turned(np.cos)  # type: ignore[attr-defined]
sys.modules[library.__name__] = library


def as_scalars(x: Any, size: int) -> np.ndarray | None:
    """An array (count, ...), or a Rounded one, as `size` scalars over the batch."""
    if x is None:
        return None
    value, error = (x.value, x.error) if isinstance(x, Rounded) else (x, np.zeros(np.shape(x)))
    value, error = (np.asarray(a, float).reshape(-1, size).T for a in (value, error))
    scalars = np.empty(size, object)
    scalars[:] = [Rounded(*pair) for pair in zip(value, error)]
    return scalars


def constants(model: fs.Model, roundings: float = 0.0) -> Any:
    """The model's tree with constants that may be off by so many roundings of their size.

    None at all, or some for laws between two models whose constants were rounded on different ways.
    """
    tree = model.tree
    placement, inertia = tree.placement.reshape(-1, 12), tree.inertia.reshape(-1, 10)
    size = {
        "placement": np.repeat(np.maximum(1.0, np.abs(placement[:, 9:]).sum(-1)), 12),
        "inertia": np.repeat(np.abs(inertia).sum(-1), 10),
        "gravity": np.full(3, np.abs(tree.gravity).sum()),
    }
    changed = {}
    for name, kind in field_kinds(type(tree)).items():
        if kind == "Reals":
            values = getattr(tree, name)
            errors = roundings * U * size.get(name, np.abs(values))
            changed[name] = np.empty(values.size, object)
            changed[name][:] = [Rounded(*pair) for pair in zip(values.tolist(), errors.tolist())]
    return tree._replace(**changed)


def bounded(
    kernel: Kernel, model: fs.Model, inputs: list[Any], core: tuple[int, ...], tree: Any = None, options: Any = (0,)
) -> Rounded:
    """What a kernel gives for inputs (count, ...), each an array, a Rounded one or None, with bounds of its errors.

    Inputs that are not given at the end are absent; `options` are the kernel's.
    """
    inputs = inputs + [None] * (kernel.inputs - len(inputs))
    count = max(len(x.value if isinstance(x, Rounded) else x) for x in inputs if x is not None)
    sizes = [x.value[0].size if isinstance(x, Rounded) else 0 if x is None else x[0].size for x in inputs]
    operands = [as_scalars(x, size) for x, size in zip(inputs, sizes)]
    result = np.empty(int(np.prod(core, dtype=int)), object)
    work = np.empty(kernel.work(model.tree), object)
    kernel.source(tree or constants(model), np.array(options), *operands, result, work)
    entries = [x if isinstance(x, Rounded) else Rounded(x) for x in result]
    columns = [[np.broadcast_to(getattr(x, part), (count,)) for x in entries] for part in ("value", "error")]
    return Rounded(*(np.stack(column, -1).reshape(count, *core) for column in columns))


def in_one(kernel: Kernel) -> Kernel:
    """The kernel with all its results, of one size, in one array, one behind the other."""

    def source(tree: Any, options: Any, *arrays: Any) -> None:
        *inputs, result, work = arrays
        kernel.source(tree, options, *inputs, *result.reshape(kernel.outputs, -1), work)

    return kernel._replace(source=source, outputs=1)


def solve_error(H: Rounded, x: np.ndarray, right_side: np.ndarray) -> np.ndarray:
    """A bound on the error of what forward dynamics finds for the solution x of H x = b, with b off by `right_side`.

    With (H + E) x' = b + e it is H^-1 (e - E x'), so |H^-1| (|e| + |E| |x|). E has H's own error, and that of a factor,
    |E_ij| <= (n + 1) u sqrt(H_ii H_jj): Demmel (1989), in Higham (2002), theorem 10.5. Twice as much for |x'| and |x|.
    """
    root = np.sqrt(np.diagonal(H.value, axis1=1, axis2=2))
    E = 2.0 * (H.error + (root.shape[-1] + 1) * 2.0 * U * root[:, :, None] * root[:, None, :])
    residual = right_side + np.einsum("bij,bj->bi", E, np.abs(x))
    return np.einsum("bij,bj->bi", np.abs(np.linalg.inv(H.value)), residual)
