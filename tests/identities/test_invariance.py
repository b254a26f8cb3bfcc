"""What must not matter: where the world's axes are, in which order a robot is described, which links are merged."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.kinematics import KINEMATICS
from featherstone.algorithms.rnea import RNEA

from ..random_trees import Parts, random_forces
from ..rounding import Rounded, U, bounded, constants
from .robots import COUNT, ROBOTS, places
from .robots import robot as named

FLOATING = [name for name, (_, options) in ROBOTS.items() if options.get("floating_base")]
FIXED = [name for name in ROBOTS if name not in FLOATING]
BOLTED = [name for name, (arguments, _) in ROBOTS.items() if arguments.get("fixed")]
ROUNDINGS = 16.0  # of a constant that is computed on two ways: a few rotations and sums
TURN = np.array([0.36, -0.48, 0.64, 0.48])  # a quaternion (x, y, z, w)
SHIFT = np.array([3.0, -1.0, 0.5])


def product(a, b):
    """The product of two quaternions (..., 4)."""
    x, w, y, v = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    return np.concatenate([w * y + v * x + np.cross(x, y), w * v - (x * y).sum(-1, keepdims=True)], -1)


def rotation(unit):
    """The rotation matrix of a quaternion, from how it turns the axes."""
    back = unit * [-1.0, -1.0, -1.0, 1.0]
    return np.column_stack([product(product(unit, np.append(axis, 0.0)), back)[:3] for axis in np.eye(3)])


def taken_from(source, target, index):
    """For each entry of the target's q or qd, where it is in the source's."""
    free = [name for name, leader in zip(target.joint_names, target.leaders) if leader is None]
    return np.concatenate([places(source, index, name) for name in free]).astype(int)


@pytest.mark.parametrize("name", FIXED)
def test_moving_the_base_and_gravity_changes_no_torque(name):
    robot = named(name)
    R = rotation(TURN / np.linalg.norm(TURN))
    anchor = fs.Joint("anchor", "fixed", "ground", "base", tuple(map(tuple, R.tolist())), tuple(SHIFT.tolist()))
    parts = Parts((fs.Link("ground"), *robot.parts.links), (anchor, *robot.parts.joints))
    moved = parts.build(**{**robot.options, "gravity": R @ robot.model.gravity})
    assert moved.joint_names == robot.model.joint_names
    state = (robot.q, robot.qd, robot.qdd, robot.f_ext)
    allowed = bounded(RNEA, moved, [*state], (moved.nv,), constants(moved, ROUNDINGS)).error + robot.torque.error
    assert (np.abs(fs.rnea(moved, *state) - fs.rnea(robot.model, *state)) <= allowed).all()
    # but it has moved
    carried = np.block([[R, SHIFT[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
    expected = carried @ fs.forward_kinematics(robot.model, robot.q)
    error = bounded(KINEMATICS, moved, [robot.q], expected.shape[1:], constants(moved, ROUNDINGS)).error
    assert (np.abs(fs.forward_kinematics(moved, robot.q) - expected) <= 2.0 * error + 32.0 * U).all()


@pytest.mark.parametrize("name", FLOATING)
def test_moving_a_floating_robot_and_gravity_changes_no_torque(name):
    robot = named(name)
    unit = TURN / np.linalg.norm(TURN)
    R = rotation(unit)
    q = robot.q.copy()
    q[:, :3], q[:, 3:7] = q[:, :3] @ R.T + SHIFT, product(unit, q[:, 3:7])
    moved = robot.model.with_gravity(R @ robot.model.gravity)
    rest = (robot.qd, robot.qdd, robot.f_ext)
    uncertain = Rounded(q, ROUNDINGS * U * np.maximum(1.0, np.abs(q)))
    error = bounded(RNEA, moved, [uncertain, *rest], (moved.nv,), constants(moved, ROUNDINGS)).error
    allowed = error + robot.torque.error
    assert (np.abs(fs.rnea(moved, q, *rest) - fs.rnea(robot.model, robot.q, *rest)) <= allowed).all()
    assert np.abs(fs.rnea(moved, robot.q, *rest) - fs.rnea(robot.model, robot.q, *rest)).max() > 0.1


def test_renumbering_the_bodies_permutes_the_result(robot):
    rng = np.random.default_rng(5)
    model = robot.model
    order = rng.permutation(len(robot.parts.joints)) if model.nb > 1 else [0]
    other = robot.parts.build(order=order, **robot.options)
    assert sorted(other.body_names) == sorted(model.body_names)
    rates, coordinates = taken_from(model, other, "qd_index"), taken_from(model, other, "q_index")
    bodies = [model.body_index(name) for name in other.body_names]
    q, qd, qdd, f_ext = (
        robot.q[:, coordinates],
        robot.qd[:, rates],
        robot.qdd[:, rates],
        robot.f_ext[:, bodies],
    )
    tau = fs.rnea(model, robot.q, robot.qd, robot.qdd, robot.f_ext)[:, rates]
    assert (np.abs(fs.rnea(other, q, qd, qdd, f_ext) - tau) <= 2.0 * robot.torque.error[:, rates]).all()
    H = fs.crba(model, robot.q)[:, rates[:, None], rates]
    assert (np.abs(fs.crba(other, q) - H) <= 2.0 * robot.mass_matrix.error[:, rates[:, None], rates]).all()
    found = fs.aba(other, q, qd, robot.tau[:, rates], f_ext)
    expected = fs.aba(model, robot.q, robot.qd, robot.tau, robot.f_ext)
    allowed = 2.0 * robot.solve_error(expected, robot.bias.error)
    assert (np.abs(found - expected[:, rates]) <= allowed[:, rates]).all()
    np.testing.assert_array_equal(fs.forward_kinematics(other, q), fs.forward_kinematics(model, robot.q)[:, bodies])
    np.testing.assert_array_equal(fs.integrate(other, q, qd), fs.integrate(model, robot.q, robot.qd)[:, coordinates])


def test_some_robots_are_renumbered():
    def renumbered(name):
        robot = named(name)
        order = np.random.default_rng(5).permutation(len(robot.parts.joints))
        return robot.parts.build(order=order, **robot.options).joint_names != robot.model.joint_names

    assert sum(renumbered(name) for name in ROBOTS) > len(ROBOTS) // 3


@pytest.mark.parametrize("name", BOLTED)
def test_merging_fixed_links_changes_no_torque(name):
    robot = named(name)
    merged, whole = robot.model, robot.parts.build(merge_fixed=False, **robot.options)
    assert whole.nb > merged.nb
    assert (whole.nq, whole.nv) == (merged.nq, merged.nv)
    rates, coordinates = taken_from(whole, merged, "qd_index"), taken_from(whole, merged, "q_index")
    np.testing.assert_array_equal(rates, np.arange(merged.nv))
    np.testing.assert_array_equal(coordinates, np.arange(merged.nq))
    forces = np.zeros((COUNT, whole.nb, 6))
    forces[:, [whole.body_index(name) for name in merged.body_names]] = robot.f_ext
    state = (robot.q, robot.qd, robot.qdd)
    errors = [
        bounded(RNEA, model, [*state, f_ext], (model.nv,), constants(model, ROUNDINGS)).error
        for model, f_ext in ((whole, forces), (merged, robot.f_ext))
    ]
    difference = fs.rnea(whole, *state, forces) - fs.rnea(merged, *state, robot.f_ext)
    assert (np.abs(difference) <= sum(errors)).all()
    qdd = fs.aba(merged, robot.q, robot.qd, robot.tau, robot.f_ext)
    allowed = robot.solve_error(qdd, 2.0 * sum(errors)) + robot.solve_error(qdd, robot.bias.error)
    assert (np.abs(fs.aba(whole, robot.q, robot.qd, robot.tau, forces) - qdd) <= allowed).all()
    for frame in merged.frame_names:
        one, other = (fs.frame_pose(model, robot.q, frame) for model in (merged, whole))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e3 * U * np.abs(one).max())
    assert merged.mass == pytest.approx(whole.mass, rel=len(robot.parts.links) * U)


@pytest.mark.parametrize("name", [name for name in BOLTED if "star" not in name])
def test_a_force_on_a_bolted_link_is_one_on_what_carries_it(name):
    """Moved with the lever arm and the axes of the fixed joint between them."""
    robot = named(name)
    merged, whole = robot.model, robot.parts.build(merge_fixed=False, **robot.options)
    brackets = [link for link in whole.body_names if link.startswith("bracket") and merged.frame(link).body > 0]
    assert brackets
    carried, moved = np.zeros((COUNT, whole.nb, 6)), np.zeros((COUNT, merged.nb, 6))
    for bracket, f in zip(brackets, random_forces(whole, 8, (len(brackets), COUNT))[:, :, 0]):
        _, body, pose = merged.frame(bracket)
        R, p = pose[:3, :3], pose[:3, 3]
        carried[:, whole.body_index(bracket)] = f
        force = f[:, 3:] @ R.T
        moved[:, body - 1] += np.concatenate([f[:, :3] @ R.T + np.cross(p, force), force], -1)
    state = (robot.q, robot.qd, robot.qdd)
    uncertain = Rounded(moved, ROUNDINGS * U * np.abs(moved).sum(axis=(1, 2), keepdims=True) * np.ones_like(moved))
    allowed = bounded(RNEA, merged, [*state, uncertain], (merged.nv,), constants(merged, ROUNDINGS)).error
    allowed = allowed + bounded(RNEA, whole, [*state, carried], (whole.nv,), constants(whole, ROUNDINGS)).error
    assert (np.abs(fs.rnea(whole, *state, carried) - fs.rnea(merged, *state, moved)) <= allowed).all()


def test_a_quaternion_and_its_negative_are_one_pose(robot):
    """Also bit by bit: only products of two of its entries occur."""
    model = robot.model
    q = robot.q.copy()
    for k in model.quaternion_indices:
        q[:, k : k + 4] *= -1.0
    state = (robot.qd, robot.qdd, robot.f_ext)
    np.testing.assert_array_equal(fs.rnea(model, q, *state), fs.rnea(model, robot.q, *state))
    np.testing.assert_array_equal(fs.crba(model, q), fs.crba(model, robot.q))
    np.testing.assert_array_equal(fs.aba(model, q, *state), fs.aba(model, robot.q, *state))
    np.testing.assert_array_equal(fs.forward_kinematics(model, q), fs.forward_kinematics(model, robot.q))
