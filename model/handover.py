"""What bodies hand over to each other, kept in as few places as are needed at a time: a chain needs one, however long.

On the way inward bodies are visited from the last to the first. A body's place is taken when its last child, which is
visited first, hands something over, and is free again when the body itself is visited. On the way outward a body's
place is free again when its last child has been visited.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift
from ..spatial.inertias import ArticulatedTuple, RigidTuple, add_articulated, add_inertias, articulated
from ..spatial.motions import MotionTuple
from ..spatial.storage import (
    load_articulated,
    load_inertia,
    load_motion,
    store_articulated,
    store_inertia,
    store_motion,
)
from .tree import Tree


def assign_slots(parent: list[int]) -> tuple[list[int], list[int], int]:
    """The last child and the place of each body, and how many places there are; `parent` begins with the base's, -1."""
    last_child, slot = [0] * len(parent), [0] * len(parent)
    for b in range(1, len(parent)):
        last_child[parent[b]] = b
    free: list[int] = []
    count = 0
    for b in range(len(parent) - 1, 0, -1):
        if last_child[b]:
            free.append(slot[b])
        if last_child[parent[b]] == b:
            if not free:
                free.append(count)
                count += 1
            slot[parent[b]] = free.pop()
    return last_child, slot, count


def assign_places(parent: list[int], last_child: list[int]) -> tuple[list[int], int]:
    """The place of each body's motion on the way outward, and how many places there are."""
    place = [0] * len(parent)
    free: list[int] = []
    count = 1  # the base has the first
    for b in range(1, len(parent)):
        if last_child[parent[b]] == b:
            free.append(place[parent[b]])
        if last_child[b]:
            if not free:
                free.append(count)
                count += 1
            place[b] = free.pop()
    return place, count


def keep_motion(tree: Tree, i: int, m: MotionTuple, kept: Any) -> None:
    """Keep body i's motion for its children, if it has any."""
    if tree.last_child[i] > 0:
        store_motion(kept, tree.place[i], m)


def parent_motion(tree: Tree, i: int, kept: Any) -> MotionTuple:
    """The motion of body i's parent."""
    return load_motion(kept, tree.place[tree.parent[i]])


def constant_inertia(tree: Tree, i: int, like: Any) -> RigidTuple:
    """I of body i as scalars of the kind in the array `like`."""
    m, h, I = load_inertia(tree.inertia, i)
    return (
        lift(like, m),
        (lift(like, h[0]), lift(like, h[1]), lift(like, h[2])),
        (lift(like, I[0]), lift(like, I[1]), lift(like, I[2]), lift(like, I[3]), lift(like, I[4]), lift(like, I[5])),
    )


def articulated_inertia(tree: Tree, i: int, kept: Any) -> ArticulatedTuple:
    """I of body i and what its children have handed over."""
    I = articulated(constant_inertia(tree, i, kept))
    if tree.last_child[i] > 0:
        return add_articulated(I, load_articulated(kept, tree.slot[i]))
    return I


def hand_over_articulated(tree: Tree, i: int, inertia: ArticulatedTuple, kept: Any) -> None:
    """Give body i's parent an inertia in the parent's coordinates."""
    parent = tree.parent[i]
    slot = tree.slot[parent]
    if tree.last_child[parent] == i:
        store_articulated(kept, slot, inertia)
    else:
        store_articulated(kept, slot, add_articulated(load_articulated(kept, slot), inertia))


def composite_inertia(tree: Tree, i: int, kept: Any) -> RigidTuple:
    """I of body i and of all that it carries."""
    I = constant_inertia(tree, i, kept)
    if tree.last_child[i] > 0:
        return add_inertias(I, load_inertia(kept, tree.slot[i]))
    return I


def hand_over_composite(tree: Tree, i: int, inertia: RigidTuple, kept: Any) -> None:
    """Give body i's parent an inertia in the parent's coordinates."""
    parent = tree.parent[i]
    slot = tree.slot[parent]
    if tree.last_child[parent] == i:
        store_inertia(kept, slot, inertia)
    else:
        store_inertia(kept, slot, add_inertias(load_inertia(kept, slot), inertia))
