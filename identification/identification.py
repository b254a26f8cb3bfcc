"""What identification has found, as numbers, as a model, as a table and as a picture."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.regressors import torque_regressor
from ..model.errors import ModelError
from ..model.model import Model
from .base_parameters import BaseParameters, shortened
from .measurement import Measurement
from .weighted import EXACTEST

POOR = 0.1  # a standard deviation above this part of an estimate
CONTRADICTED = 1.25  # noise beyond so much of that of least squares: bodies that can exist do not explain the torques


@dataclass(frozen=True, eq=False)
class Identification:
    """The parameters of a robot that explain its measured torques.

    Attributes
    ----------
    nominal : the model that was given.
    base : its base parameters.
    beta, deviation : (r,) estimates of the base parameters, and their standard deviations by the noise of the torques.
        An infinite one: the motion does not show this parameter.
    pi : (p,) parameters with these base parameters, those that are nearest to the nominal ones.
    noise : (nv,) standard deviation of each joint's torque from what is predicted.
    least_noise : (nv,) the same of least squares without constraints.
    torque : (nv,) root mean square of each joint's torque.
    condition : of the excitation: that of the weighted regressor, each column in parts of what it is at random states.
    consistent : whether all bodies were made such as can exist.
    joint_names : of the degrees of freedom.
    data : the measurements.
    """

    nominal: Model
    base: BaseParameters
    beta: np.ndarray
    deviation: np.ndarray
    pi: np.ndarray
    noise: np.ndarray
    least_noise: np.ndarray
    torque: np.ndarray
    condition: float
    consistent: bool
    joint_names: tuple[str, ...]
    data: tuple[Measurement, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What each base parameter is."""
        return self.base.names

    @property
    def relative_deviation(self) -> np.ndarray:
        """(r,) standard deviations over the estimates' absolute values."""
        with np.errstate(divide="ignore"):
            return self.deviation / np.abs(self.beta)

    @property
    def poorly_known(self) -> tuple[str, ...]:
        """The base parameters with a standard deviation above a tenth of the estimate: badly excited, or near zero."""
        return tuple(name for name, part in zip(self.names, self.relative_deviation) if part > POOR)

    @cached_property
    def model(self) -> Model:
        """The robot with the parameters that were found.

        Raises
        ------
        ModelError
            Without consistent=True, a mass or a loss may have come out negative, if only by noise.
        """
        try:
            return self.nominal.with_parameters(self.pi, self.base.drives)
        except ModelError as error:
            if self.consistent:
                raise
            message = f"{error}; least squares knows no bounds, identify(..., consistent=True) keeps them"
            raise ModelError(message, error.element) from None

    def predict(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> np.ndarray:
        """The torques (..., nv) of a motion by what was found, losses included."""
        names = self.nominal.parameter_names("all")
        pi = self.nominal.parameters("all")
        pi[[names.index(name) for name in self.base.parameter_names]] = self.pi
        return torque_regressor(self.nominal, q, qd, qdd, drives="all") @ pi

    def plot(self, path: str | os.PathLike[str] | None = None, data: Measurement | None = None) -> Any:
        """Draw measured and predicted torque of each joint; see `featherstone.identification.plots`.

        Parameters
        ----------
        path : where to write the picture; None returns the figure only.
        data : the measurement to draw, the first that was identified from if not given.

        Returns
        -------
        figure : the Matplotlib figure.
        """
        from .plots import draw

        return draw(self, self.data[0] if data is None else data, path)

    def __repr__(self) -> str:
        kind = "consistent" if self.consistent else "weighted least squares"
        return f"<Identification of {self.nominal.name!r}: {self.base.rank} base parameters, {kind}>"

    def __str__(self) -> str:
        moments = sum(map(len, self.data))
        lines = [
            f"{self.base.rank} base parameters of {self.nominal.name!r} from {moments} moments,"
            f" {'consistent' if self.consistent else 'weighted least squares'};"
            f" condition of the excitation {self.condition:.3g}",
            "",
            f"{'estimate':>12} {'deviation':>10} {'%':>8}   base parameter",
        ]
        for value, deviation, part, name in zip(self.beta, self.deviation, self.relative_deviation, self.names):
            percent = f"{100 * part:8.2g}" if part < 10 else "     ---"
            lines.append(f"{value:12.5g} {deviation:10.2g} {percent} {'*' if part > POOR else ' '} {shortened(name)}")
        lines += ["", f"{'noise':>12} {'torque':>10} {'%':>8}   degree of freedom"]
        for noise, torque, name in zip(self.noise, self.torque, self.joint_names):
            lines.append(f"{noise:12.3g} {torque:10.3g} {100 * noise / torque if torque else 0:8.2g}   {name}")
        contradicted = self.noise > CONTRADICTED * np.maximum(self.least_noise, EXACTEST * self.torque.max(initial=0.0))
        worse = [name for name, beyond in zip(self.joint_names, contradicted) if beyond]
        if worse:
            explained = "no bodies that can exist explain the torques as well as least squares does"
            lines += ["", f"! {explained}: {', '.join(worse)}; check signs, units and the order of joints"]
        if self.poorly_known:
            lines += ["", f"* {len(self.poorly_known)} poorly known: badly excited, or near zero"]
        return "\n".join(lines)
