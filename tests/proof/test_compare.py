"""What a comparison says, what it accepts, and what it does where the other engine has no answer."""

import json
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.proof import pinocchio_source, solved
from featherstone.proof.compare import Comparison, compare
from featherstone.proof.pinocchio import PinocchioReference

HINGE = """<robot name="hinge">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 0.5"/><mass value="{mass}"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="turn" type="{type}"><parent link="base"/><child link="rod"/><axis xyz="{axis}"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""
URDF = HINGE.format(mass=2, type="revolute", axis="0 1 0")
ROWS = (
    "body masses",
    "body inertias",
    "rnea",
    "gravity_torque",
    "bias_torque",
    "crba",
    "aba",
    "forward_dynamics, cholesky",
    "mass_matrix_inverse",
    "forward_kinematics",
    "frame_pose, all links",
    "kinetic_energy",
    "potential_energy",
    "integrate",
    "difference",
)


def row_of(found, function):
    return next(row for row in found.rows if row.function == function)


def test_a_comparison_says_all():
    found = compare(URDF, samples=5, seed=3, floating_base=True)
    assert isinstance(found, Comparison)
    assert found.ok
    assert (found.model, found.floating_base, found.samples, found.seed) == ("hinge", True, 5, 3)
    assert found.against.startswith("Pinocchio ")
    assert found.origin == "Pinocchio read the text itself"
    assert tuple(row.function for row in found.rows) == ROWS
    text = str(found)
    assert "hinge, floating base, with Pinocchio" in text
    assert "5 random states, seed 3" in text
    assert all(function in text for function in ROWS)
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["function"] == "body masses"
    with pytest.raises(AttributeError):
        found.samples = 6


def test_the_seed_decides():
    first, again, other = (compare(URDF, samples=5, seed=seed, floating_base=True).to_dict() for seed in (1, 1, 2))
    assert first == again
    assert [row["error"] for row in first["rows"]] != [row["error"] for row in other["rows"]]


def test_path_text_bytes_and_model_are_taken(tmp_path):
    path = tmp_path / "hinge.urdf"
    path.write_text(URDF)
    origins = [compare(x, samples=2).origin for x in (path, str(path), URDF, URDF.encode(), bytearray(URDF.encode()))]
    assert origins[:2] == ["Pinocchio read hinge.urdf itself"] * 2
    assert origins[2:] == ["Pinocchio read the text itself"] * 3
    assert "built link by link" in compare(fs.load_urdf(path), samples=2).origin


def test_a_model_can_name_the_file_that_pinocchio_reads(tmp_path):
    path = tmp_path / "hinge.urdf"
    path.write_text(URDF)
    with pytest.raises(ValueError, match="urdf: Pinocchio refuses the file"):
        compare(fs.load_urdf(URDF), urdf=tmp_path / "missing.urdf")
    heavier = fs.load_urdf(HINGE.format(mass=3, type="revolute", axis="0 1 0"))
    assert compare(heavier, samples=2).ok
    found = compare(heavier, samples=2, urdf=path)
    assert not found.ok
    assert "joint 'turn' weighs 3 kg in featherstone and 2 kg in Pinocchio" in found.diagnosis


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "hinge.urdf"
    path.write_text(URDF)
    assert compare(path, samples=2).ok
    path.write_text(URDF.replace("<inertial>", "<inertial broken=>"))
    with pytest.raises(fs.ParseError):
        compare(path, samples=2)
    path.write_text(HINGE.format(mass="2.50", type="revolute", axis="0 1 0"))
    assert compare(path, samples=2).ok


def test_warnings_about_the_file_are_not_repeated():
    leaf = URDF.replace("</robot>", '<link name="leaf"/><joint name="end" type="continuous"><parent link="rod"/>')
    leaf += '<child link="leaf"/></joint></robot>'
    found = compare(leaf, samples=2)
    assert found.ok
    for function in ("aba", "forward_dynamics, cholesky", "mass_matrix_inverse"):
        row = row_of(found, function)
        assert row.error is None
        assert "the mass matrix is singular, joint 'end'" in row.note
    assert row_of(found, "rnea").error is not None


def test_mimic_can_be_left_out():
    follower = URDF.replace("</robot>", '<link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0"')
    follower += ' iyy="1" iyz="0" izz="1"/></inertial></link><joint name="end" type="revolute"><parent link="rod"/>'
    follower += '<child link="tip"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
    follower += '<mimic joint="turn" multiplier="0.5"/></joint></robot>'
    assert row_of(compare(follower, samples=2), "aba").reference.endswith("solved by NumPy")
    assert row_of(compare(follower, samples=2, mimic=False), "aba").reference == "pinocchio.aba"


def test_planar_joints_with_another_normal_are_given_not_read():
    for axis, reads in (("0 0 1", True), ("0 1 0", False), ("0 0 -1", False)):
        found = compare(HINGE.format(mass=2, type="planar", axis=axis), samples=10)
        assert found.ok, str(found)
        assert ("normal of planar joint 'turn'" in found.origin) is not reads
    model = fs.load_urdf(HINGE.format(mass=2, type="planar", axis="0 1 0"))
    with pytest.raises(ValueError, match="urdf: Pinocchio's reader takes the normal"):
        compare(model, urdf=HINGE.format(mass=2, type="planar", axis="0 1 0"))


@pytest.mark.parametrize(
    ("trial", "reason"),
    [
        ("import os; os.abort()", "ended the process (signal 6)"),
        ("import sys; print('Error: no inertia', file=sys.stderr)", "complains: Error: no inertia"),
        ("raise ValueError('no robot')", "refuses the file: ValueError: no robot"),
        ("import time; time.sleep(60)", "did not finish within 0.5 s"),
    ],
)
def test_a_file_that_pinocchio_cannot_read_harms_nobody(monkeypatch, trial, reason):
    monkeypatch.setattr(pinocchio_source, "TRIAL", trial)
    if "sleep" in trial:
        monkeypatch.setattr(pinocchio_source, "TIMEOUT", 0.5)
    text = f"<!-- {reason} -->{URDF}"
    found = compare(text, samples=2)
    assert found.ok
    assert "built link by link from the description" in found.origin
    assert reason in found.origin
    with pytest.raises(ValueError, match="urdf: Pinocchio"):
        compare(fs.load_urdf(URDF), urdf=text)


def test_masses_that_pinocchio_drops_are_noticed():
    """A line break in a vector is valid: Pinocchio's reader then drops the <inertial> and says so on stderr only."""
    broken = URDF.replace('xyz="0 0 0.5"', 'xyz="0 0\n0.5"')
    found = compare(broken, samples=2)
    assert found.ok
    assert "Pinocchio's reader complains" in found.origin


def test_forward_dynamics_that_misses_is_not_believed(monkeypatch):
    monkeypatch.setattr(PinocchioReference, "aba", lambda self, q, *rest: np.full((len(q), 1), np.nan))
    found = compare(URDF, samples=2)
    assert found.ok
    assert row_of(found, "aba").note == "pinocchio.aba does not invert pinocchio.rnea, it misses by nan"
    assert row_of(found, "aba").reference == "pinocchio.crba and rnea, solved by NumPy"


def test_an_error_that_says_singular_is_not_believed_without_reason(monkeypatch):
    def refuse(*arguments):
        raise fs.SingularMassMatrixError("singular", "turn")

    monkeypatch.setattr(solved, "aba", refuse)
    found = compare(URDF, samples=2)
    assert not found.ok
    assert "refused as singular at joint 'turn', but the condition number is only 1e+00" in found.diagnosis


def test_a_singular_robot_without_an_error_is_wrong(monkeypatch):
    monkeypatch.setattr(solved, "aba", lambda model, q, *rest: np.zeros_like(q))
    point = HINGE.format(mass=2, type="revolute", axis="0 0 1").replace('izz="0.1"', 'izz="0"')
    found = compare(point, samples=2)
    assert [row.function for row in found.rows if not row.ok] == ["aba"]
    assert "no error says that it is singular" in row_of(found, "aba").note


@pytest.mark.parametrize("against", ["drake", "", None, ["mujoco"]])
def test_other_engines_are_not_known(against):
    with pytest.raises(ValueError, match="against: expected 'mujoco', 'pinocchio' or 'truth', got"):
        compare(URDF, against=against)


@pytest.mark.parametrize("samples", [0, -1, 1.5, True, "10"])
def test_samples_must_be_a_whole_number(samples):
    with pytest.raises(ValueError, match="samples: expected a whole number of at least 1"):
        compare(URDF, samples=samples)


def test_options_must_fit_a_model():
    model = fs.load_urdf(URDF)
    with pytest.raises(ValueError, match="floating_base: the model has a fixed base"):
        compare(model, floating_base=True)
    with pytest.raises(ValueError, match="urdf: only a Model needs another source"):
        compare(URDF, urdf=URDF)
    floating = fs.load_urdf(URDF, floating_base=True)
    assert compare(floating, samples=np.int64(2), floating_base=True).floating_base


def test_without_pinocchio_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(ImportError, match=r"pip install 'featherstone\[pinocchio\]'"):
        compare(URDF)


def test_a_broken_pinocchio_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "pinocchio.py").write_text("raise ImportError('liburdfdom_sensor.so.4.0: cannot open shared object')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "pinocchio", raising=False)
    with pytest.raises(ImportError, match="does not load: liburdfdom_sensor"):
        compare(URDF)


def test_another_package_of_that_name_is_told_apart(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", types.ModuleType("pinocchio"))
    with pytest.raises(ImportError, match="which PyPI calls 'pin'"):
        compare(URDF)


def test_importing_the_proof_is_light():
    code = "import sys, featherstone.proof.compare, featherstone.proof.check; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "featherstone.proof.compare" in loaded
    heavy = {"pinocchio", "scipy", "numba", "xml", "pyexpat", "xml.etree.ElementTree", "subprocess"}
    assert not heavy & set(loaded)


def test_the_accuracy_table_runs(monkeypatch, capsys):
    folder = Path(__file__).parents[2] / "benchmarks"
    monkeypatch.syspath_prepend(str(folder))
    import accuracy

    monkeypatch.setattr(accuracy, "robots", lambda: [accuracy.robots_folder() / "ur_description/urdf/ur5_robot.urdf"])
    accuracy.main(["--samples", "2"])
    printed = capsys.readouterr().out
    assert "| rnea | 2 |" in printed
    assert "1 robot" in printed
