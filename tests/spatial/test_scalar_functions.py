"""Every scalar function against the 3x3 or 6x6 matrix that it stands for. Featherstone (2008), chapters 2 and 7."""

from __future__ import annotations

import numpy as np
import pytest

from featherstone.spatial import coriolis, inertias, motions, rotations, storage, vectors
from featherstone.spatial.rigid_inertia import Inertia

# the longest sum in any function here has about 20 terms, each a product of up to 4 factors
OPERATIONS = 64


def motion(m):
    return storage.load_motion(np.asarray(m).T, 0)


def transform(X):
    return tuple(X.rotation.reshape(-1, 9).T), tuple(X.position.T)


def rigid(I):
    return storage.load_inertia(I.parameters.T, 0)


def symmetric(S):
    xx, xy, yy, xz, yz, zz = np.broadcast_arrays(*S)
    return np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=-1).reshape(*xx.shape, 3, 3)


def square(R):
    return np.stack(np.broadcast_arrays(*R), axis=-1).reshape(-1, 3, 3)


def articulated(A):
    S = [0, 1, 4, 2, 5, 8]
    return (
        tuple(A[:, 3:, 3:].reshape(-1, 9)[:, S].T),
        tuple(A[:, :3, 3:].reshape(-1, 9).T),
        tuple(A[:, :3, :3].reshape(-1, 9)[:, S].T),
    )


def six(m):
    return np.stack([*m[0], *m[1]], axis=-1)


def six_by_six(inertia):
    M, H, I = inertia
    return np.block([[symmetric(I), square(H)], [np.swapaxes(square(H), 1, 2), symmetric(M)]])


def times(A, x):
    return np.einsum("nij,nj->ni", A, x)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def motion_matrix(X):
    """Featherstone's X = [[R, 0], [(p x) R, R]], written out on its own."""
    R = X.rotation
    pR = np.stack([skew(p) @ r for r, p in zip(R, X.position)])
    return np.block([[R, np.zeros_like(R)], [pR, R]])


def force_matrix(X):
    return np.swapaxes(np.linalg.inv(motion_matrix(X)), 1, 2)


def motion_cross_matrix(v):
    def one(w, u):
        return np.block([[skew(w), np.zeros((3, 3))], [skew(u), skew(w)]])

    return np.stack([one(w, u) for w, u in zip(v.angular, v.linear)])


@pytest.fixture
def sizes(X, m, v, f):
    """The largest intermediate numbers of a product X m."""
    return (1 + np.abs(X.position).sum(axis=1, keepdims=True)) ** 2


def test_vector_functions_are_those_of_numpy(rng, near):
    a, b = rng.normal(size=(2, 3))
    size = 10.0
    near(vectors.add(tuple(a), tuple(b)), a + b, size, 1)
    near(vectors.subtract(tuple(a), tuple(b)), a - b, size, 1)
    near(vectors.scale(2.5, tuple(a)), 2.5 * a, size, 1)
    near(vectors.dot(tuple(a), tuple(b)), a @ b, size, 5)
    near(vectors.cross(tuple(a), tuple(b)), np.cross(a, b), size, 3)


def test_rotation_functions_are_matrix_products(X, Y, m, near):
    A, B, a = transform(X)[0], transform(Y)[0], motion(m)[0]
    R, S = X.rotation, Y.rotation
    size = 3 * np.abs(m.angular).max(axis=1, keepdims=True)
    near(np.stack(rotations.rotate(A, a), -1), times(R, m.angular), size, OPERATIONS)
    near(np.stack(rotations.rotate_back(A, a), -1), times(np.swapaxes(R, 1, 2), m.angular), size, OPERATIONS)
    near(square(rotations.compose(A, B)), R @ S, 3.0, OPERATIONS)
    near(square(rotations.transpose(A)), np.swapaxes(R, 1, 2), 1.0, 0.5)


@pytest.mark.parametrize("angle", [0.0, 1e-7, 0.5, -2.0, np.pi, 100.0])
def test_turn_about_z_is_a_product_with_the_rotation_about_z(X, angle, near):
    s, c = np.sin(angle), np.cos(angle)
    Rz = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    near(square(rotations.turn_about_z(transform(X)[0], s, c)), X.rotation @ Rz, 2.0, 8)


def test_quaternion_functions_are_those_of_rotations(rng, near):
    p, q = rng.normal(size=(2, 50, 4))
    a, b = tuple(p.T), tuple(q.T)
    R, S = square(rotations.rotation_from_quaternion(a)), square(rotations.rotation_from_quaternion(b))
    near(R @ np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape), 1.0, OPERATIONS)
    near(np.linalg.det(R), np.ones(50), 1.0, OPERATIONS)
    near(square(rotations.rotation_from_quaternion(rotations.quaternion_product(a, b))), R @ S, 1.0, 2 * OPERATIONS)
    back = rotations.rotation_from_quaternion(rotations.quaternion_conjugate(a))
    near(square(back), np.swapaxes(R, 1, 2), 1.0, OPERATIONS)


def test_sums_and_multiples_are_componentwise(m, v, near):
    a, b = motion(m), motion(v)
    size = np.abs(np.asarray(m)) + np.abs(np.asarray(v))
    near(six(motions.plus(a, b)), np.asarray(m) + np.asarray(v), size, 1)
    near(six(motions.minus(a, b)), np.asarray(m) - np.asarray(v), size, 1)
    near(six(motions.times(-3.0, a)), -3.0 * np.asarray(m), size, 1)


def test_power_is_the_product_of_components(m, f, near):
    x, y = np.asarray(m), np.asarray(f)
    near(motions.power(motion(m), motion(f)), np.einsum("ni,ni->n", x, y), np.abs(x * y).sum(axis=1), 12)


def test_transforms_of_motions_are_products_with_X(X, m, sizes, near):
    x, a = np.asarray(m), transform(X)
    size = sizes * np.abs(x).max(axis=1, keepdims=True)
    near(six(motions.transform_motion(a, motion(m))), times(motion_matrix(X), x), size, OPERATIONS)
    back = times(np.linalg.inv(motion_matrix(X)), x)
    near(six(motions.transform_motion_back(a, motion(m))), back, size, OPERATIONS)


def test_transforms_of_forces_are_products_with_the_inverse_transpose_of_X(X, f, sizes, near):
    x, a = np.asarray(f), transform(X)
    size = sizes * np.abs(x).max(axis=1, keepdims=True)
    near(six(motions.transform_force(a, motion(f))), times(force_matrix(X), x), size, OPERATIONS)
    back = times(np.swapaxes(motion_matrix(X), 1, 2), x)
    near(six(motions.transform_force_back(a, motion(f))), back, size, OPERATIONS)


def test_compositions_and_inverses_of_transforms_are_those_of_X(X, Y, near):
    def matrix(R, p):
        T = np.zeros((len(p[0]), 4, 4))
        T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = square(R), np.stack(p, -1), 1
        return T

    x, y = transform(X), transform(Y)
    size = 4 * (1 + np.abs(X.position).max(axis=1) + np.abs(Y.position).max(axis=1))[:, None, None]
    near(matrix(*motions.compose_transforms(x, y)), matrix(*x) @ matrix(*y), size, OPERATIONS)
    near(matrix(*motions.invert_transform(x)), np.linalg.inv(matrix(*x)), size, OPERATIONS)


def test_cross_products_are_products_with_crm_and_crf(v, m, f, near):
    crm = motion_cross_matrix(v)
    for x, y in ((motion(v), motion(m)),):
        size = (np.abs(crm) @ np.abs(np.asarray(m))[..., None])[..., 0]
        near(six(motions.cross_motion(x, y)), times(crm, np.asarray(m)), size, 16)
    crf = -np.swapaxes(crm, 1, 2)
    size = (np.abs(crf) @ np.abs(np.asarray(f))[..., None])[..., 0]
    near(six(motions.cross_force(motion(v), motion(f))), times(crf, np.asarray(f)), size, 16)


def test_symmetric_functions_are_those_of_matrices(X, IA, m, near):
    A = IA.matrix()
    M, _, I = articulated(A)
    R, w = transform(X)[0], motion(m)[0]
    size = 10 * np.abs(A).max(axis=(1, 2))
    near(np.stack(inertias.symmetric_times(I, w), -1), times(symmetric(I), m.angular), 1e6, OPERATIONS)
    near(symmetric(inertias.add_symmetric(M, I)), symmetric(M) + symmetric(I), size[:, None, None], 1)
    turned = X.rotation @ symmetric(I) @ np.swapaxes(X.rotation, 1, 2)
    near(symmetric(inertias.rotate_symmetric(R, I)), turned, size[:, None, None], OPERATIONS)


def test_cross_twice_is_two_products_of_skew_matrices(rng, near):
    a, b = rng.normal(size=(2, 3))
    expected = -skew(a) @ skew(b) - skew(b) @ skew(a)
    near(symmetric(inertias.cross_twice(tuple(a), tuple(b))), expected, 4 * np.abs(a).max() * np.abs(b).max(), 16)


def rigid_matrix(I):
    """[[I, h x], [-h x, m 1]], written out on its own."""

    def one(m, h, J):
        return np.block([[J, skew(h)], [-skew(h), m * np.eye(3)]])

    return np.stack([one(*x) for x in zip(I.mass, I.first_moment, I.inertia_about_origin)])


def test_momentum_is_a_product_with_the_inertia_matrix(I, m, near):
    A = rigid_matrix(I)
    size = (np.abs(A) @ np.abs(np.asarray(m))[..., None])[..., 0]
    near(six(inertias.inertia_times(rigid(I), motion(m))), times(A, np.asarray(m)), size, 16)


def coriolis_matrix(B):
    """[[K, 0], [-P x, 0]]: 2 B of a motion (w; u) is (K w; w x P)."""
    K, P = square(B[0]), np.stack(B[1], axis=-1)
    o = np.zeros((3, 3))
    return np.stack([np.block([[k, o], [-skew(p), o]]) for k, p in zip(K, P)])


def test_what_velocity_adds_is_its_definition_and_moves_along(I, v, m, near):
    """2 B = v x* I - I v x + h x*, h x* m being m x* h; its rate v x* 2 B - 2 B v x, here along m."""
    A, crm, along = rigid_matrix(I), motion_cross_matrix(v), motion_cross_matrix(m)
    h = times(A, np.asarray(v))
    from_momentum = np.stack(
        [np.block([[-skew(n), -skew(f)], [-skew(f), np.zeros((3, 3))]]) for n, f in h.reshape(-1, 2, 3)]
    )
    B = coriolis.coriolis_inertia(rigid(I), motion(v))
    size = 8 * np.abs(A).max(axis=(1, 2)) * np.abs(np.asarray(v)).max(axis=1)
    near(coriolis_matrix(B), from_momentum - np.swapaxes(crm, 1, 2) @ A - A @ crm, size[:, None, None], OPERATIONS)
    expected = -np.swapaxes(along, 1, 2) @ coriolis_matrix(B) - coriolis_matrix(B) @ along
    size *= 4 * np.abs(np.asarray(m)).max(axis=1)
    near(coriolis_matrix(coriolis.coriolis_rate(B, motion(m))), expected, size[:, None, None], OPERATIONS)


def test_a_rigid_inertia_is_transformed_by_congruence(X, I, near):
    A, F = rigid_matrix(I), force_matrix(X)
    expected = F @ A @ np.swapaxes(F, 1, 2)
    moved = inertias.transform_inertia(transform(X), rigid(I))
    actual = rigid_matrix(Inertia.from_parameters(np.stack([moved[0], *moved[1], *moved[2]], axis=-1)))
    size = 10 * np.abs(A).max(axis=(1, 2)) * (1 + np.abs(X.position).max(axis=1)) ** 2
    near(actual, expected, size[:, None, None], OPERATIONS)


def test_sums_of_inertias_are_sums_of_matrices(I, near):
    both = inertias.add_inertias(rigid(I), rigid(I[::-1]))
    actual = rigid_matrix(Inertia.from_parameters(np.stack([both[0], *both[1], *both[2]], axis=-1)))
    expected = rigid_matrix(I) + rigid_matrix(I[::-1])
    near(actual, expected, np.abs(expected).max(), 1)


def test_a_rigid_inertia_is_an_articulated_one(I, near):
    near(six_by_six(inertias.articulated(rigid(I))), rigid_matrix(I), 1.0, 0)


def test_articulated_force_is_a_product_with_the_matrix(IA, m, near):
    A = IA.matrix()
    size = (np.abs(A) @ np.abs(np.asarray(m))[..., None])[..., 0]
    near(six(inertias.articulated_times(articulated(A), motion(m))), times(A, np.asarray(m)), size, 16)


def test_sums_of_articulated_inertias_are_sums_of_matrices(IA, near):
    A, B = IA.matrix(), IA[::-1].matrix()
    near(six_by_six(inertias.add_articulated(articulated(A), articulated(B))), A + B, np.abs(A) + np.abs(B), 1)


def test_an_articulated_inertia_is_transformed_by_congruence(X, IA, near):
    A, F = IA.matrix(), force_matrix(X)
    size = 10 * np.abs(A).max(axis=(1, 2)) * (1 + np.abs(X.position).max(axis=1)) ** 2
    actual = six_by_six(inertias.transform_articulated(transform(X), articulated(A)))
    near(actual, F @ A @ np.swapaxes(F, 1, 2), size[:, None, None], OPERATIONS)


def test_eliminate_leaves_nothing_along_the_freedom_that_yields(IA, near):
    A = IA.matrix()
    S = np.array([0.0, 0.6, 0.8, 0.1, 0.0, -0.3])
    U = A @ S
    D = U @ S
    W = U / D[:, None]
    columns = [(tuple(x[:, :3].T), tuple(x[:, 3:].T)) for x in (U, W)]
    left = six_by_six(inertias.eliminate(articulated(A), *columns))
    size = np.abs(A) + np.abs(U[:, :, None] * U[:, None, :]) / D[:, None, None]
    near(left, A - U[:, :, None] * U[:, None, :] / D[:, None, None], size, 16)
    near(left @ S, np.zeros_like(U), 6 * size.max(axis=(1, 2))[:, None], OPERATIONS)
    assert np.abs(left).max() > 0.1


def test_what_is_stored_is_loaded_and_nothing_beside_it(rng):
    for load, store, size in (
        (storage.load_motion, storage.store_motion, storage.MOTION),
        (storage.load_force, storage.store_force, storage.MOTION),
        (storage.load_transform, storage.store_transform, storage.TRANSFORM),
        (storage.load_inertia, storage.store_inertia, storage.RIGID),
        (storage.load_articulated, storage.store_articulated, storage.ARTICULATED),
    ):
        source, target = rng.normal(size=3 * size), np.full(3 * size, np.nan)
        store(target, 1, load(source, 1))
        np.testing.assert_array_equal(target[size : 2 * size], source[size : 2 * size])
        assert np.isnan(target[:size]).all()
        assert np.isnan(target[2 * size :]).all()


def test_a_rotation_is_loaded_row_by_row(rng):
    R = rng.normal(size=(3, 3, 3))
    np.testing.assert_array_equal(square(tuple([x] for x in storage.load_rotation(R.ravel(), 2)))[0], R[2])


def test_a_force_is_added_to_what_is_there(rng):
    array = rng.normal(size=18)
    expected = array.copy()
    expected[6:12] += np.arange(1.0, 7.0)
    storage.add_force(array, 1, ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))
    np.testing.assert_array_equal(array, expected)
