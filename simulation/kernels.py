"""All kernels of the package, for what prepares them beforehand."""

from __future__ import annotations

from ..algorithms import (
    aba_derivatives,
    center_of_mass,
    cholesky,
    christoffel,
    composite_inertia,
    configuration,
    configuration_derivatives,
    coriolis,
    crba,
    energy,
    energy_regressors,
    forward,
    frame_motion,
    generalized_momentum,
    gravity_jacobian,
    hybrid,
    jacobian,
    jacobian_rate,
    kernels,
    kinematic_hessian,
    kinematics,
    momentum,
    momentum_matrix,
    regressors,
    rnea,
    rnea_derivatives,
    rnea_second_derivatives,
)
from ..engine.kernel import Kernel
from . import backward, stage_derivatives, step_derivatives, stepping

# kernels are made when these are imported
WHERE = (
    aba_derivatives,
    backward,
    center_of_mass,
    cholesky,
    christoffel,
    composite_inertia,
    configuration,
    configuration_derivatives,
    coriolis,
    crba,
    energy,
    energy_regressors,
    forward,
    frame_motion,
    generalized_momentum,
    gravity_jacobian,
    hybrid,
    jacobian,
    jacobian_rate,
    kinematic_hessian,
    kinematics,
    momentum,
    momentum_matrix,
    regressors,
    rnea,
    rnea_derivatives,
    rnea_second_derivatives,
    stage_derivatives,
    step_derivatives,
    stepping,
)


def all_kernels() -> list[Kernel]:
    """Every kernel, also those of algorithms that have not been used yet."""
    return list(kernels.KERNELS)
