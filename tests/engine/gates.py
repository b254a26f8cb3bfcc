"""Calls of public functions through the gate and the ordinary way, for tests that compare the two."""

from __future__ import annotations

import array
import copy
import sys
from typing import Any, NamedTuple

import numpy as np

import featherstone as fs
from featherstone.algorithms import cholesky
from featherstone.algorithms.frames import REFERENCES
from featherstone.engine.function import Entry

from ..functions import CONFIGURATIONS, arrays_for
from ..random_trees import ALL, random_tree

MODELS = {
    "every joint": random_tree(1, 11, ALL, massless=False),
    "floating": random_tree(2, 4, floating_base=True, massless=False),
    "mimic": random_tree(3, 11, mimic=True, fixed=True, massless=False),
    "one joint": fs.models.load("pendulum"),
    "bolted": random_tree(4, 2, ("fixed",), massless=False),
}
FUNCTIONS: dict[str, Any] = {name: value for name in fs.__all__ if isinstance(value := getattr(fs, name), Entry)} | {
    name: getattr(cholesky, name) for name in ("packed_factor", "solve_by_factor")
}
ARRAYS = {
    "q": ("q", "nq"),
    "q0": ("q0", "nq"),
    "q1": ("q1", "nq"),
    "qd": ("qd", "nv"),
    "qdd": ("qdd", "nv"),
    "tau": ("tau", "nv"),
    "dq": ("dq", "nv"),
    "b": ("tau", "nv"),
    "point": ("point", 3),
}  # parameter: what it is in `arrays_for`, and how many entries


def parameters(name: str) -> tuple[list[str], list[str]]:
    """The names of a function's parameters, the model apart: by position, by name only."""
    code = FUNCTIONS[name].__wrapped__.__code__
    names = code.co_varnames
    count = code.co_argcount
    return list(names[1:count]), list(names[count : count + code.co_kwonlyargcount])


def plain(robot: str, name: str, seed: int = 0, shape: tuple[int, ...] = ()) -> dict[str, Any]:
    """Arguments that the gate takes, for one state or a batch: arrays for all, no `out`."""
    model = MODELS[robot]
    arrays = arrays_for(model, seed, shape)
    given: dict[str, Any] = {}
    for parameter in parameters(name)[0]:
        if parameter == "f_ext":
            given[parameter] = arrays["f_ext"]
        elif parameter == "frame":
            given[parameter] = model.frame_names[-1]
        elif parameter == "reference":
            given[parameter] = REFERENCES[seed % 3]
        elif parameter == "factor":
            given[parameter] = FUNCTIONS["packed_factor"].__wrapped__(model, arrays["q"])
        else:
            given[parameter] = arrays[ARRAYS[parameter][0]]
    return given


def is_configuration(parameter: str) -> bool:
    """Whether a parameter is a configuration."""
    return parameter in CONFIGURATIONS


class Outcome(NamedTuple):
    """What a call gave: its kind, and all that can be seen of it."""

    kind: str
    seen: tuple[Any, ...]


def seen(x: Any) -> tuple[Any, ...]:
    """All that can be seen of a value, to the bit."""
    if isinstance(x, np.ndarray):
        flags = (x.flags.c_contiguous, x.flags.f_contiguous, x.flags.owndata, x.flags.writeable, x.flags.aligned)
        return type(x), x.dtype, x.shape, x.strides, flags, x.base is None, x.tobytes()
    if isinstance(x, tuple):
        return type(x), *map(seen, x)
    if isinstance(x, float):
        return type(x), np.float64(x).tobytes()
    return type(x), repr(x)


def outcome(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Outcome:
    """Call, with copies of all arrays that may be written, and tell what happened, to them too."""
    # one copy of everything, so that arrays that share memory still do
    arguments, named = copy.deepcopy((arguments, named))
    try:
        result = function(*arguments, **named)
    except Exception as error:
        return Outcome("error", (type(error), str(error)))
    out = named.get("out")
    own = result is out
    return Outcome("result", (*seen(result), own, *map(seen, (*arguments[1:], *named.values()))))


def goes_through_python(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a call reaches the Python function that it stands for."""
    code, reached = function.__wrapped__.__code__, []

    def look(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is code:
            reached.append(True)

    sys.setprofile(look)
    try:
        function(*arguments, **named)
    finally:
        sys.setprofile(None)
    return bool(reached)


def open_gates() -> None:
    """Call every function often enough for its gate to be open."""
    for name, function in FUNCTIONS.items():
        for robot in ("every joint", "mimic"):
            for shape in ((), (), (3,)):
                function(MODELS[robot], **plain(robot, name, shape=shape))
    for shape in ((), (3,)):
        given = plain("every joint", "forward_dynamics", shape=shape)
        fs.forward_dynamics(MODELS["every joint"], **given, method="cholesky")


class Subclass(np.ndarray):
    """An array of a type of its own."""


def unaligned(x):
    memory = np.empty(x.nbytes + 1, np.uint8)
    view = memory[1:].view(np.float64).reshape(x.shape)
    view[...] = x
    return view


def spoilt(x, number):
    x = x.copy()
    if x.size:
        x.flat[x.size // 2] = number
    return x


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


CHANGES = {
    "plain": lambda x: x,
    "list": lambda x: x.tolist(),
    "nested tuple": lambda x: tuple(map(tuple, x)) if x.ndim > 1 else tuple(x),
    "float32": lambda x: x.astype(np.float32),
    "integers": lambda x: np.rint(x).astype(int),
    "booleans": lambda x: x > 0,
    "complex": lambda x: x.astype(complex),
    "objects": lambda x: x.astype(object),
    "text": lambda x: x.astype(str),
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "same type under another name": lambda x: x.astype(np.dtype("float64", copy=True)),
    "every second entry": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "backwards": lambda x: x[..., ::-1].copy()[..., ::-1],
    "Fortran order": np.asfortranarray,
    "unaligned": unaligned,
    "read-only": read_only,
    "subclass": lambda x: x.view(Subclass),
    "masked": np.ma.masked_array,
    "buffer": lambda x: array.array("d", x.ravel()),
    "one more": lambda x: np.concatenate([x, x[..., :1]], -1),
    "one less": lambda x: x[..., :-1],
    "nothing": lambda x: np.empty(0),
    "a number": lambda x: 1.0,
    "None": lambda x: None,
    "a string": lambda x: "zero",
    "a batch of one": lambda x: x[None],
    "a batch": lambda x: np.stack([x, x, x]),
    "a broadcast batch": lambda x: np.broadcast_to(x, (2, *x.shape)),
    "an empty batch": lambda x: np.empty((0, *x.shape)),
    "NaN": lambda x: spoilt(x, np.nan),
    "infinite": lambda x: spoilt(x, np.inf),
    "huge": lambda x: spoilt(x, 1e200),
    "tiny": lambda x: x * 1e-310,
    "zero": lambda x: 0.0 * x,
    "of another length": lambda x: 1.1 * x,
}
