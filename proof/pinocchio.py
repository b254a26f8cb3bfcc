"""A robot in Pinocchio, asked and answering in featherstone's coordinates, order and conventions.

Pinocchio's coordinates differ: children in the order of their joints' names, unbounded angles as (cos, sin),
free-flyers linear part first, planar velocities as (vx, vy, w), and mimic relations left out. With G and o from the
description, q_all = G q + o, so that its full model answers for robots with followers too: tau = G^T tau_all,
H = G^T H_all G.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..model.drives import reflected_inertia
from ..model.model import Model
from .pinocchio_source import Source, import_pinocchio

# where Pinocchio's k-th velocity of a joint stands among ours
VELOCITY_ORDER = {"planar": (1, 2, 0), "spherical": (0, 1, 2), "floating": (3, 4, 5, 0, 1, 2)}
ONE_DEGREE = ("revolute", "continuous", "prismatic")


class StructureError(ValueError):
    """The two models do not have the same joints or links."""


class _Joint(NamedTuple):
    """A moving joint: its place among all of our coordinates (followers included), and Pinocchio's joint."""

    name: str
    type: str
    link: str
    nq: int
    nv: int
    q: int
    v: int
    theirs: Any

    @property
    def angle_as_pair(self) -> bool:
        """Whether Pinocchio has (cos, sin) for our last coordinate."""
        return self.theirs.nq == self.nq + 1


class PinocchioReference:
    """Pinocchio's answers for a robot. Arrays have one leading axis, the states."""

    def __init__(self, model: Model, source: Source, gravity: Any = None) -> None:
        self.pin = import_pinocchio()
        self.ours, self.model = model, source.model
        self.joints = self._matched_joints()
        self.nq_all, self.nv_all = sum(x.nq for x in self.joints), sum(x.nv for x in self.joints)
        self.G_q, self.o, self.G = self._coupling()
        self.coupled = self.nv_all != model.nv
        self.v_from = np.zeros(self.nv_all, int)
        for x in self.joints:
            order = VELOCITY_ORDER.get(x.type, range(x.nv))
            self.v_from[x.theirs.idx_v : x.theirs.idx_v + x.nv] = x.v + np.array(order)
        self.v_to = np.argsort(self.v_from)
        self.frame_ids = self._matched_frames()
        self.model.gravity.linear = np.array(model.gravity if gravity is None else gravity)
        self.model.armature = self.armature()[self.v_from]
        self.data = self.model.createData()

    # names

    def _matched_joints(self) -> list[_Joint]:
        theirs = {name: self.model.joints[k] for k, name in enumerate(self.model.names) if k}
        ours = [joint for joint in self.ours.joints if joint.type != "fixed"]
        for joint in ours:
            if joint.name not in theirs:
                raise StructureError(f"joint {joint.name!r} moves in featherstone's model and is not in Pinocchio's")
        extra = sorted(theirs.keys() - {joint.name for joint in ours})
        if extra:
            raise StructureError(f"joint {extra[0]!r} moves in Pinocchio's model and not in featherstone's")
        spinning = [joint.name for joint in ours if joint.rotor is not None and joint.rotor.gyroscopic]
        if spinning:
            raise StructureError(f"joint {spinning[0]!r} has a gyroscopic rotor, which Pinocchio's model has not")
        matched: list[_Joint] = []
        q = v = 0
        for joint in ours:
            x = _Joint(joint.name, joint.type, joint.child, joint.coordinates, joint.degrees, q, v, theirs[joint.name])
            sizes = {x.nq, x.nq + 1} if joint.type in ("planar", "continuous", "revolute") else {x.nq}
            if x.theirs.nv != x.nv or x.theirs.nq not in sizes:
                raise StructureError(f"joint {joint.name!r} is {joint.type}, and {x.theirs.shortname()} in Pinocchio")
            matched.append(x)
            q, v = q + x.nq, v + x.nv
        return matched

    def _matched_frames(self) -> dict[str, int]:
        ids = {}
        for name in self.ours.frame_names:
            # a link and a joint may have one name
            if not self.model.existFrame(name, self.pin.FrameType.BODY):
                raise StructureError(f"link {name!r} is in featherstone's model and not in Pinocchio's")
            ids[name] = self.model.getFrameId(name, self.pin.FrameType.BODY)
        return ids

    # mimic relations

    def _coupling(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """G for coordinates, o, and G for rates, from the description's mimic relations followed to their end."""
        model = self.ours
        described = {joint.name: joint for joint in model.joints}
        G_q, o, G = np.zeros((self.nq_all, model.nq)), np.zeros(self.nq_all), np.zeros((self.nv_all, model.nv))
        for x in self.joints:
            joint, scale, offset = described[x.name], 1.0, 0.0
            while model.options.mimic and joint.mimic is not None:
                offset += scale * joint.mimic.offset
                scale *= joint.mimic.multiplier
                joint = described[joint.mimic.joint]
            G_q[x.q : x.q + x.nq, model.q_index(joint.name)] = np.diag([scale] * x.nq) if x.nq > 1 else scale
            G[x.v : x.v + x.nv, model.qd_index(joint.name)] = np.diag([scale] * x.nv) if x.nv > 1 else scale
            o[x.q] = offset
        return G_q, o, G

    def armature(self) -> np.ndarray:
        """The armature of every joint, in our order; a URDF gives Pinocchio none."""
        described = {x.name: np.array(x.values("armature")) + reflected_inertia(x) for x in self.ours.joints}
        return np.concatenate([described[x.name] for x in self.joints] or [np.zeros(0)])

    # vectors

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Pinocchio's q of our q (n, nq)."""
        q_all = q @ self.G_q.T + self.o
        theirs = np.empty((len(q), self.model.nq))
        for x in self.joints:
            block = q_all[:, x.q : x.q + x.nq]
            if x.angle_as_pair:
                angle = block[:, -1:]
                block = np.hstack([block[:, :-1], np.cos(angle), np.sin(angle)])
            theirs[:, x.theirs.idx_q : x.theirs.idx_q + x.theirs.nq] = block
        return theirs

    def rates(self, x: np.ndarray) -> np.ndarray:
        """Pinocchio's velocity or acceleration of ours (n, nv)."""
        return (x @ self.G.T)[:, self.v_from]

    def torques(self, tau: np.ndarray) -> np.ndarray:
        """Our generalised forces of Pinocchio's."""
        return tau[:, self.v_to] @ self.G

    def forces(self, f_ext: np.ndarray) -> Any:
        """Pinocchio's external forces, on joints and linear part first, of those of one state on our bodies (nb, 6)."""
        pin = self.pin
        total = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for name, f in zip(self.ours.body_names, f_ext):
            frame = self.model.frames[self.frame_ids[name]]
            total[frame.parentJoint] += frame.placement.act(pin.Force(f[3:], f[:3]))
        listed = pin.StdVec_Force()
        listed.extend(total)
        return listed

    # dynamics

    def rnea(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, f_ext: np.ndarray | None = None) -> np.ndarray:
        """tau (n, nv)."""
        Q, V, A = self.coordinates(q), self.rates(qd), self.rates(qdd)
        forces = [()] * len(q) if f_ext is None else [(self.forces(f),) for f in f_ext]
        states = [self.pin.rnea(self.model, self.data, *s, *f) for s, f in zip(zip(Q, V, A), forces)]
        return self.torques(np.array(states))

    def crba(self, q: np.ndarray) -> np.ndarray:
        """H (n, nv, nv)."""
        # a copy each: the result aliases a buffer, of which only the upper triangle is filled
        upper = [np.triu(self.pin.crba(self.model, self.data, x)) for x in self.coordinates(q)]
        H_all = np.array([x + np.triu(x, 1).T for x in upper])[:, self.v_to[:, None], self.v_to]
        return self.G.T @ H_all @ self.G

    def aba(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, f_ext: np.ndarray) -> np.ndarray:
        """qdd (n, nv); for models without followers."""
        states = zip(self.coordinates(q), self.rates(qd), self.rates(tau), map(self.forces, f_ext))
        return np.array([self.pin.aba(self.model, self.data, *s) for s in states])[:, self.v_to]

    # kinematics and energies

    def poses(self, q: np.ndarray) -> np.ndarray:
        """World poses (n, frames, 4, 4) of all links, in the order of our frame names."""
        ids = list(self.frame_ids.values())
        poses = np.empty((len(q), len(ids), 4, 4))
        for k, x in enumerate(self.coordinates(q)):
            self.pin.framesForwardKinematics(self.model, self.data, x)
            poses[k] = [self.data.oMf[i].homogeneous for i in ids]
        return poses

    def kinetic_energy(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """(n,) J: Pinocchio's of the bodies, and what the armature has, which it adds for some types of joints only."""
        Q, V = self.coordinates(q), self.rates(qd)
        bare = self.model.copy()
        bare.armature = np.zeros(bare.nv)
        of_bodies = [self.pin.computeKineticEnergy(bare, self.data, x, v) for x, v in zip(Q, V)]
        return np.array(of_bodies) + (V * V) @ self.model.armature / 2

    def potential_energy(self, q: np.ndarray) -> np.ndarray:
        """(n,) J."""
        return np.array([self.pin.computePotentialEnergy(self.model, self.data, x) for x in self.coordinates(q)])

    # the configuration manifold

    def integrate(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        """q (+) dq in Pinocchio's coordinates."""
        states = zip(self.coordinates(q), self.rates(dq))
        return np.array([self.pin.integrate(self.model, x, d) for x, d in states])

    def aligned(self, q: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Our q in Pinocchio's coordinates, its quaternions with the signs of `theirs`; and `theirs`."""
        ours = self.coordinates(q)
        for x in self.joints:
            if x.type in ("spherical", "floating"):
                end = x.theirs.idx_q + x.theirs.nq
                quaternion = ours[:, end - 4 : end]
                quaternion *= np.where((quaternion * theirs[:, end - 4 : end]).sum(1, keepdims=True) < 0, -1.0, 1.0)
        return ours, theirs

    def difference(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        """q1 (-) q0 in Pinocchio's coordinates; what it keeps as (cos, sin) goes the short way round."""
        states = zip(self.coordinates(q0), self.coordinates(q1))
        return np.array([self.pin.difference(self.model, x, y) for x, y in states])

    def unwound(self, dq: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Our dq in Pinocchio's coordinates; and `theirs`, its single angles less whole turns so as to be near."""
        ours, theirs = self.rates(dq), theirs.copy()
        for x in self.joints:
            if x.nv == 1 and x.angle_as_pair:
                k = x.theirs.idx_v
                theirs[:, k] += 2 * np.pi * np.round((ours[:, k] - theirs[:, k]) / (2 * np.pi))
        return ours, theirs
