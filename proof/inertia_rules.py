"""Rules about inertias that no single number breaks: what is out of proportion, or unlike its mirror image."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..model.description import Description, Link
from ..model.findings import TENSOR_TOLERANCE, Finding
from ..model.model import Model
from .extent import Extent

DENSEST = 22_600.0  # kg/m^3, osmium
LIGHTEST = 2.0  # kg/m^3, hardly more than air
HARDLY = 1e-5  # part of the whole robot's mass times size squared: less than that is no part of its dynamics
SCALES = {
    1e-6: "it would fit if it were in kg mm^2: multiply it by 1e-6",
    1e-3: "it would fit if it were in g m^2: multiply it by 1e-3",
    1e3: "it would fit if it were 1000 times as large, or if the mass were in grams",
    1e6: "it would fit if it were a million times as large",
}
FEW, ROOM_BESIDE = 10, 3.0  # so few links may be mostly beside their origins: so many times the size is let pass then
ROOM_FOR_MATTER = 0.5  # part of the least radius of gyration that is let pass
MIRROR_TOLERANCE = 0.02  # of masses, distances and moments of two links that are one another's mirror images
NOTABLE = 0.02  # part of its size above which a product of inertia or a coordinate has a sign worth comparing


def gyration(link: Link) -> float:
    """The root mean square distance of a link's matter from its centre of mass, in m, by its mass and inertia."""
    return math.sqrt(max(0.5 * float(np.trace(np.array(link.inertia))), 0.0) / link.mass)


def least_gyration(mass: float) -> float:
    """The smallest radius of gyration that so much mass can have: of a ball of the densest metal.

    No other shape and no other density brings matter nearer to its centre: moving any of it outwards adds to the mean
    square distance.
    """
    return math.sqrt(0.6) * (3.0 * mass / (4.0 * math.pi * DENSEST)) ** (1.0 / 3.0)


def even_density(link: Link) -> float:
    """The density in kg/m^3 of an evenly filled ellipsoid with a link's mass and inertia; infinite if it is flat."""
    tensor = np.array(link.inertia)
    squares = np.linalg.eigvalsh(0.5 * np.trace(tensor) * np.eye(3) - tensor) / link.mass
    volume = 4.0 / 3.0 * math.pi * math.prod(math.sqrt(5.0 * max(x, 0.0)) for x in squares.tolist())
    return link.mass / volume if volume > 0.0 else math.inf


def spinning_rotors(model: Model) -> Iterator[Finding]:
    """Rotors that have more inertia about their axis than the links that carry them, which contain them."""
    for joint, (first, _) in zip(model.joints, model.elements):
        carrier = int(model.tree.parent[first])
        if joint.rotor is None or not joint.rotor.gyroscopic or not carrier:
            continue
        m, x, y, z, xx, xy, yy, xz, yz, zz = model.tree.inertia[10 * carrier : 10 * carrier + 10].tolist()
        h = np.array([x, y, z])
        about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if m > 0.0:
            about = about - (h @ h * np.eye(3) - np.outer(h, h)) / m
        least, _, most = np.linalg.eigvalsh(about).tolist()
        if least < -TENSOR_TOLERANCE * max(abs(most), joint.rotor.inertia):
            message = (
                f"joint {joint.name!r}: its rotor of {joint.rotor.inertia:.4g} kg m^2 is more than the link"
                f" {joint.parent!r}, which carries and contains it, has about that axis"
            )
            remedy = "give the link its inertia with the rotor standing still in it, or correct the rotor's"
            yield Finding("rotor-heavier-than-link", "joint", joint.name, message, remedy)


def proportions(description: Description, extent: Extent) -> Iterator[Finding]:
    """Inertias too small for any matter, or too large for the whole robot; point masses."""
    whole = sum(link.mass for link in description.links)
    room = ROOM_BESIDE if len(description.links) < FEW else 1.0
    for link in description.links:
        if link.mass <= 0.0:
            continue
        k, least = gyration(link), least_gyration(link.mass)
        if not np.any(link.inertia):
            message = f"link {link.name!r}: has {link.mass:.4g} kg and no rotational inertia: it is a point mass"
            remedy = "fine if it is meant; some engines refuse it or invent a tensor"
            yield Finding("point-mass", "link", link.name, message, remedy, severity="note")
        elif singular(link):
            message = f"link {link.name!r}: inertia: a principal moment is zero, as of an infinitely thin rod"
            yield Finding("thin-rod", "link", link.name, message, "fine if it is meant", severity="note")
        if 0.0 < k < ROOM_FOR_MATTER * least:
            message = (
                f"link {link.name!r}: inertia: {link.mass:.4g} kg with a radius of gyration of {k:.3g} m:"
                f" no matter is as dense, even osmium needs {least:.3g} m"
            )
            remedy = f"check the units of mass (kg) and inertia (kg m^2); {_scale(k, 3.0 * least)}"
            yield Finding("inertia-too-small", "link", link.name, message, remedy)
        elif k > room * extent.size > 0.0:
            yield too_large(link, k, f"the whole robot is {extent.size:.3g} m across", extent, whole)
        elif even_density(link) < LIGHTEST:
            thin = f"spread over an ellipsoid it is as light as air, {even_density(link):.2g} kg/m^3"
            yield too_large(link, k, thin, extent, whole)


def too_large(link: Link, k: float, measure: str, extent: Extent, whole: float) -> Finding:
    """The finding of a radius of gyration that exceeds some size; a note where the robot hardly feels it."""
    message = f"link {link.name!r}: inertia: {link.mass:.4g} kg with a radius of gyration of {k:.3g} m, but {measure}"
    negligible = 0.5 * float(np.trace(np.array(link.inertia))) < HARDLY * whole * extent.size**2
    remedy = f"check the units of mass (kg) and inertia (kg m^2); {_scale(k, 3.0 * least_gyration(link.mass))}"
    severity = "note" if negligible else "warning"
    return Finding("inertia-too-large", "link", link.name, message, remedy, severity=severity)


def _scale(k: float, likely: float) -> str:
    """Which mistake of units would explain a radius of gyration, by what a body of that mass usually has."""
    factor = min(SCALES, key=lambda x: abs(math.log(math.sqrt(x) * k / likely)))
    return SCALES[factor]


def singular(link: Link) -> bool:
    """Whether a tensor has a principal moment of zero, to rounding."""
    tensor = np.array(link.inertia)
    size = abs(tensor).max()
    return bool(size > 0.0 and abs(np.linalg.eigvalsh(tensor / size)[0]) <= TENSOR_TOLERANCE)


def without_inertial(description: Description) -> Iterator[Finding]:
    """Links that a joint moves, and that have neither mass nor inertia but carry what has."""
    moved = {joint.child: joint for joint in description.joints if joint.type != "fixed"}
    carrying = {joint.parent for joint in description.joints}
    for link in description.links:
        joint = moved.get(link.name)
        if joint is not None and link.name in carrying and link.mass == 0.0 and not np.any(link.inertia):
            message = f"link {link.name!r}: moves with joint {joint.name!r} and has no mass and inertia of its own"
            remedy = "right for an intermediate link; simulators such as Gazebo drop it, or invent its inertia"
            yield Finding("moving-link-without-mass", "link", link.name, message, remedy, severity="note")


def mirror_images(description: Description) -> Iterator[Finding]:
    """Left and right links whose products of inertia contradict their centres of mass.

    A reflection in a coordinate plane, or half a turn about an axis, multiplies coordinate i by a sign s_i, and so the
    product of inertia ij by s_i s_j. Where two links named alike have the same mass, the same moments and the same
    centre of mass but for its signs, these give s; a product of that size with the other sign was not mirrored.
    """
    links = {link.name: link for link in description.links}
    for left in description.links:
        for name in _twins(left.name):
            right = links.get(name)
            wrong = [] if right is None else _unmirrored(left, right)
            if right is not None and wrong:
                listed = " and ".join(f"i{x} {a:.4g} against {b:.4g}" for x, a, b in wrong)
                message = (
                    f"link {right.name!r}: inertia: like that of {left.name!r}, mirrored as the centre of mass is, but"
                    f" for the sign of {listed} kg m^2"
                )
                remedy = "a mirror image in the plane normal to axis k changes the signs of the two products with k"
                yield Finding("mirror-inertia", "link", right.name, message, remedy)


def _twins(name: str) -> set[str]:
    """What the right one of a left link may be called."""
    pairs = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"), ("l", "r"), ("L", "R"))
    found = set()
    for a, b in pairs:
        at = name.find(a)
        while at >= 0:
            found.add(name[:at] + b + name[at + len(a) :])
            at = name.find(a, at + 1)
    return found


def _unmirrored(a: Link, b: Link) -> list[tuple[str, float, float]]:
    """The products of inertia of two mirror images with wrong signs, or none if they are no mirror images."""
    A, B, ca, cb = np.array(a.inertia), np.array(b.inertia), np.array(a.com), np.array(b.com)
    size, length = abs(A).max(), abs(ca).max()
    if a.mass <= 0.0 or size == 0.0 or length == 0.0:
        return []
    alike = (
        abs(a.mass - b.mass) <= MIRROR_TOLERANCE * a.mass
        and (abs(abs(ca) - abs(cb)) <= MIRROR_TOLERANCE * length).all()
        and (abs(abs(A) - abs(B)) <= MIRROR_TOLERANCE * size).all()
    )
    if not alike:
        return []
    wrong = []
    for i, j, axes in ((0, 1, "xy"), (0, 2, "xz"), (1, 2, "yz")):
        signs_known = min(abs(ca[i]), abs(ca[j])) > 2.0 * MIRROR_TOLERANCE * length
        expected = np.sign(ca[i] * cb[i] * ca[j] * cb[j]) * A[i, j]
        if signs_known and abs(A[i, j]) > NOTABLE * size and expected * B[i, j] < 0.0:
            wrong.append((axes, float(A[i, j]), float(B[i, j])))
    return wrong
