"""`featherstone info`: what a robot is."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import AsJson, FloatingBase, ModelName, load
from .terminal import command, console, number, print_json, print_table

if TYPE_CHECKING:
    from ..model.model import Model

NoMimic = Annotated[bool, typer.Option("--no-mimic", help="Leave joints that mimic others free.")]
NUMBERS = ("lower", "upper", "velocity", "effort", "damping", "friction", "armature")
SELDOM = ("axis2", "pitch", "screws", "stiction", "stribeck_velocity", "smoothing")  # in the plain data only


@command
def info(
    model: ModelName, floating_base: FloatingBase = False, no_mimic: NoMimic = False, as_json: AsJson = False
) -> None:
    """Show a robot: sizes, mass, tree, joints with limits and losses, frames."""
    robot = load(model, floating_base=floating_base, mimic=not no_mimic)
    if as_json:
        print_json(described(robot))
        return
    out = console()
    out.print(str(robot), soft_wrap=True)
    out.print(f"gravity ({', '.join(map(number, robot.gravity))}) m/s^2\n", soft_wrap=True)
    rows = []
    for joint in described(robot)["joints"]:
        where = "follows " + joint["follows"]["joint"] if joint["follows"] else _range(joint["q"])
        rows.append([joint["name"], joint["type"], joint["child"], where, *(_shown(joint[key]) for key in NUMBERS)])
    print_table("Joints (rad, m, s, N m, N)", ["joint", "type", "moves", "q", *NUMBERS], rows, left=4)
    frames = [
        [frame["name"], frame["body"] or "(base)", *(number(row[3]) for row in frame["pose"][:3])]
        for frame in described(robot)["frames"]
    ]
    print_table("Frames (position in the body's frame, m)", ["frame", "body", "x", "y", "z"], frames, left=2)


def described(robot: Model) -> dict[str, Any]:
    """A robot as plain data. Limits that are infinite are none; q and qd of a joint are [first, end) or none."""
    joints = []
    for b, (joint, leader) in enumerate(zip(robot.joints, robot.leaders)):
        data: dict[str, Any] = {
            "name": joint.name,
            "type": joint.type,
            "parent": joint.parent,
            "child": joint.child,
            "axis": joint.axis,
            "q": None if leader else _span(robot.q_index(joint.name)),
            "qd": None if leader else _span(robot.qd_index(joint.name)),
            "follows": None,
        }
        if leader:
            k = int(robot.tree.q_index[robot.elements[b][0]])
            scale, offset = robot.tree.q_scale[k], robot.tree.q_offset[k]
            data["follows"] = {"joint": leader, "multiplier": float(scale), "offset": float(offset)}
        data["rotor"] = None if joint.rotor is None else asdict(joint.rotor)
        joints.append(data | {key: getattr(joint, key) for key in (*NUMBERS, *SELDOM)})
    bodies = [
        {"name": name, "parent": robot.body_names[parent] if parent >= 0 else None, "mass": float(mass)}
        for name, parent, mass in zip(robot.body_names, robot.parent.tolist(), robot.body_mass)
    ]
    frames = [
        {"name": name, "body": robot.body_names[body - 1] if body else None, "pose": pose.tolist()}
        for name, body, pose in map(robot.frame, robot.frame_names)
    ]
    return {
        "name": robot.name,
        "floating_base": robot.options.floating_base,
        "nb": robot.nb,
        "nq": robot.nq,
        "nv": robot.nv,
        "mass": float(robot.mass),
        "gravity": robot.gravity.tolist(),
        "joints": joints,
        "bodies": bodies,
        "frames": frames,
    }


def _shown(x: float | tuple[float, ...]) -> str:
    """A number, or one for each degree of freedom."""
    return " ".join(map(number, x)) if isinstance(x, tuple) else number(x)


def _span(index: int | slice) -> list[int]:
    return [index.start, index.stop] if isinstance(index, slice) else [index, index + 1]


def _range(span: list[int]) -> str:
    first, end = span
    return str(first) if end == first + 1 else f"{first}:{end}" if end > first else "-"
