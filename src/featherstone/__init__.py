"""Rigid-body dynamics in readable Python, compiled, batched and proven against Pinocchio."""

from .algorithms.call import SingularMassMatrixError, unchecked
from .algorithms.rnea import bias_torque, gravity_torque, rnea
from .model.builder import ModelBuilder
from .model.errors import ModelError, ModelWarning
from .model.model import Model

__all__ = ["Model", "ModelBuilder", "ModelError", "ModelWarning", "SingularMassMatrixError", "bias_torque", "gravity_torque", "rnea", "unchecked"]
__version__ = "0.1.0"
