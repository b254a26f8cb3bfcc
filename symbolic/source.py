"""The source of a public function, run on scalars of any kind for one state.

What a function's fast way into machine code says of its kernel - operands, options, results - says as well how to call
the kernel's source: so every function that has such a way is here, and each is written once.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.call import check_mass
from ..algorithms.frames import word_of
from ..engine.function import Argument, Way
from ..engine.kernel import Kernel, field_kinds
from ..model.arguments import flag
from ..model.model import Model

METHODS = ("aba", "cholesky")
MOST_OPTIONS = 8

# public function: the module of `algorithms` that has it, and the names of its results
FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "aba": ("forward", ("qdd",)),
    "aba_derivatives": ("aba_derivatives", ("dqdd_dq", "dqdd_dqd", "dqdd_dtau")),
    "bias_torque": ("rnea", ("tau",)),
    "center_of_mass": ("center_of_mass", ("c",)),
    "center_of_mass_acceleration": ("center_of_mass", ("a",)),
    "center_of_mass_jacobian": ("center_of_mass", ("J",)),
    "center_of_mass_velocity": ("center_of_mass", ("v",)),
    "centroidal_momentum": ("momentum", ("h",)),
    "centroidal_momentum_matrix": ("momentum_matrix", ("A",)),
    "centroidal_momentum_matrix_rate": ("momentum_matrix", ("rate",)),
    "centroidal_momentum_rate": ("momentum", ("rate",)),
    "christoffel_symbols": ("christoffel", ("symbols",)),
    "composite_inertia": ("composite_inertia", ("I",)),
    "coriolis_matrix": ("coriolis", ("C",)),
    "crba": ("crba", ("H",)),
    "difference": ("configuration", ("dq",)),
    "difference_derivatives": ("configuration_derivatives", ("by_q0", "by_q1")),
    "forward_dynamics": ("forward", ("qdd",)),
    "forward_kinematics": ("kinematics", ("poses",)),
    "frame_acceleration": ("frame_motion", ("a",)),
    "frame_jacobian": ("jacobian", ("J",)),
    "frame_jacobian_rate": ("jacobian_rate", ("rate",)),
    "frame_pose": ("kinematics", ("pose",)),
    "frame_velocity": ("frame_motion", ("v",)),
    "generalized_momentum": ("generalized_momentum", ("p",)),
    "generalized_momentum_rate": ("generalized_momentum", ("rate",)),
    "gravity_jacobian": ("gravity_jacobian", ("K",)),
    "gravity_torque": ("rnea", ("tau",)),
    "integrate": ("configuration", ("q_next",)),
    "integrate_derivatives": ("configuration_derivatives", ("by_q", "by_dq")),
    "kinematic_hessian": ("kinematic_hessian", ("hessian",)),
    "kinetic_energy": ("energy", ("T",)),
    "kinetic_energy_regressor": ("energy_regressors", ("row",)),
    "mass_matrix_inverse": ("cholesky", ("H_inverse",)),
    "mass_matrix_rate": ("coriolis", ("rate",)),
    "momentum_about": ("momentum", ("h",)),
    "momentum_regressor": ("regressors", ("Y",)),
    "potential_energy": ("energy", ("V",)),
    "potential_energy_regressor": ("energy_regressors", ("row",)),
    "rnea": ("rnea", ("tau",)),
    "rnea_derivatives": ("rnea_derivatives", ("dtau_dq", "dtau_dqd", "dtau_dqdd")),
    "rnea_second_derivatives": (
        "rnea_second_derivatives",
        ("d2tau_dq_dq", "d2tau_dq_dqd", "d2tau_dqd_dqd", "d2tau_dq_dqdd"),
    ),
    "torque_regressor": ("regressors", ("Y",)),
}
WITH_MASS = ("center_of_mass", "composite_inertia", "momentum", "momentum_matrix")  # modules of what divides by it
BEHIND = {"rnea_second_derivatives": "_four_arrays"}  # where the public function is not the one with the fast way


def names() -> tuple[str, ...]:
    """The names of all functions that there are as symbols.

    Examples
    --------
    >>> import featherstone as fs
    >>> "rnea" in fs.symbolic.names()
    True
    """
    return tuple(FUNCTIONS)


def public(name: str) -> Any:
    """The function of that name that has the fast way."""
    return getattr(import_module(f"..algorithms.{FUNCTIONS[name][0]}", __package__), BEHIND.get(name, name))


class Source(NamedTuple):
    """A public function's kernel for a robot, with its options.

    `inputs` and `results` are names and shapes for one state; `f_ext` is an input only if it was asked for.
    """

    name: str
    model: Model
    kernel: Kernel
    arguments: tuple[Argument, ...]
    options: np.ndarray
    pose: np.ndarray | None
    inputs: dict[str, tuple[int, ...]]
    results: dict[str, tuple[int, ...]]

    def run(self, given: dict[str, np.ndarray], kind: Callable[[float], Any]) -> list[np.ndarray]:
        """The results, object arrays of their shapes, of arrays of scalars; `kind` makes scalars of constants."""
        tree = self.model.tree
        reals = [field for field, what in field_kinds(type(tree)).items() if what == "Reals"]
        constants: dict[str, Any] = {field: scalars(getattr(tree, field), kind) for field in reals}
        tree = tree._replace(**constants)
        operands: list[Any] = []
        for argument in self.arguments:
            if argument.name == "frame":
                operands.append(scalars(self.pose, kind))
            elif argument.name in self.inputs:
                operands.append(np.ravel(given[argument.name]))
            elif argument.field is not None:
                operands.append(getattr(tree, argument.field))
            else:
                operands.append(None)
        results = [np.empty(int(np.prod(shape, dtype=int)), object) for shape in self.results.values()]
        work = np.empty(self.kernel.work(self.model.tree), object)
        self.kernel.source(tree, self.options, *operands, *results, work)
        return [x.reshape(shape) for x, shape in zip(results, self.results.values())]


def scalars(values: Any, kind: Callable[[float], Any]) -> np.ndarray:
    """A flat object array of numbers as scalars."""
    made = np.empty(np.size(values), object)
    made[:] = [kind(x) for x in np.ravel(values).tolist()]
    return made


def source_of(
    model: Model,
    name: str,
    *,
    f_ext: bool = False,
    losses: bool = False,
    method: str = "aba",
    frame: str | None = None,
    reference: str = "local",
    kind: str = "spatial",
) -> Source:
    """The source of a public function for a robot; options that the function has not are refused."""
    if not isinstance(model, Model):
        raise TypeError(f"model: expected a Model, got {type(model).__name__}")
    if not isinstance(name, str) or name not in FUNCTIONS:
        near = difflib.get_close_matches(name, FUNCTIONS, 1) if isinstance(name, str) else []
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"name: expected one of {', '.join(FUNCTIONS)}, got {name!r}{meant}")
    if FUNCTIONS[name][0] in WITH_MASS and name != "momentum_about":
        check_mass(model)
    outputs, function = FUNCTIONS[name][1], public(name)
    way: Way = function.way
    parameters = function.__wrapped__.__code__.co_varnames
    for option, value, default in (
        ("f_ext", flag("f_ext", f_ext), False),
        ("losses", flag("losses", losses), False),
        ("method", method, "aba"),
        ("frame", frame, None),
        ("reference", reference, "local"),
        ("kind", kind, "spatial"),
    ):
        if value != default and option not in parameters:
            raise ValueError(f"{option}: {name} has no such option")
    options, pose = np.zeros(MOST_OPTIONS, np.int64), None
    options[0] = way.option or losses
    if way.named is not None:
        if frame is None:
            raise ValueError(f"frame: {name} needs one, the name of a link")
        found = model.frame(frame)
        options[0], pose = int(model._frame_words[found.name][0]), found.pose
    given = {"reference": reference, "kind": kind}
    for k, (word, values) in enumerate(way.words, start=1):
        options[k] = word_of(word, given[word], values)
    second = bool(way.second_if and getattr(model.tree, way.second_if))
    if way.choice is not None:
        second = bool(word_of("method", method, METHODS)) or second
    kernel = way.kernels[-1 if second else 0]

    def shape(sizes: tuple[str | int, ...]) -> tuple[int, ...]:
        return tuple(getattr(model.tree, x) if isinstance(x, str) else x for x in sizes)

    inputs = {
        x.name: shape(x.sizes)
        for x in way.arguments
        if x.name is not None and x.name != "frame" and (x.name != "f_ext" or f_ext)
    }
    return Source(
        name, model, kernel, way.arguments, options, pose, inputs, dict(zip(outputs, map(shape, way.results)))
    )
