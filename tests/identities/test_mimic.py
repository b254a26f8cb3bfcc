"""Robots with mimic followers move as the full robot does under the constraint q_full = G q + o, qd_full = G qd."""

import functools

import numpy as np

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.energy import KINETIC
from featherstone.algorithms.rnea import RNEA

from ..rounding import Rounded, U, bounded
from .robots import places


def leader_of(robot, name):
    """The joint that a joint follows in the end, with multiplier and offset, straight from the description."""
    mimic = {joint.name: joint.mimic for joint in robot.parts.joints}.get(name)
    if mimic is None:
        return name, 1.0, 0.0
    leader, scale, offset = leader_of(robot, mimic.joint)
    return leader, mimic.multiplier * scale, mimic.multiplier * offset + mimic.offset


def constraint(robot, full, index):
    """G and o of q_full = G q + o (index "q_index") or of qd_full = G qd ("qd_index")."""
    model = robot.model
    rows, columns = (full.nq, model.nq) if index == "q_index" else (full.nv, model.nv)
    G, o = np.zeros((rows, columns)), np.zeros(rows)
    for name in full.joint_names:
        leader, scale, offset = leader_of(robot, name)
        for row, column in zip(places(full, index, name), places(model, index, leader)):
            G[row, column], o[row] = scale, offset
    return G, o


@functools.cache
def unconstrained(robot):
    """The full robot, its states, and G of its rates."""
    full = robot.parts.build(mimic=False, **robot.options)
    G_q, o = constraint(robot, full, "q_index")
    G = constraint(robot, full, "qd_index")[0]
    q = robot.q @ G_q.T + o
    # each coordinate and rate is a product or two, and a sum
    states = Rounded(q, 4.0 * U * (np.abs(robot.q) @ np.abs(G_q.T) + np.abs(o)))
    rates = [Rounded(x @ G.T, 4.0 * U * np.abs(x @ G.T)) for x in (robot.qd, robot.qdd)]
    return full, states, *rates, G


def test_followers_leave_the_coordinates_but_not_the_bodies(mimic_robot):
    model = mimic_robot.model
    full, *_, G = unconstrained(mimic_robot)
    followers = sum(leader is not None for leader in model.leaders)
    assert followers > 0
    assert model.nb == full.nb
    assert (model.nq, model.nv) == (full.nq - followers, full.nv - followers)
    assert (np.abs(G).sum(axis=0) >= 1.0).all()


def test_torque_is_that_of_all_joints_seen_by_their_leaders(mimic_robot):
    """tau = G^T tau_full."""
    robot = mimic_robot
    full, q, qd, qdd, G = unconstrained(robot)
    tau = fs.rnea(full, q.value, qd.value, qdd.value, robot.f_ext)
    expected = tau @ G
    size = bounded(RNEA, full, [q, qd, qdd, robot.f_ext], (full.nv,)).error + (full.nv + 1) * U * np.abs(tau)
    allowed = size @ np.abs(G) + robot.torque.error
    found = fs.rnea(robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext)
    assert (np.abs(found - expected) <= allowed).all()


def test_mass_matrix_is_that_of_all_joints_between_the_constraint(mimic_robot):
    """H = G^T H_full G."""
    robot = mimic_robot
    full, q, *_, G = unconstrained(robot)
    H = fs.crba(full, q.value)
    size = bounded(CRBA, full, [q], (full.nv, full.nv)).error + 2 * (full.nv + 1) * U * np.abs(H)
    allowed = np.abs(G.T) @ size @ np.abs(G) + robot.mass_matrix.error
    assert (np.abs(fs.crba(robot.model, robot.q) - G.T @ H @ G) <= allowed).all()


def test_accelerations_are_those_of_the_constrained_robot(mimic_robot):
    """G^T H_full G qdd = tau - G^T bias_full."""
    robot = mimic_robot
    full, q, qd, _, G = unconstrained(robot)
    bias = bounded(RNEA, full, [q, qd, 0.0 * qd.value, robot.f_ext], (full.nv,))
    right = robot.tau - fs.bias_torque(full, q.value, qd.value, robot.f_ext) @ G
    expected = np.linalg.solve(G.T @ fs.crba(full, q.value) @ G, right[..., None])[..., 0]
    H = bounded(CRBA, full, [q], (full.nv, full.nv)).error
    moved = np.einsum("bij,bj->bi", np.abs(G.T) @ (2.0 * H) @ np.abs(G), np.abs(expected))
    off = (bias.error + (full.nv + 1) * U * np.abs(bias.value)) @ np.abs(G) + robot.bias.error + moved
    allowed = 2.0 * robot.solve_error(expected, off)
    for method in ("aba", "cholesky"):
        found = fs.forward_dynamics(robot.model, robot.q, robot.qd, robot.tau, robot.f_ext, method=method)
        assert (np.abs(found - expected) <= allowed).all()


def test_energies_and_poses_are_those_of_the_full_robot(mimic_robot):
    robot = mimic_robot
    full, q, qd, _, _ = unconstrained(robot)
    error = bounded(KINETIC, full, [q, qd], ()).error + bounded(KINETIC, robot.model, [robot.q, robot.qd], ()).error
    found = fs.kinetic_energy(robot.model, robot.q, robot.qd)
    assert (np.abs(found - fs.kinetic_energy(full, q.value, qd.value)) <= error).all()
    np.testing.assert_allclose(
        fs.forward_kinematics(robot.model, robot.q), fs.forward_kinematics(full, q.value), rtol=0, atol=1e-13
    )


def test_losses_of_followers_act_on_their_leaders(mimic_robot):
    """d = sum m^2 d_i, f = sum |m| f_i, armature = sum m^2 a_i over a leader and its followers."""
    model = mimic_robot.model
    full, *_, G = unconstrained(mimic_robot)
    for name, weight in (("damping", G**2), ("friction", np.abs(G)), ("armature", G**2)):
        expected = weight.T @ getattr(full, name)
        np.testing.assert_allclose(getattr(model, name), expected, rtol=4 * full.nv * U)
    full_lost, lost = (
        fs.rnea(m, x, v, 0.0 * v, losses=True) - fs.rnea(m, x, v, 0.0 * v)
        for m, x, v in (
            (full, *(x.value for x in unconstrained(mimic_robot)[1:3])),
            (model, mimic_robot.q, mimic_robot.qd),
        )
    )
    np.testing.assert_allclose(lost, full_lost @ G, rtol=0, atol=1e-12 * np.abs(mimic_robot.torque.value).max())
    assert np.abs(lost).max() > 0.1


def test_integration_moves_leaders_only(mimic_robot):
    robot = mimic_robot
    full, q, qd, _, _ = unconstrained(robot)
    G_q, o = constraint(robot, full, "q_index")
    moved = fs.integrate(robot.model, robot.q, robot.qd) @ G_q.T + o
    expected = fs.integrate(full, q.value, qd.value)
    np.testing.assert_allclose(moved, expected, rtol=0, atol=32 * U * np.abs(expected).max())
