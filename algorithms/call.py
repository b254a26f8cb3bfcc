"""The threshold of every public function: arguments to arrays, one batch shape, kernels, errors in the user's words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.batch import run
from ..engine.function import checking, tell_unchecked
from ..engine.kernel import (
    BAD_CONFIGURATION,
    CONFIGURATION,
    FINITE,
    NOT_FINITE,
    RESULT,
    UNCHECKED,
    Failure,
    Kernel,
)
from ..engine.strides import overlaps_itself, spread
from ..model.arguments import flag
from ..model.model import Model
from ..model.parameters import drive_columns
from ..model.tree import BASE_SIZE
from ..model.validity import TOLERANCE

if TYPE_CHECKING:
    from ..model.base_motion import BaseMotion

_OPTIONS = {losses: np.array([losses], np.int64) for losses in (False, True)}


class SingularMassMatrixError(ValueError):
    """The mass matrix cannot be inverted: nothing with mass moves with some degree of freedom.

    Attributes
    ----------
    joint : the name of a joint that has no inertia, given the joints between it and the base.
    """

    def __init__(self, message: str, joint: str) -> None:
        super().__init__(message)
        self.joint = joint

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.joint)


@contextmanager
def unchecked() -> Iterator[None]:
    """Within this context, inputs are not searched for NaN, infinity and quaternions of another length than 1.

    Shapes and types are always checked.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> with fs.unchecked():
    ...     fs.gravity_torque(arm, [float("nan"), 0.0])
    array([nan, nan])
    """
    tell_unchecked()
    token = checking.set(False)
    try:
        yield
    finally:
        checking.reset(token)


def check_model(model: object) -> None:
    """Raise TypeError unless it is a Model."""
    if not isinstance(model, Model):
        raise TypeError(f"model: expected a Model, got {type(model).__name__}; load one with load_urdf or models.load")


def check_mass(model: Model) -> None:
    """Raise ValueError if there is nothing whose centre of mass could be asked for."""
    if not model.body_mass.sum() > 0.0:
        raise ValueError(
            f"model: expected bodies with mass, {model.name!r} has none that moves; its centre of mass is nowhere"
        )


def as_floats(name: str, value: ArrayLike, core: tuple[int, ...], model: Model) -> np.ndarray:
    """`value` as a float64 array whose shape ends in `core`, with any strides."""
    _refuse_mask(name, value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: expected an array of shape (..., {_listed(core)}), got {error}") from None
    if array.dtype != np.float64 or not array.flags.aligned or not array.dtype.isnative:
        if array.dtype.kind not in "iuf":
            raise TypeError(f"{name}: expected real numbers, got {_described(value, array)}")
        with np.errstate(over="ignore"):  # a longer float may overflow, and is then told as infinite
            array = array.astype(np.float64, order="C")
    if array.shape[array.ndim - len(core) :] != core or array.ndim < len(core):
        raise ValueError(f"{name}: expected shape (..., {_listed(core)}), got {array.shape}; {_sizes(model)}")
    return array


def _refuse_mask(name: str, value: object) -> None:
    if type(value).__module__.startswith("numpy.ma"):
        raise TypeError(f"{name}: expected an array without a mask, got a masked one; fill it first")


def _refuse_shared(outs: list[np.ndarray | None]) -> None:
    given = [out for out in outs if out is not None]
    for first, second in itertools.combinations(given, 2):
        if np.shares_memory(first, second):
            raise ValueError("out: expected arrays that share no memory with each other, got two that do")


def _sizes(model: Model) -> str:
    return f"{model.name!r} has nq {model.nq}, nv {model.nv}, nb {model.nb}"


def _listed(core: tuple[int, ...]) -> str:
    return ", ".join(map(str, core))


def _described(value: object, array: np.ndarray) -> str:
    return f"{type(value).__name__} of dtype {array.dtype}"


class Call:
    """One call of a kernel: inputs are added in the kernel's order, `run` adds the outputs and computes."""

    def __init__(self, kernel: Kernel, model: Model, *, losses: bool = False, option: int = 0) -> None:
        check_model(model)
        self.kernel, self.model = kernel, model
        self.options = _OPTIONS[flag("losses", losses) or bool(option)]
        self.names: list[str] = []
        self.arrays: list[np.ndarray | None] = []
        self.cores: list[tuple[int, ...]] = []
        self.checks: list[int] = []

    def add(
        self,
        name: str,
        value: ArrayLike | None,
        core: tuple[int, ...],
        check: int = FINITE,
        optional: bool = False,
    ) -> None:
        """Add an input whose shape ends in `core`."""
        if value is None and not optional:
            raise TypeError(f"{name}: expected an array of shape (..., {_listed(core)}), got None")
        self.names.append(name)
        self.arrays.append(None if value is None else as_floats(name, value, core, self.model))
        self.cores.append(core)
        self.checks.append(check if checking.get() else UNCHECKED)

    def configuration(self, value: ArrayLike, name: str = "q") -> None:
        """Add a configuration."""
        self.add(name, value, (self.model.nq,), CONFIGURATION)

    def rate(self, name: str, value: ArrayLike, unread: np.ndarray | None = None) -> None:
        """Add a vector over degrees of freedom; `unread` (nv,) tells entries that may hold anything."""
        self.add(name, value, (self.model.nv,))
        given = self.arrays[-1]
        if unread is not None and given is not None:
            self.arrays[-1] = np.where(unread, 0.0, given)

    def forces(self, value: ArrayLike | None) -> None:
        """Add forces on the bodies, which may be absent."""
        self.add("f_ext", value, (self.model.nb, 6), optional=True)

    def base(self, value: BaseMotion | None) -> None:
        """Add the motion of the base, which may be absent."""
        self.add("base", None if value is None else _motion(value).array, (BASE_SIZE,), UNCHECKED, optional=True)

    def absent(self, name: str) -> None:
        """Add an input that is not there."""
        self.add(name, None, (), UNCHECKED, optional=True)

    def pose(self, name: str, frame: str) -> None:
        """Add a frame's pose on its body."""
        self.add(name, self.model.frame(frame).pose, (4, 4), UNCHECKED)

    def carrier(self, frame: str) -> int:
        """The body of the tree that carries a frame."""
        return int(self.model._frame_words[self.model.frame(frame).name][0])

    def frame(self, name: str, *words: int) -> None:
        """Add a frame: its body is the kernel's first option, before `words`, its pose there an input."""
        self.pose("frame", name)
        self.options = np.array((self.carrier(name), *words), np.int64) if words else self.model._frame_words[name]

    def columns(self, drives: Any) -> int:
        """How many parameters a regressor has: where those of drives are becomes the kernel's options."""
        self.options = drive_columns(self.model.tree, drives)
        return self.model.tree.parameters + int(self.options[0])

    def batch(self) -> tuple[int, ...]:
        """The common batch shape."""
        shapes = [x.shape[: x.ndim - len(core)] for x, core in zip(self.arrays, self.cores) if x is not None]
        if all(shape == shapes[0] for shape in shapes):
            return shapes[0]
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            given = [
                f"{name} {x.shape[: x.ndim - len(core)]}"
                for name, x, core in zip(self.names, self.arrays, self.cores)
                if x is not None
            ]
            raise ValueError(f"batch shapes do not broadcast: {', '.join(given)}") from None

    def run(self, core: tuple[int, ...], out: np.ndarray | None = None) -> np.ndarray:
        """Compute the one output."""
        return self.run_all([core], [out])[0]

    def three_matrices(self, outs: Sequence[np.ndarray] | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute three outputs (nv, nv)."""
        core = (self.model.nv, self.model.nv)
        first, second, third = self.several([core] * 3, outs)
        return first, second, third

    def several(self, cores: list[tuple[int, ...]], outs: Sequence[np.ndarray] | None) -> list[np.ndarray]:
        """Compute all outputs, into a tuple of arrays if one is given."""
        if outs is None:
            return self.run_all(cores)
        words = ("no", "one", "two", "three", "four")
        if not isinstance(outs, (tuple, list)) or len(outs) != len(cores):
            got = f"{len(outs)} of them" if isinstance(outs, (tuple, list)) else type(outs).__name__
            raise TypeError(f"out: expected a tuple of {words[len(cores)]} float64 arrays, got {got}")
        return self.run_all(cores, list(outs))

    def run_all(self, cores: list[tuple[int, ...]], outs: list[np.ndarray | None] | None = None) -> list[np.ndarray]:
        """Compute all outputs."""
        batch = self.batch()
        wanted = outs or [None] * len(cores)
        results = [self._result(out, (*batch, *core)) for core, out in zip(cores, wanted)]
        _refuse_shared(wanted)
        after = RESULT if checking.get() else UNCHECKED
        arrays = [*self.arrays, *results]
        operands, rows_and_columns = spread(
            arrays, [*self.cores, *cores], batch, [*self.checks, *(after for _ in cores)]
        )
        if all(batch):
            failure = run(self.kernel, self.model.tree, self.model.packed, self.options, operands, rows_and_columns)
            if failure:
                self._raise(failure, batch)
        for k, (out, result) in enumerate(zip(wanted, results)):
            if out is not None and out is not result:
                out[...] = result
                results[k] = out
        return results

    def _result(self, out: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
        if out is None:
            return np.empty(shape)
        _refuse_mask("out", out)
        if not isinstance(out, np.ndarray) or out.dtype != np.float64:
            got = out.dtype if isinstance(out, np.ndarray) else type(out).__name__
            raise TypeError(f"out: expected a float64 array, got {got}")
        if out.shape != shape:
            raise ValueError(f"out: expected shape {shape}, got {out.shape}")
        if not out.flags.writeable:
            raise ValueError("out: expected a writeable array, got a read-only one")
        if overlaps_itself(out):
            message = "out: expected an array whose entries have each their own memory, got one that overlaps itself"
            raise ValueError(f"{message} (strides {out.strides})")
        direct = out.flags.c_contiguous and out.flags.aligned
        if not direct or any(x is not None and np.may_share_memory(out, x) for x in self.arrays):
            return np.empty(shape)
        return out

    def _state(self, operand: int, batch: tuple[int, ...], at: tuple[Any, ...]) -> np.ndarray:
        """An input as one state has it."""
        array = self.arrays[operand]
        assert array is not None
        return np.broadcast_to(array, (*batch, *self.cores[operand]))[at]

    def _raise(self, failure: Failure, batch: tuple[int, ...]) -> None:
        at = np.unravel_index(failure.state, batch) if batch else ()
        where = f" in state {tuple(map(int, at))}" if batch else ""
        if failure.status == NOT_FINITE and failure.operand >= len(self.names):
            raise OverflowError(f"the result is not finite{where}: the inputs are too large for float64 arithmetic")
        if failure.status == NOT_FINITE:
            name, state = self.names[failure.operand], self._state(failure.operand, batch, at)
            entry = tuple(map(int, np.argwhere(~np.isfinite(state))[0]))
            index = entry[0] if len(entry) == 1 else entry
            raise ValueError(f"{name}: expected finite numbers, got {state[entry]} at index {index}{where}")
        if failure.status == BAD_CONFIGURATION:
            name, joint = self.names[failure.operand], self.model.joint_of_body(failure.detail)
            raise_quaternion(name, joint, self._state(failure.operand, batch, at), self.model, where)
        raise_singular(self.model, failure.detail - 1, where)


def _motion(value: object) -> BaseMotion:
    from ..model.base_motion import BaseMotion

    if not isinstance(value, BaseMotion):
        raise TypeError(f"base: expected a BaseMotion, got {type(value).__name__}")
    return value


def check_configuration(name: str, q: np.ndarray, model: Model) -> None:
    """Raise the error of the first state in q (..., nq) that is not finite, or has a quaternion of another length."""
    if not np.isfinite(q).all():
        *at, index = map(int, np.argwhere(~np.isfinite(q))[0])
        where = f" in state {tuple(at)}" if at else ""
        raise ValueError(f"{name}: expected finite numbers, got {q[(*at, index)]} at index {index}{where}")
    quaternions = q[..., model.quaternion_indices[:, None] + np.arange(4)]
    off = abs((quaternions * quaternions).sum(-1) - 1.0) > TOLERANCE
    if off.any():
        *at, which = map(int, np.argwhere(off)[0])
        k = model.quaternion_indices[which]
        joint = next(x.name for x in model.joints if _holds(model, x.name, k))
        raise_quaternion(name, joint, q[tuple(at)], model, f" in state {tuple(at)}" if at else "")


def _holds(model: Model, joint: str, k: int) -> bool:
    """Whether coordinate k belongs to a joint."""
    if model.leaders[model.joint_names.index(joint)] is not None:
        return False
    where = model.q_index(joint)
    return isinstance(where, slice) and where.start <= k < where.stop


def raise_quaternion(name: str, joint: str, q: np.ndarray, model: Model, where: str) -> None:
    """Raise the error of a joint's quaternion in a state."""
    end = model.q_index(joint).stop
    raise ValueError(
        f"{name}: expected a quaternion (x, y, z, w) of unit length for joint {joint!r}, got"
        f" length {math.hypot(*q[end - 4 : end]):.9g}{where}; divide it by its norm"
    )


def raise_singular(model: Model, dof: int, where: str) -> None:
    """Raise the error of a degree of freedom without inertia."""
    joint = model.joint_of_dof(dof)
    raise SingularMassMatrixError(
        f"the mass matrix is singular{where}: joint {joint!r} moves nothing that has inertia about or along it (or"
        " something whose inertia is negative); give the links behind it mass and inertia, give the joint an armature,"
        " or make it fixed",
        joint,
    )
