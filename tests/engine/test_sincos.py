"""Compiled sine and cosine: hands of a clock that turn about z have them in their rotation matrices.

A batch has them in lanes, one state of a few hands one by one, and one of many hands some at a time.
"""

import math

import mpmath
import numpy as np
import pytest

import featherstone as fs

# half a unit each: the reduced angle, its square and the polynomial's last term, the last sum
ULPS = 2.0


def clock(hands):
    builder = fs.ModelBuilder("clock")
    builder.add_link("clock")
    for k in range(hands):
        builder.add_link(f"hand {k}", 1.0, (1.0, 0.0, 0.0))
        builder.add_joint(f"shaft {k}", "continuous", "clock", f"hand {k}", axis=(0, 0, 1))
    return builder.build()


def sincos(model, x):
    """As lanes give them: a batch of one hand."""
    poses = fs.forward_kinematics(model, np.asarray(x)[:, None])[:, 0]
    return poses[:, 1, 0], poses[:, 0, 0]


def sincos_alone(model, x):
    """As single states give them, each of as many angles as the clock has hands."""
    states = np.resize(x, (-(-len(x) // model.nq), model.nq))
    poses = np.concatenate([fs.forward_kinematics(model, q) for q in states])[: len(x)]
    return poses[:, 1, 0], poses[:, 0, 0]


WAYS = {"lanes": (1, sincos)} | {f"one state of {hands}": (hands, sincos_alone) for hands in (1, 3, 4, 11)}


@pytest.fixture(scope="module", params=WAYS)
def ask(request):
    """Each way to get sines and cosines of angles."""
    hands, way = WAYS[request.param]
    model = clock(hands)
    return lambda x: way(model, x)


def worst(ask, x):
    """The largest error in units in the last place of the truth."""
    found = 0.0
    with mpmath.workdps(340):  # more than the digits of the largest angle
        for angle, *pair in zip(x.tolist(), *(y.tolist() for y in ask(x))):
            for value, truth in zip(pair, (mpmath.sin(mpmath.mpf(angle)), mpmath.cos(mpmath.mpf(angle)))):
                found = max(found, float(abs(value - truth)) / math.ulp(float(truth)))
    return found


def either_sign(rng, sizes):
    return sizes * rng.choice([-1.0, 1.0], sizes.shape)


@pytest.mark.parametrize(("low", "high"), [(-300, -8), (-8, 0), (0, 2), (2, 5), (5, 5.001), (5, 15), (15, 300)])
def test_are_right_to_two_units_in_the_last_place(ask, low, high):
    rng = np.random.default_rng(0)
    assert worst(ask, either_sign(rng, 10.0 ** rng.uniform(low, high, 500))) <= ULPS


def test_are_right_next_to_all_multiples_of_a_quarter_turn(ask):
    """Where an angle nearly cancels against pi/2 times an integer: there the reduction must keep its last bits."""
    with mpmath.workdps(40):
        quarter = mpmath.pi / 2
        multiples = np.array([float(quarter * k) for k in range(1, 63662, 7)])
    assert multiples.max() < 1e5
    assert worst(ask, multiples) <= ULPS
    assert worst(ask, np.nextafter(multiples[::20], 0.0)) <= ULPS


def test_are_right_where_the_reduction_changes(ask):
    edge = 1e5
    around = np.concatenate([edge + np.arange(-20, 21) * math.ulp(edge), np.arange(1, 17) * math.pi / 4])
    assert worst(ask, np.concatenate([around, np.nextafter(around, 0.0), np.nextafter(around, 1e6)])) <= ULPS


def test_small_angles_are_their_own_sines(ask):
    x = np.array([5e-324, -5e-324, 1e-310, -1e-200, 1e-30, 1e-9, 0.0])
    s, c = ask(x)
    np.testing.assert_array_equal(s, x)
    np.testing.assert_array_equal(c, np.ones_like(x))


def test_are_odd_and_even(ask):
    x = np.random.default_rng(1).uniform(-50.0, 50.0, 101)
    (s, c), (back, same) = ask(x), ask(-x)
    np.testing.assert_array_equal(back, -s)
    np.testing.assert_array_equal(same, c)


def test_one_state_has_the_bits_that_lanes_have():
    rng = np.random.default_rng(2)
    x = np.concatenate([either_sign(rng, 10.0 ** rng.uniform(-30, 7, 999)), np.arange(-40, 41) * (math.pi / 4)])
    expected = sincos(clock(1), x)
    for hands in (1, 2, 3, 4, 5, 7, 8, 9, 16, 33):
        np.testing.assert_array_equal(sincos_alone(clock(hands), x), expected, f"{hands} hands")
