"""What real robots' dynamics truly are: the algorithms' own sources at 50 digits, on constants that are as exact.

The numbers of the file, as float64 reads them, are taken as they are; everything made of them, rotations from their
angles, merged inertias, canonical frames, is made anew here with 50 digits. So rounding at loading counts as an error
of whoever did it, and the truth favours nobody.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

import featherstone as fs
from featherstone.engine.kernel import Kernel, field_kinds

DIGITS = 50
exactly = np.frompyfunc(lambda x: mpf(float(x)), 1, 1)


def exact_array(x: Any) -> np.ndarray:
    """An object array of mpf with the values of a float64 array."""
    return np.asarray(exactly(np.asarray(x, float)), object)


def turn(axis: int, angle: mpf) -> np.ndarray:
    """The rotation matrix about a coordinate axis."""
    s, c = mpmath.sin(angle), mpmath.cos(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = exact_array(np.eye(3))
    R[j, j], R[k, k], R[j, k], R[k, j] = c, c, -s, s
    return R


def numbers(element: ElementTree.Element | None, key: str) -> list[mpf]:
    """A vector of an element; zero if there is none."""
    text = None if element is None else element.get(key)
    return [mpf(float(x)) for x in (text or "0 0 0").split()]


def origin(parent: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position of an <origin>."""
    element = parent.find("origin")
    roll, pitch, yaw = numbers(element, "rpy")
    return turn(2, yaw) @ turn(1, pitch) @ turn(0, roll), np.array(numbers(element, "xyz"), object)


def to_axis(axis: list[mpf]) -> np.ndarray:
    """A rotation that takes the z axis to a direction: which one does not matter to a joint of one degree."""
    length = mpmath.sqrt(sum(x * x for x in axis))
    x, y, z = (a / length for a in axis)
    if z < 0:
        return to_axis([-x, -y, -z]) @ exact_array(np.diag([1.0, -1.0, -1.0]))
    k = exact_array(np.zeros((3, 3)))
    k[0, 2], k[1, 2], k[2, 0], k[2, 1] = x, y, -x, -y
    return exact_array(np.eye(3)) + k + k @ k / (1 + z)


def link_inertia(link: ElementTree.Element, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Mass, first moment and inertia about the origin (xx, xy, yy, xz, yz, zz) of a link with pose (R, p)."""
    inertial = link.find("inertial")
    if inertial is None:
        return exact_array(np.zeros(10))
    mass, tensor = mpf(float(inertial.find("mass").get("value"))), inertial.find("inertia")
    names = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
    I = np.array([[mpf(float(tensor.get(name))) for name in row] for row in names], object)
    turned, com = origin(inertial)
    turned, c = R @ turned, R @ com + p
    I = turned @ I @ turned.T + mass * (c @ c * exact_array(np.eye(3)) - np.outer(c, c))
    return np.array([mass, *(mass * c), I[0, 0], I[1, 0], I[1, 1], I[2, 0], I[2, 1], I[2, 2]], object)


def exact_tree(path: Path, model: fs.Model) -> Any:
    """The tree of a model that was loaded from a URDF, its constants made anew with 50 digits."""
    robot = ElementTree.parse(path).getroot()
    links = {link.get("name"): link for link in robot.findall("link")}
    into = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}
    tree = model.tree
    Z = [exact_array(np.eye(3)) for _ in range(tree.nb + 1)]
    inertia = exact_array(np.zeros((tree.nb + 1, 10)))
    placement = exact_array(np.zeros((tree.nb + 1, 12)))
    placement[0, [0, 4, 8]] = mpf(1)
    bodies = {name: b for b, name in enumerate(model.body_names, start=1)}

    def pose(link: str) -> tuple[int, np.ndarray, np.ndarray]:
        """The body that carries a link, and the link's pose there."""
        if link in bodies or link not in into:
            return bodies.get(link, 0), exact_array(np.eye(3)), exact_array(np.zeros(3))
        body, R, p = pose(into[link].find("parent").get("link"))
        turned, moved = origin(into[link])
        return body, R @ turned, R @ moved + p

    for link, b in bodies.items():
        if link not in into:  # the floating base
            placement[b, [0, 4, 8]] = mpf(1)
            continue
        joint = into[link]
        axis = joint.find("axis")
        Z[b] = to_axis(numbers(axis, "xyz") if axis is not None else [mpf(1), mpf(0), mpf(0)])
        parent, R, p = pose(joint.find("parent").get("link"))
        turned, moved = origin(joint)
        placement[b, :9] = (Z[parent].T @ R @ turned @ Z[b]).ravel()
        placement[b, 9:] = Z[parent].T @ (R @ moved + p)
    for name, link in links.items():
        b, R, p = pose(name)
        inertia[b] += link_inertia(link, Z[b].T @ R, Z[b].T @ p)
    constants = {
        name: exact_array(getattr(tree, name)) for name, kind in field_kinds(type(tree)).items() if kind == "Reals"
    }
    return tree._replace(**constants | {"placement": placement.ravel(), "inertia": inertia.ravel()})


def truth(kernel: Kernel, tree: Any, inputs: list[np.ndarray | None], size: int) -> np.ndarray:
    """What a kernel's source gives with 50 digits for one state: an object array of mpf."""
    with mpmath.workdps(DIGITS):
        result, work = exact_array(np.zeros(size)), np.empty(kernel.work(tree), object)
        inputs = inputs + [None] * (kernel.inputs - len(inputs))
        operands = [None if x is None else exact_array(x) for x in inputs]
        kernel.source(tree, np.zeros(1, int), *operands, result, work)
    return result


def scaled_error(found: np.ndarray, right: np.ndarray) -> float:
    """The largest error of an entry over the largest entry."""
    with mpmath.workdps(DIGITS):
        off = np.abs(exact_array(found).ravel() - right)
        return float(max(off) / max(np.abs(right)))
