"""A description as MuJoCo's model, link by link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..compat.mujoco_joints import ALONE, SPLIT
from ..model.assembly import ROOT_JOINT, canonical_rotation, root_and_children
from ..model.description import IDENTITY, ZERO, Description, Joint, Link
from ..parsers.mujoco_model import import_mujoco
from .mujoco_source import WORLD, Source, bare


def from_description(description: Description, floating_base: bool) -> Source:
    """Give MuJoCo the links and joints of a description one by one.

    MuJoCo's compiler refuses massless links and tensors that no body has. So it gets a placeholder for each inertia,
    and the numbers are put into its compiled model.
    """
    mujoco = import_mujoco()
    spec = mujoco.MjSpec()
    spec.modelname = description.name
    root, children = root_and_children(description)
    made = {root: spec.worldbody}
    if floating_base:
        made[root] = _body(spec.worldbody, root, np.eye(3), np.zeros(3))
        made[root].add_freejoint(name=ROOT_JOINT)
    stack = list(reversed(children[root]))
    while stack:
        joint = stack.pop()
        parent = made[joint.parent]
        made[joint.child] = body = _body(parent, joint.child, np.array(joint.rotation), joint.position)
        # the coordinates of a free joint are the pose in the world
        free = parent is spec.worldbody and joint.rotation == IDENTITY and joint.position == ZERO
        for fields in _joints(mujoco, joint, free):
            body.add_joint(**fields)
        stack.extend(reversed(children[joint.child]))
    mj = spec.compile()
    numbers = {name: body.id for name, body in made.items()}
    for link in description.links:
        _set_inertia(mj, numbers[link.name], link)
    mj.body_subtreemass[:] = mj.body_mass
    for b in range(mj.nbody - 1, 0, -1):
        mj.body_subtreemass[mj.body_parentid[b]] += mj.body_subtreemass[b]
    origin = "MuJoCo's model was built link by link from the description that featherstone holds"
    return Source(bare(mj), origin, numbers)


def _body(parent: Any, name: str, R: np.ndarray, position: Any) -> Any:
    body = parent.add_body(pos=position, quat=_quaternion(R))
    if name != WORLD:
        body.name = name
    # neither at the body's origin nor along its axes, else MuJoCo takes short cuts that the true numbers may not allow
    body.explicitinertial, body.mass, body.ipos = True, 1.0, (0.1, 0.2, 0.3)
    body.inertia, body.iquat = (1.0, 1.1, 1.2), (0.8, 0.6, 0.0, 0.0)
    return body


def _quaternion(R: np.ndarray) -> np.ndarray:
    quaternion = np.empty(4)
    import_mujoco().mju_mat2Quat(quaternion, np.ascontiguousarray(R, float).ravel())
    return quaternion


def _joints(mujoco: Any, joint: Joint, free: bool) -> Iterator[dict[str, Any]]:
    """MuJoCo's joints for one of ours; armature only where both engines have it along the same axes."""
    if joint.type == "fixed":
        return
    losses = {"damping": joint.damping, "frictionloss": joint.friction}
    kinds = mujoco.mjtJoint
    if joint.type in SPLIT and not (joint.type == "floating" and free):
        axes = canonical_rotation(joint.axis).T if joint.type == "planar" else np.eye(3)
        for (end, kind), axis in zip(SPLIT[joint.type], (*axes, axes[2])):
            yield {"name": joint.name + end, "type": getattr(kinds, f"mjJNT_{kind}"), "axis": axis, **losses}
        return
    kind = ALONE[joint.type]
    armature = 0.0 if kind == "FREE" else joint.armature
    yield {
        "name": joint.name,
        "type": getattr(kinds, f"mjJNT_{kind}"),
        "axis": joint.axis,
        "armature": armature,
        **losses,
    }


def _set_inertia(mj: Any, b: int, link: Link) -> None:
    tensor = np.array(link.inertia)
    moments, axes = np.linalg.eigh((tensor + tensor.T) / 2)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    mj.body_mass[b], mj.body_ipos[b], mj.body_inertia[b] = link.mass, link.com, moments
    mj.body_iquat[b] = _quaternion(axes)
