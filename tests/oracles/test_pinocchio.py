"""Every function agrees with Pinocchio, on every real robot we can get and on random trees of every joint type."""

import sysconfig
from pathlib import Path

import numpy as np
import pinocchio
import pytest

from featherstone.algorithms.rnea import rnea
from featherstone.engine.kernel import compilation_disabled
from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import read_urdf
from featherstone.proof.compare import compare

from ..random_trees import ALL, random_parts

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
FILES = sorted(path.relative_to(ROBOTS).as_posix() for path in ROBOTS.rglob("*.urdf"))
EMPTY = "ur_description/urdf/ur3.urdf"  # a robot without links
MODELS = [name for name in FILES if name != EMPTY]
CASES = sorted((Path(__file__).parents[1] / "data").glob("*_cases/*.urdf"))

SAMPLES = 3 if compilation_disabled() else 50  # of each robot

FORWARD = {"aba", "forward_dynamics, cholesky"}
SOLVED = FORWARD | {"mass_matrix_inverse"}
EXACT = {"rnea", "gravity_torque", "bias_torque", "crba", "forward_kinematics", "frame_pose, all links"}
EXACT |= {"kinetic_energy", "potential_energy", "integrate", "body masses", "body inertias"}

# the joint that moves a link without mass, at the end of a branch: the robot has no forward dynamics
SINGULAR = {
    "romeo_description/urdf/romeo.urdf": "RHand",
    "romeo_description/urdf/romeo_laas_small.urdf": "r_gripper_joint",
}
# robots with followers, which Pinocchio's forward dynamics does not know: its mass matrix and bias are solved by NumPy
FOLLOWERS = {
    "baxter_description/urdf/baxter.urdf",
    "panda_description/urdf/panda.urdf",
    "panda_description/urdf/panda_collision.urdf",
    "pr2_description/urdf/pr2.urdf",
    "romeo_description/urdf/romeo.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "talos_data/robots/talos_full_v2_box.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
}
# those of them whose followers Pinocchio can apply itself; it refuses followers on another branch than their leader
OWN_FOLLOWERS = sorted(name for name in FOLLOWERS if not name.startswith(("romeo", "talos")))


def test_there_are_68_robots():
    assert len(MODELS) == 68
    assert set(SINGULAR) | FOLLOWERS <= set(MODELS)


def test_the_empty_robot_is_refused():
    with pytest.raises(ParseError, match="at least one <link>"):
        compare(ROBOTS / EMPTY)


@pytest.mark.parametrize("name", MODELS)
def test_every_function_agrees_on_a_real_robot(name):
    for floating_base in (False, True):
        found = compare(ROBOTS / name, samples=SAMPLES, floating_base=floating_base)
        assert found.ok, str(found)
        assert found.diagnosis == ""
        assert found.origin == f"Pinocchio read {Path(name).name} itself"
        rows = {row.function: row for row in found.rows}
        assert rows.keys() == EXACT | SOLVED | {"difference"}
        assert all(rows[function].tolerance == 1e-12 for function in EXACT)
        for function, row in rows.items():
            if name in SINGULAR and function in SOLVED:
                joint = SINGULAR[name]
                assert row.error is None
                assert row.note == (
                    f"not comparable: the mass matrix is singular, joint {joint!r} moves nothing that has inertia"
                )
            else:
                assert row.error <= (1e-12 if function in EXACT else 1e-11)
                by_numpy = name in FOLLOWERS and function in FORWARD
                assert row.reference.startswith("pinocchio.aba") == (function in FORWARD and not by_numpy)
                assert row.note == ("pinocchio.aba knows no followers" if by_numpy else "")


@pytest.mark.parametrize("name", OWN_FOLLOWERS)
def test_followers_agree_with_pinocchios_own(name):
    """Multipliers and offsets as Pinocchio's reader finds them, not as ours does."""
    model = read_urdf(ROBOTS / name)[0].build()
    theirs = pinocchio.buildModelFromUrdf(str(ROBOTS / name), mimic=True)
    data = theirs.createData()
    assert theirs.nv == model.nv < len(model.joint_names)
    joints = [joint for joint in model.joints if joint.mimic is None]
    twins = [theirs.joints[theirs.getJointId(joint.name)] for joint in joints]
    velocity = [twin.idx_v for twin in twins]
    rng = np.random.default_rng(3)
    q = model.random_configuration(rng, 20)
    qd, qdd = rng.normal(size=(2, 20, model.nv))
    for ours, *state in zip(rnea(model, q, qd, qdd), q, qd, qdd):
        Q, V, A = np.zeros(theirs.nq), np.zeros(theirs.nv), np.zeros(theirs.nv)
        V[velocity], A[velocity] = state[1:]
        for x, twin in zip(state[0], twins):
            Q[twin.idx_q : twin.idx_q + twin.nq] = x if twin.nq == 1 else (np.cos(x), np.sin(x))
        expected = pinocchio.rnea(theirs, data, Q, V, A)[velocity]
        assert np.abs(ours - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_function_agrees_on_an_authored_case(path):
    if path.stem == "12_two_parents":
        with pytest.raises(ParseError, match="two joints"):
            compare(path)
        return
    for floating_base in (False, True):
        found = compare(path, samples=20, floating_base=floating_base)
        assert found.ok, str(found)
        # a line break in a vector, which is valid: Pinocchio drops the <inertial>
        reads = path.stem != "10_whitespace_vectors"
        assert found.origin.startswith("Pinocchio read" if reads else "Pinocchio's model was built")
        assert reads or "Pinocchio's reader complains" in found.origin


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mimic", [False, True], ids=["", "mimic"])
@pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"])
def test_every_function_agrees_on_random_trees(seed, mimic, floating_base):
    """Trees of every joint type, with armature, tilted gravity, and links behind fixed joints, merged or not."""
    shape = ("random", "chain", "star", "binary")[seed % 4]
    # in a chain of a dozen joints of all types Pinocchio's own rounding is more than the tolerance
    n = 3 + (seed // 2 if shape == "chain" else seed)
    parts = random_parts(seed, n, shape=shape, mimic=mimic, fixed=seed % 2 == 1, rotors=False)
    for merge_fixed in (True, False):
        model = parts.build(floating_base=floating_base, gravity=(1.0, 2.0, -9.0), merge_fixed=merge_fixed)
        found = compare(model, samples=10, seed=seed)
        assert found.ok, str(found)
        assert all(row.error is not None for row in found.rows)


@pytest.mark.parametrize("joint", ALL)
def test_every_function_agrees_on_one_joint(joint):
    for seed in range(5):
        model = random_parts(seed, 1, joints=(joint,), massless=False).build(floating_base=seed % 2 == 1)
        found = compare(model, samples=20, seed=seed)
        assert found.ok, str(found)


def test_heavy_machines_agree():
    """Ten thousand times the mass: forces of meganewtons cancel, the tolerance knows."""
    parts = random_parts(5, 8, joints=("revolute", "prismatic"))
    heavy = tuple(
        type(link)(link.name, 1e4 * link.mass, link.com, tuple(tuple(1e4 * x for x in row) for row in link.inertia))
        for link in parts.links
    )
    found = compare(type(parts)(heavy, parts.joints).build(floating_base=True), samples=50)
    assert found.ok, str(found)
