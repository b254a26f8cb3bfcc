"""The generalised momentum and its rate: H qd, the derivative of the kinetic energy, and the equation of motion."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.generalized_momentum import GENERALIZED_MOMENTUM

from ..rounding import U, bounded
from ..slopes import slope
from .test_frames import agree, product
from .test_mimic import unconstrained

BASE = fs.BaseMotion(velocity=[0.3, -0.2, 0.5, 1.0, 0.0, -0.4], acceleration=[1.0, 0.4, -0.7, 0.2, 2.0, -1.0])


def momentum(model, q, qd):
    """p with a bound of its error."""
    return bounded(GENERALIZED_MOMENTUM, model, [q, qd], (model.nv,))


def rate(model, q, qd, tau, f_ext):
    """dp/dt with a bound of its error."""
    return bounded(GENERALIZED_MOMENTUM, model, [q, qd, tau, f_ext], (model.nv,))


def test_it_is_the_mass_matrix_times_velocity(robot):
    model, H = robot.model, robot.mass_matrix
    right = product(H, robot.qd)
    p = momentum(model, robot.q, robot.qd)
    assert agree(fs.generalized_momentum(model, robot.q, robot.qd), right.value, 2 * right.error + 2 * p.error)
    assert np.abs(p.value).max() > 0.0


@pytest.mark.parametrize("base", [None, BASE], ids=["still", "moving"])
def test_it_is_the_derivative_of_kinetic_energy_by_velocity(robot, base):
    """Of second degree, so a central difference is exact but for rounding."""
    model, q = robot.model, robot.q
    p = fs.generalized_momentum(model, q, robot.qd, base=base)
    for j, axis in enumerate(np.eye(model.nv)):
        ends = [fs.kinetic_energy(model, q, robot.qd + s * axis, base=base) for s in (1.0, -1.0)]
        size = np.abs(ends).max() * 64 * model.tree.nb * U
        assert (np.abs((ends[0] - ends[1]) / 2 - p[:, j]) <= size).all()


def test_rate_is_torque_and_what_coriolis_and_gravity_give(robot):
    """dp/dt = tau + C^T qd - g + J^T f_ext."""
    model, q, qd = robot.model, robot.q, robot.qd
    C = fs.coriolis_matrix(model, q, qd)
    still = 0.0 * qd
    right = robot.tau + np.einsum("bji,bj->bi", C, qd) - fs.rnea(model, q, still, still, robot.f_ext)
    found = rate(model, q, qd, robot.tau, robot.f_ext)
    size = np.einsum("bji,bj->bi", np.abs(C), np.abs(qd)).max() + np.abs(right).max()
    assert agree(found.value, right, 2 * found.error + 256 * model.tree.nb * U * size)
    public = fs.generalized_momentum_rate(model, q, qd, robot.tau, robot.f_ext)
    assert agree(public, found.value, 2 * found.error)


@pytest.mark.parametrize("base", [None, BASE], ids=["still", "moving"])
def test_momentum_changes_along_a_motion_as_its_rate_says(robot, base):
    """Along q(t), qd(t) with the acceleration that forward dynamics finds."""
    model, q, qd = robot.model, robot.q, robot.qd
    given = (robot.tau, robot.f_ext)
    qdd = fs.forward_dynamics(model, q, qd, *given, base=base)
    bound = 256 * momentum(model, q, qd).error.max() + 64 * U * np.abs(robot.mass_matrix.value).max() * 10
    scale = 1.0 + np.abs(qdd).max(axis=1) / 100.0

    def along(t, where=base):
        t = t / scale[:, None]
        # a base that moves does so with its acceleration in its own axes, to first order
        there = None if where is None else moved_base(where, t)
        # the velocity of a quaternion joint is in axes that move: to second order, of no matter for the slope
        reached = fs.integrate(model, q, t * qd + t**2 / 2 * qdd)
        return fs.generalized_momentum(model, reached, qd + t * qdd, base=there)

    found, allowed = slope(along, bound)
    right = fs.generalized_momentum_rate(model, q, qd, *given, base=base)
    found = found * scale[:, None]
    allowed = allowed * scale.max()
    solving = np.abs(robot.mass_matrix.value) @ robot.solve_error(qdd, robot.bias.error)[..., None]
    assert (np.abs(found - right) <= allowed + solving[..., 0] + 1e-9 * np.abs(right).max()).all()
    assert np.max(allowed) <= 1e-3 * np.abs(right).max()


def moved_base(base, t):
    """Where a base gets in a time t, and how fast, state by state."""
    array = base.array
    v, a, n = array[12:18], array[18:24], len(t)
    poses = np.tile(np.eye(4), (n, 1, 1))
    for k in range(n):
        poses[k] = exponential(t[k, 0] * v + t[k, 0] ** 2 / 2 * a)
    return fs.BaseMotion(poses, velocity=v + t * a, acceleration=np.broadcast_to(a, (n, 6)))


def exponential(m):
    """The pose that is reached by a motion m in its own axes."""
    floating = fs.ModelBuilder("body")
    floating.add_link("base")
    floating.add_link("body", 1.0, (0, 0, 0), np.eye(3))
    floating.add_joint("joint", "floating", "base", "body")
    model = floating.build()
    return fs.forward_kinematics(model, fs.integrate(model, model.neutral(), m))[0]


def test_losses_slow_it(robot):
    model = robot.variant(damping=0.7)
    state = (robot.q, robot.qd, robot.tau)
    found, free = (fs.generalized_momentum_rate(model, *state, losses=x) for x in (True, False))
    right = fs.rnea(model, robot.q, robot.qd, robot.qdd) - fs.rnea(model, robot.q, robot.qd, robot.qdd, losses=True)
    size = np.abs(free).max() + np.abs(robot.torque.value).max() + np.abs(right).max()
    assert (np.abs(found - free - right) <= 256 * model.tree.nb * U * size).all()
    assert np.abs(found - free).max() > 0.0


def test_followers_join_their_leaders(mimic_robot):
    """p = G^T p_full."""
    robot = mimic_robot
    full, q, qd, _, G = unconstrained(robot)
    whole = momentum(full, q, qd)
    allowed = (whole.error + 2 * (full.nv + 1) * U * np.abs(whole.value)) @ np.abs(G)
    p = momentum(robot.model, robot.q, robot.qd)
    assert agree(p.value, whole.value @ G, allowed + 2 * p.error)


def test_armature_has_its_part():
    arm = fs.models.load("six_axis")
    heavier = arm.with_joint(arm.joint_names[2], armature=0.5)
    q, qd = arm.random_configuration(3), np.arange(1.0, 7.0)
    added = fs.generalized_momentum(heavier, q, qd) - fs.generalized_momentum(arm, q, qd)
    np.testing.assert_allclose(added, [0, 0, 1.5, 0, 0, 0], rtol=0, atol=1e-12)
    rates = [fs.generalized_momentum_rate(model, q, qd, 0.0 * qd) for model in (arm, heavier)]
    np.testing.assert_array_equal(*rates)


def test_the_mass_matrix_is_its_columns(robot):
    model, H = robot.model, bounded(CRBA, robot.model, [robot.q], (robot.model.nv, robot.model.nv))
    columns = fs.generalized_momentum(model, robot.q[:, None], np.eye(model.nv))
    size = np.abs(H.value).max(axis=(1, 2), keepdims=True)
    assert (np.abs(columns.swapaxes(1, 2) - H.value) <= 64 * model.tree.nb * U * size + 2 * H.error).all()
