"""What MuJoCo's actuators do to the joints that they drive: effort limits, reflected armature and damping."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .mujoco_model import import_mujoco


class Drive(NamedTuple):
    """The actuators of one joint: the largest torque or force they may give, and what they add to it."""

    effort: float = math.inf
    armature: float = 0.0
    damping: float = 0.0


def drive_of(mj: Any, joint: int) -> Drive:
    """Everything that the actuators of a hinge or slide mean for it.

    The effort limit is the smaller one of the joint's own `actuatorfrcrange` and the sum over its actuators of
    |gear| times the largest force; there is no sum where an actuator has no limit. A range that is not symmetric counts
    with its larger end. Armature and damping of an actuator reach the joint through the square of the gear.
    """
    driving = [i for i in range(mj.nu) if on_joint(mj, i) and mj.actuator_trnid[i, 0] == joint]
    effort, armature, damping = math.inf, 0.0, 0.0
    if driving:
        effort = sum(abs(float(mj.actuator_gear[i, 0])) * largest_force(mj, i) for i in driving)
    if mj.jnt_actfrclimited[joint]:
        effort = min(effort, float(np.abs(mj.jnt_actfrcrange[joint]).max()))
    for i in driving:
        squared = float(mj.actuator_gear[i, 0]) ** 2
        armature += squared * extra(mj, "actuator_armature", i)
        damping += squared * extra(mj, "actuator_damping", i)
    return Drive(effort, armature, damping)


def extra(mj: Any, field: str, i: int) -> float:
    """An entry of a field that older releases of MuJoCo do not have: 0 there."""
    values = getattr(mj, field, None)
    return 0.0 if values is None else float(np.ravel(values[i])[0])


def on_joint(mj: Any, i: int) -> bool:
    """Whether an actuator drives one hinge or slide."""
    mujoco = import_mujoco()
    kinds, types = mujoco.mjtTrn, mujoco.mjtJoint
    if int(mj.actuator_trntype[i]) not in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)):
        return False
    joint = mj.jnt_type[mj.actuator_trnid[i, 0]]
    return int(joint) in (int(types.mjJNT_HINGE), int(types.mjJNT_SLIDE))


def is_motor(mj: Any, i: int) -> bool:
    """Whether an actuator's force is its control times a constant."""
    mujoco = import_mujoco()
    wanted = (mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_NONE)
    found = (mj.actuator_dyntype[i], mj.actuator_gaintype[i], mj.actuator_biastype[i])
    return all(int(x) == int(y) for x, y in zip(found, wanted))


def largest_force(mj: Any, i: int) -> float:
    """The largest force of an actuator before its gear: its force range, and of a motor what its controls allow."""
    force = math.inf
    if mj.actuator_forcelimited[i]:
        force = float(np.abs(mj.actuator_forcerange[i]).max())
    if is_motor(mj, i) and mj.actuator_ctrllimited[i]:
        force = min(force, abs(float(mj.actuator_gainprm[i, 0])) * float(np.abs(mj.actuator_ctrlrange[i]).max()))
    return force
