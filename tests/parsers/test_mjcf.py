"""MJCF: what MuJoCo's compiled model becomes, in numbers that the files state."""

import doctest
import math
import pickle
import sys
import types
from contextlib import nullcontext
from pathlib import Path

import mujoco
import numpy as np
import pytest

import featherstone as fs
from featherstone.parsers import mjcf

FOLDER = Path(__file__).parents[1] / "data" / "mjcf"
INERTIAL = '<inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.02 0.025"/>'


def robot(joints, extra="", body='name="rod"'):
    """One body on the world with the given joints."""
    return f"<mujoco><worldbody><body {body}>{joints}{INERTIAL}</body></worldbody>{extra}</mujoco>"


def load(name):
    return fs.load_mjcf(FOLDER / f"{name}.xml")


class TestSources:
    def test_path_text_bytes_and_compiled_models_are_taken(self):
        path = FOLDER / "losses.xml"
        text = path.read_text()
        compiled = mujoco.MjModel.from_xml_path(str(path))
        first, *others = (fs.load_mjcf(x) for x in (path, str(path), text, text.encode(), compiled))
        assert first.name == "losses"
        assert all(other.description == first.description for other in others)
        assert pickle.loads(pickle.dumps(first)).description == first.description
        assert fs.Model.from_json(first.to_json()).description == first.description

    def test_a_model_without_a_name_is_a_robot(self):
        assert fs.load_mjcf(robot("<joint/>")).name == "robot"

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("/nowhere/robot.xml", "the file cannot be read: no such file"),
            ("<robot name='r'/>", "expected the root element <mujoco>, got <robot>; this is URDF: use load_urdf"),
            ("<svg/>", "got <svg>; is it MJCF?"),
            ("<mujoco", "MuJoCo refuses the model: XML parse error"),
            ("<mujoco>\0</mujoco>", "got a null character"),
            (b"<mujoco>\xff</mujoco>", "expected UTF-8"),
            (robot("<joint axis='0 0 0'/>"), "MuJoCo refuses the model: axis too small in joint"),
            (robot("<joint axis='nan 0 1'/>"), "jnt_axis: expected finite numbers"),
            (robot("<joint/>", body='name="world"'), "MuJoCo refuses the model: repeated name 'world' in body"),
            (
                "<mujoco><include file='nowhere.xml'/></mujoco>",
                "MuJoCo refuses the model: Error opening file 'nowhere.xml'",
            ),
            ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "mass and inertia of moving bodies must"),
        ],
    )
    def test_what_is_no_model_is_a_parse_error(self, source, message):
        with pytest.raises(fs.ParseError) as error:
            fs.load_mjcf(source)
        assert message in str(error.value)
        assert "\n" not in str(error.value)

    def test_an_error_has_file_line_and_name(self, tmp_path):
        path = tmp_path / "broken.xml"
        path.write_text(robot("\n\n<joint name='hinge' axis='0 0 0'/>"))
        with pytest.raises(fs.ParseError) as error:
            fs.load_mjcf(path)
        assert (error.value.file, error.value.line, error.value.name) == (str(path), 3, "hinge")
        assert str(error.value).startswith(f"{path}:3: MuJoCo refuses the model: axis too small in joint")

    @pytest.mark.parametrize("source", [3, None, ["<mujoco/>"]])
    def test_other_things_are_no_sources(self, source):
        with pytest.raises(TypeError, match="source: expected a path"):
            fs.load_mjcf(source)

    def test_without_mujoco_the_error_says_how_to_get_it(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "mujoco", None)
        with pytest.raises(ImportError, match=r"pip install 'featherstone\[mujoco\]'"):
            fs.load_mjcf(robot("<joint/>"))
        monkeypatch.setitem(sys.modules, "mujoco", types.ModuleType("mujoco"))
        with pytest.raises(ImportError, match="is not the simulator"):
            fs.load_mjcf(robot("<joint/>"))

    def test_a_broken_mujoco_is_not_called_missing(self, monkeypatch, tmp_path):
        (tmp_path / "mujoco.py").write_text("raise ImportError('libmujoco.so: cannot open shared object')")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "mujoco")
        with pytest.raises(ImportError, match="does not load: libmujoco"):
            fs.load_mjcf(robot("<joint/>"))


class TestNames:
    def test_what_has_no_name_is_called_after_index_and_body(self):
        model = load("angles")
        assert model.joint_names == ("body1_joint", "body2_joint1", "body2_joint2")
        assert model.body_names == ("body1", "body2_at_body2_joint1", "body2")
        assert model.frame_names == ("world", *model.body_names)

    def test_given_names_are_not_taken_again(self):
        text = f"""<mujoco><worldbody>
          <body><joint name="body1__joint"/>{INERTIAL}<body name="body1"><joint/>{INERTIAL}</body></body>
          <body name="body1_at_x"><joint name="x" pos="0 0 1"/>{INERTIAL}</body>
        </worldbody></mujoco>"""
        model = fs.load_mjcf(text)
        assert model.joint_names == ("body1__joint", "body1_joint", "x")
        assert model.body_names == ("body1_", "body1", "body1_at_x_at_x")

    def test_joints_keep_their_names_and_links_between_them_are_massless(self):
        model = load("several_joints")
        assert model.joint_names == ("yaw", "pitch", "roll", "out", "spin")
        assert model.body_names[:3] == ("shoulder_at_yaw", "shoulder_at_pitch", "shoulder")
        np.testing.assert_array_equal(model.body_mass, [0.0, 0.0, 1.7, 0.0, 0.6])
        assert {"shoulder", "slider"} <= set(model.frame_names)

    def test_bodies_without_joints_are_fixed(self):
        model = load("free")
        assert "head" in model.frame_names
        assert "head" not in model.body_names
        unmerged = fs.load_mjcf(FOLDER / "free.xml", merge_fixed=False)
        assert unmerged.joints[unmerged.body_index("head")].name == "head_fixed"


class TestZero:
    def test_coordinates_are_those_of_mujoco_where_ref_is_not_zero(self):
        model = load("ref")
        at_file = np.array([0.25, np.radians(-30), np.radians(75)])
        T = fs.frame_pose(model, at_file, "boom")
        assert np.allclose(T[:3, 3], [0.1, 0.0, 0.5], atol=1e-15)
        s, c = math.sin(math.radians(40)), math.cos(math.radians(40))
        assert np.allclose(T[:3, :3], [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-15)
        lifted = fs.frame_pose(model, at_file + np.array([0.1, 0.0, 0.0]), "mast")[:3, 3]
        assert np.allclose(lifted, [0.0, 0.06, 0.28], atol=1e-15)

    def test_limits_are_those_of_the_coordinates(self):
        model = load("ref")
        lower, upper = [0.0, np.radians(-80), -np.inf], [0.5, np.radians(20), np.inf]
        np.testing.assert_allclose(model.q_lower, lower)
        np.testing.assert_allclose(model.q_upper, upper)
        assert [joint.type for joint in model.joints] == ["prismatic", "revolute", "continuous"]

    def test_a_joint_off_the_origin_turns_the_body_about_it(self):
        model = fs.load_mjcf(robot('<joint name="j" axis="0 0 1" pos="0.5 0 0"/>', body='name="rod" pos="1 2 3"'))
        T = fs.frame_pose(model, [math.pi / 2], "rod")
        assert np.allclose(T[:3, 3], [1.5, 1.5, 3.0], atol=1e-15)


class TestBases:
    def test_the_only_root_with_a_free_joint_floats(self):
        model = load("free")
        assert model.options.floating_base
        assert model.joint_names[0] == "root_joint"
        assert model.frame_names[0] == "torso"
        np.testing.assert_array_equal(model.gravity, [0.5, 0.0, -9.7])

    def test_among_several_roots_a_free_joint_is_a_floating_one(self):
        model = load("several_roots")
        assert not model.options.floating_base
        assert [(x.name, x.type, x.parent) for x in model.joints if x.type == "floating"] == [
            ("crate", "floating", "world"),
            ("puck_joint", "floating", "world"),
        ]
        assert model.frame("bench").body == 0

    def test_a_free_joint_with_damping_is_not_lost_to_a_floating_base(self):
        model = fs.load_mjcf(robot('<joint name="fly" type="free" damping="0.3"/>'))
        assert not model.options.floating_base
        assert model.joint_names == ("fly",)
        np.testing.assert_array_equal(model.damping, [0.3] * 6)

    def test_gravity_that_is_switched_off_is_none(self):
        off = '<option><flag gravity="disable"/></option>'
        np.testing.assert_array_equal(fs.load_mjcf(robot("<joint/>", off)).gravity, [0, 0, 0])


class TestLosses:
    def test_joints_have_armature_damping_and_friction(self):
        model = load("losses")
        np.testing.assert_array_equal(model.armature, [0.11, 0.05, 0.0])
        np.testing.assert_array_equal(model.damping, [0.4, 0.0, 2.0])
        np.testing.assert_array_equal(model.friction, [0.3, 0.15, 0.5])

    def test_every_degree_of_a_ball_has_them(self):
        model = load("ball")
        np.testing.assert_array_equal(model.armature, [0.02, 0.02, 0.02, 0, 0, 0, 0])
        np.testing.assert_array_equal(model.friction, [0, 0, 0, 0, 0.2, 0.2, 0.2])

    def test_classes_of_defaults_apply(self):
        model = load("defaults")
        np.testing.assert_array_equal(model.damping, [0.05] * 3)
        np.testing.assert_array_equal(model.armature, [0.01, 0.01, 0.002])
        np.testing.assert_allclose(model.q_upper, np.radians([60, 0, 20]))

    @pytest.mark.parametrize("flag", ["damper", "frictionloss", "constraint"])
    def test_what_is_switched_off_is_zero(self, flag):
        joint = '<joint damping="0.5" frictionloss="0.2"/>'
        model = fs.load_mjcf(robot(joint, f'<option><flag {flag}="disable"/></option>'))
        assert (model.damping[0], model.friction[0]) == ((0.0, 0.2) if flag == "damper" else (0.5, 0.0))

    def test_armature_and_damping_of_motors_come_through_the_square_of_the_gear(self):
        motor = '<actuator><motor joint="j" gear="-3" armature="0.5" damping="0.1"/></actuator>'
        text = robot('<joint name="j" armature="0.25" damping="0.2"/>', motor)
        model, theirs = fs.load_mjcf(text), mujoco.MjModel.from_xml_string(text)
        assert model.armature[0] == 0.25 + 9 * 0.5
        assert model.damping[0] == pytest.approx(0.2 + 9 * 0.1)
        data = mujoco.MjData(theirs)
        mujoco.mj_forward(theirs, data)
        assert fs.crba(model, [0.0])[0, 0] == pytest.approx(data.qM[0] if hasattr(data, "qM") else theirs.dof_M0[0])


class TestEffort:
    def test_limits_of_motors_and_joints(self):
        # 40 of the joint, below 50 * 2; 20 * 1.5 + 2 * 3; no limit
        np.testing.assert_array_equal(load("losses").tau_limit, [40.0, 36.0, math.inf])

    @pytest.mark.parametrize(
        ("actuators", "effort"),
        [
            ("", math.inf),
            ('<motor joint="j" ctrlrange="-2 2"/>', 2.0),
            ('<motor joint="j" ctrlrange="-2 3" gear="4"/><motor joint="j"/>', math.inf),
            ('<position joint="j" kp="5" ctrlrange="-2 2"/>', math.inf),
            ('<position joint="j" kp="5" forcerange="-7 6" gear="2"/>', 14.0),
            ('<general joint="j" gainprm="10" ctrlrange="-1 1"/>', 10.0),
        ],
    )
    def test_limits_of_an_actuator(self, actuators, effort):
        text = robot('<joint name="j"/>', f"<actuator>{actuators}</actuator>")
        law = "position" in actuators  # it is left out, and told
        with pytest.warns(fs.ModelWarning) if law else nullcontext():
            assert fs.load_mjcf(text).tau_limit[0] == effort


BODIES = """<worldbody>
  <body name="a"><joint name="j"/><geom size="0.1"{mask}/></body>
  <body name="b" pos="1 0 0"><joint name="k" type="slide"/><geom size="0.1"{mask}/></body>
</worldbody>"""


def two_bodies(extra, touch=False):
    """Two balls on the world, which cannot touch unless they shall."""
    mask = "" if touch else ' contype="0" conaffinity="0"'
    return f"<mujoco>{BODIES.format(mask=mask)}{extra}</mujoco>"


class TestLeftOut:
    def test_nothing_is_said_about_a_tree_of_rigid_bodies(self, recwarn):
        fs.load_mjcf(two_bodies(""))
        for path in sorted(FOLDER.glob("*.xml")):
            if "<mujocoinclude>" not in path.read_text():
                fs.load_mjcf(path, strict=True)
        assert not recwarn.list

    @pytest.mark.parametrize(
        ("extra", "phrase"),
        [
            ('<equality><joint name="e" joint1="j"/></equality>', "equality constraints 'e'"),
            ('<equality><joint joint1="j"/></equality>', "equality constraints (1)"),
            ('<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>', "tendons 't'"),
            (
                '<actuator><velocity name="v" joint="j" kv="2"/></actuator>',
                "dynamics and control laws of actuators 'v'",
            ),
            ('<option density="1.2"/>', "forces of the medium"),
        ],
    )
    def test_what_is_left_out_is_told(self, extra, phrase):
        with pytest.warns(fs.ModelWarning) as told:
            fs.load_mjcf(two_bodies(extra))
        assert len(told) == 1
        assert phrase in str(told[0].message)
        with pytest.raises(fs.ParseError, match="left out"):
            fs.load_mjcf(two_bodies(extra), strict=True)

    @pytest.mark.parametrize(
        ("joint", "phrase"),
        [
            ('<joint name="j" stiffness="2"/>', "springs (stiffness) of joints 'j'"),
            ('<joint name="j" damping="0.1 0.2"/>', "damping that is not linear in the speed, of joints 'j'"),
            ('<joint name="j" type="free" armature="1"/>', "of free joints 'j'"),
        ],
    )
    def test_joints(self, joint, phrase):
        with pytest.warns(fs.ModelWarning) as told:
            fs.load_mjcf(robot(joint))
        assert [phrase in str(x.message) for x in told] == [True]

    def test_bodies(self):
        mocap = '<body name="hand" mocap="true"/>'
        with pytest.warns(fs.ModelWarning, match="motion of mocap bodies .held where they are. 'hand'"):
            fs.load_mjcf(f"<mujoco><worldbody>{mocap}</worldbody></mujoco>")
        with pytest.warns(fs.ModelWarning, match="gravity compensation of bodies 'rod'"):
            fs.load_mjcf(robot("<joint/>", body='name="rod" gravcomp="1"'))

    def test_sites_that_are_driven(self):
        text = robot('<joint name="j"/><site name="s"/>', '<actuator><motor name="thruster" site="s"/></actuator>')
        with pytest.warns(fs.ModelWarning, match="transmissions of actuators .* 'thruster'"):
            fs.load_mjcf(text)

    def test_all_in_one_warning(self):
        extra = '<equality><joint joint1="j"/></equality><option density="1"/>'
        with pytest.warns(fs.ModelWarning) as told:
            fs.load_mjcf(two_bodies(extra, touch=True))
        assert len(told) == 1
        assert "equality constraints (1); forces of the medium" in str(told[0].message)

    def test_contacts_are_told_where_there_can_be_any(self):
        def contacts(worldbody, extra=""):
            try:
                fs.load_mjcf(f"<mujoco><worldbody>{worldbody}</worldbody>{extra}</mujoco>", strict=True)
            except fs.ParseError as error:
                return "contacts between geoms" in str(error)
            return False

        def body(name, inside="", mask=1):
            geom = f'<geom name="{name}" size="0.1" contype="{mask}" conaffinity="{mask}"/>'
            return f'<body name="{name}"><joint/>{geom}{inside}</body>'

        assert contacts(body("a") + body("b"))
        assert contacts('<geom type="plane" size="1 1 1"/>' + body("a"))
        assert not contacts(body("a"))
        assert not contacts(body("a") + body("b", mask=2))
        assert not contacts(body("a", body("b")))  # neighbours
        assert contacts(body("a", body("b", body("c"))))
        pair = '<contact><pair geom1="a" geom2="b"/></contact>'
        assert contacts(body("a") + body("b", mask=2), pair)
        off = '<option><flag contact="disable"/></option>'
        assert not contacts(body("a") + body("b"), off)

    def test_warnings_of_mujoco_are_told_and_not_written(self, tmp_path, monkeypatch, capfd):
        monkeypatch.chdir(tmp_path)
        text = '<mujoco><worldbody><body name="a"><joint axis="0 0 1"/><geom size="0.1" mass="1"/></body></worldbody>'
        numeric = '<custom><numeric name="n" data="nan"/></custom></mujoco>'
        with pytest.warns(fs.ModelWarning, match="XML contains a 'NaN'"):
            fs.load_mjcf(text + numeric)
        assert not list(tmp_path.iterdir())
        assert capfd.readouterr().err == ""


def test_gripper_of_included_files():
    model = load("includes")
    assert model.joint_names == ("base", "wrist", "grip")
    assert model.mass == pytest.approx(1.55)


def test_inertia_from_geometry_instead_of_what_is_written():
    model = load("geometry")
    capsule = 700 * math.pi * 0.015**2 * (math.hypot(0.4, 0.02) + 4 / 3 * 0.015)
    cylinder = 1000 * math.pi * 0.05**2 * 0.02
    assert model.mass == pytest.approx(0.9 + capsule + cylinder)


def test_the_example_in_the_docstring():
    assert doctest.testmod(mjcf) == (0, 2)


def test_a_limit_of_a_ball_is_that_of_its_angle():
    model = fs.load_mjcf(robot('<joint name="j" type="ball" range="0 60"/>'))
    assert model.joints[0].upper == pytest.approx(math.radians(60))
