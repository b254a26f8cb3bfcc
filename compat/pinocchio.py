"""Pinocchio's states of a robot, and ours.

Pinocchio puts joints in an order of its own, unbounded angles as (cos, sin), the linear part of a free-flyer before
the angular one, and planar velocities as (vx, vy, w). Each function takes a model and the `pinocchio.Model` of the same
robot, and arrays with any leading batch dimensions. Joints are matched by their names. `Pair` holds a mapping for many
calls.

Universal, cylindrical, composite and helical joints are matched to one joint of their size, such as a composite one,
but not to the several joints that Pinocchio reads from `Model.to_urdf`. Its reader of URDF ignores the axis of planar
joints.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..model.model import Model
from .pairs import Matched, StructureError, moving, refuse_unmatched
from .pairs import Pair as _Pair

# where Pinocchio's k-th velocity of a joint stands among ours
VELOCITY_ORDER = {"planar": (1, 2, 0), "spherical": (0, 1, 2), "floating": (3, 4, 5, 0, 1, 2)}
ANGLE_LAST = ("planar", "continuous", "revolute")  # types whose last coordinate may be an unbounded angle


class Pair(_Pair):
    """The mapping between a model and the `pinocchio.Model` of the same robot.

    Raises
    ------
    StructureError
        A joint that only one of them has, or that is of another kind there; the error names it.
    """

    engine = "Pinocchio"

    def __init__(self, model: Model, other: Any) -> None:
        self.other = other
        super().__init__(model, _match(model, other), other.nq, other.nv)
        self.v_from = np.zeros(self.nv_all, int)  # of each of their velocities, its place among ours
        for x in self.joints:
            self.v_from[x.their_v] = x.v + np.array(VELOCITY_ORDER.get(x.type, range(x.nv)))
        self.v_to = np.argsort(self.v_from)

    def to_q(self, q: Any) -> np.ndarray:
        """Pinocchio's q (..., nq) of ours."""
        q_all = self.all_q(q)
        theirs = np.empty((*q_all.shape[:-1], self.nq))
        for x in self.joints:
            block = q_all[..., x.q : x.q + x.nq]
            if angle_as_pair(x):
                angle = block[..., -1:]
                block = np.concatenate([block[..., :-1], np.cos(angle), np.sin(angle)], axis=-1)
            theirs[..., x.their_q] = block
        return theirs

    def from_q(self, q: Any) -> np.ndarray:
        """Our q (..., nq) of Pinocchio's; angles that it has as (cos, sin) are between -pi and pi."""
        theirs = self.ours("q", q, self.nq)
        q_all = np.empty((*theirs.shape[:-1], self.nq_all))
        for x in self.joints:
            block = theirs[..., x.their_q]
            if angle_as_pair(x):
                block = np.concatenate([block[..., :-2], np.arctan2(block[..., -1:], block[..., -2:-1])], axis=-1)
            q_all[..., x.q : x.q + x.nq] = block
        return self.coordinates_of_leaders(q_all)

    def to_v(self, qd: Any) -> np.ndarray:
        """Pinocchio's v (..., nv) of our qd."""
        return (self.ours("qd", qd, self.model.nv) @ self.G.T)[..., self.v_from]

    def from_v(self, v: Any) -> np.ndarray:
        """Our qd (..., nv) of Pinocchio's v."""
        return self.rates_of_leaders(self.ours("v", v, self.nv)[..., self.v_to])

    def to_a(self, qdd: Any) -> np.ndarray:
        """Pinocchio's a (..., nv) of our qdd: spatial accelerations both."""
        return (self.ours("qdd", qdd, self.model.nv) @ self.G.T)[..., self.v_from]

    def from_a(self, a: Any) -> np.ndarray:
        """Our qdd (..., nv) of Pinocchio's a."""
        return self.rates_of_leaders(self.ours("a", a, self.nv)[..., self.v_to])

    def to_tau(self, tau: Any) -> np.ndarray:
        """Pinocchio's tau (..., nv) of ours."""
        return self.forces_of_leaders(tau)[..., self.v_from]

    def from_tau(self, tau: Any) -> np.ndarray:
        """Our tau (..., nv) of Pinocchio's."""
        return self.ours("tau", tau, self.nv)[..., self.v_to] @ self.G

    def to_mass_matrix(self, H: Any) -> np.ndarray:
        """Pinocchio's mass matrix (..., nv, nv) of ours."""
        self.refuse_followers("the mass matrix")
        return self.ours("H", H, self.model.nv, self.model.nv)[..., self.v_from[:, None], self.v_from]

    def from_mass_matrix(self, M: Any) -> np.ndarray:
        """Our mass matrix (..., nv, nv) of Pinocchio's, whose upper triangle is enough."""
        upper = np.triu(self.ours("M", M, self.nv, self.nv))
        whole = upper + np.triu(upper, 1).swapaxes(-1, -2)
        return self.G.T @ whole[..., self.v_to[:, None], self.v_to] @ self.G

    def to_f_ext(self, f_ext: Any) -> np.ndarray:
        """Pinocchio's forces (..., njoints, 6), (force; moment) in joint frames, of ours on bodies (..., nb, 6)."""
        ours = self.ours("f_ext", f_ext, self.model.nb, 6)
        theirs = np.zeros((*ours.shape[:-2], self.other.njoints, 6))
        for b, name in enumerate(self.model.body_names):
            joint, R, p = self._placement(name)
            force = ours[..., b, 3:] @ R.T
            theirs[..., joint, :3] += force
            theirs[..., joint, 3:] += ours[..., b, :3] @ R.T + np.cross(p, force)
        return theirs

    def from_f_ext(self, f: Any) -> np.ndarray:
        """Our forces on bodies (..., nb, 6) of Pinocchio's on joints (..., njoints, 6); those on the world are left."""
        theirs = self.ours("f", f, self.other.njoints, 6)
        ours = np.zeros((*theirs.shape[:-2], self.model.nb, 6))
        for b, (name, joint) in enumerate(zip(self.model.body_names, self.model.joints)):
            if joint.type != "fixed":
                number, R, p = self._placement(name)
                force = theirs[..., number, :3]
                ours[..., b, 3:] = force @ R
                ours[..., b, :3] = (theirs[..., number, 3:] - np.cross(p, force)) @ R
        return ours

    def frame_id(self, link: str) -> int:
        """The number of Pinocchio's frame of a link; a joint may have the same name."""
        if link not in self._frames:
            raise StructureError(f"link {link!r} is in featherstone's model and not in Pinocchio's")
        return self._frames[link]

    @cached_property
    def _frames(self) -> dict[str, int]:
        return {frame.name: k for k, frame in enumerate(self.other.frames) if str(frame.type) == "BODY"}

    def _placement(self, link: str) -> tuple[int, np.ndarray, np.ndarray]:
        """The joint that carries a link, and the link's pose in its frame."""
        frame = self.other.frames[self.frame_id(link)]
        return frame.parentJoint, frame.placement.rotation, frame.placement.translation


def angle_as_pair(x: Matched) -> bool:
    """Whether Pinocchio has (cos, sin) for our last coordinate."""
    return len(x.their_q) == x.nq + 1


def _match(model: Model, other: Any) -> list[Matched]:
    theirs = {name: other.joints[k] for k, name in enumerate(other.names) if k}
    ours = moving(model)
    refuse_unmatched((joint.name for joint in ours), theirs, "Pinocchio")
    matched: list[Matched] = []
    q = v = 0
    for joint in ours:
        there = theirs[joint.name]
        their_q, their_v = (np.arange(i, i + n) for i, n in ((there.idx_q, there.nq), (there.idx_v, there.nv)))
        sizes = joint.coordinates, joint.degrees
        x = Matched(joint.name, joint.type, joint.child, q, v, *sizes, their_q, their_v, joint.name)
        counts = {x.nq, x.nq + 1} if joint.type in ANGLE_LAST else {x.nq}
        if there.nv != x.nv or there.nq not in counts or "Mimic" in there.shortname():
            raise StructureError(f"joint {joint.name!r} is {joint.type}, and {there.shortname()} in Pinocchio")
        matched.append(x)
        q, v = q + x.nq, v + x.nv
    return matched


def to_q(model: Model, other: Any, q: Any) -> np.ndarray:
    """Pinocchio's configuration of ours.

    Parameters
    ----------
    model, other : the robot here, and as `pinocchio.Model`.
    q : (..., model.nq).

    Returns
    -------
    q : (..., other.nq).

    Raises
    ------
    StructureError
        A joint that only one of them has, or that is of another kind there; the error names it.

    Examples
    --------
    >>> import featherstone as fs
    >>> import pinocchio
    >>> text = fs.models.load("cart_pole").to_urdf()
    >>> fs.compat.pinocchio.to_q(fs.load_urdf(text), pinocchio.buildModelFromXML(text), [0.5, 0.0])
    array([0.5, 1. , 0. ])
    """
    return Pair(model, other).to_q(q)


def from_q(model: Model, other: Any, q: Any) -> np.ndarray:
    """Our configuration (..., model.nq) of Pinocchio's (..., other.nq).

    Angles that it has as (cos, sin) are between -pi and pi. Followers must be where their leaders take them.
    """
    return Pair(model, other).from_q(q)


def to_v(model: Model, other: Any, qd: Any) -> np.ndarray:
    """Pinocchio's velocity (..., other.nv) of ours (..., model.nv)."""
    return Pair(model, other).to_v(qd)


def from_v(model: Model, other: Any, v: Any) -> np.ndarray:
    """Our velocity (..., model.nv) of Pinocchio's (..., other.nv)."""
    return Pair(model, other).from_v(v)


def to_a(model: Model, other: Any, qdd: Any) -> np.ndarray:
    """Pinocchio's acceleration (..., other.nv) of ours (..., model.nv): both are spatial ones."""
    return Pair(model, other).to_a(qdd)


def from_a(model: Model, other: Any, a: Any) -> np.ndarray:
    """Our acceleration (..., model.nv) of Pinocchio's (..., other.nv)."""
    return Pair(model, other).from_a(a)


def to_tau(model: Model, other: Any, tau: Any) -> np.ndarray:
    """Pinocchio's generalised forces (..., other.nv) of ours (..., model.nv); followers get none."""
    return Pair(model, other).to_tau(tau)


def from_tau(model: Model, other: Any, tau: Any) -> np.ndarray:
    """Our generalised forces (..., model.nv) of Pinocchio's (..., other.nv); those of followers act on leaders."""
    return Pair(model, other).from_tau(tau)


def to_mass_matrix(model: Model, other: Any, H: Any) -> np.ndarray:
    """Pinocchio's mass matrix (..., other.nv, other.nv) of ours; refused where there are followers."""
    return Pair(model, other).to_mass_matrix(H)


def from_mass_matrix(model: Model, other: Any, M: Any) -> np.ndarray:
    """Our mass matrix (..., model.nv, model.nv) of Pinocchio's, of which the upper triangle is read."""
    return Pair(model, other).from_mass_matrix(M)


def to_f_ext(model: Model, other: Any, f_ext: Any) -> np.ndarray:
    """Pinocchio's external forces (..., njoints, 6), (force; moment) in joint frames, of ours (..., model.nb, 6).

    Its functions take those of one state as `[pinocchio.Force(x) for x in f]`.
    """
    return Pair(model, other).to_f_ext(f_ext)


def from_f_ext(model: Model, other: Any, f: Any) -> np.ndarray:
    """Our external forces (..., model.nb, 6), (moment; force) in link frames, of Pinocchio's (..., njoints, 6)."""
    return Pair(model, other).from_f_ext(f)
