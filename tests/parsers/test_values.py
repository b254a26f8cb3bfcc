"""Numbers and rotations."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featherstone.parsers.values import decimal, decimals, rotation_from_rpy


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0.0),
        ("-0", 0.0),
        ("+1e-2", 0.01),
        ("0.", 0.0),
        (".5", 0.5),
        ("2.E-2", 0.02),
        ("3e-002", 0.03),
        (" 1\t", 1.0),
        ("1E5", 1e5),
        ("1e-999", 0.0),
        ("0" * 400 + "1", 1.0),
    ],
)
def test_plain_decimals(text, value):
    assert decimal(text) == value
    assert math.copysign(1.0, decimal(text)) == 1.0


@pytest.mark.parametrize(
    "text",
    ["", " ", "nan", "inf", "-infinity", "1_0", "0x10", "１", "١", "1,5", "1e", "e5", ".", "+", "--1", "- 1", "1 2",
     "1f", "1e5.0", "1.2.3", "1\u00a0", "\u20031", "1\n\x00", "True", "1e999", "-1e309", "9" * 400],
)  # fmt: skip
def test_everything_else_is_refused(text):
    with pytest.raises(ValueError, match="expected"):
        decimal(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_prints_is_read_back_exactly(x):
    assert decimal(repr(x)) == x
    assert decimal(f"{x:.17e}") == x


@given(st.text(max_size=20))
def test_what_is_taken_is_what_python_takes(text):
    try:
        value = decimal(text)
    except ValueError:
        return
    assert value == float(text)
    assert math.isfinite(value)


def test_vectors_split_at_xml_blanks_only():
    assert decimals(" 1  2\t3\r\n", 3) == (1.0, 2.0, 3.0)
    for text in ("1\u00a02\u00a03", "1,2,3", "1 2", "1 2 3 4", ""):
        with pytest.raises(ValueError, match="expected"):
            decimals(text, 3)


def test_a_long_number_takes_no_time_to_refuse():
    with pytest.raises(ValueError, match="expected"):
        decimal("1" * 1_000_000 + "x")


ANGLES = st.floats(-10, 10)


@given(ANGLES, ANGLES, ANGLES)
def test_rotations_are_orthonormal(roll, pitch, yaw):
    R = np.array(rotation_from_rpy(roll, pitch, yaw))
    # an entry is at most three products deep, each within half a rounding, and so is each sum of R R^T
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=16 * sys.float_info.epsilon)
    assert np.linalg.det(R) > 0


@given(ANGLES, ANGLES, ANGLES)
def test_exact_zeros_move_no_entry_by_more_than_rounding(roll, pitch, yaw):
    sr, sp, sy = map(math.sin, (roll, pitch, yaw))
    cr, cp, cy = map(math.cos, (roll, pitch, yaw))
    plain = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    # three angles, each off by less than one rounding
    np.testing.assert_allclose(rotation_from_rpy(roll, pitch, yaw), plain, rtol=0, atol=4 * sys.float_info.epsilon)


@pytest.mark.parametrize("turns", [-2, -1, 1, 2, 3])
def test_quarter_turns_are_exact(turns):
    for axis in range(3):
        rpy = [0.0, 0.0, 0.0]
        rpy[axis] = turns * math.pi / 2
        R = np.array(rotation_from_rpy(*rpy))
        np.testing.assert_array_equal(R, np.round(R))


def test_small_angles_stay():
    assert rotation_from_rpy(0.0, 0.0, 1e-300)[1][0] == 1e-300
    assert rotation_from_rpy(1e-17, 0.0, 0.0)[2][1] == 1e-17
