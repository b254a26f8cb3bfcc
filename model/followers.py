"""Mimic followers and rotors: how the coordinates of all joints come from those that are free.

q = G q_free + o. A free coordinate leads itself: its source is its own place, its scale 1, its offset 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .description import Joint, Mimic
from .errors import ModelError


class Moved(NamedTuple):
    """What moves a body of the tree: an element of a joint, or (a rotor) the joint's coordinate times a ratio."""

    joint: int
    dofs: int
    ratio: float | None = None


class Followers(NamedTuple):
    """For each joint and for each body the index of the one that it follows, or None; the tree's fields about it."""

    leaders: list[int | None]
    of_bodies: list[int | None]
    fields: dict[str, Any]

    def elimination_parents(self, upward: list[int]) -> list[int]:
        """For each free degree of freedom the next one in the mass matrix's factor, from that of all joints."""
        if not self.fields["coupled"]:
            return upward
        return _elimination_parents(upward, self.fields["v_source"], self.fields["nv_free"])


def couple(joints: list[Joint], bodies: list[Moved], sizes: np.ndarray, mimic: bool) -> Followers:
    """Sources, scales and offsets of all coordinates; `sizes` has the base's coordinates and dofs first."""
    nothing: tuple[list[int | None], list[float], list[float]] = (
        [None] * len(joints),
        [1.0] * len(joints),
        [0.0] * len(joints),
    )
    leaders, scales, offsets = _relations(joints) if mimic else nothing
    moving = {body.joint: b for b, body in enumerate(bodies) if body.dofs and body.ratio is None}
    followed: list[int | None] = []
    for body in bodies:
        leader = leaders[body.joint]
        if body.ratio is not None and leader is None:
            leader = body.joint
        followed.append(moving[leader] if leader is not None and body.dofs else None)
    fields: dict[str, Any] = {"coupled": int(any(leader is not None for leader in followed))}
    for letter, column in (("q", 0), ("v", 1)):
        counts = sizes[1:, column]
        first = np.cumsum(counts) - counts
        free = np.concatenate(
            [np.zeros(0, int), *(f + np.arange(n) for f, n, l in zip(first, counts, followed) if l is None)]
        )
        source, scale, offset = (
            np.zeros(int(counts.sum()), int),
            np.ones(int(counts.sum())),
            np.zeros(int(counts.sum())),
        )
        source[free] = np.arange(len(free))
        for b, leader in enumerate(followed):
            if leader is not None:
                ratio, j = bodies[b].ratio, bodies[b].joint
                turned = 1.0 if ratio is None else ratio
                source[first[b]] = source[first[leader]]
                scale[first[b]], offset[first[b]] = turned * scales[j], turned * offsets[j]
        fields |= {f"n{letter}_free": len(free), f"{letter}_source": source, f"{letter}_scale": scale}
        if letter == "q":
            fields["q_offset"] = offset
    return Followers(leaders, followed, fields)


def _relations(joints: list[Joint]) -> tuple[list[int | None], list[float], list[float]]:
    """For each joint the one that it follows in the end, or None, with multiplier and offset."""
    number = {joint.name: b for b, joint in enumerate(joints)}
    leaders: list[int | None] = [None] * len(joints)
    scales, offsets = [1.0] * len(joints), [0.0] * len(joints)
    for start in range(len(joints)):
        # follow the chain to a joint that is free or known already, then come back
        chain: list[tuple[int, Mimic, int]] = []
        visited: set[int] = set()
        b = start
        while leaders[b] is None and (relation := joints[b].mimic) is not None:
            if b in visited:
                names = [joints[x].name for x, _, _ in chain]
                circle = " -> ".join(map(repr, [*names[names.index(joints[b].name) :], joints[b].name]))
                name = joints[start].name
                raise ModelError(f"joint {name!r}: mimic relations form a cycle: {circle}", ("joint", name))
            leader = _followed(joints[b], relation, joints, number)
            chain.append((b, relation, leader))
            visited.add(b)
            b = leader
        for b, relation, leader in reversed(chain):
            # q = m (s q_leader + o) + offset
            leaders[b] = leader if leaders[leader] is None else leaders[leader]
            scales[b] = relation.multiplier * scales[leader]
            offsets[b] = relation.multiplier * offsets[leader] + relation.offset
    return leaders, scales, offsets


def _followed(joint: Joint, relation: Mimic, joints: list[Joint], number: dict[str, int]) -> int:
    """The index of the joint that this one follows."""
    leader, element = relation.joint, ("joint", joint.name)
    if leader not in number:
        raise ModelError(f"joint {joint.name!r}: mimic: there is no moving joint {leader!r} to follow", element)
    for x in (joint, joints[number[leader]]):
        if x.degrees != 1:
            raise ModelError(
                f"joint {joint.name!r}: mimic: expected joints of one degree of freedom, {x.name!r} is {x.type}",
                element,
            )
    return number[leader]


def parent_dofs(parent: list[int], dofs: np.ndarray, v_index: np.ndarray) -> list[int]:
    """For each degree of freedom the next one towards the base, -1 if there is none."""
    last = [-1] * len(parent)  # the last degree of freedom at or above a body
    upward = []
    for b in range(1, len(parent)):
        last[b] = last[parent[b]]
        for k in range(int(v_index[b]), int(v_index[b] + dofs[b])):
            upward.append(last[b])
            last[b] = k
    return upward


def last_carried(upward: list[int]) -> list[int]:
    """For each degree of freedom the last one that leads to it, itself if none does."""
    last = list(range(len(upward)))
    for k in range(len(upward) - 1, -1, -1):
        if upward[k] >= 0:
            last[upward[k]] = max(last[upward[k]], last[k])
    return last


def _elimination_parents(upward: list[int], v_source: np.ndarray, nv_free: int) -> list[int]:
    """The elimination tree of G^T H G, from the last unknown to the first, for the sparsity that followers leave.

    The unknowns on one way to the base are all coupled. The tree is the same if each is only coupled to the last one on
    its way, as those from any number on stay connected; so the time is all but linear (Liu's algorithm).
    """
    last: list[int] = []  # on the way from a degree of freedom to the base
    coupled: list[list[int]] = [[] for _ in range(nv_free)]
    for k, above in enumerate(upward):
        own = int(v_source[k])
        other = own if above < 0 else last[above]
        coupled[min(own, other)].append(max(own, other))
        last.append(max(own, other))
    parents, reached = [-1] * nv_free, [-1] * nv_free
    for i in range(nv_free - 1, -1, -1):
        for start in coupled[i]:
            # from there to the root of what is eliminated already; the way is shorter next time
            k = start
            while k != i and k >= 0:
                above, reached[k] = reached[k], i
                if above < 0:
                    parents[k] = i
                k = above
    return parents
