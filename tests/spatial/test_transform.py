"""Transforms: every way to make them, against SciPy's rotations, and every way to write them out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from featherstone.spatial.spatial_vectors import Motion
from featherstone.spatial.transform import Transform

P = np.array([0.3, -1.2, 2.0])


@pytest.fixture
def rotations(rng):
    w = rng.normal(size=(20, 3))
    w[:4] = (0, 0, 0), (np.pi, 0, 0), (0, 1e-7, 0), (0, np.pi - 1e-7, 0)
    return Rotation.from_rotvec(w)


def test_all_constructors_make_the_same_pose(rotations, near):
    R = rotations.as_matrix()
    T = np.zeros((20, 4, 4))
    T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = R, P, 1.0
    X = Transform(R, P)
    assert Transform.from_matrix(T) == X
    assert Transform.from_matrix(np.asarray(X)) == X
    assert Transform.from_rotation(rotations, P) == X
    near(Transform.from_quaternion(rotations.as_quat(), P), np.asarray(X), 1.0, 16)
    near(Transform.from_quaternion(-3.0 * rotations.as_quat(), P), np.asarray(X), 1.0, 16)
    near(Transform.exp(Motion(rotations.as_rotvec(), [0, 0, 0])).rotation, R, 1.0, 32)


def test_logarithm_is_scipys_rotation_vector(rotations, near):
    w = Transform.from_rotation(rotations).log().angular
    w = np.where(np.abs(w + rotations.as_rotvec()).max(axis=1, keepdims=True) < 1e-12, -w, w)  # at a half turn
    near(w, rotations.as_rotvec(), 4.0, 32)


def test_a_single_scipy_rotation_is_a_single_transform():
    X = Transform.from_rotation(Rotation.from_euler("xyz", [0.1, 0.2, 0.3]), P)
    assert X.shape == ()
    np.testing.assert_array_equal(X.position, P)


def test_quaternion_is_scipys_up_to_sign(rotations, near):
    q, expected = Transform.from_rotation(rotations).quaternion, rotations.as_quat()
    near(q * np.sign(np.sum(q * expected, axis=1, keepdims=True)), expected, 1.0, 16)
    assert (q.max(axis=1) == np.abs(q).max(axis=1)).all()


def test_points_move_as_scipy_rotates_them(rotations, rng, near):
    points = rng.normal(size=(5, 1, 3))
    expected = np.stack([rotations.apply(p[0]) + P for p in points])
    near(Transform.from_rotation(rotations, P).transform_point(points), expected, 10.0, 16)


def test_position_is_zero_by_default():
    np.testing.assert_array_equal(Transform(np.eye(3)).position, np.zeros(3))
    assert Transform.from_quaternion([0, 0, 0, 1]) == Transform.identity()
    assert Transform.identity((2, 3)).shape == (2, 3)


def test_quaternions_of_extreme_length_are_taken(near):
    expected = Transform.from_quaternion([1, 2, 3, 4]).rotation
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        near(Transform.from_quaternion(scale * np.array([1.0, 2, 3, 4])).rotation, expected, 1.0, 16)


def test_matrices_are_those_of_a_hand_computed_quarter_turn(near):
    X = Transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1, 2, 3])
    np.testing.assert_array_equal(X.as_matrix(), [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    pR = [[-3, 0, 2], [0, -3, -1], [1, 2, 0]]
    np.testing.assert_array_equal(X.motion_matrix()[3:, :3], pR)
    np.testing.assert_array_equal(X.motion_matrix()[:3, 3:], np.zeros((3, 3)))
    np.testing.assert_array_equal(X.force_matrix()[:3, 3:], pR)
    np.testing.assert_array_equal(X.force_matrix()[3:, :3], np.zeros((3, 3)))
    # a body that turns about B's x axis, which is A's y axis through (1, 2, 3)
    near(X @ Motion([1, 0, 0], [0, 0, 0]), [0, 1, 0, -3, 0, 1], 3.0, 8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Transform(2.0 * np.eye(3)),
            r"rotation: expected an orthonormal matrix, got R R\^T off the identity by 3",
        ),
        (lambda: Transform(np.stack([np.eye(3), np.ones((3, 3))])), r"rotation\[1\]: expected an orthonormal matrix"),
        (lambda: Transform(np.diag([1, 1, -1])), r"rotation: expected determinant \+1, got -1; hint: a reflection"),
        (lambda: Transform.from_matrix(np.ones((4, 4))), r"matrix: expected a last row \(0, 0, 0, 1\), got \[1"),
        (lambda: Transform.from_matrix(np.stack([np.eye(4), 2 * np.eye(4)])), r"matrix\[1\]: expected a last row"),
        (lambda: Transform.from_quaternion([0, 0, 0, 0]), "quaternion: expected one that is not zero"),
        (
            lambda: Transform.from_quaternion([[0, 0, 0, 1], [0, 0, 0, 0]]),
            r"quaternion\[1\]: expected one that is not zero",
        ),
    ],
)
def test_what_is_no_pose_is_a_value_error(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_last_row_may_have_rounding_errors():
    T = np.eye(4)
    T[3] = 1e-16, 0, -1e-16, 1 - 1e-15
    assert Transform.from_matrix(T) == Transform.identity()
    T[3, 0] = 1e-9
    with pytest.raises(ValueError, match="last row"):
        Transform.from_matrix(T)


def test_a_rotation_written_with_seven_digits_is_kept_as_given():
    R = np.round(Rotation.from_rotvec([1, 2, 3]).as_matrix(), 7)
    np.testing.assert_array_equal(Transform(R).rotation, R)
