"""The reference problems of the teaching texts: a planar arm with a closed form, an industrial arm with a payload."""

import functools
import math

import numpy as np
import pytest
import sympy
from scipy.optimize import minimize_scalar

import featherstone as fs

EPS = np.finfo(float).eps
SAMPLES = 2000
G = 9.81


@functools.cache
def lagrange():
    """Functions of (q, qd, qdd) for the planar arm from L = T - V: the two torques, and the size of their terms."""
    t = sympy.symbols("t")
    q = [sympy.Function(f"q{k}")(t) for k in (1, 2)]
    m, l = (2, sympy.Rational(3, 2)), (1, sympy.Rational(4, 5))
    g = sympy.Rational(981, 100)
    joint, angle, T, V = sympy.Matrix([0, 0]), 0, 0, 0
    for k in range(2):
        angle += q[k]
        along = sympy.Matrix([sympy.cos(angle), sympy.sin(angle)])
        centre = joint + l[k] / 2 * along
        joint = joint + l[k] * along
        speed = centre.diff(t)
        T += m[k] * speed.dot(speed) / 2 + m[k] * l[k] ** 2 / 12 * angle.diff(t) ** 2 / 2
        V += m[k] * g * centre[1]
    L = T - V
    torques = [sympy.expand(L.diff(x.diff(t)).diff(t) - L.diff(x)) for x in q]

    plain = sympy.symbols("q1 q2 qd1 qd2 qdd1 qdd2")
    moving = [*[x.diff(t, 2) for x in q], *[x.diff(t) for x in q], *q]
    steady = [*plain[4:], *plain[2:4], *plain[:2]]
    torques = [torque.subs(list(zip(moving, steady))) for torque in torques]
    sizes = [sum(abs(term) for term in sympy.Add.make_args(torque)) for torque in torques]
    closed, size = sympy.lambdify(plain, torques), sympy.lambdify(plain, sizes)

    def evaluate(function, *state):
        columns = np.concatenate(state, axis=-1).T
        return np.stack(function(*columns), axis=-1)

    return functools.partial(evaluate, closed), functools.partial(evaluate, size)


@pytest.fixture(scope="module")
def arm():
    return fs.models.load("planar_2r")


@pytest.fixture(scope="module")
def states():
    rng = np.random.default_rng(2)
    return rng.uniform(-math.pi, math.pi, (SAMPLES, 2)), *rng.uniform(-5.0, 5.0, (2, SAMPLES, 2))


class TestPlanarArm:
    def test_gravity_torque(self, arm):
        np.testing.assert_allclose(fs.rnea(arm, [0.6, -0.9], [0, 0], [0, 0]), [25.8645, 5.6231], rtol=0, atol=5e-5)

    def test_eigenvalues_of_the_mass_matrix(self, arm):
        H = fs.crba(arm, [0.6, -0.9])
        np.testing.assert_allclose(np.linalg.eigvalsh(H), [0.1635, 3.3891], rtol=0, atol=5e-5)

    def test_condition_of_the_mass_matrix(self, arm):
        def condition(elbow):
            return float(np.linalg.cond(fs.crba(arm, [0.0, elbow])))

        angles = np.linspace(-math.pi, math.pi, 721)
        values = np.linalg.cond(fs.crba(arm, np.stack([np.zeros_like(angles), angles], axis=-1)))
        around = angles[values.argmin()]
        best = minimize_scalar(condition, bounds=(around - 0.01, around + 0.01), method="bounded")
        assert best.fun == pytest.approx(5.168, abs=5e-4)
        # stretched out is the worst
        assert angles[values.argmax()] == pytest.approx(0.0, abs=1e-12)
        assert values.max() == pytest.approx(46.138, abs=5e-4)

    def test_inverse_dynamics_is_lagranges(self, arm, states):
        closed, size = lagrange()
        expected, scale = closed(*states), size(*states)
        tau = fs.rnea(arm, *states)
        # each side sums a dozen terms no larger than `scale`, each exact to a few roundings
        assert (np.abs(tau - expected) <= 32 * EPS * scale).all()
        assert np.abs(tau - expected).max() < 1e-12
        assert np.abs(tau).max() > 50.0

    def test_forward_dynamics_inverts_lagrange(self, arm, states):
        closed, size = lagrange()
        q, qd, qdd = states
        condition = np.linalg.cond(fs.crba(arm, q))[:, None]
        least = np.linalg.eigvalsh(fs.crba(arm, q))[:, :1]
        for method in ("aba", "cholesky"):
            found = fs.forward_dynamics(arm, q, qd, closed(*states), method=method)
            allowed = 16 * EPS * (np.linalg.norm(size(*states), axis=-1, keepdims=True) / least + condition * 5.0)
            assert (np.abs(found - qdd) <= allowed).all()

    def test_power_is_the_rate_of_energy(self, arm, states):
        q, qd, qdd = states
        tau = fs.rnea(arm, q, qd, qdd)

        def energy(t):
            moved = q + t * qd + t * t / 2 * qdd
            return fs.kinetic_energy(arm, moved, qd + t * qdd) + fs.potential_energy(arm, moved)

        # the derivative by six points leaves h^6/140 of the seventh derivative, which the joints' rates bound
        h = 2e-3
        rate = sum(
            weight * (energy(k * h) - energy(-k * h)) / h for k, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
        )
        power = (tau * qd).sum(-1)
        fastest = np.abs(qd).sum(-1) + np.sqrt(np.abs(qdd).sum(-1))
        size = np.abs(energy(0.0)) + np.abs(tau * qd).sum(-1)
        rounding = 8 * EPS * size / h
        assert (np.abs(rate - power) <= h**6 / 140 * fastest**7 * size + rounding).all()
        assert np.abs(power).max() > 100.0

    def test_gravity_up_is_refused_by_the_potential_energy(self, arm):
        """A text starts the recursion with a_0 = g; it must be a_0 = -g."""
        q, h = np.array([0.6, -0.9]), 1e-6
        slope = [
            (fs.potential_energy(arm, q + h * e) - fs.potential_energy(arm, q - h * e)) / (2 * h) for e in np.eye(2)
        ]
        wrong = fs.gravity_torque(arm.with_gravity(-arm.gravity), q)
        np.testing.assert_allclose(fs.gravity_torque(arm, q), slope, rtol=1e-8)
        np.testing.assert_allclose(wrong, -np.array(slope), rtol=1e-8)
        # the right torque holds the arm still, the wrong one throws it down
        still = [0.0, 0.0]
        assert np.abs(fs.aba(arm, q, still, fs.gravity_torque(arm, q))).max() < 1e-12
        assert fs.aba(arm, q, still, wrong)[0] < -10.0


@pytest.fixture(scope="module")
def industrial():
    return fs.models.load("six_axis").with_payload("flange", 10.0)


STILL = np.zeros(6)
TURNING = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])


class TestIndustrialArm:
    @pytest.mark.parametrize(
        ("q", "qd", "expected", "digits"),
        [
            (STILL, TURNING, [0, -177.9132, 1.02120, -0.00435, 0.27840, 0], 5e-6),
            (STILL, STILL, [0, -181.2888, -2.35440, 0, 0, 0], 5e-6),
            (
                np.array([0.3, -0.7, 0.4, 0.2, -0.5, 0.1]),
                TURNING,
                [0, -188.460316, -49.1066528, -0.271525608, -8.72813483, 0],
                5e-7,
            ),
        ],
    )
    def test_torques(self, industrial, q, qd, expected, digits):
        np.testing.assert_allclose(fs.rnea(industrial, q, qd, STILL), expected, rtol=0, atol=digits)

    def test_no_torque_about_a_vertical_axis(self, industrial):
        """A text claims tau_1 = 320 N m, 280 of them from gravity and 40 centrifugal."""
        q = industrial.random_configuration(3, SAMPLES)
        rate = np.random.default_rng(4).uniform(-3.0, 3.0, (SAMPLES, 1)) * np.eye(6)[0]
        tau = fs.rnea(industrial, q, rate, STILL)
        weight = np.abs(fs.gravity_torque(industrial, q)).max()
        assert np.abs(tau[:, 0]).max() < 64 * EPS * max(weight, np.abs(tau).max())
        assert np.abs(tau[:, 1]).max() > 180.0
        # 320 N m would accelerate the first axis, not keep its speed constant
        regular = fs.models.load("six_axis").with_payload("flange", 10.0, inertia=0.1 * np.eye(3))
        claimed = fs.rnea(regular, STILL, TURNING, STILL) + 320.0 * np.eye(6)[0]
        assert fs.aba(regular, STILL, TURNING, claimed)[0] > 5.0

    def test_gravity_up_turns_the_holding_torques_round(self, industrial):
        up = industrial.with_gravity([0.0, 0.0, G])
        q = industrial.random_configuration(5, SAMPLES)
        right, wrong = fs.gravity_torque(industrial, q), fs.gravity_torque(up, q)
        np.testing.assert_array_equal(wrong, -right)
        moving = fs.rnea(up, STILL, TURNING, STILL)
        # the centrifugal part does not turn with it, so no change of sign afterwards mends the result
        assert np.abs(moving + fs.rnea(industrial, STILL, TURNING, STILL)).max() > 1.0

    def test_the_payload_is_a_point_mass_at_the_flange(self, industrial):
        bare = fs.models.load("six_axis")
        q, h = industrial.random_configuration(6, 100), 1e-6
        heights = [
            (fs.frame_pose(bare, q + h * e, "flange") - fs.frame_pose(bare, q - h * e, "flange"))[:, 2, 3] / (2 * h)
            for e in np.eye(6)
        ]
        added = fs.gravity_torque(industrial, q) - fs.gravity_torque(bare, q)
        np.testing.assert_allclose(added, 10.0 * G * np.stack(heights, axis=-1), rtol=0, atol=1e-6)
