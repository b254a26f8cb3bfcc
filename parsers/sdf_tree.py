"""How the links and joints of an SDFormat model hang together: pieces that are trees, each from its root outward."""

from __future__ import annotations

from collections.abc import Iterable

from .sdf_frames import WORLD, Frame
from .sdf_joints import REVERSIBLE, SdfJoint

SHOWN = 8  # names in an error


class Piece:
    """Links that joints connect, in the order of the file; `tied` if one of the joints goes to the world."""

    def __init__(self) -> None:
        self.links: list[Frame] = []
        self.tied = False
        self.floats = False
        self.root: Frame  # where its tree begins; of a tied one it is not asked for


class SdfTree:
    """The pieces, and which joints lead from their child to their parent when one goes outward."""

    def __init__(self, links: list[Frame], joints: list[SdfJoint]) -> None:
        self._touching: dict[str, list[SdfJoint]] = {WORLD: [], **{link.name: [] for link in links}}
        self._reversed: set[int] = set()
        self._refuse_loops(joints)
        reached = {WORLD: Piece()}
        by_name = {link.name: link for link in links}
        self._walk(WORLD, reached)
        children = {joint.child.name for joint in joints}
        # a link that is nobody's child begins a tree; if several do, the first
        for link in [*(x for x in links if x.name not in children), *links]:
            if link.name not in reached:
                reached[link.name] = Piece()
                reached[link.name].root = link
                self._walk(link.name, reached)
        reached[WORLD].tied = True
        for link in by_name.values():
            reached[link.name].links.append(link)
        self.pieces = list(dict.fromkeys(reached[link.name] for link in links))

    def is_reversed(self, joint: SdfJoint) -> bool:
        """Whether the joint's child is nearer to the root than its parent."""
        return id(joint) in self._reversed

    def _walk(self, start: str, reached: dict[str, Piece]) -> None:
        stack = [start]
        while stack:
            near = stack.pop()
            for joint in self._touching[near]:
                parent, child = _ends(joint)
                far = child if near == parent else parent
                if far in reached:
                    continue
                if near == child:
                    self._reverse(joint)
                reached[far] = reached[start]
                stack.append(far)

    def _reverse(self, joint: SdfJoint) -> None:
        if joint.type not in REVERSIBLE:
            message = (
                f"link {joint.child.name!r} is also the child of another joint, and a {joint.type} joint cannot be"
            )
            raise joint.scope.error(f"{message} turned round; exchange <parent> and <child>")
        self._reversed.add(id(joint))

    def _refuse_loops(self, joints: Iterable[SdfJoint]) -> None:
        group = {name: name for name in self._touching}

        def leader(name: str) -> str:
            while group[name] != name:
                group[name] = name = group[group[name]]
            return name

        for joint in joints:
            ends = _ends(joint)
            first, second = map(leader, ends)
            if first == second:
                way = list(map(repr, self._way(*ends)))
                listed = " - ".join(way if len(way) <= SHOWN else [*way[: SHOWN - 2], "...", way[-1]])
                raise joint.scope.error(
                    f"closes a loop: links {listed} hang together without it; a robot must be a tree,"
                    " so remove the joint or cut the loop elsewhere"
                )
            group[second] = first
            for end in ends:
                self._touching[end].append(joint)

    def _way(self, start: str, end: str) -> list[str]:
        """The links between two that hang together."""
        before = {start: start}
        stack = [start]
        while stack:
            near = stack.pop()
            for joint in self._touching[near]:
                for far in _ends(joint):
                    if far not in before:
                        before[far] = near
                        stack.append(far)
        way = [end]
        while way[-1] != start:
            way.append(before[way[-1]])
        return way[::-1]


def _ends(joint: SdfJoint) -> tuple[str, str]:
    return WORLD if joint.parent is None else joint.parent.name, joint.child.name
