"""Inertias as 4x4 matrices that add, and change frames as T J T^T."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def pseudo_inertia(m: float, h: Sequence[float], I: Any) -> np.ndarray:
    """(S, h; h^T, m) of a mass, a first moment and a rotational inertia about the origin; S is the second moment."""
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(I) / 2 * np.eye(3) - I
    J[:3, 3] = J[3, :3] = h
    J[3, 3] = m
    return J
