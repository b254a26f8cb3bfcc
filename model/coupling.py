"""Between the user's vectors and the tree's: mimic followers have coordinates of their own only in the tree.

q = G q_free + o, qd = G qd_free, tau_free = G^T tau. Without followers each function hands its vector through.
"""

from __future__ import annotations

from typing import Any

from ..engine.scalars import lift
from .tree import Tree


def all_coordinates(tree: Tree, q: Any, room: Any) -> Any:
    """q of every joint, written into `room` where there are followers."""
    if not tree.coupled:
        return q
    for k in range(tree.nq):
        room[k] = tree.q_scale[k] * q[tree.q_source[k]] + tree.q_offset[k]
    return room


def all_rates(tree: Tree, x: Any, room: Any) -> Any:
    """qd or qdd of every joint, written into `room` where there are followers."""
    if not tree.coupled:
        return x
    for k in range(tree.nv):
        room[k] = tree.v_scale[k] * x[tree.v_source[k]]
    return room


def room_for_torques(tree: Tree, tau: Any, room: Any) -> Any:
    """Where the torque of every joint can be written: `tau` itself, or `room` where there are followers."""
    return room if tree.coupled else tau


def free_torques(tree: Tree, tau_all: Any, tau: Any) -> None:
    """G^T tau_all into `tau`; nothing to do without followers, when the two are one."""
    if tree.coupled:
        for k in range(tree.nv_free):
            tau[k] = lift(tau, 0.0)
        for k in range(tree.nv):
            tau[tree.v_source[k]] += tree.v_scale[k] * tau_all[k]


def room_for_matrix(tree: Tree, M: Any, room: Any) -> Any:
    """Where a matrix over all joints' rates can be written: `M` itself, or `room` where there are followers."""
    return room if tree.coupled else M


def free_matrix(tree: Tree, M_all: Any, M: Any) -> None:
    """G^T M_all G into `M`; nothing to do without followers, when the two are one."""
    if tree.coupled:
        n, free = tree.nv, tree.nv_free
        for k in range(free * free):
            M[k] = lift(M, 0.0)
        for j in range(n):
            for k in range(n):
                at = tree.v_source[j] * free + tree.v_source[k]
                M[at] += tree.v_scale[j] * tree.v_scale[k] * M_all[j * n + k]


def free_symmetric_matrix(tree: Tree, M_all: Any, M: Any) -> None:
    """The same of a symmetric matrix: symmetric to the bit, though sums of followers' parts are rounded."""
    if tree.coupled:
        n = tree.nv_free
        free_matrix(tree, M_all, M)
        for j in range(n):
            for k in range(j):
                M[k * n + j] = M[j * n + k]
