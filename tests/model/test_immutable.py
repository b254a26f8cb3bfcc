"""Nothing that a model or a trajectory holds can be written to, and options are what they say."""

from __future__ import annotations

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import random_tree


def arrays_of(model: fs.Model) -> dict[str, np.ndarray]:
    found = {name: x for name, x in vars(model).items() if isinstance(x, np.ndarray)}
    return found | {f"tree.{name}": x for name, x in model.tree._asdict().items() if isinstance(x, np.ndarray)}


def test_no_array_of_a_model_can_be_made_writeable():
    for name, array in arrays_of(random_tree(3, 8)).items():
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            array.flags.writeable = True
        assert not array.flags.writeable, name


def test_a_trajectory_keeps_what_its_energies_come_from():
    run = fs.simulate(fs.models.load("planar_2r"), [0.1, 0], [0, 0], duration=0.1, dt=0.01)
    for name in ("t", "q", "qd", "qdd", "tau"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(run, name)[...] = 7
    assert run.energy[0] == pytest.approx(fs.potential_energy(fs.models.load("planar_2r"), [0.1, 0]))


def test_payloads_have_no_negative_moment():
    arm = fs.models.load("planar_2r")
    with pytest.raises(fs.ModelError, match=r"^inertia: expected no negative principal moment, got -1 kg m\^2"):
        arm.with_payload("tip", 1, inertia=-np.eye(3))


@pytest.mark.parametrize("value", ["no", None, 1, 0.0, []])
def test_flags_are_true_or_false(value):
    arm = fs.models.load("pendulum")
    builder = fs.ModelBuilder()
    builder.add_link("base")
    text = "<robot name='x'><link name='base'/></robot>"
    for call, name in (
        (lambda: fs.simulate(arm, [0], [0], duration=0, dt=1, losses=value), "losses"),
        (lambda: fs.simulate(arm, [0], [0], duration=0, dt=1, progress=value), "progress"),
        (lambda: builder.build(floating_base=value), "floating_base"),
        (lambda: builder.build(mimic=value), "mimic"),
        (lambda: builder.build(merge_fixed=value), "merge_fixed"),
        (lambda: fs.load_urdf(text, strict=value), "strict"),
        (lambda: fs.load_urdf(text, floating_base=value), "floating_base"),
    ):
        with pytest.raises(TypeError, match=rf"^{name}: expected True or False, got "):
            call()


def test_random_configurations_keep_one_sided_limits():
    builder = fs.ModelBuilder("one-sided")
    builder.add_link("base")
    limits = {"a": {"lower": 5.0}, "b": {"upper": -5.0}, "c": {"lower": -0.1}, "d": {"lower": 0.2, "upper": 0.1}}
    for name, limit in limits.items():
        builder.add_link(name, 1.0)
        builder.add_joint(f"to {name}", "prismatic", "base", name, **limit)
    model = builder.build()
    q = model.random_configuration(0, 500)
    low, high = np.minimum(model.q_lower, model.q_upper), np.maximum(model.q_lower, model.q_upper)
    assert (q >= low).all()
    assert (q <= high).all()
    assert (q.std(0) > 0.01).all()
