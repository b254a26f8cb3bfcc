"""Forward dynamics is the inverse of inverse dynamics."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.rnea import RNEA

from ..rounding import bounded
from .robots import meaningful

METHODS = ("aba", "cholesky")


@pytest.mark.parametrize("method", METHODS)
def test_forward_dynamics_inverts_rnea(robot, method):
    model, state = robot.model, (robot.q, robot.qd)
    tau = fs.rnea(model, *state, robot.qdd, robot.f_ext)
    found = fs.forward_dynamics(model, *state, tau, robot.f_ext, method=method)
    allowed = robot.solve_error(robot.qdd, robot.torque.error + robot.bias.error)
    assert meaningful(allowed, robot.qdd)
    assert (np.abs(found - robot.qdd) <= allowed).all()


@pytest.mark.parametrize("method", METHODS)
def test_rnea_inverts_forward_dynamics(robot, method):
    model, state = robot.model, (robot.q, robot.qd)
    qdd = fs.forward_dynamics(model, *state, robot.tau, robot.f_ext, method=method)
    found = fs.rnea(model, *state, qdd, robot.f_ext)
    H = np.abs(robot.mass_matrix.value)
    moved = np.einsum("bij,bj->bi", H, robot.solve_error(qdd, robot.bias.error))
    allowed = moved + bounded(RNEA, model, [*state, qdd, robot.f_ext], (model.nv,)).error
    assert (np.abs(found - robot.tau) <= allowed).all()


def test_aba_is_forward_dynamics_by_articulated_bodies(robot):
    arguments = (robot.model, robot.q, robot.qd, robot.tau, robot.f_ext)
    np.testing.assert_array_equal(fs.aba(*arguments), fs.forward_dynamics(*arguments, method="aba"))


def test_the_two_methods_of_forward_dynamics_agree(robot):
    arguments = (robot.model, robot.q, robot.qd, robot.tau, robot.f_ext)
    one, other = (fs.forward_dynamics(*arguments, method=method) for method in METHODS)
    allowed = 2.0 * robot.solve_error(one, robot.bias.error)
    assert (np.abs(one - other) <= allowed).all()
    assert np.abs(one).max() > 0.1


def test_forward_dynamics_is_affine_in_the_torque(robot):
    """qdd(tau) = H^-1 tau + qdd(0)."""
    model, state = robot.model, (robot.q, robot.qd)
    at_zero = fs.aba(model, *state, 0.0 * robot.tau, robot.f_ext)
    driven = fs.aba(model, *state, robot.tau, robot.f_ext)
    expected = np.einsum("bij,bj->bi", fs.mass_matrix_inverse(model, robot.q), robot.tau)
    allowed = sum(robot.solve_error(x, robot.bias.error) for x in (at_zero, driven, expected))
    assert (np.abs(driven - at_zero - expected) <= allowed).all()
