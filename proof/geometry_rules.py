"""Rules that compare a link's mass and inertia with the boxes, cylinders and spheres that it looks like."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from ..model.description import Description, Link
from ..model.findings import Finding
from ..parsers.geometry import Outline, Shape
from .extent import Extent
from .inertia_rules import gyration, too_large

# Shapes that are seen are the whole link; those of collision alone may stand for a part of it, so more is allowed.
# How far the centre of mass may be outside of the box around them, as a part of the box's diagonal:
SEEN_MARGIN, TOUCHED_MARGIN = 0.1, 1.0
# How large the radius of gyration may be, times half the diagonal; that of matter within the box is at most 1:
SEEN_GYRATION, TOUCHED_GYRATION = 3.0, 30.0
FITS, MISFITS = 0.15, 0.4  # how far two tensors of trace 1 may be apart, and how far they are apart if they differ


def against_shapes(description: Description, outlines: dict[str, Outline], extent: Extent) -> Iterator[Finding]:
    """Centres of mass, radii of gyration and principal axes that do not suit a link's shapes."""
    whole = sum(link.mass for link in description.links)
    ends: dict[str, list[np.ndarray]] = {}
    for joint in description.joints:
        ends.setdefault(joint.parent, []).append(np.array(joint.position))
    for link in description.links:
        outline = outlines.get(link.name, Outline({}))
        corners = outline.corners()
        if link.mass <= 0.0 or not len(corners):
            continue
        if ("link", link.name) not in extent.far:
            yield from _outside(link, outline, corners)
        reach = np.array([*corners, np.zeros(3), *ends.get(link.name, ())])
        half = 0.5 * float(np.linalg.norm(np.ptp(reach, axis=0)))
        k = gyration(link)
        largest = SEEN_GYRATION if "visual" in outline.shapes else TOUCHED_GYRATION
        if largest * half < k:
            yield too_large(link, k, f"half its own diagonal is {half:.3g} m", extent, whole)
        yield from _axes(link, outline)


def _outside(link: Link, outline: Outline, corners: np.ndarray) -> Iterator[Finding]:
    low, high = corners.min(axis=0), corners.max(axis=0)
    diagonal = float(np.linalg.norm(high - low))
    com = np.array(link.com)
    outside = float(np.linalg.norm(np.maximum(np.maximum(low - com, com - high), 0.0)))
    margin, severity = (SEEN_MARGIN, "warning") if "visual" in outline.shapes else (TOUCHED_MARGIN, "note")
    if outside > margin * diagonal:
        box = " x ".join(f"{a:.4g} to {b:.4g}" for a, b in zip(low, high))
        message = (
            f"link {link.name!r}: centre of mass: ({', '.join(f'{x:.4g}' for x in com)}) m is {outside:.3g} m outside"
            f" of the box around its shapes, {box} m"
        )
        remedy = "check the <origin> of <inertial> and its units; it is in the link's frame"
        yield Finding("com-outside", "link", link.name, message, remedy, severity=severity)


def _axes(link: Link, outline: Outline) -> Iterator[Finding]:
    """A tensor that is far from that of the shapes, and near to it once its axes are exchanged."""
    orders = [_better_order(link, shapes) for shapes in outline.shapes.values()]
    order = orders[0] if orders else None
    if order is None or any(x != order for x in orders):
        return
    I = np.diag(np.array(link.inertia))
    moments, exchanged = (", ".join(f"{x:.4g}" for x in I[list(p)]) for p in ((0, 1, 2), order))
    message = (
        f"link {link.name!r}: inertia: the moments {moments} kg m^2 about x, y, z do not suit its shapes, in the order"
        f" {exchanged} they would"
    )
    remedy = "the axes are exchanged: check the tensor, and the rpy of the <origin> of <inertial>"
    yield Finding("inertia-axes", "link", link.name, message, remedy)


def _better_order(link: Link, shapes: tuple[Shape, ...]) -> tuple[int, ...] | None:
    """The order of axes in which a tensor is like that of evenly filled shapes, if it is unlike it as it is."""
    expected = _normal(_even_tensor(shapes))
    given = _normal(np.array(link.inertia))
    if expected is None or given is None or np.linalg.norm(given - expected) < MISFITS:
        return None
    misfits = {order: np.linalg.norm(given[np.ix_(order, order)] - expected) for order in permutations(range(3))}
    best = min(misfits, key=lambda order: float(misfits[order]))
    return best if misfits[best] < FITS else None


def _even_tensor(shapes: tuple[Shape, ...]) -> np.ndarray:
    """The inertia (3, 3) about the centre of evenly filled shapes, per mass; zero if they have no volume."""
    volume = sum(shape.volume for shape in shapes)
    if volume == 0.0:
        return np.zeros((3, 3))
    centre = sum((shape.volume * shape.position for shape in shapes), np.zeros(3)) / volume
    moment = sum((shape.volume * shape.second_moment() for shape in shapes), np.zeros((3, 3))) / volume
    moment = moment - np.outer(centre, centre)
    return np.trace(moment) * np.eye(3) - moment


def _normal(tensor: np.ndarray) -> np.ndarray | None:
    """A tensor of trace 1, or None if it has no positive one."""
    trace = np.trace(tensor)
    return tensor / trace if trace > 0.0 else None
