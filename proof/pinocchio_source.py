"""How Pinocchio gets its model: it reads the URDF itself, or is given the links and joints one by one."""

from __future__ import annotations

import functools
import importlib
import os
import sys
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..model.assembly import ROOT_JOINT, root_and_children
from ..model.description import AXIS_TYPES, Description, Joint, Link, Screw
from ..model.elements import canonical_rotation, screws
from ..parsers.sources import Readable

TIMEOUT = 120.0  # s, for the child process that tries a file
TRIAL = """
import sys, pinocchio
data = sys.stdin.buffer.read()
pinocchio.buildModelFromXML(data.decode()) if data else pinocchio.buildModelFromUrdf(sys.argv[1])
"""


class Source(NamedTuple):
    """Pinocchio's model, and a sentence on how it came about."""

    model: Any
    origin: str


def import_pinocchio() -> ModuleType:
    """The module `pinocchio`, which is optional.

    Raises
    ------
    ImportError
        It is not installed, or does not load, or another package of that name is there.
    """
    try:
        pinocchio = importlib.import_module("pinocchio")
    except ModuleNotFoundError as error:
        raise ImportError(
            "the comparison needs Pinocchio (Linux and macOS): pip install 'featherstone[pinocchio]'"
        ) from error
    except ImportError as error:
        raise ImportError(
            f"Pinocchio is installed but does not load: {error}; try pip install --upgrade 'featherstone[pinocchio]'"
        ) from error
    if not hasattr(pinocchio, "buildModelFromUrdf"):
        raise ImportError(
            "the installed package 'pinocchio' is not the library of rigid-body dynamics, which PyPI calls 'pin':"
            " pip uninstall pinocchio, then pip install 'featherstone[pinocchio]'"
        )
    return pinocchio


def from_urdf(urdf: Readable, floating_base: bool) -> Source | str:
    """Let Pinocchio read a URDF, or say why it cannot.

    Its reader drops an <inertial> that it does not understand and tells only the standard error stream, and a few odd
    files end the process. So a child process reads every file first.
    """
    pin = import_pinocchio()
    text, path = _text_or_path(urdf)
    fault = _trial(path, text, _stamp(path) if text is None else None)
    if fault:
        return fault
    root = (pin.JointModelFreeFlyer(),) if floating_base else ()
    if text is not None:
        return Source(pin.buildModelFromXML(text, *root), "Pinocchio read the text itself")
    return Source(pin.buildModelFromUrdf(path, *root), f"Pinocchio read {os.path.basename(path)} itself")


def _text_or_path(urdf: Readable) -> tuple[str | None, str]:
    """What `load_urdf` takes for a text, or None; and else the path."""
    if isinstance(urdf, (bytes, bytearray)):
        return bytes(urdf).decode("utf-8", "replace"), ""
    if isinstance(urdf, str) and urdf.lstrip("\ufeff \t\r\n").startswith("<"):
        return urdf, ""
    return None, os.fsdecode(urdf)


def _stamp(path: str) -> tuple[int, int] | None:
    """What changes when the file does."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@functools.lru_cache(maxsize=64)
def _trial(path: str, text: str | None, stamp: object) -> str:
    """What is wrong when Pinocchio reads a path or a text in a process of its own; an empty text if nothing is."""
    import subprocess

    # the child finds what this process finds, and nothing in the current directory besides
    command = [sys.executable, "-P", "-c", TRIAL, path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    given = (text or "").encode("utf-8", "replace")
    try:
        result = subprocess.run(command, input=given, capture_output=True, timeout=TIMEOUT, env=environment)
    except subprocess.TimeoutExpired:
        return f"Pinocchio's reader did not finish within {TIMEOUT:g} s"
    said = [line.strip() for line in result.stderr.decode(errors="replace").splitlines() if line.strip()]
    if result.returncode < 0:
        return f"Pinocchio's reader ended the process (signal {-result.returncode})"
    if result.returncode:
        return f"Pinocchio refuses the file: {said[-1] if said else 'no reason given'}"
    return f"Pinocchio's reader complains: {said[0]}" if said else ""


def from_description(description: Description, floating_base: bool) -> Source:
    """Give Pinocchio the links and joints of a description one by one."""
    pin = import_pinocchio()
    root, children = root_and_children(description)
    links = {link.name: link for link in description.links}
    model = pin.Model()
    model.name = description.name
    placed: dict[str, tuple[int, Any]] = {}  # link: Pinocchio's joint that carries it, and the link's pose there

    def place(link: str, joint: int, pose: Any) -> None:
        placed[link] = (joint, pose)
        model.appendBodyToJoint(joint, _inertia(pin, links[link]), pose)
        model.addFrame(pin.Frame(link, joint, 0, pose, pin.FrameType.BODY))

    at_root = 0
    if floating_base:
        at_root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), ROOT_JOINT)
    place(root, at_root, pin.SE3.Identity())
    stack = list(reversed(children[root]))
    while stack:
        joint = stack.pop()
        number, pose = placed[joint.parent]
        pose = pose * pin.SE3(np.array(joint.rotation), np.array(joint.position))
        if joint.type == "fixed":
            place(joint.child, number, pose)
        else:
            # Pinocchio's planar joint has its normal along z: turn the joint's frame, and turn the link back
            turn = canonical_rotation(joint.axis) if joint.type == "planar" else np.eye(3)
            made, end = _joint_model(pin, joint)
            number = model.addJoint(number, made, pose * pin.SE3(turn, np.zeros(3)), joint.name)
            place(joint.child, number, pin.SE3(turn.T, -end))
        stack.extend(reversed(children[joint.child]))
    return Source(model, "Pinocchio's model was built link by link from the description that featherstone holds")


def _joint_model(pin: ModuleType, joint: Joint) -> tuple[Any, np.ndarray]:
    """Pinocchio's joint, and the point of the child link at which it then is."""
    if joint.type in ("universal", "cylindrical", "composite"):
        return _screws_model(pin, screws(joint))
    axis = np.array(joint.axis) if joint.type in AXIS_TYPES else None
    makers = {
        "revolute": lambda: pin.JointModelRevoluteUnaligned(axis),
        "continuous": lambda: pin.JointModelRevoluteUnaligned(axis),
        "prismatic": lambda: pin.JointModelPrismaticUnaligned(axis),
        "helical": lambda: pin.JointModelHelicalUnaligned(axis, joint.pitch),
        "planar": pin.JointModelPlanar,
        "spherical": pin.JointModelSpherical,
        "floating": pin.JointModelFreeFlyer,
    }
    return makers[joint.type](), np.zeros(3)


def _screws_model(pin: ModuleType, given: tuple[Screw, ...]) -> tuple[Any, np.ndarray]:
    composite, here = pin.JointModelComposite(), np.zeros(3)
    for screw in given:
        angular, linear = np.array(screw[:3]), np.array(screw[3:])
        point, pitch = np.cross(angular, linear), float(angular @ linear)
        if not angular.any():
            made: Any = pin.JointModelPrismaticUnaligned(linear)
        elif abs(pitch) < 1e-12:
            made = pin.JointModelRevoluteUnaligned(angular)
        else:
            made = pin.JointModelHelicalUnaligned(angular, pitch)
        composite.addJoint(made, pin.SE3(np.eye(3), point - here))
        here = point
    return composite, here


def _inertia(pin: ModuleType, link: Link) -> Any:
    # set piece by piece: the constructor refuses tensors that are not positive, which files do hold
    inertia = pin.Inertia.Zero()
    tensor = np.array(link.inertia)
    inertia.mass, inertia.lever, inertia.inertia = link.mass, np.array(link.com), (tensor + tensor.T) / 2
    return inertia
