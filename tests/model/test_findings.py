"""Findings over descriptions, however they were made and whether or not they are trees."""

import numpy as np
import pytest

from featherstone import ModelBuilder
from featherstone.model.description import Mimic, Options
from featherstone.model.findings import Finding, examine

SPHERE = np.eye(3)


def rules(builder, **options):
    return [(x.rule, x.name) for x in examine(builder.describe(), Options(**options))]


def arm(*, mass=1.0, inertia=SPHERE, type="revolute", **joint):
    builder = ModelBuilder("arm")
    builder.add_link("base")
    builder.add_link("tip", mass, inertia=inertia)
    builder.add_joint("j", type, "base", "tip", **joint)
    return builder


def test_a_sound_robot_has_no_findings():
    assert rules(arm()) == []


def rotation(seed):
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return Q


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1.0, 1e30])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("moments", "expected"),
    [
        ((1, 1, 1), []),
        ((1, 2, 3), []),  # a plate: on the edge of the triangle rule, whatever rounding makes of it
        ((0, 1, 1), []),  # a rod
        ((1, 2, 3.00001), ["inertia-triangle-rule"]),
        ((0, 1, 2), ["inertia-triangle-rule"]),
        ((-1e-5, 1, 1), ["inertia-not-positive"]),
        ((-1, -1, -1), ["inertia-not-positive"]),
    ],
)
def test_tensors_are_judged_by_their_principal_moments(moments, expected, seed, scale):
    Q = rotation(seed)
    tensor = Q @ np.diag(moments) @ Q.T * scale
    builder = arm(inertia=(tensor + tensor.T) / 2)
    assert [rule for rule, _ in rules(builder)] == expected


@pytest.mark.parametrize(
    ("type", "mass", "inertia", "fault"),
    [
        ("revolute", 0.0, 0 * SPHERE, True),
        ("revolute", 0.0, SPHERE, False),
        ("revolute", 1.0, 0 * SPHERE, False),
        ("spherical", 0.0, SPHERE, False),
        ("prismatic", 0.0, SPHERE, True),
        ("prismatic", 1.0, 0 * SPHERE, False),
        ("planar", 0.0, SPHERE, True),
        ("floating", 0.0, SPHERE, True),
        ("fixed", 0.0, 0 * SPHERE, False),
    ],
)
def test_a_joint_must_move_something_that_resists(type, mass, inertia, fault):
    assert rules(arm(mass=mass, inertia=inertia, type=type)) == ([("massless-leaf", "tip")] if fault else [])


def test_mass_further_out_counts_for_every_joint_before_it():
    builder = arm(mass=0.0, inertia=0 * SPHERE)
    builder.add_link("hand")
    builder.add_joint("k", "prismatic", "tip", "hand")
    assert rules(builder) == [("massless-leaf", "tip"), ("massless-leaf", "hand")]
    builder.add_link("finger", 1.0)
    builder.add_joint("weld", "fixed", "hand", "finger")
    assert rules(builder) == []


def test_a_massless_follower_is_a_fault_only_where_it_is_free():
    builder = arm()
    builder.add_link("f")
    builder.add_joint("k", "revolute", "tip", "f", mimic=Mimic("j"))
    assert rules(builder) == []
    assert rules(builder, mimic=False) == [("massless-leaf", "f")]


def test_limits():
    assert rules(arm(lower=1, upper=-1)) == [("limits-swapped", "j")]
    assert rules(arm(lower=1, upper=1)) == []
    assert rules(arm(velocity=-1, effort=-1)) == [("limit-negative", "j")] * 2
    assert rules(arm(type="spherical", lower=1, upper=0.5)) == []
    assert rules(arm(type="planar", lower=(-1, 1, -1), upper=(1, -1, 1))) == [("limits-swapped", "j")]


@pytest.mark.parametrize(
    ("follower", "mimic", "expected"),
    [
        ("revolute", Mimic("j"), []),
        ("revolute", Mimic("nobody"), ["mimic-dangling"]),
        ("fixed", Mimic("j"), ["mimic-on-fixed-joint"]),
        ("floating", Mimic("j"), ["mimic-on-many-degrees"]),
        ("revolute", Mimic("free"), ["mimic-dangling"]),
        ("prismatic", Mimic("j", 1.0, 5.0), ["mimic-unreachable"]),
        ("prismatic", Mimic("j", -1.0, 3.0), []),  # 2 to 4 touches -2 to 2
        ("prismatic", Mimic("j", 0.0, 3.0), ["mimic-unreachable"]),
        ("prismatic", Mimic("endless", 0.0, 3.0), ["mimic-unreachable"]),
        ("prismatic", Mimic("endless", -1.0, 3.0), []),
    ],
)
def test_mimic(follower, mimic, expected):
    builder = arm(lower=-1, upper=1)
    for name, type in (("endless", "continuous"), ("free", "floating"), ("f", follower)):
        builder.add_link(name, 1.0, inertia=SPHERE)
        options = {"lower": -2, "upper": 2, "mimic": mimic} if name == "f" else {}
        builder.add_joint(name, type, "tip", name, **options)
    assert rules(builder) == [(rule, "f") for rule in expected]


def test_what_is_no_tree_is_examined_too():
    builder = ModelBuilder()
    for name in "abc":
        builder.add_link(name)
    builder.add_joint("ab", "revolute", "a", "b")
    builder.add_joint("ba", "revolute", "b", "a")
    builder.add_joint("cb", "revolute", "c", "b")
    builder.add_joint("cx", "revolute", "c", "x")
    builder.add_joint("self", "revolute", "c", "c")
    assert {rule for rule, _ in rules(builder)} <= {"massless-leaf"}


def test_a_long_chain_is_no_trouble():
    builder = ModelBuilder()
    builder.add_link("0", 1.0)
    for i in range(1, 5000):
        builder.add_link(str(i))
        builder.add_joint(f"j{i}", "revolute", str(i - 1), str(i))
    assert len(rules(builder)) == 4999


def test_a_finding_reads_as_a_sentence_with_place_and_remedy():
    (finding,) = examine(arm(lower=1, upper=-1).describe())
    expected = "joint 'j': the lower limit 1 is above the upper limit -1; exchange the two"
    assert str(finding) == expected
    assert str(Finding("r", "joint", "j", "wrong", "mend it", "a.urdf", 3)) == "a.urdf:3: wrong; mend it"
