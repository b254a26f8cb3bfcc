"""Other fields of one joint of a robot."""

import numpy as np
import pytest

import featherstone as fs


@pytest.fixture
def arm():
    return fs.models.load("six_axis")


def test_drives_and_losses_of_a_loaded_robot(arm):
    driven = arm.with_joint("joint_2", rotor=fs.Rotor(1e-5, 100.0), damping=2.0, friction=3.0, effort=150.0)
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 6))
    extra = fs.rnea(driven, q, qd, qdd, losses=True) - fs.rnea(arm, q, qd, qdd, losses=True)
    lost = (2.0 - arm.damping[1]) * qd[1] + (3.0 - arm.friction[1]) * np.sign(qd[1])
    np.testing.assert_allclose(extra, np.eye(6)[1] * (0.1 * qdd[1] + lost), atol=1e-11)
    assert driven.tau_limit[1] == 150.0
    assert arm.armature[1] == 0.0


def test_everything_else_stays(arm):
    other = arm.with_gravity((1.0, 2.0, 3.0)).with_joint("joint_3", lower=-0.1, upper=0.2)
    assert (other.q_lower[2], other.q_upper[2]) == (-0.1, 0.2)
    assert other.gravity.tolist() == [1.0, 2.0, 3.0]
    assert other.joint_names == arm.joint_names
    assert other.with_joint("joint_3", lower=arm.q_lower[2], upper=arm.q_upper[2]).description == arm.description


def test_the_type_may_change(arm):
    fixed = arm.with_joint("joint_6", type="fixed")
    assert fixed.nv == 5
    assert fixed.with_joint("joint_6", type="revolute").nv == 6


def test_mimic_may_be_given_and_taken(arm):
    coupled = arm.with_joint("joint_5", mimic=fs.Mimic("joint_4", -1.0))
    assert (coupled.nv, coupled.with_joint("joint_5", mimic=None).nv) == (5, 6)


@pytest.mark.parametrize(
    ("name", "changes", "error", "message"),
    [
        ("joint_9", {"damping": 1.0}, fs.UnknownNameError, "has no joint named 'joint_9'"),
        ("joint_1", {"dampng": 1.0}, TypeError, "joint 'joint_1': expected fields among type, .*, got 'dampng'"),
        ("joint_1", {"child": "x"}, TypeError, "got 'child'"),
        ("joint_1", {"damping": -1.0}, fs.ModelError, "joint 'joint_1': damping: expected a number >= 0, got -1.0"),
    ],
)
def test_what_makes_no_sense_is_refused(arm, name, changes, error, message):
    with pytest.raises(error, match=message):
        arm.with_joint(name, **changes)
