"""Public functions with a fast way in: callable objects whose way into machine code opens when a kernel is loaded.

Such an object stands for a Python function and looks like it (`__wrapped__`, signature, documentation, pickling). Its
first call goes the ordinary way, to that function. Then, if a kernel of it has been loaded and the
interpreter's memory is laid out as `engine/layout.py` expects, calls go to `engine/gate.py`. A gate that must be
compiled first is left until the second call: who calls once does not wait for it.

The gate reads words of eight bytes: of the object, of the function (what its parameters and operands are), and of the
process (types and functions of the interpreter). They are written here.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
import types
import warnings
from array import array
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

import numpy as np

from . import layout, loader
from . import words as w
from .kernel import FINITE, RESULT, Kernel, field_kinds

F = TypeVar("F", bound=Callable[..., Any])

checking: ContextVar[bool] = ContextVar("featherstone_checking", default=True)


class Argument(NamedTuple):
    """An operand of a kernel: a parameter of the public function, or, without a name, a field of the record.

    `sizes` are the shape of one state's part: names of the record's integers, or numbers. An operand that is never
    there has neither name nor field.
    """

    name: str | None
    sizes: tuple[str | int, ...] = ()
    check: int = FINITE
    field: str | None = None


class Way(NamedTuple):
    """What the gate must know of a function: whom it belongs to, its kernels, operands and choices.

    The second kernel is taken where the record's integer `second_if` is not 0, or where the parameter `choice` has the
    second of its values. `named` is a parameter and the attribute of the owner that gives the options for such a name,
    and behind them the operand of that parameter. `option` is the kernel's, 0 or 1, where no
    parameter says it. `words` are parameters and the words that each may be, the default first; which one it is are the
    kernel's options behind the first. `more` are the shapes of results besides the first; they are given as a tuple.
    """

    owner: type
    kernels: tuple[Kernel, ...]
    arguments: tuple[Argument, ...]
    result: tuple[str | int, ...]
    second_if: str | None = None
    choice: tuple[str, str, str] | None = None
    named: tuple[str, str] | None = None
    option: int = 0
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    more: tuple[tuple[str | int, ...], ...] = ()

    @property
    def results(self) -> tuple[tuple[str | int, ...], ...]:
        """The shapes of all results."""
        return (self.result, *self.more)


class Entry:
    """A public function with a fast way in."""

    __wrapped__: Callable[..., Any]
    __qualname__: str
    called = False  # when its gate could have been opened, but for the wait
    closed = False  # it cannot be opened

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it the ordinary way, and see whether the fast way can be opened."""
        result = self.__wrapped__(*args, **kwargs)
        _open(self, args)
        return result

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """As a method, as functions do."""
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> str:
        """By name, as functions do."""
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<function {getattr(self, '__qualname__', None)}>"

    def __getattr__(self, name: str) -> Any:
        """What functions have besides, as it is in the function that this one stands for."""
        if name == "__signature__":
            import inspect

            return inspect.signature(self.__wrapped__)
        if name in ("__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__"):
            return getattr(self.__wrapped__, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("value", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    )


_READONLY, _SSIZE, _MEMBERS = 1, 19, 72  # Py_READONLY, T_PYSSIZET, Py_tp_members
_FLAGS = 1 << 9 | 1 << 11 | 1 << 18  # heap type, has vectorcall, has a version tag as all types do
_lock = threading.Lock()


@functools.cache
def entry_type(base: type[Entry] = Entry) -> type[Entry]:
    """Entry with two words more: the address that CPython calls unless it is 0 (PEP 590), and that of the words."""
    size = base.__basicsize__
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SSIZE, size, _READONLY, None), _Member())
    slots = (_Slot * 2)(_Slot(_MEMBERS, ctypes.addressof(members)), _Slot())
    spec = _Spec(b"featherstone.Function", size + 16, 0, _FLAGS, ctypes.addressof(slots))
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object)
    layout.immortal((members, slots, spec))
    return make(ctypes.addressof(spec), (base,))


def gated(way: Way) -> Callable[[F], F]:
    """Give a function a fast way in, where the interpreter allows it; elsewhere it stays what it is."""

    def decorate(function: F) -> F:
        if not layout.is_known() or _way_in(entry_type()) != Entry.__basicsize__:
            return function
        operands, results = len(way.arguments) + len(way.results), len(way.results)
        for name, count, most in (
            ("parameters", len(_parameters(function)), w.MOST_PARAMETERS),
            ("operands", operands, w.MOST_OPERANDS),
            ("results", results, w.MOST_RESULTS),
        ):
            if count > most:
                raise ValueError(f"{function.__name__}: expected at most {most} {name}, got {count}")
        entry: Any = entry_type()()
        functools.update_wrapper(entry, function)
        entry.way = way
        return entry

    return decorate


def _open(entry: Any, args: tuple[Any, ...]) -> None:
    """Open the fast way if a kernel is there, and the owner's memory is as expected."""
    if entry.closed or not any(map(loader.is_loaded, entry.way.kernels)):
        return
    if not args or type(args[0]) is not entry.way.owner:
        return
    if not entry.called and not loader.gate_is_at_hand():
        entry.called = True
        return
    try:
        address = loader.gate()
    except Exception as error:
        warnings.warn(f"calls take the ordinary way, the fast one cannot be opened: {error}", RuntimeWarning, 4)
        address = 0
    with _lock:
        words = _function_words(entry, args[0]) if address else None
        entry.closed = words is None
        if words is not None:
            layout.immortal((words, entry, entry.__wrapped__))
            way_in = id(entry) + _way_in(type(entry))
            ctypes.c_int64.from_address(way_in + 8).value = words.buffer_info()[0]
            ctypes.c_int64.from_address(way_in).value = address


def _way_in(kind: type) -> int:
    """Where objects of a type have the address that calls go to."""
    return layout.word(id(kind), layout.VECTORCALL_OFFSET)


@functools.cache
def process_words() -> array[int]:
    """Types and functions of this process."""
    words = layout.immortal(array("q", bytes(8 * w.PROCESS_WORDS)))
    options = array("q", [0, 1])
    layout.immortal(options)
    at = options.buffer_info()[0]
    for index, value in {
        w.NDARRAY: id(np.ndarray),
        w.FLOAT64: id(np.dtype(np.float64)),
        w.STR: id(str),
        w.NONE: id(None),
        w.TRUE: id(True),
        w.FALSE: id(False),
        w.VECTORCALL: layout.c_function("PyObject_Vectorcall"),
        w.NEW_ARRAY: layout.array_constructor(),
        w.NEW_FLOAT: layout.c_function("PyFloat_FromDouble"),
        w.INCREF: layout.c_function("Py_IncRef"),
        w.DECREF: layout.c_function("Py_DecRef"),
        w.TUPLE_SIZE: layout.c_function("PyTuple_Size"),
        w.TUPLE_ITEM: layout.c_function("PyTuple_GetItem"),
        w.NEW_TUPLE: layout.c_function("PyTuple_New"),
        w.SET_ITEM: layout.c_function("PyTuple_SetItem"),
        w.DICT_ITEM: layout.c_function("PyDict_GetItemWithError"),
        w.ALLOCATE: layout.c_function("PyMem_RawMalloc"),
        w.RELEASE: layout.c_function("PyMem_RawFree"),
        w.CLEAR_ERROR: layout.c_function("PyErr_Clear"),
        w.CONTEXT_GET: layout.c_function("PyContextVar_Get"),
        w.CHECKING: id(layout.immortal(checking)),
        w.EVER_UNCHECKED: 0,
        w.NO_OPTIONS: at,
        w.LOSSES_OPTION: at + 8,
        w.LANES: loader.lane_width(),
    }.items():
        words[index] = value
    return words


def tell_unchecked() -> None:
    """From now on, the gate asks each time whether inputs are to be checked."""
    if layout.is_known():
        process_words()[w.EVER_UNCHECKED] = 1


def _function_words(entry: Any, owner: Any) -> array[int] | None:
    """The words of a function; None if the owner's memory is not as expected."""
    way: Way = entry.way
    packed = layout.slot_of(owner, owner.packed)
    named = packed if way.named is None else layout.slot_of(owner, getattr(owner, way.named[1]))
    if packed < 0 or named < 0:
        return None
    fields = list(field_kinds(way.kernels[0].record))

    def size(x: str | int) -> int:
        return -x if isinstance(x, int) else fields.index(x)

    code = entry.__wrapped__.__code__
    parameters = _parameters(entry.__wrapped__)
    words = array("q", bytes(8 * w.TABLES))
    words[w.PROCESS] = process_words().buffer_info()[0]
    words[w.ORDINARY] = id(entry.__wrapped__)
    words[w.OWNER], words[w.PACKED], words[w.NAMED] = id(way.owner), packed, named
    words[w.PARAMETERS] = len(parameters)
    words[w.POSITIONAL] = code.co_argcount
    words[w.OPERANDS] = len(way.arguments) + len(way.results)
    words[w.RESULTS] = len(way.results)
    words[w.SECOND_IF] = -1 if way.second_if is None else fields.index(way.second_if)
    for first, width in ((w.KERNELS, 0), (w.BATCH_KERNELS, loader.lane_width())):
        for k, kernel in enumerate((way.kernels[0], way.kernels[-1])):
            words[first + k] = loader.cell(kernel, width).buffer_info()[0]
    words[w.SCALAR] = not way.result
    words[w.OPTION] = way.option
    choices = {name: [*map(sys.intern, values)] for name, values in way.words}
    if way.choice:
        choices[way.choice[0]] = [*map(sys.intern, way.choice[1:])]
    layout.immortal((parameters, choices))
    required = code.co_argcount - len(entry.__wrapped__.__defaults__ or ())
    for k, name in enumerate(parameters):
        kind = w.OWNER_ITSELF if k == 0 else _kind(way, name, k < required)
        values = [*map(id, choices.get(name, ()))]
        words.extend((id(name), kind, *values, *[0] * (w.MOST_VALUES - len(values))))
    for x in way.arguments:
        source = w.NOTHING
        if x.name is not None:
            source = parameters.index(x.name)
        elif x.field is not None:
            source = w.FIELD - fields.index(x.field)
        sizes = [size(n) for n in x.sizes]
        words.extend((source, x.check, len(sizes), *sizes, *[0] * (3 - len(sizes))))
    for shape in way.results:
        sizes = [size(n) for n in shape]
        words.extend((w.OUTPUT, RESULT, len(sizes), *sizes, *[0] * (3 - len(sizes))))
    return words


def _parameters(function: Callable[..., Any]) -> list[str]:
    """The names, as the interpreter passes them: interned."""
    code = function.__code__
    return list(map(sys.intern, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]))


def _kind(way: Way, name: str, required: bool) -> int:
    if name in ("out", "losses"):
        return w.OUT if name == "out" else w.LOSSES
    if way.choice is not None and name == way.choice[0]:
        return w.CHOICE
    if name in dict(way.words):
        return w.WORD
    if way.named is not None and name == way.named[0]:
        return w.NAME
    if required:
        return w.INPUT
    # what no kernel of the fast way reads
    return w.OPTIONAL if any(x.name == name for x in way.arguments) else w.ABSENT
