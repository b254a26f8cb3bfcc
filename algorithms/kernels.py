"""Kernels over a robot's tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.kernel import Kernel, no_margin, no_verdict, no_work
from ..model.tree import Tree
from ..model.validity import TOLERANCE, deviation, invalid_joint

KERNELS: list[Kernel] = []  # all there are


def tree_kernel(
    name: str,
    source: Callable[..., None],
    inputs: int,
    work: Callable[[Tree], int] = no_work,
    verdict: Callable[..., int] = no_verdict,
    margin: Callable[..., Any] = no_margin,
    *,
    outputs: int = 1,
    in_place: bool = False,
) -> Kernel:
    """A kernel whose record is a Tree and whose configurations have unit quaternions."""
    kernel = Kernel(
        name, source, inputs, outputs, Tree, invalid_joint, deviation, TOLERANCE, verdict, margin, work, in_place
    )
    KERNELS.append(kernel)
    return kernel
