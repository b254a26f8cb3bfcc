"""The random robots that every law is tried on, with states, and with bounds of rounding errors at these states."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.rnea import RNEA

from ..random_trees import ALL, random_forces, random_parts, random_q, random_v
from ..rounding import Rounded, U, bounded

COUNT = 8  # states of each robot
TILTED = (3.0, -5.0, 7.5)

OLD = ("revolute", "continuous", "prismatic", "planar", "spherical", "floating")
SCREWS = ("helical", "universal", "cylindrical", "composite")
# name: arguments of random_parts, options of build. Chains are shorter: bounds grow fastest along them
SINGLE = {kind: ({"n": 1, "joints": (kind,)}, {}) for kind in ALL}
SHAPES = {
    "chain": {"seed": 1, "n": 7, "shape": "chain", "joints": OLD},
    "chain of screws": {"seed": 5, "n": 6, "shape": "chain", "joints": (*SCREWS, "spherical", "revolute")},
    "star": {"seed": 2, "n": 11, "shape": "star"},
    "branches": {"seed": 3, "n": 12, "shape": "binary"},
    "random": {"seed": 4, "n": 12, "shape": "random"},
}
KINDS = {
    "": ({}, {}),
    " floating": ({}, {"floating_base": True}),
    " bolted": ({"fixed": True}, {"gravity": TILTED}),
    " mimic": ({"mimic": True, "fixed": True}, {}),
    " floating mimic": ({"mimic": True, "seed": 9}, {"floating_base": True, "gravity": TILTED}),
}
ROBOTS = SINGLE | {
    shape + kind: (arguments | more, options)
    for shape, arguments in SHAPES.items()
    for kind, (more, options) in KINDS.items()
    if shape + kind != "chain floating mimic"
}
MIMIC = tuple(name for name, (arguments, _) in ROBOTS.items() if arguments.get("mimic"))
FREE = tuple(name for name in ROBOTS if name not in MIMIC)


class Robot:
    """A random robot at random states, the first at rest with every coordinate and quaternion special."""

    def __init__(self, name: str) -> None:
        arguments, self.options = ROBOTS[name]
        self.name, self.parts = name, random_parts(**{"seed": 0, **arguments})
        self.model = model = self.parts.build(**self.options)
        rng = np.random.default_rng(len(name))
        self.q, self.qd, self.qdd, self.tau = (
            random_q(model, rng, (COUNT,)),
            *(random_v(model, rng, (COUNT,)) for _ in range(3)),
        )
        self.f_ext = random_forces(model, rng, (COUNT,))
        self.q[0], self.qd[0] = model.neutral(), 0.0
        for array in (self.q, self.qd, self.qdd, self.tau, self.f_ext):
            array.flags.writeable = False

    def variant(self, **joint_fields: Any) -> fs.Model:
        """The same robot with some fields of all its joints changed."""
        joints = tuple(replace(joint, **joint_fields) for joint in self.parts.joints)
        return replace(self.parts, joints=joints).build(**self.options)

    @functools.cached_property
    def torque(self) -> Rounded:
        """Inverse dynamics with external forces, (COUNT, nv)."""
        return bounded(RNEA, self.model, [self.q, self.qd, self.qdd, self.f_ext], (self.model.nv,))

    @functools.cached_property
    def bias(self) -> Rounded:
        """Inverse dynamics at zero acceleration with external forces, (COUNT, nv)."""
        return bounded(RNEA, self.model, [self.q, self.qd, 0.0 * self.qd, self.f_ext], (self.model.nv,))

    @functools.cached_property
    def mass_matrix(self) -> Rounded:
        """The mass matrix, (COUNT, nv, nv)."""
        return bounded(CRBA, self.model, [self.q], (self.model.nv, self.model.nv))

    @functools.cached_property
    def inverse(self) -> np.ndarray:
        """The inverse of the mass matrix as NumPy finds it."""
        return np.linalg.inv(self.mass_matrix.value)

    @functools.cached_property
    def factor_error(self) -> np.ndarray:
        """A bound on E, where what factorisation finds is the factor of H + E, (COUNT, nv, nv).

        The error of H itself, and |E_ij| <= (n + 1) u sqrt(H_ii H_jj): Demmel (1989), in Higham (2002), theorem 10.5.
        """
        H = self.mass_matrix
        root = np.sqrt(np.diagonal(H.value, axis1=1, axis2=2))
        return H.error + (self.model.nv + 1) * 2.0 * U * root[:, :, None] * root[:, None, :]

    def solve_error(self, x: np.ndarray, right_side: np.ndarray) -> np.ndarray:
        """A bound on the error of the solution x of H x = b, with b off by `right_side`; (COUNT, nv).

        With (H + E) x' = b + e it is H^-1 (e - E x'), so |H^-1| (|e| + |E| |x|): the condition of the mass matrix.
        """
        residual = right_side + np.einsum("bij,bj->bi", 2.0 * self.factor_error, np.abs(x))
        return np.einsum("bij,bj->bi", np.abs(self.inverse), residual)


@functools.cache
def robot(name: str) -> Robot:
    """The robot of that name, made once."""
    return Robot(name)


def places(model: fs.Model, index: str, name: str) -> list[int]:
    """Where a joint's entries are in q (index = "q_index") or in qd ("qd_index")."""
    found = getattr(model, index)(name)
    return list(range(found.start, found.stop)) if isinstance(found, slice) else [found]


def meaningful(allowed: Any, size: Any) -> bool:
    """Whether a tolerance is so small that keeping it says something."""
    return bool(np.max(allowed) <= 1e-5 * np.max(np.abs(size)))
