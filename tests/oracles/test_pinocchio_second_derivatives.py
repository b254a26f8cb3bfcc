"""Second derivatives of inverse dynamics agree with differences of Pinocchio's first ones on real robots.

Pinocchio has the second ones too (`ComputeRNEASecondOrderDerivatives`), but not for Python.
"""

import functools

import numpy as np
import pinocchio
import pytest

import featherstone as fs

from ..slopes import slope
from .test_pinocchio_kinematics import Twins

CASES = {
    "ur_description/urdf/ur5_robot.urdf": False,
    "panda_description/urdf/panda.urdf": False,
    "allegro_hand_description/urdf/allegro_left_hand.urdf": True,
    "go2_description/urdf/go2.urdf": True,
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": True,
    "talos_data/robots/talos_full_v2.urdf": True,
}
STATES = 2
ROUNDINGS = 2.0**10  # units in the last place of the largest entry, that a first derivative may be off by


def full(triangle):
    """A symmetric matrix of its upper triangle."""
    upper = np.triu(triangle)
    return upper + np.triu(upper, 1).T


def first_derivatives(other, data, Q, V, A):
    """By configuration, velocity and acceleration."""
    by_q, by_v, by_a = (np.array(x) for x in pinocchio.computeRNEADerivatives(other, data, Q, V, A))
    return np.stack([by_q, by_v, full(by_a)])


def moved(first, other, state, along_q, along_v, t):
    """The first derivatives where configuration and velocity have moved for a time t."""
    Q, V, A = state
    return first(pinocchio.integrate(other, Q, t * along_q), V + t * along_v, A)


@pytest.mark.parametrize(("name", "floating_base"), CASES.items(), ids=CASES)
def test_second_derivatives_agree_on_a_real_robot(name, floating_base):
    twins = Twins(name, floating_base)
    other, data, order = twins.other, twins.data, twins.pair.v_to
    ours = fs.rnea_second_derivatives(twins.model, *(x[:STATES] for x in (twins.q, twins.qd, twins.qdd)))

    for k, state in zip(range(STATES), twins.states()):
        first = functools.partial(first_derivatives, other, data)
        error = ROUNDINGS * 2.0**-52 * np.abs(first(*state)).max()
        along_q, along_v = [], []
        for axis in np.eye(other.nv):
            along_q.append(slope(functools.partial(moved, first, other, state, axis, 0.0 * axis), error))
            along_v.append(slope(functools.partial(moved, first, other, state, 0.0 * axis, axis), error))
        by_q, by_v = (np.stack([found for found, _ in along], -1) for along in (along_q, along_v))
        allowed = max(np.max(bound) for _, bound in along_q + along_v)
        theirs = (by_q[0], by_v[0], by_v[1], by_q[2].swapaxes(1, 2))
        G = twins.pair.G
        for found, right in zip(ours, theirs):
            right = np.einsum("kij,ka,ib,jc->abc", right[np.ix_(order, order, order)], G, G, G, optimize=True)
            assert np.abs(found[k] - right).max() <= allowed * max(1.0, np.abs(G).sum(0).max() ** 3)
        assert allowed < 1e-6 * max(np.abs(x).max() for x in theirs)
