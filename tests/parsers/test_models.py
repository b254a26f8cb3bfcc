"""The shipped robots are robots: they load in silence, are physical, and stand where their files say."""

import math
import warnings
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import featherstone as fs
from featherstone.model.findings import examine
from featherstone.parsers.models import FOLDER

ROBOTS = fs.models.names()
# nb, nq, nv, mass
SIZES = {
    "cart_pole": (2, 2, 2, 1.2),
    "humanoid": (30, 36, 35, 74.4),
    "pendulum": (1, 1, 1, 1.0),
    "planar_2r": (2, 2, 2, 3.5),
    "quadruped": (13, 19, 18, 15.32),
    "seven_axis": (9, 8, 8, 21.36),
    "six_axis": (6, 6, 6, 67.0),
}


def load(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fs.models.load(name, **options)


def position(model, frame, q=None):
    return fs.frame_pose(model, model.neutral() if q is None else q, frame)[:3, 3]


def inertia_of_shape(shape, mass):
    """The rotational inertia of a homogeneous body about its centre, in its own axes."""
    if shape.tag == "box":
        x, y, z = map(float, shape.get("size").split())
        return mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    radius = float(shape.get("radius"))
    if shape.tag == "sphere":
        return 0.4 * mass * radius**2 * np.eye(3)
    across = mass * (3 * radius**2 + float(shape.get("length")) ** 2) / 12
    return np.diag([across, across, mass * radius**2 / 2])


def rotation_of(element):
    """The rotation of an <origin>: fixed axes x, y, z in that order."""
    roll, pitch, yaw = map(float, element.get("rpy", "0 0 0").split())
    x, y, z = np.eye(3)
    turned = np.eye(3)
    for axis, angle in ((x, roll), (y, pitch), (z, yaw)):
        k = np.cross(np.eye(3), -axis)
        turned = (np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k) @ turned
    return turned


def test_every_file_has_a_name_and_every_name_a_file():
    assert sorted(path.stem for path in FOLDER.glob("*.urdf")) == sorted(ROBOTS) == sorted(SIZES)


@pytest.mark.parametrize("name", ROBOTS)
def test_sizes_and_mass(name):
    model = load(name)
    assert model.name == name
    assert (model.nb, model.nq, model.nv) == SIZES[name][:3]
    assert model.mass == pytest.approx(SIZES[name][3], rel=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_nothing_is_suspicious(name):
    model = load(name)
    assert examine(model.description, model.options) == []
    fs.load_urdf(FOLDER / f"{name}.urdf", strict=True)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_base_floats_by_nature_or_as_asked(name):
    by_nature = load(name).options.floating_base
    assert by_nature == (name in ("humanoid", "quadruped"))
    fixed, floating = load(name, floating_base=False), load(name, floating_base=True)
    assert (floating.nq, floating.nv) == (fixed.nq + 7, fixed.nv + 6)
    assert "root_joint" in floating.joint_names
    assert "root_joint" not in fixed.joint_names


@pytest.mark.parametrize("name", ROBOTS)
def test_limits_leave_room_and_contain_zero(name):
    model = load(name)
    assert (model.q_lower < model.q_upper).all()
    neutral = model.neutral()
    assert (model.q_lower <= neutral).all()
    assert (neutral <= model.q_upper).all()
    assert (model.qd_limit > 0).all()
    assert (model.tau_limit >= 0).all()
    assert (model.damping >= 0).all()
    assert (model.friction >= 0).all()


@pytest.mark.parametrize("name", ["humanoid", "quadruped", "seven_axis"])
def test_motors_hold_the_robot_and_lose_energy(name):
    model = load(name)
    driven = np.isfinite(model.tau_limit)
    torque = fs.gravity_torque(model, model.random_configuration(0, 1000))
    assert (np.abs(torque[:, driven]) < model.tau_limit[driven]).all()
    assert np.abs(torque[:, driven]).max() > 1.0
    assert (model.damping[driven] > 0).all()
    assert (model.friction[driven] > 0).all()


@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "six_axis"])
def test_the_mass_matrix_is_positive_definite(name):
    model = load(name)
    H = fs.crba(model, model.random_configuration(0, 200))
    moments = np.linalg.eigvalsh(H)
    # eigvalsh is exact to a few eps times the norm
    assert (moments[:, 0] > 1e-12 * moments[:, -1]).all()


def test_six_axis_turns_nothing_with_its_last_joint():
    arm = load("six_axis")
    q = arm.random_configuration(0, 200)
    assert (np.abs(fs.crba(arm, q)[:, :, 5]) < 1e-13).all()
    still = np.zeros(6)
    with pytest.raises(fs.SingularMassMatrixError) as caught:
        fs.aba(arm, q[0], still, still)
    assert caught.value.joint == "joint_6"
    loaded = arm.with_payload("flange", 10.0, inertia=0.1 * np.eye(3))
    tau = fs.gravity_torque(loaded, q)
    assert np.isfinite(fs.aba(loaded, q, still, np.zeros(6))).all()
    # H^-1 of the residual: rounding of the torques, divided by the least inertia
    least = np.linalg.eigvalsh(fs.crba(loaded, q))[:, :1]
    assert (np.abs(fs.aba(loaded, q, still, tau)) < 1e-12 / least).all()


@pytest.mark.parametrize("name", ROBOTS)
def test_inertia_is_that_of_the_drawn_body(name):
    root = ElementTree.parse(FOLDER / f"{name}.urdf").getroot()
    nowhere = ElementTree.Element("origin")
    drawn = [link for link in root.iter("link") if link.find("visual") is not None]
    for link in drawn:
        inertial, visual = link.find("inertial"), link.find("visual")
        at, shown = (x.find("origin") if x.find("origin") is not None else nowhere for x in (inertial, visual))
        assert at.get("xyz", "0 0 0") == shown.get("xyz", "0 0 0")
        mass, given = float(inertial.find("mass").get("value")), inertial.find("inertia")
        R = rotation_of(shown)
        expected = R @ inertia_of_shape(visual.find("geometry")[0], mass) @ R.T
        keys = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
        tensor = np.array([[float(given.get(key)) for key in row] for row in keys])
        # the files give five digits
        np.testing.assert_allclose(tensor, expected, rtol=1e-4, atol=1e-12)
    assert bool(drawn) == (name not in ("pendulum", "planar_2r", "six_axis"))


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'six_axis'"):
        fs.models.load("six_axes")
    with pytest.raises(ValueError, match="there are 'cart_pole', 'humanoid'"):
        fs.models.load("")
    with pytest.raises(ValueError, match="no shipped robot is called 7"):
        fs.models.load(7)


def test_planar_2r_reaches_and_hangs_along_minus_y():
    arm = load("planar_2r")
    q = np.array([0.6, -0.9])
    expected = [math.cos(0.6) + 0.8 * math.cos(-0.3), math.sin(0.6) + 0.8 * math.sin(-0.3), 0.0]
    np.testing.assert_allclose(position(arm, "tip", q), expected, rtol=0, atol=1e-15)
    assert arm.gravity.tolist() == [0.0, -9.81, 0.0]


def test_pendulum_swings_as_a_rod_does():
    pendulum = load("pendulum")
    np.testing.assert_allclose(position(pendulum, "tip", [math.pi / 2]), [-1.0, 0.0, 0.0], atol=1e-15)
    # m l^2 / 3 qdd = - m g l/2 sin q
    q = np.linspace(-3.0, 3.0, 13)[:, None]
    expected = -1.5 * 9.81 * np.sin(q)
    np.testing.assert_allclose(fs.aba(pendulum, q, [0.0], [0.0]), expected, rtol=1e-14, atol=1e-15)


def test_cart_pole_falls_to_the_side_it_leans_to():
    robot = load("cart_pole")
    np.testing.assert_allclose(position(robot, "tip"), [0.0, 0.0, 0.85], atol=1e-15)
    assert position(robot, "tip", [0.0, 0.1])[0] > 0.0
    slide, pivot = fs.aba(robot, [0.0, 0.1], [0.0, 0.0], [0.0, 0.0])
    assert pivot > 0.0 > slide
    assert robot.tau_limit.tolist() == [40.0, 0.0]


def test_six_axis_stands_where_its_table_says():
    arm = load("six_axis")
    # at zero the upper arm lies along x, forearm and hand hang down from it
    np.testing.assert_allclose(position(arm, "flange"), [0.15 + 0.6 + 0.12, 0.0, 0.33 - 0.62 - 0.1], atol=1e-15)
    q = arm.random_configuration(0, 50)
    expected = np.array([expected_flange(x) for x in q])
    np.testing.assert_allclose(fs.frame_pose(arm, q, "flange")[:, :3, 3], expected, rtol=0, atol=1e-14)


def expected_flange(q):
    """The flange by modified Denavit-Hartenberg matrices, Rx(alpha) Tx(a) Rz(q) Tz(d), in m."""
    table = [(0, 0, 330), (150, -90, 0), (600, 0, 0), (120, -90, 620), (0, 90, 0), (0, -90, 100)]
    T = np.eye(4)
    for (a, alpha, d), angle in zip(table, q):
        s, c = round(math.sin(math.radians(alpha))), round(math.cos(math.radians(alpha)))
        T = T @ np.array([[1, 0, 0, a / 1000], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])
        s, c = math.sin(angle), math.cos(angle)
        T = T @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, d / 1000], [0, 0, 0, 1]])
    return T[:3, 3]


def test_seven_axis_stands_upright_and_grasps():
    arm = load("seven_axis")
    np.testing.assert_allclose(position(arm, "flange"), [0.08, 0.0, 0.32 + 0.3 + 0.36 + 0.1], atol=1e-15)
    np.testing.assert_allclose(position(arm, "tool"), [0.08, 0.0, 1.18], atol=1e-15)
    assert arm.joint_names[-2:] == ("finger_1", "finger_2")
    q = arm.neutral()
    q[arm.q_index("finger_1")] = 0.03
    left, right = position(arm, "finger_1_link", q), position(arm, "finger_2_link", q)
    np.testing.assert_allclose(left - right, [0.0, 0.06, 0.0], atol=1e-15)
    # the fingers close on what the tool frame is at
    np.testing.assert_allclose((left + right)[:2] / 2, position(arm, "tool", q)[:2], atol=1e-15)


def test_quadruped_stands_on_four_feet():
    robot = load("quadruped")
    feet = {name: position(robot, name) for name in robot.frame_names if name.endswith("_foot")}
    assert len(feet) == 4
    for name, p in feet.items():
        x, y = (1 if "front" in name else -1), (1 if "left" in name else -1)
        np.testing.assert_allclose(p, [0.19 * x, 0.135 * y, -0.44], atol=1e-15)
    q = robot.neutral()
    q[robot.q_index("front_left_knee")] = -1.0
    assert position(robot, "front_left_foot", q)[0] > 0.19


def test_humanoid_is_as_tall_as_it_says():
    robot = load("humanoid")
    sole, head = position(robot, "left_sole"), position(robot, "head")
    np.testing.assert_allclose(sole, [0.0, 0.1, -0.96], atol=1e-15)
    assert head[2] + 0.2 - sole[2] == pytest.approx(1.77)
    q = robot.neutral()
    q[robot.q_index("left_knee")] = 1.0
    assert position(robot, "left_sole", q)[0] < 0.0
    q[robot.q_index("left_elbow")] = -1.0
    assert position(robot, "left_palm", q)[0] > 0.0


def mirrored(model, joint, left):
    """Its partner on the other side, and the sign that the angle has there."""
    other = {"left": "right", "right": "left"}
    partner = "_".join(other.get(word, word) for word in joint.split("_"))
    turns_about_y = np.argmax(np.abs(model.joints[model.joint_names.index(joint)].axis)) == 1
    return left(partner), 1.0 if turns_about_y else -1.0


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_left_mirrors_right(name):
    model = load(name, floating_base=False)
    pairs = [mirrored(model, joint, model.q_index) for joint in model.joint_names]
    partner, sign = np.array([p for p, _ in pairs]), np.array([s for _, s in pairs])
    assert sorted(partner) == list(range(model.nq))
    assert (partner != np.arange(model.nq)).sum() == (24 if name == "humanoid" else 12)

    swapped = sign * model.q_lower[partner], sign * model.q_upper[partner]
    np.testing.assert_array_equal(np.minimum(*swapped), model.q_lower)
    np.testing.assert_array_equal(np.maximum(*swapped), model.q_upper)
    for values in (model.qd_limit, model.tau_limit, model.damping, model.friction):
        np.testing.assert_array_equal(values[partner], values)

    q = model.random_configuration(0, 100)
    H, H_mirrored = fs.crba(model, q), fs.crba(model, sign * q[:, partner])
    expected = sign[:, None] * sign * H[:, partner[:, None], partner]
    scale = np.abs(H).max()
    np.testing.assert_allclose(H_mirrored, expected, rtol=0, atol=64 * np.finfo(float).eps * scale)
    tau, tau_mirrored = fs.gravity_torque(model, q), fs.gravity_torque(model, sign * q[:, partner])
    np.testing.assert_allclose(tau_mirrored, sign * tau[:, partner], rtol=0, atol=1e-13 * np.abs(tau).max())
    assert np.abs(tau_mirrored - tau).max() > 1.0
