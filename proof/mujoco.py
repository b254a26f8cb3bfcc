"""A robot in MuJoCo, asked and answering in featherstone's coordinates, order and conventions.

`compat/mujoco.py` has the mapping. Followers are joints of their own there, tau = G^T tau_all and H = G^T H_all G.
Armature of planar and floating joints stands along the moved axes in featherstone and along fixed ones in MuJoCo: there
it is left out, and added to the answers. So is their damping where it is not the same along all axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..compat.mujoco import Pair
from ..compat.pairs import StructureError
from ..model.model import Model
from ..parsers.mjcf import rotation
from ..parsers.mujoco_model import import_mujoco
from .mujoco_source import Source, uneven
from .pseudo_inertia import pseudo_inertia
from .reference import Reference, refuse_rotors

POSITIVE = (
    1e-13  # the least eigenvalue of a mass matrix, relative to the largest, that MuJoCo factors without complaint
)


class MujocoReference(Reference):
    """MuJoCo's answers for a robot. Arrays have one leading axis, the states."""

    engine = "MuJoCo"
    calls: ClassVar = {
        "inertias": "body_mass, body_inertia",
        "rnea": "mj_inverse",
        "crba": "mj_mulM",
        "aba": "mj_forward",
        "poses": "mj_kinematics",
        "kinetic_energy": "mj_energyVel",
        "potential_energy": "mj_energyPos",
        "no aba": "mj_forward knows no followers",
    }
    pair: Pair

    def __init__(self, model: Model, source: Source, gravity: Any = None) -> None:
        self.mujoco = import_mujoco()
        refuse_rotors(model, self.engine)
        self.ours, self.mj = model, source.model
        self.bodies = source.bodies
        self.links = [name for name in model.frame_names if name not in source.between]
        for name in self.links:
            if name not in self.bodies:
                raise StructureError(f"link {name!r} is in featherstone's model and not in MuJoCo's")
        extra = [
            name for name in self.bodies if name not in model.frame_names and self.mj.body_weldid[self.bodies[name]]
        ]
        if extra:
            raise StructureError(f"link {extra[0]!r} is in MuJoCo's model and not in featherstone's")
        self.bodies = {name: number for name, number in self.bodies.items() if name in model.frame_names}
        self.pair = Pair(model, source.model, self.bodies)
        self.mj.opt.gravity[:] = model.gravity if gravity is None else gravity
        self.data = self.mujoco.MjData(self.mj)
        self.added_armature = self._added_armature()
        self.added_damping = np.where(uneven(self.pair), self.pair.of_degrees("damping"), 0.0)
        carried = {x.body for x in self.pair.carried()}
        self.feels = np.array([b in carried for b in range(model.nb)], bool)
        self.solves = not self.coupled and not self.added_armature.any()

    @property
    def gravity(self) -> np.ndarray:
        """(3,) m/s^2."""
        return self.mj.opt.gravity

    def _added_armature(self) -> np.ndarray:
        """Of the degrees of freedom of all joints, the armature that MuJoCo's model does not have."""
        return np.where(self.pair.moved_axes, self.pair.of_degrees("armature"), 0.0)

    def states(self, q: np.ndarray, *vectors: np.ndarray) -> Iterator[tuple[Any, ...]]:
        """For each state the data with its positions computed, its number, and the state's vectors."""
        for k, qpos in enumerate(self.pair.to_q(q)):
            self.data.qpos[:] = qpos
            self._place()
            yield (self.data, k, *(x[k] for x in vectors))

    def _place(self) -> None:
        """Everything that depends on positions, but the factor of the mass matrix, which may be singular."""
        mujoco, mj, data = self.mujoco, self.mj, self.data
        mujoco.mj_kinematics(mj, data)
        mujoco.mj_comPos(mj, data)
        mujoco.mj_tendon(mj, data)
        mujoco.mj_transmission(mj, data)
        getattr(mujoco, "mj_makeM", mujoco.mj_crb)(mj, data)

    def _mass_matrix(self) -> np.ndarray:
        M = np.zeros((self.mj.nv, self.mj.nv))
        for column, unit in zip(M, np.eye(self.mj.nv)):
            self.mujoco.mj_mulM(self.mj, self.data, column, unit)
        return M

    # inertias

    def total_mass(self) -> float:
        """Of the whole robot in kg, its base included."""
        return float(self.mj.body_mass.sum())

    def inertias(self) -> np.ndarray:
        """Pseudo-inertias of what moves with each joint: bodies without joints in between count with their carrier."""
        model = self.ours
        poses = forward_kinematics(model, model.neutral())
        theirs = {x.link: np.zeros((4, 4)) for x in self.joints}
        for name, number in self.bodies.items():
            body, pose = model.frame(name).body - 1, model.frame(name).pose
            carrier = body
            while carrier >= 0 and model.joints[carrier].type == "fixed":
                carrier = int(model.parent[carrier])
            if carrier >= 0:
                T = np.linalg.inv(poses[carrier]) @ poses[body] @ pose
                theirs[model.body_names[carrier]] += T @ self._of_body(number) @ T.T
        return np.array([*theirs.values()]).reshape(-1, 4, 4)

    def _of_body(self, b: int) -> np.ndarray:
        R, c, m = rotation(self.mj.body_iquat[b]), self.mj.body_ipos[b], float(self.mj.body_mass[b])
        about_origin = R @ np.diag(self.mj.body_inertia[b]) @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
        return pseudo_inertia(m, m * c, about_origin)

    # dynamics

    def rnea(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, f_ext: np.ndarray | None = None) -> np.ndarray:
        """tau (n, nv)."""
        theirs = np.empty((len(q), self.mj.nv))
        for data, k, v, a in self.states(q, self.pair.to_v(q, qd), self.pair.to_a(q, qd, qdd)):
            data.qvel[:], data.qacc[:] = v, a
            theirs[k] = self._inverse()
        tau = self.pair.from_tau(q, theirs) + (self.added_armature * (qdd @ self.pair.G.T)) @ self.pair.G
        return tau if f_ext is None else tau - self._of_forces(q, f_ext)

    def _inverse(self) -> np.ndarray:
        """The torques of the state in the data without passive forces; mj_inverse would factor a singular matrix."""
        M = self._mass_matrix()
        if is_positive(M):
            self.mujoco.mj_inverse(self.mj, self.data)
            return self.data.qfrc_inverse + self.data.qfrc_passive
        self.mujoco.mj_comVel(self.mj, self.data)
        bias = np.zeros(self.mj.nv)
        self.mujoco.mj_rne(self.mj, self.data, 0, bias)
        return bias + M @ self.data.qacc

    def _of_forces(self, q: np.ndarray, f_ext: np.ndarray) -> np.ndarray:
        """The generalised forces of external ones, by mj_applyFT."""
        theirs = np.zeros((len(q), self.mj.nv))
        for data, k, wrenches in self.states(q, self.pair.to_f_ext(q, f_ext)):
            for b in np.flatnonzero(wrenches.any(axis=1)):
                force, moment = wrenches[b, :3].copy(), wrenches[b, 3:].copy()
                self.mujoco.mj_applyFT(self.mj, data, force, moment, data.xipos[b], int(b), theirs[k])
        return self.pair.from_tau(q, theirs)

    def crba(self, q: np.ndarray) -> np.ndarray:
        """H (n, nv, nv)."""
        theirs = np.empty((len(q), self.mj.nv, self.mj.nv))
        for _, k in self.states(q):
            theirs[k] = self._mass_matrix()
        return self.pair.from_mass_matrix(q, theirs) + self.pair.G.T * self.added_armature @ self.pair.G

    def aba(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, f_ext: np.ndarray) -> np.ndarray:
        """qdd (n, nv); for models without followers."""
        theirs = np.empty((len(q), self.mj.nv))
        vectors = self.pair.to_v(q, qd), self.pair.to_tau(q, tau), self.pair.to_f_ext(q, f_ext)
        for data, k, v, applied, wrenches in self.states(q, *vectors):
            data.qvel[:], data.xfrc_applied[:] = v, wrenches
            theirs[k] = self._forward(applied, damped=False)
        self.data.xfrc_applied[:] = 0.0
        return self.pair.from_a(q, qd, theirs)

    def _forward(self, applied: np.ndarray, *, damped: bool) -> np.ndarray:
        """The accelerations of the state in the data, with or without its passive forces."""
        self.mujoco.mj_fwdPosition(self.mj, self.data)
        self.mujoco.mj_fwdVelocity(self.mj, self.data)
        self.data.qfrc_applied[:] = applied if damped else applied - self.data.qfrc_passive
        self.mujoco.mj_forward(self.mj, self.data)
        self.data.qfrc_applied[:] = 0.0
        return self.data.qacc

    # losses

    def damping(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """The torques (n, nv) of damping."""
        theirs = np.empty((len(q), self.mj.nv))
        for data, k, v in self.states(q, self.pair.to_v(q, qd)):
            data.qvel[:] = v
            self.mujoco.mj_passive(self.mj, data)
            theirs[k] = -data.qfrc_passive
        return self.pair.from_tau(q, theirs) + (self.added_damping * (qd @ self.pair.G.T)) @ self.pair.G

    def friction(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The torques (n, joints' degrees of freedom) of frictionloss at no acceleration, and whether it slides.

        Where the mass matrix is singular MuJoCo does not know.
        """
        sliding = self.mujoco.mjtConstraintState
        at_bound = (int(sliding.mjCNSTRSTATE_LINEARNEG), int(sliding.mjCNSTRSTATE_LINEARPOS))
        of_joints = int(self.mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
        force, slides = np.zeros((2, len(q), self.mj.nv))
        with self._frictional():
            for data, k, v in self.states(q, self.pair.to_v(q, qd)):
                if not is_positive(self._mass_matrix()):
                    continue
                data.qvel[:], data.qacc[:] = v, 0.0
                self.mujoco.mj_inverse(self.mj, data)
                rows = np.flatnonzero(data.efc_type == of_joints)
                dofs = data.efc_id[rows]
                force[k, dofs], slides[k, dofs] = -data.efc_force[rows], np.isin(data.efc_state[rows], at_bound)
        return force[:, self.pair.v_places], slides[:, self.pair.v_places] > 0.0

    @contextmanager
    def _frictional(self) -> Iterator[None]:
        """With the constraints of frictionloss switched on, and no others."""
        bits, flags = self.mujoco.mjtDisableBit, self.mj.opt.disableflags
        others = bits.mjDSBL_CONTACT, bits.mjDSBL_LIMIT, bits.mjDSBL_EQUALITY
        self.mj.opt.disableflags = (flags & ~int(bits.mjDSBL_CONSTRAINT)) | sum(map(int, others))
        try:
            yield
        finally:
            self.mj.opt.disableflags = flags

    def damped_accelerations(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """qdd (n, nv) with damping, without friction."""
        tau = tau - (self.added_damping * (qd @ self.pair.G.T)) @ self.pair.G
        theirs = np.empty((len(q), self.mj.nv))
        for data, k, v, applied in self.states(q, self.pair.to_v(q, qd), self.pair.to_tau(q, tau)):
            data.qvel[:] = v
            theirs[k] = self._forward(applied, damped=True)
        return self.pair.from_a(q, qd, theirs)

    # kinematics and energies

    def poses(self, q: np.ndarray) -> np.ndarray:
        """World poses (n, links, 4, 4) of the `links`."""
        numbers = [self.bodies[name] for name in self.links]
        poses = np.zeros((len(q), len(numbers), 4, 4))
        poses[..., 3, 3] = 1.0
        for data, k in self.states(q):
            poses[k, :, :3, :3], poses[k, :, :3, 3] = data.xmat[numbers].reshape(-1, 3, 3), data.xpos[numbers]
        return poses

    def kinetic_energy(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """(n,) J."""
        energy = np.empty(len(q))
        for data, k, v in self.states(q, self.pair.to_v(q, qd)):
            data.qvel[:] = v
            self.mujoco.mj_comVel(self.mj, data)
            self.mujoco.mj_energyVel(self.mj, data)
            energy[k] = data.energy[1]
        return energy + ((qd @ self.pair.G.T) ** 2 @ self.added_armature) / 2

    def potential_energy(self, q: np.ndarray) -> np.ndarray:
        """(n,) J, less that of bodies that cannot move."""
        still = [b for b in range(1, self.mj.nbody) if self.mj.body_weldid[b] == 0]
        energy = np.empty(len(q))
        for data, k in self.states(q):
            self.mujoco.mj_energyPos(self.mj, data)
            energy[k] = data.energy[0] + self.mj.body_mass[still] @ data.xipos[still] @ self.gravity
        return energy


def is_positive(M: np.ndarray) -> bool:
    """Whether MuJoCo can factor a mass matrix without complaint."""
    moments = np.linalg.eigvalsh(M) if M.size else np.ones(1)
    return bool(moments[0] > POSITIVE * moments[-1])
