"""States of Pinocchio: the mapping against Pinocchio's own numbers, there and back, for every joint type."""

import doctest

import numpy as np
import pinocchio
import pytest

import featherstone as fs
from featherstone.compat.pairs import StructureError
from featherstone.proof.pinocchio_source import from_description

from ..random_trees import ALL, random_forces, random_parts, random_q, random_v

to = fs.compat.pinocchio


def pair_of(seed, n=10, joints=ALL, *, mimic=False, floating_base=False):
    """A random model of every joint type and the same in Pinocchio."""
    model = random_parts(seed, n, joints, mimic=mimic, armature=False).build(floating_base=floating_base)
    return model, from_description(model.description, floating_base).model


def same_configuration(model, a, b):
    """Whether two configurations have the same poses."""
    return np.allclose(fs.forward_kinematics(model, a), fs.forward_kinematics(model, b), rtol=0, atol=1e-13)


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,)])
@pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"])
def test_there_and_back_for_every_joint_type(floating_base, shape):
    model, theirs = pair_of(3, floating_base=floating_base)
    assert {joint.type for joint in model.joints} >= set(ALL)
    q, rng = random_q(model, 0, shape), np.random.default_rng(1)
    v, tau = random_v(model, rng, shape), random_v(model, rng, shape)
    their_q = to.to_q(model, theirs, q)
    assert their_q.shape == (*shape, theirs.nq)
    assert same_configuration(model, to.from_q(model, theirs, their_q), q)
    for there, back, x in (
        (to.to_v, to.from_v, v),
        (to.to_a, to.from_a, v),
        (to.to_tau, to.from_tau, tau),
    ):
        assert there(model, theirs, x).shape == (*shape, theirs.nv)
        np.testing.assert_array_equal(back(model, theirs, there(model, theirs, x)), x)
    f_ext = random_forces(model, rng, shape)
    f = to.to_f_ext(model, theirs, f_ext)
    assert f.shape == (*shape, theirs.njoints, 6)
    assert np.allclose(to.from_f_ext(model, theirs, f), f_ext, atol=1e-13)


@pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"])
def test_pinocchio_computes_the_same_from_the_mapped_state(floating_base):
    model, theirs = pair_of(4, floating_base=floating_base)
    data = theirs.createData()
    q, qd, qdd = random_q(model, 0), random_v(model, 1), random_v(model, 2)
    f_ext = random_forces(model, 3)
    Q, V, A = to.to_q(model, theirs, q), to.to_v(model, theirs, qd), to.to_a(model, theirs, qdd)
    forces = pinocchio.StdVec_Force()
    forces.extend([pinocchio.Force(x) for x in to.to_f_ext(model, theirs, f_ext)])
    tau = to.from_tau(model, theirs, pinocchio.rnea(theirs, data, Q, V, A, forces))
    assert np.allclose(tau, fs.rnea(model, q, qd, qdd, f_ext), rtol=1e-12, atol=1e-12)
    M = to.from_mass_matrix(model, theirs, pinocchio.crba(theirs, data, Q))
    assert np.allclose(M, fs.crba(model, q), rtol=1e-12, atol=1e-12)
    upper = np.triu_indices(theirs.nv)
    assert np.allclose(to.to_mass_matrix(model, theirs, fs.crba(model, q))[upper], data.M[upper], atol=1e-12)


def test_continuous_angles_come_back_between_half_turns():
    text = fs.models.load("cart_pole").to_urdf()
    model, theirs = fs.load_urdf(text), pinocchio.buildModelFromXML(text)
    q = np.array([0.5, 7.0])
    back = to.from_q(model, theirs, to.to_q(model, theirs, q))
    assert np.allclose(back, [0.5, 7.0 - 2 * np.pi], atol=1e-14)


class TestFollowers:
    @pytest.fixture
    def case(self):
        parts = random_parts(2, 6, joints=("revolute", "prismatic"), mimic=True)
        model = parts.build()
        assert any(model.leaders)
        theirs = from_description(model.description, False).model
        return model, theirs, random_q(model, 0, (5,)), random_v(model, 1, (5,))

    def test_they_move_with_their_leaders(self, case):
        model, theirs, q, qd = case
        assert theirs.nv > model.nv
        assert np.allclose(to.from_q(model, theirs, to.to_q(model, theirs, q)), q, atol=1e-14)
        assert np.allclose(to.from_v(model, theirs, to.to_v(model, theirs, qd)), qd, atol=1e-14)

    def test_one_that_does_not_is_told(self, case):
        model, theirs, _, qd = case
        follower = next(joint.name for joint, leader in zip(model.joints, model.leaders) if leader)
        v = to.to_v(model, theirs, qd)
        v[3, theirs.joints[theirs.getJointId(follower)].idx_v] += 1e-3
        with pytest.raises(ValueError, match=f"joint '{follower}' follows .* does not in these numbers of Pinocchio"):
            to.from_v(model, theirs, v)

    def test_forces_are_the_leaders(self, case):
        model, theirs, q, _ = case
        tau = random_v(model, 3, (5,))
        assert np.allclose(to.from_tau(model, theirs, to.to_tau(model, theirs, tau)), tau, atol=1e-14)
        with pytest.raises(StructureError, match="load the model with mimic=False"):
            to.to_mass_matrix(model, theirs, fs.crba(model, q))


def test_a_joint_that_only_one_has_is_named():
    model, theirs = pair_of(5)
    name = model.joint_names[2]
    with pytest.raises(StructureError, match="joint 'other' moves in featherstone's model and is not in Pinocchio's"):
        to.to_v(model.rename(joints={name: "other"}), theirs, np.zeros(model.nv))
    locked = model.lock(name)
    with pytest.raises(StructureError, match=f"joint '{name}' moves in Pinocchio's model and not in featherstone's"):
        to.to_v(locked, theirs, np.zeros(locked.nv))


def test_followers_that_pinocchio_applies_itself_are_refused():
    hand = """<robot name="hand"><link name="palm"/>{}</robot>"""
    finger = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial></link><joint name="to_{0}" type="prismatic"><parent link="palm"/><child link="{0}"/>
      <limit lower="0" upper="1" effort="1" velocity="1"/>{1}</joint>"""
    text = hand.format(finger.format("a", "") + finger.format("b", '<mimic joint="to_a"/>'))
    theirs = pinocchio.buildModelFromXML(text, mimic=True)
    with pytest.raises(StructureError, match="joint 'to_b' is prismatic, and JointModelMimic"):
        to.to_q(fs.load_urdf(text), theirs, [0.5])


def test_a_link_that_pinocchio_does_not_know_is_named():
    model, theirs = pair_of(6)
    link = model.body_names[1]
    with pytest.raises(StructureError, match="link 'other' is in featherstone's model and not in Pinocchio's"):
        to.to_f_ext(model.rename(links={link: "other"}), theirs, np.zeros((model.nb, 6)))


def test_shapes_are_checked():
    model, theirs = pair_of(7)
    with pytest.raises(ValueError, match=r"qd: expected the shape \(..., .*\) for Pinocchio, got \(1,\)"):
        to.to_v(model, theirs, [0.0])


def test_the_example_in_the_docstring():
    assert doctest.testmod(to) == (0, 4)


def test_joints_that_urdf_splits_are_matched_to_composites_only():
    builder = fs.ModelBuilder("cardan")
    builder.add_link("base")
    builder.add_link("shaft", 1.0, (0.1, 0.2, 0.3), np.eye(3) * 0.1)
    builder.add_joint("joint", "universal", "base", "shaft")
    model = builder.build()
    with pytest.warns(fs.ModelWarning, match="written as several"):
        several = pinocchio.buildModelFromXML(model.to_urdf())
    with pytest.raises(StructureError, match="joint 'joint' moves in featherstone's model and is not in Pin"):
        to.to_q(model, several, [0.1, 0.2])
    composite = pinocchio.JointModelComposite()
    composite.addJoint(pinocchio.JointModelRX())
    composite.addJoint(pinocchio.JointModelRY())
    one = pinocchio.Model()
    one.addJoint(0, composite, pinocchio.SE3.Identity(), "joint")
    assert to.to_q(model, one, [0.1, 0.2]).tolist() == [0.1, 0.2]


def test_pinocchio_ignores_the_axis_of_planar_joints_in_urdf():
    builder = fs.ModelBuilder("puck")
    builder.add_link("table")
    builder.add_link("puck", 1.0, (0.1, 0.2, 0.3), np.eye(3) * 0.1)
    builder.add_joint("glide", "planar", "table", "puck", axis=(1, 0, 0))
    model = builder.build()
    theirs = pinocchio.buildModelFromXML(model.to_urdf())
    data = theirs.createData()
    q = np.array([0.5, 0.0, 0.0])
    pinocchio.forwardKinematics(theirs, data, to.to_q(model, theirs, q))
    assert data.oMi[1].translation.tolist() == [0.5, 0.0, 0.0]
    assert fs.frame_pose(model, q, "puck")[0, 3] == 0.0
