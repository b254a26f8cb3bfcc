"""Inertias: conversions, what a real body's inertia fulfils, and solving with articulated ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featherstone.spatial.articulated_inertia import ArticulatedInertia
from featherstone.spatial.rigid_inertia import Inertia
from featherstone.spatial.spatial_vectors import Force, Motion
from featherstone.spatial.transform import Transform

COM = np.array([0.1, -0.4, 0.3])


def test_conversions_lead_back(I, near):
    assert Inertia.from_matrix(I.matrix()) == I
    assert Inertia.from_parameters(I.parameters) == I
    assert Inertia(I.mass, I.first_moment, I.inertia_about_origin) == I
    assert ArticulatedInertia.from_matrix(I.matrix()) == I.articulated()
    heavy = I[I.mass > 0]
    again = Inertia.from_mass_com_inertia(heavy.mass, heavy.com, heavy.inertia_about_com)
    near(again, np.asarray(heavy), 100.0, 32)


def test_articulated_conversions_lead_back(IA):
    assert ArticulatedInertia.from_matrix(IA.matrix()) == IA
    assert ArticulatedInertia(IA.angular, IA.coupling, IA.linear) == IA
    np.testing.assert_array_equal(IA.matrix(), np.swapaxes(IA.matrix(), 1, 2))


def test_a_matrix_that_is_symmetric_up_to_rounding_is_made_symmetric(IA, rng, near):
    A = IA.matrix()[0]
    off = A * (1.0 + 1e-12 * rng.normal(size=(6, 6)))
    made = ArticulatedInertia.from_matrix(off).matrix()
    np.testing.assert_array_equal(made, made.T)
    near(made, (off + off.T) / 2, np.abs(A), 2)
    about_origin = Inertia(1.0, [0, 0, 0], off[:3, :3]).inertia_about_origin
    near(about_origin, (off + off.T)[:3, :3] / 2, np.abs(A[:3, :3]), 2)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_symmetry_is_judged_relative_to_the_entries(scale):
    A = scale * np.array([[1.0, 0.1, 0], [0.1001, 1.0, 0], [0, 0, 1.0]])
    with pytest.raises(ValueError, match="expected a symmetric matrix"):
        Inertia(1.0, [0, 0, 0], A)


def test_matrix_has_the_book_s_blocks():
    I = Inertia(2.0, [1, 2, 3], np.diag([4, 5, 6]))
    np.testing.assert_array_equal(
        I.matrix(),
        [
            [4, 0, 0, 0, -3, 2],
            [0, 5, 0, 3, 0, -1],
            [0, 0, 6, -2, 1, 0],
            [0, 3, -2, 2, 0, 0],
            [-3, 0, 1, 0, 2, 0],
            [2, -1, 0, 0, 0, 2],
        ],
    )
    np.testing.assert_array_equal(I.parameters, [2, 1, 2, 3, 4, 0, 5, 0, 0, 6])


def test_momentum_of_a_body_is_mass_times_velocity_of_its_centre():
    I = Inertia.from_mass_com_inertia(2.0, COM, np.diag([0.1, 0.2, 0.3]))
    v = Motion([0.5, -1, 2], [1, 0, 3])
    p = 2.0 * (v.linear + np.cross(v.angular, COM))
    h = I @ v
    np.testing.assert_allclose(h.force, p, rtol=1e-14)
    np.testing.assert_allclose(h.moment, np.cross(COM, p) + np.array([0.05, -0.2, 0.6]), rtol=1e-14)


def test_properties_of_a_batch_have_its_shape(I):
    batch = I[I.mass > 0][:12][None]
    assert batch.mass.shape == (1, 12)
    assert batch.com.shape == batch.first_moment.shape == (1, 12, 3)
    assert batch.inertia_about_com.shape == batch.inertia_about_origin.shape == (1, 12, 3, 3)
    assert batch.pseudo_inertia().shape == (1, 12, 4, 4)
    assert batch.matrix().shape == (1, 12, 6, 6)


def test_a_massless_body_has_no_centre_of_mass():
    with pytest.raises(
        ValueError, match=r"com: expected a mass that is not zero, got 0 in Inertia; hint: first_moment"
    ):
        _ = Inertia.zero().com
    with pytest.raises(ValueError, match=r"Inertia\[1\]"):
        _ = (Inertia(np.array([1.0, 0.0]), [0, 0, 0], np.eye(3))).com
    np.testing.assert_array_equal(Inertia(0.0, [0, 0, 0], np.eye(3)).inertia_about_com, np.eye(3))


def test_sums_of_both_kinds_are_sums_of_matrices(I, IA, near):
    size = np.abs(I.matrix()) + np.abs(IA.matrix())
    for total in (I + IA, IA + I, IA + I.articulated()):
        assert isinstance(total, ArticulatedInertia)
        near(total, I.matrix() + IA.matrix(), size, 2)
    assert isinstance(I + I, Inertia)
    near(I + I, 2 * I.matrix(), size, 2)


def test_pseudo_inertia_has_the_second_moments_of_mass(rng, near):
    mass, points = rng.uniform(size=5), rng.normal(size=(5, 3))
    bodies = Inertia.from_mass_com_inertia(mass, points, np.zeros((3, 3)))
    total = sum(bodies[1:], start=bodies[0])
    ones = np.concatenate([points, np.ones((5, 1))], axis=1)
    near(total.pseudo_inertia(), np.einsum("k,ki,kj->ij", mass, ones, ones), 20.0, 32)


def test_inertias_of_real_bodies_are_consistent(I, X):
    assert I.is_physically_consistent().all()
    assert (X @ I).is_physically_consistent().all()
    I.check()
    assert I[0].is_physically_consistent() is True


def diagonal(*moments):
    return np.diag(np.asarray(moments, float))


BROKEN = [
    (Inertia(-1.0, [0, 0, 0], np.eye(3)), r"Inertia: expected a mass >= 0, got -1"),
    (Inertia(0.0, [0, 1, 0], np.eye(3)), r"expected a first moment of zero where there is no mass, got \[0, 1, 0\]"),
    (Inertia(1e-320, [0, 1, 0], np.eye(3)), "expected a first moment of zero where there is no mass"),
    (Inertia(1.0, [0, 0, 0], diagonal(1, -0.1, 1)), r"expected principal moments .* >= 0, got \[-0.1, 1, 1\]"),
    (Inertia(1.0, [0, 0, 1], diagonal(0.9, 1, 1)), "expected principal moments about the centre of mass >= 0"),
    (
        Inertia(1.0, [0, 0, 0], diagonal(1, 1, 2.1)),
        r"none exceeds the sum of the others \(triangle rule\), got \[1, 1, 2.1\]",
    ),
    (Inertia(0.0, [0, 0, 0], diagonal(1, 1, 2.1)), "triangle rule"),
]


@pytest.mark.parametrize(("inertia", "message"), BROKEN)
def test_check_says_which_condition_fails(inertia, message):
    assert inertia.is_physically_consistent() is False
    with pytest.raises(ValueError, match=message):
        inertia.check()
    assert np.linalg.eigvalsh(inertia.pseudo_inertia())[0] < -1e-9


def test_check_says_which_body_of_a_batch_fails():
    batch = Inertia(np.array([[1.0, 2.0, -3.0]]), [0, 0, 0], np.eye(3))
    np.testing.assert_array_equal(batch.is_physically_consistent(), [[True, True, False]])
    with pytest.raises(ValueError, match=r"Inertia\[0, 2\]: expected a mass >= 0, got -3"):
        batch.check()


def test_tolerance_is_relative_to_the_inertia():
    for scale in (1e-9, 1.0, 1e9):
        almost = Inertia(scale, [0, 0, 0], scale * diagonal(1, 1, 2.0001))
        assert not almost.is_physically_consistent()
        assert almost.is_physically_consistent(tolerance=1e-4)
        almost.check(tolerance=1e-4)
    for wrong in (-1.0, np.nan, [0.1]):
        with pytest.raises(ValueError, match="tolerance"):
            almost.check(tolerance=wrong)


def test_a_rod_far_away_passes_in_spite_of_rounding():
    rod = Inertia.from_mass_com_inertia(1.0, [0, 0, 0], diagonal(1, 1, 0))
    for distance in (1.0, 1e3, 1e6):
        assert (Transform(np.eye(3), [distance, 0.3 * distance, 0]) @ rod).is_physically_consistent()


@settings(derandomize=True, deadline=None)
@given(
    st.floats(0.01, 100),
    st.tuples(*[st.floats(-1, 1)] * 3),
    st.tuples(*[st.floats(-0.2, 2)] * 3),
    st.tuples(*[st.floats(-3, 3)] * 3),
)
def test_consistent_means_a_positive_semidefinite_pseudo_inertia(mass, com, moments, turn):
    about_com = Transform.exp(Motion(turn, [0, 0, 0])) @ Inertia(mass, [0, 0, 0], diagonal(*moments))
    I = Inertia.from_mass_com_inertia(mass, com, about_com.inertia_about_origin)
    # shifted to the centre of mass, a congruence, the matrix is diag(S, m), whose signs are well determined
    low, middle, high = sorted(moments)
    margin = min(low, low + middle - high)
    if abs(margin) > 1e-6:
        assert I.is_physically_consistent() == (margin > 0)
        shift = np.eye(4)
        shift[:3, 3] = -np.array(com)
        least = np.linalg.eigvalsh(shift @ I.pseudo_inertia() @ shift.T)[0]
        assert (least > -1e-12 * mass) == (margin > 0)


def test_a_matrix_that_is_no_inertia_is_an_error():
    A = Inertia.from_mass_com_inertia(2.0, COM, np.eye(3)).matrix()
    A[3, 3] = 2.5
    with pytest.raises(ValueError, match=r"matrix: expected the blocks of a rigid body, .* hint: ArticulatedInertia"):
        Inertia.from_matrix(A)
    ArticulatedInertia.from_matrix(A)
    A[0, 5] += 1.0
    for kind in (Inertia, ArticulatedInertia):
        with pytest.raises(ValueError, match=r"matrix: expected a symmetric matrix, got entries that differ by 1 from"):
            kind.from_matrix(A)
    with pytest.raises(ValueError, match=r"inertia_about_com\[1\]: expected a symmetric matrix"):
        Inertia.from_mass_com_inertia(1.0, COM, np.stack([np.eye(3), np.arange(9).reshape(3, 3)]))


def test_solve_is_the_inverse_of_the_product(IA, f):
    a = IA.solve(f)
    assert isinstance(a, Motion)
    # backward stable: what is left over is a rounding of the product
    size = (np.abs(IA.matrix()) @ np.abs(np.asarray(a))[..., None])[..., 0].max(axis=1, keepdims=True)
    assert (np.abs(np.asarray(IA @ a) - np.asarray(f)) <= 200 * 2.0**-53 * size + 1e-300).all()


def test_solve_does_not_depend_on_the_units():
    A = Inertia.from_mass_com_inertia(1e-9, [1e-5, 0, 0], 1e-19 * np.eye(3))
    # sizes at which both halves carry comparable energy, so that none drowns in the other's roundings
    f = A @ Motion([1e5, 2e5, 3e5], [4, 5, 6])
    np.testing.assert_allclose(np.asarray(A.articulated().solve(f)), [1e5, 2e5, 3e5, 4, 5, 6], rtol=1e-13)


def test_solve_of_a_singular_inertia_is_an_error(IA):
    with pytest.raises(ValueError, match=r"ArticulatedInertia: expected a regular matrix, got a singular one; hint"):
        ArticulatedInertia.zero().solve(Force.zero())
    A = IA.matrix()
    S = np.array([0, 0, 1.0, 0, 0, 0.2])
    A[4] -= np.outer(A[4] @ S, A[4] @ S) / (S @ A[4] @ S)
    with pytest.raises(ValueError, match=r"ArticulatedInertia\[4\]"):
        ArticulatedInertia.from_matrix(A).solve(Force.zero())
