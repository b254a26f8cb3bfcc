"""What SDFormat means, by numbers that can be checked by hand."""

import doctest
import math
import warnings

import numpy as np
import pytest

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.sdf import load_sdf, read_sdf

INERTIAL = "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.3</izz></inertia></inertial>"
TIE = '<joint name="tie" type="fixed"><parent>world</parent><child>base</child></joint>'
BASE = f'<link name="base">{INERTIAL}</link>'


def link(name, pose="", inertial=INERTIAL):
    return f'<link name="{name}">{pose}{inertial}</link>'


def joint(name, kind, parent, child, pose="", axis="<xyz>0 0 1</xyz>", more=""):
    axis = f"<axis>{axis}</axis>" if axis else ""
    return (
        f'<joint name="{name}" type="{kind}">{pose}<parent>{parent}</parent><child>{child}</child>{axis}{more}</joint>'
    )


def sdf(*parts, version="1.11", attributes=""):
    return f'<sdf version="{version}"><model name="m"{attributes}>{"".join(parts)}</model></sdf>'


def position(model, q, frame):
    return fs.frame_pose(model, q, frame)[:3, 3].round(12).tolist()


def test_a_pendulum_of_the_tutorial():
    """The base at 0.3, the joint 0.73 above it, the pendulum half a metre below: its weight turns it by 9.81 N m."""
    model = load_sdf(
        sdf(
            link("base", "<pose>0 0 0.3 0 0 0</pose>"),
            link("pendulum", '<pose relative_to="hinge">0 0 -0.5 0 0 0</pose>'),
            joint("hinge", "revolute", "base", "pendulum", '<pose relative_to="base">0 0 0.73 0 0 0</pose>',
                  "<xyz>1 0 0</xyz>"),
            TIE,
        )
    )  # fmt: skip
    assert position(model, [0.0], "pendulum") == [0.0, 0.0, 0.53]
    assert position(model, [math.pi / 2], "pendulum") == [0.0, 0.5, 1.03]
    # 2 kg at 0.5 m; 0.1 about its centre and 2 * 0.5^2 by its distance
    assert fs.gravity_torque(model, [math.pi / 2]) == pytest.approx([9.81], rel=1e-15)
    assert fs.crba(model, [0.3])[0, 0] == pytest.approx(0.6, rel=1e-15)
    # the joint's own frame, which the pendulum hangs on
    assert model.body_names == ("hinge",)
    assert position(model, [1.0], "hinge") == [0.0, 0.0, 1.03]


def test_a_joint_at_its_child_needs_no_frame():
    model = load_sdf(sdf(BASE, link("arm", "<pose>1 2 3 0 0 0</pose>"), joint("turn", "revolute", "base", "arm"), TIE))
    assert model.body_names == ("arm",)
    assert "turn" not in model.frame_names
    # neither if it is further along its axis, or if it slides
    along = "<pose>0 0 0.7 0 0 1</pose>"
    assert load_sdf(sdf(BASE, link("arm"), joint("turn", "revolute", "base", "arm", along), TIE)).body_names == ("arm",)
    beside = "<pose>5 6 7 0 0 1</pose>"
    slid = load_sdf(sdf(BASE, link("arm"), joint("slide", "prismatic", "base", "arm", beside, "<xyz>1 0 0</xyz>"), TIE))
    assert slid.body_names == ("arm",)
    np.testing.assert_allclose(position(slid, [2.0], "arm"), [2 * math.cos(1), 2 * math.sin(1), 0], atol=1e-12)


@pytest.mark.parametrize(
    "pose",
    [
        "<pose>0 0 1 0 0 1.5707963267948966</pose>",
        '<pose degrees="true">0 0 1 0 0 90</pose>',
        '<pose rotation_format="euler_rpy" degrees="1">\n 0 0 1\n 0 0 90</pose>',
        '<pose rotation_format="quat_xyzw">0 0 1 0 0 0.7071067811865476 0.7071067811865476</pose>',
        '<pose rotation_format="quat_xyzw">0 0 1 0 0 0.7071 0.7071</pose>',
    ],
)
def test_rotations_can_be_written_in_three_ways(pose):
    frame = f'<frame name="f">{pose}</frame>'
    model = load_sdf(sdf(BASE, frame, TIE))
    expected = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    np.testing.assert_allclose(fs.frame_pose(model, [], "f"), expected, atol=4e-16)


def test_an_empty_pose_is_that_of_the_other():
    frame = '<frame name="f"><pose relative_to="arm"/></frame>'
    arm = link("arm", "<pose>1 2 3 0 0 0</pose>")
    model = load_sdf(sdf(BASE, arm, frame, joint("glue", "fixed", "base", "arm"), TIE))
    assert position(model, [], "f") == [1.0, 2.0, 3.0]


def test_where_an_axis_is_expressed():
    arm = link("arm", "<pose>0 0 1 0 0 1.5707963267948966</pose>")
    turned = "<pose>0 0 0 1.5707963267948966 0 0</pose>"  # the joint in the arm
    for version, axis, expected in (
        ("1.9", "<xyz>0 0 1</xyz>", (0, -1, 0)),  # in the joint, which has its z axis along -y of the arm
        ("1.9", '<xyz expressed_in="arm">0 0 1</xyz>', (0, 0, 1)),
        ("1.9", '<xyz expressed_in="__model__">1 0 0</xyz>', (0, -1, 0)),
        ("1.6", "<xyz>0 0 1</xyz>", (0, -1, 0)),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", (0, -1, 0)),
        ("1.4", "<xyz>1 0 0</xyz>", (0, -1, 0)),
    ):
        model = load_sdf(sdf(BASE, arm, joint("turn", "revolute", "base", "arm", turned, axis), TIE, version=version))
        np.testing.assert_allclose(model.joints[0].axis, expected, atol=4e-16)


def test_limits_and_losses():
    limit = "<limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>"
    dynamics = "<dynamics><damping>0.5</damping><friction>0.6</friction></dynamics>"
    arm = link("arm")
    model = load_sdf(
        sdf(BASE, arm, joint("t", "revolute", "base", "arm", axis=f"<xyz>1 0 0</xyz>{limit}{dynamics}"), TIE)
    )
    found = [x.tolist() for x in (model.q_lower, model.q_upper, model.tau_limit, model.qd_limit, model.damping)]
    assert found == [[-1.0], [2.0], [3.0], [4.0], [0.5]]
    assert model.friction.tolist() == [0.6]
    none = "<limit><lower>-1e16</lower><upper>inf</upper><effort>-1</effort><velocity>-1</velocity></limit>"
    for axis in ("<xyz>1 0 0</xyz>", f"<xyz>1 0 0</xyz>{none}", "<xyz>1 0 0</xyz><limit/>"):
        model = load_sdf(sdf(BASE, arm, joint("t", "revolute", "base", "arm", axis=axis), TIE))
        assert model.q_lower.tolist() == [-math.inf]
        assert [model.q_upper, model.tau_limit, model.qd_limit] == [[math.inf]] * 3
    # a continuous joint has no limits of its position
    model = load_sdf(sdf(BASE, arm, joint("t", "continuous", "base", "arm", axis=f"<xyz>1 0 0</xyz>{limit}"), TIE))
    assert (model.q_upper, model.tau_limit) == ([math.inf], [3.0])


def test_a_follower_with_a_reference():
    """follower = 2 (leader - 0.5) + 0.1."""
    mimic = '<mimic joint="lead"><multiplier>2</multiplier><offset>0.1</offset><reference>0.5</reference></mimic>'
    parts = [
        BASE, link("a"), link("b"), joint("lead", "revolute", "base", "a"), TIE,
        joint("follow", "prismatic", "a", "b", axis=f"<xyz>0 0 1</xyz>{mimic}"),
    ]  # fmt: skip
    model = load_sdf(sdf(*parts))
    assert (model.nq, model.nv) == (1, 1)
    assert position(model, [0.8], "b") == [0.0, 0.0, 0.7]
    assert load_sdf(sdf(*parts), mimic=False).nq == 2


def test_a_follower_of_nothing_is_free():
    mimic = '<mimic joint="gone"><multiplier>2</multiplier></mimic>'
    turn = joint("follow", "revolute", "base", "a", axis=f"<xyz>0 0 1</xyz>{mimic}")
    with pytest.raises(ParseError, match="there is no link, joint, frame or model 'gone'"):
        load_sdf(sdf(BASE, link("a"), turn, TIE))
    with pytest.warns(fs.ModelWarning, match="joint 'follow': mimics 'tie', which is fixed"):
        assert load_sdf(sdf(BASE, link("a"), turn.replace("gone", "tie"), TIE)).nq == 1


def test_inertias_are_turned_by_their_pose():
    """A quarter turn about z exchanges x and y and the signs of what is between them."""
    inertial = (
        "<inertial><pose>1 2 3 0 0 1.5707963267948966</pose><mass>2</mass><inertia>"
        "<ixx>4</ixx><ixy>0.1</ixy><ixz>0.2</ixz><iyy>5</iyy><iyz>0.3</iyz><izz>6</izz></inertia></inertial>"
    )
    found = load_sdf(sdf(link("base", inertial=inertial))).description.links[0]
    assert (found.mass, found.com) == (2.0, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(found.inertia, [[5, -0.1, -0.3], [-0.1, 4, 0.2], [-0.3, 0.2, 6]], atol=1e-15)


@pytest.mark.parametrize(
    ("inertial", "missing"),
    [
        ("", "mass, ixx, iyy, izz"),
        ("<inertial/>", "mass, ixx, iyy, izz"),
        ("<inertial><mass>1</mass></inertial>", "ixx, iyy, izz"),
        ("<inertial><inertia><ixx>1</ixx><iyy>1</iyy></inertia></inertial>", "mass, izz"),
    ],
)
def test_an_inertia_that_is_not_given_is_one_and_is_warned_of(inertial, missing):
    text = sdf(link("base", inertial=inertial))
    with pytest.warns(fs.ModelWarning, match=f"link 'base': expected an <inertial>, not given are {missing}; SDF"):
        model = load_sdf(text)
    assert model.description.links[0] == fs.Link("base", 1.0, (0.0, 0.0, 0.0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    with pytest.raises(ParseError, match="not given are"):
        load_sdf(text, strict=True)


LEFT_OUT = {
    "the spring stiffness of joint 'turn'": ("<xyz>0 0 1</xyz>", "<xyz>0 0 1</xyz><dynamics><spring_stiffness>3"
                                             "</spring_stiffness></dynamics>"),
    "no gravity on link 'arm'": ('name="arm">', 'name="arm"><gravity>false</gravity>'),
    "moved as prescribed (<kinematic>): link 'arm'": ('name="arm">', 'name="arm"><kinematic>1</kinematic>'),
    "the velocity decay of link 'arm'": (
        'name="arm">', 'name="arm"><velocity_decay><linear>0</linear><angular>0.1</angular></velocity_decay>'),
    "the fluid's added mass of link 'base'": (
        "<mass>2</mass>", "<mass>2</mass><fluid_added_mass><xx>1</xx></fluid_added_mass>"),
}  # fmt: skip


@pytest.mark.parametrize("what", LEFT_OUT)
def test_what_a_model_cannot_say_is_listed(what):
    text = sdf(BASE, link("arm"), joint("turn", "revolute", "base", "arm"), TIE)
    text = text.replace(*LEFT_OUT[what], 1)
    with pytest.warns(fs.ModelWarning) as caught:
        load_sdf(text)
    assert [str(x.message) for x in caught] == [
        f"<string>:1: model 'm': SDFormat says what a model cannot: {what}; "
        "it is left out: the dynamics is that of the rest"
    ]
    with pytest.raises(ParseError, match="SDFormat says what a model cannot"):
        load_sdf(text, strict=True)


def test_one_warning_lists_all():
    text = sdf(BASE, link("arm"), joint("turn", "revolute", "base", "arm"), TIE)
    for old, new in LEFT_OUT.values():
        text = text.replace(old, new, 1)
    findings = read_sdf(text)[1]
    assert len(findings) == 1
    assert all(what in findings[0].message for what in LEFT_OUT)


def test_what_has_no_dynamics_is_ignored():
    extras = '<plugin name="p" filename="f"><link name="x"/></plugin><gripper name="g"/><self_collide>1</self_collide>'
    more = '<sensor name="s" type="imu"><pose relative_to="nowhere">x</pose></sensor>'
    noise = '<visual name="v"><pose>bad</pose></visual><collision name="c"/><enable_wind>1</enable_wind>'
    body = BASE.replace("</link>", f"{noise}{more}</link>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_sdf(sdf(body, extras, TIE)).nv == 0


def test_the_example_in_the_docs():
    for test in doctest.DocTestFinder(recurse=False).find(load_sdf, "load_sdf", globs={}):
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0
