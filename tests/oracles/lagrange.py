"""Equations of motion from kinetic and potential energy, derived by SymPy and evaluated at 40 digits.

Nothing of the package is in them: poses are products of turns and shifts of each joint's own coordinate. All is a
polynomial in coordinates, their sines and cosines, and rates, with rational coefficients: so it is exact, and quick.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np
from sympy import QQ, ring

DIGITS = 40


class Angle(NamedTuple):
    """A coordinate with its sine, cosine and rate."""

    q: Any
    sin: Any
    cos: Any
    rate: Any


def exact(x: Any) -> np.ndarray:
    """An array of floats or fractions as the rational numbers that they are."""
    numbers = np.asarray(x, object)
    found = np.empty(numbers.shape, object)
    for place, entry in np.ndenumerate(numbers):
        fraction = Fraction(entry)
        found[place] = QQ(fraction.numerator, fraction.denominator)
    return found


def cross(w: Any) -> np.ndarray:
    """The matrix of w x."""
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], object)


def pose(R: Any, p: Any) -> np.ndarray:
    """A matrix (4, 4)."""
    T = np.eye(4, dtype=int).astype(object)
    T[:3, :3], T[:3, 3] = R, p
    return T


def shift(along: Any, by: Any = 1) -> np.ndarray:
    """A pose without a turn."""
    return pose(np.eye(3, dtype=int), exact(along) * by)


def turn(axis: Any, angle: Angle) -> np.ndarray:
    """A pose that is a turn about a unit axis, by Rodrigues' formula."""
    K = cross(exact(axis))
    return pose(np.eye(3, dtype=int) + K * angle.sin + (K @ K) * (1 - angle.cos), 0)


class Motion:
    """d/dt dL/dqd - dL/dq = tau of bodies that are placed by n coordinates.

    `place` makes bodies, `more` what else there is of kinetic energy less potential energy.
    """

    def __init__(self, n: int, place: Callable[..., Sequence[Body]], gravity: Any, more: Any = None) -> None:
        names = [f"{letter}{k}" for letter in ("c", "s", "q", "qd") for k in range(n)]
        domain, *made = ring(names, QQ)
        c, s, q, self.qd = (made[k * n : (k + 1) * n] for k in range(4))
        self.angles = [Angle(*x) for x in zip(q, s, c, self.qd)]
        self.circles = [x.cos**2 + x.sin**2 - 1 for x in self.angles]
        bodies = place(*self.angles)
        T = sum((body.kinetic_energy(self) for body in bodies), domain(0))
        V = sum((body.potential_energy(exact(gravity)) for body in bodies), domain(0))
        if more is not None:
            spin, spring = more(self, bodies)
            T, V = T + spin, V + spring
        T, V = self.short(T), self.short(V)
        momentum = [T.diff(x) for x in self.qd]
        self.H = [[self.short(p.diff(x)) for x in self.qd] for p in momentum]
        self.bias = [
            self.short(self.rate(p) - self.slope(T, x) + self.slope(V, x)) for p, x in zip(momentum, self.angles)
        ]

    def short(self, x: Any) -> Any:
        """The same with no cosine but to the first power."""
        return x.rem(self.circles) if x else x

    def slope(self, x: Any, over: Angle) -> Any:
        """The partial derivative over a coordinate."""
        return x.diff(over.q) + over.cos * x.diff(over.sin) - over.sin * x.diff(over.cos)

    def rate(self, x: Any) -> Any:
        """The time derivative of a function of q, if qd were constant."""
        return sum(self.slope(x, angle) * angle.rate for angle in self.angles)

    def rates(self, x: np.ndarray) -> np.ndarray:
        """The same of an array of functions, some of which may be numbers."""
        found = [self.rate(entry) if hasattr(entry, "diff") else 0 for entry in x.ravel()]
        return np.array(found, object).reshape(x.shape)

    def torque(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """(count, n) torques of states (count, n)."""
        with mpmath.workdps(DIGITS):
            rows = []
            for state, acceleration in zip(zip(q, qd), qdd):
                H, bias = _values(self.H, *state), _values(self.bias, *state)
                rows.append(H @ [mpmath.mpf(float(x)) for x in acceleration] + bias)
            return np.array(rows, object).astype(np.float64)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """(count, n, n)."""
        with mpmath.workdps(DIGITS):
            return np.array([_values(self.H, x, 0.0 * x) for x in q], object).astype(np.float64)


class Body:
    """A rigid body by its pose, with mass, centre of mass and inertia about it, in its own axes."""

    def __init__(self, pose: np.ndarray, mass: Any, com: Any, inertia: Any) -> None:
        self.R, self.centre = pose[:3, :3], (pose @ [*exact(com), 1])[:3]
        self.mass, self.inertia = exact(mass)[()], exact(inertia)

    def angular_velocity(self, motion: Motion) -> np.ndarray:
        """In the body's own axes."""
        W = self.R.T @ motion.rates(self.R)
        return np.array([W[2, 1], W[0, 2], W[1, 0]])

    def kinetic_energy(self, motion: Motion) -> Any:
        """Of the centre's motion and of the turn about it."""
        v, w = motion.rates(self.centre), self.angular_velocity(motion)
        return (v @ v * self.mass + w @ self.inertia @ w) * QQ(1, 2)

    def potential_energy(self, gravity: np.ndarray) -> Any:
        """The weight times the height: -m g . c."""
        return -(self.centre @ gravity) * self.mass


def _values(polynomials: Any, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    x, v = ([mpmath.mpf(float(entry)) for entry in array] for array in (q, qd))
    at = [*map(mpmath.cos, x), *map(mpmath.sin, x), *x, *v]
    given = np.array(polynomials, object)
    return np.array([_value(p, at) for p in given.ravel()], object).reshape(given.shape)


def _value(polynomial: Any, at: list[Any]) -> Any:
    total = mpmath.mpf(0)
    for powers, factor in polynomial.terms():
        term = mpmath.mpf(factor.numerator) / factor.denominator
        for base, power in zip(at, powers):
            if power:
                term *= base**power
        total += term
    return total
