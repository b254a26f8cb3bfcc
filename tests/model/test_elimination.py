"""The elimination tree of a mass matrix with followers, against elimination carried out on the pattern."""

import numpy as np
import pytest

import featherstone as fs
from tests.random_trees import random_tree


def eliminated(model: fs.Model) -> list[int]:
    """For each unknown the largest smaller one in its row, once all larger ones are eliminated."""
    tree = model.tree
    pattern: list[set[int]] = [set() for _ in range(model.nv)]
    for k in range(len(tree.parent_dof)):
        j = k
        while j >= 0:
            low, high = sorted((int(tree.v_source[k]), int(tree.v_source[j])))
            pattern[high].add(low)
            j = tree.parent_dof[j]
    parents = [-1] * model.nv
    for k in reversed(range(model.nv)):
        pattern[k].discard(k)
        if pattern[k]:
            parents[k] = max(pattern[k])
            pattern[parents[k]] |= pattern[k]
    return parents


@pytest.mark.parametrize("shape", ["random", "chain", "star", "binary"])
@pytest.mark.parametrize("seed", range(12))
def test_elimination_tree_of_followers(seed, shape):
    model = random_tree(seed, 3 + 2 * seed, shape=shape, mimic=True, fixed=seed % 2 == 0)
    assert model.tree.coupled
    assert model.tree.elimination_parent.tolist() == eliminated(model)


@pytest.mark.parametrize("seed", range(40))
def test_elimination_tree_of_leaders_anywhere(seed):
    """Leaders behind, before and beside their followers, and followers of followers."""
    rng = np.random.default_rng(seed)
    n = 12
    builder = fs.ModelBuilder()
    builder.add_link("0")
    leads = rng.permutation(n) + 1
    for k in range(1, n + 1):
        builder.add_link(str(k), 1.0, (0.1, 0.2, 0.3), np.eye(3))
        before = leads[: np.flatnonzero(leads == k)[0]]
        follow = fs.Mimic(str(rng.choice(before))) if len(before) and rng.random() < 0.6 else None
        builder.add_joint(str(k), "revolute", str(rng.integers(max(0, k - 4), k)), str(k), mimic=follow)
    model = builder.build()
    assert model.nv < n
    assert model.tree.elimination_parent.tolist() == eliminated(model)
