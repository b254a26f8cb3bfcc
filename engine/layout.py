"""Where the interpreter and NumPy keep what the gate reads, in words of eight bytes, and whether that is so here.

CPython: Include/object.h. NumPy: `PyArrayObject_fields` in ndarraytypes.h, part of its stable ABI. The gate is only
used where the samples below are found as expected; anywhere else every call takes the ordinary way.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import Any

import numpy as np

TYPE = 1  # of any object: its type
VECTORCALL_OFFSET = 7  # of a type: where its objects have the address that calls go to, in bytes
DATA, NDIM, DIMENSIONS, STRIDES, DTYPE, FLAGS = 2, 3, 4, 5, 7, 8  # of an array
INT = 0xFFFFFFFF  # a C int is the lower half of its word
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # flags
NEW_FROM_DESCR = 94  # PyArray_NewFromDescr in NumPy's table of functions


def word(address: int, index: int) -> int:
    """The word at an address in this process."""
    return ctypes.c_int64.from_address(address + 8 * index).value


def c_int(address: int, index: int) -> int:
    """The C int in the first half of a word; what is in the other half is undefined."""
    return ctypes.c_int.from_address(address + 8 * index).value


def slot_of(owner: object, value: object) -> int:
    """The word of `owner`'s own memory that refers to `value`, or -1."""
    words = type(owner).__basicsize__ // 8
    return next((k for k in range(2, words) if word(id(owner), k) == id(value)), -1)


@functools.cache
def is_known() -> bool:
    """Whether this interpreter and this NumPy are laid out as the gate expects; FEATHERSTONE_GATE=0 says no."""
    if os.environ.get("FEATHERSTONE_GATE") == "0":
        return False
    if sys.implementation.name != "cpython" or "t" in getattr(sys, "abiflags", ""):  # t: without the GIL
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little" or object.__basicsize__ != 16:
        return False
    if sys.platform == "win32" or hasattr(sys, "gettotalrefcount"):
        return False
    samples: list[Any] = [np.empty(3), np.empty((2, 5))[:, 1:], np.empty((4, 3, 2)).T, np.frombuffer(bytes(16))]
    return all(map(_is_as_expected, samples))


def _is_as_expected(x: np.ndarray) -> bool:
    at = id(x)
    flags = c_int(at, FLAGS)
    found = (
        word(at, TYPE),
        word(at, DATA),
        c_int(at, NDIM),
        word(at, DTYPE),
        bool(flags & C_CONTIGUOUS),
        bool(flags & ALIGNED),
        bool(flags & WRITEABLE),
    )
    expected = (
        id(type(x)),
        x.ctypes.data,
        x.ndim,
        id(x.dtype),
        x.flags.c_contiguous,
        x.flags.aligned,
        x.flags.writeable,
    )
    if found != expected or word(at, STRIDES) != word(at, DIMENSIONS) + 8 * x.ndim:  # NumPy allocates them together
        return False
    dimensions = tuple(word(word(at, DIMENSIONS), k) for k in range(x.ndim))
    strides = tuple(word(word(at, STRIDES), k) for k in range(x.ndim))
    return dimensions == x.shape and strides == x.strides


def immortal(x: Any) -> Any:
    """An object that is never freed, whatever becomes of the names for it: machine code refers to it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(x))
    return x


def array_constructor() -> int:
    """The address of PyArray_NewFromDescr."""
    # NumPy's table for C, which its headers import by this name; its stubs leave it out
    api = np._core.multiarray._ARRAY_API  # type: ignore[attr-defined]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return word(get(api, None), NEW_FROM_DESCR)


def c_function(name: str) -> int:
    """The address of a function of the interpreter's C API."""
    address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    assert address is not None
    return address
