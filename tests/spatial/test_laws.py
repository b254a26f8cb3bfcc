"""Laws of the algebra of spatial vectors, on batches with every awkward pose. Featherstone (2008), chapter 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featherstone.spatial.rigid_inertia import Inertia
from featherstone.spatial.spatial_vectors import Force, Motion
from featherstone.spatial.transform import Transform

OPERATIONS = 64


def size_of(X):
    """How much a transform can lengthen a vector."""
    return 2 * (1 + np.abs(X.position).sum(axis=-1))


def largest(x):
    return np.abs(np.asarray(x)).max(axis=-1)


def test_force_matrix_is_the_inverse_transpose_of_the_motion_matrix(X, near):
    product = X.force_matrix() @ np.swapaxes(X.motion_matrix(), 1, 2)
    near(product, np.broadcast_to(np.eye(6), product.shape), size_of(X)[:, None, None] ** 2, OPERATIONS)


def test_power_is_the_same_in_every_frame(X, m, f, near):
    size = size_of(X) ** 2 * 6 * largest(m) * largest(f)
    near((X @ m).dot(X @ f), m.dot(f), size, OPERATIONS)
    near(f.dot(m), m.dot(f), 1.0, 0)
    assert np.abs(m.dot(f)).max() > 1.0


def test_power_is_bilinear(m, v, f, near):
    size = 6 * (largest(m) + 2 * largest(v)) * largest(f)
    near((m + 2.0 * v).dot(f), m.dot(f) + 2.0 * v.dot(f), size, OPERATIONS)


def test_cross_product_with_itself_vanishes(v, near):
    near(v.cross(v), np.zeros((*v.shape, 6)), 2 * largest(v)[:, None] ** 2, 8)


def test_cross_product_of_motions_is_antisymmetric(v, m, near):
    near(v.cross(m), -np.asarray(m.cross(v)), 4 * (largest(v) * largest(m))[:, None], 8)
    assert np.abs(np.asarray(v.cross(m))).max() > 1.0


def test_jacobi_identity(v, m, near):
    a, b, c = v, m, Motion.from_array(np.roll(np.asarray(m), 7, axis=0))
    total = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    near(total, np.zeros((*v.shape, 6)), 12 * (largest(a) * largest(b) * largest(c))[:, None], OPERATIONS)


def test_cross_product_of_forces_is_dual_to_that_of_motions(v, m, f, near):
    np.testing.assert_array_equal(v.force_cross_matrix(), -np.swapaxes(v.motion_cross_matrix(), 1, 2))
    size = 24 * largest(v) * largest(m) * largest(f)
    near(v.cross(m).dot(f), -m.dot(v.cross(f)), size, OPERATIONS)


def test_cross_matrices_act_as_the_cross_products(v, m, f, near):
    near(np.einsum("nij,nj->ni", v.motion_cross_matrix(), m), v.cross(m), 6 * (largest(v) * largest(m))[:, None], 16)
    near(np.einsum("nij,nj->ni", v.force_cross_matrix(), f), v.cross(f), 6 * (largest(v) * largest(f))[:, None], 16)


def test_transform_commutes_with_cross_products(X, v, m, f, near):
    size = (4 * size_of(X) ** 2)[:, None]
    near(X @ v.cross(m), (X @ v).cross(X @ m), size * (largest(v) * largest(m))[:, None], OPERATIONS)
    near(X @ v.cross(f), (X @ v).cross(X @ f), size * (largest(v) * largest(f))[:, None], OPERATIONS)


def test_transforms_are_a_group(X, Y, near):
    Z = Transform.exp(Motion.from_array(np.linspace(-1, 1, 6)))
    size = (4 * size_of(X) * size_of(Y))[:, None, None]
    near((X @ Y) @ Z, np.asarray(X @ (Y @ Z)), size, OPERATIONS)
    near(X @ X.inverse(), np.asarray(Transform.identity(X.shape)), size, OPERATIONS)
    near((X @ Y).inverse(), np.asarray(Y.inverse() @ X.inverse()), size, OPERATIONS)
    near(X @ Transform.identity(), np.asarray(X), 1.0, 0)


def test_matrices_are_a_representation(X, Y, m, f, near):
    size = (4 * size_of(X) * size_of(Y))[:, None, None]
    near((X @ Y).as_matrix(), X.as_matrix() @ Y.as_matrix(), size, OPERATIONS)
    near((X @ Y).motion_matrix(), X.motion_matrix() @ Y.motion_matrix(), size, OPERATIONS)
    near((X @ Y).force_matrix(), X.force_matrix() @ Y.force_matrix(), size, OPERATIONS)
    near(X @ m, np.einsum("nij,nj->ni", X.motion_matrix(), m), size[..., 0] * largest(m)[:, None], OPERATIONS)
    near(X @ f, np.einsum("nij,nj->ni", X.force_matrix(), f), size[..., 0] * largest(f)[:, None], OPERATIONS)


def test_momentum_and_kinetic_energy_do_not_depend_on_the_frame(X, I, v, near):
    inertia = largest(I.parameters)
    size = 40 * size_of(X) ** 3 * inertia * largest(v)
    near((X @ I) @ (X @ v), np.asarray(X @ (I @ v)), size[:, None], OPERATIONS)
    near((X @ v).dot((X @ I) @ (X @ v)), v.dot(I @ v), size * size_of(X) * largest(v), OPERATIONS)
    assert (v.dot(I @ v) >= 0).all()


def test_articulated_momentum_does_not_depend_on_the_frame(X, IA, v, near):
    size = 40 * size_of(X) ** 3 * np.abs(IA.matrix()).max(axis=(1, 2)) * largest(v)
    near((X @ IA) @ (X @ v), np.asarray(X @ (IA @ v)), size[:, None], OPERATIONS)


def test_transform_of_inertias_commutes_with_sums_and_with_becoming_articulated(X, I, near):
    J = I[::-1]
    size = 10 * size_of(X) ** 2 * (largest(I.parameters) + largest(J.parameters))
    near(X @ (I + J), np.asarray((X @ I) + (X @ J)), size[:, None, None], OPERATIONS)
    near((X @ I).articulated(), np.asarray(X @ I.articulated()), size[:, None, None], OPERATIONS)


def test_parallel_axis_rule(rng, near):
    mass, com = 3.0, rng.normal(size=3)
    about_com = np.diag([0.3, 0.4, 0.5])
    I = Inertia.from_mass_com_inertia(mass, com, about_com)
    near(I.inertia_about_origin, about_com + mass * (com @ com * np.eye(3) - np.outer(com, com)), 10.0, 16)
    near(I.inertia_about_com, about_com, 10 * np.abs(I.inertia_about_origin).max(), OPERATIONS)
    near(I.com, com, 3.0, 4)
    near(I.first_moment, mass * com, 10.0, 2)


def test_euler_equations_of_a_free_body(I, v, near):
    """I a + v x* I v is the rate of momentum in body axes, whose power is the rate of kinetic energy v . I a."""
    a = Motion.from_array(np.roll(np.asarray(v), 3, axis=0))
    f = I @ a + v.cross(I @ v)
    size = 60 * largest(I.parameters) * largest(v) * (largest(a) + largest(v) ** 2)
    near(v.dot(f), v.dot(I @ a), size, OPERATIONS)


def test_pose_of_an_exponential_is_carried_by_its_motion(near):
    m = Motion([0.4, -0.3, 1.1], [1.0, 2.0, -0.5])
    X = Transform.exp(m)
    near(X @ m, np.asarray(m), 8.0, OPERATIONS)
    near(Transform.exp(0.25 * m) @ Transform.exp(0.75 * m), np.asarray(X), 4.0, OPERATIONS)
    near(Transform.exp(-m), np.asarray(X.inverse()), 4.0, OPERATIONS)


def test_exponential_and_logarithm_are_inverse(X, near):
    near(Transform.exp(X.log()), np.asarray(X), (4 * size_of(X))[:, None, None], OPERATIONS)
    assert (np.linalg.norm(X.log().angular, axis=1) <= np.pi * (1 + 1e-15)).all()


def test_logarithm_of_a_matrix_near_a_half_turn_keeps_its_digits(near):
    for gap in (1e-2, 1e-4, 1e-7, 1e-9):
        m = Motion((np.pi - gap) * np.array([1, 2, 2]) / 3, [1, 2, 3])
        # the matrix of the rotation was rounded, by 1 relative to a length of 1
        near(Transform.exp(m).log(), np.asarray(m), 10.0, OPERATIONS)


numbers = st.floats(-1e3, 1e3)
six_numbers = st.tuples(*[numbers] * 6)


@settings(derandomize=True, deadline=None)
@given(six_numbers, six_numbers, six_numbers)
def test_power_is_invariant_under_any_screw(s, a, b):
    X = Transform.exp(Motion.from_array(s) / (1.0 + np.abs(s).max() / 3.0))
    m, f = Motion.from_array(a), Force.from_array(b)
    size = 6 * size_of(X) ** 2 * largest(m) * largest(f)
    assert abs((X @ m).dot(X @ f) - m.dot(f)) <= OPERATIONS * 2.0**-53 * size + 1e-300


@settings(derandomize=True, deadline=None)
@given(six_numbers, st.floats(-1.0, 1.0))
def test_screws_about_one_axis_commute(s, t):
    m = Motion.from_array(s) / (1.0 + np.abs(s).max() / 3.0)
    X, Y = Transform.exp(m), Transform.exp(t * m)
    assert np.abs(np.asarray(X @ Y) - np.asarray(Y @ X)).max() <= OPERATIONS * 2.0**-53 * 4 * size_of(X) * size_of(Y)


@pytest.mark.parametrize("wrong", [(0, 0), (1, 1)])
def test_inertia_of_a_mirror_image_is_no_congruence_by_a_rotation(wrong):
    with pytest.raises(ValueError, match="determinant"):
        Transform(np.diag([1.0, 1.0, -1.0]))
