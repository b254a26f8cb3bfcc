"""Exciting motions are motions, stay within limits, and excite."""

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import random_tree


@pytest.fixture(scope="module")
def arm():
    return fs.models.load("six_axis")


@pytest.fixture(scope="module")
def motion(arm):
    return fs.exciting_trajectory(arm, trials=20)


def test_rates_are_the_slopes_of_the_motion(motion):
    t, h = np.linspace(0.0, 10.0, 50), 1e-4
    q, qd, qdd = motion(t)
    ahead, behind = motion(t + h), motion(t - h)
    # the central difference leaves a sixth of the third derivative times h^2, rounding an ulp over h
    for slope, right in ((ahead[0] - behind[0], qd), (ahead[1] - behind[1], qdd)):
        np.testing.assert_allclose(slope / (2 * h), right, rtol=0, atol=1e-6 * np.abs(qdd).max())
    np.testing.assert_allclose(motion(0.0)[0], motion(10.0)[0], rtol=0, atol=1e-12)
    assert q.shape == (50, 6)


def test_limits_are_kept(arm, motion):
    _, q, qd, qdd = motion.sample(0.002)
    tau = fs.rnea(arm, q, qd, qdd)
    assert (q >= arm.q_lower).all()
    assert (q <= arm.q_upper).all()
    assert (np.abs(qd) <= arm.qd_limit).all()
    assert (np.abs(qdd) <= 10.0).all()
    assert (np.abs(tau) <= arm.tau_limit).all()
    # and used: some limit of each joint nearly is reached
    room = (arm.q_upper - arm.q_lower) / 2
    used = [np.abs(q - motion.center).max(0) / room, np.abs(qd).max(0) / arm.qd_limit, np.abs(qdd).max(0) / 10.0]
    assert (np.max(used, axis=0) > 0.6).all()


def test_accelerations_may_be_limited(arm):
    slow = fs.exciting_trajectory(arm, trials=3, acceleration=[1.0, 1.0, 1.0, 2.0, 2.0, 3.0])
    assert (np.abs(slow.sample(0.01)[3]).max(0) <= [1.0, 1.0, 1.0, 2.0, 2.0, 3.0]).all()


def test_more_trials_excite_better(arm, motion):
    one = fs.exciting_trajectory(arm, trials=1)
    assert motion.condition < one.condition
    base = fs.base_parameters(arm, drives=("damping", "friction"))
    _, q, qd, qdd = motion.sample(0.1)
    Y = base.regressor(fs.torque_regressor(arm, q, qd, qdd, drives=base.drives))
    W = Y.reshape(-1, base.rank) / base.size[base.independent]
    assert motion.condition == pytest.approx(np.linalg.cond(W), rel=1e-6)


def test_the_same_seed_gives_the_same_motion(arm):
    one, two, other = (fs.exciting_trajectory(arm, trials=3, seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one.sine, two.sine)
    assert (one.sine != other.sine).any()


def test_joints_of_several_kinds_are_excited():
    robot = random_tree(2, 5, ("prismatic", "helical", "universal", "cylindrical", "composite"))
    motion = fs.exciting_trajectory(robot, trials=3)
    q, qd, _ = motion(np.linspace(0.0, 10.0, 20))
    assert q.shape == (20, robot.nq)
    assert np.abs(qd).max() <= 2.0


def test_joints_with_quaternions_are_refused():
    with pytest.raises(ValueError, match=r"^joint 'root_joint': expected joints whose coordinates are angles and len"):
        fs.exciting_trajectory(fs.models.load("quadruped"))


def test_a_robot_too_weak_for_itself_is_refused(arm):
    weak = arm.with_joint("joint_2", effort=1.0)
    with pytest.raises(ValueError, match="no motion of 2 was within the limits of torque of 'six_axis'"):
        fs.exciting_trajectory(weak, trials=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"period": 0.0}, "period: expected a time > 0 s"),
        ({"harmonics": 0}, "harmonics: expected an integer >= 1"),
        ({"trials": 0}, "trials: expected an integer >= 1"),
        ({"acceleration": -1.0}, "acceleration: expected limits > 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(arm, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        fs.exciting_trajectory(arm, **options)


def test_a_step_beyond_the_period_is_refused(motion):
    with pytest.raises(ValueError, match=r"^dt: expected s between 0 and the period 10"):
        motion.sample(20.0)
