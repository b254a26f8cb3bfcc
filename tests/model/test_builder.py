"""The builder: what it takes, and that it says what is wrong with what it does not take."""

import math
import re

import numpy as np
import pytest

import featherstone as fs

NAN, INF = math.nan, math.inf
HUGE = pytest.param(10**400, id="an integer beyond all floats")


def started():
    """A builder with two links."""
    builder = fs.ModelBuilder("arm")
    builder.add_link("base")
    builder.add_link("rod", 1.0, (0.0, 0.0, 1.0), np.eye(3))
    return builder


def jointed(**changes):
    """A builder with two links and a joint."""
    builder = started()
    builder.add_joint(**{"name": "hinge", "type": "revolute", "parent": "base", "child": "rod"} | changes)
    return builder


def raises(pattern, element=None):
    """Expect a ModelError that tells the place and what is wrong there."""
    return pytest.raises(fs.ModelError, match=pattern, check=lambda error: element is None or error.element == element)


@pytest.mark.parametrize("name", [None, 3, "", b"rod", ["rod"]])
def test_names_are_texts(name):
    with raises(rf"^link: name: expected a text, got {re.escape(repr(name))}$"):
        started().add_link(name)
    with raises(rf"^joint: name: expected a text, got {re.escape(repr(name))}$"):
        jointed(name=name)


def test_names_are_given_once():
    with raises(r"^link 'rod': the name is given twice$", ("link", "rod")):
        started().add_link("rod")
    builder = jointed()
    with raises(r"^joint 'hinge': the name is given twice$", ("joint", "hinge")):
        builder.add_joint("hinge", "fixed", "base", "rod")


def test_a_link_and_a_joint_may_share_a_name():
    assert jointed(name="rod").build().joint_names == ("rod",)


@pytest.mark.parametrize("mass", [NAN, INF, "heavy", None, [1.0], 1j, HUGE])
def test_masses_are_finite_numbers(mass):
    with raises(r"^link 'x': mass: expected a finite number, got ", ("link", "x")):
        started().add_link("x", mass)


def test_masses_are_not_negative():
    with raises(r"^link 'x': mass: expected a number >= 0, got -1.0$", ("link", "x")):
        started().add_link("x", -1)


@pytest.mark.parametrize("bad", [(1, 2), "abc", None, (NAN, 0, 0), [[1, 2, 3]], 3, (1j, 0, 0), (2**2000, 0, 0), {}])
@pytest.mark.parametrize("what", ["com", "position", "axis"])
def test_vectors_are_three_finite_numbers(what, bad):
    with raises(rf"^(link|joint) 'x': {what}: expected three finite numbers, got "):
        if what == "com":
            started().add_link("x", 1.0, bad)
        else:
            jointed(name="x", **{what: bad})


@pytest.mark.parametrize("bad", [np.eye(2), None, 1.0, "abc", np.diag([NAN, 1, 1]), np.eye(3) * 1j, [[1], [2, 3]]])
@pytest.mark.parametrize("what", ["inertia", "rotation"])
def test_matrices_are_nine_finite_numbers(what, bad):
    with raises(rf"^(link|joint) 'x': {what}: expected a 3x3 matrix of finite numbers, got "):
        if what == "inertia":
            started().add_link("x", 1.0, (0, 0, 0), bad)
        else:
            jointed(name="x", rotation=bad)


def test_inertias_are_symmetric():
    skew = np.eye(3)
    skew[0, 1] = 1e-6
    with raises(r"^link 'x': inertia: expected a symmetric matrix, got ", ("link", "x")):
        started().add_link("x", 1.0, (0, 0, 0), skew)


@pytest.mark.parametrize(
    "bad", [2.0 * np.eye(3), -np.eye(3), np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3)), np.ones((3, 3))]
)
def test_rotations_are_orthonormal_and_right_handed(bad):
    with raises(r"^joint 'hinge': rotation: expected an orthonormal right-handed matrix, got ", ("joint", "hinge")):
        jointed(rotation=bad)


@pytest.mark.parametrize("kind", ["Revolute", "ball", "", None, 3, ["revolute"]])
def test_types_are_known(kind):
    with raises(rf"^joint 'hinge': type: expected one of fixed, revolute, .*, got {re.escape(repr(kind))}$"):
        jointed(type=kind)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "planar"])
def test_axes_are_directions(kind):
    with raises(r"^joint 'hinge': axis: expected a direction, got \(0.0, 0.0, 0.0\)$", ("joint", "hinge")):
        jointed(type=kind, axis=(0, 0, 0))


@pytest.mark.parametrize("kind", ["fixed", "spherical", "floating"])
def test_an_axis_does_not_matter_where_there_is_none(kind):
    assert jointed(type=kind, axis=(0, 0, 0)).build().mass == 1.0


@pytest.mark.parametrize("length", [1e-3, 0.5, 1.0, 3.0, 1e6])
def test_axes_are_normalised(length):
    (joint,) = jointed(axis=(0.0, 0.6 * length, -0.8 * length)).build().joints
    np.testing.assert_allclose(joint.axis, (0.0, 0.6, -0.8), rtol=0, atol=1e-15)


@pytest.mark.parametrize("what", ["damping", "friction", "armature"])
@pytest.mark.parametrize("bad", [NAN, INF, "x", None, [1.0], 1j])
def test_losses_are_finite_numbers(what, bad):
    with raises(rf"^joint 'hinge': {what}: expected a finite number, got ", ("joint", "hinge")):
        jointed(**{what: bad})


@pytest.mark.parametrize("what", ["damping", "friction", "armature"])
def test_losses_are_not_negative(what):
    with raises(rf"^joint 'hinge': {what}: expected a number >= 0, got -0.1$", ("joint", "hinge")):
        jointed(**{what: -0.1})


@pytest.mark.parametrize("what", ["lower", "upper", "velocity", "effort"])
@pytest.mark.parametrize("bad", [NAN, "x", None, [1.0, 2.0], 1j])
def test_limits_are_numbers(what, bad):
    with raises(rf"^joint 'hinge': {what}: expected a number, got ", ("joint", "hinge")):
        jointed(**{what: bad})


@pytest.mark.parametrize("bad", ["elbow", ("elbow", 1.0, 0.0), 3, {"joint": "elbow"}])
def test_mimic_is_a_mimic(bad):
    with raises(r"^joint 'hinge': mimic: expected a Mimic", ("joint", "hinge")):
        jointed(mimic=bad)


@pytest.mark.parametrize("bad", [NAN, INF, "x", None])
def test_mimic_numbers_are_finite(bad):
    with raises(r"^joint 'hinge': mimic multiplier: expected a finite number, got "):
        jointed(mimic=fs.Mimic("elbow", bad))
    with raises(r"^joint 'hinge': mimic offset: expected a finite number, got "):
        jointed(mimic=fs.Mimic("elbow", 1.0, bad))


@pytest.mark.parametrize("gravity", ["down", None, 9.81, (0, -9.81), (NAN, 0, 0), (1j, 0, 0)])
def test_gravity_is_three_finite_numbers(gravity):
    with raises(r"^gravity: expected three finite numbers"):
        jointed().build(gravity=gravity)


def test_numbers_may_be_of_any_real_kind():
    builder = fs.ModelBuilder("kinds")
    builder.add_link("base")
    builder.add_link("rod", np.float32(2), [0, 1, 0], np.eye(3, dtype=int).tolist())
    builder.add_joint(
        "hinge", "revolute", "base", "rod", axis=np.array([0, 0, 1]), damping=np.int64(1), lower=-1, upper=1
    )
    model = builder.build(gravity=np.array([0, 0, -1]))
    assert model.mass == 2.0
    assert model.damping.tolist() == [1.0]
    assert model.gravity.tolist() == [0.0, 0.0, -1.0]


def test_numbers_are_copied():
    com, inertia, axis = np.array([0.0, 0.0, 1.0]), np.eye(3), np.array([1.0, 0.0, 0.0])
    builder = fs.ModelBuilder("copies")
    builder.add_link("base")
    builder.add_link("rod", 1.0, com, inertia)
    builder.add_joint("hinge", "revolute", "base", "rod", axis=axis)
    before = fs.rnea(builder.build(), [0.3], [0.2], [0.1])
    com[:], inertia[:], axis[:] = 5.0, 5.0, 5.0
    np.testing.assert_array_equal(fs.rnea(builder.build(), [0.3], [0.2], [0.1]), before)


def test_links_and_joints_may_come_in_any_order():
    builder = fs.ModelBuilder("late")
    builder.add_joint("hinge", "revolute", "base", "rod")
    builder.add_link("rod", 1.0)
    builder.add_link("base")
    model = builder.build()
    assert model.frame_names == ("base", "rod")


def test_a_built_model_does_not_change_when_the_builder_goes_on():
    builder = jointed()
    model = builder.build()
    builder.add_link("tip", 2.0)
    builder.add_joint("wrist", "revolute", "rod", "tip")
    assert (model.nv, model.mass) == (1, 1.0)
    assert (builder.build().nv, builder.build().mass) == (2, 3.0)


def test_a_failed_link_or_joint_is_not_added():
    builder = started()
    with pytest.raises(fs.ModelError):
        builder.add_link("tip", -1.0)
    with pytest.raises(fs.ModelError):
        builder.add_joint("hinge", "revolute", "base", "rod", axis=(0, 0, 0))
    builder.add_joint("hinge", "revolute", "base", "rod")
    assert builder.build().frame_names == ("base", "rod")


def test_a_stribeck_velocity_comes_with_stiction():
    with raises("joint 'hinge': stiction: expected at least the friction 0.5 beside stribeck_velocity, got 0"):
        jointed(friction=0.5, stribeck_velocity=0.1)
    with raises("joint 'hinge': stribeck_velocity: expected a velocity > 0 beside stiction, got 0"):
        jointed(friction=0.5, stiction=0.7)
    for start in (0.5, 0.7):
        jointed(friction=0.5, stiction=start, stribeck_velocity=0.1)
    jointed(type="universal", friction=0.5, stiction=(0.7, 0.5), stribeck_velocity=0.1)
