"""A rotor that spins is part of the link that carries it."""

import numpy as np
import pytest

import featherstone as fs


def arm(inertia, of_link):
    builder = fs.ModelBuilder("arm")
    builder.add_link("base")
    builder.add_link("upper", 2.0, (0.2, 0.0, 0.0), of_link * np.eye(3))
    builder.add_link("fore", 1.0, (0.2, 0.0, 0.0), 0.01 * np.eye(3))
    limits = {"lower": -1, "upper": 1}
    builder.add_joint("shoulder", "revolute", "base", "upper", axis=(1, 0, 0), **limits)
    rotor = fs.Rotor(inertia, 50.0, True)
    place = {"axis": (0, 1, 0), "position": (0.4, 0, 0)}
    builder.add_joint("elbow", "revolute", "upper", "fore", **place, **limits, rotor=rotor)
    return builder.build()


def rules(model):
    return [(x.rule, x.name) for x in fs.check(model).findings]


def test_a_rotor_with_more_inertia_than_its_link_is_found():
    assert ("rotor-heavier-than-link", "elbow") in rules(arm(5e-3, 2e-3))


def test_a_rotor_that_fits_is_none():
    assert rules(arm(1e-4, 2e-2)) == []


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_other_engines_do_not_know_such_rotors(engine):
    with pytest.raises(ValueError, match="model: joint 'elbow' has a gyroscopic rotor, which "):
        fs.compare(arm(1e-4, 2e-2), against=engine, samples=2)
    plain = arm(1e-4, 2e-2).with_joint("elbow", rotor=fs.Rotor(1e-4, 50.0))
    assert fs.compare(plain, against=engine, samples=2).ok
