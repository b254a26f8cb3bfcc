"""Rows of what solves the equation of motion: forward dynamics both ways, and the inverse of the mass matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..algorithms.call import SingularMassMatrixError
from ..algorithms.cholesky import mass_matrix_inverse
from ..algorithms.forward import aba, forward_dynamics
from ..model.model import Model
from .reference import Reference
from .rows import SOLVED, Row, States, compared, relative

SINGULAR_FROM = 1e10  # the condition number at which an error that says "singular" is believed
CONSISTENT = 1e-8  # how well the reference's forward dynamics must invert its inverse dynamics to be one


class Expected(NamedTuple):
    """The reference's values, where they are from, and why not from the obvious place."""

    values: np.ndarray
    origin: str
    note: str = ""


class Equation:
    """H qdd = tau - bias in the reference's numbers, with the condition number of each H.

    H is scaled to a unit diagonal before, as rounding of a factorisation is blind to the units of rows. So the number
    says how near H is to singular, not that fingers are lighter than arms.
    """

    def __init__(self, reference: Reference, s: States) -> None:
        self.reference, self.states = reference, s
        self.tau = reference.rnea(s.q, s.qd, s.qdd, s.f_ext)
        self.bias = reference.rnea(s.q, s.qd, np.zeros_like(s.qd), s.f_ext)
        self.H = reference.crba(s.q)
        diagonal = np.einsum("nii->ni", self.H)
        self.massive = bool((diagonal > 0.0).all())
        self.d = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        self.scaled = self.H / self.d[:, :, None] / self.d[:, None, :]
        self.condition = np.full(len(s.q), np.inf)
        if self.massive:
            moments = np.linalg.eigvalsh(self.scaled) if self.H.size else np.ones((len(s.q), 1))
            large = moments[:, -1]
            self.condition = large / np.maximum(moments[:, 0], np.finfo(float).eps * large)

    def inverse(self) -> np.ndarray:
        """H^-1 by NumPy."""
        return np.linalg.inv(self.scaled) / self.d[:, :, None] / self.d[:, None, :]

    def accelerations(self) -> Expected:
        """qdd."""
        s, calls = self.states, self.reference.calls
        note = calls["no aba"]
        if self.reference.solves:
            theirs = self.reference.aba(s.q, s.qd, self.tau, s.f_ext)
            missed = relative(self.reference.rnea(s.q, s.qd, theirs, s.f_ext), self.tau).max(initial=0.0)
            if missed < CONSISTENT:
                return Expected(theirs, calls["aba"])
            note = f"{calls['aba']} does not invert {calls['rnea']}, it misses by {missed:.0e}"
        solved = np.linalg.solve(self.scaled, ((self.tau - self.bias) / self.d)[..., None])[..., 0] / self.d
        origin = f"{calls['crba']} and {calls['rnea'].removeprefix('pinocchio.')}, solved by NumPy"
        return Expected(solved, origin, note)

    def inverses(self) -> Expected:
        """H^-1, by NumPy for every robot: pinocchio.computeMinverse loses five digits where a wrist is very light."""
        return Expected(self.inverse(), f"{self.reference.calls['crba']}, inverted by NumPy")

    def errors_of_accelerations(self, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """Rounding of tau and of the bias alone moves qdd by |H^-1| (|tau| + |bias|): less is no error."""
        rounded = (np.abs(self.inverse()) @ (np.abs(self.tau) + np.abs(self.bias))[..., None])[..., 0]
        scale = np.maximum(np.maximum(1.0, np.abs(theirs)), rounded)
        return np.abs(ours - theirs) / scale / self.condition[:, None]

    def errors_of_inverses(self, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """No entry of a positive definite matrix is above the geometric mean of its two diagonal entries."""
        size = np.sqrt(np.abs(np.einsum("nii->ni", theirs)))
        scale = np.maximum(1.0, size[:, :, None] * size[:, None, :])
        return np.abs(ours - theirs) / scale / self.condition[:, None, None]


def compare_forward_dynamics(model: Model, reference: Reference, s: States) -> list[Row]:
    """aba, forward dynamics by the factor, and the inverse of the mass matrix."""
    x = Equation(reference, s)

    def by_factor() -> np.ndarray:
        return forward_dynamics(model, s.q, s.qd, x.tau, s.f_ext, method="cholesky")

    qdd, inverse = (x.accelerations, x.errors_of_accelerations), (x.inverses, x.errors_of_inverses)
    return [
        _row("aba", x, lambda: aba(model, s.q, s.qd, x.tau, s.f_ext), *qdd),
        _row("forward_dynamics, cholesky", x, by_factor, *qdd),
        _row("mass_matrix_inverse", x, lambda: mass_matrix_inverse(model, s.q), *inverse),
    ]


def _row(
    function: str,
    equation: Equation,
    compute: Callable[[], np.ndarray],
    expect: Callable[[], Expected],
    errors: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> Row:
    condition, of_matrix = float(equation.condition.max()), equation.reference.calls["crba"]
    try:
        ours = compute()
    except SingularMassMatrixError as error:
        note = f"not comparable: the mass matrix is singular, joint {error.joint!r} moves nothing that has inertia"
        if condition < SINGULAR_FROM:
            note = f"refused as singular at joint {error.joint!r}, but the condition number is only {condition:.0e}"
        return Row(function, None, SOLVED, condition >= SINGULAR_FROM, of_matrix, note)
    if not equation.massive:
        note = "a diagonal entry of the mass matrix is not positive, and no error says that it is singular"
        return Row(function, float("inf"), SOLVED, False, of_matrix, note)
    expected = expect()
    return compared(function, errors(ours, expected.values), SOLVED, expected.origin, expected.note)
