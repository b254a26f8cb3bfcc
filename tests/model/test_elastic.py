"""Elastic joints: a motor behind a spring, with a coordinate of its own."""

import numpy as np
import pytest

import featherstone as fs


def arm(**shoulder):
    builder = fs.ModelBuilder("arm")
    builder.add_link("base")
    builder.add_link("upper", 2.0, (0.3, 0.02, 0.0), np.diag([0.01, 0.04, 0.05]))
    builder.add_link("fore", 1.0, (0.2, 0.0, 0.03), np.diag([0.01, 0.02, 0.02]))
    given = {"rotor": fs.Rotor(2e-5, 80.0), "damping": 0.3, "friction": 0.2, "effort": 40.0, "upper": 2.0}
    builder.add_joint("shoulder", "revolute", "base", "upper", axis=(0, 1, 0), **{**given, **shoulder})
    builder.add_joint("elbow", "revolute", "upper", "fore", position=(0.5, 0, 0), axis=(0, 1, 0), armature=0.07)
    return builder.build()


def test_the_mass_matrix_is_that_of_the_links_beside_that_of_the_motors():
    """Spong's model: no inertia couples motors and links."""
    model = arm()
    flexible = fs.elastic(model, {"elbow": 300.0, "shoulder": 900.0})
    assert flexible.joints == ("shoulder", "elbow")
    q = np.random.default_rng(0).normal(size=(7, 4))
    H = fs.crba(flexible.model, q)
    links, motors = flexible.link_v, flexible.motor_v
    bare = fs.crba(model, q[:, flexible.link_q]) - np.diag(model.armature)
    np.testing.assert_allclose(H[:, links[:, None], links], bare, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(H[:, motors[:, None], motors], np.tile(np.diag([0.128, 0.07]), (7, 1, 1)), rtol=1e-15)
    assert not H[:, links[:, None], motors].any()


def test_the_drive_is_the_motors_and_position_limits_are_the_links():
    model = fs.elastic(arm(), {"shoulder": 900.0}).model
    motor, link = model.qd_index("shoulder_motor"), model.qd_index("shoulder")
    assert (model.damping[motor], model.friction[motor], model.tau_limit[motor]) == (0.3, 0.2, 40.0)
    assert (model.damping[link], model.friction[link], model.armature[link]) == (0.0, 0.0, 0.0)
    assert (model.q_upper[motor], model.q_upper[link]) == (np.inf, 2.0)


def test_springs_and_dampers_pull_motor_and_link_together():
    flexible = fs.elastic(arm(), {"shoulder": 900.0, "elbow": 300.0}, {"elbow": 5.0})
    rng = np.random.default_rng(1)
    q, qd = rng.normal(size=(2, 5, 3, 4))
    tau = flexible.torque(q, qd)
    step = 1e-6
    for k in range(4):
        ahead = flexible.energy(q + step * np.eye(4)[k]) - flexible.energy(q - step * np.eye(4)[k])
        np.testing.assert_allclose(flexible.torque(q, 0 * qd)[..., k], -ahead / (2 * step), atol=1e-5)
    elbow, motor = (flexible.model.qd_index(name) for name in ("elbow", "elbow_motor"))
    damped = tau - flexible.torque(q, 0 * qd)
    np.testing.assert_allclose(damped[..., elbow], 5.0 * (qd[..., motor] - qd[..., elbow]), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(damped.sum(-1), 0.0, atol=1e-12)


@pytest.mark.parametrize("method", ["semi_implicit_euler", "rk4"])
def test_a_free_motor_swings_against_its_link(method):
    """Without gravity the two inertias swing at sqrt(K (1/B + 1/M))."""
    model = arm(damping=0.0, friction=0.0).lock("elbow").with_gravity((0, 0, 0))
    flexible = fs.elastic(model, {"shoulder": 900.0})
    M, B = fs.crba(flexible.model, np.zeros(2))[flexible.link_v[0], flexible.link_v[0]], 0.128
    omega = np.sqrt(900.0 * (1 / B + 1 / M))
    start = np.zeros(2)
    start[flexible.motor_q[0]] = 0.01
    duration = 2 * np.pi / omega
    run = fs.simulate(flexible, start, np.zeros(2), duration=duration, dt=duration / 2000, method=method)
    np.testing.assert_allclose(run.q[-1], start, atol=1e-4 if method != "rk4" else 1e-9)
    opposite = run.q[1000, flexible.motor_q[0]] - run.q[1000, flexible.link_q[0]]
    assert opposite == pytest.approx(-0.01, abs=1e-4)


def test_simulate_has_the_springs_of_forward_dynamics():
    """As a controller that adds their torque, where that is not held over the step: at its beginning."""
    flexible = fs.elastic(arm(), {"shoulder": 900.0, "elbow": 300.0}, {"elbow": 5.0})
    rng = np.random.default_rng(3)
    q, qd, tau = 0.1 * rng.normal(size=(6, 4)), rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    run = fs.simulate(flexible, q, qd, tau=tau, duration=1e-3, dt=1e-3, method="rk4", losses=False)
    right = fs.aba(flexible.model, q, qd, tau + flexible.torque(q, qd))
    np.testing.assert_allclose(run.qdd[:, 0], right, rtol=1e-12, atol=1e-10)
    alone = fs.simulate(flexible, q[2], qd[2], tau=tau[2], duration=1e-3, dt=1e-3, method="rk4", losses=False)
    np.testing.assert_allclose(alone.q, run.q[2], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", ["semi_implicit_euler", "rk4"])
def test_energy_of_springs_is_in_the_balance(method):
    flexible = fs.elastic(arm(friction=0.0, damping=0.0), {"shoulder": 900.0, "elbow": 300.0}, {"elbow": 2.0})
    q = np.zeros(4)
    q[flexible.motor_q] = 0.2, -0.3
    run = fs.simulate(flexible, q, np.zeros(4), duration=0.5, dt=1e-4, method=method)
    balance = run.energy_balance()
    assert balance["start"] > 18.0
    assert balance["lost"] > 1.0
    # the losses are summed by trapezoids
    assert abs(balance["residual"]) < (1e-3 if method == "rk4" else 0.2)


def test_limits_cut_what_motors_do_and_not_the_springs():
    flexible = fs.elastic(arm(friction=0.0, damping=0.0, effort=10.0).with_gravity((0, 0, 0)), {"shoulder": 5000.0})
    model, q = flexible.model, np.zeros(3)
    q[flexible.motor_q] = 0.01
    run = fs.simulate(flexible, q, np.zeros(3), tau=flexible.motors([99.0]), duration=1e-5, dt=1e-5, limits=True)
    right = fs.aba(model, q, np.zeros(3), flexible.torque(q, np.zeros(3)) + flexible.motors([10.0]))
    np.testing.assert_allclose(run.qdd[0], right, rtol=1e-3, atol=1e-3)
    assert model.tau_limit[flexible.link_v[0]] == np.inf


def test_stiff_springs_are_rigid_joints():
    """Statics: the link of a motor that is held hangs by its weight over the stiffness."""
    model = arm(friction=0.0)
    flexible = fs.elastic(model, {"shoulder": 1e6, "elbow": 1e6})
    q = np.zeros(4)
    weight = fs.gravity_torque(model, np.zeros(2))
    q[flexible.link_q] = -weight / 1e6
    qdd = fs.aba(flexible.model, q, np.zeros(4), flexible.torque(q, np.zeros(4)) + flexible.motors(weight))
    assert np.abs(qdd).max() < 1e-3 * np.abs(weight).max()


def test_a_gyroscopic_rotor_goes_with_the_motor():
    spinning = fs.Rotor(2e-3, 30.0, True, (0.0, 0.0, 1.0))
    flexible = fs.elastic(arm(rotor=spinning), {"shoulder": 900.0})
    H = fs.crba(flexible.model, np.zeros(3))
    motor = flexible.motor_v[0]
    assert H[motor, motor] == pytest.approx(900 * 2e-3, rel=1e-14)
    assert flexible.model.joints[flexible.model.joint_names.index("shoulder")].rotor is None


def test_a_joint_that_others_follow_leads_them_by_its_link():
    builder = fs.ModelBuilder("gripper")
    for name in ("base", "a", "b"):
        builder.add_link(name, 1.0, (0.1, 0.0, 0.0), np.eye(3))
    builder.add_joint("left", "revolute", "base", "a", armature=0.1)
    builder.add_joint("right", "revolute", "base", "b", mimic=fs.Mimic("left", -1.0))
    flexible = fs.elastic(builder.build(), {"left": 10.0})
    assert flexible.model.leaders == (None, None, "left")


@pytest.mark.parametrize(
    ("stiffness", "damping", "message"),
    [
        ({"hip": 1.0}, None, "joint: model 'arm' has no joint named 'hip'"),
        ({"elbow": -1.0}, None, "joint 'elbow': stiffness: expected a number >= 0, got -1.0"),
        ({"elbow": float("nan")}, None, "joint 'elbow': stiffness: expected a finite number, got nan"),
        ({"elbow": 1.0}, {"shoulder": 1.0}, "joint 'shoulder': damping: expected its stiffness as well"),
        ({"elbow": 1.0}, {"elbow": -1.0}, "joint 'elbow': damping: expected a number >= 0, got -1.0"),
    ],
)
def test_wrong_springs_are_refused(stiffness, damping, message):
    with pytest.raises(ValueError, match=message):
        fs.elastic(arm(), stiffness, damping)


def test_a_motor_needs_an_inertia():
    with pytest.raises(fs.ModelError, match="joint 'shoulder': expected an armature or a rotor"):
        fs.elastic(arm(rotor=None), {"shoulder": 1.0})


def test_torques_of_motors_have_one_for_each():
    flexible = fs.elastic(arm(), {"shoulder": 1.0})
    with pytest.raises(ValueError, match=r"tau: expected shape \(..., 1\), one for each motor, got \(2,\)"):
        flexible.motors([1.0, 2.0])


def test_elastic_robots_are_checked_as_any_other():
    """A motor moves no mass, but it has an armature."""
    assert not fs.check(fs.elastic(arm(), {"shoulder": 900.0}).model).findings


def test_springs_come_in_mappings():
    with pytest.raises(TypeError, match="stiffness: expected a mapping of joints to numbers, got 100"):
        fs.elastic(arm(), 100)
    with pytest.raises(TypeError, match="damping: expected a mapping of joints to numbers, got 0"):
        fs.elastic(arm(), {"elbow": 100.0}, 0)


def test_a_negative_stiffness_is_told_before_a_missing_motor():
    with pytest.raises(fs.ModelError, match=r"stiffness: expected a number >= 0, got -1\.0"):
        fs.elastic(arm(rotor=None), {"shoulder": -1.0})
    with pytest.raises(fs.ModelError, match="expected an armature or a rotor"):
        fs.elastic(arm(rotor=None), {"shoulder": 1.0})
