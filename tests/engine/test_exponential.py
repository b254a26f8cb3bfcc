"""The compiled exponential: friction that begins at 1 N m and falls as exp(-qd^2), of wheels without weight.

A batch has it in lanes, and one state of a few wheels one by one. Speeds have so few bits that their squares are exact.
"""

import math

import mpmath
import numpy as np
import pytest

import featherstone as fs

# half a unit for the polynomial's last sum; a quarter each for its last product, what it had before, and the reduced
# number, which are smaller by a third at least
ULPS = 1.25
LEAST = -708.0  # beyond it nothing gets smaller


def wheels(count):
    builder = fs.ModelBuilder("wheels")
    builder.add_link("stand")
    for k in range(count):
        builder.add_link(f"wheel {k}", 1.0, inertia=np.eye(3))
        builder.add_joint(
            f"axle {k}", "continuous", "stand", f"wheel {k}", axis=(0, 0, 1), stiction=1.0, stribeck_velocity=1.0
        )
    return builder.build(gravity=(0, 0, 0))


def in_lanes(speeds):
    still = np.zeros((len(speeds), 1))
    return fs.rnea(wheels(1), still, speeds[:, None], still, losses=True)[:, 0]


def one_by_one(count):
    def ask(speeds):
        model = wheels(count)
        states, still = np.resize(speeds, (-(-len(speeds) // count), count)), np.zeros(count)
        return np.concatenate([fs.rnea(model, still, qd, still, losses=True) for qd in states])[: len(speeds)]

    return ask


WAYS = {"lanes": in_lanes} | {f"one state of {count}": one_by_one(count) for count in (1, 4, 11)}


@pytest.fixture(scope="module", params=WAYS)
def exponential(request):
    """Each way to get exp(-speed^2)."""
    return WAYS[request.param]


def short(speeds):
    """Positive speeds of 24 bits, so that their squares are float64 numbers."""
    return np.abs(np.asarray(speeds, np.float32).astype(np.float64))


def worst(exponential, speeds):
    """The largest error in units in the last place of the truth."""
    with mpmath.workdps(40):
        truth = [mpmath.exp(-(mpmath.mpf(x) ** 2)) for x in speeds.tolist()]
        found = exponential(speeds).tolist()
        return max(float(abs(x - y)) / math.ulp(float(y)) for x, y in zip(found, truth))


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1e-8), (1e-8, 0.3), (0.3, 1.0), (1.0, 40.0), (40.0, 300.0), (300, 708)]
)
def test_is_right_to_the_last_place(exponential, low, high):
    speeds = short(np.sqrt(np.random.default_rng(0).uniform(low, high, 600)))
    speeds = np.where(speeds**2 <= -LEAST, speeds, 1.0)
    assert (speeds * speeds == [float(mpmath.mpf(x) ** 2) for x in speeds.tolist()]).all()
    assert worst(exponential, speeds) <= ULPS


def test_is_right_where_the_reduction_goes_to_the_next_power_of_two(exponential):
    """Half-way between multiples of ln 2 the polynomial's argument is largest."""
    halves = (np.arange(1021) + 0.5) * math.log(2.0)
    speeds = short(np.sqrt(halves))
    around = np.concatenate([speeds, short(speeds * (1 - 2.0**-22)), short(speeds * (1 + 2.0**-22))])
    assert worst(exponential, around[around**2 <= -LEAST]) <= ULPS


def test_is_one_at_zero_and_next_to_it(exponential):
    speeds = np.array([5e-324, 1e-200, 1e-30, 2.0**-28, 2.0**-27])
    np.testing.assert_array_equal(exponential(speeds), np.ones(5))


def test_ends_at_the_smallest_normal_power(exponential):
    """From there to where float64 ends, at -745, and beyond to minus infinity."""
    speeds = np.array([*short(np.sqrt(np.linspace(709.0, 745.0, 30))), 30.0, 1e3, 1e100, 1e200])
    found = exponential(speeds)
    np.testing.assert_array_equal(found, found[0])
    assert found[0] == pytest.approx(math.exp(LEAST), rel=4 * 2.0**-52)
    assert found[0] > np.finfo(float).tiny


def test_never_rises_with_speed(exponential):
    """Over speeds that are further apart than what rounding can turn round."""
    found = exponential(short(np.linspace(0.01, 26.5, 4000)))
    assert (np.diff(found) < 0.0).all()


def test_of_nan_is_nan(exponential):
    speeds = np.array([0.5, math.nan, 1.0, -math.nan, 2.0, 0.25, 3.0, 4.0, math.nan, 0.125, 1.5])
    with fs.unchecked():
        found = exponential(speeds)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(speeds))


def test_one_state_has_the_bits_that_lanes_have():
    speeds = np.random.default_rng(2).uniform(-28.0, 28.0, 999)
    expected = in_lanes(speeds)
    for count in (1, 2, 3, 5, 8):
        np.testing.assert_array_equal(one_by_one(count)(speeds), expected, f"{count} wheels")
