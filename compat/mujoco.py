"""MuJoCo's states of a robot, and ours.

MuJoCo has quaternions with the real part first. Its free joint has the linear velocity in the world's axes and before
the angular one, which is in the body's; accelerations are the rates of these numbers, so they differ from ours by
omega x v as well. Each function takes a model and the `mujoco.MjModel` of the same robot, and arrays with any leading
batch dimensions; `q` beside velocities, accelerations and forces is always ours. Joints are matched by their names, and
"root_joint" to the free joint of its link. `Pair` holds a mapping for many calls.

A planar joint is three of MuJoCo's, whose names end in _TX, _TY and _RZ, as its reader of URDF makes them; a floating
joint that is not on the world is four: _TX, _TY, _TZ and the ball _R. Universal, cylindrical, composite and helical
joints are the joints that `Model.to_urdf` makes of them; to read its URDF, MuJoCo needs boundmass and boundinertia for
the massless links between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.drives import reflected_inertia
from ..model.model import Model
from .mujoco_joints import match
from .mujoco_wrenches import Carried, carried_bodies, from_wrenches, named_bodies, to_wrenches
from .pairs import Pair as _Pair

LINEAR = {"floating": slice(3, 6), "planar": slice(1, 3)}  # the linear part of our velocity
UNIT = 2e-6  # how far from 1 a quaternion's squared length may be


class Pair(_Pair):
    """The mapping between a model and the `mujoco.MjModel` of the same robot.

    `bodies` are the numbers of MuJoCo's bodies by the names of links; found by their own names if not given.

    Raises
    ------
    StructureError
        A joint that only one of them has, or that is of another kind there; the error names it.
    """

    engine = "MuJoCo"

    def __init__(self, model: Model, other: Any, bodies: dict[str, int] | None = None) -> None:
        self.other = other
        self.bodies = named_bodies(model, other) if bodies is None else bodies
        super().__init__(model, match(model, other), other.nq, other.nv)
        self.q_places = np.concatenate([x.their_q for x in self.joints] or [np.zeros(0, int)])
        self.v_places = np.concatenate([x.their_v for x in self.joints] or [np.zeros(0, int)])
        self.turning = [x for x in self.joints if x.type in LINEAR]
        # the degrees of freedom of joints whose velocities are in moved axes here, and in fixed ones there
        self.moved_axes = np.zeros(self.nv_all, bool)
        for x in self.turning:
            self.moved_axes[x.v : x.v + x.nv] = True

    def to_q(self, q: Any) -> np.ndarray:
        """MuJoCo's qpos (..., nq) of our q."""
        return _scattered(self.all_q(q), self.q_places)

    def from_q(self, qpos: Any) -> np.ndarray:
        """Our q (..., nq) of MuJoCo's qpos."""
        return self.coordinates_of_leaders(self.ours("qpos", qpos, self.nq)[..., self.q_places])

    def to_v(self, q: Any, qd: Any) -> np.ndarray:
        """MuJoCo's qvel (..., nv) of our qd."""
        qd_all = self.ours("qd", qd, self.model.nv) @ self.G.T
        return self._to(q, qd_all)

    def from_v(self, q: Any, qvel: Any) -> np.ndarray:
        """Our qd (..., nv) of MuJoCo's qvel."""
        return self.rates_of_leaders(self._from(q, self.ours("qvel", qvel, self.nv)))

    def to_a(self, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """MuJoCo's qacc (..., nv) of our qdd."""
        qd_all, qdd_all = (self.ours(n, x, self.model.nv) @ self.G.T for n, x in (("qd", qd), ("qdd", qdd)))
        return self._to(q, qdd_all + self._transport(qd_all))

    def from_a(self, q: Any, qd: Any, qacc: Any) -> np.ndarray:
        """Our qdd (..., nv) of MuJoCo's qacc."""
        qd_all = self.ours("qd", qd, self.model.nv) @ self.G.T
        qdd_all = self._from(q, self.ours("qacc", qacc, self.nv)) - self._transport(qd_all)
        return self.rates_of_leaders(qdd_all)

    def to_tau(self, q: Any, tau: Any) -> np.ndarray:
        """MuJoCo's generalised forces (..., nv) of ours."""
        return self._to(q, self.forces_of_leaders(tau))

    def from_tau(self, q: Any, qfrc: Any) -> np.ndarray:
        """Our tau (..., nv) of MuJoCo's generalised forces."""
        return self._from(q, self.ours("qfrc", qfrc, self.nv)) @ self.G

    def to_mass_matrix(self, q: Any, H: Any) -> np.ndarray:
        """MuJoCo's full mass matrix (..., nv, nv) of ours."""
        self.refuse_followers("the mass matrix")
        H, rows = self.ours("H", H, self.model.nv, self.model.nv), np.asarray(q)[..., None, :]
        half = self._to(rows, self.forces_of_leaders(H))
        return self._to(rows, self.forces_of_leaders(half.swapaxes(-1, -2)))

    def from_mass_matrix(self, q: Any, M: Any) -> np.ndarray:
        """Our mass matrix (..., nv, nv) of MuJoCo's full one."""
        M, rows = self.ours("M", M, self.nv, self.nv), np.asarray(q)[..., None, :]
        half = self._from(rows, M) @ self.G
        return self._from(rows, half.swapaxes(-1, -2)) @ self.G

    def to_f_ext(self, q: Any, f_ext: Any) -> np.ndarray:
        """MuJoCo's xfrc_applied (..., nbody, 6) of our forces on bodies (..., nb, 6)."""
        q, forces = self.ours("q", q, self.model.nq), self.ours("f_ext", f_ext, self.model.nb, 6)
        return to_wrenches(self.model, self.carried(), q, forces, self.other.nbody)

    def from_f_ext(self, q: Any, xfrc: Any) -> np.ndarray:
        """Our forces on bodies (..., nb, 6) of MuJoCo's xfrc_applied (..., nbody, 6); those on the world are left."""
        q, forces = self.ours("q", q, self.model.nq), self.ours("xfrc", xfrc, self.other.nbody, 6)
        return from_wrenches(self.model, self.carried(), q, forces)

    def carried(self) -> list[Carried]:
        """MuJoCo's bodies that move, on the bodies of ours that carry them."""
        return carried_bodies(self.model, self.other, self.bodies)

    def of_degrees(self, field: str) -> np.ndarray:
        """Armature (rotors included), damping or the like of each of all degrees of freedom."""
        described = {joint.name: joint for joint in self.model.joints}
        values = np.zeros(self.nv_all)
        for x in self.joints:
            if not x.travels:
                joint = described[x.owner]
                values[x.v : x.v + x.nv] = joint.values(field)[x.first : x.first + x.nv]
                if field == "armature":
                    values[x.v : x.v + x.nv] += reflected_inertia(joint)
        return values

    def _to(self, q: Any, x_all: np.ndarray) -> np.ndarray:
        """Linear parts to the axes of the joint's frame on the parent, and MuJoCo's order."""
        return _scattered(self._turned(q, x_all, back=False), self.v_places)

    def _from(self, q: Any, theirs: np.ndarray) -> np.ndarray:
        """Our order, and linear parts to the moved axes."""
        return self._turned(q, theirs[..., self.v_places], back=True)

    def _turned(self, q: Any, x_all: np.ndarray, *, back: bool) -> np.ndarray:
        q_all = self.all_q(q)
        shape = np.broadcast_shapes(q_all.shape[:-1], x_all.shape[:-1])
        turned = np.broadcast_to(x_all, (*shape, x_all.shape[-1])).copy()
        for x in self.turning:
            part = slice(x.v + LINEAR[x.type].start, x.v + LINEAR[x.type].stop)
            R = moved_axes(x.name, x.type, q_all[..., x.q : x.q + x.nq])
            turned[..., part] = np.einsum("...ji,...j->...i" if back else "...ij,...j->...i", R, turned[..., part])
        return turned

    def _transport(self, qd_all: np.ndarray) -> np.ndarray:
        """omega x v of joints whose linear velocity is in moved axes: what the rate of the turned numbers has more."""
        added = np.zeros_like(qd_all)
        for x in self.turning:
            part = slice(x.v + LINEAR[x.type].start, x.v + LINEAR[x.type].stop)
            v = qd_all[..., part]
            if x.type == "planar":
                added[..., part] = qd_all[..., x.v : x.v + 1] * np.stack([-v[..., 1], v[..., 0]], axis=-1)
            else:
                added[..., part] = np.cross(qd_all[..., x.v : x.v + 3], v)
        return added


def moved_axes(name: str, kind: str, q: np.ndarray) -> np.ndarray:
    """The rotation of a floating (3x3) or planar (2x2) joint with coordinates q (..., 7 or 3)."""
    if kind == "planar":
        c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
        return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    x, w = q[..., 3:6], q[..., 6]
    length = (x * x).sum(-1) + w * w
    if np.any(np.abs(length - 1.0) > UNIT):
        raise ValueError(f"q: joint {name!r}: expected a quaternion of unit length, got one of {np.sqrt(length)}")
    cross = np.zeros((*x.shape[:-1], 3, 3))
    cross[..., 0, 1], cross[..., 0, 2], cross[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
    cross -= cross.swapaxes(-1, -2)
    twice = 2.0 / length[..., None, None]
    return np.eye(3) + twice * (w[..., None, None] * cross + cross @ cross)


def _scattered(x: np.ndarray, places: np.ndarray) -> np.ndarray:
    """x with its k-th entry at places[k]."""
    theirs = np.empty_like(x)
    theirs[..., places] = x
    return theirs


def to_q(model: Model, other: Any, q: Any) -> np.ndarray:
    """MuJoCo's qpos of our configuration.

    Parameters
    ----------
    model, other : the robot here, and as `mujoco.MjModel`.
    q : (..., model.nq).

    Returns
    -------
    qpos : (..., other.nq). Hinges and slides have the same number on both sides, also where MJCF gives them a `ref`.

    Raises
    ------
    StructureError
        A joint that only one of them has, or that is of another kind there; the error names it.

    Examples
    --------
    >>> import featherstone as fs
    >>> import mujoco
    >>> ball = mujoco.MjModel.from_xml_string('''<mujoco><worldbody>
    ...   <body name="ball"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>''')
    >>> fs.compat.mujoco.to_q(fs.load_mjcf(ball), ball, [1.0, 2.0, 3.0, 0.6, 0.0, 0.0, 0.8])
    array([1. , 2. , 3. , 0.8, 0.6, 0. , 0. ])
    """
    return Pair(model, other).to_q(q)


def from_q(model: Model, other: Any, qpos: Any) -> np.ndarray:
    """Our configuration (..., model.nq) of MuJoCo's qpos; followers must be where their leaders take them."""
    return Pair(model, other).from_q(qpos)


def to_v(model: Model, other: Any, q: Any, qd: Any) -> np.ndarray:
    """MuJoCo's qvel (..., other.nv) of our velocity (..., model.nv) at our q."""
    return Pair(model, other).to_v(q, qd)


def from_v(model: Model, other: Any, q: Any, qvel: Any) -> np.ndarray:
    """Our velocity (..., model.nv) of MuJoCo's qvel (..., other.nv) at our q."""
    return Pair(model, other).from_v(q, qvel)


def to_a(model: Model, other: Any, q: Any, qd: Any, qdd: Any) -> np.ndarray:
    """MuJoCo's qacc (..., other.nv) of our acceleration (..., model.nv) at our q and qd."""
    return Pair(model, other).to_a(q, qd, qdd)


def from_a(model: Model, other: Any, q: Any, qd: Any, qacc: Any) -> np.ndarray:
    """Our acceleration (..., model.nv) of MuJoCo's qacc (..., other.nv) at our q and qd."""
    return Pair(model, other).from_a(q, qd, qacc)


def to_tau(model: Model, other: Any, q: Any, tau: Any) -> np.ndarray:
    """MuJoCo's generalised forces (..., other.nv), as for qfrc_applied, of ours (..., model.nv) at our q."""
    return Pair(model, other).to_tau(q, tau)


def from_tau(model: Model, other: Any, q: Any, qfrc: Any) -> np.ndarray:
    """Our generalised forces (..., model.nv) of MuJoCo's (..., other.nv) at our q; followers' act on leaders."""
    return Pair(model, other).from_tau(q, qfrc)


def to_mass_matrix(model: Model, other: Any, q: Any, H: Any) -> np.ndarray:
    """MuJoCo's full mass matrix (..., other.nv, other.nv) of ours at our q; refused where there are followers."""
    return Pair(model, other).to_mass_matrix(q, H)


def from_mass_matrix(model: Model, other: Any, q: Any, M: Any) -> np.ndarray:
    """Our mass matrix (..., model.nv, model.nv) of MuJoCo's full one (`mj_fullM`) at our q."""
    return Pair(model, other).from_mass_matrix(q, M)


def to_f_ext(model: Model, other: Any, q: Any, f_ext: Any) -> np.ndarray:
    """MuJoCo's xfrc_applied (..., nbody, 6), (force; moment) in world axes at centres of mass, of our f_ext at our q.

    Raises
    ------
    StructureError
        A force on a link between two joints of one body, which is no body in MuJoCo.
    """
    return Pair(model, other).to_f_ext(q, f_ext)


def from_f_ext(model: Model, other: Any, q: Any, xfrc: Any) -> np.ndarray:
    """Our f_ext (..., model.nb, 6), (moment; force) in link frames, of MuJoCo's xfrc_applied at our q."""
    return Pair(model, other).from_f_ext(q, xfrc)
