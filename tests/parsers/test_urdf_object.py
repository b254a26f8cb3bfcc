"""Robots read by other packages: the same dynamics as the file's.

The packages need not be installed: stand-ins have the attributes of their objects, filled from the XML as they fill
them. urdfpy and urchin: `joint_type`, inertias that are never None. yourdfpy: `type`, texts for damping and friction.
"""

import doctest
import math
import sys
import sysconfig
import warnings
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import featherstone as fs

MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
FILES = [p for p in sorted(ROBOTS.rglob("*.urdf")) if not p.as_posix().endswith("ur_description/urdf/ur3.urdf")]


@dataclass
class Inertial:
    mass: Any
    inertia: Any
    origin: Any


@dataclass
class Link:
    name: str
    inertial: Any


@dataclass
class Joint:
    """Of yourdfpy."""

    name: str
    type: str
    parent: str
    child: str
    origin: Any = None
    axis: Any = None
    limit: Any = None
    dynamics: Any = None
    mimic: Any = None


@dataclass
class UrchinJoint:
    """Of urdfpy and urchin."""

    name: str
    joint_type: str
    parent: str
    child: str
    origin: Any
    axis: Any
    limit: Any
    dynamics: Any
    mimic: Any


@dataclass
class Robot:
    name: str
    links: list
    joints: list


def vector(element, key, default):
    return np.array([float(x) for x in element.get(key, default).split()]) if element is not None else None


def matrix(element):
    """The pose of an <origin>, or None."""
    if element is None:
        return None
    (r, p, y), T = vector(element, "rpy", "0 0 0"), np.eye(4)
    x = np.array([[1, 0, 0], [0, math.cos(r), -math.sin(r)], [0, math.sin(r), math.cos(r)]])
    z = np.array([[math.cos(y), -math.sin(y), 0], [math.sin(y), math.cos(y), 0], [0, 0, 1]])
    T[:3, :3] = z @ np.array([[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]]) @ x
    T[:3, 3] = vector(element, "xyz", "0 0 0")
    return T


def numbers(element, *keys):
    """The attributes of an element as floats, None if there are none; of no element, None."""
    if element is None:
        return None
    return SimpleNamespace(**{key: None if element.get(key) is None else float(element.get(key)) for key in keys})


def as_yourdfpy(path):
    root = ET.parse(path).getroot()
    links, joints = [], []
    for link in root.findall("link"):
        element = link.find("inertial")
        inertial = None
        if element is not None:
            xx, xy, xz, yy, yz, zz = (float(element.find("inertia").get(f"i{k}")) for k in MOMENTS)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            inertial = Inertial(float(element.find("mass").get("value")), tensor, matrix(element.find("origin")))
        links.append(Link(link.get("name"), inertial))
    for joint in root.findall("joint"):
        axis = joint.find("axis")
        mimic = numbers(joint.find("mimic"), "multiplier", "offset")
        if mimic is not None:
            mimic.joint = joint.find("mimic").get("joint")
        losses = joint.find("dynamics")
        if losses is not None:
            losses = SimpleNamespace(damping=losses.get("damping"), friction=losses.get("friction"))
        parent, child = (joint.find(x).get("link") for x in ("parent", "child"))
        found = Joint(joint.get("name"), joint.get("type"), parent, child, matrix(joint.find("origin")))
        found.axis = np.array([1.0, 0.0, 0.0]) if axis is None else vector(axis, "xyz", "1 0 0")
        found.limit = numbers(joint.find("limit"), "lower", "upper", "effort", "velocity")
        found.dynamics, found.mimic = losses, mimic
        joints.append(found)
    return Robot(root.get("name"), links, joints)


def as_urchin(path):
    """Poses are never None, axes have length 1, and what has no inertia is given one."""
    robot = as_yourdfpy(path)
    for link in robot.links:
        link.inertial = link.inertial or Inertial(1.0, np.eye(3), np.eye(4))
        link.inertial.origin = np.eye(4) if link.inertial.origin is None else link.inertial.origin
    joints = []
    for x in robot.joints:
        length = np.linalg.norm(x.axis)
        axis = x.axis / length if length else x.axis
        losses = None
        if x.dynamics is not None:
            losses = SimpleNamespace(damping=float(x.dynamics.damping or 0), friction=float(x.dynamics.friction or 0))
        origin = np.eye(4) if x.origin is None else x.origin
        joints.append(UrchinJoint(x.name, x.type, x.parent, x.child, origin, axis, x.limit, losses, x.mimic))
    return replace(robot, joints=joints)


def same(path, robot, **options):
    """Both models, after a comparison of dynamics, limits and losses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        expected, found = fs.load_urdf(path), fs.from_urdf_object(robot, **options)
    assert (found.name, found.joint_names, found.frame_names) == (
        expected.name, expected.joint_names, expected.frame_names,
    )  # fmt: skip
    for what in ("q_lower", "q_upper", "qd_limit", "tau_limit", "damping", "friction"):
        np.testing.assert_array_equal(getattr(found, what), getattr(expected, what))
    rng = np.random.default_rng(0)
    q = expected.random_configuration(rng, 5)
    qd, qdd = rng.normal(size=(2, 5, expected.nv))
    a, b = fs.rnea(expected, q, qd, qdd), fs.rnea(found, q, qd, qdd)
    np.testing.assert_allclose(b, a, rtol=0, atol=1e-12 * max(1.0, np.abs(a).max(initial=0.0)))
    a, b = fs.crba(expected, q), fs.crba(found, q)
    np.testing.assert_allclose(b, a, rtol=0, atol=1e-12 * max(1.0, np.abs(a).max(initial=0.0)))
    return expected, found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROBOTS).as_posix())
def test_dynamics_of_real_robots_as_yourdfpy_reads_them(path):
    same(path, as_yourdfpy(path))


# their files say 1 kg and a unit tensor themselves
UNIT = ("simple_humanoid.urdf", "simple_humanoid_classical.urdf")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROBOTS).as_posix())
def test_dynamics_of_real_robots_as_urchin_reads_them(path):
    same(path, as_urchin(path), placeholders="keep" if path.name in UNIT else "drop")


def test_an_object_that_holds_the_robot_is_taken_too():
    path = next(p for p in FILES if p.name == "ur5_robot.urdf")
    holder = SimpleNamespace(robot=as_yourdfpy(path))
    assert fs.from_urdf_object(holder, floating_base=True).nv == 12


def arm(**changes):
    """Two links and a joint of urchin's kind, with changes to the joint."""
    limit = SimpleNamespace(lower=-1.0, upper=2.0, effort=3.0, velocity=4.0)
    joint = UrchinJoint("turn", "revolute", "base", "arm", np.eye(4), np.array([0.0, 0.0, 1.0]), limit, None, None)
    links = [Link("base", Inertial(1.0, np.eye(3), np.eye(4))), Link("arm", Inertial(2.0, np.eye(3), np.eye(4)))]
    return Robot("robot", links, [replace(joint, **changes)])


class TestPlaceholders:
    """Inertias that urdfpy and urchin invent."""

    def test_they_are_dropped_with_a_warning(self):
        with pytest.warns(fs.ModelWarning, match=r"links 'base' have 1 kg and a unit tensor.*are taken as massless"):
            assert fs.from_urdf_object(arm()).description.links[0].mass == 0.0

    def test_they_are_kept_if_the_user_says_so(self):
        with pytest.warns(fs.ModelWarning, match="they are kept"):
            assert fs.from_urdf_object(arm(), placeholders="keep").mass == 3.0

    def test_strict_refuses_them(self):
        with pytest.raises(fs.ModelError, match="links 'base' have 1 kg"):
            fs.from_urdf_object(arm(), strict=True)

    @pytest.mark.parametrize(
        "other", [{"mass": 1.5}, {"inertia": 2 * np.eye(3)}, {"origin": np.diag([1.0, -1.0, -1.0, 1.0])}]
    )
    def test_others_are_none(self, other):
        robot = arm()
        robot.links[0].inertial = replace(robot.links[0].inertial, **other)
        assert fs.from_urdf_object(robot).mass == pytest.approx(2.0 + robot.links[0].inertial.mass)

    def test_yourdfpy_invents_none(self):
        link = Link("base", Inertial(1.0, np.eye(3), None))
        model = fs.from_urdf_object(Robot("r", [link, Link("b", None)], [Joint("j", "fixed", "base", "b")]))
        assert model.description.links[0].mass == 1.0

    def test_options_are_checked(self):
        with pytest.raises(ValueError, match="placeholders: expected 'drop' or 'keep', got 'x'"):
            fs.from_urdf_object(arm(), placeholders="x")


QUIET = {"placeholders": "keep"}


@pytest.mark.filterwarnings("ignore::featherstone.ModelWarning")
class TestJoints:
    """What is taken of a joint, and what is refused."""

    def test_limits(self):
        model = fs.from_urdf_object(arm(), **QUIET)
        assert [model.q_lower[0], model.q_upper[0], model.tau_limit[0], model.qd_limit[0]] == [-1.0, 2.0, 3.0, 4.0]

    def test_limits_of_a_continuous_joint_are_no_limits_of_its_angle(self):
        model = fs.from_urdf_object(arm(joint_type="continuous"), **QUIET)
        assert [model.q_lower[0], model.tau_limit[0]] == [-math.inf, 3.0]

    def test_one_limit_makes_the_other_zero(self):
        limit = SimpleNamespace(lower=None, upper=2.0, effort=None, velocity=None)
        model = fs.from_urdf_object(arm(limit=limit), **QUIET)
        assert [model.q_lower[0], model.q_upper[0], model.tau_limit[0]] == [0.0, 2.0, math.inf]

    def test_a_mimic_of_nothing_is_warned_of(self):
        mimic = SimpleNamespace(joint="gone", multiplier=2.0, offset=0.0)
        with pytest.warns(fs.ModelWarning, match="joint 'turn': mimics 'gone', which does not exist"):
            assert fs.from_urdf_object(arm(mimic=mimic), **QUIET).nq == 1

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"joint_type": "ball"}, "joint 'turn': type: expected one of"),
            ({"parent": "x"}, "joint 'turn': parent: there is no link 'x'"),
            ({"origin": np.eye(3)}, "joint 'turn': origin: expected a 4x4 matrix"),
            ({"origin": np.diag([1.0, 1.0, 2.0, 1.0])}, "joint 'turn': rotation: expected an orthonormal"),
            ({"axis": np.zeros(3)}, "joint 'turn': axis: expected a direction"),
            ({"dynamics": SimpleNamespace(damping="1_0", friction=None)}, "damping: expected a plain decimal number"),
            ({"dynamics": SimpleNamespace(damping=[1], friction=None)}, "joint 'turn': damping"),
            ({"limit": SimpleNamespace(lower=math.nan)}, "joint 'turn': lower: expected a number, got NaN"),
        ],
    )
    def test_what_makes_no_sense_is_refused_by_name(self, changes, message):
        with pytest.raises(fs.ModelError, match=message):
            fs.from_urdf_object(arm(**changes), **QUIET)


@pytest.mark.parametrize("robot", [None, 3, "robot.urdf", [], SimpleNamespace(links=[])])
def test_what_is_no_robot_is_refused(robot):
    with pytest.raises(TypeError, match="robot: expected an object of urdfpy, urchin or yourdfpy"):
        fs.from_urdf_object(robot)


def test_none_of_the_packages_is_imported():
    assert not {"urdfpy", "urchin", "yourdfpy"} & set(sys.modules)


def test_the_example_in_the_docs():
    for test in doctest.DocTestFinder(recurse=False).find(fs.from_urdf_object, "from_urdf_object", globs={}):
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0
