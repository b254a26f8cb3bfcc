"""How one state gets from a public function's arguments into a kernel, as the gate must know it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..engine.function import Argument, Way, gated
from ..engine.kernel import CONFIGURATION, UNCHECKED, Kernel
from ..model.model import Model

F = TypeVar("F", bound=Callable[..., Any])
NQ, NV, NB = "nq_free", "nv_free", "links"  # a result's sizes, as the tree names them


def configuration(name: str) -> Argument:
    """A configuration (nq,)."""
    return Argument(name, (NQ,), CONFIGURATION)


def rate(name: str) -> Argument:
    """A vector (nv,)."""
    return Argument(name, (NV,))


def matrix(name: str) -> Argument:
    """A matrix (nv, nv)."""
    return Argument(name, (NV, NV))


Q, QD, QDD, TAU = configuration("q"), rate("qd"), rate("qdd"), rate("tau")
POINT = Argument("point", (3,))
F_EXT = Argument("f_ext", (NB, 6))
FRAME = Argument("frame", (4, 4), UNCHECKED)  # the frame's pose on its body, found by the frame's name
AT_REST = Argument(None, (NV,), UNCHECKED, field="zeros")
NO_FORCES = AT_HOME = ABSENT = Argument(None, check=UNCHECKED)  # nothing there


def way(
    *kernels: Kernel, inputs: tuple[Argument, ...], result: tuple[str | int, ...], **options: Any
) -> Callable[[F], F]:
    """Give the public function below a fast way into its kernels, see `Way` for the options."""
    return gated(Way(Model, kernels, inputs, result, **options))
