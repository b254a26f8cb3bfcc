"""States of MuJoCo: the mapping against MuJoCo's own numbers, there and back, for every joint type."""

import doctest

import mujoco
import numpy as np
import pytest

import featherstone as fs
from featherstone.compat.pairs import StructureError
from featherstone.proof.mujoco_builder import from_model

from ..oracles.cases import near, numbers
from ..random_trees import ALL, random_forces, random_parts, random_q, random_v

to = fs.compat.mujoco
TWO = """<mujoco><worldbody>
  <body name="base"><freejoint name="fly"/><inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.2 0.25"/>
    <body name="arm" pos="0 0 0.2"><joint name="elbow" axis="0 1 0" pos="0 0.1 0.05"/>
      <joint name="twist" axis="1 0 0"/>
      <inertial pos="0.2 0 0" mass="0.5" diaginertia="0.01 0.01 0.002"/></body>
  </body></worldbody></mujoco>"""


def pair_of(seed, n=10, joints=ALL, *, mimic=False, floating_base=False):
    """A random model of every joint type and the same in MuJoCo."""
    model = random_parts(seed, n, joints, mimic=mimic).build(floating_base=floating_base)
    return model, from_model(model).model


def same_rotation(a, b, quaternions):
    """Whether two configurations are the same, where q and -q are."""
    a, b = a.copy(), b.copy()
    for k in quaternions:
        b[..., k : k + 4] *= np.sign((a[..., k : k + 4] * b[..., k : k + 4]).sum(-1, keepdims=True))
    return np.allclose(a, b, rtol=0, atol=1e-14)


def test_a_floating_state_of_another_engine():
    """The published numbers of a torso with an arm."""
    right = numbers("03_state_from_another_engine")
    text = """<mujoco><compiler angle="radian"/><worldbody><body name="torso"><freejoint/>
      <inertial pos="0.03 -0.02 0.05" mass="5" fullinertia="0.09 0.07 0.05 0.005 -0.004 0.003"/>
      <body name="arm" pos="0.1 0.2 0.15" euler="0 0.3 0"><joint name="shoulder" axis="0.2 1 0"/>
        <inertial pos="0.15 0.01 0.02" mass="0.9" fullinertia="0.002 0.006 0.0061 0.0001 0 0.0002"/>
      </body></body></worldbody></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    model = fs.load_mjcf(theirs)
    q = to.from_q(model, theirs, right["mujoco_qpos"])
    qd = to.from_v(model, theirs, q, right["mujoco_qvel"])
    assert near(q, right["q"])
    assert near(qd, right["qd"])
    assert near(to.to_q(model, theirs, right["q"]), right["mujoco_qpos"])
    assert near(to.to_v(model, theirs, right["q"], right["qd"]), right["mujoco_qvel"])
    assert near(fs.bias_torque(model, q, qd), right["bias"])
    assert near(fs.crba(model, q), right["mass_matrix"])


class TestAgainstMujoco:
    """One state in MuJoCo, whose own functions say what it is."""

    @pytest.fixture
    def case(self):
        theirs = mujoco.MjModel.from_xml_string(TWO)
        theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        data, rng = mujoco.MjData(theirs), np.random.default_rng(0)
        data.qpos[:] = rng.normal(size=theirs.nq)
        data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
        data.qvel[:], data.qfrc_applied[:] = rng.normal(size=(2, theirs.nv))
        data.xfrc_applied[1:] = rng.normal(size=(2, 6))
        mujoco.mj_forward(theirs, data)
        model = fs.load_mjcf(theirs)
        q = to.from_q(model, theirs, data.qpos)
        return model, theirs, data, q, to.from_v(model, theirs, q, data.qvel)

    def test_poses(self, case):
        model, _, data, q, _ = case
        for b, name in enumerate(("base", "arm"), start=1):
            T = fs.frame_pose(model, q, name)
            assert np.allclose(T[:3, 3], data.xpos[b], atol=1e-14)
            assert np.allclose(T[:3, :3].ravel(), data.xmat[b], atol=1e-14)

    def test_kinetic_energy_and_mass_matrix(self, case):
        model, theirs, data, q, qd = case
        mujoco.mj_energyVel(theirs, data)
        assert fs.kinetic_energy(model, q, qd) == pytest.approx(data.energy[1], rel=1e-13)
        M = np.zeros((theirs.nv, theirs.nv))
        for column, unit in zip(M, np.eye(theirs.nv)):
            mujoco.mj_mulM(theirs, data, column, unit)
        assert np.allclose(to.from_mass_matrix(model, theirs, q, M), fs.crba(model, q), atol=1e-14)
        assert np.allclose(to.to_mass_matrix(model, theirs, q, fs.crba(model, q)), M, atol=1e-14)

    def test_accelerations_and_forces(self, case):
        model, theirs, data, q, qd = case
        tau = to.from_tau(model, theirs, q, data.qfrc_applied)
        f_ext = to.from_f_ext(model, theirs, q, data.xfrc_applied)
        qdd = fs.aba(model, q, qd, tau, f_ext)
        assert np.allclose(to.to_a(model, theirs, q, qd, qdd), data.qacc, rtol=1e-12, atol=1e-12)
        assert np.allclose(to.from_a(model, theirs, q, qd, data.qacc), qdd, rtol=1e-12, atol=1e-12)

    def test_forces_on_bodies_come_back(self, case):
        model, theirs, data, q, _ = case
        f_ext = to.from_f_ext(model, theirs, q, data.xfrc_applied)
        assert np.allclose(to.to_f_ext(model, theirs, q, f_ext), data.xfrc_applied, atol=1e-14)

    def test_a_force_on_a_link_between_joints_has_no_place(self, case):
        model, theirs, _, q, _ = case
        f_ext = np.zeros((model.nb, 6))
        f_ext[model.body_index("arm_at_elbow"), 4] = 1.0
        with pytest.raises(StructureError, match="a force acts on 'arm_at_elbow', which is no body in MuJoCo's"):
            to.to_f_ext(model, theirs, q, f_ext)


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,)])
@pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"])
def test_there_and_back_for_every_joint_type(floating_base, shape):
    model, theirs = pair_of(3, floating_base=floating_base)
    assert {joint.type for joint in model.joints} >= set(ALL)
    q, rng = random_q(model, 0, shape), np.random.default_rng(1)
    qd, qdd, tau = (random_v(model, rng, shape) for _ in range(3))
    qpos = to.to_q(model, theirs, q)
    assert qpos.shape == (*shape, theirs.nq)
    assert same_rotation(to.from_q(model, theirs, qpos), q, model.quaternion_indices)
    qvel, qfrc = to.to_v(model, theirs, q, qd), to.to_tau(model, theirs, q, tau)
    assert qvel.shape == qfrc.shape == (*shape, theirs.nv)
    assert np.allclose(to.from_v(model, theirs, q, qvel), qd, atol=1e-13)
    assert np.allclose(to.from_tau(model, theirs, q, qfrc), tau, atol=1e-13)
    qacc = to.to_a(model, theirs, q, qd, qdd)
    assert np.allclose(to.from_a(model, theirs, q, qd, qacc), qdd, atol=1e-13)
    f_ext = random_forces(model, rng, shape)
    xfrc = to.to_f_ext(model, theirs, q, f_ext)
    assert xfrc.shape == (*shape, theirs.nbody, 6)
    assert np.allclose(to.from_f_ext(model, theirs, q, xfrc), f_ext, atol=1e-13)


def test_power_is_the_same_in_both():
    model, theirs = pair_of(4, floating_base=True)
    q, qd, tau = random_q(model, 0, (9,)), random_v(model, 1, (9,)), random_v(model, 2, (9,))
    power = (to.to_tau(model, theirs, q, tau) * to.to_v(model, theirs, q, qd)).sum(-1)
    assert np.allclose(power, (tau * qd).sum(-1), atol=1e-13)


def test_arguments_broadcast_and_lists_are_taken():
    model, theirs = pair_of(5, 4, ("revolute", "planar", "spherical", "floating"))
    q, qd = random_q(model, 0), random_v(model, 1, (6,))
    many = to.to_v(model, theirs, q, qd)
    assert many.shape == (6, theirs.nv)
    np.testing.assert_array_equal(many[2], to.to_v(model, theirs, q.tolist(), qd[2].tolist()))
    H = fs.crba(model, random_q(model, 3, (2, 5)))
    assert to.to_mass_matrix(model, theirs, q, H).shape == (2, 5, theirs.nv, theirs.nv)


def test_inputs_are_not_changed():
    model, theirs = pair_of(6, floating_base=True)
    q, qd = random_q(model, 0), random_v(model, 1)
    kept = q.copy(), qd.copy()
    to.to_a(model, theirs, q, qd, qd)
    to.from_v(model, theirs, q, to.to_v(model, theirs, q, qd))
    np.testing.assert_array_equal(q, kept[0])
    np.testing.assert_array_equal(qd, kept[1])


class TestFollowers:
    @pytest.fixture
    def case(self):
        model, theirs = pair_of(2, 6, mimic=True)
        assert any(model.leaders)
        return model, theirs, random_q(model, 0, (5,)), random_v(model, 1, (5,))

    def test_they_move_with_their_leaders(self, case):
        model, theirs, q, qd = case
        assert theirs.nv > model.nv
        qpos, qvel = to.to_q(model, theirs, q), to.to_v(model, theirs, q, qd)
        follower = next(joint for joint, leader in zip(model.joints, model.leaders) if leader)
        address = theirs.joint(follower.name).qposadr[0]
        leader = qpos[:, theirs.joint(follower.mimic.joint).qposadr[0]]
        assert np.allclose(qpos[:, address], follower.mimic.multiplier * leader + follower.mimic.offset, atol=1e-14)
        assert same_rotation(to.from_q(model, theirs, qpos), q, model.quaternion_indices)
        assert np.allclose(to.from_v(model, theirs, q, qvel), qd, atol=1e-14)

    def test_one_that_does_not_is_told(self, case):
        model, theirs, q, qd = case
        follower = next(joint.name for joint, leader in zip(model.joints, model.leaders) if leader)
        qpos, qvel = to.to_q(model, theirs, q), to.to_v(model, theirs, q, qd)
        qpos[3, theirs.joint(follower).qposadr[0]] += 1e-3
        qvel[3, theirs.joint(follower).dofadr[0]] += 1e-3
        with pytest.raises(ValueError, match=f"joint '{follower}' follows .* does not in these numbers of MuJoCo"):
            to.from_q(model, theirs, qpos)
        with pytest.raises(ValueError, match=f"joint '{follower}' follows"):
            to.from_v(model, theirs, q, qvel)

    def test_forces_are_the_leaders(self, case):
        model, theirs, q, _ = case
        tau = random_v(model, 3, (5,))
        assert np.allclose(to.from_tau(model, theirs, q, to.to_tau(model, theirs, q, tau)), tau, atol=1e-14)
        with pytest.raises(StructureError, match="load the model with mimic=False"):
            to.to_mass_matrix(model, theirs, q, fs.crba(model, q))


class TestMistakes:
    def test_a_joint_that_only_one_has(self):
        theirs = mujoco.MjModel.from_xml_string(TWO)
        other = mujoco.MjModel.from_xml_string(TWO.replace('name="elbow"', 'name="bend"'))
        model = fs.load_mjcf(theirs)
        with pytest.raises(StructureError, match="joint 'elbow' moves in featherstone's model and is not in MuJoCo's"):
            to.to_q(model, other, model.neutral())
        locked = model.lock("twist")
        with pytest.raises(StructureError, match="joint 'twist' moves in MuJoCo's model and not in featherstone's"):
            to.to_q(locked, theirs, locked.neutral())

    def test_a_joint_of_another_kind(self):
        other = mujoco.MjModel.from_xml_string(TWO.replace('name="twist"', 'name="twist" type="slide"'))
        model = fs.load_mjcf(TWO)
        with pytest.raises(StructureError, match="joint 'twist' is continuous, and slide in MuJoCo"):
            to.to_q(model, other, model.neutral())

    def test_shapes_and_kinds(self):
        theirs = mujoco.MjModel.from_xml_string(TWO)
        model = fs.load_mjcf(theirs)
        with pytest.raises(ValueError, match=r"q: expected the shape \(..., 9\) for MuJoCo, got \(8,\)"):
            to.to_q(model, theirs, np.zeros(8))
        with pytest.raises(TypeError, match="qpos: expected an array of numbers"):
            to.from_q(model, theirs, ["a"] * 9)
        with pytest.raises(ValueError, match="joint 'root_joint': expected a quaternion of unit length"):
            to.to_v(model, theirs, np.zeros(9), np.zeros(8))

    def test_the_free_joint_of_a_floating_base_is_found_by_its_link(self):
        text = TWO.replace("</worldbody>", '<body name="z"><freejoint/><geom size="1"/></body></worldbody>')
        other, model = mujoco.MjModel.from_xml_string(text), fs.load_mjcf(TWO)
        with pytest.raises(StructureError, match="joint 'z_joint' moves in MuJoCo's model and not in featherstone's"):
            to.to_q(model, other, model.neutral())
        renamed = fs.load_mjcf(TWO).rename(links={"base": "trunk"})
        assert to.to_q(renamed, mujoco.MjModel.from_xml_string(TWO), renamed.neutral())[3] == 1.0


def test_the_example_in_the_docstring():
    assert doctest.testmod(to) == (0, 4)
