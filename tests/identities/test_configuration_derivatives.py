"""Derivatives of integrate and difference, in tangent coordinates."""

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import random_tree
from ..rounding import U
from ..slopes import slope
from .test_configuration import ROUNDINGS, displacements


def both(robot):
    """Displacements of less than half a turn, where they lead to, and all four derivatives."""
    model, q, dq = robot.model, robot.q, displacements(robot)
    there = fs.integrate(model, q, dq)
    return dq, there, fs.integrate_derivatives(model, q, dq), fs.difference_derivatives(model, q, there)


def rounding(robot, dq):
    """What the entries of a derivative may be off by."""
    return ROUNDINGS * U * (1.0 + np.abs(dq).sum(-1))[:, None, None]


def directions(model):
    """A direction for each degree of freedom."""
    return enumerate(np.eye(model.nv))


def test_derivatives_of_integrate_are_its_slopes(robot):
    model, q = robot.model, robot.q
    dq, there, (by_q, by_dq), _ = both(robot)
    for k, e in directions(model):
        for column, path in (
            (by_q[..., k], lambda h, e=e: fs.integrate(model, fs.integrate(model, q, h * e), dq)),
            (by_dq[..., k], lambda h, e=e: fs.integrate(model, q, dq + h * e)),
        ):
            found, allowed = slope(
                lambda h, path=path: fs.difference(model, there, path(h)), ROUNDINGS * U * (1.0 + np.abs(q).max())
            )
            assert np.abs(found - column).max() <= allowed
            assert allowed < 1e-8


def test_derivatives_of_difference_are_its_slopes(robot):
    model, q = robot.model, robot.q
    _, there, _, (by_q0, by_q1) = both(robot)
    for k, e in directions(model):
        for column, path in (
            (by_q0[..., k], lambda h, e=e: fs.difference(model, fs.integrate(model, q, h * e), there)),
            (by_q1[..., k], lambda h, e=e: fs.difference(model, q, fs.integrate(model, there, h * e))),
        ):
            found, allowed = slope(path, ROUNDINGS * U * (1.0 + np.abs(q).max() + np.abs(there).max()))
            assert np.abs(found - column).max() <= allowed
            assert allowed < 1e-8


def test_difference_undoes_integrate_in_derivatives_too(robot):
    """dq = (q (+) dq) (-) q for all q and dq."""
    dq, _, (by_q, by_dq), (by_q0, by_q1) = both(robot)
    one = np.eye(robot.model.nv)
    # inverses are less than four times as large as what they undo, by less than half a turn and a few metres
    allowed = 16.0 * rounding(robot, dq) * (1.0 + np.abs(dq).sum(-1))[:, None, None]
    assert (np.abs(by_q1 @ by_dq - one) <= allowed).all()
    assert (np.abs(by_q0 + by_q1 @ by_q) <= allowed).all()


def test_derivatives_of_no_displacement_are_the_identity(robot):
    model, q = robot.model, robot.q
    one = np.broadcast_to(np.eye(model.nv), (len(q), model.nv, model.nv))
    for found in fs.integrate_derivatives(model, q, np.zeros(model.nv)):
        np.testing.assert_array_equal(found, one)
    by_q0, by_q1 = fs.difference_derivatives(model, q, q)
    # a quaternion times its own conjugate is exactly one but for rounding
    np.testing.assert_allclose(by_q0, -one, rtol=0, atol=16 * U * (1.0 + np.abs(q).max()))
    np.testing.assert_allclose(by_q1, one, rtol=0, atol=16 * U * (1.0 + np.abs(q).max()))


def test_derivatives_of_tiny_displacements_are_those_of_the_first_order():
    """1 + ad/2 and so on, where closed forms would be 0/0."""
    model = random_tree(0, 1, ("floating",))
    q = model.neutral()
    dq = 1e-12 * np.array([0.3, -0.2, 0.5, 0.7, -1.1, 0.4])
    w, v = dq[:3], dq[3:]

    def turning(a):
        return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])

    ad = np.block([[turning(w), np.zeros((3, 3))], [turning(v), turning(w)]])
    by_q, by_dq = fs.integrate_derivatives(model, q, dq)
    np.testing.assert_allclose(by_q, np.eye(6) - ad, rtol=0, atol=4e-24)
    np.testing.assert_allclose(by_dq, np.eye(6) - ad / 2.0, rtol=0, atol=4e-24)
    off = ~np.eye(6, dtype=bool)
    assert np.abs(by_dq[off]).max() > 1e-13


@pytest.mark.parametrize("function", [fs.integrate_derivatives, fs.difference_derivatives])
class TestOut:
    """Two arrays for the results."""

    def given(self, function):
        model = random_tree(1, 5)
        q = model.random_configuration(0, 6)
        second = np.ones((6, model.nv)) if function is fs.integrate_derivatives else model.random_configuration(1, 6)
        return model, q, second

    def test_both_are_filled(self, function):
        model, q, second = self.given(function)
        out = tuple(np.full((6, model.nv, model.nv), np.nan) for _ in range(2))
        found = function(model, q, second, out=out)
        assert all(x is y for x, y in zip(found, out))
        for x, y in zip(function(model, q, second), out):
            np.testing.assert_array_equal(x, y)

    def test_one_state_gives_what_a_batch_gives(self, function):
        model, q, second = self.given(function)
        for x, y in zip(function(model, q, second), function(model, q[2], second[2])):
            np.testing.assert_allclose(y, x[2], rtol=0, atol=64 * U * np.abs(x).max())
