"""Limits, losses and inertia of each joint type in the model's arrays, with followers and without; random states."""

import math

import numpy as np
import pytest

import featherstone as fs

from .joint_kinds import LIMITS, NEEDED, QUATERNIONS, SIZES, SKEW, each_degree, one_joint

ARRAYS = {"lower": "q_lower", "upper": "q_upper", "velocity": "qd_limit", "effort": "tau_limit"}
DRIVES = ("damping", "friction", "armature")
NONE = {"lower": -math.inf, "upper": math.inf, "velocity": math.inf, "effort": math.inf}


def among_others(kind, *, follower, **fields):
    """A joint `j` of a kind behind a slide and before a hinge, both with limits, and perhaps one that follows these."""
    builder = fs.ModelBuilder("three joints")
    for name in ("base", "first", "second", "third", "fourth"):
        builder.add_link(name, 1.0, (0.1, 0.2, 0.3), np.diag([0.3, 0.4, 0.5]))
    others = {"lower": -0.5, "upper": 0.5, "velocity": 0.5, "effort": 0.5, "damping": 0.5, "friction": 0.25}
    builder.add_joint("slide", "prismatic", "base", "first", **others)
    builder.add_joint("j", kind, "first", "second", **NEEDED.get(kind, {}) | fields)
    mimic = {"mimic": fs.Mimic("slide", -2.0, 0.1)} if follower else {}
    builder.add_joint("between", "helical", "second", "third", pitch=0.1, **others, **mimic)
    builder.add_joint("hinge", "revolute", "third", "fourth", **others)
    return builder.build()


@pytest.mark.parametrize("follower", [False, True], ids=["", "follower"])
@pytest.mark.parametrize("kind", SIZES)
class TestArrays:
    def test_indices_leave_followers_out(self, kind, follower):
        model = among_others(kind, follower=follower)
        (coordinates, dofs), between = SIZES[kind], 0 if follower else 1
        assert (model.nb, model.nq, model.nv) == (4, 2 + between + coordinates, 2 + between + dofs)
        for index, size in ((model.q_index, coordinates), (model.qd_index, dofs)):
            assert index("slide") == 0
            assert index("j") == (1 if size == 1 else slice(1, 1 + size))
            assert index("hinge") == 1 + size + between
        assert [model.joint_of_dof(k) for k in range(1, 1 + dofs)] == ["j"] * dofs

    @pytest.mark.parametrize("what", LIMITS)
    def test_limits(self, kind, follower, what):
        if what in ("lower", "upper"):
            index = "q_index"
            given = 0.75 if kind in QUATERNIONS or SIZES[kind][1] == 1 else each_degree(kind)
            expected = NONE[what] if kind in (*QUATERNIONS, "continuous") else given
        else:
            index, given = "qd_index", 0.75 if SIZES[kind][1] == 1 else each_degree(kind)
            expected = given
        model = among_others(kind, follower=follower, **{what: given})
        plain = among_others(kind, follower=follower)
        places = np.arange(model.nq if index == "q_index" else model.nv)
        own = np.atleast_1d(places[getattr(model, index)("j")])
        found, without = (getattr(m, ARRAYS[what]) for m in (model, plain))
        np.testing.assert_array_equal(found[own], np.broadcast_to(expected, own.shape))
        np.testing.assert_array_equal(without[own], NONE[what])
        others = np.setdiff1d(places, own)
        np.testing.assert_array_equal(found[others], -0.5 if what == "lower" else 0.5)

    @pytest.mark.parametrize("what", DRIVES)
    def test_drives(self, kind, follower, what):
        given = 0.75 if SIZES[kind][1] == 1 else each_degree(kind)
        model = among_others(kind, follower=follower, **{what: given})
        own = np.atleast_1d(np.arange(model.nv)[model.qd_index("j")])
        np.testing.assert_array_equal(getattr(model, what)[own], np.broadcast_to(given, own.shape))
        # a follower's act on the slide: damping times the square of -2, friction times 2
        slide = {"damping": (0.5, 2.5), "friction": (0.25, 0.75), "armature": (0.0, 0.0)}[what][follower]
        assert getattr(model, what)[0] == slide


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "helical"])
@pytest.mark.parametrize("rotor", [fs.Rotor(0.01, 5.0), fs.Rotor(0.01, -5.0, True)], ids=["plain", "gyroscopic"])
def test_a_followers_rotor_turns_with_its_leader(kind, rotor):
    """n^2 J on the follower, times the square of its multiplier on the leader."""
    bare, driven = (one_joint(kind, axis=(0, 0, 1)) for _ in range(2))
    for builder, fields in ((bare, {}), (driven, {"rotor": rotor})):
        builder.add_link("tip", 0.5, (0.1, 0.0, 0.0), np.eye(3))
        mimic = fs.Mimic("j", -3.0, 0.2)
        builder.add_joint("k", kind, "rod", "tip", axis=(0, 0, 1), mimic=mimic, **NEEDED.get(kind, {}), **fields)
    (without,), (added,) = (fs.crba(builder.build(), [0.3])[0] for builder in (bare, driven))
    # the gyroscopic one has its inertia from the rod, and turns with it besides
    turns = kind != "prismatic" and rotor.gyroscopic
    carried = rotor.inertia * ((1.0 - 3.0 * rotor.ratio) ** 2 - 1.0) if turns else 9.0 * 25.0 * rotor.inertia
    assert added - without == pytest.approx(carried, rel=1e-12)


class TestRandomConfigurations:
    @pytest.mark.parametrize("kind", ["planar", "helical", "cylindrical", "universal", "composite"])
    def test_stay_between_limits_of_each_coordinate(self, kind):
        size = SIZES[kind][0]
        lower, upper = tuple(-0.25 * (k + 1) for k in range(size)), tuple(4.0 + k for k in range(size))
        if size == 1:
            (lower,), (upper,) = lower, upper
        q = one_joint(kind, lower=lower, upper=upper).build().random_configuration(0, (400,))
        assert ((q >= lower) & (q <= upper)).all()
        width = np.subtract(upper, lower)
        assert (q.min(0) < lower + 0.05 * width).all()
        assert (q.max(0) > upper - 0.05 * width).all()

    @pytest.mark.parametrize(
        ("kind", "fields", "reach"),
        [
            ("planar", {}, (1.0, 1.0, math.pi)),
            ("helical", {}, (math.pi,)),
            ("universal", {}, (math.pi, math.pi)),
            ("cylindrical", {}, (math.pi, 1.0)),
            ("composite", {}, (math.pi, math.pi)),
            ("composite", {"screws": [(0, 0, 0, 0, 1, 0), SKEW, (0, 0, 0, 1, 0, 0)]}, (1.0, math.pi, 1.0)),
        ],
    )
    def test_reach_half_a_turn_and_a_metre_where_there_are_none(self, kind, fields, reach):
        q = one_joint(kind, **fields).build().random_configuration(1, (400,))
        assert (np.abs(q) <= reach).all()
        assert (np.abs(q).max(0) > 0.95 * np.array(reach)).all()

    @pytest.mark.parametrize("kind", ["planar", "helical", "cylindrical", "composite"])
    def test_begin_at_the_one_limit_there_is(self, kind):
        low = one_joint(kind, lower=10.0).build().random_configuration(2, (200,))
        high = one_joint(kind, upper=-10.0).build().random_configuration(2, (200,))
        assert low.min() >= 10.0
        assert high.max() <= -10.0
        assert max(low.max(), -high.min()) <= 10.0 + 2 * math.pi
