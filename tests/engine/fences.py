"""Memory between pages that nobody may touch: what reads or writes beside an array kills the process."""

from __future__ import annotations

import ctypes
import math
import mmap
from typing import Any

import numpy as np

import featherstone as fs
from featherstone.engine.kernel import pack

PAGE = mmap.PAGESIZE
SIDES = ("start", "end")  # where the array touches a forbidden page
NOTHING, READ = 0, 1  # PROT_NONE, PROT_READ

_library = ctypes.CDLL(None, use_errno=True)
_library.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def _protect(address: int, size: int, how: int) -> None:
    if _library.mprotect(address, size, how):
        raise OSError(ctypes.get_errno(), "mprotect")


def fenced(shape: Any, side: str, dtype: Any = np.float64, content: Any = None) -> np.ndarray:
    """An array right behind a forbidden page (side "start"), or right before one ("end"); read-only with content."""
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    count = math.prod(shape)
    size = count * np.dtype(dtype).itemsize
    inner = max(1, -(-size // PAGE)) * PAGE
    memory = mmap.mmap(-1, inner + 2 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    offset = PAGE if side == "start" else PAGE + inner - size
    array = np.frombuffer(memory, dtype, count, offset).reshape(shape)
    if content is not None:
        array[...] = content
        _protect(address + PAGE, inner, READ)
    elif array.dtype == np.float64:
        array[...] = np.nan
    _protect(address, PAGE, NOTHING)
    _protect(address + PAGE + inner, PAGE, NOTHING)
    return array


def fence(x: np.ndarray, side: str) -> np.ndarray:
    """A read-only copy between forbidden pages."""
    return fenced(x.shape, side, x.dtype, x)


def fence_model(model: fs.Model, side: str) -> None:
    """Put the numbers of a model that only a test has between forbidden pages."""
    tree = model.tree
    arrays = {name: fence(x, side) for name, x in tree._asdict().items() if isinstance(x, np.ndarray)}
    store = vars(model)
    store["tree"] = tree._replace(**arrays)
    object.__setattr__(model, "packed", fence(pack(store["tree"]), side))


class FencedMemory:
    """Within this context NumPy's `empty` gives memory between forbidden pages: results and work memory."""

    def __init__(self, side: str) -> None:
        self.side, self.empty, self.given = side, np.empty, 0

    def _give(self, shape: Any, dtype: Any = float, *more: Any, **options: Any) -> np.ndarray:
        if np.dtype(dtype) != np.float64 or more or options:
            return self.empty(shape, dtype, *more, **options)
        self.given += 1
        return fenced(shape, self.side)

    def __enter__(self) -> FencedMemory:
        np.empty = self._give  # type: ignore[assignment]  # it stands in for a function with overloads
        return self

    def __exit__(self, *_: object) -> None:
        np.empty = self.empty
