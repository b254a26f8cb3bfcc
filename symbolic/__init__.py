"""The dynamics as symbols: `casadi` makes CasADi functions of them, `sympy` closed forms."""

from __future__ import annotations

from .casadi_function import casadi
from .closed_form import ClosedForm, sympy
from .source import names

__all__ = ["ClosedForm", "casadi", "names", "sympy"]
