"""Edited robots keep what their joints have; a joint of any type can be locked; users see one body for each joint."""

from dataclasses import replace

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import random_forces, random_tree, random_v
from ..rounding import U
from .joint_kinds import SKEW

KINDS = ("helical", "universal", "cylindrical", "composite", "planar", "spherical")
DRIVE = {"stiction": 0.5, "stribeck_velocity": 0.2, "smoothing": 0.01, "friction": 0.25, "damping": 0.125}


def robot():
    """A joint of each kind one behind the other, with every field that it can have, and a follower."""
    builder = fs.ModelBuilder("all")
    builder.add_link("base", 1.0, inertia=0.1 * np.eye(3))
    parent = "base"
    of_kind = {
        "helical": {"pitch": -0.2, "rotor": fs.Rotor(0.01, 7.0, True, (0.6, 0.0, 0.8)), "lower": -3.0, "effort": 40.0},
        "universal": {"axis2": (0.0, 0.6, 0.8), "lower": (-1.0, -2.0), "damping": (0.1, 0.2)},
        "cylindrical": {"upper": (3.0, 0.5), "effort": (10.0, 20.0), "friction": (0.1, 0.2)},
        "composite": {"screws": [SKEW, (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)], "armature": (0.3, 0.4), "velocity": (5.0, 6.0)},
        "planar": {"lower": (-1.0, -2.0, -3.0), "stiction": (0.3, 0.4, 0.5)},
        "spherical": {"upper": 1.0, "damping": (0.1, 0.2, 0.3)},
    }
    for k, kind in enumerate(KINDS):
        builder.add_link(kind, 1.0 + k, (0.1, 0.05 * k, -0.1), (0.1 + 0.02 * k) * np.eye(3))
        fields = DRIVE | of_kind[kind]
        builder.add_joint(f"to {kind}", kind, parent, kind, position=(0.2, 0.1, 0.0), axis=(0.6, 0.0, -0.8), **fields)
        parent = kind
    builder.add_link("finger", 0.5, (0.0, 0.1, 0.0), 0.1 * np.eye(3))
    follows = {"mimic": fs.Mimic("to helical", 2.0, 0.1), "rotor": fs.Rotor(0.02, -3.0, True)}
    builder.add_joint("to finger", "revolute", "spherical", "finger", **DRIVE, **follows)
    return builder.build()


def fields(model):
    """All joints of the description by name, without the names of other things."""
    return {joint.name: replace(joint, name="", parent="", child="", mimic=None) for joint in model.description.joints}


class TestKeepsAllFields:
    def test_with_another_gravity_or_payload(self):
        model = robot()
        for edited in (model.with_gravity((0, 0, 1)), model.with_payload("finger", 2.0), model.scale(3.0)):
            assert edited.description.joints == model.description.joints
            for array in ("q_lower", "q_upper", "qd_limit", "tau_limit", "damping", "friction", "armature"):
                np.testing.assert_array_equal(getattr(edited, array), getattr(model, array))

    def test_under_other_names(self):
        model = robot()
        renamed = model.rename(
            links={name: f"{name} 2" for name in model.frame_names},
            joints={name: f"{name} 2" for name in model.joint_names},
        )
        assert fields(renamed) == {f"{name} 2": joint for name, joint in fields(model).items()}
        assert renamed.leaders[-1] == "to helical 2"

    def test_on_another_robot(self):
        model = robot()
        both = model.attach(model, "finger", prefix="second ")
        assert fields(model).items() <= fields(both).items()
        assert {f"second {name}": joint for name, joint in fields(model).items()}.items() <= fields(both).items()
        for array in ("q_lower", "q_upper", "qd_limit", "tau_limit", "damping", "friction", "armature"):
            np.testing.assert_array_equal(getattr(both, array), np.tile(getattr(model, array), 2))

    def test_in_a_part_of_the_robot(self):
        model = robot().lock("to helical")
        part = model.subtree("universal")
        assert part.joint_names == model.joint_names[1:]
        assert part.description.joints == model.description.joints[2:]

    @pytest.mark.parametrize("kind", KINDS)
    def test_beside_a_locked_joint(self, kind):
        model = robot()
        locked = model.lock(f"to {kind}")
        gone = {f"to {kind}"} | ({"to finger"} if kind == "helical" else set())
        kept = {name: joint for name, joint in fields(model).items() if name not in gone}
        assert kept.items() <= fields(locked).items()
        assert {fields(locked)[name].type for name in gone} == {"fixed"}
        assert all(fields(locked)[name].rotor is None for name in gone)

    def test_saved_and_loaded(self):
        model = robot()
        assert type(model).from_json(model.to_json()).description == model.description


def held(model, kind, q):
    """The joint of a kind locked where it is at q, the rest of q, and the degrees of freedom that are left."""
    joint = f"to {kind}"
    where = model.q_index(joint)
    locked = model.lock(joint, q[where])
    own = np.atleast_1d(np.arange(model.nv)[model.qd_index(joint)])
    return locked, np.delete(q, np.atleast_1d(np.arange(model.nq)[where])), np.setdiff1d(np.arange(model.nv), own)


@pytest.mark.parametrize("kind", KINDS)
def test_a_locked_joint_is_one_that_stands_still(kind):
    """The others' dynamics with the joint's rate and acceleration zero: poses, mass matrix and torques.

    A gyroscopic rotor stands still with its joint.
    """
    model = robot()
    q = model.random_configuration(4)
    locked, rest, others = held(model, kind, q)
    assert locked.nv == len(others) < model.nv
    for name in model.frame_names:
        found, expected = fs.frame_pose(locked, rest, name), fs.frame_pose(model, q, name)
        # a dozen joints within two metres, each some roundings
        np.testing.assert_allclose(found, expected, rtol=0, atol=500 * U)
    H, free = fs.crba(locked, rest), fs.crba(model, q)[np.ix_(others, others)]
    np.testing.assert_allclose(H, free, rtol=0, atol=1000 * U * np.abs(free).max())
    qd, qdd = np.random.default_rng(5).normal(size=(2, model.nv))
    moving = np.isin(np.arange(model.nv), others)
    qd, qdd = np.where(moving, qd, 0.0), np.where(moving, qdd, 0.0)
    tau = fs.rnea(model, q, qd, qdd, losses=True)
    found = fs.rnea(locked, rest, qd[others], qdd[others], losses=True)
    np.testing.assert_allclose(found, tau[others], rtol=0, atol=1000 * U * np.abs(tau).max())
    assert np.abs(tau).max() > 10.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [[], [0.1] * 7, "x", [[0.1, 0.2]]])
def test_a_joint_is_locked_at_as_many_coordinates_as_it_has(kind, bad):
    with pytest.raises(ValueError, match=rf"^joint 'to {kind}': expected (one|finite|\d)? ?numbers?, got "):
        robot().lock(f"to {kind}", bad)


class TestBodies:
    def test_are_those_with_a_joint_of_the_users(self):
        model = robot()
        assert model.body_names == (*KINDS, "finger")
        assert model.parent.tolist() == list(range(-1, 6))
        assert model.body_mass.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.5]
        assert model.tree.nb > model.nb
        q = model.random_configuration(0, (3, 2))
        assert fs.forward_kinematics(model, q).shape == (3, 2, 7, 4, 4)
        for b, name in enumerate(model.body_names):
            found, expected = fs.forward_kinematics(model, q)[:, :, b], fs.frame_pose(model, q, name)
            np.testing.assert_allclose(found, expected, rtol=0, atol=64 * U)

    def test_take_one_force_each(self):
        model = robot()
        q, v = model.random_configuration(0), np.zeros(model.nv)
        with pytest.raises(ValueError, match=r"^f_ext: expected shape \(..., 7, 6\), got \(12, 6\)"):
            fs.rnea(model, q, v, v, np.zeros((model.tree.nb, 6)))

    def test_are_pushed_where_the_user_sees_them(self):
        """The power of forces on the bodies is what they take from the torques: by the slope of all poses."""
        model = robot()
        rng = np.random.default_rng(3)
        q, qd, still = model.random_configuration(rng), random_v(model, rng), np.zeros(model.nv)
        f_ext = random_forces(model, rng)
        taken = (fs.rnea(model, q, still, still) - fs.rnea(model, q, still, still, f_ext)) @ qd
        h = 1e-5
        poses = [fs.forward_kinematics(model, fs.integrate(model, q, s * h * qd)) for s in (-1.0, 0.0, 1.0)]
        rate = np.linalg.inv(poses[1]) @ (poses[2] - poses[0]) / (2.0 * h)
        omega = np.stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0]], axis=-1)
        twist = np.concatenate([omega, rate[:, :3, 3]], axis=-1)
        power = (twist * f_ext).sum()
        # the slope is off by h^2 / 6 of the third derivative, which the joints' rates bound
        fastest = np.abs(qd).sum()
        size = np.abs(f_ext).sum() * (1.0 + np.abs(poses[1]).max())
        assert abs(taken - power) <= (h * h * fastest**3 + 64 * U / h) * size
        assert abs(taken) > 1.0


@pytest.mark.parametrize("seed", range(3))
def test_rotors_are_no_bodies(seed):
    with_rotors, without = (
        random_tree(seed, 8, ("revolute", "prismatic", "helical"), rotors=spins, losses=False, massless=False)
        for spins in (True, False)
    )
    assert with_rotors.tree.nb > without.tree.nb == without.nb == with_rotors.nb
    assert with_rotors.body_names == without.body_names
    q = without.random_configuration(seed)
    np.testing.assert_array_equal(fs.forward_kinematics(with_rotors, q), fs.forward_kinematics(without, q))
