"""Limits in simulation: torques are cut, stops push back what goes beyond a limit, and never pull."""

import math

import numpy as np
import pytest

import featherstone as fs

from .robots import METHODS

STILL = (0.0, 0.0, 0.0)


def body(type, **joint):
    """One body of 1 kg and 1 kg m^2 about each axis on a joint, without gravity."""
    builder = fs.ModelBuilder(type)
    builder.add_link("base")
    builder.add_link("body", 1.0, inertia=np.eye(3))
    builder.add_joint("joint", type, "base", "body", axis=(0, 0, 1), **joint)
    return builder.build(gravity=STILL)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_body_bounces_off_an_undamped_stop_as_off_a_spring(method, side):
    """For half a period, as deep as the energy says, and away as fast as it came."""
    model, k = body("prismatic", lower=-1.0, upper=1.0), 400.0
    stops = fs.Stops(stiffness=k, damping=0.0)
    dt, speed = 1e-5, 2.0
    t = 0.5 + math.pi / math.sqrt(k) + 0.25
    duration = dt * round(t / dt)
    run = fs.simulate(model, [0.0], [side * speed], duration=duration, dt=dt, method=method, limits=stops)
    deepest = 1.0 + speed / math.sqrt(k)
    assert np.abs(run.q).max() == pytest.approx(deepest, rel=1e-3)
    assert run.qd[-1, 0] == pytest.approx(-side * speed, rel=2e-3)
    assert run.q[-1, 0] == pytest.approx(side * 0.5, abs=2e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_damped_stop_follows_its_closed_form_and_never_pulls(method):
    """Into the stop m x'' = -k x - d x'; out of it by the spring alone."""
    model, k, d = body("prismatic", upper=0.0), 400.0, 10.0
    run = fs.simulate(model, [0.0], [1.0], duration=0.04, dt=1e-5, method=method, limits=fs.Stops(k, d))
    decay, omega = d / 2, math.sqrt(k - d * d / 4)
    right = np.exp(-decay * run.t) * np.sin(omega * run.t) / omega
    np.testing.assert_allclose(run.q[:, 0], right, atol=2e-5)
    longer = fs.simulate(model, [0.0], [1.0], duration=0.4, dt=1e-5, method=method, limits=fs.Stops(k, d))
    assert (longer.qdd <= 1e-9).all()
    assert longer.q[-1, 0] < 0.0
    assert longer.qd[-1, 0] == pytest.approx(longer.qd[:, 0].min())


def test_very_stiff_stops_are_stable_in_the_implicit_method():
    model = body("revolute", lower=-0.5, upper=0.5, effort=100.0)
    run = fs.simulate(model, [0.0], [0.0], tau=[1e9], duration=1.0, dt=1e-3, limits=fs.Stops(1e9, 1e5))
    # the torque is cut to 100 N m, which the stop bears
    assert run.tau[0, 0] == 100.0
    assert run.q[-1, 0] == pytest.approx(0.5, abs=1e-6)
    assert abs(run.qd[-1, 0]) < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_torques_are_cut_to_the_limits(method):
    model = body("revolute", effort=2.0)
    given = {"duration": 0.1, "dt": 1e-3, "method": method}
    cut = fs.simulate(model, [0.0], [0.0], tau=[5.0], limits=True, **given)
    np.testing.assert_array_equal(cut.qd, fs.simulate(model, [0.0], [0.0], tau=[2.0], **given).qd)
    driven = fs.simulate(model, [0.0], [0.0], controller=lambda t, q, qd: [-5.0], limits=True, **given)
    assert (driven.tau == -2.0).all()
    free = fs.simulate(model, [0.0], [0.0], tau=[5.0], **given)
    assert (free.tau == 5.0).all()


@pytest.mark.parametrize("method", METHODS)
def test_speeds_settle_where_the_brake_bears_the_torque(method):
    model = body("continuous", velocity=3.0)
    run = fs.simulate(model, [0.0], [0.0], tau=[8.0], duration=3.0, dt=1e-3, method=method, limits=fs.Stops(0.0, 20.0))
    assert run.qd[-1, 0] == pytest.approx(3.0 + 8.0 / 20.0, rel=1e-6)
    # below its limit it is not braked
    early = run.t < 0.3
    np.testing.assert_allclose(run.qd[early, 0], 8.0 * run.t[early], rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_spherical_joint_is_stopped_at_its_angle(method):
    """About any axis: the turn goes on as if the joint were a hinge."""
    axis = np.array([0.48, -0.6, 0.64])
    given = {"duration": 0.6, "dt": 1e-4, "method": method, "limits": fs.Stops(300.0, 5.0)}
    ball = fs.simulate(body("spherical", upper=0.7), [0, 0, 0, 1], 2.0 * axis, **given)
    hinge = fs.simulate(body("revolute", upper=0.7, lower=-9.0), [0.0], [2.0], **given)
    turned = 2.0 * np.arctan2(ball.q[:, :3] @ axis, ball.q[:, 3])
    # one of the two may be past the limit a step before the other
    np.testing.assert_allclose(turned, hinge.q[:, 0], atol=1e-9 if method == "rk4" else 2e-4)
    assert hinge.q.max() > 0.75
    assert hinge.qd[-1, 0] < -0.5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("angle", [0.0, 0.9, 2.0])
def test_a_planar_joint_is_stopped_in_its_plane(method, angle):
    """Whatever way the body is turned: its rates are in its own axes, its limits in those of the plane."""
    model = body("planar", lower=(-9.0, -0.2, -9.0), upper=(0.3, 9.0, 9.0))
    velocity = np.array([1.0, -1.5])
    c, s = math.cos(angle), math.sin(angle)
    qd = [0.0, c * velocity[0] + s * velocity[1], c * velocity[1] - s * velocity[0]]
    stops = fs.Stops(500.0, 4.0)
    given = {"duration": 0.5, "dt": 1e-4, "method": method, "limits": stops}
    run = fs.simulate(model, [0.0, 0.0, angle], qd, **given)
    x = fs.simulate(body("prismatic", upper=0.3, lower=-9.0), [0.0], [1.0], **given)
    y = fs.simulate(body("prismatic", lower=-0.2, upper=9.0), [0.0], [-1.5], **given)
    tolerance = 1e-9 if method == "rk4" or angle == 0.0 else 2e-3  # the implicit step takes its axes one by one
    np.testing.assert_allclose(run.q[:, 0], x.q[:, 0], atol=tolerance)
    np.testing.assert_allclose(run.q[:, 1], y.q[:, 0], atol=tolerance)
    assert x.qd[-1, 0] < 0.0 < y.qd[-1, 0]


def test_followers_have_no_stops_of_their_own_and_leaders_do():
    builder = fs.ModelBuilder("gripper")
    for name in ("base", "a", "b"):
        builder.add_link(name, 1.0, inertia=np.eye(3))
    builder.add_joint("left", "revolute", "base", "a", axis=(0, 0, 1), lower=-0.5, upper=0.5)
    builder.add_joint("right", "revolute", "base", "b", axis=(0, 0, 1), upper=0.1, mimic=fs.Mimic("left", 2.0))
    model = builder.build()
    run = fs.simulate(model, [0.0], [0.0], tau=[10.0], duration=3.0, dt=1e-3, limits=fs.Stops(1e4, 1e3))
    assert run.q[-1, 0] == pytest.approx(0.5 + 10.0 / 1e4, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_what_stops_take_is_in_the_energy_balance(method):
    arm = fs.models.load("planar_2r")
    builder = fs.ModelBuilder("stopped")
    for link in arm.description.links:
        builder.add_link(link.name, link.mass, link.com, link.inertia)
    for joint in arm.description.joints:
        limited = {"type": "revolute", "lower": -0.8, "upper": 0.8} if joint.type != "fixed" else {}
        builder.add_joint(**{**vars(joint), **limited})
    model = builder.build(gravity=arm.gravity)
    residuals = []
    for dt in (4e-4, 1e-4):
        run = fs.simulate(model, [0.6, 0.1], [0, 0], duration=1.0, dt=dt, method=method, limits=fs.Stops(2e3, 30.0))
        balance = run.energy_balance()
        assert balance["lost"] > 1.0
        residuals.append(abs(balance["residual"]))
    assert residuals[1] < 0.35 * residuals[0]
    assert residuals[1] < 0.02 * balance["lost"]


def test_without_limits_nothing_changes():
    """To the bit: a robot far from its limits, and one for which none are asked."""
    model = body("revolute", lower=-3.0, upper=3.0, velocity=50.0, effort=10.0)
    given = {"tau": [0.5], "duration": 0.5, "dt": 1e-3}
    limited = fs.simulate(model, [0.1], [0.2], limits=True, **given)
    np.testing.assert_array_equal(limited.q, fs.simulate(model, [0.1], [0.2], **given).q)


def test_stiffness_may_differ_between_joints():
    model = fs.models.load("planar_2r")
    stops = fs.Stops([1e3, 1e4], [1.0, 2.0])
    assert stops.table(model)[-4:].tolist() == [1e3, 1e4, 1.0, 2.0]


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [
        ("yes", TypeError, "limits: expected True or False, got 'yes'"),
        (fs.Stops(stiffness=-1.0), ValueError, "stiffness: expected finite numbers >= 0, got -1.0"),
        (fs.Stops(damping=math.nan), ValueError, "damping: expected finite numbers >= 0, got nan"),
        (fs.Stops(stiffness=[1.0] * 3), ValueError, r"stiffness: expected a number or an array of shape \(2,\)"),
    ],
)
def test_wrong_stops_are_refused(limits, error, message):
    with pytest.raises(error, match=message):
        fs.simulate(fs.models.load("planar_2r"), [0, 0], [0, 0], duration=0.1, dt=0.01, limits=limits)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ({"lower": 1.0, "upper": -1.0}, "limits: joint 'joint': expected lower <= upper, got 1 and -1"),
        ({"effort": -5.0}, "limits: joint 'joint': effort: expected a limit >= 0, got -5"),
        ({"velocity": -5.0}, "limits: joint 'joint': velocity: expected a limit >= 0, got -5"),
    ],
)
def test_limits_that_leave_no_room_are_refused(joint, message):
    with pytest.raises(ValueError, match=message):
        fs.simulate(body("revolute", **joint), [0.0], [0.0], duration=0.1, dt=0.01, limits=True)


def test_a_ball_slides_freely_along_its_limit():
    """Across the stop's direction nothing brakes, where that is one of the joint's axes."""
    builder = fs.ModelBuilder("ball")
    builder.add_link("base")
    builder.add_link("ball", 0.1, inertia=1e-3 * np.eye(3))
    builder.add_joint("joint", "spherical", "base", "ball", upper=0.5)
    start = [math.sin(0.26), 0.0, 0.0, math.cos(0.26)]
    run = fs.simulate(
        builder.build(gravity=STILL), start, [0.1, 0, 0], tau=[0, 1e-3, 0], duration=0.002, dt=0.001, limits=True
    )
    assert run.qdd[0, 1] == pytest.approx(1.0, rel=1e-6)
