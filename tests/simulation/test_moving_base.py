"""Robots simulated on a base that moves as prescribed."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import featherstone as fs

from ..random_trees import random_q, random_tree, random_v
from .robots import METHODS, ORDERS, orders


def rod():
    """A point of 1 kg at 0.5 m on a hinge about y."""
    builder = fs.ModelBuilder("rod")
    builder.add_link("stand", 3.0)
    builder.add_link("rod", 1.0, (0.0, 0.0, -0.5))
    builder.add_joint("hinge", "continuous", "stand", "rod", axis=(0, 1, 0))
    return builder.build()


def shaken(t):
    """A base that swings along x by 0.2 m at 3 rad/s."""
    pose = np.eye(4)
    pose[0, 3] = 0.2 * math.sin(3 * t)
    velocity, acceleration = np.zeros((2, 6))
    velocity[3], acceleration[3] = 0.6 * math.cos(3 * t), -1.8 * math.sin(3 * t)
    return fs.BaseMotion(pose, velocity, acceleration)


def rocking(t):
    """A ship: it rolls by 0.4 rad at 2 rad/s about x, heaves by 0.3 m at 1.3 rad/s, and lies off the world's origin."""
    roll, rate, change = 0.4 * math.sin(2 * t), 0.8 * math.cos(2 * t), -1.6 * math.sin(2 * t)
    c, s = math.cos(roll), math.sin(roll)
    z, vz, az = 0.3 * math.sin(1.3 * t), 0.39 * math.cos(1.3 * t), -0.507 * math.sin(1.3 * t)
    pose = np.array([[1, 0, 0, 1.0], [0, c, -s, 2.0], [0, s, c, 3.0 + z], [0, 0, 0, 1]])
    # (omega; v) in the ship's axes, and their plain rates
    velocity = np.array([rate, 0, 0, 0, s * vz, c * vz])
    acceleration = np.array([change, 0, 0, 0, s * az + rate * c * vz, c * az - rate * s * vz])
    return fs.BaseMotion(pose, velocity, acceleration)


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_on_a_shaken_base_follows_its_equation(method):
    """l x'' = -g sin x - a cos x, with the base's acceleration a along x (turning about y moves the rod to -x)."""
    duration, dt = 2.0, 1e-3
    run = fs.simulate(rod(), [0.3], [0.0], duration=duration, dt=dt, method=method, base=shaken)
    right = solve_ivp(
        lambda t, y: [y[1], (-9.81 * math.sin(y[0]) + -1.8 * math.sin(3 * t) * math.cos(y[0])) / 0.5],
        (0, duration),
        [0.3, 0.0],
        rtol=1e-11,
        atol=1e-11,
        t_eval=run.t[::100],
    )
    np.testing.assert_allclose(run.q[::100, 0], right.y[0], atol=1e-8 if method == "rk4" else 1e-2)
    still = fs.simulate(rod(), [0.3], [0.0], duration=duration, dt=dt, method=method)
    assert np.abs(run.q - still.q).max() > 0.1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mimic", [False, True])
def test_the_order_is_kept(method, mimic):
    """On a ship in waves, for robots with and without followers; the middle of each step is asked as well."""
    tree = random_tree(3, 5, ("revolute", "prismatic", "spherical"), mimic=mimic, losses=False)
    q, qd = random_q(tree, 0), 0.3 * random_v(tree, 0)
    ends = []
    for steps in (50, 100, 200, 1600):
        run = fs.simulate(tree, q, qd, duration=0.5, dt=0.5 / steps, method=method, base=rocking, losses=False)
        ends.append((run.q[-1], run.qd[-1]))
    errors = [np.linalg.norm([*(fs.difference(tree, ends[-1][0], q)), *(qd - ends[-1][1])]) for q, qd in ends[:-1]]
    np.testing.assert_allclose(orders(errors), ORDERS[method], atol=0.35)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("floating_base", [False, True])
def test_the_base_does_work(method, floating_base):
    """Energy at the end = energy at the start + what the base and the motors do, up to the method's error."""
    kinds = {"mimic": True, "losses": False, "floating_base": floating_base}
    tree = random_tree(5, 5, ("revolute", "prismatic", "spherical"), **kinds)
    q, qd, tau = random_q(tree, 0), 0.3 * random_v(tree, 0), np.linspace(-1, 1, tree.nv)
    given = {"tau": tau, "duration": 0.5, "method": method, "base": rocking}
    balances = [fs.simulate(tree, q, qd, dt=dt, **given).energy_balance() for dt in (1e-3, 5e-4)]
    assert abs(balances[0]["work"]) > 0.1
    assert abs(balances[1]["residual"]) < 0.6 * abs(balances[0]["residual"])
    assert abs(balances[1]["residual"]) < (1e-3 if method == "rk4" else 0.1) * sum(
        abs(balances[1][x]) for x in ("start", "end", "work")
    )


def test_a_turntable_turns_for_ever():
    """A constant BaseMotion: at rest on it, a pendulum hangs outwards at the angle of its centrifugal force."""
    model, rate = rod(), 6.0
    table = fs.BaseMotion(velocity=[0, 0, rate, 0, 0, 0])
    angle = math.acos(9.81 / (rate * rate * 0.5))
    run = fs.simulate(model, [angle], [0.0], duration=1.0, dt=1e-3, method="rk4", base=table)
    np.testing.assert_allclose(run.q, angle, atol=1e-9)


def test_chunks_controllers_and_batches_see_the_same_base():
    model = rod()
    q0, qd0 = np.array([[0.1], [0.5], [-0.4]]), np.zeros((3, 1))
    given = {"duration": 0.3, "dt": 1e-3, "method": "rk4", "base": rocking}
    whole = fs.simulate(model, q0, qd0, **given)
    driven = fs.simulate(model, q0, qd0, controller=lambda t, q, qd: np.zeros_like(qd), **given)
    np.testing.assert_array_equal(driven.q, whole.q)
    kept = fs.simulate(model, q0, qd0, save_every=10, **given)
    np.testing.assert_array_equal(kept.q, whole.q[:, ::10])
    alone = fs.simulate(model, q0[1], qd0[1], **given)
    np.testing.assert_allclose(alone.q, whole.q[1], rtol=1e-10, atol=1e-12)
    several = fs.BaseMotion(acceleration=[[0, 0, 0, x, 0, 0] for x in (0.0, 1.0, 2.0)])
    each = fs.simulate(model, q0[0], qd0[0], duration=0.1, dt=1e-3, base=several)
    assert each.q.shape == (3, 101, 1)
    one = fs.BaseMotion(acceleration=[0, 0, 0, 2.0, 0, 0])
    apart = fs.simulate(model, q0[0], qd0[0], duration=0.1, dt=1e-3, base=one)
    np.testing.assert_allclose(each.q[2], apart.q, rtol=1e-10, atol=1e-12)


def test_the_first_acceleration_is_that_of_forward_dynamics():
    tree = random_tree(7, 6, losses=False)
    q, qd = random_q(tree, 1), random_v(tree, 1)
    run = fs.simulate(tree, q, qd, duration=1e-3, dt=1e-3, base=rocking, losses=False)
    right = fs.aba(tree, q, qd, np.zeros(tree.nv), base=rocking(0.0))
    np.testing.assert_allclose(run.qdd[0], right, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (3.0, "base: expected a BaseMotion or a function of time, got float"),
        (lambda t: np.eye(4), "base: expected a BaseMotion at t = 0 s, got ndarray"),
    ],
)
def test_wrong_bases_are_refused(base, message):
    with pytest.raises(TypeError, match=message):
        fs.simulate(rod(), [0.0], [0.0], duration=0.1, dt=0.01, base=base)
