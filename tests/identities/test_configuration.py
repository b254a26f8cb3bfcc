"""integrate and difference: the group that configurations make, joint by joint."""

import math

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import ALL, random_tree
from ..rounding import U

ROTATIONS = {"spherical": 0, "floating": 3}  # where the quaternion begins among a joint's coordinates
# exponential and logarithm are a dozen products and sums each, and up to three times as sensitive as they are long
ROUNDINGS = 64.0


def spread(model, kind):
    """Where the coordinates and the rates of each free joint of a kind begin."""
    joints = zip(model.joints, model.leaders)
    names = [joint.name for joint, leader in joints if joint.type == kind and leader is None]
    return [(model.q_index(name).start, model.qd_index(name).start) for name in names]


def aligned(model, q, like):
    """q with each quaternion's sign as in `like`, since both signs are one rotation."""
    q = q.copy()
    for k in model.quaternion_indices:
        same = (q[..., k : k + 4] * like[..., k : k + 4]).sum(-1, keepdims=True) >= 0.0
        q[..., k : k + 4] *= np.where(same, 1.0, -1.0)
    return q


def displacements(robot):
    """Displacements that turn by less than half a turn."""
    return 1.5 * np.tanh(robot.qd)


def allowed(*arrays):
    """Tolerance of a few dozen roundings of the largest coordinate in each state."""
    return ROUNDINGS * U * (1.0 + sum(np.abs(x).sum(-1, keepdims=True) for x in arrays))


def test_difference_inverts_integrate(robot):
    dq = displacements(robot)
    moved = fs.integrate(robot.model, robot.q, dq)
    assert (np.abs(fs.difference(robot.model, robot.q, moved) - dq) <= allowed(robot.q, dq)).all()


def test_integrate_inverts_difference(robot):
    model, start = robot.model, robot.q
    end = np.roll(start, 1, axis=0)
    for k, _ in spread(model, "planar"):
        # displacements by 2 pi and a shift do not exist: see log_se2
        end[:, k + 2] = start[:, k + 2] + 2.5 * np.sin(end[:, k + 2])
    reached = fs.integrate(model, start, fs.difference(model, start, end))
    assert (np.abs(aligned(model, reached, end) - end) <= allowed(start, end)).all()
    assert np.abs(start - end).max() > 0.1


def test_quaternions_are_of_unit_length(robot):
    model = robot.model
    moved = fs.integrate(model, robot.q, robot.qd)
    for k in model.quaternion_indices:
        # four squares, a root, a division, a product
        assert (np.abs(np.linalg.norm(moved[:, k : k + 4], axis=-1) - 1.0) <= 8.0 * U).all()


def test_quaternions_stay_of_unit_length_over_many_steps():
    model = random_tree(3, 2, ("spherical", "floating"))
    q, step = model.random_configuration(1), np.full(model.nv, 0.37)
    for _ in range(2000):
        q = fs.integrate(model, q, step)
    for k in model.quaternion_indices:
        assert abs(np.linalg.norm(q[k : k + 4]) - 1.0) <= 8.0 * U


def test_moving_by_nothing_stays(robot):
    stayed = fs.integrate(robot.model, robot.q, 0.0 * robot.qd)
    assert (np.abs(stayed - robot.q) <= 8.0 * U).all()
    assert (np.abs(fs.difference(robot.model, robot.q, robot.q)) <= 8.0 * U).all()


def test_a_steady_motion_adds_up(robot):
    """q (+) s dq (+) t dq = q (+) (s + t) dq: each displacement is a one-parameter group."""
    model, q, dq = robot.model, robot.q, robot.qd
    halfway = fs.integrate(model, q, 0.25 * dq)
    moved = fs.integrate(model, halfway, 0.5 * dq)
    expected = fs.integrate(model, q, 0.75 * dq)
    assert (np.abs(aligned(model, moved, expected) - expected) <= allowed(q, dq)).all()


def test_moving_back_returns(robot):
    model, q, dq = robot.model, robot.q, robot.qd
    back = fs.integrate(model, fs.integrate(model, q, dq), -dq)
    assert (np.abs(aligned(model, back, q) - q) <= allowed(q, dq)).all()


def test_difference_turns_the_short_way(robot):
    model = robot.model
    dq = fs.difference(model, robot.q, np.roll(robot.q, 1, axis=0))
    for kind in ROTATIONS:
        for _, k in spread(model, kind):
            assert (np.linalg.norm(dq[:, k : k + 3], axis=-1) <= math.pi * (1.0 + 4.0 * U)).all()


def test_differences_of_opposite_directions_are_opposite(robot):
    """q0 (-) q1 is the inverse of q1 (-) q0, hence its negative."""
    model, dq = robot.model, displacements(robot)
    q = robot.q
    moved = fs.integrate(model, q, dq)
    there, back = fs.difference(model, q, moved), fs.difference(model, moved, q)
    assert (np.abs(there + back) <= allowed(q, moved)).all()


@pytest.mark.parametrize("kind", ALL)
def test_angles_and_lengths_are_not_wrapped(kind):
    """Only rotations as a whole forget full turns: the angle of a planar or revolute joint counts them."""
    model = random_tree(0, 1, (kind,))
    dq = np.full(model.nv, 7.0)
    moved = fs.integrate(model, model.neutral(), dq)
    if kind == "planar":
        assert moved[2] == 7.0
    elif kind in ROTATIONS:
        turned = math.hypot(7.0, 7.0, 7.0)
        assert abs(moved[ROTATIONS[kind] + 3]) == pytest.approx(abs(math.cos(turned / 2.0)), abs=16 * U)
    else:
        assert moved[0] == 7.0


@pytest.mark.parametrize("t", [0.0, 1e-12, 1e-9, 1e-7, 1e-4, 9e-4, 1.1e-3, 0.1, 0.49, 0.51, 3.0])
def test_floating_displacements_are_screws(t):
    """A turn by w and a shift: the pose is the matrix exponential, here as its power series."""
    model = random_tree(0, 1, ("floating",))
    start = model.neutral()
    w, v = t * np.array([0.48, -0.6, 0.64]), np.array([0.3, -2.0, 1.1])
    moved = fs.integrate(model, start, np.concatenate([w, v]))
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]]
    twist[:3, 3] = v
    term, total = np.eye(4), np.eye(4)
    for k in range(1, 60):
        term = term @ twist / k
        total = total + term
    # the neutral pose's frame is the parent's moved by the joint's placement
    here, there = (fs.forward_kinematics(model, q)[0] for q in (start, moved))
    np.testing.assert_allclose(np.linalg.inv(here) @ there, total, rtol=0, atol=256 * U * math.exp(t))
    np.testing.assert_allclose(fs.difference(model, start, moved), np.concatenate([w, v]), rtol=0, atol=64 * U)
