"""All kernels of the package, for what prepares them beforehand."""

from __future__ import annotations

from ..algorithms import cholesky, configuration, crba, energy, forward, kernels, kinematics, rnea
from ..engine.kernel import Kernel
from . import stepping

WHERE = (cholesky, configuration, crba, energy, forward, kinematics, rnea, stepping)  # kernels are made when imported


def all_kernels() -> list[Kernel]:
    """Every kernel, also those of algorithms that have not been used yet."""
    return list(kernels.KERNELS)
