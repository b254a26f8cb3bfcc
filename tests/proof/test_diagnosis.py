"""A wrong model is found, and the sentence says what is wrong with it."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.compat import pinocchio as mapping
from featherstone.proof import solved
from featherstone.proof.compare import compare, compare_with
from featherstone.proof.pinocchio import PinocchioReference
from featherstone.proof.pinocchio_source import from_description

BOX = [[0.02, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.01]]


LINKS = ("base", "upper", "lower", "slider", "finger", "tool")
JOINTS = {
    "shoulder": {"type": "revolute", "parent": "base", "child": "upper", "axis": (0, 1, 0), "position": (0, 0, 0.3)},
    "elbow": {"type": "revolute", "parent": "upper", "child": "lower", "axis": (1, 2, 0.5), "position": (0.4, 0, 0)},
    "slide": {"type": "prismatic", "parent": "lower", "child": "slider", "axis": (0, 0, 1), "position": (0, 0.1, 0)},
    "grip": {"type": "prismatic", "parent": "lower", "child": "finger", "mimic": fs.Mimic("slide", 0.5, 0.1)},
    "mount": {"type": "fixed", "parent": "slider", "child": "tool", "position": (0, 0, 0.2)},
}


def arm(name=None, changes=None, *, floating_base=False):
    """Two hinges, a slide, a finger that follows the slide, and a tool; one link or joint with changes."""
    builder = fs.ModelBuilder("arm")
    for k, link in enumerate(LINKS, start=1):
        fields = {"mass": 0.5 * k, "com": (0.1, 0.02 * k, -0.05), "inertia": BOX}
        builder.add_link(link, **fields | (changes if link == name else {}))
    for joint, fields in JOINTS.items():
        builder.add_joint(joint, **fields | (changes if joint == name else {}))
    return builder.build(floating_base=floating_base)


RIGHT = arm()


def compare_to(right, model, gravity=None):
    source = from_description(right.description, right.options.floating_base)
    return compare_with(model, source, samples=20, seed=0, gravity=gravity)


def wrong(found):
    return {row.function for row in found.rows if not row.ok}


def test_the_right_model_agrees():
    found = compare_to(RIGHT, arm())
    assert found.ok
    assert found.diagnosis == ""
    assert ": agrees\n" in str(found)


MISTAKES = [
    ("lower", {"mass": 1.6}, {"body masses", "crba"}, "joint 'elbow' weighs 1.6 kg in featherstone and 1.5"),
    ("tool", {"mass": 3.5}, {"body masses", "rnea"}, "joint 'slide' weighs 5.5 kg in featherstone and 5 kg"),
    ("base", {"mass": 0.6}, {"body masses"}, "the whole robot, its base included, weighs 10.6 kg"),
    # along the shoulder's axis, where no torque feels it
    ("upper", {"com": (0.1, 0.05, -0.05)}, {"body inertias"}, "joint 'shoulder' has another centre of mass"),
    ("tool", {"inertia": np.eye(3)}, {"crba", "aba"}, "joint 'slide' has another rotational inertia"),
    ("elbow", {"axis": (-1, -2, -0.5)}, {"frame_pose, all links"}, "joint 'elbow' turns the other way"),
    ("slide", {"axis": (0, 0, -1)}, {"forward_kinematics"}, "joint 'slide' slides the other way"),
    ("elbow", {"axis": (1, 2, 0.6)}, {"forward_kinematics"}, "joint 'elbow' has the same origin"),
    ("elbow", {"position": (0.4, 0.01, 0)}, {"forward_kinematics"}, "joint 'elbow' has another origin"),
    ("mount", {"position": (0, 0, 0.21)}, {"frame_pose, all links"}, "link 'tool' sits elsewhere"),
    ("grip", {"mimic": fs.Mimic("slide", 0.6, 0.1)}, {"rnea"}, "joint 'grip', which follows 'slide'"),
    ("grip", {"mimic": fs.Mimic("slide", 0.5, 0.2)}, {"rnea"}, "joint 'grip', which follows 'slide'"),
]


@pytest.mark.parametrize(("name", "changes", "functions", "sentence"), MISTAKES)
def test_a_wrong_model_is_found_and_diagnosed(name, changes, functions, sentence, monkeypatch):
    if name == "grip":
        # the reference takes the mimic relations from the model that it is asked about
        coupling = mapping.Pair(RIGHT, from_description(RIGHT.description, False).model)._coupling()
        monkeypatch.setattr(mapping.Pair, "_coupling", lambda self: coupling)
    found = compare_to(RIGHT, arm(name, changes))
    assert not found.ok
    assert functions <= wrong(found)
    assert sentence in found.diagnosis
    assert f"DISAGREES: {found.diagnosis}" in str(found)
    assert "WRONG" in str(found)


def test_another_normal_of_a_planar_joint_is_found():
    def puck(axis):
        builder = fs.ModelBuilder("puck")
        builder.add_link("table")
        builder.add_link("puck", 1.0, inertia=BOX)
        builder.add_joint("glide", "planar", "table", "puck", axis=axis)
        return builder.build()

    assert "joint 'glide' has the same origin in Pinocchio" in compare_to(puck((0, 1, 1)), puck((0, 0, 1))).diagnosis


def test_another_gravity_is_found():
    found = compare_to(RIGHT, RIGHT.with_gravity((0, 0, -1.62)), gravity=(0, 0, -9.81))
    assert {"rnea", "gravity_torque", "potential_energy"} <= wrong(found)
    assert "crba" not in wrong(found)
    assert found.diagnosis == "gravity is (0, 0, -1.62) m/s^2 in featherstone and (0, 0, -9.81) in Pinocchio"


def test_the_models_own_gravity_is_the_references():
    assert compare(RIGHT.with_gravity((1, 2, 3)), samples=5).ok


def test_another_armature_is_found(monkeypatch):
    monkeypatch.setattr(PinocchioReference, "armature", lambda self: np.zeros(self.pair.nv_all))
    found = compare_to(RIGHT, arm("elbow", {"armature": 0.25}))
    assert {"rnea", "crba", "kinetic_energy"} <= wrong(found)
    assert "armature: joint 'elbow' has 0.25 more on the mass matrix's diagonal in featherstone" in found.diagnosis


def test_exchanged_halves_are_found(monkeypatch):
    floating = arm(floating_base=True)
    monkeypatch.setitem(mapping.VELOCITY_ORDER, "floating", (0, 1, 2, 3, 4, 5))
    for to in ("to_v", "to_a"):
        monkeypatch.setattr(mapping.Pair, to, lambda self, x: (x @ self.G.T)[:, [3, 4, 5, 0, 1, 2, 6, 7, 8, 9]])
    found = compare_to(floating, floating)
    assert found.diagnosis == "joint 'root_joint': the angular and the linear half of its torques are exchanged"


def test_another_order_is_found(monkeypatch):
    from_tau = mapping.Pair.from_tau
    monkeypatch.setattr(mapping.Pair, "from_tau", lambda self, tau: np.roll(from_tau(self, tau), 1, axis=1))
    found = compare_to(RIGHT, RIGHT)
    assert "the same numbers in another order" in found.diagnosis


@pytest.mark.parametrize(
    ("right", "sentence"),
    [
        (arm("elbow", {"type": "fixed"}), "joint 'elbow' moves in featherstone's model and is not in"),
        (arm("mount", {"type": "revolute"}), "joint 'mount' moves in Pinocchio's model and not in"),
        (arm("elbow", {"type": "spherical"}), "joint 'elbow' is revolute, and JointModelSpherical"),
    ],
)
def test_other_joints_are_found(right, sentence):
    found = compare_to(right, RIGHT)
    assert not found.ok
    assert sentence in found.diagnosis
    assert found.to_dict()["rows"][0]["ok"] is False
    assert "joints and links" in str(found)


def test_another_link_name_is_found():
    builder = fs.ModelBuilder("arm")
    for name in ("base", "other"):
        builder.add_link(name, 1.0, inertia=BOX)
    builder.add_joint("hinge", "revolute", "base", "other")
    right = builder.build()
    builder = fs.ModelBuilder("arm")
    for name in ("base", "rod"):
        builder.add_link(name, 1.0, inertia=BOX)
    builder.add_joint("hinge", "revolute", "base", "rod")
    assert (
        "link 'rod' is in featherstone's model and not in Pinocchio's" in compare_to(right, builder.build()).diagnosis
    )


def test_a_wrong_algorithm_is_told_from_a_wrong_model(monkeypatch):
    monkeypatch.setattr(solved, "aba", lambda *arguments: fs.aba(*arguments) + 1e-3)
    found = compare(RIGHT, samples=5)
    assert wrong(found) == {"aba"}
    assert found.diagnosis.startswith("masses, gravity and kinematics agree, but not aba: aba by ")


def test_a_result_that_is_no_number_is_wrong(monkeypatch):
    monkeypatch.setattr(solved, "aba", lambda *arguments: np.full((5, RIGHT.nv), np.nan))
    found = compare(RIGHT, samples=5)
    assert wrong(found) == {"aba"}
    row = next(row for row in found.rows if row.function == "aba")
    assert row.error == float("inf")
    assert row.to_dict()["error"] is None
