"""A model's tree as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .robot import Robot


def draw(model: Robot) -> str:
    """The model in a line, then its bodies as a tree, each with its joint, type and mass."""
    children: dict[int, list[int]] = {}
    for b, parent in enumerate(model.parent.tolist()):
        children.setdefault(parent, []).append(b)
    lines = [repr(model), "(base)"]
    stack = [(b, "") for b in reversed(children.get(-1, []))]
    while stack:
        b, indent = stack.pop()
        last = children[int(model.parent[b])][-1] == b
        joint, leader = model.joints[b], model.leaders[b]
        follows = f", follows {leader}" if leader else ""
        lines.append(
            f"{indent}{'└─' if last else '├─'} {model.body_names[b]}"
            f" [{joint.name}: {joint.type}{follows}] {model.body_mass[b]:.4g} kg"
        )
        deeper = indent + ("   " if last else "│  ")
        stack.extend((c, deeper) for c in reversed(children.get(b, [])))
    return "\n".join(lines)
