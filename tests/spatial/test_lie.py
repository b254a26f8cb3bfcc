"""Exponential and logarithm against closed forms at 50 digits, from 1e-300 over pi to several turns."""

from __future__ import annotations

import itertools
import math

import casadi
import mpmath as mp
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.spatial.transform import Rotation

from featherstone.engine.compiler import implement
from featherstone.engine.translation import FAST_MATH
from featherstone.spatial import lie
from featherstone.spatial.rotations import quaternion_conjugate, quaternion_product, rotation_from_quaternion

EPS = 2.0**-53
TINY = [0.0, 1e-300, 1e-160, 1e-154, 1e-30, 1e-9, 1e-7, 1e-4]
# at both sides of where a series takes over, of pi, and of full turns
ORDINARY = [0.00099, 0.00101, 0.00199, 0.00201, 0.1, 0.499, 0.501, 1.0, 2.0, 3.0]
HALF_TURN = [math.pi - gap for gap in (1e-2, 1e-4, 1e-7, 1e-9, 1e-12, 0.0)]
BEYOND = [3.2, 5.0, 6.28, 2.0 * math.pi, 6.3, 50.0]
AXES = [
    (1.0, 0.0, 0.0),
    (0.0, -1.0, 0.0),
    (0.0, 0.0, 1.0),
    (1 / 3, 2 / 3, 2 / 3),
    (-0.48, 0.6, 0.64),
    (0.8, 1e-9, -0.6),
]
V = (0.7, -1.9, 0.4)


def rotation_vectors(angles):
    return [tuple(angle * a for a in axis) for angle, axis in itertools.product(angles, AXES)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def length(a):
    return mp.sqrt(sum(mp.mpf(x) ** 2 for x in a))


def distance(a, b):
    return length([mp.mpf(x) - y for x, y in zip(a, b)])


def true_exp(w, v):
    """Exact functions of the numbers given: quaternion and position."""
    w, v = [mp.mpf(x) for x in w], [mp.mpf(x) for x in v]
    t = length(w)
    if t == 0:
        return [mp.mpf(0)] * 3 + [mp.mpf(1)], v
    once, twice = cross(w, v), cross(w, cross(w, v))
    a, b = (1 - mp.cos(t)) / t**2, (t - mp.sin(t)) / t**3
    return [mp.sin(t / 2) / t * x for x in w] + [mp.cos(t / 2)], [v[i] + a * once[i] + b * twice[i] for i in range(3)]


def true_log(quaternion, p):
    q, p = [mp.mpf(x) for x in quaternion], [mp.mpf(x) for x in p]
    n = length(q[:3])
    if n == 0:
        return q[:3], p
    t = 2 * mp.atan2(n, abs(q[3]))
    w = [(1 if q[3] >= 0 else -1) * t / n * x for x in q[:3]]
    once, twice = cross(w, p), cross(w, cross(w, p))
    b = (1 - t / 2 * mp.cot(t / 2)) / t**2
    return w, [p[i] - once[i] / 2 + b * twice[i] for i in range(3)]


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


@pytest.mark.parametrize("angle", TINY + ORDINARY + HALF_TURN + BEYOND)
def test_exponential_is_exact_to_rounding(angle):
    for w in rotation_vectors([angle]):
        q, p = lie.exp_se3((w, V))
        true_q, true_p = true_exp(w, V)
        # the angle's own rounding error, relative 2 EPS, moves the result by its share; the rest is a few roundings
        conditioning = float(length(w))
        assert distance(q, true_q) <= (4 + conditioning) * EPS
        assert distance(p, true_p) <= (8 + 2 * conditioning) * EPS * length(V)
        assert lie.exp_quaternion(w) == q
        assert abs(length(q) - 1) <= 4 * EPS


@pytest.mark.parametrize("angle", TINY + ORDINARY)
def test_exponential_of_a_small_turn_keeps_its_relative_accuracy(angle):
    for w in rotation_vectors([angle]):
        vector_part = lie.exp_quaternion(w)[:3]
        true = true_exp(w, V)[0][:3]
        assert distance(vector_part, true) <= 8 * EPS * length(true) + 2e-323
        assert all(a != 0 for a, x in zip(vector_part, w) if x != 0)


@pytest.mark.parametrize("sign", [1.0, -1.0, 1.001, -0.999])
@pytest.mark.parametrize("angle", TINY + ORDINARY + HALF_TURN)
def test_logarithm_is_exact_to_rounding(angle, sign):
    for w in rotation_vectors([angle]):
        q = tuple(sign * x for x in lie.exp_quaternion(w))
        p = lie.exp_se3((w, V))[1]
        log_w, log_v = lie.log_se3(q, p)
        true_w, true_v = true_log(q, p)
        assert distance(log_w, true_w) <= 8 * EPS * length(true_w) + 2e-323
        assert distance(log_v, true_v) <= 12 * EPS * length(true_v)
        assert lie.log_quaternion(q) == log_w
        assert length(log_w) <= mp.pi * (1 + 4 * EPS)


@pytest.mark.parametrize("angle", TINY + ORDINARY + HALF_TURN)
def test_logarithm_of_opposite_quaternions_is_the_same(angle):
    for w in rotation_vectors([angle]):
        q, p = lie.exp_se3((w, V))
        assert lie.log_se3(q, p) == lie.log_se3(tuple(-x for x in q), p)


@pytest.mark.parametrize("q", [(1.0, 0, 0, 0), (0, -1.0, 0, 0), (0, 0, 1.0, 0), (-0.6, 0, 0.8, 0), (0, 0.6, -0.8, 0)])
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_logarithm_of_an_exact_half_turn_is_the_same_for_opposite_quaternions(q, zero):
    q = (*map(float, q[:3]), zero)
    w = lie.log_quaternion(q)
    assert w == lie.log_quaternion(tuple(-x for x in q))
    assert abs(length(w) - mp.pi) <= 4 * EPS * mp.pi
    assert next(x for x in w if x != 0) > 0


@pytest.mark.parametrize("angle", TINY + ORDINARY + HALF_TURN)
def test_exponential_undoes_logarithm(angle):
    for w in rotation_vectors([angle]):
        q, p = lie.exp_se3((w, V))
        again, p_again = lie.exp_se3(lie.log_se3(q, p))
        assert min(distance(again, q), distance(again, [-x for x in q])) <= 16 * EPS
        # log may lengthen p by pi/2, and exp of an angle that is off by its rounding moves it as much again
        assert distance(p_again, p) <= 40 * EPS * length(V)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.floats(-300, math.log10(3.1)),
    st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: max(map(abs, a)) > 0.1),
    st.tuples(*[st.floats(-1e3, 1e3)] * 3),
)
def test_logarithm_undoes_exponential(exponent, axis, v):
    w = Rotation.from_rotvec(axis).as_rotvec()
    w = tuple(float(x) for x in 10**exponent * w / np.linalg.norm(w))
    log_w, log_v = lie.log_se3(*lie.exp_se3((w, v)))
    # a quaternion that is off by its rounding, EPS, is that of an angle off by twice as much, also near a half turn
    assert distance(log_w, w) <= 24 * EPS * length(w) + 2e-323
    assert distance(log_v, v) <= 64 * EPS * length(v) + 2e-323


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-7, 1e-9, 0.0])
def test_difference_near_half_turn_leads_back(gap):
    w = tuple((math.pi - gap) * x for x in (1 / 3, 2 / 3, 2 / 3))
    q0, turn = lie.normalize_quaternion((0.2, -0.1, 0.3, 0.9)), lie.exp_quaternion(w)
    q1 = quaternion_product(q0, turn)
    between = quaternion_product(quaternion_conjugate(q0), q1)
    d = lie.log_se3(between, V)
    q, p = lie.exp_se3(d)
    reached = quaternion_product(q0, q)
    assert min(distance(reached, q1), distance(reached, [-x for x in q1])) <= 32 * EPS
    assert distance(p, V) <= 40 * EPS * length(V)


@pytest.mark.parametrize("angle", [s * a for s in (1.0, -1.0) for a in TINY + ORDINARY + HALF_TURN + BEYOND])
def test_plane_exponential_and_logarithm_are_exact_to_rounding(angle):
    x, y = 0.7, -1.9
    t = mp.mpf(angle)
    a, b = (mp.sin(t) / t, (1 - mp.cos(t)) / t) if angle else (mp.mpf(1), mp.mpf(0))
    turned, p = lie.exp_se2((angle, x, y))
    assert turned == angle
    assert distance(p, (a * x - b * y, b * x + a * y)) <= 8 * EPS * length((a, b)) * length((x, y))
    k = t / 2 * mp.cot(t / 2) if angle else mp.mpf(1)
    log_angle, *v = lie.log_se2(angle, (x, y))
    assert log_angle == angle
    assert distance(v, (k * x + t / 2 * y, k * y - t / 2 * x)) <= 8 * EPS * length((k, t / 2)) * length((x, y))


@pytest.mark.parametrize(
    "angle", [s * a for s in (1.0, -1.0) for a in [*TINY, *ORDINARY, *HALF_TURN, 3.2, 5.0, 6.28, 50.0]]
)
def test_plane_logarithm_undoes_exponential(angle):
    m = (angle, 0.7, -1.9)
    condition = 1 / abs(mp.sinc(mp.mpf(angle) / 2))
    assert distance(lie.log_se2(*lie.exp_se2(m)), m) <= 16 * EPS * condition * length(m[1:])


def test_plane_exponential_is_that_of_space():
    for angle in [*TINY, *ORDINARY, *HALF_TURN]:
        _, (x, y) = lie.exp_se2((angle, 0.7, -1.9))
        _, p = lie.exp_se3(((0.0, 0.0, angle), (0.7, -1.9, 0.0)))
        assert distance(p, (x, y, 0.0)) <= 16 * EPS * 2.1


@pytest.mark.parametrize("angle", TINY + ORDINARY + HALF_TURN)
def test_quaternion_from_rotation_inverts_rotation_from_quaternion(angle):
    for w in rotation_vectors([angle]):
        q = lie.exp_quaternion(w)
        found = lie.quaternion_from_rotation(rotation_from_quaternion(q))
        assert min(distance(found, q), distance(found, [-x for x in q])) <= 16 * EPS
        assert max(found, key=abs) > 0


def test_quaternion_exponential_agrees_with_scipy():
    w = np.array(rotation_vectors(TINY + ORDINARY + HALF_TURN))
    q = np.stack(lie.exp_quaternion(tuple(w.T)), axis=-1)
    np.testing.assert_allclose(q, Rotation.from_rotvec(w).as_quat(), rtol=0, atol=16 * EPS)


@pytest.mark.parametrize("q", [(0.1, -0.2, 0.3, 0.4), (1e-3, 0.0, 0.0, 1.0), (0.0, 0.0, -3e5, 4e5)])
def test_normalized_quaternion_has_length_one_and_the_same_direction(q):
    unit = lie.normalize_quaternion(q)
    assert distance(unit, [mp.mpf(x) / length(q) for x in q]) <= 6 * EPS


def calls():
    """Each function with arguments from every branch."""
    for w in rotation_vectors([0.0, 1e-160, 1e-7, 0.1, 2.0, math.pi]):
        q, p = lie.exp_se3((w, V))
        yield lie.exp_quaternion, (w,)
        yield lie.log_quaternion, (q,)
        yield lie.exp_se3, ((w, V),)
        yield lie.log_se3, (q, p)
        yield lie.normalize_quaternion, (q,)
        yield lie.quaternion_from_rotation, (rotation_from_quaternion(q),)
        yield lie.exp_se2, ((w[0], 0.7, -1.9),)
        yield lie.log_se2, (w[0], (0.7, -1.9))


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, tuple) else [x]


def test_compiled_functions_agree_with_python():
    compiled = {}
    seen = set()
    for function, arguments in calls():
        if function not in compiled:
            implement(function, "featherstone", seen)
            compiled[function] = njit(error_model="numpy", fastmath=FAST_MATH)(function)
        expected = flat(function(*arguments))
        # fused multiply-add changes roundings
        size = max(map(abs, flat(arguments) + expected))
        np.testing.assert_allclose(flat(compiled[function](*arguments)), expected, rtol=0, atol=16 * EPS * size)


def test_array_functions_agree_with_python():
    for function, group in itertools.groupby(sorted(calls(), key=lambda call: call[0].__name__), lambda call: call[0]):
        given_arguments = [arguments for _, arguments in group]
        columns = iter(np.array([flat(a) for a in given_arguments]).T)

        def like(x, columns=columns):
            return tuple(like(y) for y in x) if isinstance(x, tuple) else next(columns)

        actual = np.stack(np.broadcast_arrays(*flat(function(*like(given_arguments[0])))), axis=-1)
        np.testing.assert_allclose(actual, [flat(function(*a)) for a in given_arguments], rtol=1e-14, atol=1e-14)


def test_symbolic_logarithm_of_exponential_has_the_identity_as_jacobian():
    x = casadi.SX.sym("x", 6)
    w, v = lie.log_se3(*lie.exp_se3(((x[0], x[1], x[2]), (x[3], x[4], x[5]))))
    out = casadi.vertcat(*w, *v)
    both = casadi.Function("both", [x], [out, casadi.jacobian(out, x)])
    for w in rotation_vectors([0.0, 1e-9, 1e-4, 0.1, 1.0, 3.0]):
        value, jacobian = both([*w, *V])
        np.testing.assert_allclose(np.array(value).ravel(), [*w, *V], rtol=0, atol=1e-14)
        np.testing.assert_allclose(np.array(jacobian), np.eye(6), rtol=0, atol=1e-12)


def test_functions_take_symbols():
    a, b, c = sympy.symbols("a b c")
    q = lie.exp_quaternion((a, b, c))
    at = {a: 0.1, b: -0.2, c: 0.3}
    np.testing.assert_allclose([float(x.subs(at)) for x in q], lie.exp_quaternion((0.1, -0.2, 0.3)), rtol=1e-14)


def test_own_source_at_many_digits_agrees_with_closed_forms():
    w, v = tuple(map(mp.mpf, ("0.3", "-0.2", "0.1"))), tuple(map(mp.mpf, V))
    q, p = lie.exp_se3((w, v))
    true_q, true_p = true_exp(w, v)
    assert distance(q, true_q) < mp.mpf(10) ** -45
    # the series of the position has coefficients rounded to float64, times t^2
    assert distance(p, true_p) <= EPS * 0.14 * length(V)
