"""Motions and forces: their operators, and the mistakes that their types prevent."""

from __future__ import annotations

import numpy as np
import pytest

from featherstone.spatial.rigid_inertia import Inertia
from featherstone.spatial.spatial_vectors import Force, Motion
from featherstone.spatial.transform import Transform

M = Motion([1, 2, 3], [4, 5, 6])
F = Force([1, -1, 2], [0, 3, 1])


def test_angular_part_comes_first():
    np.testing.assert_array_equal(np.asarray(M), [1, 2, 3, 4, 5, 6])
    assert Motion.from_array([1, 2, 3, 4, 5, 6]) == M
    np.testing.assert_array_equal(M.angular, [1, 2, 3])
    np.testing.assert_array_equal(M.linear, [4, 5, 6])
    np.testing.assert_array_equal(F.moment, [1, -1, 2])
    np.testing.assert_array_equal(F.force, [0, 3, 1])


@pytest.mark.parametrize("a", [M, F])
def test_vector_space_operators(a):
    x = np.asarray(a)
    for result, expected in (
        (a + a, 2 * x),
        (a - 3 * a, -2 * x),
        (-a, -x),
        (a * 2, 2 * x),
        (2 * a, 2 * x),
        (np.float64(2) * a, 2 * x),
        (a / 3, x / 3),
        (a - a, 0 * x),
    ):
        assert type(result) is type(a)
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_power_is_the_sum_of_both_halves():
    assert M.dot(F) == F.dot(M) == 1 - 2 + 6 + 0 + 15 + 6


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (lambda: M + F, r"\+: not defined for Motion and Force; hint: motions and forces are different spaces"),
        (lambda: F + M, r"\+: not defined for Force and Motion"),
        (lambda: M - F, "-: not defined for Motion and Force"),
        (
            lambda: M + np.zeros(6),
            r"\+: not defined for Motion and ndarray; hint: make one from an array by from_array",
        ),
        (lambda: np.zeros(6) + M, r"\+: not defined for ndarray and Motion; hint: make one from an array"),
        (lambda: M + 1, r"\+: not defined for Motion and int"),
        (lambda: sum([M, M]), r"\+: not defined for int and Motion; .*start=Motion.zero\(\)"),
        (lambda: M * F, r"\*: not defined for Motion and Force; hint: power is dot"),
        (lambda: M / F, "/: not defined for Motion and Force"),
        (lambda: 1 / M, "unsupported operand"),
        (lambda: M * "2", "factor: expected real numbers"),
        (
            lambda: M.dot(M),
            "dot: not defined for Motion and Motion; hint: power is the product of a Motion and a Force",
        ),
        (lambda: F.dot(F), "dot: not defined for Force and Force"),
        (lambda: F.dot(np.zeros(6)), "dot: not defined for Force and ndarray"),
        (lambda: M.cross(np.zeros(6)), "cross: not defined for Motion and ndarray; hint: make one from an array"),
        (lambda: M @ F, "unsupported operand"),
        (lambda: np.eye(6) @ M, "unsupported operand"),
        (lambda: np.sin(M), "does not support ufuncs"),
        (lambda: Motion.from_array(F), "array: expected an array, got Force"),
        (lambda: Force.from_array(M), "array: expected an array, got Motion"),
        (
            lambda: Inertia.zero() @ F,
            "@: not defined for Inertia and Force; hint: an inertia takes a Motion to a Force",
        ),
        (lambda: Inertia.zero() @ np.zeros(6), "@: not defined for Inertia and ndarray"),
        (lambda: Inertia.zero() + 1, r"\+: not defined for Inertia and int"),
        (lambda: 1 + Inertia.zero(), r"\+: not defined for int and Inertia"),
        (lambda: Inertia.zero().articulated() + 1, "unsupported operand"),
        (lambda: Inertia.zero().articulated() @ F, "@: not defined for ArticulatedInertia and Force"),
        (lambda: Inertia.zero().articulated().solve(M), "solve: not defined for ArticulatedInertia and Motion"),
        (lambda: Transform.identity() @ np.zeros(3), "@: not defined for Transform and ndarray; hint: points"),
        (lambda: Transform.identity() @ 2.0, "@: not defined for Transform and float"),
        (lambda: Transform.exp(F), "motion: expected a Motion, got Force"),
        (lambda: Transform.from_rotation(np.eye(3)), r"rotation: expected a scipy\.spatial\.transform\.Rotation"),
    ],
)
def test_what_makes_no_sense_is_a_type_error(operation, message):
    with pytest.raises(TypeError, match=message):
        operation()


def test_division_by_zero_is_an_error():
    with pytest.raises(ValueError, match="divisor: expected numbers that are not zero"):
        M / 0.0
    with pytest.raises(ValueError, match="divisor"):
        M / [1.0, 0.0]


def test_cross_product_is_the_rate_of_a_vector_fixed_in_a_moving_frame():
    h = 1e-5
    v = Motion([0.3, -0.2, 0.5], [1, 2, 3])
    ahead, behind = Transform.exp(h * v), Transform.exp(-h * v)
    # a central difference is off by h^2/6 times the third derivative, and by rounding over h
    for x in (M, F):
        rate = (np.asarray(ahead @ x) - np.asarray(behind @ x)) / (2 * h)
        np.testing.assert_allclose(np.asarray(v.cross(x)), rate, rtol=0, atol=h**2 * 100 + 1e-15 * 20 / h)
