"""The frames of SDFormat: links, joints, frames and nested models, each placed relative to another by its name.

The semantics are those of "Pose frame semantics" at sdformat.org, versions 1.7 and later. A name is looked up in the
model that it stands in; `a::b` is b in the nested model a. Not given, a link and a nested model are placed relative to
the model that they stand in, a joint relative to its child, a frame relative to what it is attached to.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .errors import ParseError
from .sdf_scope import SdfScope, nearest
from .xml import Element

SEPARATOR = "::"
HERE = "__model__"
WORLD = "world"
KINDS = ("link", "joint", "frame", "model")
OWN_NAMES = (1, 7)  # from this version on all frames of a model have different names
OWN_SEPARATOR = (1, 8)  # from this version on no name has the separator
SHOWN = 8  # names in an error
Path = list["Frame"]


class Frame:
    """One of them: the element that defines it, the model that it stands in, and its pose there once it is known."""

    __slots__ = ("inside", "model", "pose", "scope")

    def __init__(self, scope: SdfScope, model: ModelFrames) -> None:
        self.scope = scope
        self.model = model
        self.inside: ModelFrames | None = None  # of a nested model, once something in it is asked for
        self.pose: np.ndarray | None = None

    @property
    def name(self) -> str:
        """The name in the chosen model: with those of all nested models before it."""
        return self.model.prefix + (self.scope.name or "")

    def frames_inside(self) -> ModelFrames:
        """Those of this nested model."""
        if self.inside is None:
            self.inside = ModelFrames(self.scope, self.model.version, f"{self.name}{SEPARATOR}", self)
        return self.inside

    def base(self) -> Path:
        """The frames whose product the pose is relative to."""
        scope, kind = self.scope, self.scope.kind
        element = scope.child(scope.element, "pose")
        named = "" if element is None else element.attributes.get("relative_to", "")
        if named:
            return self.model.path(named, scope, element)
        if kind == "joint":
            child = scope.required_child(scope.element, "child", "<child>the name of a link</child>")
            return self.model.path(scope.word_in(scope.element, "child", "<child>...</child>"), scope, child)
        if kind == "frame" and (attached := scope.element.attributes.get("attached_to", "")):
            return self.model.path(attached, scope)
        return []

    def placed(self) -> Path:
        """The frames from a nested model to the one of its own that its pose is meant for."""
        named = self.scope.element.attributes.get("placement_frame", "") if self.scope.kind == "model" else ""
        return self.frames_inside().path(named, self.scope) if named else []

    def attachment(self) -> tuple[ModelFrames, str]:
        """The name that this frame moves with, and the model that it is looked up in."""
        scope = self.scope
        if scope.kind == "joint":
            return self.model, scope.word_in(scope.element, "child", "<child>the name of a link</child>")
        if scope.kind == "model":
            return self.frames_inside(), HERE
        return self.model, scope.element.attributes.get("attached_to", "") or HERE


class ModelFrames:
    """The frames of one model, or of a world, by their names."""

    def __init__(self, scope: SdfScope, version: tuple[int, int], prefix: str = "", frame: Frame | None = None) -> None:
        self.scope = scope
        self.version = version
        self.prefix = prefix
        self._frame = frame  # that of the model itself, in the model or world around it
        self.frames: dict[str, Frame] = {}
        self._links: dict[str, Frame] = {}  # of the frames asked for so far
        kinds = KINDS if scope.kind == "model" else ("frame", "model")
        self.members = [self._member(x) for x in scope.element.children if x.tag in kinds]

    def _member(self, element: Element) -> Frame:
        nameless = SdfScope(self.scope.file, element, element.tag)
        name = nameless.text(element, "name")
        scope = nameless._replace(name=name)
        if name == WORLD or (name.startswith("__") and name.endswith("__")):
            raise scope.error("the name is reserved in SDFormat; rename it", value=name)
        if SEPARATOR in name and self.version >= OWN_SEPARATOR:
            raise scope.error(f"expected no {SEPARATOR!r} in a name, it stands between names; rename it", value=name)
        frame = Frame(scope, self)
        first = self.frames.setdefault(name, frame)
        if first is not frame:
            # in old files a link and a joint may have one name: it means the link
            kinds = {first.scope.kind, element.tag}
            if self.version >= OWN_NAMES or kinds != {"link", "joint"}:
                other = f"a {first.scope.kind} has it at line {first.scope.element.line}"
                raise scope.error(f"the name is given twice: {other}; rename one", value=name)
            if element.tag == "link":
                self.frames[name] = frame
        return frame

    def models(self) -> Iterator[ModelFrames]:
        """This model and all those nested in it, in the order of the file."""
        yield self
        for frame in self.members:
            if frame.scope.kind == "model":
                yield from frame.frames_inside().models()

    def path(self, name: str, asking: SdfScope, at: Element | None = None) -> Path:
        """The frames from this model to the one with this name: none for the model itself, several for `a::b`."""
        found: Path = []
        model = self
        rest = name
        while rest not in model.frames:
            if rest == HERE or (rest == WORLD and model.scope.kind != "model"):
                return found
            first, separator, rest = rest.partition(SEPARATOR)
            frame = model.frames.get(first)
            if not separator or frame is None or frame.scope.kind != "model":
                near = nearest(first, model.frames)
                hint = f"; did you mean {near!r}?" if near else ""
                where = model.scope.title
                raise asking.error(f"there is no link, joint, frame or model {name!r} in {where}{hint}", at, name)
            found.append(frame)
            model = frame.frames_inside()
        return [*found, model.frames[rest]]

    def place(self) -> np.ndarray:
        """The pose of this model in the outermost one that is read; that itself is at the identity."""
        if self._frame is None:
            return np.eye(4)
        return self._frame.model.place() @ pose_in_model(self._frame)

    def link(self, name: str, asking: SdfScope, at: Element | None = None) -> Frame:
        """The link that a frame is attached to."""
        model: ModelFrames = self
        visited: dict[tuple[int, str], ModelFrames] = {}
        while name not in model._links:
            if (id(model), name) in visited:
                circle = _listed([*(x for _, x in visited), name])
                raise asking.error(f"expected a frame that hangs on a link, but they hang on each other: {circle}", at)
            visited[id(model), name] = model
            path = model.path(name, asking, at)
            if not path:
                name = model.canonical()
            elif path[-1].scope.kind == "link":
                model._links[name] = path[-1]
            else:
                model, name = path[-1].attachment()
        found = model._links[name]
        for (_, passed), inside in visited.items():
            inside._links[passed] = found
        return found

    def canonical(self) -> str:
        """The name of the link that this model's own frame is attached to."""
        given = self.scope.element.attributes.get("canonical_link", "")
        if given:
            return given
        for kind in ("link", "model"):
            for frame in self.members:
                if frame.scope.kind == kind:
                    return frame.scope.name or ""
        raise self.scope.error("expected at least one <link>, got none; add one")


def pose_in_model(wanted: Frame) -> np.ndarray:
    """The pose (4, 4) of a frame in the model that it stands in."""
    stack = [wanted]
    begun: set[int] = set()
    while stack:
        frame = stack[-1]
        if frame.pose is not None:
            stack.pop()
            continue
        base, placed = frame.base(), frame.placed()
        missing = [x for x in (*base, *placed) if x.pose is None]
        if not missing:
            frame.pose = _product(base) @ frame.scope.pose_in(frame.scope.element)
            if placed:
                frame.pose = frame.pose @ inverse(_product(placed))
        elif id(frame) in begun:
            raise _cycle(frame, begun)
        else:
            begun.add(id(frame))
            stack.extend(missing)
    assert wanted.pose is not None  # the stack ran empty
    return wanted.pose


def _cycle(frame: Frame, begun: set[int]) -> ParseError:
    circle, x = [frame], frame
    while True:
        x = next(y for y in (*x.base(), *x.placed()) if y.pose is None and id(y) in begun)
        circle.append(x)
        if x in circle[:-1]:
            shown = _listed([y.name for y in circle[circle.index(x) :]])
            return x.scope.error(f"the pose is relative to itself: {shown}; place one of them elsewhere")


def _listed(circle: list[str]) -> str:
    shown = list(map(repr, circle))
    return " -> ".join(shown if len(shown) <= SHOWN else [*shown[: SHOWN - 2], "...", shown[-1]])


def _product(path: Path) -> np.ndarray:
    X = np.eye(4)
    for frame in path:
        X = X @ pose_in_model(frame)
    return X


def inverse(X: np.ndarray) -> np.ndarray:
    """The inverse of a pose (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = X[:3, :3].T
    result[:3, 3] = -X[:3, :3].T @ X[:3, 3]
    return result
