"""The truth: the same sources run with 50 digits, on a model's own constants.

Compiled code and the truth share the formulas, so this comparison says what rounding and compilation do; that the
formulas are right is what other engines say. Rounding alone differs, so an error beyond the tolerance is one of the
compiler, of memory, or a loss of digits that the robot's numbers bring about.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.call import SingularMassMatrixError
from ..algorithms.configuration import difference
from ..algorithms.crba import crba
from ..model.model import Model
from ..symbolic.source import FUNCTIONS, Source, public, scalars, source_of
from .rows import DIRECT, SOLVED, Row, States, compared, heaviness

DIGITS = 50
SAMPLES = 3  # mpmath takes a thousand times as long as compiled code takes
SOLVING = {"aba", "aba_derivatives", "forward_dynamics", "mass_matrix_inverse"}
FRAMED = {
    "frame_acceleration",
    "frame_jacobian",
    "frame_jacobian_rate",
    "frame_pose",
    "frame_velocity",
    "kinematic_hessian",
}


class Truth:
    """What the sources give with 50 digits; ImportError where mpmath is not installed."""

    def __init__(self) -> None:
        try:
            import mpmath
        except ImportError as error:
            raise ImportError("the truth needs mpmath: pip install 'featherstone[truth]'") from error
        self.mpmath = mpmath
        self.version = f"the truth, {DIGITS} digits by mpmath {mpmath.__version__}"

    def results(self, source: Source, given: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Of one state, object arrays."""
        with self.mpmath.workdps(DIGITS):
            exact = {name: scalars(x, self.mpmath.mpf) for name, x in given.items()}
            return source.run(exact, self.mpmath.mpf)

    def error(self, found: np.ndarray, right: np.ndarray, floor: float) -> float:
        """The largest error of an entry, over the largest entry or `floor`."""
        with self.mpmath.workdps(DIGITS):
            off = [abs(self.mpmath.mpf(x) - y) for x, y in zip(np.ravel(found).tolist(), right.ravel())]
            size = max([abs(x) for x in right.ravel()], default=0)
            return float(max(off, default=0) / max(size, floor))


def compare_with_truth(model: Model, truth: Truth, samples: int, seed: int) -> tuple[Row, ...]:
    """A row for each function of states."""
    s = States.random(model, samples, seed)
    arrays = {"q": s.q, "q0": s.q, "q1": s.q1, "qd": s.qd, "qdd": s.qdd, "f_ext": s.f_ext}
    arrays["dq"] = difference(model, s.q, s.q1)
    rng = np.random.default_rng(seed + 1)
    arrays["tau"], arrays["point"] = rng.normal(size=s.qd.shape), rng.normal(size=(samples, 3))
    conditions = _conditions(model, s.q)
    rows = []
    for name in FUNCTIONS:
        options: dict[str, Any] = {"frame": model.frame_names[-1]} if name in FRAMED else {}
        methods = ("aba", "cholesky") if name == "forward_dynamics" else ("",)
        for method in methods:
            more: dict[str, Any] = {"method": method} if method else {}
            source = source_of(model, name, f_ext=_takes_forces(name), **options, **more)
            label = f"{name}, {method}" if method else name
            rows.append(_row(label, source, options | more, arrays, conditions, truth))
    return tuple(rows)


def _takes_forces(name: str) -> bool:
    return "f_ext" in public(name).__wrapped__.__code__.co_varnames


def _row(
    label: str,
    source: Source,
    options: dict[str, Any],
    arrays: dict[str, np.ndarray],
    conditions: np.ndarray,
    truth: Truth,
) -> Row:
    solving = source.name in SOLVING
    tolerance, reference = (SOLVED if solving else DIRECT), f"its source with {DIGITS} digits"
    given = {name: arrays[name] for name in source.inputs}
    try:
        found = public(source.name)(source.model, **given, **options)
    except SingularMassMatrixError as error:
        return Row(label, None, tolerance, True, reference, str(error))
    except ValueError as error:  # a robot without mass has no centre of mass
        if "model: expected" not in str(error):
            raise
        return Row(label, None, tolerance, True, reference, str(error))
    found = found if isinstance(found, tuple) else (found,)
    errors = []
    for k in range(len(arrays["q"])):
        right = truth.results(source, {name: x[k] for name, x in given.items()})
        scale = conditions[k] if solving else 1.0
        floor = heaviness(source.model)
        errors += [truth.error(np.asarray(ours)[k], x, floor) / scale for ours, x in zip(found, right, strict=True)]
    note = "over the condition of the mass matrix" if solving else ""
    return compared(label, np.array(errors), tolerance, reference, note)


def _conditions(model: Model, q: np.ndarray) -> np.ndarray:
    """The condition numbers of mass matrices scaled to unit diagonals; at least 1."""
    if model.nv == 0:
        return np.ones(len(q))
    H = crba(model, q)
    d = np.sqrt(np.maximum(np.einsum("kii->ki", H), np.finfo(float).tiny))
    moments = np.abs(np.linalg.eigvalsh(H / d[:, :, None] / d[:, None, :]))
    return moments[:, -1] / np.maximum(moments[:, 0], np.finfo(float).eps * moments[:, -1])
