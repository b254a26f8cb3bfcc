"""Rigid-body dynamics in readable Python, compiled, batched and proven against Pinocchio."""

from .model.builder import ModelBuilder
from .model.errors import ModelError, ModelWarning

__all__ = ["ModelBuilder", "ModelError", "ModelWarning"]
__version__ = "0.1.0"
