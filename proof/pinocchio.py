"""A robot in Pinocchio, asked and answering in featherstone's coordinates, order and conventions.

`compat/pinocchio.py` has the mapping. Mimic relations are left out of Pinocchio's model: its full model answers for
robots with followers too, tau = G^T tau_all and H = G^T H_all G.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..compat.pinocchio import Pair, angle_as_pair
from ..model.drives import reflected_inertia
from ..model.model import Model
from .pinocchio_source import Source, import_pinocchio
from .pseudo_inertia import pseudo_inertia
from .reference import Reference, refuse_rotors


class PinocchioReference(Reference):
    """Pinocchio's answers for a robot. Arrays have one leading axis, the states."""

    engine = "Pinocchio"
    calls: ClassVar = {
        "inertias": "model.inertias",
        "rnea": "pinocchio.rnea",
        "crba": "pinocchio.crba",
        "aba": "pinocchio.aba",
        "poses": "pinocchio.framesForwardKinematics",
        "kinetic_energy": "pinocchio.computeKineticEnergy, and armature",
        "potential_energy": "pinocchio.computePotentialEnergy",
        "no aba": "pinocchio.aba knows no followers",
    }
    pair: Pair

    def __init__(self, model: Model, source: Source, gravity: Any = None) -> None:
        self.pin = import_pinocchio()
        refuse_rotors(model, self.engine)
        self.ours, self.model = model, source.model
        self.pair = Pair(model, source.model)
        self.links = list(model.frame_names)
        self.frame_ids = {name: self.pair.frame_id(name) for name in model.frame_names}
        self.model.gravity.linear = np.array(model.gravity if gravity is None else gravity)
        self.model.armature = self.armature()[self.pair.v_from]
        self.data = self.model.createData()
        self.feels = np.ones(model.nb, bool)
        self.solves = not self.coupled

    @property
    def gravity(self) -> np.ndarray:
        """(3,) m/s^2."""
        return self.model.gravity.linear

    def armature(self) -> np.ndarray:
        """The armature of every joint, in our order; a URDF gives Pinocchio none."""
        described = {x.name: np.array(x.values("armature")) + reflected_inertia(x) for x in self.ours.joints}
        return np.concatenate([described[x.name] for x in self.joints] or [np.zeros(0)])

    def forces(self, f_ext: np.ndarray) -> Any:
        """Pinocchio's external forces of those of one state on our bodies (nb, 6)."""
        listed = self.pin.StdVec_Force()
        listed.extend([self.pin.Force(x) for x in self.pair.to_f_ext(f_ext)])
        return listed

    # inertias

    def total_mass(self) -> float:
        """Of the whole robot in kg, its base included."""
        return sum(x.mass for x in self.model.inertias)

    def inertias(self) -> np.ndarray:
        """Pseudo-inertias of what moves with each joint."""
        theirs = []
        for x in self.joints:
            frame = self.model.frames[self.frame_ids[x.link]]
            # (m 1, -m c^; m c^, I) about the origin, linear part first
            I = frame.placement.actInv(self.model.inertias[frame.parentJoint]).matrix()
            theirs.append(pseudo_inertia(I[0, 0], [I[5, 1], I[3, 2], I[4, 0]], I[3:, 3:]))
        return np.array(theirs).reshape(-1, 4, 4)

    # dynamics

    def rnea(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, f_ext: np.ndarray | None = None) -> np.ndarray:
        """tau (n, nv)."""
        Q, V, A = self.pair.to_q(q), self.pair.to_v(qd), self.pair.to_a(qdd)
        forces = [()] * len(q) if f_ext is None else [(self.forces(f),) for f in f_ext]
        states = [self.pin.rnea(self.model, self.data, *s, *f) for s, f in zip(zip(Q, V, A), forces)]
        return self.pair.from_tau(np.array(states))

    def crba(self, q: np.ndarray) -> np.ndarray:
        """H (n, nv, nv)."""
        # a copy each: the result aliases a buffer
        return self.pair.from_mass_matrix(
            np.array([self.pin.crba(self.model, self.data, x) for x in self.pair.to_q(q)])
        )

    def aba(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, f_ext: np.ndarray) -> np.ndarray:
        """qdd (n, nv); for models without followers."""
        states = zip(self.pair.to_q(q), self.pair.to_v(qd), self.pair.to_tau(tau), map(self.forces, f_ext))
        return self.pair.from_a(np.array([self.pin.aba(self.model, self.data, *s) for s in states]))

    # kinematics and energies

    def poses(self, q: np.ndarray) -> np.ndarray:
        """World poses (n, links, 4, 4) of the `links`."""
        ids = list(self.frame_ids.values())
        poses = np.empty((len(q), len(ids), 4, 4))
        for k, x in enumerate(self.pair.to_q(q)):
            self.pin.framesForwardKinematics(self.model, self.data, x)
            poses[k] = [self.data.oMf[i].homogeneous for i in ids]
        return poses

    def kinetic_energy(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """(n,) J: Pinocchio's of the bodies, and what the armature has, which it adds for some types of joints only."""
        Q, V = self.pair.to_q(q), self.pair.to_v(qd)
        bare = self.model.copy()
        bare.armature = np.zeros(bare.nv)
        of_bodies = [self.pin.computeKineticEnergy(bare, self.data, x, v) for x, v in zip(Q, V)]
        return np.array(of_bodies) + (V * V) @ self.model.armature / 2

    def potential_energy(self, q: np.ndarray) -> np.ndarray:
        """(n,) J."""
        return np.array([self.pin.computePotentialEnergy(self.model, self.data, x) for x in self.pair.to_q(q)])

    # the configuration manifold

    def integrate(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """q (+) dq in Pinocchio's coordinates."""
        states = zip(self.pair.to_q(q), self.pair.to_v(dq))
        return np.array([self.pin.integrate(self.model, x, d) for x, d in states])

    def aligned(self, q: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Our q in Pinocchio's coordinates, its quaternions with the signs of `theirs`; and `theirs`."""
        ours = self.pair.to_q(q)
        for x in self.joints:
            if x.type in ("spherical", "floating"):
                place = slice(x.their_q[-4], x.their_q[-1] + 1)
                same = (ours[:, place] * theirs[:, place]).sum(1, keepdims=True) >= 0
                ours[:, place] *= np.where(same, 1.0, -1.0)
        return ours, theirs

    def difference(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        """q1 (-) q0 in Pinocchio's coordinates; what it keeps as (cos, sin) goes the short way round."""
        states = zip(self.pair.to_q(q0), self.pair.to_q(q1))
        return np.array([self.pin.difference(self.model, x, y) for x, y in states])

    def unwound(self, dq: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Our dq in Pinocchio's coordinates; and `theirs`, its single angles less whole turns so as to be near."""
        ours, theirs = self.pair.to_v(dq), theirs.copy()
        for x in self.joints:
            if x.nv == 1 and angle_as_pair(x):
                k = x.their_v[0]
                theirs[:, k] += 2 * np.pi * np.round((ours[:, k] - theirs[:, k]) / (2 * np.pi))
        return ours, theirs
