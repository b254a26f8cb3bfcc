"""Models as URDF: what is read back moves as before, and one warning lists what URDF cannot say."""

import math
import re
import sysconfig
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import featherstone as fs
from featherstone.model.splitting import SPLIT
from featherstone.model.urdf_writer import rpy_from_rotation
from featherstone.parsers.values import rotation_from_rpy

from ..random_trees import random_parts, random_q, random_rotation

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
FILES = [path for path in sorted(ROBOTS.rglob("*.urdf")) if path.name != "ur3.urdf"]
SAYABLE = ("revolute", "continuous", "prismatic", "planar", "floating")
NEAR = 1e-13


def read_back(model, **options):
    """The model of the model's URDF, which is written without a warning; that it looks mistaken was known before."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = model.to_urdf()
    return fs.read_urdf(text)[0].build(**options)


def assert_same_dynamics(back, model, seed=0):
    assert back.joint_names == model.joint_names
    assert back.frame_names == model.frame_names
    assert back.leaders == model.leaders
    assert_moves_alike(back, model, seed)


def assert_moves_alike(back, model, seed):
    rng = np.random.default_rng(seed)
    q = random_q(model, rng, (5,))
    qd, qdd = rng.normal(size=(2, 5, model.nv))
    pairs = [
        (fs.rnea(back, q, qd, qdd, losses=True), fs.rnea(model, q, qd, qdd, losses=True)),
        (fs.crba(back, q), fs.crba(model, q)),
        *((fs.frame_pose(back, q, name), fs.frame_pose(model, q, name)) for name in model.frame_names),
    ]
    for found, right in pairs:
        assert np.abs(found - right).max(initial=0.0) <= NEAR * max(1.0, np.abs(right).max(initial=0.0))
    for name in ("q_lower", "q_upper", "qd_limit", "tau_limit", "damping", "friction"):
        assert np.array_equal(getattr(back, name), getattr(model, name)), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_real_robots_move_as_before(path):
    model = fs.read_urdf(path)[0].build()
    back = read_back(model)
    assert_same_dynamics(back, model)
    # what has no angles in it comes back bit for bit
    assert back.description.links == model.description.links
    for found, right in zip(back.description.joints, model.description.joints):
        assert (found.position, found.mimic) == (right.position, right.mimic)
        assert right.type == "fixed" or found.axis == right.axis
        assert np.abs(np.subtract(found.rotation, right.rotation)).max() < 1e-15


@pytest.mark.parametrize("seed", range(12))
def test_random_trees_move_as_before(seed):
    parts = plain(random_parts(seed, 8, SAYABLE, mimic=seed % 2 == 0, fixed=True, armature=False))
    assert_same_dynamics(read_back(parts.build()), parts.build(), seed)


def plain(parts):
    """With friction that URDF can say."""
    none = {"stiction": 0.0, "stribeck_velocity": 0.0, "smoothing": 0.0}
    joints = tuple(
        replace(x, **none, damping=x.values("damping")[0]) if x.type == "planar" else replace(x, **none)
        for x in parts.joints
    )
    return replace(parts, joints=joints)


@pytest.mark.parametrize("seed", range(12))
def test_joints_that_urdf_has_not_become_several(seed):
    """Of the same coordinates in the same order; a helical one is a revolute one with a slide that follows."""
    made = plain(random_parts(seed, 9, (*SAYABLE, *SPLIT), mimic=seed % 2 == 0, fixed=True, armature=False))
    joints = tuple(map(one_loss_each, made.joints))
    model = replace(made, joints=joints).build()
    with pytest.warns(fs.ModelWarning, match=r"URDF cannot say: as one joint \(written as several\): "):
        text = model.to_urdf()
    back = fs.read_urdf(text)[0].build()
    assert set(model.frame_names) < set(back.frame_names)
    assert_moves_alike(back, model, seed)


@pytest.mark.parametrize("seed", range(3))
def test_spherical_joints_come_back_with_their_losses(seed):
    made = plain(random_parts(seed, 6, ("spherical", "revolute"), fixed=True, armature=False))
    joints = tuple(replace(x, damping=0.3, friction=0.2) if x.type == "spherical" else x for x in made.joints)
    model = replace(made, joints=joints).build()
    with pytest.warns(fs.ModelWarning, match=r"URDF cannot say: in the standard's types \(spherical is"):
        text = model.to_urdf()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same_dynamics(fs.load_urdf(text), model, seed)


def one_loss_each(joint):
    """Other numbers for each degree of freedom come back, since each has its own joint."""
    several = tuple(0.1 * (k + 1) for k in range(joint.degrees))
    return replace(joint, damping=several, friction=several) if joint.type in SPLIT and joint.degrees > 1 else joint


@given(st.integers(0, 2**32), st.sampled_from([0.0, 1e-3, 1e-8, 1e-12, 1e-15, 1e-16]), st.sampled_from([1, -1]))
def test_angles_are_those_of_the_rotation(seed, off, sign):
    """Everywhere, also where pitch is near a quarter turn and yaw hardly known."""
    rng = np.random.default_rng(seed)
    near = rotation_from_rpy(rng.uniform(-4, 4), sign * math.pi / 2 + off * rng.normal(), rng.uniform(-4, 4))
    for R in (random_rotation(rng), np.array(near)):
        back = rotation_from_rpy(*rpy_from_rotation(tuple(map(tuple, R.tolist()))))
        assert np.abs(np.array(back) - R).max() < 2e-15


def test_permuted_axes_come_back_exactly():
    for k in range(200):
        R = np.random.default_rng(k).permutation(np.eye(3)) * np.sign(np.random.default_rng(k + 1).normal(size=3))
        R *= np.linalg.det(R)
        assert np.array_equal(rotation_from_rpy(*rpy_from_rotation(tuple(map(tuple, R.tolist())))), R)


def hinge(type="revolute", **fields):
    builder = fs.ModelBuilder("hinge")
    builder.add_link("base")
    builder.add_link("rod", 1.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.25]))
    builder.add_joint("j", type, "base", "rod", **fields)
    return builder


def test_a_revolute_joint_without_limits_is_continuous():
    back = read_back(hinge(velocity=2.0, effort=3.0).build())
    assert back.joints[0].type == "continuous"
    assert (back.qd_limit[0], back.tau_limit[0], back.q_upper[0]) == (2.0, 3.0, math.inf)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"upper": 1.0},
        {"lower": -1.0},
        {"effort": 2.0},
        {"velocity": 3.0},
        {"lower": -1.0, "upper": 1.0, "effort": 2.0},
    ],
)
def test_limits_that_are_not_there_come_back_and_pinocchio_reads_them(kind, limits):
    """Its reader refuses a <limit> without effort and velocity."""
    pin = pytest.importorskip("pinocchio")
    limits = {key: limits[key] for key in limits if kind != "continuous" or key in ("effort", "velocity")}
    model = hinge(kind, **limits).build()
    text = model.to_urdf()
    back = fs.load_urdf(text)
    for name in ("q_lower", "q_upper", "qd_limit", "tau_limit"):
        assert np.array_equal(getattr(back, name), getattr(model, name)), name
    theirs = pin.buildModelFromXML(text)
    assert theirs.njoints == 2
    if "effort" in limits:
        assert theirs.upperEffortLimit.tolist() == [2.0]


@pytest.mark.parametrize("pitch", [0.1, -0.1])
def test_the_slide_of_a_helical_joint_has_the_limits_of_its_turn(pitch):
    model = hinge("helical", pitch=pitch, lower=-1.0, upper=2.0, velocity=3.0).build()
    with pytest.warns(fs.ModelWarning, match="URDF cannot say: as one joint"):
        text = model.to_urdf()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        back = fs.load_urdf(text)
        free = hinge("helical", pitch=pitch).build()
    assert (back.q_lower.tolist(), back.q_upper.tolist()) == ([-1.0], [2.0])
    slide = back.joints[1]
    reach = (-0.1, 0.2) if pitch > 0 else (-0.2, 0.1)
    assert np.allclose((slide.lower, slide.upper, slide.velocity), (*reach, 0.3), rtol=1e-15)
    with pytest.warns(fs.ModelWarning, match="URDF cannot say: as one joint"):
        text = free.to_urdf()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fs.load_urdf(text).q_upper.tolist() == [math.inf]


def test_names_are_escaped():
    builder = fs.ModelBuilder("<r&b>")
    names = ["a\"'<&>", " b\n\tc\r ", "\u00e9\U0001f916]]>"]
    for name in names:
        builder.add_link(name, 1.0)
    builder.add_joint(names[0], "floating", names[0], names[1])
    builder.add_joint(names[1], "planar", names[1], names[2])
    model = builder.build()
    back = read_back(model)
    assert (back.name, back.frame_names, back.joint_names) == (model.name, model.frame_names, model.joint_names)


@pytest.mark.parametrize("bad", ["\0", "\x1f", "\ud800", "\ufffe"])
def test_names_that_xml_cannot_hold_are_refused(bad):
    model = hinge().build().rename(links={"rod": f"x{bad}"})
    with pytest.raises(fs.ModelError, match=r"^name 'x.*: expected characters that XML has"):
        model.to_urdf()


TILTED = ((1.0, 1e-8, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("builder", "options", "listed"),
    [
        (hinge(), {"floating_base": True}, "floating_base=True (give it to load_urdf)"),
        (hinge(), {"mimic": False, "merge_fixed": False}, "mimic=False (give it to load_urdf); merge_fixed=False ("),
        (hinge(), {"gravity": (0, 0, -1.62)}, "gravity (0.0, 0.0, -1.62) (use with_gravity)"),
        (hinge(armature=0.1), {}, "the armature of 'j'"),
        (hinge(rotation=TILTED), {}, "the exact rotation, which is not orthonormal, of 'j'"),
        (
            hinge("spherical", armature=0.1),
            {"floating_base": True},
            "in the standard's types (spherical is",
        ),
    ],
)
def test_one_warning_lists_what_urdf_cannot_say(builder, options, listed):
    model = builder.build(**options)
    with pytest.warns(fs.ModelWarning) as caught:
        text = model.to_urdf()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert re.match(f"model 'hinge': URDF cannot say: .*{re.escape(listed)}", str(caught[0].message))
    if model.joints[-1].type == "spherical":
        assert "floating_base=True" in str(caught[0].message)
        assert "the armature of 'j'" in str(caught[0].message)
        assert fs.read_urdf(text)[0].build(**options).joint_names == model.joint_names
    elif not model.joints[-1].armature:
        flags = {key: value for key, value in options.items() if key != "gravity"}
        back = fs.read_urdf(text)[0].build(**flags).with_gravity(model.gravity)
        q = model.random_configuration(0)
        assert np.allclose(fs.crba(back, q), fs.crba(model, q), atol=1e-7)


def test_the_warning_is_short():
    builder = hinge(armature=0.1)
    for k in range(50):
        builder.add_link(f"l{k}", 1.0)
        builder.add_joint(f"j{k}", "prismatic", "rod", f"l{k}", armature=1.0)
    with pytest.warns(fs.ModelWarning, match=r"the armature of 'j', 'j0', .* and 45 more$"):
        builder.build().to_urdf()
