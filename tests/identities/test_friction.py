"""What shape friction has: Stribeck's curve, the smoothed sign, and both of joints that follow others."""

import mpmath
import numpy as np
import pytest

import featherstone as fs

from ..rounding import U
from .robots import MIMIC, ROBOTS
from .robots import robot as named

COULOMB, STICTION, STRIBECK, WITHIN = 1.5, 2.5, 0.125, 0.0625
SHAPES = {
    "exact": {"stiction": 0.0, "smoothing": 0.0},
    "smooth": {"stiction": 0.0, "smoothing": WITHIN},
    "Stribeck": {"stiction": STICTION, "stribeck_velocity": STRIBECK, "smoothing": 0.0},
    "smooth Stribeck": {"stiction": STICTION, "stribeck_velocity": STRIBECK, "smoothing": WITHIN},
}
SPEEDS = np.concatenate([10.0 ** np.linspace(-12, 2, 300), [0.0, STRIBECK, WITHIN]])[:, None]


@pytest.fixture(params=SHAPES)
def shape(request):
    """The fields of each shape of friction."""
    return SHAPES[request.param]


def wheel(*followers, **fields):
    """A wheel without weight, and wheels beside it that follow it at some ratios."""
    builder = fs.ModelBuilder("wheels")
    builder.add_link("stand")
    given = {"axis": (0, 0, 1), "friction": COULOMB} | fields
    for k, ratio in enumerate((None, *followers)):
        builder.add_link(f"wheel {k}", 1.0, inertia=np.eye(3))
        mimic = None if ratio is None else fs.Mimic("axle 0", ratio, 0.5)
        builder.add_joint(f"axle {k}", "continuous", "stand", f"wheel {k}", mimic=mimic, **given)
    return builder.build(gravity=(0, 0, 0))


def friction(model, speeds):
    still = np.zeros_like(speeds)
    return fs.rnea(model, still, speeds, still, losses=True)


def test_the_robots_of_the_laws_have_friction_of_every_shape():
    """Sharp and smooth, constant and falling, also of joints of several degrees and of followers; beside rotors."""
    joints = [joint for name in ROBOTS for joint in named(name).model.joints]
    found = {"one degree": set(), "several": set(), "follower": set()}
    for joint in joints:
        if not any(joint.values("friction")):
            continue
        kind = "follower" if joint.mimic else "several" if joint.degrees > 1 else "one degree"
        found[kind].add((any(joint.values("stiction")), any(joint.values("smoothing"))))
    every = {(falls, smooth) for falls in (False, True) for smooth in (False, True)}
    assert found["one degree"] == found["several"] == every
    assert len(found["follower"]) >= 3
    spinning = [joint for joint in joints if joint.rotor is not None and joint.rotor.gyroscopic]
    assert {"revolute", "continuous", "helical"} <= {joint.type for joint in spinning}
    assert {"composite", "universal", "cylindrical"} <= {joint.type for joint in joints}


def test_follows_its_formula(shape):
    """(f + (s - f) exp(-(qd / v_s)^2)) qd / sqrt(qd^2 + v^2), with the sign of qd where v is zero."""
    found = friction(wheel(**shape), SPEEDS)[:, 0]
    with mpmath.workdps(40):
        expected = []
        for speed in map(mpmath.mpf, SPEEDS[:, 0].tolist()):
            force, within = mpmath.mpf(COULOMB), mpmath.mpf(shape["smoothing"])
            if shape["stiction"]:
                force += (shape["stiction"] - force) * mpmath.exp(-((speed / STRIBECK) ** 2))
            size = mpmath.sqrt(speed**2 + within**2)
            expected.append(float(force * speed / size) if size else 0.0)
    # the square of the speed may be off by a rounding of its size, which the exponential outweighs; a dozen others
    np.testing.assert_allclose(found, expected, rtol=16 * U, atol=0)


def test_is_odd(shape):
    model = wheel(**shape)
    np.testing.assert_array_equal(friction(model, -SPEEDS), -friction(model, SPEEDS))


def test_falls_from_stiction_to_coulombs():
    """Stribeck's curve: never more at a higher speed, stiction next to rest, Coulomb's friction far from it."""
    model = wheel(**SHAPES["Stribeck"])
    speeds = np.sort(SPEEDS[SPEEDS > 0])[:, None]
    found = friction(model, speeds)[:, 0]
    assert (np.diff(found) <= 2 * U * found[:-1]).all()
    assert found[0] == STICTION
    assert found[-1] == COULOMB
    halfway = friction(model, np.array([[STRIBECK * np.sqrt(np.log(2.0))]]))[0, 0]
    assert halfway == pytest.approx((STICTION + COULOMB) / 2, rel=8 * U)


def test_smoothed_rises_with_speed_to_coulombs():
    found = friction(wheel(**SHAPES["smooth"]), np.sort(SPEEDS, axis=0))[:, 0]
    assert (np.diff(found) >= -4 * U * found[1:]).all()
    assert found[0] == 0.0
    assert (found <= COULOMB * (1 + 4 * U)).all()
    at_within = friction(wheel(**SHAPES["smooth"]), np.array([[WITHIN]]))[0, 0]
    assert at_within == pytest.approx(COULOMB / np.sqrt(2.0), rel=4 * U)


@pytest.mark.parametrize("stiction", [{}, {"stiction": STICTION, "stribeck_velocity": STRIBECK}], ids=["", "Stribeck"])
def test_smoothed_is_the_exact_one_in_the_limit(stiction):
    """sign - qd / sqrt(qd^2 + v^2) = v^2 / (2 qd^2) and less: a quarter with each half of v."""
    speeds = np.concatenate([-SPEEDS[SPEEDS > 0.01], SPEEDS[SPEEDS > 0.01]])[:, None]
    exact = friction(wheel(**stiction), speeds)
    ratio = np.abs(exact)
    for within in (1e-3, 5e-4, 1e-7, 1e-30):
        smooth = friction(wheel(smoothing=within, **stiction), speeds)
        leading = ratio * within**2 / (2.0 * speeds**2)
        missing = np.sign(speeds) * (exact - smooth)
        assert (missing <= leading + 8 * U * ratio).all()
        assert (missing >= leading * (1.0 - 0.75 * (within / speeds) ** 2) - 8 * U * ratio).all()


def test_robots_with_hardly_smoothed_friction_have_the_exact_one(robot):
    model = robot.model
    sharp, smooth = robot.variant(smoothing=0.0), robot.variant(smoothing=1e-20)
    state = (robot.q, robot.qd, robot.qdd)
    found, expected = fs.rnea(smooth, *state, losses=True), fs.rnea(sharp, *state, losses=True)
    # a root and a division in place of the sign, and sums over followers
    lost = np.abs(expected - fs.rnea(sharp, *state))
    allowed = 8.0 * model.nb * U * (np.abs(expected) + lost) + 2.0 * robot.torque.error
    assert (np.abs(found - expected) <= allowed).all()


def test_each_degree_of_freedom_loses_power(robot):
    """Losses of a degree of freedom have the sign of its rate: those of followers, whatever their ratio, as well."""
    weightless = robot.model.with_gravity((0.0, 0.0, 0.0))
    still = 0.0 * robot.qd
    power = robot.qd * (
        fs.rnea(weightless, robot.q, robot.qd, still, losses=True) - fs.rnea(weightless, robot.q, robot.qd, still)
    )
    bias = np.abs(fs.rnea(weightless, robot.q, robot.qd, still))
    rounding = (
        np.abs(robot.qd) * 4.0 * robot.model.nb * U * (bias + np.abs(power / np.where(still == robot.qd, 1, robot.qd)))
    )
    assert (power >= -rounding).all()


@pytest.mark.parametrize("ratios", [(-3.0,), (0.5, -2.0), (0.0, 4.0)])
def test_of_followers_acts_at_their_own_speed(shape, ratios):
    """tau = F(qd) + sum of n F(n qd)."""
    alone = wheel(damping=0.25, **shape)
    together = wheel(*ratios, damping=0.25, **shape)
    assert together.nv == 1
    speeds = np.concatenate([-SPEEDS, SPEEDS])
    parts = [ratio * friction(alone, ratio * speeds) for ratio in (1.0, *ratios)]
    allowed = 16 * U * sum(np.abs(part) for part in parts)
    assert (np.abs(friction(together, speeds) - sum(parts)) <= allowed).all()


@pytest.mark.parametrize("method", ["aba", "cholesky"])
@pytest.mark.parametrize("name", [MIMIC[0], MIMIC[-1], "star", "chain of screws floating"])
def test_forward_dynamics_inverts_inverse_dynamics_with_friction(name, method, shape):
    robot = named(name)
    model = robot.variant(damping=0.5, friction=COULOMB, **{"stribeck_velocity": 0.0} | shape)
    tau = fs.rnea(model, robot.q, robot.qd, robot.qdd, robot.f_ext, losses=True)
    found = fs.forward_dynamics(model, robot.q, robot.qd, tau, robot.f_ext, method=method, losses=True)
    lost = tau - fs.rnea(model, robot.q, robot.qd, robot.qdd, robot.f_ext)
    assert np.abs(lost).max() > COULOMB
    rounding = 8.0 * model.nb * U * (np.abs(robot.torque.value) + np.abs(lost) + np.abs(tau))
    allowed = robot.solve_error(robot.qdd, robot.torque.error + robot.bias.error + rounding)
    assert (np.abs(found - robot.qdd) <= allowed).all()
