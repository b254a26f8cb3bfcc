"""Which links and joints of SDFormat hang together, what floats, and which model of a file is meant."""

import math
import re
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.sdf import load_sdf

from .test_sdf import BASE, TIE, joint, link, position, sdf


class TestBase:
    """What floats, and what is tied to the world."""

    ARM = joint("turn", "revolute", "base", "arm")
    PARTS = (BASE.replace("<inertial>", "<pose>0 0 5 0 0 0</pose><inertial>", 1), link("arm"), ARM)

    def test_a_model_without_a_tie_floats(self):
        model = load_sdf(sdf(*self.PARTS))
        assert (model.joint_names, model.nq) == (("root_joint", "turn"), 8)
        assert "world" not in model.frame_names

    def test_a_model_with_a_tie_is_fixed_where_it_stands(self):
        model = load_sdf(sdf("<pose>1 0 0 0 0 0</pose>", *self.PARTS, TIE))
        assert model.joint_names == ("turn",)
        assert position(model, [0.3], "base") == [1.0, 0.0, 5.0]
        # the arm stands at the model's origin, whatever the base's pose
        assert position(model, [0.0], "arm") == [1.0, 0.0, 0.0]

    def test_a_free_model_can_be_fixed(self):
        model = load_sdf(sdf("<pose>1 0 0 0 0 0</pose>", *self.PARTS), floating_base=False)
        assert model.joint_names == ("turn",)
        assert position(model, [0.0], "base") == [1.0, 0.0, 5.0]

    def test_a_tied_model_can_float(self):
        model = load_sdf(sdf(*self.PARTS, TIE), floating_base=True)
        assert model.joint_names == ("root_joint", "turn")
        assert model.body_names[0] == "world"
        assert model.mass == 4.0

    def test_a_static_model_does_not_move(self):
        with pytest.warns(fs.ModelWarning, match="static models: held are joint 'turn'"):
            model = load_sdf(sdf("<static>true</static>", *self.PARTS))
        assert (model.nq, model.nb) == (0, 0)
        assert position(model, [], "base") == [0.0, 0.0, 5.0]

    def test_what_does_not_move_may_have_no_inertia(self):
        wall = sdf("<static>true</static>", '<link name="wall"/>')
        assert load_sdf(wall).nv == 0
        with pytest.warns(fs.ModelWarning, match="link 'wall': expected an <inertial>"):
            load_sdf(wall, floating_base=True)

    def test_a_static_model_can_float(self):
        with pytest.warns(fs.ModelWarning, match="held are joint 'turn'"):
            model = load_sdf(sdf("<static>true</static>", *self.PARTS), floating_base=True)
        assert model.joint_names == ("root_joint",)

    def test_pieces_float_each_by_itself(self):
        model = load_sdf(sdf(*self.PARTS, link("ball")))
        assert model.joint_names == ("base::root_joint", "turn", "ball::root_joint")
        assert (model.nq, model.nv, model.options.floating_base) == (15, 13, False)
        tied = load_sdf(sdf(*self.PARTS, TIE, link("ball")))
        assert tied.joint_names == ("ball::root_joint", "turn")
        assert load_sdf(sdf(*self.PARTS, TIE, link("ball")), floating_base=False).joint_names == ("turn",)

    def test_a_nested_static_model_stays(self):
        nested = f'<model name="post"><static>1</static>{link("pole", "<pose>0 0 2 0 0 0</pose>")}</model>'
        turn = joint("turn", "revolute", "post::pole", "base")
        model = load_sdf(sdf(nested, BASE, turn))
        assert model.joint_names == ("turn",)
        assert position(model, [0.0], "post::pole") == [0.0, 0.0, 2.0]


CASSIE = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots/cassie_description/robots"
CLOSING = re.compile(r'<joint name="(left|right)-(achilles-spring|plantar-foot)-joint".*?</joint>', re.DOTALL)


@pytest.mark.filterwarnings("ignore::featherstone.ModelWarning")
@pytest.mark.parametrize("file", ["cassie_reduced.sdf", "cassie_simple.sdf", "cassie_v2.sdf"])
def test_the_closed_chains_of_a_real_robot_are_refused_until_they_are_cut(file):
    with pytest.raises(ParseError, match="closes a loop: links 'right-heel-spring' - 'right-tarsus' - ") as caught:
        load_sdf(CASSIE / file)
    assert caught.value.name == "right-achilles-spring-joint"
    text, cuts = CLOSING.subn("", (CASSIE / file).read_text())
    assert cuts == 4
    masses = [float(x) for x in re.findall(r"<mass>(.*?)</mass>", text)]
    assert load_sdf(text).mass == pytest.approx(math.fsum(masses), rel=1e-12)


def test_a_gearbox_of_a_real_robot_is_refused():
    with pytest.raises(ParseError, match="got 'gearbox'; it couples two other joints") as caught:
        load_sdf(CASSIE / "cassie.sdf")
    assert caught.value.name == "left-roll-joint"


class TestTrees:
    """How joints hang together."""

    def test_a_joint_with_its_child_nearer_to_the_root_is_turned_round(self):
        model = load_sdf(sdf(BASE, link("arm", "<pose>1 0 0 0 0 0</pose>"), joint("j", "revolute", "arm", "base"), TIE))
        assert (model.joints[0].parent, model.joints[0].child) == ("base", "j")
        assert model.body_names == ("j",)
        # the base in the arm turns by q, so that the arm in the base turns by -q
        found = position(model, [math.pi / 2], "arm")
        assert found == [0.0, -1.0, 0.0]

    def test_a_joint_with_two_axes_is_not_turned_round(self):
        cross = joint("j", "universal", "arm", "base", more="<axis2><xyz>1 0 0</xyz></axis2>")
        with pytest.raises(ParseError, match="'base' is also the child of another joint, and a universal joint cannot"):
            load_sdf(sdf(BASE, link("arm"), cross, TIE))

    def test_a_ball_joint_turned_round_gives_its_parent_in_its_child(self):
        arm, pose = link("arm", "<pose>0 0 -1 0 0 0</pose>"), '<pose relative_to="base">0 0 0.5 0 0 0</pose>'
        ahead, round_about = (
            load_sdf(sdf(BASE, arm, joint("j", "ball", *ends, pose, axis=""), TIE))
            for ends in (("base", "arm"), ("arm", "base"))
        )
        q = np.array([0.1, 0.2, 0.3, 0.4]) / math.sqrt(0.3)
        np.testing.assert_array_equal(*(fs.frame_pose(model, q, "arm") for model in (ahead, round_about)))

    @pytest.mark.parametrize("kind", ["revolute", "prismatic", "screw"])
    def test_a_joint_turned_round_is_the_other_joint_about_the_opposite_axis(self, kind):
        arm = link("arm", "<pose>1 0 0.2 0.3 0.2 0.1</pose>")
        pose = '<pose relative_to="base">0.5 0.1 0 0 0.4 0</pose>'
        ends = (("base", "arm", "<xyz>0 0.6 0.8</xyz>"), ("arm", "base", "<xyz>0 -0.6 -0.8</xyz>"))
        ahead, round_about = (load_sdf(sdf(BASE, arm, joint("j", kind, a, b, pose, xyz), TIE)) for a, b, xyz in ends)
        assert ahead.joints[0].parent == round_about.joints[0].parent == "base"
        for q in ([0.7], [-1.2]):
            poses = [fs.frame_pose(model, q, "arm") for model in (ahead, round_about)]
            np.testing.assert_allclose(*poses, atol=1e-15)
            torques = [fs.rnea(model, q, [0.3], [2.0]) for model in (ahead, round_about)]
            np.testing.assert_allclose(*torques, rtol=1e-14)

    def test_a_screw(self):
        """0.02 m a turn; in the old way of saying it, radians for a metre and left-handed."""
        for pitch, expected in (
            ("<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02),
            ("<thread_pitch>-100</thread_pitch>", math.tau / 100),
            ("<thread_pitch>-100</thread_pitch><screw_thread_pitch>0.02</screw_thread_pitch>", 0.02),
            ("", 1.0),
        ):
            model = load_sdf(sdf(BASE, link("nut"), joint("j", "screw", "base", "nut", more=pitch), TIE))
            np.testing.assert_allclose(position(model, [math.tau], "nut"), [0, 0, expected], atol=1e-12)

    @pytest.mark.parametrize("kind", ["universal", "revolute2"])
    def test_a_joint_with_two_axes(self, kind):
        limits = [
            f"<limit><lower>{k}</lower><upper>{k + 5}</upper><effort>{k + 6}</effort></limit>"
            f"<dynamics><damping>{k + 7}</damping></dynamics>"
            for k in (-1, -2)
        ]
        second = f"<axis2><xyz>0 1 0</xyz>{limits[1]}</axis2>"
        arm = link("arm", "<pose>0 0 -1 0 0 0</pose>")
        cross = joint("j", kind, "base", "arm", "<pose>0 0 1 0 0 0</pose>", f"<xyz>1 0 0</xyz>{limits[0]}", second)
        model = load_sdf(sdf(BASE, arm, cross, TIE))
        assert (model.q_lower.tolist(), model.q_upper.tolist()) == ([-1.0, -2.0], [4.0, 3.0])
        assert (model.tau_limit.tolist(), model.damping.tolist()) == ([5.0, 4.0], [6.0, 5.0])
        # first about x, which lifts the arm to the side, then about the turned y, which is up
        assert position(model, [math.pi / 2, 0.0], "arm") == [0.0, 1.0, 0.0]
        assert position(model, [math.pi / 2, math.pi / 2], "arm") == [-1.0, 0.0, 0.0]

    def test_a_ball_joint(self):
        arm = link("arm", "<pose>0 0 -1 0 0 0</pose>")
        model = load_sdf(sdf(BASE, arm, joint("j", "ball", "base", "arm", "<pose>0 0 1 0 0 0</pose>", axis=""), TIE))
        assert (model.nq, model.nv) == (4, 3)
        assert position(model, [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], "arm") == [0.0, 1.0, 0.0]
        expected = np.diag([2.1, 2.2, 0.3])
        np.testing.assert_allclose(fs.crba(model, [0, 0, 0, 1]), expected, atol=1e-15)

    def test_losses_of_a_ball_joint_are_those_of_each_direction(self):
        dynamics = "<dynamics><damping>0.4</damping><friction>0.3</friction></dynamics>"
        model = load_sdf(sdf(BASE, link("arm"), joint("j", "ball", "base", "arm", axis=dynamics), TIE))
        assert (model.damping.tolist(), model.friction.tolist()) == ([0.4] * 3, [0.3] * 3)

    def test_joints_may_join_frames_and_models(self):
        nested = f'<model name="n"><pose>0 0 2 0 0 0</pose>{link("c")}</model>'
        frame = '<frame name="f" attached_to="base"><pose>1 0 0 0 0 0</pose></frame>'
        model = load_sdf(sdf(BASE, frame, nested, joint("j", "revolute", "f", "n"), TIE))
        assert (model.joints[0].parent, model.joints[0].child) == ("base", "n::c")
        assert position(model, [0.0], "n::c") == [0.0, 0.0, 2.0]

    def test_old_files_may_call_a_link_and_a_joint_alike(self):
        arm = link("arm", "<pose>0 0 -1 0 0 0</pose>")
        swing = joint("arm", "revolute", "base", "arm", "<pose>0 0 1 0 0 0</pose>", "<xyz>1 0 0</xyz>")
        model = load_sdf(sdf(BASE, swing, arm, TIE, version="1.6"))
        assert (model.joint_names, model.body_names) == (("arm",), ("arm::frame",))
        assert position(model, [math.pi / 2], "arm") == [0.0, 1.0, 0.0]


class TestDocuments:
    """Files with worlds and several models."""

    MODELS = "".join(f'<model name="{name}">{BASE}</model>' for name in ("one", "two"))

    def test_a_model_is_chosen_by_name(self):
        text = f'<sdf version="1.9"><world name="w"><include/><light name="l"/>{self.MODELS}</world></sdf>'
        assert load_sdf(text, model="two").name == "two"
        with pytest.raises(ParseError, match="expected one model, got 2: 'one', 'two'; choose one by model="):
            load_sdf(text)
        with pytest.raises(ParseError, match="there is no model 'tow'; did you mean 'two'"):
            load_sdf(text, model="tow")

    def test_the_gravity_of_the_world(self):
        text = (
            f'<sdf version="1.9"><world name="w"><gravity>0 1 -2</gravity><model name="m">{BASE}</model></world></sdf>'
        )
        assert load_sdf(text).gravity.tolist() == [0.0, 1.0, -2.0]
        assert load_sdf(text.replace("<gravity>0 1 -2</gravity>", "")).gravity.tolist() == [0.0, 0.0, -9.81]

    def test_joints_between_models_are_listed(self):
        tie = '<joint name="tie" type="fixed"><parent>world</parent><child>m::base</child></joint>'
        text = f'<sdf version="1.10"><world name="w">{tie}<model name="m">{BASE}</model></world></sdf>'
        with pytest.warns(fs.ModelWarning, match="between the models of the world joint 'tie'"):
            load_sdf(text)

    def test_a_pose_in_a_world_may_be_relative_to_other_models(self):
        text = f"""<sdf version="1.9"><world name="w">
            <frame name="desk" attached_to="other::base"><pose>0 0 1 0 0 0</pose></frame>
            <model name="other"><pose>5 0 0 0 0 0</pose>{BASE}</model>
            <model name="m"><pose relative_to="desk">0 2 0 0 0 0</pose>{BASE}{TIE}</model>
        </world></sdf>"""
        assert position(load_sdf(text, model="m"), [], "base") == [5.0, 2.0, 1.0]

    def test_a_file_and_its_bytes_are_one(self, tmp_path):
        text = sdf(BASE)
        (tmp_path / "m.sdf").write_text(text)
        for source in (tmp_path / "m.sdf", str(tmp_path / "m.sdf"), text, text.encode()):
            assert load_sdf(source).nv == 6

    def test_fixed_joints_may_be_kept(self):
        parts = sdf(BASE, link("a"), joint("glue", "fixed", "base", "a"))
        assert load_sdf(parts).nb == 1
        assert load_sdf(parts, merge_fixed=False).nb == 2
