"""Equations of motion from kinetic and potential energy, derived by SymPy and evaluated at 40 digits.

Nothing of the package is in them: poses are products of rotations and shifts of each joint's own coordinate.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import sympy

DIGITS = 40


def exact(x: Any) -> sympy.Matrix:
    """An array of floats as the rational numbers that they are."""
    return sympy.Matrix(np.asarray(x, dtype=object)).applyfunc(lambda entry: sympy.Rational(entry))


def cross(w: Any) -> sympy.Matrix:
    """The matrix of w x."""
    x, y, z = w
    return sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def pose(R: Any, p: Any) -> sympy.Matrix:
    """A matrix (4, 4)."""
    return sympy.Matrix(R).row_join(sympy.Matrix(p)).col_join(sympy.Matrix([[0, 0, 0, 1]]))


def shift(p: Any) -> sympy.Matrix:
    """A pose without a turn."""
    return pose(sympy.eye(3), p)


def turn(axis: Any, angle: Any) -> sympy.Matrix:
    """A pose that is a turn about a unit axis, by Rodrigues' formula."""
    K = cross(axis)
    return pose(sympy.eye(3) + sympy.sin(angle) * K + (1 - sympy.cos(angle)) * K * K, [0, 0, 0])


class Body:
    """A rigid body by its pose, with mass, centre of mass and inertia about it, in its own axes."""

    def __init__(self, pose: sympy.Matrix, mass: Any, com: Any, inertia: Any) -> None:
        self.R, self.centre = pose[:3, :3], (pose * sympy.Matrix([*exact(com), 1]))[:3, :]
        self.mass, self.inertia = sympy.Rational(mass), exact(inertia)

    def angular_velocity(self, q: Any, qd: Any) -> sympy.Matrix:
        """In the body's own axes."""
        W = self.R.T * rate(self.R, q, qd)
        return sympy.Matrix([W[2, 1], W[0, 2], W[1, 0]])

    def kinetic_energy(self, q: Any, qd: Any) -> Any:
        """Of the centre's motion and of the turn about it."""
        v, w = rate(self.centre, q, qd), self.angular_velocity(q, qd)
        return (self.mass * v.dot(v) + w.dot(self.inertia * w)) / 2

    def potential_energy(self, gravity: Any) -> Any:
        """The weight times the height: -m g . c."""
        return -self.mass * exact(gravity).dot(self.centre)


def rate(x: sympy.Matrix, q: Any, qd: Any) -> sympy.Matrix:
    """The time derivative of a matrix of functions of q."""
    return sum((x.diff(a) * b for a, b in zip(q, qd)), sympy.zeros(*x.shape))


class Motion:
    """d/dt dL/dqd - dL/dq = tau for energies T(q, qd) and V(q)."""

    def __init__(self, q: Sequence[Any], qd: Sequence[Any], T: Any, V: Any) -> None:
        n, qdd = len(q), sympy.symbols(f"qdd:{len(q)}")
        momentum = [T.diff(x) for x in qd]
        H = sympy.Matrix(n, n, lambda i, j: momentum[i].diff(qd[j]))
        bias = [sum(momentum[i].diff(q[j]) * qd[j] for j in range(n)) - T.diff(q[i]) + V.diff(q[i]) for i in range(n)]
        torque = [sum(H[i, j] * qdd[j] for j in range(n)) + bias[i] for i in range(n)]
        evaluate = functools.partial(sympy.lambdify, modules="mpmath", cse=True)
        self._torque = evaluate([q, qd, qdd], torque)
        self._mass_matrix = evaluate([q], H.tolist())

    def torque(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """(..., n) torques of states (..., n)."""
        return _each(self._torque, q, qd, qdd)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """(..., n, n)."""
        return _each(self._mass_matrix, q)


def _each(function: Any, *arrays: np.ndarray) -> np.ndarray:
    with mpmath.workdps(DIGITS):
        rows = [function(*([mpmath.mpf(float(x)) for x in row] for row in state)) for state in zip(*arrays)]
        return np.array(rows, dtype=object).astype(np.float64)
