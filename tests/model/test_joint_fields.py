"""The fields of joints: what the builder takes for each type, and what it says about the rest."""

import math
import re

import numpy as np
import pytest

import featherstone as fs

from .joint_kinds import LIMITS, NOT_NEGATIVE, QUATERNIONS, SEVERAL, SIZES, SKEW, each_degree, one_joint

NAN, INF = math.nan, math.inf
SCREW = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def joint(kind, **fields):
    """The joint as it is built."""
    return one_joint(kind, **fields).build().joints[0]


def raises(what, pattern):
    """Expect a ModelError about a field of the joint `j`."""
    return pytest.raises(
        fs.ModelError, match=rf"^joint 'j': {what}: {pattern}", check=lambda error: error.element == ("joint", "j")
    )


class TestUniversalJoints:
    @pytest.mark.parametrize("bad", ["x", None, (1, 2), (NAN, 0, 0), 3.0])
    def test_have_a_second_axis(self, bad):
        with raises("axis2", "expected three finite numbers, got "):
            joint("universal", axis2=bad)

    def test_have_a_second_axis_of_some_length(self):
        with raises("axis2", r"expected a direction, got \(0.0, 0.0, 0.0\)$"):
            joint("universal", axis2=(0, 0, 0))

    @pytest.mark.parametrize("axis2", [(1, 0, 0), (-3, 0, 0), (1.0, 1e-8, 0.0)])
    def test_have_two_directions(self, axis2):
        with raises("axis2", "expected another direction than axis, got "):
            joint("universal", axis=(2, 0, 0), axis2=axis2)

    def test_may_have_axes_at_any_other_angle(self):
        found = joint("universal", axis=(0, 0, 2), axis2=(0, 3, -4))
        assert found.axis == (0.0, 0.0, 1.0)
        np.testing.assert_allclose(found.axis2, (0.0, 0.6, -0.8), rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", ["fixed", "revolute", "cylindrical", "spherical"])
def test_a_second_axis_does_not_matter_where_there_is_none(kind):
    assert one_joint(kind, axis2=(0, 0, 0)).build().mass == 1.0


class TestPitch:
    @pytest.mark.parametrize("bad", [NAN, INF, "x", None, (0.1,) * 2, 1j])
    def test_is_a_finite_number(self, bad):
        with raises("pitch", "expected a finite number, got "):
            joint("helical", pitch=bad)

    def test_is_not_zero(self):
        with raises("pitch", r"expected the travel in m/rad, got 0$"):
            joint("helical", pitch=0.0)

    @pytest.mark.parametrize("kind", ["fixed", *(kind for kind in SIZES if kind != "helical")])
    def test_belongs_to_helical_joints(self, kind):
        with raises("pitch", rf"expected none of a {kind} joint, got 0.1$"):
            joint(kind, pitch=0.1)

    def test_may_be_of_a_left_hand_thread(self):
        assert joint("helical", pitch=-0.25).pitch == -0.25


class TestScrews:
    @pytest.mark.parametrize(
        "bad", [(), [()], "x", None, 3, SCREW, [SCREW[:5]], [(*SCREW[:5], NAN)], [SCREW, SCREW[:5]], [(1j, *SCREW[1:])]]
    )
    def test_are_rows_of_six_finite_numbers(self, bad):
        with raises("screws", re.escape("expected finite numbers of shape (k, 6), a row (w; v) for each degree of")):
            joint("composite", screws=bad)

    @pytest.mark.parametrize(
        ("row", "length"),
        [((2, 0, 0, 1, 0, 0), "2"), ((0, 0, 0, 0, 0.5, 0), "0.5"), ((1e-9, 0, 0, 1, 0, 0), "1e-09")],
    )
    def test_are_of_unit_length(self, row, length):
        with raises("screws", rf"expected rows \(w; v\) with w of unit length, .*; divide it by {length}$"):
            joint("composite", screws=[SCREW, row])

    def test_move(self):
        with raises("screws", r"expected rows .*, got \(0.0, 0.0, 0.0, 0.0, 0.0, 0.0\)$"):
            joint("composite", screws=[(0, 0, 0, 0, 0, 0)])

    def test_are_of_a_size_that_can_be_computed_with(self):
        with raises("screws", r"expected at most 1e\+60, got 1e\+61$"):
            joint("composite", screws=[(1, 0, 0, 0, 0, 1e61)])

    @pytest.mark.parametrize("kind", ["fixed", *(kind for kind in SIZES if kind != "composite")])
    @pytest.mark.parametrize("bad", [[SCREW], [SCREW, SCREW[:5]], None, 3.0])
    def test_belong_to_composite_joints(self, kind, bad):
        with raises("screws", rf"expected none of a {kind} joint; make it composite$"):
            joint(kind, screws=bad)

    def test_are_normalised_as_axes_are(self):
        (screw,) = joint("composite", screws=[[1.0 + 1e-7, 0, 0, 0, 0.5, 0]]).screws
        np.testing.assert_allclose(screw, (1.0, 0.0, 0.0, 0.0, 0.5, 0.0), rtol=1e-7, atol=0)
        assert screw[0] == 1.0

    def test_may_come_as_an_array(self):
        given = np.array([SCREW, SKEW])
        made = one_joint("composite", screws=given)
        given[:] = 0.0
        (found,) = made.build().joints
        assert found.screws == (SCREW, SKEW)
        assert (found.coordinates, found.degrees) == (2, 2)


class TestRotors:
    @pytest.mark.parametrize("bad", [3, (1.0, 2.0), {"inertia": 1.0}, "rotor"])
    def test_are_rotors(self, bad):
        with raises("rotor", "expected a Rotor or None, got "):
            joint("revolute", rotor=bad)

    @pytest.mark.parametrize("bad", [NAN, INF, "x", None, (1.0, 2.0)])
    def test_have_finite_numbers(self, bad):
        with raises("rotor inertia", "expected a finite number, got "):
            joint("revolute", rotor=fs.Rotor(bad))
        with raises("rotor ratio", "expected a finite number, got "):
            joint("revolute", rotor=fs.Rotor(1.0, bad))

    def test_have_no_negative_inertia(self):
        with raises("rotor inertia", r"expected a number >= 0, got -1.0$"):
            joint("revolute", rotor=fs.Rotor(-1))

    @pytest.mark.parametrize("bad", [1, "yes", None])
    def test_are_gyroscopic_or_not(self, bad):
        with raises("rotor gyroscopic", rf"expected True or False, got {bad!r}$"):
            joint("revolute", rotor=fs.Rotor(1.0, 2.0, bad))

    @pytest.mark.parametrize("gyroscopic", [False, True, np.False_, np.True_])
    def test_have_an_axis_that_is_a_direction(self, gyroscopic):
        with raises("rotor axis", r"expected a direction, got \(0.0, 0.0, 0.0\)$"):
            joint("revolute", rotor=fs.Rotor(1.0, 2.0, gyroscopic, (0, 0, 0)))
        with raises("rotor axis", "expected three finite numbers, got 'x'$"):
            joint("revolute", rotor=fs.Rotor(1.0, 2.0, gyroscopic, "x"))
        assert joint("revolute", rotor=fs.Rotor(1, 2, gyroscopic, (0, 0, 4))).rotor == fs.Rotor(
            1.0, 2.0, bool(gyroscopic), (0.0, 0.0, 1.0)
        )

    @pytest.mark.parametrize("kind", ["fixed", *SEVERAL])
    def test_drive_joints_of_one_degree(self, kind):
        with raises("rotor", rf"expected a joint of one degree of freedom, it is {kind}$"):
            joint(kind, rotor=fs.Rotor(1.0))

    def test_of_joints_without_an_axis_have_their_own(self):
        with raises("rotor axis", "expected the rotor's direction, since a composite joint has none$"):
            joint("composite", screws=[SKEW], rotor=fs.Rotor(1.0, 2.0, True))
        assert joint("composite", screws=[SKEW], rotor=fs.Rotor(1.0, 2.0)).rotor.axis is None
        assert joint("composite", screws=[SKEW], rotor=fs.Rotor(1.0, 2.0, True, (0, 1, 0))).rotor.gyroscopic


class TestFriction:
    @pytest.mark.parametrize("what", NOT_NEGATIVE)
    @pytest.mark.parametrize("bad", [NAN, INF, "x", None, [1.0], 1j])
    def test_is_in_finite_numbers(self, what, bad):
        with raises(what, "expected a finite number, got "):
            joint("revolute", **{what: bad})

    @pytest.mark.parametrize("what", NOT_NEGATIVE)
    def test_is_not_negative(self, what):
        with raises(what, r"expected a number >= 0, got -0.1$"):
            joint("revolute", **{what: -0.1})
        with raises(what, r"expected a number >= 0, got \(0.5, -0.1\)$"):
            joint("universal", **{what: (0.5, -0.1)})

    def test_does_not_rise_with_speed(self):
        with raises("stiction", r"expected at least the friction 2, got 1$"):
            joint("revolute", friction=2.0, stiction=1.0, stribeck_velocity=0.1)
        with raises("stiction", r"expected at least the friction 2, got 1$"):
            joint("universal", friction=(0.5, 2.0), stiction=1.0, stribeck_velocity=0.1)

    def test_falls_over_some_speed(self):
        with raises("stribeck_velocity", r"expected a velocity > 0 beside stiction, got 0$"):
            joint("revolute", friction=1.0, stiction=2.0)
        with raises("stribeck_velocity", r"expected a velocity > 0 beside stiction, got 0$"):
            joint("universal", stiction=1.0, stribeck_velocity=(0.1, 0.0))

    def test_may_be_all_coulombs(self):
        found = joint("revolute", friction=2.0, stiction=2.0)
        assert (found.friction, found.stiction, found.stribeck_velocity) == (2.0, 2.0, 0.0)

    @pytest.mark.parametrize("what", ["smoothing", "stribeck_velocity"])
    @pytest.mark.parametrize("small", [5e-324, 1e-200, 9.9e-61])
    def test_divides_by_no_velocity_whose_square_is_lost(self, what, small):
        with raises(what, rf"expected 0 or at least 1e-60, got {small}$"):
            joint("revolute", friction=1.0, **{what: small})

    @pytest.mark.parametrize("fields", [{"smoothing": 1e-60}, {"stiction": 3.0, "stribeck_velocity": 1e-60}])
    def test_is_coulombs_at_all_speeds_beyond_the_least(self, fields):
        model = one_joint("continuous", axis=(0, 0, 1), friction=1.0, **fields).build().with_gravity((0, 0, 0))
        speeds = np.array([[-1e30], [-1.0], [-1e-30], [0.0], [1e-30], [1.0], [1e30]])
        found = fs.rnea(model, 0.0 * speeds, speeds, 0.0 * speeds, losses=True)
        np.testing.assert_array_equal(found, np.sign(speeds))


class TestOneForEachDegree:
    @pytest.mark.parametrize("kind", SEVERAL)
    @pytest.mark.parametrize("what", [*LIMITS, *NOT_NEGATIVE])
    def test_or_one_for_all(self, kind, what):
        beside = {"stiction": {"stribeck_velocity": 0.1}, "stribeck_velocity": {"stiction": 9.0}}
        extra = beside.get(what, {})
        given = each_degree(kind)
        one = joint(kind, **{what: 3}, **extra)
        assert getattr(one, what) == 3.0
        assert one.values(what) == (3.0,) * len(given)
        if what in ("lower", "upper") and kind in QUATERNIONS:
            with raises(what, "expected a number, got "):
                joint(kind, **{what: given})
            return
        for several in (given, list(given), np.array(given)):
            assert getattr(joint(kind, **{what: several}, **extra), what) == given

    @pytest.mark.parametrize("kind", [kind for kind in SEVERAL if kind not in QUATERNIONS])
    @pytest.mark.parametrize("what", [*LIMITS, *NOT_NEGATIVE])
    @pytest.mark.parametrize("count", ["none", "one", "one too few", "one too many", "a table"])
    def test_in_the_right_number(self, kind, what, count):
        given = each_degree(kind)
        bad = {
            "none": (),
            "one": given[:1],
            "one too few": given[:-1],
            "one too many": (*given, 1.0),
            "a table": (given,),
        }[count]
        with raises(what, re.escape(f"expected one number, or {len(given)} of them, got {bad!r}")):
            joint(kind, **{what: bad})

    @pytest.mark.parametrize("kind", ["fixed", "revolute", "continuous", "prismatic", "helical"])
    @pytest.mark.parametrize("what", [*LIMITS, *NOT_NEGATIVE])
    def test_only_where_there_are_several(self, kind, what):
        with raises(what, "expected a (finite )?number, got "):
            joint(kind, **{what: (1.0, 2.0)})

    @pytest.mark.parametrize("what", LIMITS)
    def test_without_nan(self, what):
        with raises(what, "expected a number, got nan$"):
            joint("cylindrical", **{what: (1.0, NAN)})
        assert getattr(joint("cylindrical", **{what: (1.0, INF)}), what) == (1.0, INF)

    @pytest.mark.parametrize("what", NOT_NEGATIVE)
    @pytest.mark.parametrize("bad", [NAN, INF, "x", None, (1.0, 2.0)])
    def test_all_finite(self, what, bad):
        expected = "expected (a finite number|one number, or 2 of them), got "
        with raises(what, expected):
            joint("universal", **{what: (1.0, bad)})


def test_a_spherical_joint_turns_by_no_negative_angle():
    with raises("upper", r"expected the greatest angle of its rotation, >= 0, got -1.0$"):
        joint("spherical", upper=-1)
