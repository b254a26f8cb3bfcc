"""A model as MuJoCo's model, link by link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..compat.mujoco import Pair
from ..compat.mujoco_joints import ALONE, SPLIT
from ..model.assembly import ROOT_JOINT, root_and_children
from ..model.description import IDENTITY, ZERO, Joint, Link
from ..model.elements import canonical_rotation
from ..model.model import Model
from ..model.splitting import split
from ..parsers.mujoco_model import import_mujoco
from .mujoco_source import WORLD, Source, bare, uneven


def from_model(model: Model) -> Source:
    """Give MuJoCo the links and joints of a model one by one.

    MuJoCo's compiler refuses massless links and tensors that no body has. So it gets a placeholder for each inertia,
    and the numbers are put into its compiled model.
    """
    mujoco = import_mujoco()
    spec = mujoco.MjSpec()
    spec.modelname = model.name
    description = split(model.description)
    root, children = root_and_children(description)
    made = {root: spec.worldbody}
    if model.options.floating_base:
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
    numbers = {link.name: made[link.name].id for link in model.description.links}
    for name in made.keys() - numbers.keys():  # between the parts of a joint
        _set_inertia(mj, made[name].id, Link(name))
    for link in model.description.links:
        _set_inertia(mj, numbers[link.name], link)
    mj.body_subtreemass[:] = mj.body_mass
    for b in range(mj.nbody - 1, 0, -1):
        mj.body_subtreemass[mj.body_parentid[b]] += mj.body_subtreemass[b]
    _set_drives(mj, Pair(model, mj, numbers))
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
    """MuJoCo's joints for one of ours."""
    if joint.type == "fixed":
        return
    kinds = mujoco.mjtJoint
    if joint.type in SPLIT and not (joint.type == "floating" and free):
        axes = canonical_rotation(joint.axis).T if joint.type == "planar" else np.eye(3)
        for (end, kind), axis in zip(SPLIT[joint.type], (*axes, axes[2])):
            yield {"name": joint.name + end, "type": getattr(kinds, f"mjJNT_{kind}"), "axis": axis}
        return
    yield {"name": joint.name, "type": getattr(kinds, f"mjJNT_{ALONE[joint.type]}"), "axis": joint.axis}


def _set_drives(mj: Any, pair: Pair) -> None:
    """Armature and losses of each degree of freedom, where both engines have them along the same axes."""
    armature, damping, friction = (pair.of_degrees(field) for field in ("armature", "damping", "friction"))
    mj.dof_armature[pair.v_places] = np.where(pair.moved_axes, 0.0, armature)
    mj.dof_damping[pair.v_places] = np.where(uneven(pair), 0.0, damping)
    mj.dof_frictionloss[pair.v_places] = friction


def _set_inertia(mj: Any, b: int, link: Link) -> None:
    tensor = np.array(link.inertia)
    moments, axes = np.linalg.eigh((tensor + tensor.T) / 2)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    mj.body_mass[b], mj.body_ipos[b], mj.body_inertia[b] = link.mass, link.com, moments
    mj.body_iquat[b] = _quaternion(axes)
