"""Compare every function with another engine's answers on random states."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

from ..compat.pairs import StructureError
from ..model.model import Model
from ..parsers.formats import SAVED, SDF, ending, load_any, read
from ..parsers.loading import build
from ..parsers.mjcf import MjcfReading
from ..parsers.mujoco_model import root_tag
from ..parsers.sources import Readable
from .diagnosis import diagnose
from .direct import compare_energies, compare_inertias, compare_inverse_dynamics, compare_kinematics
from .engines import Engine, Mujoco, Pinocchio
from .rows import Row, States
from .solved import compare_forward_dynamics
from .truth import SAMPLES, Truth, compare_with_truth

OURS = (*SDF, SAVED)  # the ends of files that the other engine cannot read
ENGINES: dict[str, type[Engine]] = {"mujoco": Mujoco, "pinocchio": Pinocchio}
TRUTH = "truth"


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes
    ----------
    model : the robot's name.
    floating_base : whether its base floats.
    against : the other engine and its version.
    origin : how the other engine got its model.
    samples, seed : how many random states, and the seed that makes them.
    rows : a `Row` for each function: `function`, `error` (the largest scaled error, None where there is nothing to
        compare), `tolerance`, `ok`, `reference` (what it was compared with) and `note`.
    diagnosis : a sentence on what disagrees, empty if nothing does.
    """

    model: str
    floating_base: bool
    against: str
    origin: str
    samples: int
    seed: int
    rows: tuple[Row, ...]
    diagnosis: str = ""

    @property
    def ok(self) -> bool:
        """Whether every function agrees within its tolerance."""
        return all(row.ok for row in self.rows)

    def __str__(self) -> str:
        base = "floating base" if self.floating_base else "fixed base"
        verdict = "agrees" if self.ok else f"DISAGREES: {self.diagnosis}"
        head = [f"{self.model}, {base}, with {self.against}: {verdict}"]
        head.append(f"{self.origin}; {self.samples} random states, seed {self.seed}")
        return "\n".join([*head, "", *_table(self.rows)])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {**vars(self), "ok": self.ok, "rows": [row.to_dict() for row in self.rows]}


def _table(rows: tuple[Row, ...]) -> list[str]:
    lines = [("function", "error", "allowed", "", "compared with")]
    for row in rows:
        error = "-" if row.error is None else f"{row.error:.1e}"
        note = f"{row.reference} ({row.note})" if row.note else row.reference
        lines.append((row.function, error, f"{row.tolerance:.0e}", "ok" if row.ok else "WRONG", note))
    widths = [max(len(line[k]) for line in lines) for k in range(4)]
    return ["  ".join([*(x.ljust(w) for x, w in zip(line, widths)), line[4]]) for line in lines]


def compare(
    model_or_path: Model | Readable,
    against: str = "pinocchio",
    samples: int | None = None,
    seed: int = 0,
    *,
    floating_base: bool = False,
    mimic: bool = True,
    urdf: Readable | None = None,
) -> Comparison:
    """Compare every function with another engine's answers on random states, or with the truth.

    Parameters
    ----------
    model_or_path : a Model, or URDF or MJCF as path or text, which both engines read; a URDF that the other engine
        refuses, and MJCF for Pinocchio, is given to it link by link. So is a Model, unless `urdf` says from where the
        other engine can read the robot itself, and what stands in an SDFormat file (.sdf or .world) or is a saved model
        (.json).
    against : "pinocchio", "mujoco", or "truth".
    samples : how many random states, within the joint limits; 100 if not given, or 3 against the truth, which takes
        seconds each for a large robot.
    seed : of the random states.
    floating_base, mimic : as in `load_urdf`, for a URDF; a Model has its own, and so has MJCF.
    urdf : the path or text (for MuJoCo also MJCF) from which the other engine shall read the robot of a Model.

    Returns
    -------
    comparison : `print` shows a table, `.ok` says whether all agree, `.diagnosis` what does not.

    Raises
    ------
    ImportError
        The other engine is not installed.
    ParseError
        The source cannot be read as a robot.
    ValueError, TypeError
        An engine that is not known, no samples, or options that do not fit a Model.

    Notes
    -----
    Errors are scaled by max(1, |reference|) entry by entry; for robots above 100 kg the 1 grows with the mass where
    forces, inertias and energies are concerned. Those of forward dynamics are scaled by what rounding of tau and of the
    bias does, |H^-1| (|tau| + |bias|), if that is more; and they, as those of the inverse mass matrix, also by the
    condition number of the mass matrix when its diagonal is scaled to 1. Random forces act on all bodies in
    `bias_torque` and in forward dynamics. Where the other engine has no answer (its forward dynamics knows no mimic
    followers), its mass matrix and bias are solved by NumPy. A robot whose mass matrix is singular has no forward
    dynamics: those rows then say so.

    MuJoCo is asked without contacts, constraints, actuators, springs and what else `load_mjcf` leaves out. Its damping
    and frictionloss are compared with `losses=True`: friction where MuJoCo's constraint is at its bound, which it is
    where a joint moves fast enough, see the row's note. `integrate` and `difference` are compared with Pinocchio only.

    The truth is what the same sources give with 50 digits by mpmath, on the constants of the model: it judges rounding
    and compilation of the functions that `symbolic.names()` lists, also of those that no other engine has, but not the
    formulas. An error is scaled by the largest entry of a result, or by 1 if that is more.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.compare(fs.models.load("planar_2r"), samples=10).ok
    True
    """
    if not isinstance(against, str) or against not in (*ENGINES, TRUTH):
        raise ValueError(f"against: expected 'mujoco', 'pinocchio' or 'truth', got {against!r}")
    if samples is None:
        samples = SAMPLES if against == TRUTH else 100
    if isinstance(samples, bool) or not isinstance(samples, numbers.Integral) or samples < 1:
        raise ValueError(f"samples: expected a whole number of at least 1, got {samples!r}")
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise ValueError(f"seed: expected a whole number of at least 0, got {seed!r}")
    if against == TRUTH:
        return _with_truth(model_or_path, int(samples), int(seed), floating_base, mimic, urdf)
    engine = ENGINES[against]()
    if not isinstance(model_or_path, Model) and ending(model_or_path) in OURS:
        model_or_path = load_any(model_or_path, floating_base=floating_base, mimic=mimic, quiet=True)
        floating_base = False
    if isinstance(model_or_path, Model):
        if floating_base and not model_or_path.options.floating_base:
            raise ValueError("floating_base: the model has a fixed base; load it with floating_base=True instead")
        source = _source_of_model(engine, model_or_path, urdf)
        return compare_with(model_or_path, source, int(samples), int(seed), engine=engine)
    if urdf is not None:
        raise ValueError("urdf: only a Model needs another source; a path or text is read by both engines")
    reading = read(model_or_path, floating_base)
    options = {} if isinstance(reading, MjcfReading) else {"floating_base": floating_base}
    model = build(reading, mimic=mimic, **options)
    source = _source_of_file(engine, model, reading if isinstance(reading, MjcfReading) else model_or_path)
    return compare_with(model, source, int(samples), int(seed), engine=engine)


def compare_with(
    model: Model, source: Any, samples: int, seed: int, gravity: Any = None, engine: Engine | None = None
) -> Comparison:
    """The comparison with a given model of an engine, Pinocchio if none is named; its gravity is ours unless given."""
    engine = engine or Pinocchio()
    found = (model.name, model.options.floating_base, engine.version, source.origin, samples, seed)
    try:
        reference = engine.reference(model, source, gravity)
    except StructureError as error:
        row = Row("joints and links", None, 0.0, False, engine.model, str(error))
        return Comparison(*found, (row,), str(error))
    states = States.random(model, samples, seed, reference.feels)
    rows = (
        *compare_inertias(model, reference),
        *compare_inverse_dynamics(model, reference, states),
        *compare_forward_dynamics(model, reference, states),
        *compare_kinematics(model, reference, states),
        *compare_energies(model, reference, states),
        *engine.own_rows(model, reference, states),
    )
    return Comparison(*found, rows, diagnose(model, reference, states, rows))


def _with_truth(
    model_or_path: Model | Readable, samples: int, seed: int, floating_base: bool, mimic: bool, urdf: Readable | None
) -> Comparison:
    """The comparison of a model with its own sources."""
    truth = Truth()
    if urdf is not None:
        raise ValueError("urdf: the truth is of the model itself and reads no other source")
    if isinstance(model_or_path, Model):
        model = model_or_path
        if floating_base and not model.options.floating_base:
            raise ValueError("floating_base: the model has a fixed base; load it with floating_base=True instead")
    else:
        model = load_any(model_or_path, floating_base=floating_base, mimic=mimic, quiet=True)
    rows = compare_with_truth(model, truth, samples, seed)
    wrong = [row for row in rows if not row.ok]
    diagnosis = "; ".join(f"{row.function} is off by {row.error:.1e}" for row in wrong)
    origin = "the same sources on the model's own constants"
    return Comparison(model.name, model.options.floating_base, truth.version, origin, samples, seed, rows, diagnosis)


def _source_of_model(engine: Engine, model: Model, urdf: Readable | None) -> Any:
    """The engine's model from our description, or from where it shall read it."""
    if urdf is None:
        return engine.of_description(model)
    source = engine.of_file(model, MjcfReading(urdf) if root_tag(urdf) == "mujoco" else urdf)
    if isinstance(source, str):
        raise ValueError(f"urdf: {source}; without `urdf` it would be given the links and joints of the model")
    return source


def _source_of_file(engine: Engine, model: Model, reading: Readable | MjcfReading) -> Any:
    """The engine's model from the file if it can read that, else from our description, with the reason."""
    source = engine.of_file(model, reading)
    if not isinstance(source, str):
        return source
    built = engine.of_description(model)
    return built._replace(origin=f"{built.origin}, since {source}")
