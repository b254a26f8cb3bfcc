"""The worst condition number of the mass matrix: unit-free, with the state and the joint that it belongs to."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.proof.check import check
from featherstone.proof.conditioning import ILL, STATES, worst_conditioning


def scaled_condition(model, q):
    H = fs.crba(model, q)
    d = np.sqrt(np.diag(H))
    return np.linalg.cond(H / np.outer(d, d))


@pytest.mark.parametrize("name", ["planar_2r", "seven_axis", "quadruped", "cart_pole"])
def test_it_is_the_worst_of_the_random_states(name):
    model = fs.models.load(name)
    found = worst_conditioning(model)
    numbers = [scaled_condition(model, q) for q in model.random_configuration(0, STATES)]
    # cond is known to a few roundings times itself
    assert found.number == pytest.approx(max(numbers), rel=1e-13 * max(numbers))
    assert scaled_condition(model, found.q) == pytest.approx(found.number, rel=1e-13 * max(numbers))
    assert found.joint in model.joint_names


def test_it_does_not_depend_on_units_of_mass():
    model = fs.models.load("seven_axis")
    a, b = worst_conditioning(model), worst_conditioning(model.scale(1e6))
    assert a.number == pytest.approx(b.number, rel=1e-12 * a.number)


def test_a_robot_that_cannot_move_has_none():
    assert check("<robot name='stone'><link name='a'/></robot>").conditioning is None


def test_two_joints_that_move_nearly_the_same_are_found():
    builder = fs.ModelBuilder("twice")
    builder.add_link("base")
    builder.add_link("ring", 1e-9, inertia=4e-10 * np.eye(3))
    builder.add_link("arm", 10.0, com=(1, 0, 0), inertia=np.eye(3))
    builder.add_joint("outer", "continuous", "base", "ring", axis=(0, 0, 1))
    builder.add_joint("inner", "continuous", "ring", "arm", axis=(0, 0, 1), position=(1e-4, 0, 0))
    report = check(builder.build())
    assert report.conditioning.number > ILL
    found = [x for x in report.findings if x.rule == "mass-matrix-ill-conditioned"]
    assert [x.name for x in found] == [report.conditioning.joint]
    assert f"condition number of {report.conditioning.number:.3g} at q = (" in found[0].message
