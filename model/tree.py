"""A robot as a recursion sees it: flat arrays, body 0 the fixed base, bodies 1 to nb with parents before children.

Every joint is canonical: it turns about, or slides along, axes of its own body's frame, and its degrees of freedom are
consecutive components of the body's motion (wx, wy, wz, vx, vy, vz). So a joint's motion subspace S is two integers:
the first component and how many; a helical joint has a component of its own and a pitch. A constant rotation leads from
a body's canonical frame to its link frame.

A body is a link of the user's, or has none: a massless one between the elements of a joint, or a rotor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine.kernel import field_kinds
from ..engine.scalars import Integers, Reals
from .arguments import read_only

FIXED, REVOLUTE, PRISMATIC, PLANAR, SPHERICAL, FLOATING, HELICAL = range(7)
BASE_SIZE = 24  # entries of a base's motion, see `moving_base.py`
BOTH_Z = 6  # for a component of S: about z, and the pitch times along z

# joint type: (coordinates, degrees of freedom, first component of S)
ELEMENT_SIZES = {
    FIXED: (0, 0, 0),
    REVOLUTE: (1, 1, 2),
    PRISMATIC: (1, 1, 5),
    PLANAR: (3, 3, 2),
    SPHERICAL: (4, 3, 0),
    FLOATING: (7, 6, 0),
    HELICAL: (1, 1, BOTH_Z),
}


class Tree(NamedTuple):
    """The constants of a robot. Index i is a body, k a degree of freedom; entry 0 of a body's arrays is the base.

    A mimic follower has coordinates and degrees of freedom here; the user's vectors leave them out. `coupled` is 1
    where there are followers: coordinate j is then q_scale[j] * q[q_source[j]] + q_offset[j] of the user's q.
    `shaped_friction` is 1 where some friction is more than f sign(qd). `rotors` counts those that are bodies;
    `parameters` is ten for each of the user's bodies.
    """

    nb: int
    links: int
    nq: int
    nv: int
    nq_free: int
    nv_free: int
    slots: int
    places: int
    rotors: int
    drives: int
    parameters: int
    coupled: int
    shaped_friction: int
    parent: Integers  # (nb + 1): the parent body
    joint_type: Integers  # (nb + 1)
    q_index: Integers  # (nb + 1): where the joint's coordinates begin
    v_index: Integers  # (nb + 1): where its degrees of freedom begin
    dofs: Integers  # (nb + 1): how many
    last_child: Integers  # (nb + 1): the child body with the largest number, or 0
    slot: Integers  # (nb + 1): where on the way inward what the children hand over is kept, see `model/handover.py`
    place: Integers  # (nb + 1): where on the way outward the body's motion is kept
    axis: Integers  # (nb + 1): the first component of S
    link: Integers  # (nb + 1): the number, from 1 on, of the user's body that it is, or 0
    follows: Integers  # (nb + 1): 1 where the body's coordinate is another one's
    rotor: Integers  # (nb + 1): the number, from 1 on, of the rotor that it is, or 0
    body: Integers  # (nv): the body that a degree of freedom moves
    drive: Integers  # (nv): its number, from 1 on, among those that a drive can have, or 0
    parent_dof: Integers  # (nv): the next degree of freedom towards the base, or -1
    elimination_parent: Integers  # (nv_free): the next towards the base in the mass matrix's factor, or -1
    last_dof: Integers  # (nv_free): the last that it carries, itself if none, by that way
    q_source: Integers  # (nq)
    v_source: Integers  # (nv)
    placement: Reals  # (nb + 1) transforms X_tree: the joint's frame in the parent body's frame
    inertia: Reals  # (nb + 1) rigid-body inertias in canonical frames; of the base, what rotors on it take from it
    link_rotation: Reals  # (nb + 1) rotations: canonical frame to link frame
    pitch: Reals  # (nb + 1): m/rad, of helical joints
    armature: Reals  # (nv): with the rotors' inertia
    damping: Reals  # (nv)
    friction: Reals  # (nv): the Coulomb friction f
    breakaway: Reals  # (nv): by how much it is more at rest
    decay: Reals  # (nv): one by the Stribeck velocity, or 0
    smoothing: Reals  # (nv): the velocity within which its sign is smoothed
    gravity: Reals  # (3)
    q_scale: Reals  # (nq)
    q_offset: Reals  # (nq)
    v_scale: Reals  # (nv)
    zeros: Reals  # (nv_free): rates of a robot at rest


def tree_from(fields: dict[str, Any]) -> Tree:
    """A tree with each array contiguous, read-only and of the type that compiled code reads."""

    kinds = field_kinds(Tree)

    def cast(name: str, value: Any) -> Any:
        if kinds[name] == "int":
            return int(value)
        return read_only(np.ravel(value), np.int64 if kinds[name] == "Integers" else np.float64)

    return Tree(**{name: cast(name, fields[name]) for name in Tree._fields})
