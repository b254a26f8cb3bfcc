"""Rows of damping and friction, for an engine that has both: MuJoCo.

Its damping is ours. Its frictionloss is a soft constraint: it gives the full force f against the motion where a joint
slides fast enough, and less than that near rest. So torques are compared where MuJoCo says that the constraint is at
its bound, and its forward dynamics gets our friction as a torque. Friction of planar and floating joints acts along
fixed axes there and along moved ones in featherstone, and MuJoCo has no Stribeck curve: these entries are not compared.
"""

from __future__ import annotations

import numpy as np

from ..algorithms.call import SingularMassMatrixError
from ..algorithms.forward import forward_dynamics
from ..algorithms.rnea import rnea
from ..model.model import Model
from .mujoco import MujocoReference
from .rows import DIRECT, SOLVED, Row, States, compared, heaviness, relative
from .solved import Equation


class Losses:
    """Both losses as torques (n, nv) in MuJoCo's numbers, and which entries of the friction are known."""

    def __init__(self, reference: MujocoReference, s: States) -> None:
        pair = reference.pair
        # friction that depends on the speed is not in MuJoCo
        plain = (pair.of_degrees("stiction") <= pair.of_degrees("friction")) & (pair.of_degrees("smoothing") == 0.0)
        self.rubs = pair.of_degrees("friction") + pair.of_degrees("stiction") > 0.0
        damped = (pair.of_degrees("damping") * (s.qd @ pair.G.T)) @ pair.G
        losses = rnea(reference.ours, s.q, s.qd, s.qdd, losses=True) - rnea(reference.ours, s.q, s.qd, s.qdd)
        self.assumed = losses - damped  # our friction
        self.damping = reference.damping(s.q, s.qd)
        friction, slides = reference.friction(s.q, s.qd)
        self.friction = friction @ pair.G
        slides &= plain & ~pair.moved_axes
        self.known = (~slides & self.rubs).astype(float) @ np.abs(pair.G) == 0.0

    @property
    def note(self) -> str:
        """How many entries of the friction can be compared."""
        if not self.rubs.any():
            return ""
        return f"frictionloss where it slides: {int(self.known.sum())} of {self.known.size} entries"


def compare_losses(model: Model, reference: MujocoReference, s: States) -> list[Row]:
    """rnea and forward dynamics with losses; no rows for a robot without any."""
    if not (model.damping.any() or model.friction.any()):
        return []
    losses = Losses(reference, s)
    ours = rnea(model, s.q, s.qd, s.qdd, losses=True)
    theirs = reference.rnea(s.q, s.qd, s.qdd) + losses.damping + losses.friction
    errors = relative(ours, theirs, heaviness(model))[losses.known]
    origin = f"{reference.calls['rnea']} with damping and frictionloss"
    return [compared("rnea, losses", errors, DIRECT, origin, losses.note), _forward(model, reference, s, losses)]


def _forward(model: Model, reference: MujocoReference, s: States, losses: Losses) -> Row:
    function, origin = "forward_dynamics, losses", f"{reference.calls['aba']} with damping, friction as a torque"
    x = Equation(reference, s)
    try:
        ours = forward_dynamics(model, s.q, s.qd, x.tau, losses=True)
    except SingularMassMatrixError as error:
        note = f"not comparable: the mass matrix is singular, joint {error.joint!r} moves nothing that has inertia"
        return Row(function, None, SOLVED, True, reference.calls["crba"], note)
    if reference.solves:
        theirs = reference.damped_accelerations(s.q, s.qd, x.tau - losses.assumed)
    else:
        still = reference.rnea(s.q, s.qd, np.zeros_like(s.qd))
        rest = (x.tau - losses.assumed - losses.damping - still) / x.d
        theirs = np.linalg.solve(x.scaled, rest[..., None])[..., 0] / x.d
        origin = f"{reference.calls['crba']}, {reference.calls['rnea']} and damping, solved by NumPy"
    return compared(function, x.errors_of_accelerations(ours, theirs), SOLVED, origin)
