"""What another engine must answer to be compared with, asked and answering in featherstone's numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ..compat.pairs import Matched, Pair
from ..model.model import Model


class Reference(ABC):
    """Another engine's answers for a robot. Arrays have one leading axis, the states.

    `calls` names the functions behind the answers, `links` are the links that it has poses of, `feels` tells which of
    our bodies can feel an external force there, and `solves` whether it has forward dynamics of its own for this robot.
    """

    engine: ClassVar[str]
    calls: ClassVar[Mapping[str, str]]
    ours: Model
    pair: Pair
    links: list[str]
    feels: np.ndarray
    solves: bool

    @property
    def joints(self) -> list[Matched]:
        """The moving joints, as matched by name."""
        return self.pair.joints

    @property
    def coupled(self) -> bool:
        """Whether there are mimic followers."""
        return self.pair.coupled

    @property
    @abstractmethod
    def gravity(self) -> np.ndarray:
        """(3,) m/s^2."""

    @abstractmethod
    def total_mass(self) -> float:
        """Of the whole robot in kg, its base included."""

    @abstractmethod
    def inertias(self) -> np.ndarray:
        """Of each moving joint the pseudo-inertia (4, 4) of what moves with it, in the frame of the link it moves."""

    @abstractmethod
    def rnea(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, f_ext: np.ndarray | None = None) -> np.ndarray:
        """tau (n, nv)."""

    @abstractmethod
    def crba(self, q: np.ndarray) -> np.ndarray:
        """H (n, nv, nv)."""

    @abstractmethod
    def aba(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, f_ext: np.ndarray) -> np.ndarray:
        """qdd (n, nv), where the engine `solves`."""

    @abstractmethod
    def poses(self, q: np.ndarray) -> np.ndarray:
        """World poses (n, links, 4, 4) of the `links`."""

    @abstractmethod
    def kinetic_energy(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """(n,) J, that of the armature included."""

    @abstractmethod
    def potential_energy(self, q: np.ndarray) -> np.ndarray:
        """(n,) J."""


def refuse_rotors(model: Model, engine: str) -> None:
    """Raise ValueError for a rotor whose spin is felt by what carries it: other engines have none."""
    for joint in model.joints:
        if joint.rotor is not None and joint.rotor.gyroscopic:
            raise ValueError(
                f"model: joint {joint.name!r} has a gyroscopic rotor, which {engine} does not know; compare a copy"
                f" without it: model.with_joint({joint.name!r}, rotor=fs.Rotor(inertia, ratio))"
            )
