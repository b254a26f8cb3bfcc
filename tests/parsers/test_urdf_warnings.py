"""What loads but looks mistaken: one warning each, which strict=True makes an error."""

import warnings

import pytest

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import load_urdf, read_urdf

GOOD = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
  </link>
  <link name="lower">
    <inertial><mass value="1"/><inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial>
  </link>
  <link name="pad"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="glue" type="fixed"><parent link="lower"/><child link="pad"/></joint>
</robot>
"""
ELBOW_LIMIT = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
LOWER_INERTIAL = '<inertial><mass value="1"/><inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial>'
GLUE = '<child link="pad"/></joint>'

# what is replaced, by what, the rule, the line, the name
TABLE = {
    "tensor of a negative moment": ('ixx="2"', 'ixx="-2"', "inertia-not-positive", 6, "lower"),
    "tensor of too large products": ('ixx="2" ixy="0"', 'ixx="2" ixy="5"', "inertia-not-positive", 6, "lower"),
    "tensor off the triangle rule": ('ixx="2"', 'ixx="4.1"', "inertia-triangle-rule", 6, "lower"),
    "tiny tensor off the triangle rule": (
        'ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"',
        'ixx="3e-300" ixy="0" ixz="0" iyy="1e-300" iyz="0" izz="1e-300"',
        "inertia-triangle-rule",
        6,
        "lower",
    ),
    "massless moving leaf": (LOWER_INERTIAL, "", "massless-leaf", 6, "lower"),
    "dangling mimic": (ELBOW_LIMIT, ELBOW_LIMIT + '\n<mimic joint="sholder"/>', "mimic-dangling", 17, "elbow"),
    "mimic of a fixed joint": (ELBOW_LIMIT, ELBOW_LIMIT + '<mimic joint="glue"/>', "mimic-dangling", 16, "elbow"),
    "mimic on a fixed joint": (
        GLUE,
        '<child link="pad"/><mimic joint="elbow"/></joint>',
        "mimic-on-fixed-joint",
        18,
        "glue",
    ),
    "mimic never within limits": (
        ELBOW_LIMIT,
        ELBOW_LIMIT + '<mimic joint="shoulder" multiplier="2" offset="5"/>',
        "mimic-unreachable",
        14,
        "elbow",
    ),
    "limits on a continuous joint": (
        'name="elbow" type="revolute"',
        'name="elbow" type="continuous"',
        "limits-on-continuous",
        16,
        "elbow",
    ),
    "revolute without limit": (ELBOW_LIMIT, "", "no-limits", 14, "elbow"),
    "revolute without lower and upper": (ELBOW_LIMIT, '<limit effort="1" velocity="1"/>', "no-limits", 16, "elbow"),
    "lower above upper": (
        ELBOW_LIMIT,
        '<limit lower="2" upper="-2" effort="1" velocity="1"/>',
        "limits-swapped",
        14,
        "elbow",
    ),
    "negative velocity limit": (
        ELBOW_LIMIT,
        '<limit lower="-2" upper="2" velocity="-1"/>',
        "limit-negative",
        14,
        "elbow",
    ),
    "axis too long": ('<axis xyz="0 1 0"/>', '<axis xyz="0 1.01 0"/>', "axis-length", 15, "elbow"),
    "xacro in a name": (
        '<link name="pad"/>',
        '<link name="pad"><visual name="${v}"/></link>',
        "xacro-left-over",
        9,
        "pad",
    ),
    "xacro in a path": (
        '<link name="pad"/>',
        '<link name="pad"><visual><geometry>\n<mesh filename="$(find arm)/a.stl"/></geometry></visual></link>',
        "xacro-left-over",
        10,
        "pad",
    ),
    "xacro in the robot's name": ('<robot name="arm">', '<robot name="${name}">', "xacro-left-over", 1, "${name}"),
    "xacro element": (
        '<link name="pad"/>',
        '<link name="pad"/><xacro:property name="p" value="1"/>',
        "xacro-left-over",
        9,
        "p",
    ),
}


def test_a_good_file_gives_no_warning():
    assert read_urdf(GOOD)[1] == []
    assert load_urdf(GOOD, strict=True).nv == 2


@pytest.mark.parametrize("case", TABLE)
def test_a_suspicious_file_gives_one_warning(case, tmp_path):
    old, new, rule, line, name = TABLE[case]
    assert GOOD.count(old) == 1
    path = tmp_path / "arm.urdf"
    path.write_text(GOOD.replace(old, new))
    with pytest.warns(fs.ModelWarning) as caught:
        load_urdf(path)
    assert len(caught) == 1
    assert str(caught[0].message).startswith(f"{path}:{line}: ")
    assert repr(name) in str(caught[0].message)
    assert caught[0].filename == __file__, "the warning must point at the caller's line"
    (finding,) = read_urdf(path)[1]
    assert (finding.rule, finding.name, finding.file, finding.line) == (rule, name, str(path), line)
    assert finding.message
    assert finding.remedy


@pytest.mark.parametrize("case", TABLE)
@pytest.mark.parametrize("load", [load_urdf, read_urdf])
def test_strict_makes_the_warning_an_error(case, load):
    old, new, _, line, name = TABLE[case]
    with pytest.raises(ParseError) as caught:
        load(GOOD.replace(old, new), strict=True)
    assert str(caught.value).startswith(f"<string>:{line}: ")
    assert (caught.value.line, caught.value.name) == (line, name)


def test_several_findings_are_several_warnings_in_the_order_of_the_lines():
    text = GOOD.replace("0 1 0", "0 3 0").replace('ixx="1"', 'ixx="5"')
    with pytest.warns(fs.ModelWarning) as caught:
        load_urdf(text)
    assert [str(x.message).split(":")[1] for x in caught] == ["3", "15"]
    with pytest.raises(ParseError, match=r"^<string>:3: .*\(and 1 more\)$"):
        load_urdf(text, strict=True)


def load_quietly(text, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        return load_urdf(text, **options)


@pytest.mark.parametrize("leader", ["nobody", "glue"])
def test_the_follower_of_a_dangling_mimic_is_free(leader):
    model = load_quietly(GOOD.replace(ELBOW_LIMIT, f'{ELBOW_LIMIT}<mimic joint="{leader}"/>'))
    assert model.nv == 2


def test_a_mimic_on_a_fixed_joint_leaves_it_fixed():
    model = load_quietly(GOOD.replace(GLUE, '<child link="pad"/><mimic joint="elbow"/></joint>'))
    assert model.joint_names == ("shoulder", "elbow")


def test_a_revolute_joint_without_limits_is_not_limited():
    model = load_quietly(GOOD.replace(ELBOW_LIMIT, '<limit effort="3" velocity="4"/>'))
    k = model.q_index("elbow")
    assert (model.q_lower[k], model.q_upper[k]) == (-float("inf"), float("inf"))
    assert (model.tau_limit[k], model.qd_limit[k]) == (3.0, 4.0)


def test_limits_of_a_continuous_joint_are_dropped_but_for_rate_and_torque():
    model = load_quietly(GOOD.replace('name="elbow" type="revolute"', 'name="elbow" type="continuous"'))
    k = model.q_index("elbow")
    assert (model.q_lower[k], model.q_upper[k]) == (-float("inf"), float("inf"))
    assert (model.tau_limit[k], model.qd_limit[k]) == (1.0, 1.0)


def test_axes_are_normalised():
    model = load_quietly(GOOD.replace("0 1 0", "0 3 4"))
    assert model.joints[1].axis == pytest.approx((0.0, 0.6, 0.8), rel=1e-15)


def test_rounded_axes_and_tensors_give_no_warning():
    text = GOOD.replace("0 1 0", "0.577 0.577 0.577").replace('izz="2"', 'izz="4"')
    assert read_urdf(text)[1] == []


def test_mass_behind_a_fixed_joint_counts():
    text = GOOD.replace(LOWER_INERTIAL, "").replace('<link name="pad"/>', f'<link name="pad">{LOWER_INERTIAL}</link>')
    assert read_urdf(text)[1] == []


def test_a_massless_follower_is_no_fault_where_mimic_applies():
    text = GOOD.replace(LOWER_INERTIAL, "").replace(ELBOW_LIMIT, ELBOW_LIMIT + '<mimic joint="shoulder"/>')
    load_urdf(text, strict=True)
    with pytest.raises(ParseError, match="'lower'"):
        load_urdf(text, strict=True, mimic=False)
