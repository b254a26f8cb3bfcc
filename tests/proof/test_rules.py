"""Each rule of the check finds its mistake, names it, and stays silent beside it."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.proof.check import check

BOX = '<geometry><box size="{}"/></geometry>'
ROD = np.diag([1 / 12, 1 / 12, 1e-3])  # 1 kg, 1 m along z


def robot(inertial="", *, shapes="", joint="", more=""):
    """A link on a revolute joint, 1 m above the base, with a second one on top of it."""
    inertial = inertial or tensor(ROD)
    return f"""<robot name="r">
      <link name="base"/>
      <link name="rod">{inertial}{shapes}</link>
      <link name="tip">{tensor(ROD)}</link>
      <joint name="turn" type="revolute"><origin xyz="0 0 1"/><parent link="base"/><child link="rod"/>
        <axis xyz="0 1 0"/>{joint or '<limit lower="-1" upper="1" effort="5" velocity="2"/>'}</joint>
      <joint name="wrist" type="continuous"><origin xyz="0 0 1"/><parent link="rod"/><child link="tip"/>
        <axis xyz="0 1 0"/></joint>{more}</robot>"""


def tensor(I, mass=1.0, com="0 0 0.5"):
    entries = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{I[i][j]}"' for i in range(3) for j in range(i, 3))
    return f'<inertial><origin xyz="{com}"/><mass value="{mass}"/><inertia {entries}/></inertial>'


def rules(source):
    return [(x.severity, x.rule, x.name) for x in check(source).findings]


def test_the_robot_is_sound():
    assert rules(robot()) == []


@pytest.mark.parametrize(
    ("factor", "mass", "rule", "remedy"),
    [
        (1e6, 1.0, "inertia-too-large", "in kg mm^2: multiply it by 1e-6"),
        (1e3, 1.0, "inertia-too-large", "in g m^2: multiply it by 1e-3"),
        (1e-6, 1.0, "inertia-too-small", "a million times as large"),
        (1e-3, 1.0, "inertia-too-small", "1000 times as large"),
        (1.0, 1e3, "inertia-too-small", "the mass were in grams"),
    ],
)
def test_mistakes_of_units_are_found_without_shapes(factor, mass, rule, remedy):
    ball = 0.04 * np.eye(3)
    found = check(robot(tensor(factor * ball, mass))).findings
    assert [(x.severity, x.rule, x.name) for x in found] == [("warning", rule, "rod")]
    assert remedy in found[0].remedy
    assert f"{mass:.4g} kg with a radius of gyration of {np.sqrt(1.5 * factor * 0.04 / mass):.3g} m" in found[0].message


@pytest.mark.parametrize("density", [2.0, 4.0, 7.9, 11.0, 19.0, 22.0])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e3])
def test_no_ball_of_real_matter_is_too_small(mass, density):
    """From foam to osmium, in g/cm^3; a ball is the shape with the least radius of gyration."""
    radius = (3 * mass / (4 * np.pi * 1e3 * density)) ** (1 / 3)
    builder = fs.ModelBuilder()
    builder.add_link("ball", mass, inertia=0.4 * mass * radius**2 * np.eye(3))
    assert check(builder.build()).findings == ()
    builder = fs.ModelBuilder()
    builder.add_link("ball", mass, inertia=1e-3 * 0.4 * mass * radius**2 * np.eye(3))
    assert [x.rule for x in check(builder.build()).findings] == ["inertia-too-small"]


def test_few_links_may_be_larger_than_the_distances_between_them():
    heavy = 1e5  # kg, so that it is no air
    assert rules(robot(tensor(6.0 * heavy * np.eye(3), heavy))) == []  # 3 m, on a robot of 2.5 m
    assert rules(robot(tensor(50.0 * heavy * np.eye(3), heavy))) == [("warning", "inertia-too-large", "rod")]


@pytest.mark.parametrize(
    ("moments", "found"),
    [
        ((1e-3, 1 / 12, 1 / 12), False),  # a rod
        ((1 / 12, 1 / 12, 1 / 6), False),  # a square plate of 1 m, thin
        ((0.1, 0.1, 0.1), False),  # 3.8 kg/m^3
        ((1 / 6, 1 / 6, 1 / 6), True),  # a cube of 1 m: 1.8 kg/m^3
    ],
)
def test_what_is_as_light_as_air_is_no_link(moments, found):
    reported = rules(robot(tensor(2.0 * np.diag(moments), 2.0)))
    assert reported == ([("warning", "inertia-too-large", "rod")] if found else [])


def test_what_the_robot_hardly_feels_is_a_note():
    mark = f'<link name="mark">{tensor(1e-5 * np.eye(3), 1e-7)}</link>'
    bolt = '<joint name="bolt" type="fixed"><parent link="tip"/><child link="mark"/></joint>'
    assert rules(robot(more=mark + bolt)) == [("note", "inertia-too-large", "mark")]


@pytest.mark.parametrize(
    ("I", "rule"), [(np.zeros((3, 3)), "point-mass"), (np.diag([1 / 12, 1 / 12, 0.0]), "thin-rod")]
)
def test_idealised_bodies_are_notes(I, rule):
    assert rules(robot(tensor(I))) == [("note", rule, "rod")]


def visual(size="0.1 0.1 1", origin="0 0 0.5", role="visual"):
    return f'<{role}><origin xyz="{origin}"/>{BOX.format(size)}</{role}>'


MESH = '<visual><geometry><mesh filename="package://nowhere/a.dae"/></geometry></visual>'


@pytest.mark.parametrize(
    ("shapes", "com", "expected"),
    [
        (visual(), "0 0 0.5", []),
        (visual(), "0.1 0 0.5", []),  # 0.05 m outside of a box with a diagonal of 1
        (visual(), "0.2 0 0.5", [("warning", "com-outside", "rod")]),
        (visual(), "0 0 500", [("warning", "far-away", "rod")]),
        (visual(role="collision") + MESH, "0.2 0 0.5", []),
        (visual(role="collision") + MESH, "0 0 2.5", [("note", "com-outside", "rod")]),
        (visual() + MESH, "0 0 2.5", []),  # nobody knows where the mesh is
        ("", "0 0 2.5", []),
    ],
)
def test_the_centre_of_mass_is_within_what_is_seen(shapes, com, expected):
    assert rules(robot(tensor(ROD, com=com), shapes=shapes)) == expected


def test_the_message_about_a_centre_of_mass_has_the_numbers():
    (found,) = check(robot(tensor(ROD, com="0.2 0 0.5"), shapes=visual())).findings
    assert (
        "(0.2, 0, 0.5) m is 0.15 m outside of the box around its shapes, -0.05 to 0.05 x -0.05 to 0.05 x 0 to 1 m"
        in (found.message)
    )
    assert found.line == 3


def test_a_radius_of_gyration_is_compared_with_the_links_own_shapes():
    wide = visual("0.02 0.02 0.02", "0 0 0")
    heavy = f'<link name="knob">{tensor(0.08 * np.eye(3), 1.0, "0 0 0")}{wide}</link>'
    bolt = '<joint name="bolt" type="fixed"><parent link="tip"/><child link="knob"/></joint>'
    (found,) = check(robot(more=heavy + bolt)).findings
    assert (found.severity, found.rule, found.name) == ("warning", "inertia-too-large", "knob")
    assert "half its own diagonal is 0.0173 m" in found.message


@pytest.mark.parametrize(
    ("moments", "rpy", "expected"),
    [
        ((1 / 12, 1 / 12, 1e-3), "0 0 0", []),
        ((1e-3, 1 / 12, 1 / 12), "0 0 0", [("warning", "inertia-axes", "rod")]),
        ((1e-3, 1 / 12, 1 / 12), "0 1.5707963 0", []),  # the tensor is given in axes that lie along the rod
        ((1 / 12, 1 / 12, 1e-3), "0 1.5707963 0", [("warning", "inertia-axes", "rod")]),
        ((0.05, 0.05, 0.05), "0 0 0", []),  # unlike the rod, however it is turned
    ],
)
def test_axes_that_are_exchanged_are_found(moments, rpy, expected):
    inertial = tensor(np.diag(moments)).replace('xyz="0 0 0.5"', f'xyz="0 0 0.5" rpy="{rpy}"')
    assert rules(robot(inertial, shapes=visual())) == expected


@pytest.mark.parametrize("kind", ["box", "cylinder", "sphere"])
def test_tensors_of_shapes_are_those_of_the_textbook(kind):
    from featherstone.parsers.geometry import read_outlines
    from featherstone.parsers.urdf import UrdfReading
    from featherstone.proof.geometry_rules import _even_tensor

    text, expected, volume = {
        "box": ('<box size="1 2 3"/>', np.array([4 + 9, 1 + 9, 1 + 4]) / 12, 6.0),
        "cylinder": ('<cylinder radius="2" length="3"/>', [4 / 4 + 9 / 12, 4 / 4 + 9 / 12, 4 / 2], 12 * np.pi),
        "sphere": ('<sphere radius="2"/>', [1.6, 1.6, 1.6], 32 / 3 * np.pi),
    }[kind]
    shapes = f'<visual><origin xyz="5 6 7" rpy="0 0 1.5707963267948966"/><geometry>{text}</geometry></visual>'
    outlines, faults = read_outlines(UrdfReading(robot(shapes=shapes)))
    (shape,) = outlines["rod"].shapes["visual"]
    turned = [expected[1], expected[0], expected[2]]
    np.testing.assert_allclose(_even_tensor((shape,)), np.diag(turned), atol=1e-13)
    assert shape.volume == pytest.approx(volume, rel=1e-15)
    assert faults == []


def test_a_shape_that_cannot_be_read_is_told_and_left_out():
    shapes = visual("0.1 0.1") + visual(role="collision")
    (found,) = check(robot(shapes=shapes)).findings
    assert (found.severity, found.rule, found.name) == ("warning", "shape-unreadable", "rod")
    assert "expected 3 numbers" in found.message


def pair(right, com="0.1 0.2 0.5"):
    left = np.array([[2.0, 0.3, 0.2], [0.3, 2.5, 0.1], [0.2, 0.1, 1.5]]) / 50
    return "".join(
        f"""<link name="{name}_arm">{tensor(I, 1.0, c)}</link><joint name="{name}" type="revolute">
        <origin xyz="0 {y} 0"/><parent link="base"/><child link="{name}_arm"/><axis xyz="1 0 0"/>
        <limit lower="-1" upper="1" effort="5" velocity="2"/></joint>"""
        for name, I, c, y in (("left", left, "0.1 0.2 0.5", 0.3), ("right", left * right, com, -0.3))
    )


MIRRORED = np.array([[1, -1, 1], [-1, 1, -1], [1, -1, 1]])  # in the plane normal to y


def test_mirror_images_have_mirrored_products_of_inertia():
    assert rules(robot(more=pair(MIRRORED, "0.1 -0.2 0.5"))) == []
    assert rules(robot(more=pair(np.ones((3, 3))))) == []  # the same part on both sides
    assert rules(robot(more=pair(MIRRORED, "-0.1 0.2 -0.5"))) == []  # the same, in axes that are turned half around
    wrong = check(robot(more=pair(np.ones((3, 3)), "0.1 -0.2 0.5"))).findings
    assert [(x.rule, x.name) for x in wrong] == [("mirror-inertia", "right_arm")]
    assert "the sign of ixy 0.006 against 0.006 and iyz 0.002 against 0.002 kg m^2" in wrong[0].message
    assert rules(robot(more=pair(np.ones((3, 3)), "0.1 -0.3 0.5"))) == []  # another centre of mass: no mirror image


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ('<limit lower="0" upper="0" effort="5" velocity="2"/>', [("warning", "limits-equal")]),
        ('<limit lower="-1" upper="1" effort="0" velocity="2"/>', [("note", "effort-zero")]),
        ('<limit lower="-1" upper="1" effort="5" velocity="0"/>', [("warning", "velocity-zero")]),
        ('<limit lower="-1" upper="1"/>', []),
        ('<limit lower="0" upper="0" effort="0" velocity="0"/><mimic joint="wrist" multiplier="0"/>', []),
    ],
)
def test_limits_that_leave_no_motion(limit, expected):
    assert rules(robot(joint=limit)) == [(*x, "turn") for x in expected]


def turret(between="", origin="0 0 0", axis="0 0 1", more=""):
    return f"""<robot name="t">
      <link name="base"/><link name="ring">{between}</link><link name="gun">{tensor(ROD)}</link>
      <joint name="a" type="continuous"><parent link="base"/><child link="ring"/><axis xyz="0 0 1"/></joint>
      <joint name="b" type="continuous"><origin xyz="{origin}" rpy="0 0 1"/><parent link="ring"/><child link="gun"/>
      <axis xyz="{axis}"/></joint>{more}</robot>"""


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"between": tensor(ROD)}, "note"),
        ({"between": tensor(ROD), "axis": "0 0 -1"}, "note"),
        ({"between": tensor(ROD), "origin": "0 0 0.2"}, False),  # something heavy between them
        ({"origin": "0 0 0.2"}, "warning"),
        ({}, "warning"),
        ({"between": tensor(ROD), "axis": "0 1 0"}, False),
        ({"between": tensor(ROD), "origin": "0.1 0 0"}, False),
        (
            {
                "between": tensor(ROD),
                "more": f'<link name="arm">{tensor(ROD)}</link><joint name="c" type="continuous">'
                '<parent link="ring"/><child link="arm"/><axis xyz="1 0 0"/></joint>',
            },
            False,
        ),
    ],
)
def test_joints_about_one_line(options, found):
    reported = [x for x in rules(turret(**options)) if x[1] == "same-axis"]
    assert reported == ([(found, "same-axis", "b")] if found else [])


def test_an_origin_in_millimetres_is_far_away():
    near = '<joint name="wrist" type="continuous"><origin xyz="0 0 1"/>'
    found = check(robot().replace(near, near.replace("0 0 1", "0 0 1000"))).findings
    assert [(x.rule, x.element_kind, x.name) for x in found] == [("far-away", "joint", "wrist")]
    assert "1000 m from the parent's origin, while the rest of the robot is 1.5 m across" in found[0].message


def test_a_robot_may_stand_far_from_the_origin_of_the_world():
    base = '<link name="world"/><joint name="place" type="fixed"><origin xyz="300 0 0"/><parent link="world"/>'
    assert rules(robot(more=base + '<child link="base"/></joint>')) == []


def test_a_robot_all_in_millimetres():
    text = robot().replace('"0 0 1"', '"0 0 1000"').replace('"0 0 0.5"', '"0 0 500"')
    assert [x[1] for x in rules(text)] == ["robot-too-large"]


def test_what_the_file_says_beside_links_and_joints():
    drive = '<transmission name="drive"><joint name="nobody"/></transmission>'
    twice = '<link name="turn"/><joint name="weld" type="fixed"><parent link="tip"/><child link="turn"/></joint>'
    found = rules(robot(more=drive + twice))
    assert sorted(found) == [("note", "name-shared", "turn"), ("warning", "transmission-dangling", "drive")]
    assert check(robot(more=drive.replace("nobody", "turn"))).findings == ()


def test_a_moving_link_without_inertial_is_a_note():
    text = robot().replace('<link name="rod">' + tensor(ROD), '<link name="rod">')
    assert rules(text.replace('"0 1 0"', '"1 0 0"', 1)) == [("note", "moving-link-without-mass", "rod")]


def test_notes_do_not_fail_the_check():
    report = check(robot(tensor(np.zeros((3, 3)))))
    assert report.ok
    assert str(report).splitlines()[0] == "<string>: nothing suspicious, 1 note"
    assert "note: line 3: link 'rod': has 1 kg and no rotational inertia" in str(report)


def test_a_model_is_judged_without_shapes():
    text = robot(tensor(1e6 * ROD, com="0.2 0 0.5"), shapes=visual())
    assert {x[1] for x in rules(text)} == {"com-outside", "inertia-too-large"}
    assert {x[1] for x in rules(fs.load_urdf(text))} == {"inertia-too-large"}


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_the_largest_and_the_smallest_robots_are_judged(size):
    builder = fs.ModelBuilder("giant")
    builder.add_link("base")
    builder.add_link("star", size, com=(size, size, size))
    builder.add_link("moon", size, com=(size, size, size))
    builder.add_joint("j", "revolute", "base", "star", position=(size, 0, 0))
    builder.add_joint("k", "prismatic", "star", "moon", position=(0, size, 0))
    found = {x.rule for x in check(builder.build()).findings}
    assert {"point-mass"} <= found <= {"point-mass", "far-away", "robot-too-large", "singular-mass-matrix"}


@pytest.mark.parametrize(
    ("multiplier", "offset", "severities"),
    [
        (1.0, 0.0, []),
        (2.001, 0.0, []),  # as a file rounds
        (2.5, 0.0, ["note"]),
        (1.0, 1.5, ["note"]),
        (1.0, 5.0, ["warning"]),
    ],
)
def test_a_follower_that_leaves_its_limits_in_part_is_noted(multiplier, offset, severities):
    builder = fs.ModelBuilder("gripper")
    builder.add_link("palm")
    for name, reach, mimic in (("j", 1.0, None), ("f", 2.0, fs.Mimic("j", multiplier, offset))):
        builder.add_link(name, 1.0, (0.1, 0.0, 0.0), np.eye(3) * 0.001)
        builder.add_joint(name, "revolute", "palm", name, axis=(0, 0, 1), lower=-reach, upper=reach, mimic=mimic)
    report = fs.check(builder.build())
    found = [x.severity for x in report.findings if x.rule == "mimic-unreachable"]
    assert found == severities
    assert report.ok == ("warning" not in severities)
    free = fs.check(builder.build(mimic=False))
    assert "note" not in [x.severity for x in free.findings if x.rule == "mimic-unreachable"]
