"""Identification: the parameters of a robot that explain its measured torques."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..algorithms.call import check_model
from ..model.arguments import flag
from ..model.model import Model
from ..simulation.trajectory import column_names
from .base_parameters import BaseParameters, base_parameters, check_base
from .consistent import consistent_fit, nominal
from .identification import Identification
from .measurement import measurements
from .weighted import EXACTEST, compress, equations, excitation, noise_of, weighted_least_squares


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
        excitation; `result.model` is the robot with what was found. `print` shows a table, and says so where possible
        bodies explain the torques far worse than impossible ones would: a wrong sign, unit or order of joints.

    Raises
    ------
    TypeError, ValueError
        Data of another kind or shape, fewer moments than base parameters need, torques that are all zero, NaN or
        infinity, a prior that is not > 0.

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
    else:
        check_base(base, model, drives)
    parts = measurements(model, data, cutoff)
    moments, least = sum(map(len, parts)), -(-base.rank // max(model.nv, 1)) + 1
    if moments < least:
        expected = f"at least {least} moments, more torques than the {base.rank} base parameters"
        raise ValueError(f"data: expected {expected}, got {moments}")
    known = model.parameters("all")
    found = compress(model, base, known, parts)
    if base.rank and not found.triangles[..., base.rank].any():
        raise ValueError("data: tau: expected some torques that are not zero; no motion without them tells how heavy")
    estimate = weighted_least_squares(found, base)
    start = model.parameters(base.drives)
    if flag("consistent", consistent):
        # torques are never taken for more exact than that: if no body can make them, the fit would end where J is zero
        floor = EXACTEST * found.torque.max(initial=0.0)
        A, b = equations(found, np.maximum(estimate.noise, floor))
        M = A @ base.K
        pi = consistent_fit(M, b, nominal(model, start, M, b), prior)
        beta = base.beta(pi)
        noise = noise_of(found, beta)
        deviation, condition = excitation(found, base, noise)
    else:
        pi = base.pi(estimate.beta, near=start)
        beta, noise, deviation, condition = estimate.beta, estimate.noise, estimate.deviation, estimate.condition
    return Identification(
        nominal=model,
        base=base,
        beta=beta,
        deviation=deviation,
        pi=pi,
        noise=noise,
        least_noise=estimate.noise,
        torque=found.torque,
        condition=condition,
        consistent=bool(consistent),
        joint_names=column_names(model)[1],
        data=tuple(parts),
    )
