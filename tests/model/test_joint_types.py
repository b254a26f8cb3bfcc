"""Joints that are the same by other names: equal to the bit where the tree is, else to rounding."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.rnea import RNEA
from featherstone.model.splitting import split

from ..random_trees import random_forces, random_v
from ..rounding import Rounded, U, bounded, constants, solve_error
from .joint_kinds import SKEW

COUNT = 6  # states
CONSTANTS = 16.0  # roundings of an axis made a rotation, and of screws made points on their lines
X, Y, Z, STILL = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
AXIS, ACROSS = (0.48, -0.6, 0.64), (0.6, 0.0, -0.8)
TURNED = ((0.0, -1.0, 0.0), (0.6, 0.0, -0.8), (0.8, 0.0, 0.6))


def arm(*middle):
    """A hinge, then joints in the middle, then a slide; as many massless links as there is more than one."""
    builder = fs.ModelBuilder("arm")
    tensor = np.array([[0.5, 0.1, -0.05], [0.1, 0.4, 0.08], [-0.05, 0.08, 0.3]])
    for name, mass in (("base", 1.0), ("upper", 2.0), ("middle", 3.0), ("tip", 0.7)):
        builder.add_link(name, mass, (0.1, -0.2, 0.3), mass * tensor)
    builder.add_joint("hinge", "revolute", "base", "upper", axis=(0.6, 0.8, 0.0))
    builder.add_link("mount")
    builder.add_joint("bolt", "fixed", "upper", "mount", rotation=TURNED, position=(0.2, 0.1, -0.3))
    parent = "mount"
    for k, (name, kind, fields) in enumerate(middle):
        child = "middle" if k == len(middle) - 1 else f"between {k}"
        if child != "middle":
            builder.add_link(child)
        builder.add_joint(name, kind, parent, child, **fields)
        parent = child
    builder.add_joint("slide", "prismatic", "middle", "tip", position=(0.3, 0.0, 0.1), axis=AXIS)
    return builder.build(gravity=(1.0, -2.0, -9.0), merge_fixed=False)


def composite(*screws):
    return ("j", "composite", {"screws": screws})


def states(model, seed=0):
    """Angles are within those of a gimbal's lock."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.2, 1.2, (COUNT, model.nq)), *(random_v(model, rng, (COUNT,)) for _ in range(3))


def bounds(model, q, qd, qdd, f_ext):
    """Torques and mass matrix with bounds of their errors."""
    tree, nv = constants(model, CONSTANTS), model.nv
    torque = bounded(RNEA, model, [q, qd, qdd, f_ext], (nv,), tree)
    return torque, bounded(CRBA, model, [q], (nv, nv), tree)


def assert_same_to_the_bit(one, other):
    for field, value in one.tree._asdict().items():
        np.testing.assert_array_equal(getattr(other.tree, field), value, field)
    q, qd, qdd, tau = states(one)
    np.testing.assert_array_equal(fs.rnea(other, q, qd, qdd), fs.rnea(one, q, qd, qdd))
    np.testing.assert_array_equal(fs.aba(other, q, qd, tau), fs.aba(one, q, qd, tau))


def assert_same(one, other):
    """Inverse dynamics, mass matrix, forward dynamics and poses, with forces on the links that both have."""
    q, qd, qdd, _ = states(one)
    f_one, f_other = random_forces(one, 1, (COUNT,)), np.zeros((COUNT, other.nb, 6))
    for name in one.body_names:
        f_other[:, other.body_index(name)] = f_one[:, one.body_index(name)]
    given, found = bounds(one, q, qd, qdd, f_one), bounds(other, q, qd, qdd, f_other)
    for model, f_ext in ((one, f_one), (other, f_other)):
        tau = fs.rnea(model, q, qd, qdd, f_ext)
        allowed = given[0].error + found[0].error
        assert (np.abs(tau - given[0].value) <= allowed).all()
        assert np.abs(allowed).max() < 1e-10 * np.abs(tau).max()
        assert (np.abs(fs.crba(model, q) - given[1].value) <= given[1].error + found[1].error).all()
    driven = [fs.aba(m, q, qd, given[0].value, f) for m, f in ((one, f_one), (other, f_other))]
    allowed = sum(solve_error(H, qdd, 2.0 * torque.error) for torque, H in (given, found))
    for result in driven:
        assert (np.abs(result - qdd) <= allowed).all()
    for name in one.frame_names:
        poses = [fs.frame_pose(m, q, name) for m in (one, other)]
        # a few products of rotations and points within a few metres
        np.testing.assert_allclose(poses[0], poses[1], rtol=0, atol=1e3 * U * (1.0 + np.abs(poses[0]).max()))


@pytest.mark.parametrize("axis", [X, Z, (0.0, 0.0, -1.0), AXIS])
class TestOneScrew:
    def test_about_the_origin_is_a_revolute_joint(self, axis):
        assert_same_to_the_bit(arm(("j", "revolute", {"axis": axis})), arm(composite((*axis, *STILL))))

    def test_without_a_turn_is_a_prismatic_joint(self, axis):
        assert_same_to_the_bit(arm(("j", "prismatic", {"axis": axis})), arm(composite((*STILL, *axis))))

    @pytest.mark.parametrize("pitch", [0.25, -0.1, 1e-9])
    def test_with_a_pitch_is_a_helical_joint(self, axis, pitch):
        screw = (*axis, *(pitch * np.array(axis)).tolist())
        assert_same(arm(("j", "helical", {"axis": axis, "pitch": pitch})), arm(composite(screw)))


@pytest.mark.parametrize("second", [ACROSS, Y, (0.0, 0.28, 0.96)])
def test_a_universal_joint_is_two_turns(second):
    one = arm(("j", "universal", {"axis": AXIS, "axis2": second}))
    assert_same_to_the_bit(one, arm(composite((*AXIS, *STILL), (*second, *STILL))))
    turns = [("j", "revolute", {"axis": AXIS}), ("k", "revolute", {"axis": second})]
    assert_same(one, arm(*turns))


def test_a_cylindrical_joint_is_a_turn_and_a_slide():
    one = arm(("j", "cylindrical", {"axis": AXIS}))
    assert_same_to_the_bit(one, arm(composite((*AXIS, *STILL), (*STILL, *AXIS))))
    assert_same(one, arm(("j", "revolute", {"axis": AXIS}), ("k", "prismatic", {"axis": AXIS})))


@pytest.mark.parametrize("pitch", [0.3, -2.0])
def test_a_helical_joint_is_a_turn_that_a_slide_follows(pitch):
    follows = {"axis": AXIS, "mimic": fs.Mimic("j", pitch)}
    one = arm(("j", "helical", {"axis": AXIS, "pitch": pitch}))
    assert_same(one, arm(("j", "revolute", {"axis": AXIS}), ("k", "prismatic", follows)))


def test_a_screw_off_the_origin_is_a_joint_there():
    """A turn about a line through a point, with the link's origin where it was at zero."""
    point = (0.1, 0.2, 0.3)
    back = [-x for x in point]
    there = [
        ("to", "fixed", {"position": point}),
        ("j", "revolute", {"axis": AXIS}),
        ("back", "fixed", {"position": back}),
    ]
    assert_same(arm(composite((*AXIS, *np.cross(point, AXIS).tolist()))), arm(*there))


@pytest.mark.parametrize(
    "screws",
    [
        [SKEW],
        [(*X, *STILL), SKEW],
        [SKEW, (*STILL, *ACROSS), (*Z, 0.1, -0.4, 0.2)],
        [(*Z, *STILL), (*Y, *STILL), (*X, *STILL)],
        [(*STILL, *X), (*STILL, *Y), (*STILL, *Z), (*Z, *STILL), (*Y, *STILL), (*X, *STILL)],
    ],
    ids=["skew", "turn, skew", "skew, slide, skew", "z, y, x", "slides and turns"],
)
def test_a_composite_joint_is_a_chain_of_joints_of_one_degree(screws):
    one = arm(composite(*screws))
    builder = fs.ModelBuilder("chain")
    apart = split(one.description)
    for link in apart.links:
        builder.add_link(link.name, link.mass, link.com, link.inertia)
    for joint in apart.joints:
        builder.add_joint(**vars(joint))
    chain = builder.build(gravity=one.gravity, merge_fixed=False)
    assert chain.nv == one.nv
    assert chain.nb > one.nb
    assert_same(one, chain)


def turns(angles):
    """Rates of z, y, x turns to the angular velocity in the moved frame: the matrix, and its rate over each angle."""
    _, b, c = angles.T
    o, one = np.zeros_like(b), np.ones_like(b)
    sb, cb, sc, cc = np.sin(b), np.cos(b), np.sin(c), np.cos(c)
    J = np.array([[-sb, o, one], [cb * sc, cc, o], [cb * cc, -sc, o]])
    over_b = np.array([[-cb, o, o], [-sb * sc, o, o], [-sb * cc, o, o]])
    over_c = np.array([[o, o, o], [cb * cc, -sc, o], [-cb * sc, -cc, o]])
    return tuple(np.moveaxis(x, -1, 0) for x in (J, over_b, over_c))


def quaternion(angles):
    """Rz(a) Ry(b) Rx(c) as (x, y, z, w)."""
    (sa, sb, sc), (ca, cb, cc) = np.sin(angles.T / 2), np.cos(angles.T / 2)
    return np.stack(
        [
            ca * cb * sc - sa * sb * cc,
            ca * sb * cc + sa * cb * sc,
            sa * cb * cc - ca * sb * sc,
            ca * cb * cc + sa * sb * sc,
        ],
        axis=-1,
    )


def test_three_turns_are_a_spherical_joint_in_other_coordinates():
    """With omega = J(q) qd: H' = J^T H J and tau' = J^T tau at qdd = J qdd' + J-dot qd'."""
    ball = arm(("j", "spherical", {}))
    three = arm(composite((*Z, *STILL), (*Y, *STILL), (*X, *STILL)))
    q, qd, qdd, _ = states(three)
    angles, rates = q[:, 1:4], qd[:, 1:4]
    J, over_b, over_c = turns(angles)
    rate = rates[:, 1, None, None] * over_b + rates[:, 2, None, None] * over_c
    whole = np.tile(np.eye(5), (COUNT, 1, 1))
    whole[:, 1:4, 1:4] = J
    omega, alpha = (np.einsum("bij,bj->bi", whole, x) for x in (qd, qdd))
    alpha[:, 1:4] += np.einsum("bij,bj->bi", rate, rates)
    turned = np.concatenate([q[:, :1], quaternion(angles), q[:, 4:]], axis=-1)
    # a dozen roundings of sums of products of sines; of J-dot times the rates
    size = 1.0 + np.abs(rates).max(-1, keepdims=True)
    given = [Rounded(turned, 8 * U), Rounded(omega, 16 * U * size), Rounded(alpha, 64 * U * (1 + size * size))]
    given = [Rounded(x.value, np.broadcast_to(x.error, x.value.shape)) for x in given]
    torque, H = bounds(ball, *given, None)
    tau, mass = bounds(three, q, qd, qdd, None)
    expected = np.einsum("bji,bj->bi", whole, torque.value)
    rounding = np.einsum("bji,bj->bi", np.abs(whole), torque.error + 8 * U * np.abs(torque.value))
    assert (np.abs(fs.rnea(three, q, qd, qdd) - expected) <= rounding + tau.error).all()
    assert rounding.max() < 1e-10 * np.abs(expected).max()
    expected = np.einsum("bji,bjk,bkl->bil", whole, H.value, whole)
    rounding = np.einsum("bji,bjk,bkl->bil", np.abs(whole), H.error + 16 * U * np.abs(H.value), np.abs(whole))
    assert (np.abs(fs.crba(three, q) - expected) <= rounding + mass.error).all()
