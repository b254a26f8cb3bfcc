"""Places that bodies share on the way outward and inward: never two at a time, and few."""

from __future__ import annotations

import numpy as np
import pytest

from featherstone.model.handover import assign_places, assign_slots


def random_parents(seed: int, n: int) -> list[int]:
    rng = np.random.default_rng(seed)
    depth_first = [-1]
    path = [0]
    for b in range(1, n + 1):
        del path[rng.integers(1, len(path) + 1) :]
        depth_first.append(path[-1])
        path.append(b)
    return depth_first


TREES = {f"random {seed}": random_parents(seed, 40) for seed in range(20)}
TREES |= {
    "chain": list(range(-1, 40)),
    "star": [-1] + [0] * 40,
    "binary": [-1, 0, *((b - 1) // 2 + (b < 3) for b in range(2, 64))],
    "one body": [-1, 0],
    "no body": [-1],
}


@pytest.fixture(params=TREES.values(), ids=TREES)
def parents(request):
    return request.param


def test_inward_every_parent_finds_what_its_children_handed_over(parents):
    last_child, slot, count = assign_slots(parents)
    kept = [None] * count
    for b in range(len(parents) - 1, 0, -1):
        below = {b}
        if last_child[b]:
            below |= kept[slot[b]]
        p = parents[b]
        kept[slot[p]] = below if last_child[p] == b else kept[slot[p]] | below
    carried = set(range(1, len(parents)))
    assert (kept[slot[0]] if carried else set()) == carried


def test_outward_every_child_finds_its_parents_motion(parents):
    last_child, _, _ = assign_slots(parents)
    place, count = assign_places(parents, last_child)
    kept = [None] * count
    kept[place[0]] = 0
    for b in range(1, len(parents)):
        assert kept[place[parents[b]]] == parents[b]
        if last_child[b]:
            kept[place[b]] = b


def test_a_chain_needs_one_place_and_a_tree_no_more_than_its_open_branches():
    chain = TREES["chain"]
    last_child, _, slots = assign_slots(chain)
    assert (slots, assign_places(chain, last_child)[1]) == (1, 1)
    star = TREES["star"]
    last_child, _, slots = assign_slots(star)
    assert (slots, assign_places(star, last_child)[1]) == (1, 1)
