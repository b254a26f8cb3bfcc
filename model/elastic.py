"""Elastic joints: between motor and link there is a spring, so both have a coordinate of their own.

With the link's coordinate q, the motor's theta (both behind the gear), and B the motor's inertia as the joint feels it,

    H(q) qdd + bias(q, qd) = K (theta - q) + D (thetad - qd)
    B thetadd + K (theta - q) + D (thetad - qd) = tau

Spong (1987), Modeling and control of elastic joint robots, section 2. A rotor that is gyroscopic is not simplified: it
rides on the link that carries the motor and turns with theta.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .assembly import assemble
from .description import Joint, Link
from .drives import reflected_inertia
from .errors import ModelError
from .joint_checks import NOT_NEGATIVE
from .numbers import number

if TYPE_CHECKING:
    from .model import Model

MOTOR = "_motor"  # what a motor's joint and its massless link are called behind the joint's name
# what the link's side of a joint keeps; all else of the drive is the motor's
RIGID: dict[str, Any] = dict.fromkeys(NOT_NEGATIVE, 0.0)


@dataclass(frozen=True)
class Elastic:
    """A robot with elastic joints: a plain model, and the springs between motors and links.

    Attributes
    ----------
    model : the robot; each elastic joint has its name on the link's side, and "_motor" behind it on the motor's.
    joints : names of the elastic joints, (n,).
    stiffness, damping : (n,) N m/rad and N m s/rad, or N/m and N s/m.
    link_q, motor_q : (n,) where their coordinates are in q.
    link_v, motor_v : (n,) where their rates are in qd, and their torques in tau.
    """

    model: Model
    joints: tuple[str, ...]
    stiffness: np.ndarray
    damping: np.ndarray
    link_q: np.ndarray
    motor_q: np.ndarray
    link_v: np.ndarray
    motor_v: np.ndarray

    def torque(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """The generalised forces of the springs and dampers, (..., nv): in `aba` add them to what the motors do.

        `simulate` has the springs itself if it is given the whole of this object, not its `model`.

        Parameters
        ----------
        q, qd : (..., nq) and (..., nv), the state of `model`.
        """
        q, qd = self._checked("q", q, self.model.nq), self._checked("qd", qd, self.model.nv)
        twist = self.stiffness * (q[..., self.motor_q] - q[..., self.link_q])
        twist = twist + self.damping * (qd[..., self.motor_v] - qd[..., self.link_v])
        tau = np.zeros((*twist.shape[:-1], self.model.nv))
        tau[..., self.link_v] = twist
        tau[..., self.motor_v] = -twist
        return tau

    def energy(self, q: ArrayLike) -> np.ndarray | float:
        """The springs' energy, (...) J."""
        q = self._checked("q", q, self.model.nq)
        stretch = q[..., self.motor_q] - q[..., self.link_q]
        energy = (self.stiffness * stretch * stretch).sum(-1) / 2
        return energy if np.ndim(energy) else float(energy)

    @staticmethod
    def _checked(name: str, value: ArrayLike, count: int) -> np.ndarray:
        array = np.asarray(value, np.float64)
        if array.shape[-1:] != (count,):
            raise ValueError(f"{name}: expected shape (..., {count}), got {array.shape}")
        return array

    def motors(self, tau: ArrayLike) -> np.ndarray:
        """Generalised forces (..., nv) of the motors' torques (..., n), in the order of `joints`."""
        given = np.asarray(tau, np.float64)
        if given.shape[-1:] != (len(self.joints),):
            raise ValueError(f"tau: expected shape (..., {len(self.joints)}), one for each motor, got {given.shape}")
        full = np.zeros((*given.shape[:-1], self.model.nv))
        full[..., self.motor_v] = given
        return full


def elastic(model: Model, stiffness: Mapping[str, float], damping: Mapping[str, float] | None = None) -> Elastic:
    """A robot some of whose joints are elastic: each gets a motor of its own behind a spring.

    Parameters
    ----------
    model : the robot. An elastic joint's armature or rotor is the motor's inertia, which must be there; its losses and
        its limits of effort and velocity are the motor's too, its position limits stay the link's.
    stiffness : N m/rad or N/m of the spring, for each elastic joint by name.
    damping : N m s/rad or N s/m beside the spring, none if not given.

    Returns
    -------
    elastic : with a plain `model` for all functions, and `torque(q, qd)`, what the springs do.

    Raises
    ------
    UnknownNameError, ModelError
        An unknown joint, one of several degrees of freedom, one that follows another, one without armature and rotor,
        or numbers that make no sense.
    TypeError
        `stiffness` or `damping` is no mapping.

    Examples
    --------
    >>> import featherstone as fs
    >>> builder = fs.ModelBuilder("flexible")
    >>> builder.add_link("base")
    >>> builder.add_link("arm", mass=1.0, com=(0.5, 0, 0))
    >>> builder.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 1, 0), rotor=fs.Rotor(1e-5, ratio=100.0))
    >>> flexible = fs.elastic(builder.build(), {"shoulder": 5000.0})
    >>> flexible.model.joint_names, flexible.model.armature.tolist()
    (('shoulder_motor', 'shoulder'), [0.1, 0.0])
    >>> flexible.torque([0.01, 0.0], [0.0, 0.0]).tolist()  # the motor ahead of the link
    [-50.0, 50.0]
    >>> run = fs.simulate(flexible, [0.01, 0.0], [0.0, 0.0], duration=0.1, dt=1e-4, method="rk4")
    """
    for key, given in (("stiffness", stiffness), ("damping", {} if damping is None else damping)):
        if not isinstance(given, Mapping):
            raise TypeError(f"{key}: expected a mapping of joints to numbers, got {given!r}")
    damping = dict(damping or {})
    for name in damping.keys() - stiffness.keys():
        raise ModelError(f"joint {name!r}: damping: expected its stiffness as well", ("joint", name))
    springs = {name: _spring(model, name, stiffness[name], damping.get(name, 0.0)) for name in stiffness}
    links, joints = list(model.description.links), []
    taken = {link.name for link in links} | {joint.name for joint in model.description.joints}
    for joint in model.description.joints:
        if joint.name in springs:
            motor = joint.name + MOTOR
            if motor in taken:
                raise ModelError(f"joint {joint.name!r}: the name {motor!r} is needed for its motor; use rename")
            links.append(Link(motor))
            joints.append(_motor(joint, motor))
            joint = replace(joint, **RIGID, rotor=None, effort=np.inf, velocity=np.inf)
        joints.append(joint)
    made: Model = assemble(replace(model.description, links=tuple(links), joints=tuple(joints)), model.options)
    names = [name for name in made.joint_names if name in springs]
    motors = [name + MOTOR for name in names]
    k, d = np.array([springs[name] for name in names]).reshape(-1, 2).T
    places = [[index(name) for name in x] for index in (made.q_index, made.qd_index) for x in (names, motors)]
    return Elastic(made, tuple(names), k, d, *(np.array(place, np.int64) for place in places))


def _motor(joint: Joint, name: str) -> Joint:
    """The motor's side of a joint: all of its drive, and no limit of position."""
    return replace(joint, name=name, child=name, lower=-np.inf, upper=np.inf)


def _spring(model: Model, name: str, stiffness: Any, damping: Any) -> tuple[float, float]:
    model.qd_index(name)  # there is such a joint, and it follows none
    element = ("joint", name)
    joint = next(joint for joint in model.joints if joint.name == name)
    if joint.degrees != 1:
        raise ModelError(f"joint {name!r}: expected a joint of one degree of freedom, it is {joint.type}", element)
    found = {key: number(x, key, element) for key, x in (("stiffness", stiffness), ("damping", damping))}
    for key, x in found.items():
        if x < 0:
            raise ModelError(f"joint {name!r}: {key}: expected a number >= 0, got {x!r}", element)
    spins = joint.rotor is not None and joint.rotor.gyroscopic and joint.rotor.inertia > 0 and joint.rotor.ratio != 0
    if not spins and joint.values("armature")[0] + reflected_inertia(joint) <= 0:
        message = f"joint {name!r}: expected an armature or a rotor, which is the motor's inertia, got none"
        raise ModelError(message, element)
    return found["stiffness"], found["damping"]
