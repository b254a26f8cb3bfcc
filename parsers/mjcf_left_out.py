"""What an MJCF model has that a tree of rigid bodies does not: a phrase for each, with the names concerned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .mjcf_actuators import extra, is_motor, on_joint
from .mujoco_model import body_names, import_mujoco, joint_names, switched_off

SHOWN = 6  # names in one phrase


def left_out(mj: Any) -> list[str]:
    """Phrases for the dynamics that `load_mjcf` leaves out of the model, in a fixed order."""
    forces = not switched_off(mj, "CONSTRAINT")
    found: list[str | None] = [
        _named("equality constraints", mj, "equality", mj.neq if forces and not switched_off(mj, "EQUALITY") else 0),
        _named("tendons", mj, "tendon", mj.ntendon),
        *_of_joints(mj),
        _nonlinear_actuators(mj),
        *_of_bodies(mj),
    ]
    return [phrase for phrase in found if phrase]


def never_modelled(mj: Any) -> list[str]:
    """Phrases for what acts on a robot from outside of its dynamics: contacts, and how motors are controlled."""
    touching = not switched_off(mj, "CONSTRAINT") and not switched_off(mj, "CONTACT")
    found = [_contacts(mj) if touching else None, *_of_actuators(mj)]
    return [phrase for phrase in found if phrase]


def _of_joints(mj: Any) -> list[str | None]:
    names, types = joint_names(mj), import_mujoco().mjtJoint
    free = int(types.mjJNT_FREE)

    def select(chosen: Any) -> list[str]:
        return [name for name, yes in zip(names, chosen) if yes]

    first = np.asarray(mj.jnt_dofadr, int)
    springs = np.asarray(mj.jnt_stiffness) != 0
    springs |= np.array([_any(mj, "jnt_stiffnesspoly", j) for j in range(mj.njnt)], bool)
    poly = [_any(mj, "dof_dampingpoly", k) for k in first]
    frees = np.asarray(mj.jnt_type) == free
    loose = frees & ((mj.dof_armature[first] != 0) | (mj.dof_frictionloss[first] != 0)) if mj.njnt else frees
    phrases = [
        ("springs (stiffness) of joints", select(springs & (not switched_off(mj, "SPRING")))),
        ("damping that is not linear in the speed, of joints", select(poly)),
        ("armature and frictionloss along the world's axes (they are along the body's) of free joints", select(loose)),
    ]
    return [_listed(what, which) for what, which in phrases]


def _of_actuators(mj: Any) -> list[str | None]:
    names = [mj.actuator(i).name or f"actuator{i}" for i in range(mj.nu)]
    laws = [name for i, name in enumerate(names) if not is_motor(mj, i)]
    elsewhere = [name for i, name in enumerate(names) if not on_joint(mj, i)]
    return [
        _listed("the dynamics and control laws of actuators", laws),
        _listed("the transmissions of actuators that do not drive one hinge or slide", elsewhere),
    ]


def _nonlinear_actuators(mj: Any) -> str | None:
    poly = [mj.actuator(i).name or f"actuator{i}" for i in range(mj.nu) if _any(mj, "actuator_dampingpoly", i)]
    return _listed("damping that is not linear in the speed, of actuators", poly)


def _of_bodies(mj: Any) -> list[str | None]:
    names, opt = body_names(mj), mj.opt
    fluid = opt.density or opt.viscosity
    return [
        _listed("gravity compensation of bodies", [x for x, g in zip(names, mj.body_gravcomp) if g]),
        _listed("motion of mocap bodies (held where they are)", [x for x, k in zip(names, mj.body_mocapid) if k >= 0]),
        "forces of the medium (density, viscosity, wind)" if fluid else None,
        _named("flexible bodies", mj, "flex", getattr(mj, "nflex", 0)),
        _named("plugins", mj, "plugin", mj.nplugin),
    ]


def _any(mj: Any, field: str, k: int) -> bool:
    """Whether an entry of a field, which older releases may not have, is not zero."""
    values = getattr(mj, field, None)
    return bool(values is not None and np.any(values[k])) or bool(extra(mj, field, k))


def _contacts(mj: Any) -> str | None:
    """Whether two geoms can touch: masks that fit, on bodies that are neither one nor neighbours."""
    weld, above = mj.body_weldid, mj.body_weldid[mj.body_parentid]
    masks = zip(weld[mj.geom_bodyid].tolist(), mj.geom_contype.tolist(), mj.geom_conaffinity.tolist())
    kinds = sorted({mask for mask in masks if mask[1] or mask[2]})
    for a, type_a, affinity_a in kinds:
        for b, type_b, affinity_b in kinds:
            neighbours = a and b and (above[a] == b or above[b] == a)
            if a != b and not neighbours and (type_a & affinity_b or type_b & affinity_a):
                return "contacts between geoms"
    return "contacts between geoms" if mj.npair else None


def _named(what: str, mj: Any, kind: str, count: int) -> str | None:
    names = [getattr(mj, kind)(k).name for k in range(count)] if kind != "flex" else []
    if count and not any(names):
        return f"{what} ({count})"
    return _listed(what, [name or f"{kind}{k}" for k, name in enumerate(names)])


def _listed(what: str, names: Iterable[str]) -> str | None:
    shown = [repr(x) for x in names]
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return f"{what} {', '.join(shown[:SHOWN])}{more}" if shown else None
