"""Joint types against Pinocchio's native ones, made here without the package's own way to Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.rnea import RNEA

from ..rounding import bounded, constants, solve_error

COUNT = 20
CONSTANTS = 16.0  # roundings of an axis that is made a rotation
THEIRS = 4.0  # their roundings are of the same products and sums, in another order
X, Y, Z, STILL = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
AXIS, ACROSS = (0.48, -0.6, 0.64), (0.8, 0.0, -0.6)
PITCH = 0.35
SCREWS = [(*Z, *STILL), (*STILL, *AXIS), (*AXIS, *np.cross((0.1, -0.3, 0.2), AXIS).tolist())]


def array(x):
    return np.array(x, float)


def several(*parts):
    """A composite joint of joints, each with its place in the one before."""
    composite = pin.JointModelComposite()
    for made, at in parts:
        composite.addJoint(made, pin.SE3(np.eye(3), array(at)))
    return composite


# name: the type and fields of ours, Pinocchio's joint, and where the link's origin is in the latter's last frame
JOINTS = {
    "revolute": ("revolute", {"axis": AXIS}, lambda: pin.JointModelRevoluteUnaligned(array(AXIS)), STILL),
    "prismatic": ("prismatic", {"axis": AXIS}, lambda: pin.JointModelPrismaticUnaligned(array(AXIS)), STILL),
    "helical x": ("helical", {"axis": X, "pitch": PITCH}, lambda: pin.JointModelHX(PITCH), STILL),
    "helical y": ("helical", {"axis": Y, "pitch": -PITCH}, lambda: pin.JointModelHY(-PITCH), STILL),
    "helical z": ("helical", {"axis": Z, "pitch": PITCH}, lambda: pin.JointModelHZ(PITCH), STILL),
    "helical": (
        "helical",
        {"axis": AXIS, "pitch": PITCH},
        lambda: pin.JointModelHelicalUnaligned(array(AXIS), PITCH),
        STILL,
    ),
    "universal": (
        "universal",
        {"axis": AXIS, "axis2": ACROSS},
        lambda: pin.JointModelUniversal(array(AXIS), array(ACROSS)),
        STILL,
    ),
    "three turns": (
        "composite",
        {"screws": [(*Z, *STILL), (*Y, *STILL), (*X, *STILL)]},
        pin.JointModelSphericalZYX,
        STILL,
    ),
    "three slides": (
        "composite",
        {"screws": [(*STILL, *X), (*STILL, *Y), (*STILL, *Z)]},
        pin.JointModelTranslation,
        STILL,
    ),
    "cylindrical": (
        "cylindrical",
        {"axis": AXIS},
        lambda: several(
            (pin.JointModelRevoluteUnaligned(array(AXIS)), STILL),
            (pin.JointModelPrismaticUnaligned(array(AXIS)), STILL),
        ),
        STILL,
    ),
    "composite": (
        "composite",
        {"screws": SCREWS},
        lambda: several(
            (pin.JointModelRZ(), STILL),
            (pin.JointModelPrismaticUnaligned(array(AXIS)), STILL),
            (pin.JointModelRevoluteUnaligned(array(AXIS)), np.cross(AXIS, SCREWS[2][3:])),
        ),
        -np.cross(AXIS, SCREWS[2][3:]),
    ),
}
ROTATION = np.array([[0.0, -1.0, 0.0], [0.6, 0.0, -0.8], [0.8, 0.0, 0.6]])
POSITION = array((0.2, -0.1, 0.3))
LINKS = {
    "carrier": (2.0, (0.1, -0.2, 0.1), ((0.3, 0.02, -0.01), (0.02, 0.25, 0.03), (-0.01, 0.03, 0.2))),
    "body": (5.0, (-0.2, 0.1, 0.3), ((0.9, -0.1, 0.05), (-0.1, 0.7, 0.08), (0.05, 0.08, 0.8))),
    "tip": (1.0, (0.0, 0.1, 0.2), ((0.1, 0.0, 0.01), (0.0, 0.12, 0.0), (0.01, 0.0, 0.09))),
}
ARMATURE = 0.3


def ours(kind, fields):
    builder = fs.ModelBuilder("three bodies")
    builder.add_link("base")
    for name, (mass, com, inertia) in LINKS.items():
        builder.add_link(name, mass, com, inertia)
    builder.add_joint("hinge", "revolute", "base", "carrier", axis=AXIS)
    place = {"rotation": ROTATION, "position": POSITION}
    builder.add_joint("j", kind, "carrier", "body", armature=ARMATURE, **place, **fields)
    builder.add_joint("last", "revolute", "body", "tip", **place, axis=X)
    return builder.build(gravity=(0.5, 1.0, -9.5))


def theirs(joint, end):
    model = pin.Model()
    model.gravity.linear = array((0.5, 1.0, -9.5))
    at = pin.SE3(ROTATION, POSITION)
    link = pin.SE3(np.eye(3), array(end))
    first = model.addJoint(0, pin.JointModelRevoluteUnaligned(array(AXIS)), pin.SE3.Identity(), "hinge")
    second = model.addJoint(first, joint, at, "j")
    third = model.addJoint(second, pin.JointModelRX(), link * at, "last")
    for number, place, (mass, com, inertia) in zip(
        (first, second, third), (pin.SE3.Identity(), link, pin.SE3.Identity()), LINKS.values()
    ):
        model.appendBodyToJoint(number, pin.Inertia(mass, array(com), array(inertia)), place)
    armature = np.zeros(model.nv)
    armature[1:-1] = ARMATURE
    model.armature = armature
    return model, model.createData(), third


@pytest.fixture(scope="module", params=JOINTS)
def pair(request):
    """Our robot with a joint in its middle, and theirs with the native one."""
    kind, fields, make, end = JOINTS[request.param]
    return ours(kind, fields), theirs(make(), end)


@pytest.fixture
def states(pair):
    return np.random.default_rng(8).uniform(-3.0, 3.0, (3, COUNT, pair[0].nv))


def test_sizes(pair):
    model, (twin, _, _) = pair
    assert (model.nq, model.nv) == (twin.nq, twin.nv)


def test_poses(pair, states):
    model, (twin, data, last) = pair
    for q, pose in zip(states[0], fs.forward_kinematics(model, states[0])):
        pin.forwardKinematics(twin, data, q)
        np.testing.assert_allclose(pose[-1], data.oMi[last].homogeneous, rtol=0, atol=1e-14)


def test_dynamics(pair, states):
    model, (twin, data, _) = pair
    q, qd, qdd = states
    tree = constants(model, CONSTANTS)
    torque = bounded(RNEA, model, [q, qd, qdd], (model.nv,), tree)
    H = bounded(CRBA, model, [q], (model.nv, model.nv), tree)
    expected = np.array([pin.rnea(twin, data, *state) for state in zip(q, qd, qdd)])
    assert (np.abs(fs.rnea(model, q, qd, qdd) - expected) <= THEIRS * torque.error).all()
    upper = [np.triu(pin.crba(twin, data, x)) for x in q]
    mass = np.array([x + np.triu(x, 1).T for x in upper])
    assert (np.abs(fs.crba(model, q) - mass) <= THEIRS * H.error).all()
    driven = np.array([pin.aba(twin, data, *state) for state in zip(q, qd, expected)])
    allowed = THEIRS * solve_error(H, qdd, 2.0 * torque.error)
    for method in ("aba", "cholesky"):
        found = fs.forward_dynamics(model, q, qd, expected, method=method)
        assert (np.abs(found - driven) <= allowed).all()
    assert allowed.max() < 1e-7 * np.abs(qdd).max()
    assert np.abs(expected).max() > 20.0
