"""Compiled code against its own sources with 50 digits."""

import sys
import sysconfig
import warnings
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms import coriolis
from featherstone.proof import truth

from ..random_trees import random_tree

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
REAL = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "solo_description/robots/solo12.urdf",
)


@pytest.mark.parametrize(
    "model",
    [
        random_tree(1, 11, massless=False),
        random_tree(2, 5, floating_base=True, massless=False),
        random_tree(3, 11, mimic=True, fixed=True, massless=False),
        fs.models.load("six_axis"),
        fs.models.load("quadruped"),
    ],
    ids=["every joint", "floating", "mimic", "six_axis", "quadruped"],
)
def test_every_function_is_near_the_truth(model):
    found = fs.compare(model, "truth", samples=2)
    assert found.ok, found
    assert found.samples == 2
    assert {row.function for row in found.rows} >= set(fs.symbolic.names()) - {"forward_dynamics"}
    compared = [row for row in found.rows if row.error is not None]
    assert max(row.error for row in compared) < 1e-13
    assert len(compared) >= len(found.rows) - 5  # a singular robot has no forward dynamics


@pytest.mark.parametrize("name", REAL)
def test_real_robots(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fs.compare(ROBOTS / name, "truth", samples=1)
    assert found.ok, found
    assert found.against.startswith("the truth, 50 digits by mpmath ")


def test_few_states_are_enough_unless_more_are_asked_for():
    arm = fs.models.load("pendulum")
    assert fs.compare(arm, "truth").samples == truth.SAMPLES
    assert fs.compare(arm, "truth", samples=5, seed=3).samples == 5


def test_an_error_is_found_and_told(monkeypatch):
    """A function that is off in one entry of one state."""
    right = coriolis.coriolis_matrix

    class Wrong:
        way = right.way
        __wrapped__ = right.__wrapped__

        def __call__(self, *args, **options):
            result = right(*args, **options)
            result[1, 0, 1] *= 1.0 + 1e-9
            return result

    monkeypatch.setattr(coriolis, "coriolis_matrix", Wrong())
    found = fs.compare(fs.models.load("planar_2r"), "truth")
    assert not found.ok
    assert [row.function for row in found.rows if not row.ok] == ["coriolis_matrix"]
    assert found.diagnosis.startswith("coriolis_matrix is off by ")
    assert "DISAGREES" in str(found)
    assert found.to_dict()["ok"] is False


def test_a_singular_robot_and_one_without_mass():
    builder = fs.ModelBuilder("light")
    builder.add_link("base")
    builder.add_link("arm", 1.0, (0.3, 0.0, 0.0), 0.01 * np.eye(3))
    builder.add_link("tip")
    builder.add_joint("a", "revolute", "base", "arm", axis=(0, 0, 1))
    builder.add_joint("b", "revolute", "arm", "tip", axis=(0, 0, 1))
    found = fs.compare(builder.build(), "truth", samples=1)
    assert found.ok, found
    assert "joint 'b'" in next(row.note for row in found.rows if row.function == "aba")


def test_what_it_does_not_take():
    arm = fs.models.load("planar_2r")
    with pytest.raises(ValueError, match=r"^urdf: the truth is of the model itself"):
        fs.compare(arm, "truth", urdf="robot.urdf")
    with pytest.raises(ValueError, match=r"^floating_base: the model has a fixed base"):
        fs.compare(arm, "truth", floating_base=True)
    with pytest.raises(ValueError, match=r"^samples: expected a whole number"):
        fs.compare(arm, "truth", samples=0)


def test_what_to_install_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpmath", None)
    with pytest.raises(ImportError, match=r"pip install 'featherstone\[truth\]'"):
        fs.compare(fs.models.load("planar_2r"), "truth")
