"""Derivatives of inverse and forward dynamics: what ties them to each other and to the equation's other terms."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.crba import CRBA

from ..random_trees import random_v
from ..rounding import U, bounded
from ..slopes import slope
from .test_energy import moved
from .test_frames import agree
from .test_mimic import unconstrained

BASE = fs.BaseMotion(velocity=[0.3, -0.2, 0.5, 1.0, 0.0, -0.4], acceleration=[1.0, 0.4, -0.7, 0.2, 2.0, -1.0])
BASES = pytest.mark.parametrize("base", [None, BASE], ids=["still", "moving"])


def roundings(robot, *states):
    """A size for rounding errors of derivatives at states of velocities: many units of the largest term there can be.

    Derivatives are sums of products of inertia, accelerations and lengths; the largest such product bounds them.
    """
    H = np.abs(robot.mass_matrix.value).max(axis=(1, 2))
    rates = 1.0 + max(np.abs(x).max() for x in states)
    weight = robot.model.body_mass.sum() * np.abs(np.array(robot.model.gravity)).sum()
    pushed = np.abs(robot.f_ext).sum()
    size = (H * rates**2 + weight + pushed) * (1 + robot.model.nb) ** 2
    return 256 * U * size[:, None, None]


@BASES
def test_inverse_dynamics_changes_by_q_as_differences_say(robot, base):
    model, state = robot.model, (robot.qd, robot.qdd, robot.f_ext)
    right = fs.rnea_derivatives(model, robot.q, *state, base=base)[0]
    error = bounded_torque(robot, base)
    for j, axis in enumerate(np.eye(model.nv)):
        path = functools.partial(moved, robot, axis)
        found, allowed = slope(lambda t, path=path: fs.rnea(model, path(t), *state, base=base), error)
        assert (np.abs(found - right[..., j]) <= allowed + roundings(robot, robot.qd, robot.qdd)[..., 0]).all()
        assert np.max(allowed) <= 1e-4 * max(1.0, np.abs(right).max())


def bounded_torque(robot, base):
    """How far torques are off, near a state; a moving base adds to them."""
    return 64 * robot.torque.error.max() * (1.0 if base is None else 16.0)


@BASES
def test_inverse_dynamics_changes_by_qd_as_differences_say(robot, base):
    """It is of second degree in the velocities, so a central difference has no error but rounding."""
    model, q, h = robot.model, robot.q, 1.0
    right = fs.rnea_derivatives(model, q, robot.qd, robot.qdd, robot.f_ext, base=base)[1]
    for j, axis in enumerate(np.eye(model.nv)):
        ends = [fs.rnea(model, q, robot.qd + s * axis, robot.qdd, robot.f_ext, base=base) for s in (h, -h)]
        found = (ends[0] - ends[1]) / (2 * h)
        assert (np.abs(found - right[..., j]) <= 4 * roundings(robot, robot.qd, robot.qdd)[..., 0]).all()


def test_by_qdd_it_is_the_mass_matrix_symmetric_to_the_bit(robot):
    found = fs.rnea_derivatives(robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext)[2]
    H = bounded(CRBA, robot.model, [robot.q], (robot.model.nv, robot.model.nv))
    assert np.array_equal(found, found.swapaxes(1, 2))
    size = np.abs(H.value).max(axis=(1, 2), keepdims=True)
    assert agree(found, H.value, 2 * H.error + 64 * robot.model.tree.nb * U * size)


def test_velocities_times_their_derivative_are_twice_the_quadratic_part(robot):
    """Euler's theorem: bias(qd) - bias(0) is of second degree, so its derivative along qd is twice itself."""
    model, q, qd = robot.model, robot.q, robot.qd
    by_qd = fs.rnea_derivatives(model, q, qd, robot.qdd)[1]
    quadratic = fs.coriolis_matrix(model, q, qd) @ qd[..., None]
    allowed = roundings(robot, qd)[..., 0] * model.nv
    assert (np.abs(by_qd @ qd[..., None] - 2 * quadratic)[..., 0] <= allowed).all()
    assert np.abs(quadratic).max() > 0.0 or model.nv == 1 or not np.abs(by_qd).max() > 1e-12


def test_external_forces_that_move_with_their_bodies_change_nothing_by_velocity(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    free, pushed = (fs.rnea_derivatives(model, q, qd, robot.qdd, f) for f in (None, robot.f_ext))
    assert np.array_equal(free[1], pushed[1])
    assert np.array_equal(free[2], pushed[2])


@pytest.mark.parametrize("losses", [False, True])
def test_forward_dynamics_changes_by_the_inverse_of_the_mass_matrix(robot, losses):
    """d FD = -H^-1 d ID at the acceleration that it finds; of damping and smooth friction too."""
    model, q, qd = robot.model, robot.q, robot.qd
    by_q, by_qd, by_tau = fs.aba_derivatives(model, q, qd, robot.tau, robot.f_ext, losses=losses)
    qdd = fs.forward_dynamics(model, q, qd, robot.tau, robot.f_ext, losses=losses)
    inverse = fs.rnea_derivatives(model, q, qd, qdd, robot.f_ext, losses=losses)
    H = robot.mass_matrix.value
    # what it solves, |H x + d ID|, over a bound of the sizes in it
    for x, d in ((by_q, inverse[0]), (by_qd, inverse[1]), (by_tau, -np.eye(model.nv))):
        size = np.abs(H) @ np.abs(x) + np.abs(d)
        allowed = 1024 * U * model.nv * (size + size.max(axis=(1, 2), keepdims=True))
        assert (np.abs(H @ x + d) <= allowed + 4 * roundings(robot, qd, qdd)).all()
    assert np.array_equal(by_tau, by_tau.swapaxes(1, 2))
    assert np.abs(by_tau).max() > 0.0


def test_followers_join_their_leaders(mimic_robot):
    """d tau = G^T d tau_full G, as followers move in proportion."""
    robot = mimic_robot
    full, q, qd, qdd, G = unconstrained(robot)
    q, qd, qdd = q.value, qd.value, qdd.value
    right = fs.rnea_derivatives(full, q, qd, qdd, robot.f_ext)
    found = fs.rnea_derivatives(robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext)
    for ours, theirs in zip(found, right):
        allowed = np.abs(G).sum() ** 2 * roundings(robot, qd, qdd)
        assert (np.abs(ours - G.T @ theirs @ G) <= allowed).all()


def test_losses_add_their_slope_to_the_diagonal():
    model = fs.models.load("six_axis")
    for joint in model.joint_names:
        model = model.with_joint(joint, damping=0.7, friction=2.0, smoothing=0.1)
    rng = np.random.default_rng(5)
    q, (qd, qdd) = model.random_configuration(rng, 4), random_v(model, rng, (2, 4))
    plain, lossy = (fs.rnea_derivatives(model, q, qd, qdd, losses=x) for x in (False, True))
    added = lossy[1] - plain[1]
    for j, axis in enumerate(np.eye(6)):

        def lost(t, axis=axis):
            with_losses, without = (fs.rnea(model, q, qd + t * axis, qdd, losses=x) for x in (True, False))
            return with_losses - without

        found, allowed = slope(lost, 1e-12, step=1e-4)
        np.testing.assert_allclose(added[..., j], found, rtol=0, atol=allowed + 1e-9)
    assert np.diagonal(added, axis1=1, axis2=2).min() >= 0.7 - 1e-12
    for k in (0, 2):
        assert np.array_equal(plain[k], lossy[k])
