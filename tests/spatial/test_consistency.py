"""The nearest inertia that a body can have: physical, nearest, and the same in all axes."""

import numpy as np
import pytest

from featherstone.spatial.consistency import FLOOR, nearest_tensors, pseudo_inertia_matrix

EPS = np.finfo(float).eps


def symmetric(seed, shape=(200, 3, 3)):
    A = np.random.default_rng(seed).normal(size=shape)
    return A + np.swapaxes(A, -1, -2) + np.eye(3)


def second_moments(I):
    return 0.5 * np.trace(I, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - I


def mendable(seed):
    I = symmetric(seed)
    return I[np.trace(I, axis1=-2, axis2=-1) > 0.1]


def test_it_is_symmetric_and_physical_by_the_pseudo_inertia():
    I = mendable(0)
    N = nearest_tensors(I)
    assert np.array_equal(N, np.swapaxes(N, -1, -2))
    assert (np.linalg.eigvalsh(second_moments(I))[:, 0] < 0).sum() > 50  # many were not
    m, c = 2.0, np.array([0.3, -0.2, 0.5])
    about_origin = N + m * (c @ c * np.eye(3) - np.outer(c, c))
    P = pseudo_inertia_matrix(np.full(len(N), m), np.tile(m * c, (len(N), 1)), about_origin)
    assert (np.linalg.eigvalsh(P)[:, 0] > 0).all()
    moments = np.linalg.eigvalsh(N)
    assert (moments[:, 0] + moments[:, 1] - moments[:, 2] > FLOOR * moments[:, 2]).all()


def test_no_other_physical_one_is_nearer():
    """Against random physical second moments near the answer; the set is convex, so near is enough."""
    I = mendable(1)
    S, T = second_moments(I), second_moments(nearest_tensors(I))
    rng = np.random.default_rng(2)
    least = FLOOR * np.linalg.eigvalsh(S)[:, -1:, None] * np.eye(3)
    for step in (1e-3, 1e-2, 0.1, 1.0):
        B = rng.normal(size=I.shape)
        other = (1 - step) * T + step * (B @ np.swapaxes(B, -1, -2) + least)
        mine, others = (np.linalg.norm(x - S, axis=(-1, -2)) for x in (T, other))
        assert (mine <= others * (1 + 10 * EPS)).all()


def test_what_is_physical_stays():
    B = np.random.default_rng(3).normal(size=(100, 3, 3))
    S = B @ np.swapaxes(B, -1, -2) + 0.01 * np.eye(3)
    I = np.trace(S, axis1=-2, axis2=-1)[:, None, None] * np.eye(3) - S
    size = np.linalg.norm(I, axis=(-1, -2)).max()
    np.testing.assert_allclose(nearest_tensors(I), I, rtol=0, atol=20 * EPS * size)


def test_axes_do_not_matter():
    I = mendable(4)
    Q = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    turned = Q @ I @ Q.T
    turned = 0.5 * (turned + np.swapaxes(turned, -1, -2))
    size = np.linalg.norm(I, axis=(-1, -2)).max()
    np.testing.assert_allclose(nearest_tensors(turned), Q @ nearest_tensors(I) @ Q.T, rtol=0, atol=100 * EPS * size)


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_a_disc_that_is_too_flat_becomes_a_disc(scale):
    N = nearest_tensors(scale * np.diag([1.0, 1.0, 3.0]))
    np.testing.assert_allclose(N / scale, np.diag([1.5, 1.5, 3.0]), rtol=2 * FLOOR)


def test_where_nothing_is_near_there_is_nan():
    assert np.isnan(nearest_tensors(-np.eye(3))).all()
    assert np.isnan(nearest_tensors(np.diag([-3.0, 1.0, 1.0]))).all()
    assert np.isnan(nearest_tensors(np.zeros((3, 3)))).all()
