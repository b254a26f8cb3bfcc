"""Sine and cosine over lanes: a batch of a hand that turns about z has them in its rotation matrices."""

import math

import mpmath
import numpy as np
import pytest

import featherstone as fs

# half a unit each: the reduced angle, its square and the polynomial's last term, the last sum
ULPS = 2.0


@pytest.fixture(scope="module")
def hand():
    builder = fs.ModelBuilder("hand")
    builder.add_link("clock")
    builder.add_link("hand", 1.0, (1.0, 0.0, 0.0))
    builder.add_joint("shaft", "continuous", "clock", "hand", axis=(0, 0, 1))
    return builder.build()


def sincos(model, x):
    """As lanes give them."""
    poses = fs.forward_kinematics(model, np.asarray(x)[:, None])[:, 0]
    return poses[:, 1, 0], poses[:, 0, 0]


def worst(model, x):
    """The largest error in units in the last place of the truth."""
    found = 0.0
    with mpmath.workdps(340):  # more than the digits of the largest angle
        for angle, *pair in zip(x.tolist(), *(y.tolist() for y in sincos(model, x))):
            for value, truth in zip(pair, (mpmath.sin(mpmath.mpf(angle)), mpmath.cos(mpmath.mpf(angle)))):
                found = max(found, float(abs(value - truth)) / math.ulp(float(truth)))
    return found


def either_sign(rng, sizes):
    return sizes * rng.choice([-1.0, 1.0], sizes.shape)


@pytest.mark.parametrize(("low", "high"), [(-300, -8), (-8, 0), (0, 2), (2, 5), (5, 5.001), (5, 15), (15, 300)])
def test_are_right_to_two_units_in_the_last_place(hand, low, high):
    rng = np.random.default_rng(0)
    assert worst(hand, either_sign(rng, 10.0 ** rng.uniform(low, high, 500))) <= ULPS


def test_are_right_next_to_all_multiples_of_a_quarter_turn(hand):
    """Where an angle nearly cancels against pi/2 times an integer: there the reduction must keep its last bits."""
    with mpmath.workdps(40):
        quarter = mpmath.pi / 2
        multiples = np.array([float(quarter * k) for k in range(1, 63662, 7)])
    assert multiples.max() < 1e5
    assert worst(hand, multiples) <= ULPS
    assert worst(hand, np.nextafter(multiples[::20], 0.0)) <= ULPS


def test_are_right_where_the_reduction_changes(hand):
    edge = 1e5
    around = np.concatenate([edge + np.arange(-20, 21) * math.ulp(edge), np.arange(1, 17) * math.pi / 4])
    assert worst(hand, np.concatenate([around, np.nextafter(around, 0.0), np.nextafter(around, 1e6)])) <= ULPS


def test_small_angles_are_their_own_sines(hand):
    x = np.array([5e-324, -5e-324, 1e-310, -1e-200, 1e-30, 1e-9, 0.0])
    s, c = sincos(hand, x)
    np.testing.assert_array_equal(s, x)
    np.testing.assert_array_equal(c, np.ones_like(x))


def test_are_odd_and_even(hand):
    x = np.random.default_rng(1).uniform(-50.0, 50.0, 101)
    (s, c), (back, same) = sincos(hand, x), sincos(hand, -x)
    np.testing.assert_array_equal(back, -s)
    np.testing.assert_array_equal(same, c)
