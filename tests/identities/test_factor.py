"""The factor of the mass matrix: H = L^T D L with the sparsity of the tree."""

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import joint_of_each_dof, random_v
from ..rounding import U


def above(model):
    """Which degrees of freedom carry which: entry [k, j] where j is k's own joint's or lies between it and the base."""
    ancestors = [set() for _ in range(model.nb)]
    for b, parent in enumerate(model.parent.tolist()):
        ancestors[b] = {b} | (ancestors[parent] if parent >= 0 else set())
    body = joint_of_each_dof(model)
    return np.array([[j in ancestors[k] for j in body] for k in body])


def test_factor_multiplies_to_the_mass_matrix(robot):
    H, factor = fs.crba(robot.model, robot.q), fs.cholesky(robot.model, robot.q)
    L, D, C = factor.L, factor.D, factor.factor()
    size = np.swapaxes(np.abs(L), -1, -2) @ (D[..., None] * np.abs(L))
    allowed = 2.0 * robot.factor_error + 4 * robot.model.nv * U * size
    for product in (factor.matrix(), np.swapaxes(L, -1, -2) @ (D[..., None] * L), np.swapaxes(C, -1, -2) @ C):
        assert (np.abs(product - H) <= allowed).all()
    np.testing.assert_array_equal(factor.matrix(), np.swapaxes(factor.matrix(), -1, -2))


def test_factor_is_unit_lower_triangular_with_positive_pivots(robot):
    factor = fs.cholesky(robot.model, robot.q)
    np.testing.assert_array_equal(factor.L, np.tril(factor.L))
    np.testing.assert_array_equal(np.einsum("bii->bi", factor.L), np.ones_like(factor.D))
    assert (factor.D > 0.0).all()
    # no pivot exceeds the diagonal entry that it is what is left of
    diagonal = np.einsum("bii->bi", fs.crba(robot.model, robot.q))
    assert (diagonal * (1.0 + 4 * robot.model.nv * U) >= factor.D).all()


def test_no_entry_outside_the_branches(free_robot):
    """Neither H nor L has an entry where no joint carries the other: no fill-in, exact zeros."""
    apart = ~above(free_robot.model)
    L = fs.cholesky(free_robot.model, free_robot.q).L
    assert not L[:, apart].any()
    assert not fs.crba(free_robot.model, free_robot.q)[:, apart & apart.T].any()


def test_some_robots_have_branches_and_are_factored_sparsely():
    from .robots import robot as named

    model, q = named("star").model, named("star").q
    apart = ~above(model) & ~above(model).T
    assert apart.mean() > 0.5
    assert np.count_nonzero(fs.cholesky(model, q).L[0]) < model.nv * 4


def test_no_entry_of_a_follower_outside_its_elimination_tree(mimic_robot):
    """Followers join branches: then the elimination tree of G^T H G says where entries may be."""
    model = mimic_robot.model
    up = model.tree.elimination_parent
    allowed = np.zeros((model.nv, model.nv), bool)
    for k in range(model.nv):
        j = k
        while j >= 0:
            allowed[k, j], j = True, int(up[j])
    assert not fs.cholesky(model, mimic_robot.q).L[:, ~allowed].any()
    assert not np.tril(fs.crba(model, mimic_robot.q))[:, ~allowed].any()


def test_solve_inverts_the_mass_matrix(robot):
    b = robot.tau
    x = fs.cholesky(robot.model, robot.q).solve(b)
    expected = np.linalg.solve(fs.crba(robot.model, robot.q), b[..., None])[..., 0]
    allowed = 2.0 * robot.solve_error(x, robot.model.nv * U * np.abs(b))
    assert (np.abs(x - expected) <= allowed).all()


def test_inverse_times_mass_matrix_is_one(robot):
    H, inverse = fs.crba(robot.model, robot.q), fs.mass_matrix_inverse(robot.model, robot.q)
    np.testing.assert_array_equal(inverse, np.swapaxes(inverse, -1, -2))
    columns = [robot.solve_error(inverse[..., k], 0.0 * robot.qd) for k in range(robot.model.nv)]
    allowed = np.abs(H) @ np.stack(columns, -1) * 2.0 + robot.model.nv * U * np.abs(H) @ np.abs(inverse)
    assert (np.abs(H @ inverse - np.eye(robot.model.nv)) <= allowed).all()


def test_columns_of_the_inverse_are_solutions_for_unit_vectors(robot):
    inverse = fs.mass_matrix_inverse(robot.model, robot.q)
    columns = fs.cholesky(robot.model, robot.q[:, None, :]).solve(np.eye(robot.model.nv))
    found = np.swapaxes(columns, -1, -2)
    errors = [robot.solve_error(inverse[..., k], 0.0 * robot.qd) for k in range(robot.model.nv)]
    # the sums over the path that carries both are taken in another order
    allowed = 2.0 * np.stack(errors, -1) + 4 * robot.model.nv * U * np.abs(inverse)
    assert (np.abs(found - inverse) <= allowed).all()


def test_logdet_is_the_logarithm_of_the_determinant(robot):
    sign, expected = np.linalg.slogdet(fs.crba(robot.model, robot.q))
    found = fs.cholesky(robot.model, robot.q).logdet()
    # d log det H = tr(H^-1 dH)
    allowed = 2.0 * np.einsum("bij,bij->b", np.abs(robot.inverse), robot.factor_error)
    allowed = allowed + 4 * robot.model.nv * U * np.abs(np.log(fs.cholesky(robot.model, robot.q).D)).sum(-1)
    assert (sign == 1.0).all()
    assert (np.abs(found - expected) <= allowed).all()


def test_factor_of_one_state_gives_numbers(robot):
    factor = fs.cholesky(robot.model, robot.q[0])
    assert factor.shape == ()
    assert isinstance(factor.logdet(), float)
    assert factor.D.shape == (robot.model.nv,)
    assert factor.L.shape == factor.matrix().shape == (robot.model.nv, robot.model.nv)
    assert factor.solve(np.ones(robot.model.nv)).shape == (robot.model.nv,)


def test_factor_solves_batches_that_broadcast(robot):
    factor = fs.cholesky(robot.model, robot.q)
    b = random_v(robot.model, 6, (3, 1))
    together = factor.solve(b)
    assert together.shape == (3, len(robot.q), robot.model.nv)
    for k in range(3):
        np.testing.assert_array_equal(together[k], factor.solve(np.broadcast_to(b[k], robot.qd.shape)))


@pytest.mark.parametrize("attribute", ["L", "D"])
def test_factor_hands_out_copies(attribute):
    model = fs.ModelBuilder("one")
    model.add_link("base")
    model.add_link("rod", 2.0, (0.0, 0.3, 0.0), np.eye(3))
    model.add_joint("hinge", "revolute", "base", "rod", axis=(0, 0, 1))
    factor = fs.cholesky(model.build(), [0.3])
    kept = factor.matrix()
    getattr(factor, attribute)[...] = 7.0
    factor.matrix()[...] = 7.0
    np.testing.assert_array_equal(factor.matrix(), kept)
    assert "one" in repr(factor)
