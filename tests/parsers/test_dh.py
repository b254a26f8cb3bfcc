"""Tables of Denavit-Hartenberg parameters: textbook poses, textbook dynamics, and what is wrong in a row."""

import doctest
import math
import re

import numpy as np
import pytest

import featherstone as fs
from featherstone.parsers import dh

from ..random_trees import random_link, random_rotation

CONVENTIONS = ("modified", "standard")
NAN, INF = math.nan, math.inf
QUARTER = math.pi / 2
# products of eight matrices, and recursions over as many bodies, with entries of order 1 to 10
ROUNDING = 2e-13


def turn_x(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def turn_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def shift(x, y, z):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def row_matrix(row, convention, q):
    """T_i as the books write it."""
    theta, d = row.get("theta", 0.0), row.get("d", 0.0)
    variable = row.get("offset", 0.0) + row.get("sign", 1) * q
    if row.get("type", "revolute") == "revolute":
        theta += variable
    else:
        d += variable
    a, alpha = row.get("a", 0.0), row.get("alpha", 0.0)
    if convention == "standard":
        return turn_z(theta) @ shift(0, 0, d) @ shift(a, 0, 0) @ turn_x(alpha)
    return turn_x(alpha) @ shift(a, 0, 0) @ turn_z(theta) @ shift(0, 0, d)


def random_pose(rng):
    T = shift(*rng.uniform(-1, 1, 3))
    T[:3, :3] = random_rotation(rng)
    return T


def random_rows(seed, n=6):
    """Both kinds of joint, both signs, parameters that are zero and quarter turns among them."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        link = random_link(f"link{k + 1}", rng)
        rows.append(
            {
                "a": rng.choice([0.0, rng.uniform(-0.5, 0.5)]),
                "alpha": rng.choice([0.0, QUARTER, -QUARTER, math.pi, rng.uniform(-3, 3)]),
                "d": rng.choice([0.0, rng.uniform(-0.5, 0.5)]),
                "theta": rng.choice([0.0, rng.uniform(-3, 3)]),
                "type": ("revolute", "prismatic")[(k + seed) % 3 == 2],
                "offset": rng.choice([0.0, rng.uniform(-2, 2)]),
                "sign": rng.choice([1, -1]),
                "mass": link.mass,
                "com": link.com,
                "inertia": link.inertia,
                "damping": rng.uniform(0, 1),
                "friction": rng.uniform(0, 1),
                "armature": rng.uniform(0, 1),
            }
        )
    return rows, rng


def test_the_example_is_true():
    assert doctest.testmod(dh) == (0, 5)


# poses


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(20))
def test_link_frames_are_the_products_of_the_rows(convention, seed):
    rows, rng = random_rows(seed)
    base, tool = random_pose(rng), random_pose(rng)
    model = fs.from_dh(rows, convention, base=base, tool=tool)
    for q in (np.zeros(len(rows)), rng.uniform(-3, 3, len(rows))):
        T = base
        assert fs.frame_pose(model, q, "base") == pytest.approx(T, abs=ROUNDING)
        for k, row in enumerate(rows):
            T = T @ row_matrix(row, convention, q[k])
            assert fs.frame_pose(model, q, f"link{k + 1}") == pytest.approx(T, abs=ROUNDING)
        assert fs.frame_pose(model, q, "tool") == pytest.approx(T @ tool, abs=ROUNDING)


def test_the_conventions_differ_and_modified_is_the_default():
    rows, _ = random_rows(0)
    poses = [fs.frame_pose(fs.from_dh(rows, *c), np.zeros(6), "link6") for c in ((), *((c,) for c in CONVENTIONS))]
    assert (poses[0] == poses[1]).all()
    assert abs(poses[1] - poses[2]).max() > 0.1


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_names_limits_and_losses_arrive(convention):
    full = {"lower": -1, "upper": 2, "velocity": 3, "effort": 4, "damping": 5, "friction": 6, "armature": 7}
    model = fs.from_dh(
        [{"joint": "shoulder", "link": "upper_arm", **full}, {"type": "prismatic"}], convention, name="x"
    )
    assert (model.name, model.joint_names) == ("x", ("shoulder", "joint2"))
    assert {"base", "upper_arm", "link2"} <= set(model.frame_names)
    assert [joint.type for joint in model.joints] == ["revolute", "prismatic"]
    assert (model.q_lower.tolist(), model.q_upper.tolist()) == ([-1, -INF], [2, INF])
    assert (model.qd_limit.tolist(), model.tau_limit.tolist()) == ([3, INF], [4, INF])
    assert [x.tolist() for x in (model.damping, model.friction, model.armature)] == [[5, 0], [6, 0], [7, 0]]
    assert model.gravity.tolist() == [0, 0, -9.81]


def test_the_body_of_the_standard_convention_is_at_the_near_end():
    model = fs.from_dh([{"a": 1.0, "mass": 1.0}], "standard")
    assert model.body_names == ("link1_near",)
    assert fs.forward_kinematics(model, [0.0])[0] == pytest.approx(np.eye(4))
    assert fs.from_dh([{"a": 1.0, "mass": 1.0}], "modified").body_names == ("link1",)


def test_rows_are_read_once_and_not_changed():
    rows, _ = random_rows(1)
    before = [dict(row) for row in rows]
    assert fs.from_dh(iter(rows)).nb == 6
    assert rows == before


# dynamics


def by_hand(rows, convention, base):
    """The same robot of bodies whose frames are at their joints, z along the DH axis, everything moved by hand."""
    builder = fs.ModelBuilder("by hand")
    builder.add_link("base")
    rest = base  # from the body before to where the row begins
    for k, row in enumerate(rows):
        zero = row_matrix({**row, "a": 0.0, "alpha": 0.0}, convention, 0.0)
        along_x = shift(row["a"], 0, 0) @ turn_x(row["alpha"])
        placement = rest @ zero if convention == "standard" else rest @ along_x @ zero
        rest = along_x if convention == "standard" else np.eye(4)
        R, p = rest[:3, :3], rest[:3, 3]
        inertia = R @ np.array(row["inertia"]) @ R.T
        builder.add_link(f"body{k + 1}", row["mass"], R @ row["com"] + p, (inertia + inertia.T) / 2)
        builder.add_joint(
            f"joint{k + 1}",
            row["type"],
            f"body{k}" if k else "base",
            f"body{k + 1}",
            rotation=placement[:3, :3],
            position=placement[:3, 3],
            axis=(0, 0, row["sign"]),
            **{key: row[key] for key in ("damping", "friction", "armature")},
        )
    return builder.build(gravity=(1.0, 2.0, -9.0))


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(20))
def test_dynamics_are_those_of_the_robot_built_by_hand(convention, seed):
    rows, rng = random_rows(seed)
    base = random_pose(rng)
    model = fs.from_dh(rows, convention, base=base, gravity=(1.0, 2.0, -9.0))
    reference = by_hand(rows, convention, base)
    q, qd, qdd = rng.uniform(-2, 2, (3, 10, 6))
    tau = fs.rnea(reference, q, qd, qdd, losses=True)
    scale = abs(tau).max()
    assert scale > 1.0
    assert fs.rnea(model, q, qd, qdd, losses=True) == pytest.approx(tau, abs=ROUNDING * scale)
    H = fs.crba(reference, q)
    assert fs.crba(model, q) == pytest.approx(H, abs=ROUNDING * abs(H).max())


# a, alpha, d; mass, com, moments of inertia; inertia of the motor, gear ratio: P. Corke's Puma 560, of the values of
# Armstrong, Khatib and Burdick (1986)
PUMA = (
    (0.0, QUARTER, 0.0, 0.0, (0, 0, 0), (0, 0.35, 0), 200e-6, 62.6111),
    (0.4318, 0.0, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 200e-6, 107.815),
    (0.0203, -QUARTER, 0.15005, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125), 200e-6, 53.7063),
    (0.0, QUARTER, 0.4318, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3), 33e-6, 76.0364),
    (0.0, -QUARTER, 0.0, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3), 33e-6, 71.923),
    (0.0, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 33e-6, 76.686),
)


def puma_standard():
    return [
        {
            "a": a,
            "alpha": alpha,
            "d": d,
            "mass": mass,
            "com": com,
            "inertia": np.diag(moments),
            "armature": motor * gear**2,
        }
        for a, alpha, d, mass, com, moments, motor, gear in PUMA
    ]


def puma_modified():
    """The same arm in Craig's frames: a and alpha move to the next row, com and inertia to the near end of the link."""
    rows, before = [], {"a": 0.0, "alpha": 0.0}
    for row in puma_standard():
        T = shift(row["a"], 0, 0) @ turn_x(row["alpha"])
        R = T[:3, :3]
        com, inertia = R @ row["com"] + T[:3, 3], R @ row["inertia"] @ R.T
        rows.append({**row, "a": before["a"], "alpha": before["alpha"], "com": com, "inertia": inertia})
        before = row
    return rows


def test_puma_has_the_published_gravity_torque_and_mass_matrix():
    puma = fs.from_dh(puma_standard(), "standard")
    q = [0, math.pi / 4, math.pi, 0, math.pi / 4, 0]
    # as the Robotics Toolbox prints them, four digits
    assert fs.gravity_torque(puma, q) == pytest.approx([0, 31.64, 6.035, 0, 0.02825, 0], rel=5e-4, abs=1e-12)
    H = fs.crba(puma, q)
    assert H.diagonal() == pytest.approx([3.659, 4.414, 0.9378, 0.1925, 0.1713, 0.1941], rel=5e-4)
    shown = [H[0, 2], H[1, 2], H[1, 4], H[2, 4], H[3, 5]]
    assert shown == pytest.approx([0.1006, 0.3509, 0.00236, 0.00148, 2.828e-05], rel=5e-3)


def test_puma_is_the_same_arm_in_both_conventions():
    standard, modified = fs.from_dh(puma_standard(), "standard"), fs.from_dh(puma_modified(), "modified")
    q, qd, qdd = np.random.default_rng(0).uniform(-3, 3, (3, 50, 6))
    # the last alpha is zero: the last frames are the same
    assert fs.frame_pose(modified, q, "link6") == pytest.approx(fs.frame_pose(standard, q, "link6"), abs=ROUNDING)
    for function, arguments in ((fs.crba, (q,)), (fs.gravity_torque, (q,)), (fs.rnea, (q, qd, qdd))):
        expected = function(standard, *arguments)
        scale = abs(expected).max()
        assert scale > 1.0
        assert function(modified, *arguments) == pytest.approx(expected, abs=ROUNDING * scale)


def planar_2r(convention):
    """Uniform rods of 2 and 1.5 kg, 1 and 0.8 m, in the plane x, y; gravity along -y."""
    rods, rows, before = ((2.0, 1.0), (1.5, 0.8)), [], 0.0
    for mass, length in rods:
        moment = mass * length**2 / 12
        near = convention == "modified"
        row = {"a": before if near else length, "mass": mass, "com": (length / 2 if near else -length / 2, 0, 0)}
        rows.append({**row, "inertia": np.diag([0.0, moment, moment])})
        before = length
    tool = shift(before, 0, 0) if convention == "modified" else np.eye(4)
    return fs.from_dh(rows, convention, gravity=(0, -9.81, 0), tool=tool)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_planar_2r_is_the_closed_form(convention):
    arm = planar_2r(convention)
    assert fs.gravity_torque(arm, [0.6, -0.9]) == pytest.approx([25.8645, 5.6231], abs=5e-5)
    assert np.linalg.eigvalsh(fs.crba(arm, [0.6, -0.9])) == pytest.approx([0.1635, 3.3891], abs=5e-5)

    q, qd, qdd = np.random.default_rng(1).uniform(-3, 3, (3, 2000, 2))
    q1, q2 = q.T
    tip = np.array([np.cos(q1) + 0.8 * np.cos(q1 + q2), np.sin(q1) + 0.8 * np.sin(q1 + q2)]).T
    assert fs.frame_pose(arm, q, "tool")[:, :2, 3] == pytest.approx(tip, abs=1e-14)
    m1, m2, l1, c1, c2, I1, I2 = 2.0, 1.5, 1.0, 0.5, 0.4, 2.0 / 12, 1.5 * 0.64 / 12
    coupling = m2 * l1 * c2
    h22 = np.full(2000, I2 + m2 * c2**2)
    h12 = h22 + coupling * np.cos(q2)
    h11 = I1 + m1 * c1**2 + m2 * l1**2 + h22 + 2 * coupling * np.cos(q2)
    b = coupling * np.sin(q2)
    g2 = 9.81 * m2 * c2 * np.cos(q1 + q2)
    g1 = 9.81 * (m1 * c1 + m2 * l1) * np.cos(q1) + g2
    tau1 = h11 * qdd[:, 0] + h12 * qdd[:, 1] - b * (2 * qd[:, 0] + qd[:, 1]) * qd[:, 1] + g1
    tau2 = h12 * qdd[:, 0] + h22 * qdd[:, 1] + b * qd[:, 0] ** 2 + g2
    assert fs.rnea(arm, q, qd, qdd) == pytest.approx(np.array([tau1, tau2]).T, abs=ROUNDING)


def test_a_six_axis_arm_in_craigs_frames_has_the_torques_worked_out_for_it():
    """a, alpha, d, mass, com of a textbook; payload of 10 kg at the flange, joint 1 turning at 0.5 rad/s."""
    table = (
        (0.0, 0, 0.33, 25, (0, -0.08, 0.12)),
        (0.15, -QUARTER, 0, 18, (-0.12, 0, 0.08)),
        (0.6, 0, 0, 12, (-0.2, 0, 0.06)),
        (0.12, -QUARTER, 0.62, 6, (0, 0.05, 0.1)),
        (0.0, QUARTER, 0, 4, (0, 0, 0.08)),
        (0.0, -QUARTER, 0.1, 2, (0, 0, 0.04)),
    )
    arm = fs.from_dh([dict(zip(("a", "alpha", "d", "mass", "com"), row)) for row in table])
    arm = arm.with_payload("link6", 10.0)
    turning = [0.5, 0, 0, 0, 0, 0]
    at_zero = [0, -177.9132, 1.02120, -0.00435, 0.27840, 0]
    assert fs.bias_torque(arm, np.zeros(6), turning) == pytest.approx(at_zero, abs=5e-5)
    assert fs.gravity_torque(arm, np.zeros(6)) == pytest.approx([0, -181.2888, -2.3544, 0, 0, 0], abs=5e-5)
    bent = [0, -188.460316, -49.1066528, -0.271525608, -8.72813483, 0]
    assert fs.bias_torque(arm, [0.3, -0.7, 0.4, 0.2, -0.5, 0.1], turning) == pytest.approx(bent, abs=5e-7)


# what is wrong in a row

WRONG = (
    ("a", NAN, "a: expected a finite number of at most 1e+60, got nan"),
    ("a", INF, "a: expected a finite number of at most 1e+60, got inf"),
    ("a", 1e300, "a: expected a finite number of at most 1e+60, got 1e+300"),
    ("d", "0.5", "d: expected a finite number of at most 1e+60, got '0.5'"),
    ("alpha", None, "alpha: expected a finite number of at most 1e+60, got None"),
    ("alpha", [1.0, 2.0], "alpha: expected a finite number of at most 1e+60, got [1.0, 2.0]"),
    ("theta", 1j, "theta: expected a finite number of at most 1e+60, got 1j"),
    ("theta", np.complex64(1j), "theta: expected a finite number of at most 1e+60, got "),
    ("offset", 10**400, "offset: expected a finite number of at most 1e+60, got 1"),
    ("sign", 0, "sign: expected 1 or -1, got 0"),
    ("sign", 2, "sign: expected 1 or -1, got 2"),
    ("sign", NAN, "sign: expected a finite number of at most 1e+60, got nan"),
    ("type", "R", "type: expected 'revolute' or 'prismatic', got 'R'"),
    ("type", None, "type: expected 'revolute' or 'prismatic', got None"),
    ("type", np.zeros(2), "type: expected 'revolute' or 'prismatic', got array([0., 0.])"),
    ("lower", NAN, "joint 'joint2': lower: expected a number, got nan"),
    ("upper", "far", "joint 'joint2': upper: expected a number, got 'far'"),
    ("upper", -3.0, "lower: expected at most upper, which is -3, got -2"),
    ("velocity", -1.0, "velocity: expected a number >= 0, got -1.0"),
    ("effort", -1.0, "effort: expected a number >= 0, got -1.0"),
    ("effort", [1, 2], "joint 'joint2': effort: expected a number, got [1, 2]"),
    ("damping", -1.0, "joint 'joint2': damping: expected a number >= 0, got -1.0"),
    ("friction", NAN, "joint 'joint2': friction: expected a finite number, got nan"),
    ("armature", None, "joint 'joint2': armature: expected a finite number, got None"),
    ("mass", -1.0, "link 'link2': mass: expected a number >= 0, got -1.0"),
    ("com", (0, 0), "link 'link2': com: expected three finite numbers, got (0, 0)"),
    ("com", None, "link 'link2': com: expected three finite numbers, got None"),
    ("inertia", (1, 1, 1), "link 'link2': inertia: expected a 3x3 matrix of finite numbers, got (1, 1, 1)"),
    ("inertia", np.triu(np.ones((3, 3))), "link 'link2': inertia: expected a symmetric matrix, got "),
    ("joint", 3, "joint: name: expected a text, got 3"),
    ("joint", "joint1", "joint 'joint1': the name is given twice"),
    ("link", "", "link: name: expected a text, got ''"),
    ("link", "base", "link 'base': the name is given twice"),
    ("Alpha", 1.0, "'Alpha': expected a key of a, alpha, d, theta,"),
    (3, 1.0, "3: expected a key of a, alpha, d, theta,"),
)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(("key", "value", "message"), WRONG)
def test_a_wrong_entry_is_told_with_its_row_and_key(convention, key, value, message):
    with pytest.raises(fs.ModelError, match=f"^row 2: {re.escape(message)}"):
        fs.from_dh([{}, {"lower": -2.0, key: value}, {}], convention)


@pytest.mark.parametrize(("key", "near"), [("Alpha", "alpha"), ("offest", "offset"), ("masses", "mass")])
def test_a_misspelt_key_is_answered_by_the_nearest(key, near):
    with pytest.raises(fs.ModelError, match=f"did you mean '{near}'\\?$"):
        fs.from_dh([{key: 0.0}])


@pytest.mark.parametrize("row", [None, 3, "a", [0.1, 0.2, 0.3, 0.4], np.zeros(4)])
def test_rows_are_mappings(row):
    with pytest.raises(fs.ModelError, match=r"^row 1: expected a mapping such as "):
        fs.from_dh([row])


def test_a_table_has_rows():
    with pytest.raises(fs.ModelError, match=r"^rows: expected at least one, got none$"):
        fs.from_dh([])
    with pytest.raises(fs.ModelError, match=r"^rows: expected a sequence of mappings, one for each joint, got 3$"):
        fs.from_dh(3)


@pytest.mark.parametrize("convention", ["Modified", "", None, 1, np.zeros(2), []])
def test_the_convention_is_one_of_two(convention):
    with pytest.raises(fs.ModelError, match=r"^convention: expected 'modified' or 'standard', got "):
        fs.from_dh([{}], convention)


@pytest.mark.parametrize("key", ["base", "tool"])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.eye(3), "a 4x4 matrix of finite numbers"),
        (np.full((4, 4), NAN), "a 4x4 matrix of finite numbers"),
        ("eye", "a 4x4 matrix of finite numbers"),
        ([[1], [2, 3]], "a 4x4 matrix of finite numbers"),
        (1j * np.eye(4), "a 4x4 matrix of finite numbers"),
        (2 * np.eye(4), "a pose"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "a pose"),
        (shift(1, 2, 3).T, "a pose"),
    ],
)
def test_base_and_tool_are_poses(key, value, expected):
    with pytest.raises(fs.ModelError, match=f"^{key}: expected {expected}"):
        fs.from_dh([{}], **{key: value})


def test_gravity_is_three_numbers():
    with pytest.raises(fs.ModelError, match=r"^gravity: expected three finite numbers, got 9\.81$"):
        fs.from_dh([{}], gravity=9.81)
