"""Every function agrees with MuJoCo: on MJCF that it compiles, on real robots that it reads, and on random trees."""

import sysconfig
import warnings
from pathlib import Path

import mujoco
import pytest

import featherstone as fs
from featherstone.engine.kernel import compilation_disabled
from featherstone.proof.compare import compare

from ..random_trees import ALL, random_parts

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
MODELS = sorted(path.relative_to(ROBOTS).as_posix() for path in ROBOTS.rglob("*.urdf") if path.name != "ur3.urdf")
OURS = [
    path
    for path in sorted((Path(__file__).parents[1] / "data" / "mjcf").glob("*.xml"))
    if "<mujocoinclude>" not in path.read_text()
]
SHIPPED = sorted((Path(mujoco.__file__).parent / "testdata").glob("*.xml"))
SAMPLES = 3 if compilation_disabled() else 20

FORWARD = {"aba", "forward_dynamics, cholesky"}
SOLVED = FORWARD | {"mass_matrix_inverse"}
EXACT = {"rnea", "gravity_torque", "bias_torque", "crba", "forward_kinematics", "frame_pose, all links"}
EXACT |= {"kinetic_energy", "potential_energy", "body masses", "body inertias"}
LOSSES = {"rnea, losses", "forward_dynamics, losses"}


def test_there_are_models_of_each_kind():
    assert len(OURS) == 10
    assert SHIPPED
    assert len(MODELS) == 68


@pytest.mark.parametrize("path", [*OURS, *SHIPPED], ids=lambda path: path.stem)
def test_every_function_agrees_on_mjcf(path):
    """MuJoCo's own model, and the one that it gets link by link from what was read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        model = fs.load_mjcf(path)
    for found in (compare(path, "mujoco", samples=SAMPLES), compare(model, "mujoco", samples=SAMPLES)):
        assert found.ok, str(found)
        lossy = model.damping.any() or model.friction.any()
        assert {row.function for row in found.rows} == EXACT | SOLVED | (LOSSES if lossy else set())
        assert all(row.error is not None for row in found.rows)
    assert compare(path, "mujoco", samples=1).origin == f"MuJoCo compiled {path.name} itself"


@pytest.mark.parametrize("path", [*OURS, *SHIPPED], ids=lambda path: path.stem)
def test_pinocchio_agrees_on_what_was_read_from_mjcf(path):
    found = compare(path, samples=SAMPLES)
    assert found.ok, str(found)
    assert found.origin.endswith("since MuJoCo compiles MJCF for both")


@pytest.mark.parametrize("name", MODELS)
def test_every_function_agrees_on_a_real_robot(name):
    for floating_base in (False, True):
        found = compare(ROBOTS / name, "mujoco", samples=SAMPLES, floating_base=floating_base)
        assert found.ok, str(found)
        assert found.diagnosis == ""
        assert {row.function for row in found.rows} >= EXACT | SOLVED
        assert all(row.error <= 1e-11 for row in found.rows if row.error is not None)


def test_mujoco_reads_most_real_robots_itself():
    """The others have massless moving links, or tensors that no body has, or a base of its base's name."""
    origins = [compare(ROBOTS / name, "mujoco", samples=1).origin for name in MODELS]
    read = sum(origin.startswith("MuJoCo read ") for origin in origins)
    assert read >= 40
    refused = [origin for origin in origins if not origin.startswith("MuJoCo read ")]
    assert all("since MuJoCo refuses the file: " in origin for origin in refused)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("mimic", [False, True], ids=["", "mimic"])
@pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"])
def test_every_function_agrees_on_random_trees(seed, mimic, floating_base):
    """Trees of every joint type, with armature, losses, tilted gravity, links behind fixed joints, merged or not."""
    shape = ("random", "chain", "star", "binary")[seed % 4]
    parts = random_parts(seed, 3 + seed, shape=shape, mimic=mimic, fixed=seed % 2 == 1, rotors=False)
    for merge_fixed in (True, False):
        model = parts.build(floating_base=floating_base, gravity=(1.0, 2.0, -9.0), merge_fixed=merge_fixed)
        found = compare(model, "mujoco", samples=10, seed=seed)
        assert found.ok, str(found)
        assert all(row.error is not None for row in found.rows)


@pytest.mark.parametrize("joint", ALL)
def test_every_function_agrees_on_one_joint(joint):
    for seed in range(5):
        model = random_parts(seed, 1, joints=(joint,), massless=False).build(floating_base=seed % 2 == 1)
        found = compare(model, "mujoco", samples=20, seed=seed)
        assert found.ok, str(found)
