"""Second derivatives of inverse dynamics against differences with 50 digits: of first derivatives, and of torques."""

import functools

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import featherstone as fs
from featherstone.algorithms.configuration import INTEGRATE
from featherstone.algorithms.rnea import RNEA
from featherstone.algorithms.rnea_derivatives import RNEA_DERIVATIVES
from featherstone.algorithms.rnea_second_derivatives import SECOND_DERIVATIVES

from ..identities.robots import robot as named
from ..rounding import in_one
from .test_terms_truth import ROBOTS, STATE, Exact, error_of
from .truth import DIGITS, exact_array

FIRST, SECOND = in_one(RNEA_DERIVATIVES), in_one(SECOND_DERIVATIVES)
STEP = mpf(10) ** -12  # of second differences: off by its square, and by 1e-50 over its square
ALONG = 3  # directions of which all pairs are tried


@functools.cache
def at_state(name):
    """The robot with 50 digits; qdd, f_ext and the four arrays of float64, each with its bound in a second array."""
    robot, exact = named(name), Exact(name)
    inputs = [exact.q, exact.qd, robot.qdd[STATE], robot.f_ext[STATE]]
    found = np.stack(fs.rnea_second_derivatives(exact.model, *inputs))
    allowed = error_of(SECOND, exact.model, inputs, found.shape, found)
    return exact, inputs[2:], found, allowed


@pytest.mark.parametrize("name", ROBOTS)
def test_they_are_the_derivatives_of_the_first_derivatives(name):
    robot, (qdd, f_ext), found, allowed = at_state(name)
    n = robot.model.nv
    size, step = (3, n, n), mpf(10) ** -17
    by_q = robot.slopes(FIRST, [robot.qd, qdd, f_ext], size)
    by_qd = []
    with mpmath.workdps(DIGITS):
        fixed = [exact_array(qdd), exact_array(f_ext).ravel()]
        for along in exact_array(np.eye(n)) * step:
            ends = (
                robot.run(FIRST, [exact_array(robot.q), exact_array(robot.qd) + x, *fixed], size)
                for x in (along, -along)
            )
            by_qd.append((next(ends) - next(ends)) / (2 * step))
    by_qd = np.stack(by_qd, -1).astype(float)
    right = np.stack([by_q[0], by_qd[0], by_qd[1], by_q[2].swapaxes(1, 2)])
    assert (np.abs(found - right) <= allowed).all()
    assert (np.abs(by_q[1].swapaxes(1, 2) - by_qd[0]) <= 2 * allowed[1]).all()
    assert np.max(allowed) < 1e-9 * np.abs(right).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_they_are_the_second_differences_of_torques(name):
    """Of directions x and y of (q, qd, qdd): moved first along y, then along x, as the definition has it."""
    robot, (qdd, f_ext), found, allowed = at_state(name)
    n = robot.model.nv
    rng = np.random.default_rng(7)
    directions = rng.normal(size=(2, ALONG, 3, n)) * (rng.random((2, ALONG, 3, n)) < 0.5)
    for x, y in zip(*directions):
        with mpmath.workdps(DIGITS):
            X, Y, rates = exact_array(x), exact_array(y), exact_array([robot.qd, qdd])

            def torque(s, t, X=X, Y=Y, rates=rates):
                q = exact_array(robot.q)
                for along, step in ((Y[0], t), (X[0], s)):
                    q = robot.run(INTEGRATE, [q, along * step], robot.model.nq)
                moved = rates + X[1:] * s + Y[1:] * t
                return robot.run(RNEA, [q, *moved, exact_array(f_ext).ravel()], (n,))

            corners = [s * t * torque(s * STEP, t * STEP) for s in (1, -1) for t in (1, -1)]
            right = (sum(corners) / (4 * STEP * STEP)).astype(float)

        def both(arrays, x, y):
            qq, q_qd, qd_qd, q_qdd = arrays
            return (
                np.einsum("kij,i,j->k", qq, x[0], y[0])
                + np.einsum("kij,i,j->k", qd_qd, x[1], y[1])
                + sum(
                    np.einsum("kij,i,j->k", mixed, a[0], b[m])
                    for mixed, m in ((q_qd, 1), (q_qdd, 2))
                    for a, b in ((x, y), (y, x))
                )
            )

        size = both(np.abs(found), np.abs(x), np.abs(y))
        bound = both(allowed, np.abs(x), np.abs(y)) + 8 * n * n * 2.0**-53 * size
        assert (np.abs(both(found, x, y) - right) <= bound).all()
        assert np.max(bound) < 1e-9 * np.abs(right).max()
