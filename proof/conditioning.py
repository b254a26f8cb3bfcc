"""How well a robot's mass matrix can be inverted, over random configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.cholesky import cholesky
from ..algorithms.crba import crba
from ..model.findings import Finding
from ..model.model import Model

STATES = 64
ILL = 1e6  # above, forward dynamics loses more than six of its sixteen digits; sound robots stay below 1e3


@dataclass(frozen=True)
class Conditioning:
    """The worst scaled condition number of the mass matrix that was met.

    Attributes
    ----------
    number : the condition number of S = D^-1/2 H D^-1/2, with D the diagonal of the mass matrix H.
    joint : the joint with the largest part in the motion that has the least inertia there.
    q : (nq,) the configuration.
    """

    number: float
    joint: str
    q: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {"number": self.number, "joint": self.joint, "q": self.q.tolist()}


def worst_conditioning(model: Model, states: int = STATES) -> Conditioning | None:
    """The worst of some random configurations; None for a robot without degrees of freedom.

    Scaled by its diagonal, the number depends neither on units nor on the sizes of links: what is left are motions of
    several joints that together move next to nothing. No other scaling makes it smaller by more than a factor nv (van
    der Sluis 1969).

    Raises
    ------
    SingularMassMatrixError
        The mass matrix is singular in one of the configurations.
    """
    if model.nv == 0:
        return None
    q = model.random_configuration(0, states)
    cholesky(model, q)
    H = crba(model, q)
    d = np.sqrt(np.diagonal(H, axis1=-2, axis2=-1))
    S = H / (d[:, :, None] * d[:, None, :])
    values = np.linalg.eigvalsh(S)
    numbers = np.where(values[:, 0] > 0.0, values[:, -1] / np.maximum(values[:, 0], 1e-300), np.inf)
    k = int(np.argmax(numbers))
    least = np.linalg.eigh(S[k]).eigenvectors[:, 0]
    return Conditioning(float(numbers[k]), model.joint_of_dof(int(np.argmax(abs(least)))), q[k])


def ill_conditioned(found: Conditioning | None) -> list[Finding]:
    """The finding of a mass matrix that loses too many digits."""
    if found is None or found.number <= ILL:
        return []
    shown = ", ".join(f"{x:.4g}" for x in found.q)
    message = (
        f"joint {found.joint!r}: moves next to no inertia that other joints do not move as well: the mass matrix has a"
        f" condition number of {found.number:.3g} at q = ({shown})"
    )
    remedy = "forward dynamics loses as many digits: check the inertias of the links behind it, or give it an armature"
    return [Finding("mass-matrix-ill-conditioned", "joint", found.joint, message, remedy)]
