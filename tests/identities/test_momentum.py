"""Momentum: of the whole robot, its matrix and rates, and the centre of mass that carries it."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.center_of_mass import CENTER
from featherstone.algorithms.composite_inertia import COMPOSITE
from featherstone.algorithms.energy import POTENTIAL
from featherstone.algorithms.momentum import MOMENTUM, OF_CENTER, WHOLE
from featherstone.algorithms.momentum_matrix import MOMENTUM_MATRIX
from featherstone.algorithms.rnea import RNEA

from ..random_trees import random_rotation
from ..rounding import Rounded, U, bounded
from ..slopes import slope
from .robots import ROBOTS
from .robots import robot as named
from .test_energy import moved, reached
from .test_frames import agree, product
from .test_mimic import unconstrained

FLOATING = [name for name, (_, options) in ROBOTS.items() if options.get("floating_base")]


def momentum(model, q, qd, qdd=None, what=WHOLE):
    """The momentum or its rate, with a bound of its error."""
    size = 3 if what == OF_CENTER else 6
    return bounded(MOMENTUM, model, [q, qd, qdd], (size,), options=(what,))


def matrix(model, q, qd=None, what=WHOLE):
    """The momentum's matrix or its rate, with a bound of its error."""
    rows = 3 if what == OF_CENTER else 6
    return bounded(MOMENTUM_MATRIX, model, [q, qd], (rows, model.nv), options=(what,))


def test_matrix_times_rates_is_momentum(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    A, h = matrix(model, q), momentum(model, q, qd)
    assert agree(fs.centroidal_momentum_matrix(model, q), A.value, 2 * A.error)
    assert agree(fs.centroidal_momentum(model, q, qd), product(A, qd).value, product(A, qd).error + 2 * h.error)
    assert np.abs(h.value).max() > 0.1


def test_momentum_is_that_of_the_links_one_by_one(free_robot):
    """From the velocity of each link's frame, and the link's own mass and inertia, by NumPy."""
    model, q, qd = free_robot.model, free_robot.q, free_robot.qd
    links = [link for link in free_robot.parts.links if model.frame(link.name).body > 0]
    total, mass, moment, parts = 0.0, 0.0, 0.0, []
    for link in links:
        T = fs.frame_pose(model, q, link.name)
        R, arm = T[:, :3, :3], T[:, :3, :3] @ link.com
        v = fs.frame_velocity(model, q, qd, link.name, "local_world_aligned")
        spin = np.einsum("bij,jk,blk,bl->bi", R, np.array(link.inertia), R, v[:, :3])
        parts.append((T[:, :3, 3] + arm, spin, link.mass * (v[:, 3:] + np.cross(v[:, :3], arm))))
        mass, moment = mass + link.mass, moment + link.mass * parts[-1][0]
    c = moment / mass
    total = sum(np.concatenate([spin + np.cross(p - c, l), l], -1) for p, spin, l in parts)
    size = sum(np.abs(spin) + (1.0 + np.abs(p - c).max()) * np.abs(l).max() for p, spin, l in parts).max()
    assert np.abs(fs.center_of_mass(model, q) - c).max() <= 1e3 * U * (1.0 + np.abs(c).max())
    assert np.abs(fs.centroidal_momentum(model, q, qd) - total).max() <= 2e3 * U * size
    assert np.abs(fs.center_of_mass_velocity(model, q, qd) - total[:, 3:] / mass).max() <= 2e3 * U * size / mass


def about(model, q, qd, point):
    """The momentum about a point, with a bound of its error."""
    return bounded(MOMENTUM, model, [q, qd, None, None, point], (6,), options=(WHOLE,))


def test_momentum_about_a_point_is_larger_by_the_arm_times_linear_momentum(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    point = robot.f_ext[:, 0, :3]
    h, right = about(model, q, qd, point), momentum(model, q, qd)
    found = fs.momentum_about(model, q, qd, point)
    assert agree(found, h.value, 2 * h.error)
    arm = bounded(CENTER, model, [q], (3,)) + Rounded(-point)
    moment = np.cross(arm.value, right.value[:, 3:])
    reach = np.abs(arm.value).sum(-1) + arm.error.sum(-1)
    size = reach * right.error.sum(-1) + (arm.error.sum(-1) + 4 * U * reach) * np.abs(right.value[:, 3:]).sum(-1)
    assert agree(found[:, 3:], right.value[:, 3:], 2 * (h.error + right.error)[:, 3:])
    allowed = 2 * (h.error + right.error)[:, :3] + 2 * size[:, None]
    assert agree(found[:, :3], right.value[:, :3] + moment, allowed)
    assert np.abs(moment).max() > 0.1


@pytest.mark.parametrize("name", FLOATING)
def test_momentum_about_a_floating_base_is_what_the_base_bears_of_a_jolt(name):
    """The first rows of H qd, in world axes about the base's origin."""
    robot = named(name)
    model, q, qd = robot.model, robot.q, robot.qd
    without = robot.variant(armature=0.0, rotor=None)
    T = fs.forward_kinematics(model, q)[:, 0]
    jolt = np.einsum("bij,bj->bi", fs.crba(without, q)[:, :6], qd)
    right = np.concatenate([np.einsum("bij,bj->bi", T[:, :3, :3], x) for x in (jolt[:, :3], jolt[:, 3:])], -1)
    found = fs.momentum_about(without, q, qd, T[:, :3, 3])
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * np.abs(right).max())


def test_what_is_held_together_has_the_momentum_of_one_body(robot):
    """At qd = 0 on a base that moves: I v, v the velocity of the body-fixed point at the centre of mass."""
    model, q = robot.model, robot.q
    rng = np.random.default_rng(4)
    base = fs.BaseMotion(random_pose(rng), rng.normal(size=6))
    I = fs.composite_inertia(model, q, base=base)
    R, p = base.pose[:3, :3], base.pose[:3, 3]
    w, u = R @ base.velocity[:3], R @ base.velocity[3:]
    c = fs.center_of_mass(model, q, base=base)
    v = np.concatenate([np.broadcast_to(w, c.shape), u + np.cross(w, c - p)], -1)
    right = np.einsum("bij,bj->bi", I, v)
    found = fs.centroidal_momentum(model, q, 0.0 * robot.qd, base=base)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * np.abs(right).max())
    assert np.array_equal(I, I.swapaxes(1, 2))
    assert not I[:, :3, 3:].any()
    off = np.abs(I[:, 3:, 3:] - model.body_mass.sum() * np.eye(3)).max()
    assert off <= 2 * model.nb * U * model.body_mass.sum()
    exact = bounded(COMPOSITE, model, [q, np.tile(base.array, (len(q), 1))], (6, 6))
    assert agree(I, exact.value, 2 * exact.error)


def random_pose(rng):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = random_rotation(rng), rng.normal(size=3)
    return T


def test_matrix_rate_is_the_rate_of_the_matrix(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    path = functools.partial(moved, robot, qd)
    found, allowed = slope(lambda t: fs.centroidal_momentum_matrix(model, path(t)), matrix(model, reached(robot)).error)
    right = fs.centroidal_momentum_matrix_rate(model, q, qd)
    assert (np.abs(found - right) <= allowed + 2 * matrix(model, q, qd).error).all()
    assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


def test_momentum_rate_is_what_the_matrix_and_its_rate_say(robot):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    right = product(matrix(model, q), qdd) + product(matrix(model, q, qd), qd)
    found = fs.centroidal_momentum_rate(model, q, qd, qdd)
    assert agree(found, right.value, right.error + 2 * momentum(model, q, qd, qdd).error)


def test_momentum_rate_is_the_rate_of_momentum(robot):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    speed = Rounded(qd, 2.0 * U * (np.abs(qd) + np.abs(qdd)))

    def of(t):
        return fs.centroidal_momentum(model, moved(robot, qd, t), qd + t * qdd)

    found, allowed = slope(of, momentum(model, reached(robot), speed).error)
    right = fs.centroidal_momentum_rate(model, q, qd, qdd)
    assert (np.abs(found - right) <= allowed + 2 * momentum(model, q, qd, qdd).error).all()
    assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


@pytest.mark.parametrize("name", FLOATING)
def test_momentum_changes_by_forces_from_outside_alone(name):
    """Gravity, the forces on the bodies, and what holds the floating base; all torques of joints are inside."""
    robot = named(name)
    model, q, qd, qdd, f_ext = robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext
    c, poses = fs.center_of_mass(model, q), fs.forward_kinematics(model, q)
    wrenches = [*np.moveaxis(f_ext, 1, 0), fs.rnea(model, q, qd, qdd, f_ext)[:, :6]]
    total, size = np.zeros((len(q), 6)), 0.0
    total[:, 3:] = model.body_mass.sum() * np.array(model.gravity)
    for wrench, T in zip(wrenches, [*np.moveaxis(poses, 1, 0), poses[:, 0]]):
        moment, force = (np.einsum("bij,bj->bi", T[:, :3, :3], x) for x in (wrench[:, :3], wrench[:, 3:]))
        arm = T[:, :3, 3] - c
        total += np.concatenate([moment + np.cross(arm, force), force], -1)
        size += np.abs(wrench).max() * (1.0 + np.abs(arm).max())
    bound = bounded(RNEA, model, [q, qd, qdd, f_ext], (model.nv,)).error[:, :6]
    reach = 1.0 + np.abs(c - poses[:, 0, :3, 3]).max()
    allowed = 4 * reach * bound.max() + 64 * U * size + 2 * momentum(model, q, qd, qdd).error
    assert agree(fs.centroidal_momentum_rate(model, q, qd, qdd), total, allowed)


def test_potential_energy_is_the_weight_of_the_centre_of_mass(robot):
    model, q = robot.model, robot.q
    mass, g = model.body_mass.sum(), np.array(model.gravity)
    c = bounded(CENTER, model, [q], (3,))
    found = -mass * fs.center_of_mass(model, q) @ g
    error = bounded(POTENTIAL, model, [q], ()).error + mass * (2 * c.error + 8 * U * np.abs(c.value)) @ np.abs(g)
    assert agree(found, fs.potential_energy(model, q), 2 * error)


def test_centre_of_mass_moves_as_its_jacobian_says(robot):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    path = functools.partial(moved, robot, qd)
    J, v = matrix(model, q, what=OF_CENTER), momentum(model, q, qd, what=OF_CENTER)
    velocity = fs.center_of_mass_velocity(model, q, qd)
    assert agree(fs.center_of_mass_jacobian(model, q), J.value, 2 * J.error)
    assert agree(velocity, product(J, qd).value, product(J, qd).error + 2 * v.error)
    found, allowed = slope(
        lambda t: fs.center_of_mass(model, path(t)), bounded(CENTER, model, [reached(robot)], (3,)).error
    )
    assert (np.abs(found - velocity) <= allowed + 2 * v.error).all()
    speed = Rounded(qd, 2.0 * U * (np.abs(qd) + np.abs(qdd)))
    error = momentum(model, reached(robot), speed, what=OF_CENTER).error
    found, more = slope(lambda t: fs.center_of_mass_velocity(model, path(t), qd + t * qdd), error)
    a = fs.center_of_mass_acceleration(model, q, qd, qdd)
    assert (np.abs(found - a) <= more + 2 * momentum(model, q, qd, qdd, OF_CENTER).error).all()
    assert max(np.max(allowed), np.max(more)) <= 1e-5 * max(1.0, np.abs(a).max())


def test_linear_momentum_is_mass_times_velocity(robot):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    mass = model.body_mass.sum()
    for whole, center, state in (
        (fs.centroidal_momentum, fs.center_of_mass_velocity, (q, qd)),
        (fs.centroidal_momentum_rate, fs.center_of_mass_acceleration, (q, qd, qdd)),
    ):
        h = whole(model, *state)
        allowed = 8 * model.nb * U * np.abs(h).max()
        np.testing.assert_allclose(mass * center(model, *state), h[:, 3:], rtol=0, atol=allowed)
    A, J = fs.centroidal_momentum_matrix(model, q), fs.center_of_mass_jacobian(model, q)
    np.testing.assert_allclose(mass * J, A[:, 3:], rtol=0, atol=8 * model.nb * U * np.abs(A).max())


def test_followers_add_to_their_leaders(mimic_robot):
    """A = A_full G."""
    robot = mimic_robot
    full, q, *_, G = unconstrained(robot)
    A, A_full = matrix(robot.model, robot.q), matrix(full, q)
    size = (A_full.error + (full.nv + 1) * U * np.abs(A_full.value)) @ np.abs(G)
    assert agree(fs.centroidal_momentum_matrix(robot.model, robot.q), A_full.value @ G, size + 2 * A.error)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_nothing_has_no_centre_of_mass(shape):
    builder = fs.ModelBuilder("ghost")
    builder.add_link("base", 1.0)
    builder.add_link("arm")
    builder.add_joint("joint", "revolute", "base", "arm")
    model, x = builder.build(), np.zeros((*shape, 1))
    for call in (
        lambda: fs.center_of_mass(model, x),
        lambda: fs.center_of_mass_jacobian(model, x),
        lambda: fs.center_of_mass_velocity(model, x, x),
        lambda: fs.centroidal_momentum(model, x, x),
        lambda: fs.centroidal_momentum_matrix_rate(model, x, x),
    ):
        for _ in range(3):
            with pytest.raises(ValueError, match=r"^model: expected bodies with mass, 'ghost' has none"):
                call()
