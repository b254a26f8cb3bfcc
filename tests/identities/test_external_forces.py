"""External forces act by the transposed Jacobian of the body they act on."""

import numpy as np

import featherstone as fs
from featherstone.algorithms.kinematics import KINEMATICS

from ..random_trees import joint_of_each_dof
from ..rounding import Rounded, U, bounded
from ..slopes import slope
from .robots import COUNT


def jacobians(robot):
    """Bodies' Jacobians (COUNT, nb, 6, nv), angular rows first, in link axes; and bounds of their errors.

    From how the poses of the bodies change: omega x = R^T dR/dt, v = R^T dp/dt.
    """
    model, q = robot.model, robot.q
    near = Rounded(q, 8.0 * U * np.maximum(1.0, np.abs(q)))
    error = bounded(KINEMATICS, model, [near], (model.nb, 4, 4)).error
    back = np.swapaxes(fs.forward_kinematics(model, q)[..., :3, :3], -1, -2)
    J, allowed = np.empty((COUNT, model.nb, 6, model.nv)), 0.0
    for k, direction in enumerate(np.eye(model.nv)):

        def poses(t, direction=direction):
            return fs.forward_kinematics(model, fs.integrate(model, q, t * direction))

        rate, off = slope(poses, error)
        spin, v = back @ rate[..., :3, :3], (back @ rate[..., :3, 3:])[..., 0]
        J[..., :3, k] = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], -1)
        J[..., 3:, k] = v
        # three entries of a rotation's column add up, each at most 1; the rotation itself is off by `error`
        allowed = max(allowed, 3.0 * np.max(off) + 3.0 * error.max() * np.abs(rate).max())
    return J, allowed


def test_force_on_a_body_is_the_transposed_jacobian_times_it(robot):
    """rnea(f) = rnea(0) - J^T f: what pushes the bodies helps the motors."""
    model, state = robot.model, (robot.q, robot.qd, robot.qdd)
    J, error = jacobians(robot)
    expected = fs.rnea(model, *state) - np.einsum("bnik,bni->bk", J, robot.f_ext)
    allowed = error * np.abs(robot.f_ext).sum(axis=(1, 2))[:, None] + 2.0 * robot.torque.error
    assert error < 1e-6
    assert (np.abs(fs.rnea(model, *state, robot.f_ext) - expected) <= allowed).all()
    # the same force in forward dynamics
    with_force = fs.aba(model, robot.q, robot.qd, robot.tau, robot.f_ext)
    push = robot.tau + np.einsum("bnik,bni->bk", J, robot.f_ext)
    without = fs.aba(model, robot.q, robot.qd, push)
    allowed = robot.solve_error(with_force, 2.0 * robot.bias.error + allowed)
    assert (np.abs(with_force - without) <= allowed).all()


def test_force_on_one_body_is_felt_only_between_it_and_the_base(free_robot):
    """Every other joint's torque stays as it is, to the bit."""
    model, state = free_robot.model, (free_robot.q, free_robot.qd, free_robot.qdd)
    without = fs.rnea(model, *state, np.zeros_like(free_robot.f_ext))
    above = {-1: set()}
    for body in range(model.nb):
        above[body] = above[int(model.parent[body])] | {body}
        f_ext = np.zeros_like(free_robot.f_ext)
        f_ext[:, body] = free_robot.f_ext[:, body]
        changed = (fs.rnea(model, *state, f_ext) != without).any(axis=0)
        carried_by = joint_of_each_dof(model)
        assert set(carried_by[changed].tolist()) <= above[body]
        assert changed.any()


def test_no_force_is_the_same_as_zero_forces(robot):
    state = (robot.q, robot.qd, robot.qdd)
    zero = np.zeros((robot.model.nb, 6))
    np.testing.assert_array_equal(fs.rnea(robot.model, *state), fs.rnea(robot.model, *state, zero))
    np.testing.assert_array_equal(fs.aba(robot.model, *state), fs.aba(robot.model, *state, zero))


def test_bias_and_torque_take_the_same_force(robot):
    still = np.zeros(robot.model.nv)
    np.testing.assert_array_equal(
        fs.bias_torque(robot.model, robot.q, robot.qd, robot.f_ext),
        fs.rnea(robot.model, robot.q, robot.qd, still, robot.f_ext),
    )
