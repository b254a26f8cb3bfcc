"""Identification: the parameters of a robot that explain its measured torques."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..algorithms.call import check_model
from ..model.arguments import flag
from ..model.model import Model
from ..simulation.trajectory import column_names
from .base_parameters import BaseParameters, base_parameters
from .consistent import consistent_fit, nominal
from .identification import Identification
from .measurement import measurements
from .weighted import Estimate, compress, weighted_least_squares


def identify(
    model: Model,
    data: Any,
    *,
    drives: Any = ("damping", "friction"),
    consistent: bool = False,
    prior: float = 0.1,
    cutoff: float | None = None,
    base: BaseParameters | None = None,
) -> Identification:
    """The parameters of a robot from measured motion and torque.

    Parameters
    ----------
    model : the robot; its joints and gravity are taken as they are, its parameters only where the torques do not say.
    data : a `Trajectory`, a `Measurement`, a mapping with q (T, nq) and qd, qdd, tau (T, nv), or several of them. tau
        is what the motors do, losses included. A mapping with t, q and tau alone is filtered first, see
        `filtered_motion`.
    drives : the kinds of parameters of drives that are identified, as in `Model.parameters`; those that are not are
        taken from the model.
    consistent : also make every body one that can exist, and no armature, damping or friction negative.
    prior : how strongly the consistent fit is drawn to the model where the torques say little: 1 counts as much as a
        mass that is known to a half.
    cutoff : Hz, for data without velocities.
    base : the model's base parameters with these drives, if they are known already.

    Returns
    -------
    result : estimates of base parameters with their standard deviations, the noise of each joint, the condition of the
        excitation; `result.model` is the robot with what was found. `print` shows a table.

    Raises
    ------
    TypeError, ValueError
        Data of another kind or shape, fewer equations than base parameters, NaN or infinity, a prior that is not > 0.

    Notes
    -----
    Least squares in base parameters, weighted by the noise of each joint as the residuals show it. The consistent fit
    is a convex problem with positive definite pseudo-inertia matrices. docs/identification.md has both.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> motion = fs.exciting_trajectory(arm, trials=5)
    >>> t, q, qd, qdd = motion.sample(0.01)
    >>> heavy = arm.with_payload("tip", 1.0)
    >>> data = {"q": q, "qd": qd, "qdd": qdd, "tau": fs.rnea(heavy, q, qd, qdd)}
    >>> found = fs.identify(arm, data, consistent=True)
    >>> bool(abs(found.predict(q, qd, qdd) - data["tau"]).max() < 1e-6)
    True
    """
    check_model(model)
    if not isinstance(prior, int | float | np.number) or not 0.0 < prior < math.inf:
        raise ValueError(f"prior: expected a finite number > 0, got {prior!r}")
    if base is None:
        base = base_parameters(model, drives=drives)
    elif base.parameter_names != model.parameter_names(drives):
        raise ValueError("base: expected the base parameters of this model with these drives, got other ones")
    parts = measurements(model, data, cutoff)
    equations = model.nv * sum(map(len, parts))
    if equations < base.rank:
        raise ValueError(f"data: expected at least {base.rank} torques, one a base parameter, got {equations}")
    known = model.parameters("all")
    found = compress(model, base, known, parts)
    estimate = weighted_least_squares(found, base)
    start = model.parameters(base.drives)
    if flag("consistent", consistent):
        pi = _consistent(model, base, estimate, start, prior)
    else:
        pi = base.pi(estimate.beta, near=start)
    return Identification(
        nominal=model,
        base=base,
        beta=base.beta(pi) if consistent else estimate.beta,
        deviation=estimate.deviation,
        pi=pi,
        noise=estimate.noise,
        torque=found.torque,
        condition=estimate.condition,
        consistent=bool(consistent),
        joint_names=column_names(model)[1],
        data=tuple(parts),
    )


def _consistent(model: Model, base: BaseParameters, estimate: Estimate, start: np.ndarray, prior: float) -> np.ndarray:
    M = estimate.A @ base.K
    return consistent_fit(M, estimate.b, nominal(model, start, M, estimate.b), prior)
