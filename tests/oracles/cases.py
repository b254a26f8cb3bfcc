"""The cases of public faults: models, inputs and right numbers, and what is needed to look at them."""

import json
import warnings
from pathlib import Path

import numpy as np

import featherstone as fs

from ..slopes import slope

FOLDER = Path(__file__).parents[1] / "data" / "dynamics_cases"


def numbers(name):
    """The inputs and right numbers of a case."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def load(name, **options):
    """The model of a case; some have axes of another length than 1, which is suspicious but right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        return fs.load_urdf(FOLDER / f"{name}.urdf", **options)


def near(found, right, tolerance=1e-10):
    """Whether all numbers are right, relative to max(1, |number|)."""
    found, right = np.asarray(found), np.asarray(right)
    assert found.shape == right.shape
    return bool((np.abs(found - right) <= tolerance * np.maximum(1.0, np.abs(right))).all())


def frame_jacobian(model, q, frame):
    """Angular and linear velocity of a frame in world axes per unit of each degree of freedom, by differences."""
    columns = []
    R = fs.frame_pose(model, q, frame)[:3, :3]
    for direction in np.eye(model.nv):
        rate, _ = slope(lambda t, d=direction: fs.frame_pose(model, fs.integrate(model, q, t * d), frame), 0.0)
        spin = rate[:3, :3] @ R.T
        columns.append([spin[2, 1], spin[0, 2], spin[1, 0], *rate[:3, 3]])
    return np.array(columns).T


def center_of_mass(model, q):
    """From the potential energy in three fields of gravity."""
    return np.array([-fs.potential_energy(model.with_gravity(g), q) for g in np.eye(3)]) / model.mass
