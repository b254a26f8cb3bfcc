"""Compare every function with another engine's answers on random states."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

from ..model.model import Model
from ..parsers.formats import SAVED, SDF, ending, load_any
from ..parsers.sources import Readable
from .diagnosis import diagnose
from .direct import (
    compare_energies,
    compare_inertias,
    compare_inverse_dynamics,
    compare_kinematics,
    compare_manifold,
)
from .pinocchio import PinocchioReference, StructureError
from .pinocchio_source import Source, from_description, from_urdf, import_pinocchio
from .rows import Row, States
from .solved import compare_forward_dynamics

ENGINES = ("pinocchio",)
OURS = (*SDF, SAVED)  # the ends of files that the other engine cannot read


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
    samples: int = 100,
    seed: int = 0,
    *,
    floating_base: bool = False,
    mimic: bool = True,
    urdf: Readable | None = None,
) -> Comparison:
    """Compare every function with another engine's answers on random states.

    Parameters
    ----------
    model_or_path : a Model, or a URDF as path or text. A URDF is read twice, by featherstone and by the other engine. A
        Model is given to the other engine link by link, unless `urdf` says from where it can read the robot itself; so
        is what stands in an SDFormat file (.sdf or .world) or is a saved model (.json).
    against : "pinocchio".
    samples : how many random states, within the joint limits.
    seed : of the random states.
    floating_base, mimic : as in `load_urdf`, for a path or text; a Model has its own.
    urdf : the path or text from which the other engine shall read the robot of a Model.

    Returns
    -------
    comparison : `print` shows a table, `.ok` says whether all agree, `.diagnosis` what does not.

    Raises
    ------
    ImportError
        The other engine is not installed.
    ParseError
        The URDF cannot be read as a robot.
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

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.compare(fs.models.load("planar_2r"), samples=10).ok
    True
    """
    if against not in ENGINES:
        known = " or ".join(map(repr, ENGINES))
        raise ValueError(f"against: expected {known}, got {against!r}; other engines are not available yet")
    if isinstance(samples, bool) or not isinstance(samples, numbers.Integral) or samples < 1:
        raise ValueError(f"samples: expected a whole number of at least 1, got {samples!r}")
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise ValueError(f"seed: expected a whole number of at least 0, got {seed!r}")
    import_pinocchio()
    if not isinstance(model_or_path, Model) and ending(model_or_path) in OURS:
        model_or_path = load_any(model_or_path, floating_base=floating_base, mimic=mimic, quiet=True)
        floating_base = False
    if isinstance(model_or_path, Model):
        if floating_base and not model_or_path.options.floating_base:
            raise ValueError("floating_base: the model has a fixed base; load it with floating_base=True instead")
        return compare_with(model_or_path, _source_of_model(model_or_path, urdf), int(samples), seed)
    if urdf is not None:
        raise ValueError("urdf: only a Model needs another source; a path or text is read by both engines")
    model = load_any(model_or_path, floating_base=floating_base, mimic=mimic, quiet=True)
    return compare_with(model, _source_of_file(model, model_or_path), int(samples), seed)


def compare_with(model: Model, source: Source, samples: int, seed: int, gravity: Any = None) -> Comparison:
    """The comparison with a given model of Pinocchio; its gravity is the model's unless given."""
    version = f"Pinocchio {import_pinocchio().__version__}"
    found = (model.name, model.options.floating_base, version, source.origin, samples, seed)
    try:
        reference = PinocchioReference(model, source, gravity)
    except StructureError as error:
        row = Row("joints and links", None, 0.0, False, "pinocchio.Model", str(error))
        return Comparison(*found, (row,), str(error))
    states = States.random(model, samples, seed)
    rows = (
        *compare_inertias(model, reference),
        *compare_inverse_dynamics(model, reference, states),
        *compare_forward_dynamics(model, reference, states),
        *compare_kinematics(model, reference, states),
        *compare_energies(model, reference, states),
        *compare_manifold(model, reference, states),
    )
    return Comparison(*found, rows, diagnose(model, reference, states, rows))


def _source_of_model(model: Model, urdf: Readable | None) -> Source:
    """Pinocchio's model from our description, or from where it shall read it."""
    if urdf is None:
        return from_description(model.description, model.options.floating_base)
    source = _readable(model, urdf)
    if not isinstance(source, Source):
        raise ValueError(f"urdf: {source}; without `urdf` it would be given the links and joints of the model")
    return source


def _source_of_file(model: Model, urdf: Readable) -> Source:
    """Pinocchio's model from the file if it can read that, else from our description, with the reason."""
    source = _readable(model, urdf)
    if isinstance(source, Source):
        return source
    built = from_description(model.description, model.options.floating_base)
    return built._replace(origin=f"{built.origin}, since {source}")


def _readable(model: Model, urdf: Readable) -> Source | str:
    for joint in model.joints:
        if joint.type == "planar" and joint.axis != (0.0, 0.0, 1.0):
            return f"Pinocchio's reader takes the normal of planar joint {joint.name!r} to be its z axis"
    return from_urdf(urdf, model.options.floating_base)
