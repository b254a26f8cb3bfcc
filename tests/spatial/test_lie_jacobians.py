"""Jacobians of the exponential and the logarithm against power series at 50 digits, from 1e-300 to several turns."""

from __future__ import annotations

import itertools
import math

import casadi
import mpmath as mp
import numpy as np
import pytest

from featherstone.spatial import lie, lie_jacobians

EPS = 2.0**-53
TINY = [0.0, 1e-300, 1e-160, 1e-30, 1e-9, 1e-7, 1e-4]
# at both sides of where a series takes over, and up to a half turn
ORDINARY = [0.01, 0.1, 0.5, 0.999, 1.001, 2.0, 3.0, math.pi - 1e-7, math.pi]
BEYOND = [3.2, 5.0, 6.28, 2.0 * math.pi, 6.3, 12.0]
AXES = [(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (1 / 3, 2 / 3, 2 / 3), (-0.48, 0.6, 0.64), (0.8, 1e-9, -0.6)]
V = (0.7, -1.9, 0.4)


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def motions(angles):
    """Motions that turn so far, with V, and with V along the axis, where the derivative along v is largest."""
    for angle, axis in itertools.product(angles, AXES):
        for v in (V, tuple(2.0 * a for a in axis)):
            yield tuple(angle * a for a in axis), v


def turning(a):
    x, y, z = map(mp.mpf, a)
    return mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def carrying(w, v):
    """The matrix of m x, for motions (angular; linear)."""
    ad = mp.zeros(6)
    ad[:3, :3] = ad[3:, 3:] = turning(w)
    ad[3:, :3] = turning(v)
    return ad


def true_exp_jacobian(w, v):
    """The sum of (-ad)^k/(k + 1)!."""
    ad = -carrying(w, v)
    term, total = mp.eye(6), mp.eye(6)
    for k in range(1, 130):
        term = term * ad / (k + 1)
        total += term
    return total


def worst(found, true):
    """The largest error of nine entries of a block."""
    return max(abs(mp.mpf(x) - true[k // 3, k % 3]) for k, x in enumerate(found))


def size(v):
    return mp.sqrt(sum(mp.mpf(x) ** 2 for x in v))


@pytest.mark.parametrize("angle", TINY + ORDINARY + BEYOND)
def test_jacobian_of_exponential_is_exact_to_rounding(angle):
    for w, v in motions([angle]):
        J, Q = lie_jacobians.exp_jacobian_se3((w, v))
        true = true_exp_jacobian(w, v)
        # the angle's own rounding error, relative 2 EPS, moves the result by its share; the rest is a few roundings
        assert worst(J, true[:3, :3]) <= (4 + 2 * angle) * EPS
        assert worst(Q, true[3:, :3]) <= (8 + 4 * angle) * EPS * size(v)
        assert worst(J, true[3:, 3:]) <= (4 + 2 * angle) * EPS
        assert lie_jacobians.exp_jacobian(w) == J


@pytest.mark.parametrize("angle", TINY + ORDINARY)
def test_jacobian_of_logarithm_is_exact_to_rounding(angle):
    for w, v in motions([angle]):
        J, Q = lie_jacobians.log_jacobian_se3((w, v))
        true = mp.inverse(true_exp_jacobian(w, v))
        assert worst(J, true[:3, :3]) <= (4 + 2 * angle) * EPS
        assert worst(Q, true[3:, :3]) <= (8 + 4 * angle) * EPS * size(v)
        assert lie_jacobians.log_jacobian(w) == J


@pytest.mark.parametrize("angle", [sign * a for sign in (1.0, -1.0) for a in TINY + ORDINARY + [3.2, 5.0, 12.0]])
def test_jacobians_in_a_plane_are_those_of_space(angle):
    m = (angle, 0.7, -1.9)
    true = true_exp_jacobian((0, 0, angle), (m[1], m[2], 0))
    true = mp.matrix([[true[i, j] for j in (2, 3, 4)] for i in (2, 3, 4)])
    assert worst(lie_jacobians.exp_jacobian_se2(m), true) <= (8 + 4 * abs(angle)) * EPS * size(m[1:])
    # the inverse is as large as the turn is near to a full one
    inverse = mp.inverse(true)
    allowed = (8 + 4 * abs(angle)) * EPS * size(m[1:]) * (1 + mp.norm(inverse)) ** 2
    assert worst(lie_jacobians.log_jacobian_se2(m), inverse) <= allowed


@pytest.mark.parametrize("angle", TINY + ORDINARY + BEYOND)
def test_carrying_back_is_the_exponential_of_the_motion_reversed(angle):
    for w, v in motions([angle]):
        J, Q = lie_jacobians.carry_back(*lie.exp_se3((w, v)))
        true = mp.expm(-carrying(w, v))
        assert worst(J, true[:3, :3]) <= (16 + 4 * angle) * EPS
        assert worst(Q, true[3:, :3]) <= (32 + 8 * angle) * EPS * size(v)


@pytest.mark.parametrize("angle", [-5.0, -1e-9, 0.0, 0.3, 2.0])
def test_carrying_back_in_a_plane_is_that_of_space(angle):
    turned, (x, y) = lie.exp_se2((angle, 0.7, -1.9))
    J, Q = lie_jacobians.carry_back(*lie.exp_se3(((0.0, 0.0, angle), (0.7, -1.9, 0.0))))
    whole = np.block([[np.reshape(J, (3, 3)), np.zeros((3, 3))], [np.reshape(Q, (3, 3)), np.reshape(J, (3, 3))]])
    found = np.reshape(lie_jacobians.carry_back_se2(turned, (x, y)), (3, 3))
    np.testing.assert_allclose(found, whole[2:5, 2:5], rtol=0, atol=64 * EPS)


def test_jacobians_are_those_that_casadi_finds():
    """Of the place that exp(m)^-1 exp(m + e) leads to, by e at zero."""
    m, e = casadi.SX.sym("m", 6), casadi.SX.sym("e", 6)

    def motion(x):
        return (x[0], x[1], x[2]), (x[3], x[4], x[5])

    J, Q = lie_jacobians.exp_jacobian_se3(motion(m))
    here, there = lie.exp_se3(motion(m)), lie.exp_se3(motion(m + e))
    back = lie_jacobians.carry_back(*here)[0]
    apart = [a - b for a, b in zip(there[1], here[1])]
    shift = tuple(sum(back[3 * i + j] * apart[j] for j in range(3)) for i in range(3))
    linear = casadi.Function("linear", [m, e], [casadi.jacobian(casadi.vertcat(*shift), e)])
    rows = casadi.Function("rows", [m], [casadi.vertcat(*Q), casadi.vertcat(*J)])
    for w, v in motions([0.1, 1.0, 3.0]):
        found = np.array(linear([*w, *v], np.zeros(6)))
        Q_found, J_found = (np.array(x).reshape(3, 3) for x in rows([*w, *v]))
        np.testing.assert_allclose(found, np.hstack([Q_found, J_found]), rtol=0, atol=1e-13)
