"""What a model knows of its robot."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from ..engine.kernel import pack
from .arguments import read_only
from .assembly import Assembly, Frame, assemble
from .description import Description, Joint, Options
from .errors import ModelError, UnknownNameError
from .tree import FLOATING, HELICAL, PLANAR, REVOLUTE, SPHERICAL, Tree

QUATERNION_OFFSET = {SPHERICAL: 0, FLOATING: 3}  # where the quaternion begins among a joint's coordinates


class _Kept:
    """What compiled code finds in the model's own memory, not by name."""

    __slots__ = ("_frame_words", "packed")
    packed: np.ndarray  # the tree's sizes and addresses
    _frame_words: dict[str, np.ndarray]  # of each frame: the body that carries it, and the bits of its pose there


class Robot(_Kept):
    """What is known about a robot: its numbers, names, limits, frames and configurations."""

    description: Description
    options: Options
    tree: Tree
    name: str
    nb: int
    nq: int
    nv: int
    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]
    frame_names: tuple[str, ...]
    joints: tuple[Joint, ...]
    leaders: tuple[str | None, ...]
    parent: np.ndarray
    mass: float
    body_mass: np.ndarray
    gravity: np.ndarray
    q_lower: np.ndarray
    q_upper: np.ndarray
    qd_limit: np.ndarray
    tau_limit: np.ndarray
    damping: np.ndarray
    friction: np.ndarray
    armature: np.ndarray
    quaternion_indices: np.ndarray
    zero_rate: np.ndarray
    elements: tuple[tuple[int, int], ...]
    _frames: dict[str, Frame]
    _joint_number: dict[str, int]

    def __init__(self, description: Description, options: Options, assembly: Assembly) -> None:
        tree = assembly.tree
        store = self.__dict__
        store["description"], store["options"] = description, options
        store["tree"] = tree
        object.__setattr__(self, "packed", read_only(pack(tree)))
        words = {
            name: read_only(np.array([assembly.carriers[name], *x.pose.ravel().view(np.int64)]), np.int64)
            for name, x in assembly.frames.items()
        }
        object.__setattr__(self, "_frame_words", words)
        store["_frames"], store["leaders"] = assembly.frames, assembly.leader
        store["name"] = description.name
        store["nb"], store["nq"], store["nv"] = tree.links, tree.nq_free, tree.nv_free
        store["joints"], store["elements"] = assembly.joints, assembly.elements
        store["joint_names"] = tuple(joint.name for joint in assembly.joints)
        store["body_names"] = tuple(joint.child for joint in assembly.joints)
        store["frame_names"] = tuple(assembly.frames)
        store["_joint_number"] = {name: b for b, name in enumerate(self.joint_names)}
        first, last = np.array(self.elements, np.int64).reshape(-1, 2).T
        store["parent"] = read_only(tree.link[tree.parent[first]] - 1)
        masses = tree.inertia.reshape(-1, 10)[:, 0]
        store["body_mass"] = read_only(masses[last])
        store["mass"] = float(sum(link.mass for link in description.links))
        store["gravity"] = tree.gravity
        store.update(_limits(self))
        squared = np.zeros((3, self.nv))
        for k in range(tree.nv):
            s = abs(tree.v_scale[k])
            squared[:, tree.v_source[k]] += s * s * tree.damping[k], s * tree.friction[k], s * s * tree.armature[k]
        store["damping"], store["friction"], store["armature"] = map(read_only, squared)
        quaternions = [
            int(tree.q_source[tree.q_index[i]]) + QUATERNION_OFFSET[int(tree.joint_type[i])]
            for i in range(1, tree.nb + 1)
            if int(tree.joint_type[i]) in QUATERNION_OFFSET
        ]
        store["quaternion_indices"] = read_only(np.array(quaternions, np.int64))
        store["zero_rate"] = tree.zeros

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Model is immutable, {name!r} cannot be set; edit with with_gravity, with_payload, ...")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Model is immutable, {name!r} cannot be deleted")

    def __reduce__(self) -> Any:
        return assemble, (self.description, self.options)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        bodies = f"{self.nb} moving bod{'y' if self.nb == 1 else 'ies'}"
        base = "floating base" if self.options.floating_base else "fixed base"
        return f"<Model {self.name!r}: {bodies}, nq {self.nq}, nv {self.nv}, {base}, {self.mass:.6g} kg>"

    def __str__(self) -> str:
        from .drawing import draw

        return draw(self)

    # names and indices

    def body_index(self, name: str) -> int:
        """The index of a moving body, by the name of its link.

        Raises
        ------
        UnknownNameError
            There is none of that name (a link behind a fixed joint is a frame).
        """
        if not isinstance(name, str) or name not in self.body_names:
            raise UnknownNameError("body", name, self.body_names, self.name)
        return self.body_names.index(name)

    def q_index(self, name: str) -> Any:
        """Where a joint's coordinates are in q: an int, or a slice if there are several.

        Raises
        ------
        UnknownNameError
            There is no moving joint of that name.
        ModelError
            The joint follows another one and has no coordinate of its own.
        """
        return self._index(name, self.tree.q_index, self.tree.q_source, "coordinates")

    def qd_index(self, name: str) -> Any:
        """Where a joint's degrees of freedom are in qd, qdd and tau: an int, or a slice if there are several.

        Raises
        ------
        UnknownNameError
            There is no moving joint of that name.
        ModelError
            The joint follows another one and has no degree of freedom of its own.
        """
        return self._index(name, self.tree.v_index, self.tree.v_source, "degrees")

    def _index(self, name: str, index: np.ndarray, source: np.ndarray, sizes: str) -> Any:
        b = self._joint_number.get(name) if isinstance(name, str) else None
        if b is None:
            raise UnknownNameError("joint", name, self.joint_names, self.name)
        leader = self.leaders[b]
        if leader is not None:
            raise ModelError(f"joint {name!r} follows {leader!r} and has no coordinate of its own; ask for {leader!r}")
        size = getattr(self.joints[b], sizes)
        start = int(source[index[self.elements[b][0]]]) if size else 0
        return start if size == 1 else slice(start, start + size)

    def joint_of_dof(self, k: int) -> str:
        """The name of the joint that degree of freedom k of qd belongs to."""
        owner = int(np.flatnonzero(np.asarray(self.tree.v_source) == k)[0])
        b = self._joint_of_body(int(self.tree.body[owner]))
        return self.leaders[b] or self.joint_names[b]

    def joint_of_body(self, i: int) -> str:
        """The name of the joint that moves body i of the tree, or whose rotor it is."""
        return self.joint_names[self._joint_of_body(i)]

    def _joint_of_body(self, i: int) -> int:
        return next(b for b, (_, last) in enumerate(self.elements) if i <= last)

    def frame(self, name: str) -> Frame:
        """A link's frame: the body that carries it (0 the base, 1 the first body) and its pose there.

        Raises
        ------
        UnknownNameError
            There is no link of that name.
        """
        if not isinstance(name, str) or name not in self._frames:
            raise UnknownNameError("frame", name, self.frame_names, self.name)
        return self._frames[name]

    # configurations

    def neutral(self) -> np.ndarray:
        """The configuration (nq,) with every coordinate zero and every quaternion the identity."""
        q = np.zeros(self.nq)
        q[self.quaternion_indices + 3] = 1.0
        return q

    def random_configuration(self, rng: Any = None, shape: int | tuple[int, ...] = ()) -> np.ndarray:
        """Random configurations (*shape, nq).

        Parameters
        ----------
        rng : numpy.random.Generator, or a seed for one.
        shape : the batch shape.

        Notes
        -----
        Joints with two finite limits are uniform between them; other angles are uniform in (-pi, pi), other lengths in
        (-1, 1) m, from or up to the one limit if there is one; rotations are uniform over all rotations, or, where a
        spherical joint is limited, about a random axis by an angle that is uniform up to the limit.
        """
        try:
            rng = np.random.default_rng(rng)
        except (TypeError, ValueError):
            raise TypeError(f"rng: expected a numpy Generator or a seed (an integer >= 0), got {rng!r}") from None
        try:
            shape = tuple(map(operator.index, shape)) if isinstance(shape, Iterable) else (operator.index(shape),)
        except TypeError:
            raise TypeError(f"shape: expected an integer or a tuple of integers, got {shape!r}") from None
        if min(shape, default=0) < 0:
            raise ValueError(f"shape: expected integers >= 0, got {shape!r}")
        angular = np.zeros(self.nq, bool)
        for i in range(1, self.tree.nb + 1):
            kind = self.tree.joint_type[i]
            if not self.tree.follows[i] and kind in (REVOLUTE, HELICAL, PLANAR):
                angular[self.tree.q_source[self.tree.q_index[i] + (2 if kind == PLANAR else 0)]] = True
        lower, upper = np.minimum(self.q_lower, self.q_upper), np.maximum(self.q_lower, self.q_upper)
        reach = np.where(angular, math.pi, 1.0)
        low = np.where(np.isfinite(lower), lower, np.minimum(-reach, upper - reach))
        high = np.where(np.isfinite(upper), upper, np.maximum(reach, lower + reach))
        q = np.asarray(rng.uniform(low, high, (*shape, self.nq)))
        for k in self.quaternion_indices:
            x = rng.normal(size=(*shape, 4))
            q[..., k : k + 4] = x / np.linalg.norm(x, axis=-1, keepdims=True)
        for joint, leader in zip(self.joints, self.leaders):
            if leader is None and joint.type == "spherical" and joint.values("upper")[0] < math.pi:
                half = rng.uniform(0.0, joint.values("upper")[0], shape) / 2
                turned = q[..., self.q_index(joint.name)]
                turned[..., :3] *= (np.sin(half) / np.linalg.norm(turned[..., :3], axis=-1))[..., None]
                turned[..., 3] = np.cos(half)
        return q


def _limits(model: Robot) -> dict[str, np.ndarray]:
    """Limits of the user's coordinates; a follower's own limits are left out."""
    lower, upper = np.full(model.nq, -math.inf), np.full(model.nq, math.inf)
    velocity, effort = np.full(model.nv, math.inf), np.full(model.nv, math.inf)
    for joint, leader in zip(model.joints, model.leaders):
        if leader is None and joint.degrees:
            if joint.coordinates == joint.degrees and joint.type != "continuous":
                where = model.q_index(joint.name)
                lower[where], upper[where] = _one_or_all(joint, "lower"), _one_or_all(joint, "upper")
            where = model.qd_index(joint.name)
            velocity[where], effort[where] = _one_or_all(joint, "velocity"), _one_or_all(joint, "effort")
    found = {"q_lower": lower, "q_upper": upper, "qd_limit": velocity, "tau_limit": effort}
    return {name: read_only(array) for name, array in found.items()}


def _one_or_all(joint: Joint, name: str) -> Any:
    values = joint.values(name)
    return values[0] if len(values) == 1 else values
