"""What a comparison with MuJoCo says, what it accepts, and what it finds."""

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

import featherstone as fs
from featherstone.proof.compare import compare, compare_with
from featherstone.proof.engines import Mujoco
from featherstone.proof.mujoco_builder import from_model

DATA = Path(__file__).parents[1] / "data"
LOSSES = DATA / "mjcf" / "losses.xml"
POINT = """<robot name="point"><link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 {z}"/><mass value="1"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""


def row_of(found, function):
    return next(row for row in found.rows if row.function == function)


def compare_to(right, model, **options):
    source = from_model(right)
    return compare_with(model, source, samples=20, seed=0, engine=Mujoco(), **options)


def test_a_comparison_says_what_was_compared():
    found = compare(LOSSES, "mujoco", samples=5, seed=3)
    assert found.ok
    assert found.against == f"MuJoCo {mujoco.__version__}"
    assert found.origin == "MuJoCo compiled losses.xml itself"
    assert row_of(found, "rnea").reference == "mj_inverse"
    assert row_of(found, "aba").reference == "mj_forward"
    assert "frictionloss where it slides: " in row_of(found, "rnea, losses").note
    assert found.to_dict()["ok"] is True


def test_path_text_and_model_are_taken():
    text = LOSSES.read_text()
    assert compare(text, "mujoco", samples=2).origin == "MuJoCo compiled the text itself"
    assert compare(text.encode(), "mujoco", samples=2).ok
    assert "built link by link" in compare(fs.load_mjcf(text), "mujoco", samples=2).origin
    assert compare(fs.load_mjcf(text), "mujoco", samples=2, urdf=LOSSES).origin == "MuJoCo compiled losses.xml itself"


def test_a_model_can_be_another_one_than_in_the_file():
    heavier = fs.load_mjcf(LOSSES.read_text().replace('mass="1.5"', 'mass="1.75"'))
    found = compare(heavier, "mujoco", samples=2, urdf=LOSSES)
    assert not found.ok
    assert "joint 'elbow' weighs 1.75 kg in featherstone and 1.5 kg in MuJoCo" in found.diagnosis


def test_urdf_is_read_without_its_geometry():
    urdf = DATA / "dynamics_cases" / "03_state_from_another_engine.urdf"
    text = urdf.read_text().replace(
        '<link name="arm">',
        '<link name="arm"><visual><geometry><mesh filename="package://no/where.stl"/></geometry></visual>',
    )
    for source, name in ((urdf, urdf.name), (text, "the text")):
        for floating_base in (False, True):
            found = compare(source, "mujoco", samples=5, floating_base=floating_base)
            assert found.ok, str(found)
            assert found.origin == f"MuJoCo read {name} itself, its geometry left out"


def test_a_urdf_that_mujoco_refuses_is_given_link_by_link():
    found = compare(POINT.format(z=-0.5), "mujoco", samples=5)
    assert found.ok, str(found)
    assert "built link by link" in found.origin
    assert "since MuJoCo refuses the file: " in found.origin
    with pytest.raises(ValueError, match="urdf: MuJoCo refuses the file"):
        compare(fs.load_urdf(POINT.format(z=-0.5)), "mujoco", urdf=POINT.format(z=-0.5))


def test_a_root_link_called_world_that_floats_is_given_link_by_link():
    urdf = (DATA / "dynamics_cases" / "03_state_from_another_engine.urdf").read_text().replace('"torso"', '"world"')
    found = compare(urdf, "mujoco", samples=5, floating_base=True)
    assert found.ok, str(found)
    assert "MuJoCo's base is called 'world'" in found.origin


def test_a_singular_robot_is_not_comparable_forward():
    found = compare(POINT.format(z=0), "mujoco", samples=5)
    assert found.ok, str(found)
    for function in ("aba", "mass_matrix_inverse"):
        assert row_of(found, function).error is None
        assert "the mass matrix is singular, joint 'swing'" in row_of(found, function).note


def test_losses_of_a_singular_robot_are_compared_as_far_as_they_go():
    lossy = fs.load_urdf(POINT.format(z=0).replace("</joint>", '<dynamics damping="0.3"/></joint>'))
    found = compare(lossy, "mujoco", samples=5)
    assert found.ok, str(found)
    assert row_of(found, "rnea, losses").error is not None
    assert row_of(found, "forward_dynamics, losses").error is None


@pytest.mark.parametrize(
    ("before", "after", "functions"),
    [
        ('damping="0.4"', 'damping="0.5"', {"rnea, losses", "forward_dynamics, losses"}),
        ('frictionloss="0.15"', 'frictionloss="0.25"', {"rnea, losses"}),
        ('armature="0.11"', 'armature="0.21"', {"rnea", "crba", "aba", "kinetic_energy"}),
        ('axis="0 0.6 0.8"', 'axis="0 -0.6 -0.8"', {"rnea", "forward_kinematics"}),
        ('pos="0.5 0 0"', 'pos="0.5 0 0.1"', {"rnea", "frame_pose, all links"}),
    ],
)
def test_a_wrong_model_is_found(before, after, functions):
    text = LOSSES.read_text()
    assert text.count(before) == 1
    found = compare(fs.load_mjcf(text.replace(before, after)), "mujoco", samples=10, urdf=LOSSES)
    assert not found.ok
    assert functions <= {row.function for row in found.rows if not row.ok}
    assert found.diagnosis


def test_other_joints_and_links_are_found():
    right = fs.load_mjcf(LOSSES)
    found = compare_to(right.lock("elbow"), right)
    assert "joint 'elbow' moves in featherstone's model and is not in MuJoCo's" in found.diagnosis
    found = compare_to(right, right.lock("elbow"))
    assert "joint 'elbow' moves in MuJoCo's model and not in featherstone's" in found.diagnosis
    found = compare_to(right, right.rename(links={"lower": "forearm"}))
    assert "link 'forearm' is in featherstone's model and not in MuJoCo's" in found.diagnosis
    assert found.to_dict()["rows"][0]["reference"] == "mujoco.MjModel"


def test_another_gravity_is_found():
    right = fs.load_mjcf(LOSSES)
    found = compare_to(right, right, gravity=(0, 0, -1.62))
    assert found.diagnosis == "gravity is (0, 0, -9.81) m/s^2 in featherstone and (0, 0, -1.62) in MuJoCo"


def test_what_is_left_out_on_reading_is_left_out_of_the_comparison():
    springs = LOSSES.read_text().replace('name="slide" ', 'name="slide" stiffness="50" springref="0.2" ')
    springs = springs.replace('<body name="rod"', '<body name="rod" gravcomp="1"')
    springs = springs.replace("<worldbody>", '<option density="1000" viscosity="1"/><worldbody>')
    found = compare(springs, "mujoco", samples=10)
    assert found.ok, str(found)


def test_the_armature_of_a_free_joint_is_left_out_of_simple_bodies_too():
    body = '<body pos="{} 0 0"><joint type="{}" armature="1"/><geom size=".1"/></body>'
    for bodies in (body.format(0, "free"), body.format(0, "free") + body.format(1, "slide")):
        found = compare(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>", "mujoco", samples=3)
        assert found.ok, str(found)


def test_mjcf_says_itself_whether_the_base_floats():
    with pytest.raises(ValueError, match="floating_base: MJCF says itself whether the base floats"):
        compare(LOSSES, "mujoco", floating_base=True)
    assert compare(DATA / "mjcf" / "free.xml", "mujoco", samples=2, floating_base=True).floating_base


def test_the_compared_model_is_not_changed():
    theirs = mujoco.MjModel.from_xml_path(str(LOSSES))
    before = theirs.opt.disableflags, theirs.dof_damping.copy()
    model = fs.load_mjcf(theirs)
    assert compare(model, "mujoco", samples=2).ok
    assert theirs.opt.disableflags == before[0]
    np.testing.assert_array_equal(theirs.dof_damping, before[1])


def test_without_mujoco_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ImportError, match=r"pip install 'featherstone\[mujoco\]'"):
        compare(POINT.format(z=1), "mujoco")


class TestCheck:
    def test_mjcf_is_checked(self):
        assert fs.check(LOSSES).ok
        report = fs.check(LOSSES.read_text().replace('name="slide" ', 'name="slide" stiffness="50" '))
        assert [x.rule for x in report.findings] == ["left-out"]
        assert "springs (stiffness) of joints 'slide'" in str(report)

    def test_contacts_and_control_are_noted(self):
        pair = '<body pos="{0} 0 0"><freejoint/><geom size=".1"/></body>'
        touching = "<mujoco><worldbody>" + pair.format(0) + pair.format(1) + "</worldbody></mujoco>"
        servo = '<actuator><position name="servo" joint="slide" kp="10"/></actuator></mujoco>'
        driven = LOSSES.read_text().replace("</mujoco>", servo)
        for text, phrase in ((touching, "contacts between geoms"), (driven, "control laws of actuators 'servo'")):
            report = fs.check(text)
            assert [(x.rule, x.severity) for x in report.findings] == [("left-out", "note")]
            assert report.ok
            assert phrase in str(report)

    def test_what_mujoco_refuses_is_a_finding(self):
        report = fs.check(LOSSES.read_text().replace('axis="0 1 0"', 'axis="0 0 0"'))
        assert [x.rule for x in report.findings] == ["parse-error"]
        assert "MuJoCo refuses the model: axis too small in joint" in str(report)


def test_a_rotor_that_spins_has_no_counterpart():
    builder = fs.ModelBuilder("wheel")
    builder.add_link("base")
    builder.add_link("wheel", 1.0, inertia=np.eye(3))
    builder.add_joint("turn", "revolute", "base", "wheel", rotor=fs.Rotor(0.01, 5.0, True))
    with pytest.raises(ValueError, match="joint 'turn' has a gyroscopic rotor, which MuJoCo does not know"):
        compare(builder.build(), "mujoco", samples=2)


def test_damping_that_differs_along_moved_axes_is_added():
    builder = fs.ModelBuilder("puck")
    builder.add_link("table")
    builder.add_link("puck", 1.0, inertia=np.eye(3))
    builder.add_joint("glide", "planar", "table", "puck", damping=(0.1, 0.2, 0.3), friction=0.1)
    found = compare(builder.build(), "mujoco", samples=10)
    assert found.ok, str(found)
    assert "frictionloss where it slides: 0 of 30 entries" in row_of(found, "rnea, losses").note
