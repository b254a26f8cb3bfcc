"""Forces on bodies, ours in link frames and MuJoCo's in world axes at the bodies' centres of mass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..algorithms.kinematics import forward_kinematics
from ..model.model import Model
from ..parsers.mujoco_model import body_names
from .pairs import StructureError


class Carried(NamedTuple):
    """A body of MuJoCo's: its number, our body that carries it, and its centre of mass in that one's link frame."""

    number: int
    body: int
    com: np.ndarray


def named_bodies(model: Model, other: Any) -> dict[str, int]:
    """The numbers of MuJoCo's bodies that have the names of links; its world can only be our base."""
    numbers = {name: b for b, name in enumerate(body_names(other)) if name in model.frame_names}
    return {name: b for name, b in numbers.items() if b or model.frame(name).body == 0}


def carried_bodies(model: Model, other: Any, bodies: dict[str, int]) -> list[Carried]:
    """Those of MuJoCo's bodies that move, by the names of links; of each body of ours its own link comes first."""
    found = []
    for name, number in bodies.items():
        frame = model.frame(name)
        if frame.body > 0:
            T = frame.pose
            own = name == model.body_names[frame.body - 1]
            found.append((not own, Carried(number, frame.body - 1, T[:3, :3] @ other.body_ipos[number] + T[:3, 3])))
    return [x for _, x in sorted(found, key=lambda entry: entry[0])]


def to_wrenches(model: Model, carried: list[Carried], q: np.ndarray, f_ext: np.ndarray, nbody: int) -> np.ndarray:
    """xfrc_applied (..., nbody, 6) of forces on our bodies (..., nb, 6)."""
    poses = forward_kinematics(model, q)
    shape = np.broadcast_shapes(poses.shape[:-3], f_ext.shape[:-2])
    theirs = np.zeros((*shape, nbody, 6))
    first: dict[int, Carried] = {}
    for x in carried:
        first.setdefault(x.body, x)
    for b, name in enumerate(model.body_names):
        moment, force = f_ext[..., b, :3], f_ext[..., b, 3:]
        if b in first:
            R = poses[..., b, :3, :3]
            theirs[..., first[b].number, :3] = _turn(R, force)
            theirs[..., first[b].number, 3:] = _turn(R, moment - np.cross(first[b].com, force))
        elif np.any(f_ext[..., b, :]):
            raise StructureError(f"f_ext: a force acts on {name!r}, which is no body in MuJoCo's model")
    return theirs


def from_wrenches(model: Model, carried: list[Carried], q: np.ndarray, xfrc: np.ndarray) -> np.ndarray:
    """Forces on our bodies (..., nb, 6) of xfrc_applied (..., nbody, 6)."""
    poses = forward_kinematics(model, q)
    shape = np.broadcast_shapes(poses.shape[:-3], xfrc.shape[:-2])
    ours = np.zeros((*shape, model.nb, 6))
    for x in carried:
        back = poses[..., x.body, :3, :3].swapaxes(-1, -2)
        force = _turn(back, xfrc[..., x.number, :3])
        ours[..., x.body, :3] += _turn(back, xfrc[..., x.number, 3:]) + np.cross(x.com, force)
        ours[..., x.body, 3:] += force
    return ours


def _turn(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", R, x)
