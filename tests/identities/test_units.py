"""Units do not matter: in others, that are powers of two as large, every number changes by its exact factor."""

from dataclasses import replace

import numpy as np
import pytest

import featherstone as fs

from .robots import ROBOTS, places
from .robots import robot as named

FACTORS = [2.0**-40, 0.5, 2.0**30]
# metres and radians along a joint's degrees of freedom: the power of the unit of length
LINEAR = {"revolute": [0], "continuous": [0], "prismatic": [1], "planar": [0, 1, 1], "spherical": [0, 0, 0]}
LINEAR["floating"] = [0, 0, 0, 1, 1, 1]
LINEAR |= {"helical": [0], "universal": [0, 0], "cylindrical": [0, 1]}
COORDINATES = LINEAR | {"planar": [1, 1, 0], "spherical": [0, 0, 0, 0], "floating": [1, 1, 1, 0, 0, 0, 0]}


def of_dofs(model, table, index):
    """For each entry of q or qd the power of the unit of length."""
    powers = np.zeros(model.nq if index == "q_index" else model.nv)
    for joint, leader in zip(model.joints, model.leaders):
        if leader is None:
            screws = [0 if any(screw[:3]) else 1 for screw in joint.screws]
            powers[places(model, index, joint.name)] = screws or table[joint.type]
    return powers


def multiplied(values, factor):
    """One number or some, times a factor."""
    return tuple(factor * x for x in values) if isinstance(values, tuple) else factor * values


def scaled_screw(screw, length):
    """A screw whose coordinate is an angle moves so much further; a length is that itself."""
    return (*screw[:3], *(length * x for x in screw[3:])) if any(screw[:3]) else screw


def scaled_rotor(joint, mass, length):
    """Its inertia in other units, and its ratio, which is per metre for a prismatic joint."""
    rotor = joint.rotor
    if rotor is None:
        return None
    along = length if joint.type == "prismatic" else 1.0
    return replace(rotor, inertia=mass * length**2 * rotor.inertia, ratio=rotor.ratio / along)


def scaled(robot, *, mass=1.0, length=1.0, time=1.0, armature=True):
    """The robot with all its numbers in other units, of which one old unit makes so many."""
    parts = robot.parts
    inertia = mass * length**2
    links = tuple(
        replace(
            link,
            mass=mass * link.mass,
            com=tuple(length * x for x in link.com),
            inertia=tuple(tuple(inertia * x for x in row) for row in link.inertia),
        )
        for link in parts.links
    )
    joints = tuple(
        replace(
            joint,
            position=tuple(length * x for x in joint.position),
            armature=multiplied(joint.armature, mass * armature),
            pitch=length * joint.pitch,
            screws=tuple(scaled_screw(screw, length) for screw in joint.screws),
            rotor=scaled_rotor(joint, mass, length),
        )
        for joint in parts.joints
    )
    gravity = tuple(length / time**2 * x for x in robot.model.gravity)
    return replace(parts, links=links, joints=joints).build(**{**robot.options, "gravity": gravity})


@pytest.mark.parametrize("factor", FACTORS)
def test_of_mass(robot, factor):
    """A robot twice as heavy needs twice the torque and moves alike."""
    model, state = scaled(robot, mass=factor), (robot.q, robot.qd)
    tau = fs.rnea(robot.model, *state, robot.qdd, robot.f_ext)
    np.testing.assert_array_equal(fs.rnea(model, *state, robot.qdd, factor * robot.f_ext), factor * tau)
    np.testing.assert_array_equal(fs.crba(model, robot.q), factor * fs.crba(robot.model, robot.q))
    np.testing.assert_array_equal(
        fs.mass_matrix_inverse(model, robot.q), fs.mass_matrix_inverse(robot.model, robot.q) / factor
    )
    for method in ("aba", "cholesky"):
        found = fs.forward_dynamics(model, *state, factor * robot.tau, factor * robot.f_ext, method=method)
        expected = fs.forward_dynamics(robot.model, *state, robot.tau, robot.f_ext, method=method)
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        fs.kinetic_energy(model, *state), factor * np.asarray(fs.kinetic_energy(robot.model, *state))
    )
    np.testing.assert_array_equal(fs.cholesky(model, robot.q).L, fs.cholesky(robot.model, robot.q).L)


@pytest.mark.parametrize("factor", FACTORS)
def test_of_time(robot, factor):
    """In units of time half as long, speeds are half as large, accelerations and torques a quarter."""
    model = scaled(robot, time=factor)
    qd, square = robot.qd / factor, 1.0 / factor**2
    tau = fs.rnea(robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext)
    np.testing.assert_array_equal(fs.rnea(model, robot.q, qd, square * robot.qdd, square * robot.f_ext), square * tau)
    for method in ("aba", "cholesky"):
        found = fs.forward_dynamics(model, robot.q, qd, square * robot.tau, square * robot.f_ext, method=method)
        expected = fs.forward_dynamics(robot.model, robot.q, robot.qd, robot.tau, robot.f_ext, method=method)
        np.testing.assert_array_equal(found, square * expected)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("name", [name for name in ROBOTS if "mimic" not in name])
def test_of_length(name, factor):
    """Torques go with the square of the unit of length, forces with the unit itself."""
    robot = named(name)
    # without armature, which is an inertia or a mass by the degree of freedom
    bare, model = scaled(robot, armature=False), scaled(robot, length=factor, armature=False)
    along, coordinate = of_dofs(bare, LINEAR, "qd_index"), of_dofs(bare, COORDINATES, "q_index")
    q, qd, qdd = robot.q * factor**coordinate, robot.qd * factor**along, robot.qdd * factor**along
    f_ext = robot.f_ext * factor ** np.array([2.0, 2.0, 2.0, 1.0, 1.0, 1.0])
    torque = factor ** (2.0 - along)
    tau = fs.rnea(bare, robot.q, robot.qd, robot.qdd, robot.f_ext)
    np.testing.assert_array_equal(fs.rnea(model, q, qd, qdd, f_ext), torque * tau)
    np.testing.assert_array_equal(fs.crba(model, q), factor ** (2.0 - along[:, None] - along) * fs.crba(bare, robot.q))
    np.testing.assert_array_equal(
        fs.aba(model, q, qd, torque * robot.tau, f_ext),
        factor**along * fs.aba(bare, robot.q, robot.qd, robot.tau, robot.f_ext),
    )
    pose, expected = fs.forward_kinematics(model, q), fs.forward_kinematics(bare, robot.q)
    expected[..., :3, 3] *= factor
    np.testing.assert_array_equal(pose, expected)
    moved = fs.integrate(bare, robot.q, robot.qd) * factor**coordinate
    np.testing.assert_array_equal(fs.integrate(model, q, qd), moved)
