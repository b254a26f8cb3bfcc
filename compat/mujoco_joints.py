"""Which of MuJoCo's joints a joint is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.assembly import ROOT_JOINT
from ..model.description import Joint
from ..model.model import Model
from ..model.splitting import split_joints
from ..parsers.mujoco_model import body_names, import_mujoco, joint_names
from .pairs import Matched, StructureError, moving, refuse_unmatched

ALONE = {  # the kind of MuJoCo's joint that a joint of a type is
    "revolute": "HINGE",
    "continuous": "HINGE",
    "prismatic": "SLIDE",
    "spherical": "BALL",
    "floating": "FREE",
}
SPLIT = {  # the joints that a joint of a type is, where it is several: ends of names, and kinds
    "planar": (("_TX", "SLIDE"), ("_TY", "SLIDE"), ("_RZ", "HINGE")),
    "floating": (("_TX", "SLIDE"), ("_TY", "SLIDE"), ("_TZ", "SLIDE"), ("_R", "BALL")),
}
SIZES = {"HINGE": (1, 1), "SLIDE": (1, 1), "BALL": (4, 3), "FREE": (7, 6)}
# of each of our coordinates and velocities, which of MuJoCo's it is
PLACES = {
    "planar": ((0, 1, 2), (2, 0, 1)),
    "spherical": ((1, 2, 3, 0), (0, 1, 2)),
    "floating": ((0, 1, 2, 4, 5, 6, 3), (3, 4, 5, 0, 1, 2)),
}


def match(model: Model, other: Any) -> list[Matched]:
    """Our moving joints, or the parts of those that MuJoCo does not have, with their places in qpos and qvel."""
    theirs = {name: j for j, name in enumerate(joint_names(other))}
    chains = split_joints(model.description)
    matched: list[Matched] = []
    used: list[str] = []
    q = v = 0
    for joint in moving(model):
        own = {part.name for part in chains.get(joint.name, ())}
        first = 0
        for part in chains.get(joint.name, [joint]):
            if part.type == "fixed":
                continue
            names = _parts(part, theirs, other)
            used += names
            their_q, their_v = _places([theirs[name] for name in names], other)
            of_q, of_v = PLACES.get(part.type, ((0,), (0,)))
            places = their_q[list(of_q)], their_v[list(of_v)]
            x = Matched(part.name, part.type, joint.child, q, v, len(of_q), len(of_v), *places, joint.name, first)
            if part.mimic is not None and part.mimic.joint in own:
                x = x._replace(first=first - 1, scale=part.mimic.multiplier, travels=True)
            matched.append(x)
            q, v, first = q + x.nq, v + x.nv, first + (not x.travels)
    refuse_unmatched(used, theirs, "MuJoCo")
    return matched


def _parts(joint: Joint, theirs: dict[str, int], other: Any) -> list[str]:
    """The names of MuJoCo's joints that make up one of ours."""
    split = SPLIT.get(joint.type, ())
    if split and all(joint.name + end in theirs for end, _ in split):
        names, kinds = [joint.name + end for end, _ in split], [kind for _, kind in split]
    elif joint.type in ALONE:
        name = _of_root(joint, theirs, other) if joint.name == ROOT_JOINT else joint.name
        names, kinds = [name], [ALONE[joint.type]]
    else:
        names, kinds = [joint.name], []
    refuse_unmatched([name for name in names if name not in theirs], (), "MuJoCo")
    found = [_kind(other, theirs[name]) for name in names]
    if found != kinds:
        raise StructureError(f"joint {joint.name!r} is {joint.type}, and {', '.join(found).lower()} in MuJoCo")
    return names


def _of_root(joint: Joint, theirs: dict[str, int], other: Any) -> str:
    """The name of the free joint of the root link, or of the only free joint there is."""
    if joint.name in theirs:
        return joint.name
    bodies = body_names(other)
    free = {name: bodies[other.jnt_bodyid[j]] for name, j in theirs.items() if _kind(other, j) == "FREE"}
    of_link = [name for name, body in free.items() if body == joint.child]
    return next(iter(of_link or (free if len(free) == 1 else [joint.name])))


def _kind(other: Any, j: int) -> str:
    return import_mujoco().mjtJoint(int(other.jnt_type[j])).name.removeprefix("mjJNT_")


def _places(parts: list[int], other: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where the coordinates and velocities of several of MuJoCo's joints are, one joint after the other."""
    found = []
    for column, address in enumerate((other.jnt_qposadr, other.jnt_dofadr)):
        sizes = [SIZES[_kind(other, j)][column] for j in parts]
        found.append(np.concatenate([int(address[j]) + np.arange(n) for j, n in zip(parts, sizes)]))
    return found[0], found[1]
