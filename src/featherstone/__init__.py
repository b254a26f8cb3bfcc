"""Rigid-body dynamics in readable Python, compiled, batched and proven against Pinocchio."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .algorithms.call import SingularMassMatrixError, unchecked
from .engine.threads import get_num_threads, set_num_threads
from .model.errors import ModelError, ModelWarning, UnknownNameError
from .model.model import Model

if TYPE_CHECKING:
    from . import compat, symbolic
    from .algorithms.aba_derivatives import aba_derivatives
    from .algorithms.center_of_mass import (
        center_of_mass,
        center_of_mass_acceleration,
        center_of_mass_jacobian,
        center_of_mass_velocity,
    )
    from .algorithms.cholesky import Cholesky, cholesky, mass_matrix_inverse
    from .algorithms.christoffel import christoffel_symbols
    from .algorithms.composite_inertia import composite_inertia
    from .algorithms.configuration import difference, integrate
    from .algorithms.configuration_derivatives import difference_derivatives, integrate_derivatives
    from .algorithms.coriolis import coriolis_matrix, mass_matrix_rate
    from .algorithms.crba import crba
    from .algorithms.energy import kinetic_energy, potential_energy
    from .algorithms.energy_regressors import kinetic_energy_regressor, potential_energy_regressor
    from .algorithms.forward import aba, forward_dynamics
    from .algorithms.frame_motion import frame_acceleration, frame_velocity
    from .algorithms.generalized_momentum import generalized_momentum, generalized_momentum_rate
    from .algorithms.gravity_jacobian import gravity_jacobian
    from .algorithms.hybrid import hybrid_dynamics
    from .algorithms.jacobian import frame_jacobian, relative_jacobian
    from .algorithms.jacobian_rate import frame_jacobian_rate
    from .algorithms.kinematic_hessian import kinematic_hessian
    from .algorithms.kinematics import forward_kinematics, frame_pose
    from .algorithms.momentum import centroidal_momentum, centroidal_momentum_rate, momentum_about
    from .algorithms.momentum_matrix import centroidal_momentum_matrix, centroidal_momentum_matrix_rate
    from .algorithms.regressors import momentum_regressor, torque_regressor
    from .algorithms.rnea import bias_torque, gravity_torque, rnea
    from .algorithms.rnea_derivatives import rnea_derivatives
    from .algorithms.rnea_second_derivatives import SecondDerivatives, rnea_second_derivatives
    from .algorithms.wrench import external_wrench
    from .identification.base_parameters import BaseParameters, base_parameters
    from .identification.excitation import ExcitingTrajectory, exciting_trajectory
    from .identification.identification import Identification
    from .identification.identify import identify
    from .identification.measurement import Measurement, filtered_motion
    from .model.base_motion import BaseMotion
    from .model.builder import ModelBuilder
    from .model.description import Joint, Link, Mimic, Rotor
    from .model.elastic import Elastic, elastic
    from .parsers import models
    from .parsers.dh import from_dh
    from .parsers.errors import ParseError
    from .parsers.mjcf import load_mjcf
    from .parsers.sdf import load_sdf, read_sdf
    from .parsers.urdf import load_urdf, read_urdf
    from .parsers.urdf_object import from_urdf_object
    from .parsers.xacro import load_xacro
    from .proof.check import Report, check
    from .proof.compare import Comparison, compare
    from .proof.repair import Repair, repair
    from .simulation.observer import MomentumObserver, direct_residual, momentum_residual
    from .simulation.rollout import SimulationError
    from .simulation.rollout_gradient import RolloutGradient, rollout_gradient
    from .simulation.simulate import simulate
    from .simulation.step_derivatives import LinearStep, step_derivatives
    from .simulation.stops import Stops
    from .simulation.trajectory import Trajectory
    from .spatial.articulated_inertia import ArticulatedInertia
    from .spatial.rigid_inertia import Inertia
    from .spatial.spatial_vectors import Force, Motion
    from .spatial.transform import Transform

_FIRST_USED = {  # imported when first asked for, so that a start is quick
    "ArticulatedInertia": "spatial.articulated_inertia",
    "BaseMotion": "model.base_motion",
    "BaseParameters": "identification.base_parameters",
    "Cholesky": "algorithms.cholesky",
    "Comparison": "proof.compare",
    "Elastic": "model.elastic",
    "ExcitingTrajectory": "identification.excitation",
    "Force": "spatial.spatial_vectors",
    "Identification": "identification.identification",
    "Inertia": "spatial.rigid_inertia",
    "Joint": "model.description",
    "LinearStep": "simulation.step_derivatives",
    "Link": "model.description",
    "Measurement": "identification.measurement",
    "Mimic": "model.description",
    "ModelBuilder": "model.builder",
    "MomentumObserver": "simulation.observer",
    "Motion": "spatial.spatial_vectors",
    "ParseError": "parsers.errors",
    "Repair": "proof.repair",
    "Report": "proof.check",
    "RolloutGradient": "simulation.rollout_gradient",
    "Rotor": "model.description",
    "SecondDerivatives": "algorithms.rnea_second_derivatives",
    "SimulationError": "simulation.rollout",
    "Stops": "simulation.stops",
    "Trajectory": "simulation.trajectory",
    "Transform": "spatial.transform",
    "aba": "algorithms.forward",
    "aba_derivatives": "algorithms.aba_derivatives",
    "base_parameters": "identification.base_parameters",
    "bias_torque": "algorithms.rnea",
    "center_of_mass": "algorithms.center_of_mass",
    "center_of_mass_acceleration": "algorithms.center_of_mass",
    "center_of_mass_jacobian": "algorithms.center_of_mass",
    "center_of_mass_velocity": "algorithms.center_of_mass",
    "centroidal_momentum": "algorithms.momentum",
    "centroidal_momentum_matrix": "algorithms.momentum_matrix",
    "centroidal_momentum_matrix_rate": "algorithms.momentum_matrix",
    "centroidal_momentum_rate": "algorithms.momentum",
    "check": "proof.check",
    "cholesky": "algorithms.cholesky",
    "christoffel_symbols": "algorithms.christoffel",
    "compare": "proof.compare",
    "compat": "compat",
    "composite_inertia": "algorithms.composite_inertia",
    "coriolis_matrix": "algorithms.coriolis",
    "crba": "algorithms.crba",
    "difference": "algorithms.configuration",
    "difference_derivatives": "algorithms.configuration_derivatives",
    "direct_residual": "simulation.observer",
    "elastic": "model.elastic",
    "exciting_trajectory": "identification.excitation",
    "external_wrench": "algorithms.wrench",
    "filtered_motion": "identification.measurement",
    "forward_dynamics": "algorithms.forward",
    "forward_kinematics": "algorithms.kinematics",
    "frame_acceleration": "algorithms.frame_motion",
    "frame_jacobian": "algorithms.jacobian",
    "frame_jacobian_rate": "algorithms.jacobian_rate",
    "frame_pose": "algorithms.kinematics",
    "frame_velocity": "algorithms.frame_motion",
    "from_dh": "parsers.dh",
    "from_urdf_object": "parsers.urdf_object",
    "generalized_momentum": "algorithms.generalized_momentum",
    "generalized_momentum_rate": "algorithms.generalized_momentum",
    "gravity_jacobian": "algorithms.gravity_jacobian",
    "gravity_torque": "algorithms.rnea",
    "hybrid_dynamics": "algorithms.hybrid",
    "identify": "identification.identify",
    "integrate": "algorithms.configuration",
    "integrate_derivatives": "algorithms.configuration_derivatives",
    "kinematic_hessian": "algorithms.kinematic_hessian",
    "kinetic_energy": "algorithms.energy",
    "kinetic_energy_regressor": "algorithms.energy_regressors",
    "load_mjcf": "parsers.mjcf",
    "load_sdf": "parsers.sdf",
    "load_urdf": "parsers.urdf",
    "load_xacro": "parsers.xacro",
    "mass_matrix_inverse": "algorithms.cholesky",
    "mass_matrix_rate": "algorithms.coriolis",
    "models": "parsers.models",
    "momentum_about": "algorithms.momentum",
    "momentum_regressor": "algorithms.regressors",
    "momentum_residual": "simulation.observer",
    "potential_energy": "algorithms.energy",
    "potential_energy_regressor": "algorithms.energy_regressors",
    "read_sdf": "parsers.sdf",
    "read_urdf": "parsers.urdf",
    "relative_jacobian": "algorithms.jacobian",
    "repair": "proof.repair",
    "rnea": "algorithms.rnea",
    "rnea_derivatives": "algorithms.rnea_derivatives",
    "rnea_second_derivatives": "algorithms.rnea_second_derivatives",
    "rollout_gradient": "simulation.rollout_gradient",
    "simulate": "simulation.simulate",
    "step_derivatives": "simulation.step_derivatives",
    "symbolic": "symbolic",
    "torque_regressor": "algorithms.regressors",
}

__all__ = [
    "ArticulatedInertia",
    "BaseMotion",
    "BaseParameters",
    "Cholesky",
    "Comparison",
    "Elastic",
    "ExcitingTrajectory",
    "Force",
    "Identification",
    "Inertia",
    "Joint",
    "LinearStep",
    "Link",
    "Measurement",
    "Mimic",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelWarning",
    "MomentumObserver",
    "Motion",
    "ParseError",
    "Repair",
    "Report",
    "RolloutGradient",
    "Rotor",
    "SecondDerivatives",
    "SimulationError",
    "SingularMassMatrixError",
    "Stops",
    "Trajectory",
    "Transform",
    "UnknownNameError",
    "aba",
    "aba_derivatives",
    "base_parameters",
    "bias_torque",
    "center_of_mass",
    "center_of_mass_acceleration",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_rate",
    "centroidal_momentum_rate",
    "check",
    "cholesky",
    "christoffel_symbols",
    "compare",
    "compat",
    "composite_inertia",
    "coriolis_matrix",
    "crba",
    "difference",
    "difference_derivatives",
    "direct_residual",
    "elastic",
    "exciting_trajectory",
    "external_wrench",
    "filtered_motion",
    "forward_dynamics",
    "forward_kinematics",
    "frame_acceleration",
    "frame_jacobian",
    "frame_jacobian_rate",
    "frame_pose",
    "frame_velocity",
    "from_dh",
    "from_urdf_object",
    "generalized_momentum",
    "generalized_momentum_rate",
    "get_num_threads",
    "gravity_jacobian",
    "gravity_torque",
    "hybrid_dynamics",
    "identify",
    "integrate",
    "integrate_derivatives",
    "kinematic_hessian",
    "kinetic_energy",
    "kinetic_energy_regressor",
    "load_mjcf",
    "load_sdf",
    "load_urdf",
    "load_xacro",
    "mass_matrix_inverse",
    "mass_matrix_rate",
    "models",
    "momentum_about",
    "momentum_regressor",
    "momentum_residual",
    "potential_energy",
    "potential_energy_regressor",
    "read_sdf",
    "read_urdf",
    "relative_jacobian",
    "repair",
    "rnea",
    "rnea_derivatives",
    "rnea_second_derivatives",
    "rollout_gradient",
    "set_num_threads",
    "simulate",
    "step_derivatives",
    "symbolic",
    "torque_regressor",
    "unchecked",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _FIRST_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_FIRST_USED[name]}", __name__)
    found = globals()[name] = module if name in ("compat", "models", "symbolic") else getattr(module, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_FIRST_USED})
