"""The mass matrix: what it is made of, and what it does."""

import numpy as np

import featherstone as fs
from featherstone.algorithms.energy import KINETIC
from featherstone.algorithms.rnea import RNEA

from ..rounding import U, bounded


def test_columns_are_torques_of_unit_accelerations(robot):
    """H = dID/dqdd: a difference of inverse dynamics, exact since that is linear in qdd."""
    model, nv = robot.model, robot.model.nv
    q, qd = robot.q[:, None, :], robot.qd[:, None, :]
    columns = fs.rnea(model, q, qd, np.eye(nv)) - fs.rnea(model, q, qd, np.zeros(nv))
    states = [np.repeat(x, nv, axis=0) for x in (robot.q, robot.qd)]
    error = bounded(RNEA, model, [*states, np.tile(np.eye(nv), (len(robot.q), 1)), None], (nv,)).error
    at_zero = bounded(RNEA, model, [robot.q, robot.qd, 0.0 * robot.qd, None], (nv,)).error
    allowed = error.reshape(-1, nv, nv) + at_zero[:, None, :] + U * np.abs(columns)
    H = fs.crba(model, robot.q)
    # H is symmetric, so its rows are its columns
    assert (np.abs(columns - H) <= allowed + robot.mass_matrix.error).all()
    assert np.abs(H).max() > 0.1


def test_inverse_dynamics_is_mass_matrix_times_acceleration_plus_bias(robot):
    model, state = robot.model, (robot.q, robot.qd)
    H = robot.mass_matrix
    tau = np.einsum("bij,bj->bi", fs.crba(model, robot.q), robot.qdd) + fs.bias_torque(model, *state, robot.f_ext)
    size = np.einsum("bij,bj->bi", H.error + (model.nv + 1) * U * np.abs(H.value), np.abs(robot.qdd))
    allowed = size + robot.bias.error + robot.torque.error + U * np.abs(tau)
    assert (np.abs(fs.rnea(model, *state, robot.qdd, robot.f_ext) - tau) <= allowed).all()


def test_is_symmetric_to_the_bit(robot):
    H = fs.crba(robot.model, robot.q)
    np.testing.assert_array_equal(H, np.swapaxes(H, -1, -2))


def test_is_positive_definite(robot):
    H = fs.crba(robot.model, robot.q)
    # scaled to a diagonal of ones, which turns no eigenvalue's sign
    d = 1.0 / np.sqrt(np.diagonal(H, axis1=1, axis2=2))
    least = np.linalg.eigvalsh(d[:, :, None] * H * d[:, None, :]).min()
    error = (d[:, :, None] * robot.mass_matrix.error * d[:, None, :]).max()
    assert least > robot.model.nv * (error + 8.0 * U)


def test_kinetic_energy_is_half_the_square_of_the_velocity_in_it(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    H = fs.crba(model, q)
    expected = np.einsum("bi,bij,bj->b", qd, H, qd) / 2
    speed = np.abs(qd)
    size = robot.mass_matrix.error + 2 * model.nv * U * np.abs(H)
    allowed = bounded(KINETIC, model, [q, qd], ()).error + np.einsum("bi,bij,bj->b", speed, size, speed)
    assert (np.abs(fs.kinetic_energy(model, q, qd) - expected) <= allowed).all()
    moving = qd.any(axis=-1)
    assert (np.asarray(fs.kinetic_energy(model, q, qd))[moving] > 0.0).all()
    assert not np.asarray(fs.kinetic_energy(model, q, qd))[~moving].any()


def test_does_not_depend_on_gravity(robot):
    H = fs.crba(robot.model, robot.q)
    np.testing.assert_array_equal(fs.crba(robot.model.with_gravity((0.0, 0.0, 0.0)), robot.q), H)


def test_armature_is_added_to_its_diagonal(robot):
    """H = H without armature + diag(armature), with followers G^T of it G."""
    model = robot.model
    bare = robot.variant(armature=0.0)
    added = fs.crba(model, robot.q) - fs.crba(bare, robot.q)
    diagonal = np.einsum("bii->bi", added)
    expected = np.broadcast_to(model.armature - bare.armature, diagonal.shape)
    allowed = 2.0 * np.einsum("bii->bi", robot.mass_matrix.error) + 4.0 * U * expected
    assert (np.abs(diagonal - expected) <= allowed).all()
    # and to nothing else
    error = 2.0 * robot.mass_matrix.error
    off_diagonal = added - np.einsum("bi,ij->bij", diagonal, np.eye(model.nv))
    assert (np.abs(off_diagonal) <= error).all()
    assert model.armature.any() or model.nb == 1


def test_quadruples_when_velocities_double(robot):
    """Powers of two are exact: T(2 qd) = 4 T(qd) to the bit."""
    once, twice = (fs.kinetic_energy(robot.model, robot.q, s * robot.qd) for s in (1.0, 2.0))
    np.testing.assert_array_equal(twice, 4.0 * once)


def test_bounds_of_rounding_errors_hold(robot):
    """The derivation of this suite's tolerances holds for what is compiled: two evaluations of one source."""
    for found, bound in (
        (fs.rnea(robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext), robot.torque),
        (fs.crba(robot.model, robot.q), robot.mass_matrix),
    ):
        assert (np.abs(found - bound.value) <= 2.0 * bound.error).all()
