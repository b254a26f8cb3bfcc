"""Forces at frames: the power that they give the robot is that of the force at its point."""

import numpy as np
import pytest

import featherstone as fs

from ..oracles.cases import load, near, numbers
from ..random_trees import ALL, random_tree
from ..slopes import slope


def test_a_contact_force_known_in_world_axes():
    """A public fault: stack-of-tasks/pinocchio#1916, #1650, #1544."""
    right = numbers("01_contact_force_in_world_axes")
    model = load("01_contact_force_in_world_axes", floating_base=True)
    q = right["q"]
    f_ext = fs.external_wrench(model, q, "foot", force=right["force_world"], moment=right["couple_world"])
    assert near(f_ext[model.body_index("shin")], right["f_ext_shin"])
    others = np.delete(f_ext, model.body_index("shin"), axis=0)
    assert not others.any()
    assert near(fs.rnea(model, q, right["qd"], right["qdd"], f_ext), right["tau_with"])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("axes", ["world", "frame"])
def test_power(seed, axes):
    """f_ext . v = F . (velocity of the point) + C . omega, by differences of poses."""
    model, rng = random_tree(seed, 11, ALL, fixed=True, massless=False), np.random.default_rng(seed)
    q, qd = model.random_configuration(rng), rng.normal(size=model.nv)
    F, C, point = rng.normal(size=(3, 3))
    still = np.zeros(model.nv)
    for frame in model.frame_names:
        T = fs.frame_pose(model, q, frame)
        f_ext = fs.external_wrench(model, q, frame, force=F, moment=C, point=point, axes=axes)
        given = fs.rnea(model, q, still, still) - fs.rnea(model, q, still, still, f_ext)
        rate, error = slope(lambda t, x=frame: fs.frame_pose(model, fs.integrate(model, q, t * qd), x), 1e-13)
        R = T[:3, :3]
        spin = rate[:3, :3] @ R.T
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        at = point if axes == "world" else R @ point + T[:3, 3]
        force, couple = (F, C) if axes == "world" else (R @ F, R @ C)
        power = force @ (rate[:3, 3] + np.cross(omega, at - T[:3, 3])) + couple @ omega
        assert given @ qd == pytest.approx(power, abs=100.0 * error)


def test_the_origin_is_where_a_force_acts_unless_said():
    model = fs.models.load("six_axis")
    q = np.linspace(-0.5, 0.6, 6)
    frame = model.frame_names[-1]
    place = fs.frame_pose(model, q, frame)[:3, 3]
    at_origin = fs.external_wrench(model, q, frame, force=[1.0, 2.0, 3.0])
    there = fs.external_wrench(model, q, frame, force=[1.0, 2.0, 3.0], point=place)
    np.testing.assert_allclose(at_origin, there, atol=1e-14)


def test_batches_broadcast():
    model = fs.models.load("six_axis")
    frame = model.frame_names[-1]
    q = model.random_configuration(0, (4, 1))
    F = np.random.default_rng(1).normal(size=(3, 3))
    for axes in ("world", "frame"):
        found = fs.external_wrench(model, q, frame, force=F, moment=[0.1, 0.2, 0.3], axes=axes)
        assert found.shape == (4, 3, model.nb, 6)
        one = fs.external_wrench(model, q[2, 0], frame, force=F[1], moment=[0.1, 0.2, 0.3], axes=axes)
        np.testing.assert_allclose(found[2, 1], one, atol=1e-14)


def test_on_the_fixed_base_a_force_does_nothing():
    model = fs.models.load("planar_2r")
    assert not fs.external_wrench(model, [0.0, 0.0], model.frame_names[0], force=[1.0, 0.0, 0.0]).any()


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"axes": "body"}, ValueError, "axes: expected 'world' or 'frame'"),
        ({"force": [1.0, 2.0]}, ValueError, "force: expected shape"),
        ({"moment": [np.nan, 0.0, 0.0]}, ValueError, "moment: expected finite numbers"),
        ({"point": "here"}, TypeError, "point: expected real numbers"),
        ({"frame": "nowhere"}, fs.UnknownNameError, "no frame named 'nowhere'"),
    ],
)
def test_wrong_inputs(change, error, said):
    given = {"frame": "tip", "force": [1.0, 0.0, 0.0]} | change
    with pytest.raises(error, match=said):
        fs.external_wrench(fs.models.load("planar_2r"), [0.0, 0.0], **given)
