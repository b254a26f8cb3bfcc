"""Robots in SDFormat that say where things are in every way there is, against numbers by Drake 1.51.

Drake reads SDFormat by the library of its authors. Its answers for random states lie beside each file. Its floating
bases have quaternions w, x, y, z in front, and velocities, accelerations and forces in world axes.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs

CASES = Path(__file__).parents[1] / "data" / "sdf_cases"
NAMES = [path.stem for path in sorted(CASES.glob("*.json"))]
# both compute the same sums of products in different orders; the longest chain here has six poses
TOLERANCE = 200 * sys.float_info.epsilon


@pytest.fixture(scope="module", params=NAMES)
def case(request):
    model = fs.load_sdf(CASES / f"{request.param}.sdf", model=request.param)
    return model, json.loads((CASES / f"{request.param}.json").read_text())


def state_in_our_order(model, state):
    """q, qd, qdd and tau."""
    q, (qd, qdd, tau) = model.neutral(), np.full((3, model.nv), np.nan)
    for name, joint in state["joints"].items():
        k = model.qd_index(name)
        q[model.q_index(name)], qd[k], qdd[k], tau[k] = (joint[key] for key in ("q", "qd", "qdd", "tau"))
    if "base" in state:
        base = state["base"]
        w, x, y, z = base["quaternion_wxyz"]
        q[model.q_index("root_joint")] = *base["position"], x, y, z, w
        R = np.array(state["poses"][base["link"]])[:3, :3]
        velocity, acceleration, force = (np.reshape(base[k], (2, 3)) for k in ("velocity", "acceleration", "force"))
        # the derivative of R^T v is R^T (a - omega x v)
        acceleration = acceleration - [[0, 0, 0], np.cross(*velocity)]
        k = model.qd_index("root_joint")
        qd[k], qdd[k], tau[k] = ((x @ R).ravel() for x in (velocity, acceleration, force))
    return q, qd, qdd, tau


def test_there_are_five_cases():
    assert NAMES == ["nested", "old_axes", "poses", "screws", "turned_round"]


def test_poses_are_those_of_drake(case):
    model, recorded = case
    for state in recorded["states"]:
        q = state_in_our_order(model, state)[0]
        for link, expected in state["poses"].items():
            np.testing.assert_allclose(fs.frame_pose(model, q, link), expected, rtol=0, atol=10 * TOLERANCE)


def test_inverse_dynamics_is_that_of_drake(case):
    model, recorded = case
    np.testing.assert_array_equal(model.gravity, recorded["gravity"])
    for state in recorded["states"]:
        q, qd, qdd, expected = state_in_our_order(model, state)
        tau = fs.rnea(model, q, qd, qdd)
        np.testing.assert_allclose(tau, expected, rtol=0, atol=TOLERANCE * np.abs(expected).max())
        assert np.abs(expected).max() > 0.5


def test_forward_dynamics_inverts_it(case):
    model, recorded = case
    for state in recorded["states"]:
        q, qd, qdd, tau = state_in_our_order(model, state)
        condition = np.linalg.cond(fs.crba(model, q))
        scale = condition * np.abs(tau).max()
        np.testing.assert_allclose(fs.aba(model, q, qd, tau), qdd, rtol=0, atol=TOLERANCE * scale)


def test_kinetic_energy_is_that_of_drake(case):
    model, recorded = case
    for state in recorded["states"]:
        q, qd, _, _ = state_in_our_order(model, state)
        assert fs.kinetic_energy(model, q, qd) == pytest.approx(state["kinetic"], rel=TOLERANCE)
