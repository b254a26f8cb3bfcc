"""What a simulation returns, and how it is kept and drawn."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..model.model import Model

KEPT = ("t", "q", "qd", "qdd", "tau", "energy", "work", "lost", "coordinate_names", "velocity_names", "name")


class Account(NamedTuple):
    """Energy, and work and losses since the start, at each time of a trajectory; each (..., T) J."""

    energy: np.ndarray
    work: np.ndarray
    lost: np.ndarray


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States of one robot, or of a batch, at equal steps of time.

    Attributes
    ----------
    t : (T,) s.
    q, qd, qdd : (..., T, nq), (..., T, nv), (..., T, nv); qdd is the acceleration at the beginning of a step.
    tau : (..., T, nv) the generalised force held from each time on, without losses.
    energy : (..., T) J, kinetic and potential.
    work : (..., T) J, done by tau and external forces since the start.
    lost : (..., T) J, taken by damping and friction since the start.
    coordinate_names, velocity_names : what the columns of q and of qd are.

    The arrays are read-only: energy, work and losses are computed from them when first asked for.
    """

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    account: Account | Callable[[], Account]
    coordinate_names: tuple[str, ...] = ()
    velocity_names: tuple[str, ...] = ()
    name: str = "robot"

    @cached_property
    def _account(self) -> Account:
        return self.account() if callable(self.account) else self.account

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy, (..., T) J."""
        return self._account.energy

    @property
    def work(self) -> np.ndarray:
        """Work that tau and external forces have done since the start, (..., T) J."""
        return self._account.work

    @property
    def lost(self) -> np.ndarray:
        """Energy that damping and friction have taken since the start, (..., T) J."""
        return self._account.lost

    def __reduce__(self) -> Any:
        kept = [self._account if field.name == "account" else getattr(self, field.name) for field in fields(self)]
        return type(self), tuple(kept)

    def __repr__(self) -> str:
        batch = self.q.shape[:-2]
        return f"<Trajectory of {self.name!r}: {len(self.t)} times, {self.t[-1]:g} s" + (
            f", batch {batch}>" if batch else ">"
        )

    def __len__(self) -> int:
        return len(self.t)

    def energy_balance(self) -> dict[str, Any]:
        """Energy at the start and at the end, work done, energy lost, and what does not add up.

        Each in J, (...) or a float for one trajectory. The residual is the method's error: it shrinks with dt.
        """
        start, end, work, lost = self.energy[..., 0], self.energy[..., -1], self.work[..., -1], self.lost[..., -1]
        balance = {"start": start, "end": end, "work": work, "lost": lost, "residual": end - start - work + lost}
        return balance if self.energy.ndim > 1 else {name: float(value) for name, value in balance.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trajectory: .npz keeps everything, .csv one row a time (one trajectory, no batch).

        Raises
        ------
        ValueError
            Another ending, or a batch as .csv.
        """
        path = Path(path)
        if path.suffix == ".npz":
            arrays: dict[str, Any] = {name: np.asarray(getattr(self, name)) for name in KEPT}
            np.savez_compressed(path, **arrays)
        elif path.suffix == ".csv":
            self._save_csv(path)
        else:
            raise ValueError(f"path: expected a name that ends in .npz or .csv, got {str(path)!r}")

    def _save_csv(self, path: Path) -> None:
        if self.q.ndim != 2:
            raise ValueError(f"path: a batch {self.q.shape[:-2]} does not fit into .csv; save it as .npz")
        heads = ["t", *(f"q:{x}" for x in self.coordinate_names)]
        heads += [f"{kind}:{x}" for kind in ("qd", "qdd", "tau") for x in self.velocity_names]
        columns = np.column_stack([self.t, self.q, self.qd, self.qdd, self.tau, self.energy, self.work, self.lost])
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*heads, "energy", "work", "lost"])
            writer.writerows([repr(x) for x in row] for row in columns.tolist())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Read a trajectory that `save` wrote as .npz.

        Raises
        ------
        ValueError
            The file holds no trajectory.
        """
        if Path(path).suffix == ".csv":
            raise ValueError(f"{os.fspath(path)}: expected a trajectory written by save as .npz, got .csv")
        try:
            with np.load(path, allow_pickle=False) as data:
                found = {name: data[name] for name in KEPT}
        except OSError:
            raise
        except Exception as error:
            raise ValueError(f"{os.fspath(path)}: expected a trajectory written by save, got {error}") from None
        for key in ("coordinate_names", "velocity_names"):
            found[key] = tuple(map(str, found[key]))
        account = Account(*(found.pop(name) for name in Account._fields))
        return cls(**{**found, "account": account, "name": str(found["name"])})

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw positions, velocities and energy over time; see `featherstone.simulation.plots`.

        Parameters
        ----------
        path : where to write the picture; None returns the figure only.

        Returns
        -------
        figure : the Matplotlib figure.
        """
        from .plots import draw

        return draw(self, path)


def column_names(model: Model) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the coordinates in q and of the degrees of freedom in qd."""
    parts: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "universal": (("first", "second"), ("first", "second")),
        "cylindrical": (("angle", "length"), ("w", "v")),
        "planar": (("x", "y", "angle"), ("w", "vx", "vy")),
        "spherical": (("qx", "qy", "qz", "qw"), ("wx", "wy", "wz")),
        "floating": (("x", "y", "z", "qx", "qy", "qz", "qw"), ("wx", "wy", "wz", "vx", "vy", "vz")),
    }
    q: list[str] = []
    qd: list[str] = []
    for joint, leader in zip(model.joints, model.leaders):
        if leader is not None or joint.type == "fixed":
            continue
        several = parts.get(joint.type)
        if joint.type == "composite" and joint.degrees > 1:
            several = (tuple(str(k + 1) for k in range(joint.degrees)),) * 2
        q += [joint.name] if several is None else [f"{joint.name}.{x}" for x in several[0]]
        qd += [joint.name] if several is None else [f"{joint.name}.{x}" for x in several[1]]
    return tuple(q), tuple(qd)
