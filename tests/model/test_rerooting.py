"""A robot with another root is the same robot: its energies and its dynamics, by way of the map of its base."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.model.rerooting import REVERSIBLE

from ..random_trees import random_q, random_tree, random_v

NEAR = 1e-11  # chains of at most 9 bodies of the size of 1: some hundred roundings, times condition numbers below 1e3


def tree(seed, **options):
    options = {"fixed": True, "massless": False, **options}
    return random_tree(seed, 9, REVERSIBLE[1:], floating_base=True, **options)


def world_screws(model, q):
    """For each link the matrix (6, nv) from qd to its spatial velocity about the world's origin, in world axes."""
    poses = dict(zip(model.body_names, fs.forward_kinematics(model, q)))
    J = np.zeros((model.nb, 6, model.nv))
    for b, joint in enumerate(model.joints):
        R, p = poses[joint.child][:3, :3], poses[joint.child][:3, 3]
        if b:
            J[b] = J[model.parent[b]]
            leader = model.leaders[b] or joint.name
            k = model.qd_index(leader)
            axis = R @ np.array(joint.axis)
            turn, slide = np.r_[axis, np.cross(p, axis) + joint.pitch * axis], np.r_[np.zeros(3), axis]
            if joint.type == "cylindrical":
                J[b][:, k] += np.stack([turn, slide], axis=1)
            else:
                scale = joint.mimic.multiplier if joint.mimic and model.leaders[b] else 1.0
                J[b][:, k] += scale * (slide if joint.type == "prismatic" else turn)
        else:
            px = np.cross(np.eye(3), p) @ R  # column j: p x (R e_j), since rows of cross(eye, p) are -(p x e_i)
            J[b][:, model.qd_index(joint.name)] = np.block([[R, np.zeros((3, 3))], [px, R]])
    return J


def mapped(model, other, link, q):
    """The other model's q, and the matrix from the one's qd to the other's."""
    q_other, M = other.neutral(), np.zeros((other.nv, model.nv))
    for joint in other.joint_names[1:]:
        if joint in model.joint_names and other.leaders[other.joint_names.index(joint)] is None:
            q_other[other.q_index(joint)] = q[model.q_index(joint)]
            M[other.qd_index(joint), model.qd_index(joint)] = np.eye(model.nv)[
                model.qd_index(joint), model.qd_index(joint)
            ]
    T = fs.frame_pose(model, q, link)
    R, p = T[:3, :3], T[:3, 3]
    q_other[:3], q_other[3:7] = p, quaternion(R)
    body = model.frame(link).body - 1
    J = world_screws(model, q)[body]
    M[:3] = R.T @ J[:3]
    M[3:6] = R.T @ (J[3:] - np.cross(p, J[:3], axisb=0).T)
    return q_other, M


def quaternion(R):
    """x, y, z, w of a rotation, by its eigenvector."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
            [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
            [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
        ]
    )
    return np.linalg.eigh(K / 3, "L").eigenvectors[:, -1]


def scaled_error(found, right):
    return np.abs(np.subtract(found, right)).max(initial=0.0) / max(1.0, np.abs(right).max(initial=0.0))


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_same_robot_from_every_link(seed):
    model, rng = tree(seed), np.random.default_rng(seed)
    q, qd = random_q(model, rng), random_v(model, rng)
    for link in model.frame_names:
        other = model.reroot(link)
        assert other.joints[0].child == link
        assert (other.nv, other.nq) == (model.nv, model.nq)
        assert other.mass == pytest.approx(model.mass, rel=1e-14)
        q_other, M = mapped(model, other, link, q)
        for frame in model.frame_names:
            assert scaled_error(fs.frame_pose(other, q_other, frame), fs.frame_pose(model, q, frame)) < NEAR
        H, H_other = fs.crba(model, q), fs.crba(other, q_other)
        assert scaled_error(M.T @ H_other @ M, H) < NEAR
        energies = [fs.kinetic_energy(model, q, qd), fs.potential_energy(model, q)]
        assert scaled_error(
            [fs.kinetic_energy(other, q_other, M @ qd), fs.potential_energy(other, q_other)], energies
        ) < (NEAR)
        assert scaled_error(M.T @ fs.gravity_torque(other, q_other), fs.gravity_torque(model, q)) < NEAR
        assert scaled_error(other.armature @ (M @ qd) ** 2, model.armature @ qd**2) < NEAR


@pytest.mark.parametrize("seed", range(6))
def test_its_joints_accelerate_alike(seed):
    """Whatever the base is, the same torques of joints give the same accelerations of joints, moving as it does."""
    model, rng = tree(seed), np.random.default_rng(seed)
    q, qd, tau = random_q(model, rng), random_v(model, rng), random_v(model, rng)
    tau[:6] = 0.0
    qdd = fs.forward_dynamics(model, q, qd, tau, method="cholesky", losses=True)
    for link in model.frame_names:
        other = model.reroot(link)
        q_other, M = mapped(model, other, link, q)
        joints = M[6:]  # picks a joint's rate
        found = fs.forward_dynamics(other, q_other, M @ qd, np.r_[np.zeros(6), joints @ tau], losses=True)
        condition = np.linalg.cond(fs.crba(other, q_other))
        assert scaled_error(found[6:], joints @ qdd) < NEAR * condition


def test_there_and_back_it_is_the_same_motion():
    dog = fs.models.load("quadruped")
    back = dog.reroot("front_left_foot").reroot("trunk")
    q, qd = dog.random_configuration(3), np.linspace(-1, 1, dog.nv)
    q_back, M = mapped(dog, back, "trunk", q)
    assert scaled_error(M.T @ fs.crba(back, q_back) @ M, fs.crba(dog, q)) < NEAR
    assert scaled_error(M.T @ fs.bias_torque(back, q_back, M @ qd), fs.bias_torque(dog, q, qd)) < NEAR


def test_the_root_itself_changes_nothing():
    dog = fs.models.load("quadruped")
    assert dog.reroot("trunk").description == dog.description


def test_names_coordinates_and_limits_stay():
    dog = fs.models.load("quadruped")
    other = dog.reroot("front_left_foot")
    assert set(other.joint_names) == set(dog.joint_names)
    assert set(other.frame_names) > set(dog.frame_names)
    for joint in dog.joint_names[1:]:
        assert other.q_lower[other.q_index(joint)] == dog.q_lower[dog.q_index(joint)]
        assert other.q_upper[other.q_index(joint)] == dog.q_upper[dog.q_index(joint)]
        assert other.tau_limit[other.qd_index(joint)] == dog.tau_limit[dog.qd_index(joint)]
    assert fs.Model.from_json(other.to_json()).description == other.description


def chain(type, **options):
    builder = fs.ModelBuilder("chain")
    for name in ("a", "b", "j_reversed"):
        builder.add_link(name, 1.0, inertia=np.eye(3))
    builder.add_joint("j", type, "a", "b", position=(1, 0, 0), **options)
    builder.add_joint("k", "fixed", "b", "j_reversed")
    return builder.build(floating_base=True)


@pytest.mark.parametrize(
    ("type", "options", "said"),
    [
        ("spherical", {}, "it is spherical"),
        ("planar", {}, "it is planar"),
        ("floating", {}, "it is floating"),
        ("universal", {}, "it is universal"),
        ("revolute", {"rotor": fs.Rotor(0.01, 50.0, gyroscopic=True)}, "its rotor spins on the link"),
    ],
)
def test_joints_that_have_a_direction_are_refused_by_name(type, options, said):
    with pytest.raises(fs.ModelError, match=f"joint 'j': lies between .* {said}") as raised:
        chain(type, **options).reroot("b")
    assert raised.value.element == ("joint", "j")
    assert chain(type, **options).reroot("a").nb == 2  # it does not lie on the way


def test_names_that_are_taken_are_left_alone():
    assert chain("revolute").reroot("b").body_names == ("b", "j_reversed_")


def test_a_robot_that_is_held_is_refused():
    with pytest.raises(fs.ModelError, match="expected a robot with a floating base"):
        fs.models.load("seven_axis").reroot("link_3")
    with pytest.raises(fs.UnknownNameError):
        fs.models.load("quadruped").reroot("nobody")
