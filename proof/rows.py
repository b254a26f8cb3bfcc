"""A comparison's rows, the states it is made on, and how errors are scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.configuration import integrate
from ..model.model import Model

# Both sides round, each product by 1e-16, in sums over a chain of some tens of bodies: 1e-12 leaves room for the
# cancellation of large terms. What solves an equation gets ten times that on top of the condition number.
DIRECT, SOLVED = 1e-12, 1e-11


@dataclass(frozen=True)
class Row:
    """One function: its largest scaled error, None where there is nothing to compare, and what it was compared with."""

    function: str
    error: float | None
    tolerance: float
    ok: bool
    reference: str
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For JSON: an error that is not finite is None."""
        error = self.error if self.error is not None and np.isfinite(self.error) else None
        return {**vars(self), "error": error}


@dataclass(frozen=True)
class States:
    """Random states (n, ...) of a model, and for each configuration q another one, q1, not far away."""

    q: np.ndarray
    q1: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    f_ext: np.ndarray

    @classmethod
    def random(cls, model: Model, samples: int, seed: int, feels: np.ndarray | bool = True) -> States:
        """Configurations within the limits; velocities, accelerations and forces normally distributed.

        q1 is less than 2.8 rad away in every rotation, so that there is one short way to it. `feels` (nb,) tells which
        bodies get forces.
        """
        rng = np.random.default_rng(seed)
        q = model.random_configuration(rng, samples)
        qd, qdd = rng.normal(size=(2, samples, model.nv))
        f_ext = rng.normal(size=(samples, model.nb, 6)) * np.broadcast_to(feels, model.nb)[:, None]
        return cls(q, integrate(model, q, rng.uniform(-1.6, 1.6, qd.shape)), qd, qdd, f_ext)


def relative(ours: Any, theirs: np.ndarray, floor: float = 1.0) -> np.ndarray:
    """The error of each entry, scaled by max(floor, |reference|)."""
    return np.abs(ours - theirs) / np.maximum(floor, np.abs(theirs))


def heaviness(model: Model) -> float:
    """The floor for forces, inertias and energies: 1, and in proportion to the mass above 100 kg.

    Forces cancel in the structure, and what is left of them is rounded as they were.
    """
    return max(1.0, model.mass / 100.0)


def compared(function: str, errors: np.ndarray, tolerance: float, reference: str, note: str = "") -> Row:
    """A row with the largest of the errors; NaN counts as infinite."""
    error = float(np.max(errors, initial=0.0))
    error = error if np.isfinite(error) else float("inf")
    return Row(function, error, tolerance, error <= tolerance, reference, note)
