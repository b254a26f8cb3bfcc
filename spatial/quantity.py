"""What this room's types have in common: immutable batches of components that the recursions' functions work on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from .arguments import Array, broadcast_shapes


class Quantity:
    """An immutable batch of spatial quantities: components along the last axis, batch dimensions before it.

    Components stand as in `storage`, whose functions turn them into the tuples that scalar functions take. Two
    quantities are equal if type, batch shape and every component are.
    """

    __slots__ = ("_components",)
    __array_ufunc__ = None  # so that array * quantity asks the quantity

    _components: Array
    _size: ClassVar[int]
    _load: ClassVar[Any]
    _store: ClassVar[Any]

    @classmethod
    def _wrap(cls, components: Array) -> Self:
        """A quantity of components that nobody else holds; they are not checked."""
        made = object.__new__(cls)
        made._keep(components)
        return made

    def _keep(self, components: Array) -> None:
        components.flags.writeable = False
        object.__setattr__(self, "_components", components)

    def _scalars(self) -> Any:
        """The components as the tuples that scalar functions take, each scalar an array of the batch shape."""
        return type(self)._load(np.moveaxis(self._components, -1, 0), 0)

    @classmethod
    def _apply(cls, function: Callable[..., Any], *operands: Any) -> Self:
        """What a scalar function gives for quantities, or arrays of the batch shape, as a quantity of this type."""
        shape = broadcast_shapes({f"{type(x).__name__} ({i})": x.shape for i, x in enumerate(operands, 1)})
        components = np.empty((*shape, cls._size))
        result = function(*(x._scalars() if isinstance(x, Quantity) else x for x in operands))
        cls._store(np.moveaxis(components, -1, 0), 0, result)
        return cls._wrap(components)

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch shape; () for a single quantity."""
        return self._components.shape[:-1]

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"a single {type(self).__name__} has no length")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Self:
        """Part of the batch, indexed as an array of the batch shape."""
        index = index if isinstance(index, tuple) else (index,)
        rest = (slice(None),) if any(i is Ellipsis for i in index) else (Ellipsis, slice(None))
        return self._wrap(self._components[index + rest].copy())

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Quantity):
            return NotImplemented
        return bool(np.array_equal(self._components, other._components))

    def __hash__(self) -> int:
        # + 0.0, since -0.0 equals 0.0
        return hash((type(self).__name__, self.shape, (self._components + 0.0).tobytes()))

    def allclose(self, other: Self, rtol: float = 1e-9, atol: float = 1e-12) -> bool:
        """Whether all components agree, as `numpy.allclose` says, broadcast over the batch.

        Raises
        ------
        TypeError
            A quantity of another type.
        """
        if type(other) is not type(self):
            raise TypeError(f"other: expected a {type(self).__name__}, got {type(other).__name__}")
        broadcast_shapes({"self": self.shape, "other": other.shape})
        return bool(np.allclose(self._components, other._components, rtol, atol))

    def _as_array(self) -> Array:
        """What `numpy.asarray` gives."""
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self._as_array(), dtype, copy=copy)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self)._wrap, (np.array(self._components),))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable")

    def _parts(self) -> dict[str, Array]:
        """What `repr` shows of a single quantity."""
        raise NotImplementedError

    def __repr__(self) -> str:
        if self.shape:
            return f"{type(self).__name__}(shape={self.shape})"
        return f"{type(self).__name__}({', '.join(f'{k}={numbers(x)}' for k, x in self._parts().items())})"


def numbers(array: Any) -> str:
    """An array's numbers on one line, six digits each."""
    array = np.asarray(array) + 0.0
    return f"{array:.6g}" if array.ndim == 0 else f"[{', '.join(numbers(x) for x in array)}]"


def type_error(operation: str, left: object, right: object, hint: str) -> TypeError:
    """The error for two operands that do not fit."""
    return TypeError(f"{operation}: not defined for {type(left).__name__} and {type(right).__name__}; hint: {hint}")
