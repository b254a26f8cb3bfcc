"""The parameters of a model, and models of parameters."""

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import random_tree

KINDS = ("armature", "rotor", "damping", "friction", "stiction")
ROBOTS = {
    "fixed": {"seed": 1, "n": 11, "fixed": True, "rotors": True},
    "floating": {"seed": 2, "n": 9, "floating_base": True, "fixed": True, "rotors": True},
    "mimic": {"seed": 3, "n": 9, "mimic": True, "fixed": True},
}


@pytest.fixture(params=ROBOTS)
def model(request):
    return random_tree(**ROBOTS[request.param])


def test_parameters_of_a_link_are_what_its_numbers_say():
    builder = fs.ModelBuilder("arm")
    builder.add_link("base", 9.0)
    builder.add_link("arm", 2.0, (0.1, 0.2, 0.3), [[1.0, 0.01, 0.02], [0.01, 1.1, 0.03], [0.02, 0.03, 1.2]])
    builder.add_joint("joint", "revolute", "base", "arm", axis=(1, 2, 3), damping=0.5, friction=0.25, armature=0.125)
    arm = builder.build()
    # by the parallel-axis theorem
    moments = [1.0 + 2 * 0.13, 0.01 - 2 * 0.02, 1.1 + 2 * 0.1, 0.02 - 2 * 0.03, 0.03 - 2 * 0.06, 1.2 + 2 * 0.05]
    np.testing.assert_allclose(arm.parameters(), [2.0, 0.2, 0.4, 0.6, *moments], rtol=1e-15)
    assert arm.parameters("all")[10:].tolist() == [0.125, 0.5, 0.25, 0.0]
    assert arm.parameter_names(("friction", "damping")) == (
        *(f"arm: {x}" for x in ("m", "m c_x", "m c_y", "m c_z", "I_xx", "I_xy", "I_yy", "I_xz", "I_yz", "I_zz")),
        "joint: damping",
        "joint: friction",
    )


def test_links_that_are_fixed_to_a_body_are_part_of_it(model):
    pi = model.parameters().reshape(-1, 10)
    np.testing.assert_allclose(pi[:, 0].sum(), model.body_mass.sum(), rtol=1e-14)
    q = model.random_configuration(4)
    poses = fs.forward_kinematics(model, q)
    moment = sum(T[:3, :3] @ h + m * T[:3, 3] for T, (m, *h) in zip(poses, pi[:, :4]))
    center = fs.center_of_mass(model, q)
    np.testing.assert_allclose(moment / model.body_mass.sum(), center, atol=1e-13)


@pytest.mark.parametrize("drives", [None, "all", *KINDS])
def test_a_model_of_other_parameters_has_them(model, drives):
    pi = model.parameters(drives)
    other = pi * np.random.default_rng(0).uniform(0.8, 1.2, len(pi))
    changed = model.with_parameters(other, drives)
    np.testing.assert_allclose(changed.parameters(drives), other, rtol=0, atol=1e-13 * np.abs(other).max())
    back = changed.with_parameters(pi, drives)
    np.testing.assert_allclose(back.parameters("all"), model.parameters("all"), rtol=0, atol=1e-13 * np.abs(pi).max())
    assert (changed.parameters(drives) != pi).any() == bool(len(pi) and (other != pi).any())


@pytest.mark.parametrize("drives", [None, "all"])
def test_a_model_of_its_own_parameters_is_the_same(model, drives):
    assert model.with_parameters(model.parameters(drives), drives).description == model.description


def test_what_is_not_asked_for_stays(model):
    changed = model.with_parameters(2.0 * model.parameters())
    assert changed.description.joints == model.description.joints
    n = model.tree.parameters
    np.testing.assert_array_equal(changed.parameters("all")[n:], model.parameters("all")[n:])


def test_friction_that_is_more_at_rest_stays_so(model):
    friction = model.parameters("all").copy()
    pi = model.parameters("friction")
    pi[model.tree.parameters :] += 0.5
    changed = model.with_parameters(pi, "friction")
    names = model.parameter_names("all")
    friction[[name.endswith(": friction") for name in names]] += 0.5
    np.testing.assert_allclose(changed.parameters("all"), friction, rtol=0, atol=1e-13 * np.abs(friction).max())


def test_a_reflected_rotor_becomes_armature_when_that_changes():
    arm = fs.models.load("six_axis").with_joint("joint_2", rotor=fs.Rotor(2e-5, 100.0))
    pi = arm.parameters("armature")
    assert pi[61] == pytest.approx(0.2)
    assert arm.with_parameters(pi, "armature").joints[1].rotor == fs.Rotor(2e-5, 100.0)
    pi[61] = 0.3
    changed = arm.with_parameters(pi, "armature")
    assert (changed.joints[1].rotor, changed.joints[1].armature) == (None, 0.3)


def test_a_body_that_changes_keeps_its_frames(model):
    pi = model.parameters()
    pi[0] += 1.0
    changed = model.with_parameters(pi)
    body = model.body_names[0]
    for link, was in zip(changed.description.links, model.description.links):
        assert link == was or (link.name == body) or link.mass == 0
    assert changed.frame_names == model.frame_names
    q = model.random_configuration(1)
    for name in model.frame_names:
        np.testing.assert_array_equal(fs.frame_pose(changed, q, name), fs.frame_pose(model, q, name))


@pytest.mark.parametrize(
    ("index", "value", "message"),
    [
        (0, -1.0, "link 'l1': pi: expected a mass >= 0, got m = -1"),
        (0, 0.0, "link 'l1': pi: expected no first moment without mass"),
        (20, -0.5, "joint 'shoulder': armature: expected a number >= 0"),
        (23, -0.5, "joint 'elbow': damping: expected a number >= 0"),
        (24, -0.5, "joint 'shoulder': friction: expected a number >= 0"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(index, value, message):
    arm = fs.models.load("planar_2r")
    pi = arm.parameters("all")
    pi[index] = value
    with pytest.raises(fs.ModelError, match=f"^{message}"):
        arm.with_parameters(pi, "all")


def test_stiction_without_a_stribeck_velocity_is_friction():
    """Its column is that of friction, so torques are those of the regressor."""
    arm = fs.models.load("planar_2r")
    pi = arm.parameters("all")
    pi[24:28] = 0.2, 0.0, 0.5, 0.3
    rough = arm.with_parameters(pi, "all")
    np.testing.assert_allclose(rough.parameters("friction")[-2:], [0.7, 0.3], rtol=1e-15)
    assert not rough.parameters("stiction")[-2:].any()
    state = [0.3, -0.4], [1.0, -2.0], [0.5, 0.1]
    Y = fs.torque_regressor(arm, *state, drives="all")
    np.testing.assert_allclose(fs.rnea(rough, *state, losses=True), Y @ pi, rtol=1e-13)


@pytest.mark.parametrize("pi", [np.zeros(19), np.zeros((2, 10)), [np.nan] * 20, "numbers"])
def test_other_than_the_right_number_of_parameters_is_refused(pi):
    with pytest.raises(ValueError, match=r"^pi: expected 20 finite numbers, ten for each of 2 bodies and 0 of drives"):
        fs.models.load("planar_2r").with_parameters(pi)


def test_a_body_without_mass_may_have_inertia():
    arm = fs.models.load("planar_2r")
    pi = arm.parameters()
    pi[:10] = [0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]
    np.testing.assert_array_equal(arm.with_parameters(pi).parameters(), pi)
