"""Limits on MJCF, asked before MuJoCo sees it: a few words of it can keep MuJoCo busy for hours, or take all memory.

MuJoCo's XML is laxer than XML is (it takes "--" in comments), so tags are found here as MuJoCo finds them.
"""

from __future__ import annotations

import math
import re
from html import unescape
from typing import Any

import numpy as np

from ..model.description import MOST_LINKS
from ..model.numbers import LARGEST
from .errors import ParseError

MOST_ELEMENTS = 100_000
MOST_ATTRIBUTES = 1_000
MOST_COPIES = 4_000  # MuJoCo's time is quadratic in them
# element and attribute: the largest product of its numbers
_LARGEST = {
    ("composite", "count"): MOST_COPIES,
    ("flexcomp", "count"): MOST_COPIES,
    ("replicate", "count"): MOST_COPIES,
    ("hfield", "nrow"): 4_096,
    ("hfield", "ncol"): 4_096,
    ("texture", "width"): 4_096,
    ("texture", "height"): 6 * 4_096,
    ("mesh", "params"): 40_000,
    ("general", "actdim"): 10_000,
    ("user", "dim"): 100_000,
    ("size", "nkey"): 10_000,
    ("size", "nuserdata"): 1_000_000,
    ("size", "njmax"): 1_000_000,
    ("size", "nconmax"): 1_000_000,
    ("size", "nstack"): 100_000_000,
}
# the fields of a compiled model that we multiply or turn
_COMPUTED_WITH = (
    "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "jnt_pos", "jnt_axis", "qpos0",
    "actuator_gear", "actuator_forcerange", "actuator_ctrlrange", "actuator_gainprm", "dof_armature", "dof_damping",
)  # fmt: skip
_LARGEST_USER = 1_000  # of nuser_body and its like: as many numbers for each body
_TAGS = re.compile(
    rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"
    rb"|<(/?)([A-Za-z_:][\w:.-]*+)((?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rb"([A-Za-z_:][\w:.-]*+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_COUNTED = frozenset(element.encode() for element, _ in _LARGEST)


def refuse_too_much(data: bytes, file: str) -> None:
    """Raise an error where a source asks for more elements, copies or memory than a robot needs.

    Raises
    ------
    ParseError
        More than `MOST_ELEMENTS` elements, `MOST_LINKS` bodies, or `MOST_COPIES` copies by `<replicate>` and its like,
        or an array that is too large.
    """
    if data.count(b"<") > 2 * MOST_ELEMENTS:
        _refuse_elements(data, file)
    copies, bodies = [1.0], 0.0
    for tag in _TAGS.finditer(data):
        name = tag[2]
        if tag[3] and len(tag[3]) > 10_000 and len(_ATTRIBUTE.findall(tag[3])) > MOST_ATTRIBUTES:
            message = f"expected at most {MOST_ATTRIBUTES} attributes in an element, got more; take them away"
            raise ParseError(message, file, _line(data, tag.start()), name.decode("ascii", "replace"))
        opens = not tag[1] and not (tag[3] or b"").endswith(b"/")
        if name in _COUNTED and not tag[1]:
            count = _check_numbers(tag, data, file)
            if name == b"replicate" and opens:
                copies.append(copies[-1] * count)
                _check("replicate", "count", copies[-1], MOST_COPIES, data, tag.start(), file, "copies of copies")
        elif name == b"replicate" and len(copies) > 1:
            copies.pop()
        elif name == b"body" and not tag[1]:
            bodies += copies[-1]
            if bodies > MOST_LINKS:
                message = f"expected at most {MOST_LINKS} bodies, copies included, got more; split the model"
                raise ParseError(message, file, _line(data, tag.start()), "body")


def _refuse_elements(data: bytes, file: str) -> None:
    """Count the elements: what stands in comments is none."""
    number = 0
    for tag in _TAGS.finditer(data):
        number += bool(tag[2]) and not tag[1]
        if number > MOST_ELEMENTS:
            message = f"expected at most {MOST_ELEMENTS} elements, got more; split the model"
            raise ParseError(message, file, _line(data, tag.start()), tag[2].decode("ascii", "replace"))


def _check_numbers(tag: re.Match[bytes], data: bytes, file: str) -> float:
    """Compare what an element asks for with the limits; its count, where it has one."""
    element, count = tag[2].decode("ascii", "replace"), 1.0
    for found in _ATTRIBUTE.finditer(tag[3]):
        key = found[1].decode("ascii", "replace")
        user = element == "size" and key.startswith("nuser_")
        limit = _LARGEST_USER if user else _LARGEST.get((element, key))
        if limit is not None:
            text = found[2] if found[2] is not None else found[3]
            product = _product(text)
            _check(element, key, product, limit, data, tag.start(), file)
            count = max(count, product) if key == "count" else count
    return count


def _check(
    element: str, key: str, number: float, limit: int, data: bytes, at: int, file: str, what: str = "a product"
) -> None:
    if number > limit:
        message = f"<{element} {key}>: expected {what} of at most {limit}, got {number:.6g}; MuJoCo would take too long"
        raise ParseError(message, file, _line(data, at), element, value=f"{number:.6g}")


def _product(text: bytes) -> float:
    """The product of the numbers above 1 at the beginning of a text; what is no number is MuJoCo's to refuse."""
    product = 1.0
    for word in unescape(text[:1000].decode("ascii", "replace")).split()[:10]:
        try:
            number = float(word)
        except ValueError:
            digits = re.match(r"[+-]?\d{1,300}", word)
            number = float(digits[0]) if digits else 1.0
        product *= number if number > 1.0 else 1.0
    return product if not math.isnan(product) else math.inf


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def refuse_large_numbers(mj: Any, file: str) -> None:
    """Raise an error where a compiled model has a number that is not finite, or too large to compute with.

    Raises
    ------
    ParseError
        Names the field of `mujoco.MjModel`.
    """
    for field in _COMPUTED_WITH:
        values = np.asarray(getattr(mj, field))
        if not (np.abs(values) <= LARGEST).all():
            raise ParseError(f"{field}: expected finite numbers of at most {LARGEST:g}; correct the model", file)
