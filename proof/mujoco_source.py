"""How MuJoCo gets its model: it reads the file itself, or is given the links and joints one by one."""

from __future__ import annotations

import copy
import os
from typing import Any, NamedTuple

import numpy as np

from ..compat.mujoco import LINEAR, Pair
from ..model.assembly import ROOT_JOINT, root_and_children
from ..model.model import Model
from ..parsers.mjcf import MjcfReading
from ..parsers.mjcf_actuators import on_joint
from ..parsers.mujoco_model import body_names, import_mujoco, listening
from ..parsers.sources import TEXT, Readable, open_source

WORLD = "world"  # MuJoCo's name for the base, which no other body may have
DISABLED = ("CONSTRAINT", "ACTUATION", "SENSOR", "AUTORESET", "WARMSTART")
# what load_mjcf leaves out and MuJoCo would count among passive forces, inertias and energies
LEFT_OUT = (
    "jnt_stiffness",
    "jnt_stiffnesspoly",
    "dof_dampingpoly",
    "tendon_stiffness",
    "tendon_stiffnesspoly",
    "tendon_damping",
    "tendon_dampingpoly",
    "tendon_frictionloss",
    "tendon_armature",
    "actuator_dampingpoly",
    "body_gravcomp",
)


class Source(NamedTuple):
    """MuJoCo's model, a sentence on how it came about, and the numbers of its bodies by the names of links.

    `between` are links of ours that are no bodies there, between several joints of one body.
    """

    model: Any
    origin: str
    bodies: dict[str, int]
    between: frozenset[str] = frozenset()


def of_reading(reading: MjcfReading) -> Source:
    """The model that MuJoCo itself compiled from MJCF, less what `load_mjcf` leaves out."""
    mujoco, mj = import_mujoco(), copy.copy(reading.mj)
    for field in LEFT_OUT:
        values = getattr(mj, field, None)
        if values is not None:
            values[:] = 0.0
    for i in range(mj.nu):
        for field in ("actuator_armature", "actuator_damping"):
            if not on_joint(mj, i) and getattr(mj, field, None) is not None:
                getattr(mj, field)[i] = 0.0
    free = mj.jnt_dofadr[mj.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)]
    for k in free:
        mj.dof_armature[k : k + 6] = 0.0
    with listening():
        mujoco.mj_setConst(mj, mujoco.MjData(mj))  # mass matrices of simple bodies are constants, with the armature
    mj.opt.density = mj.opt.viscosity = 0.0
    name = "the text" if reading.file == TEXT else os.path.basename(reading.file)
    bodies = {x: b for b, x in enumerate(body_names(mj))}
    return Source(bare(mj), f"MuJoCo compiled {name} itself", bodies, frozenset(reading.between))


def from_urdf(urdf: Readable, model: Model) -> Source | str:
    """Let MuJoCo read the URDF of a model without its geometry, or say why it cannot."""
    mujoco = import_mujoco()
    opened = open_source(urdf)
    root = root_and_children(model.description)[0]
    if model.options.floating_base and root == WORLD:
        return f"MuJoCo's base is called {WORLD!r}, and so is the root link, which floats"
    try:
        with listening():
            spec = mujoco.MjSpec.from_string(_without_geometry(opened.data))
            if model.options.floating_base:
                spec.worldbody.first_body().add_freejoint(name=ROOT_JOINT)
            mj = spec.compile()
    except (ValueError, mujoco.FatalError, SyntaxError) as error:  # SyntaxError: ElementTree's ParseError is one
        return f"MuJoCo refuses the file: {' '.join(str(error).split())}"
    name = "the text" if opened.file == TEXT else os.path.basename(opened.file)
    bodies = {x: b for b, x in enumerate(body_names(mj))}
    return Source(bare(mj), f"MuJoCo read {name} itself, its geometry left out", bodies)


def _without_geometry(data: bytes) -> str:
    """The URDF with MuJoCo's own options, so that each link becomes a body with the inertia that is written."""
    from xml.etree import ElementTree

    robot = ElementTree.fromstring(data)
    for link in robot.findall("link"):
        for tag in ("visual", "collision"):
            for element in link.findall(tag):
                link.remove(element)
    for element in robot.findall("mujoco"):
        robot.remove(element)
    extension = ElementTree.Element("mujoco")
    ElementTree.SubElement(extension, "compiler", fusestatic="false", balanceinertia="false", strippath="false")
    robot.insert(0, extension)
    return ElementTree.tostring(robot, encoding="unicode")


def bare(mj: Any) -> Any:
    """The model without contacts, constraints, actuators and warm starts."""
    bits = import_mujoco().mjtDisableBit
    for flag in DISABLED:
        mj.opt.disableflags |= int(getattr(bits, f"mjDSBL_{flag}", 0))
    mj.opt.disableflags &= ~int(bits.mjDSBL_GRAVITY)
    mj.opt.enableflags = 0
    return mj


def uneven(pair: Pair) -> np.ndarray:
    """Of all degrees of freedom, whether MuJoCo cannot damp their joint as ours: differently along moved axes."""
    damping, found = pair.of_degrees("damping"), np.zeros(pair.nv_all, bool)
    for x in pair.turning:
        linear = damping[x.v + LINEAR[x.type].start : x.v + LINEAR[x.type].stop]
        found[x.v : x.v + x.nv] = bool(np.ptp(linear))
    return found
