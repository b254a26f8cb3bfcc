"""Every function of a state, for the laws that all of them obey."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import featherstone as fs

from .random_trees import random_forces, random_q, random_v

CONFIGURATIONS = ("q", "q0", "q1")


class Function(NamedTuple):
    """A public function: how it is called, the names of its arrays, whether it takes `out`, whether it inverts H.

    Of the arrays `in_part` not all entries are read.
    """

    call: Callable[..., Any]
    inputs: tuple[str, ...]
    takes_out: bool = True
    inverts: bool = False
    in_part: tuple[str, ...] = ()

    def __call__(self, model: fs.Model, arrays: dict[str, Any], **options: Any) -> Any:
        return self.call(model, *(arrays[name] for name in self.inputs), **options)


def forward_by_factor(model: fs.Model, *state: Any, **options: Any) -> Any:
    """Forward dynamics by the factorised mass matrix."""
    return fs.forward_dynamics(model, *state, method="cholesky", **options)


def rnea_with_losses(model: fs.Model, *state: Any, **options: Any) -> Any:
    """Inverse dynamics with damping and friction."""
    return fs.rnea(model, *state, losses=True, **options)


def together(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of several matrices with as many rows as one that gives them side by side."""

    @functools.wraps(function)
    def call(model: fs.Model, *state: Any, **options: Any) -> Any:
        return np.concatenate(function(model, *state, **options), axis=-1)

    return call


def last_frame_pose(model: fs.Model, q: Any) -> Any:
    """The pose of the last frame."""
    return fs.frame_pose(model, q, model.frame_names[-1])


def deepest_frame(model: fs.Model) -> str:
    """A frame that the most degrees of freedom carry; any name for what is no model."""
    if not isinstance(model, fs.Model):
        return "base"
    tree, count = model.tree, [0]
    for i in range(1, tree.nb + 1):
        count.append(count[tree.parent[i]] + int(tree.dofs[i]))
    return max(reversed(model.frame_names), key=lambda name: count[model._frame_words[name][0]])


def jacobian_of_frame(model: fs.Model, q: Any, **options: Any) -> Any:
    """The Jacobian of a frame."""
    return fs.frame_jacobian(model, q, deepest_frame(model), "world", **options)


def jacobian_between_frames(model: fs.Model, q: Any, **options: Any) -> Any:
    """The Jacobian of a frame as seen from another."""
    frame = deepest_frame(model)
    others = [name for name in getattr(model, "frame_names", ["base"]) if name != frame]
    seen_from = others[-1] if others else frame
    return fs.relative_jacobian(model, q, frame, seen_from, "local_world_aligned", **options)


def jacobian_rate_of_frame(model: fs.Model, q: Any, qd: Any, **options: Any) -> Any:
    """The rate of a frame's Jacobian."""
    return fs.frame_jacobian_rate(model, q, qd, deepest_frame(model), "local_world_aligned", **options)


def hessian_of_frame(model: fs.Model, q: Any, **options: Any) -> Any:
    """The derivatives of a frame's Jacobian."""
    return fs.kinematic_hessian(model, q, deepest_frame(model), "local_world_aligned", **options)


def velocity_of_frame(model: fs.Model, q: Any, qd: Any, **options: Any) -> Any:
    """The velocity of a frame."""
    return fs.frame_velocity(model, q, qd, deepest_frame(model), "world", **options)


def acceleration_of_frame(model: fs.Model, q: Any, qd: Any, qdd: Any, **options: Any) -> Any:
    """The acceleration of a frame."""
    reference = "local_world_aligned"
    return fs.frame_acceleration(model, q, qd, qdd, deepest_frame(model), reference, kind="classical", **options)


def regressor_with_drives(model: fs.Model, *state: Any, **options: Any) -> Any:
    """The regressor of all torques."""
    return fs.torque_regressor(model, *state, drives="all", **options)


def factor(model: fs.Model, q: Any) -> Any:
    """The lower triangle of the factor of the mass matrix."""
    return fs.cholesky(model, q).factor()


def solve(model: fs.Model, q: Any, tau: Any, **options: Any) -> Any:
    """A solution by the factor of the mass matrix."""
    return fs.cholesky(model, q).solve(tau, **options)


def side_by_side(results: Any, dimensions: tuple[int, ...]) -> Any:
    """Results of so many dimensions for one state as one array, entries of a state in one row."""
    return np.concatenate(
        [x.reshape(*x.shape[: x.ndim - k], math.prod(x.shape[x.ndim - k :])) for x, k in zip(results, dimensions)],
        axis=-1,
    )


def euler_step(model: fs.Model, q: Any, qd: Any, tau: Any, f_ext: Any) -> Any:
    """A step and its derivatives."""
    return side_by_side(fs.step_derivatives(model, q, qd, tau, 1e-2, f_ext), (1, 1, 2, 2))


def runge_kutta_step(model: fs.Model, q: Any, qd: Any, tau: Any, f_ext: Any) -> Any:
    """A step and its derivatives; without losses, whose signs jump."""
    step = fs.step_derivatives(model, q, qd, tau, 1e-2, f_ext, method="rk4", losses=False)
    return side_by_side(step, (1, 1, 2, 2))


def hybrid(model: fs.Model, q: Any, qd: Any, tau: Any, qdd: Any, f_ext: Any) -> Any:
    """Torques and accelerations, side by side, where every second acceleration is given."""
    known = np.arange(getattr(model, "nv", 0)) % 2 == 0
    return np.concatenate(fs.hybrid_dynamics(model, q, qd, known, tau, qdd, f_ext), axis=-1)


def second_derivatives(model: fs.Model, *state: Any) -> Any:
    """The second derivatives of inverse dynamics."""
    return side_by_side(fs.rnea_second_derivatives(model, *state), (3, 3, 3, 3))


FUNCTIONS = {
    "rnea": Function(fs.rnea, ("q", "qd", "qdd", "f_ext")),
    "rnea with losses": Function(rnea_with_losses, ("q", "qd", "qdd")),
    "gravity_torque": Function(fs.gravity_torque, ("q",)),
    "bias_torque": Function(fs.bias_torque, ("q", "qd", "f_ext")),
    "gravity_jacobian": Function(fs.gravity_jacobian, ("q",)),
    "crba": Function(fs.crba, ("q",)),
    "mass_matrix_rate": Function(fs.mass_matrix_rate, ("q", "qd")),
    "coriolis_matrix": Function(fs.coriolis_matrix, ("q", "qd")),
    "christoffel_symbols": Function(fs.christoffel_symbols, ("q",)),
    "aba": Function(fs.aba, ("q", "qd", "tau", "f_ext"), inverts=True),
    "forward_dynamics by factor": Function(forward_by_factor, ("q", "qd", "tau", "f_ext"), inverts=True),
    "hybrid_dynamics": Function(hybrid, ("q", "qd", "tau", "qdd", "f_ext"), False, True, ("tau", "qdd")),
    "mass_matrix_inverse": Function(fs.mass_matrix_inverse, ("q",), inverts=True),
    "cholesky": Function(factor, ("q",), takes_out=False, inverts=True),
    "solve": Function(solve, ("q", "tau"), inverts=True),
    "forward_kinematics": Function(fs.forward_kinematics, ("q",)),
    "frame_pose": Function(last_frame_pose, ("q",), False),
    "frame_jacobian": Function(jacobian_of_frame, ("q",)),
    "relative_jacobian": Function(jacobian_between_frames, ("q",)),
    "frame_jacobian_rate": Function(jacobian_rate_of_frame, ("q", "qd")),
    "kinematic_hessian": Function(hessian_of_frame, ("q",)),
    "frame_velocity": Function(velocity_of_frame, ("q", "qd")),
    "frame_acceleration": Function(acceleration_of_frame, ("q", "qd", "qdd")),
    "center_of_mass": Function(fs.center_of_mass, ("q",)),
    "center_of_mass_jacobian": Function(fs.center_of_mass_jacobian, ("q",)),
    "center_of_mass_velocity": Function(fs.center_of_mass_velocity, ("q", "qd")),
    "center_of_mass_acceleration": Function(fs.center_of_mass_acceleration, ("q", "qd", "qdd")),
    "centroidal_momentum": Function(fs.centroidal_momentum, ("q", "qd")),
    "centroidal_momentum_rate": Function(fs.centroidal_momentum_rate, ("q", "qd", "qdd")),
    "centroidal_momentum_matrix": Function(fs.centroidal_momentum_matrix, ("q",)),
    "centroidal_momentum_matrix_rate": Function(fs.centroidal_momentum_matrix_rate, ("q", "qd")),
    "torque_regressor": Function(fs.torque_regressor, ("q", "qd", "qdd")),
    "torque_regressor with drives": Function(regressor_with_drives, ("q", "qd", "qdd")),
    "momentum_regressor": Function(fs.momentum_regressor, ("q", "qd")),
    "kinetic_energy_regressor": Function(fs.kinetic_energy_regressor, ("q", "qd")),
    "potential_energy_regressor": Function(fs.potential_energy_regressor, ("q",)),
    "momentum_about": Function(fs.momentum_about, ("q", "qd", "point")),
    "composite_inertia": Function(fs.composite_inertia, ("q",)),
    "kinetic_energy": Function(fs.kinetic_energy, ("q", "qd"), False),
    "potential_energy": Function(fs.potential_energy, ("q",), False),
    "generalized_momentum": Function(fs.generalized_momentum, ("q", "qd")),
    "generalized_momentum_rate": Function(fs.generalized_momentum_rate, ("q", "qd", "tau", "f_ext")),
    "rnea_derivatives": Function(together(fs.rnea_derivatives), ("q", "qd", "qdd", "f_ext"), False),
    "rnea_second_derivatives": Function(second_derivatives, ("q", "qd", "qdd", "f_ext"), False),
    "aba_derivatives": Function(together(fs.aba_derivatives), ("q", "qd", "tau", "f_ext"), False, inverts=True),
    "integrate": Function(fs.integrate, ("q", "dq")),
    "difference": Function(fs.difference, ("q0", "q1")),
    "integrate_derivatives": Function(together(fs.integrate_derivatives), ("q", "dq"), False),
    "difference_derivatives": Function(together(fs.difference_derivatives), ("q0", "q1"), False),
    "step_derivatives": Function(euler_step, ("q", "qd", "tau", "f_ext"), False, inverts=True),
    "step_derivatives, rk4": Function(runge_kutta_step, ("q", "qd", "tau", "f_ext"), False, inverts=True),
}
LARGE = {"rnea_second_derivatives": 401}  # how many states are enough where a result has 4 nv^3 numbers
WITH_OUT = {name: function for name, function in FUNCTIONS.items() if function.takes_out}


def arrays_for(model: fs.Model, seed: int, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Random inputs of every name, with a batch shape."""
    rng = np.random.default_rng(seed)
    made = {name: random_q(model, rng, shape) for name in CONFIGURATIONS}
    made |= {name: random_v(model, rng, shape) for name in ("qd", "qdd", "tau")}
    # less than half a turn, where difference is smooth
    made["dq"] = np.tanh(random_v(model, rng, shape))
    if made["q1"].size:
        made["q1"] = fs.integrate(model, made["q0"], made["dq"])
    return made | {"f_ext": random_forces(model, rng, shape), "point": rng.normal(size=(*shape, 3))}


def core(model: fs.Model, name: str) -> int:
    """How many last dimensions of an input belong to one state."""
    return 2 if name == "f_ext" else 1
