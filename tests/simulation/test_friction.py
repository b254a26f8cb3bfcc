"""Friction that falls with speed or is smoothed, over time: energy, order, a block that sticks and slips."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import featherstone as fs
from featherstone.model.losses import STICTION

from .robots import METHODS, ORDERS, distance, orders

SHAPES = {
    "Stribeck": {"stiction": 2.5, "stribeck_velocity": 0.5},
    "smooth": {"smoothing": 0.1},
    "smooth Stribeck": {"stiction": 2.5, "stribeck_velocity": 0.5, "smoothing": 0.1},
}
# the losses are summed over a step to second order
ORDER_OF_BALANCE = {"rk4": 2, "semi_implicit_euler": 1}
STEPS = {"semi_implicit_euler": (2e-3, 1e-3, 5e-4), "rk4": (5e-3, 2.5e-3, 1.25e-3)}


def arm(**fields):
    """A turning and a sliding joint under gravity; what is given is the friction of both."""
    builder = fs.ModelBuilder("arm")
    builder.add_link("base")
    builder.add_link("rod", 2.0, (0.3, 0.0, 0.1), np.diag([0.1, 0.2, 0.15]))
    builder.add_link("slider", 1.0, (0.0, 0.1, 0.0), np.diag([0.02, 0.03, 0.02]))
    builder.add_joint("hinge", "revolute", "base", "rod", axis=(0, 1, 0), **fields)
    builder.add_joint("rail", "prismatic", "rod", "slider", axis=(0.6, 0, 0.8), **fields)
    return builder.build()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_balance_of_energy_closes_with_the_step(shape, method):
    """As long as no joint turns round: there a sharp friction jumps."""
    model = arm(friction=1.5, **SHAPES[shape])
    residuals = []
    for dt in STEPS[method]:
        run = fs.simulate(model, [0.3, 0.0], [-6.0, -4.0], duration=0.2, dt=dt, method=method)
        assert (run.qd < -0.2).all()
        balance = run.energy_balance()
        assert balance["lost"] > 1.5
        assert (np.diff(run.lost) > 0).all()
        residuals.append(balance["residual"])
    np.testing.assert_allclose(orders(residuals), ORDER_OF_BALANCE[method], atol=0.15)


@pytest.mark.parametrize("shape", ["smooth", "smooth Stribeck"])
@pytest.mark.parametrize("method", METHODS)
def test_smooth_friction_keeps_the_order(shape, method):
    """Through the turns of both joints."""
    model = arm(friction=1.5, **SHAPES[shape] | {"smoothing": 0.5})
    start = ([0.3, 0.0], [-2.5, 2.0])
    exact = fs.simulate(model, *start, duration=0.8, dt=2.5e-4, method="rk4")
    assert (exact.qd.min(0) < -0.25).all()
    assert (exact.qd.max(0) > 0.25).all()
    runs = [fs.simulate(model, *start, duration=0.8, dt=dt, method=method) for dt in STEPS[method]]
    found = orders([distance(model, run, exact) for run in runs])
    np.testing.assert_allclose(found, ORDERS[method], atol=0.15)


@pytest.mark.parametrize("method", METHODS)
def test_a_wheel_runs_out_as_its_equation_says(method):
    """I w' = -(f + (s - f) exp(-(w / v)^2)) w / sqrt(w^2 + e^2), by another integrator."""
    f, s, v, e = 1.5, 2.5, 0.5, 0.1
    builder = fs.ModelBuilder("wheel")
    builder.add_link("stand")
    builder.add_link("disc", 1.0, inertia=np.eye(3))
    fields = {"friction": f, "stiction": s, "stribeck_velocity": v, "smoothing": e}
    builder.add_joint("axle", "continuous", "stand", "disc", axis=(0, 0, 1), **fields)

    def rate(t, w):
        return -(f + (s - f) * np.exp(-((w / v) ** 2))) * w / np.sqrt(w * w + e * e)

    exact = solve_ivp(rate, (0, 1.5), [2.0], "DOP853", rtol=1e-12, atol=1e-14, dense_output=True).sol
    run = fs.simulate(builder.build(), [0.0], [2.0], duration=1.5, dt=1e-3, method=method)
    np.testing.assert_allclose(run.qd[:, 0], exact(run.t)[0], rtol=0, atol={"rk4": 1e-9}.get(method, 1e-2))
    assert run.qd[-1, 0] < 0.1


STIFFNESS, PULL, MASS = 40.0, 0.1, 1.0  # N/m, m/s, kg


def pulled_block(duration, dt, *, stiction):
    """A block on a table, drawn by a spring whose far end goes on steadily: position and speed over time."""
    builder = fs.ModelBuilder("block")
    builder.add_link("table")
    builder.add_link("block", MASS, inertia=np.eye(3))
    shape = {"stiction": stiction, "stribeck_velocity": 0.05} if stiction else {}
    builder.add_joint("slide", "prismatic", "table", "block", axis=(1, 0, 0), friction=2.0, **shape)
    return fs.simulate(
        builder.build(),
        [0.0],
        [0.0],
        controller=lambda t, q, qd: STIFFNESS * (PULL * t - q),
        duration=duration,
        dt=dt,
    )


class TestABlockThatIsDrawn:
    def test_sticks_until_the_spring_pulls_as_the_stiction(self):
        run = pulled_block(1.3, 1e-3, stiction=6.0)
        breaks = 6.0 / (STIFFNESS * PULL)  # s
        slow = run.t < breaks - 0.02
        assert breaks == 1.5
        assert np.abs(run.qd[slow]).max() <= STICTION
        later = pulled_block(1.7, 1e-3, stiction=6.0)
        assert later.qd.max() > PULL

    def test_sticks_and_slips_again_and_again(self):
        """It slips through, is overtaken, and stands until the spring has been stretched anew."""
        run = pulled_block(8.0, 1e-3, stiction=6.0)
        speed = run.qd[:, 0]
        standing = np.abs(speed) < 2.0 * STICTION
        begins = np.flatnonzero(standing[:-1] & ~standing[1:])
        assert len(begins) >= 3
        stretch = STIFFNESS * (PULL * run.t[begins] - run.q[begins, 0])
        # loose at stiction, but for what the spring gains while a sharp friction takes steps to let go
        assert (stretch > 6.0).all()
        assert (stretch < 6.25).all()
        assert speed.max() > 5.0 * PULL
        # each slip is as the one before
        periods = np.diff(run.t[begins])
        np.testing.assert_allclose(periods, periods[0], rtol=0.02)

    def test_follows_steadily_if_friction_does_not_fall(self):
        """Coulomb's alone: after one swing it goes as fast as it is drawn and never stands."""
        run = pulled_block(30.0, 1e-3, stiction=0.0)
        late = run.t > 28.0
        assert np.abs(run.qd[late]).min() > 0.0
        assert run.qd[run.t > 0.6].min() > -2.0 * STICTION

    def test_loses_what_the_spring_gives(self):
        run = pulled_block(4.0, 5e-4, stiction=6.0)
        balance = run.energy_balance()
        assert balance["lost"] > 0.5
        assert abs(balance["residual"]) < 0.01 * balance["lost"]


def several(kind, damping):
    """A body on a joint of several degrees, damped along each."""
    builder = fs.ModelBuilder("damped")
    builder.add_link("base")
    builder.add_link("body", 2.0, inertia=np.diag([0.4, 0.4, 0.4]))
    builder.add_joint("j", kind, "base", "body", axis=(0, 0, 1), damping=damping)
    return builder.build(gravity=(0, 0, 0))


class TestDampingOfEachDegree:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("axis", range(3))
    def test_of_a_ball_slows_the_turn_about_each_axis(self, method, axis):
        """A sphere: I w' = -d w about each axis by itself."""
        damping = (0.2, 0.6, 1.8)
        model = several("spherical", damping)
        run = fs.simulate(model, model.neutral(), 3.0 * np.eye(3)[axis], duration=1.0, dt=1e-3, method=method)
        expected = 3.0 * np.exp(-damping[axis] / 0.4 * run.t)
        np.testing.assert_allclose(run.qd[:, axis], expected, rtol=0, atol={"rk4": 1e-9}.get(method, 5e-3))
        assert np.abs(np.delete(run.qd, axis, axis=1)).max() < 1e-15

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(("dof", "inertia"), [(0, 0.4), (1, 2.0), (2, 2.0)])
    def test_of_a_planar_joint_slows_turn_and_slides(self, method, dof, inertia):
        """Angular rate, and velocities along two axes."""
        damping = (0.3, 0.9, 2.7)
        model = several("planar", damping)
        run = fs.simulate(model, [0.0, 0.0, 0.0], 2.0 * np.eye(3)[dof], duration=1.0, dt=1e-3, method=method)
        expected = 2.0 * np.exp(-damping[dof] / inertia * run.t)
        np.testing.assert_allclose(run.qd[:, dof], expected, rtol=0, atol={"rk4": 1e-9}.get(method, 5e-3))
        assert np.abs(np.delete(run.qd, dof, axis=1)).max() < 1e-15

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(("kind", "damping"), [("spherical", (0.2, 0.6, 1.8)), ("planar", (0.3, 0.9, 2.7))])
    def test_takes_the_energy_that_is_missing(self, method, kind, damping):
        model = several(kind, damping)
        residuals = []
        for dt in STEPS[method]:
            run = fs.simulate(model, model.neutral(), [1.0, -2.0, 1.5], duration=0.4, dt=dt, method=method)
            balance = run.energy_balance()
            assert balance["lost"] > 0.5
            residuals.append(balance["residual"])
        np.testing.assert_allclose(orders(residuals), ORDER_OF_BALANCE[method], atol=0.15)


def test_the_steady_slide_of_a_block_balances_its_weight_and_friction():
    """Down a slope: m g sin a = f at the speed where damping takes the rest."""
    slope, m, f, d = 0.5, 1.0, 2.0, 3.0
    builder = fs.ModelBuilder("slope")
    builder.add_link("ground")
    builder.add_link("block", m, inertia=np.eye(3))
    down = (math.cos(slope), 0.0, -math.sin(slope))
    shape = {"stiction": 3.0, "stribeck_velocity": 0.05, "smoothing": 1e-3}
    builder.add_joint("slide", "prismatic", "ground", "block", axis=down, friction=f, damping=d, **shape)
    steady = (m * 9.81 * math.sin(slope) - f) / d
    for method in METHODS:
        run = fs.simulate(builder.build(), [0.0], [0.5], duration=6.0, dt=1e-3, method=method)
        assert run.qd[-1, 0] == pytest.approx(steady, rel=1e-5)
