"""Derivatives of integrate and difference agree with Pinocchio on every real robot."""

import numpy as np
import pinocchio

import featherstone as fs

from .test_pinocchio_kinematics import MOVING, Twins, near


def in_our_order(twins, J):
    """Pinocchio's matrix between velocities, for those of our leaders."""
    return np.array(J)[np.ix_(twins.pair.v_to, twins.pair.v_to)] @ twins.pair.G


@MOVING
def test_derivatives_of_integrate_and_difference_agree_on_a_real_robot(name, floating_base):
    twins = Twins(name, floating_base)
    model, other, G = twins.model, twins.other, twins.pair.G
    dq = 2.0 * twins.qd
    ends = np.roll(twins.q, 1, axis=0)
    found = [*fs.integrate_derivatives(model, twins.q, dq), *fs.difference_derivatives(model, twins.q, ends)]
    for k, (q, v, end) in enumerate(zip(twins.pair.to_q(twins.q), twins.pair.to_v(dq), twins.pair.to_q(ends))):
        theirs = [*pinocchio.dIntegrate(other, q, v), *pinocchio.dDifference(other, q, end)]
        for ours, right in zip(found, theirs):
            assert near(G @ ours[k], in_our_order(twins, right))
        if floating_base:
            assert all(np.abs(J[k] - np.diag(np.diag(J[k]))).max() > 0.1 for J in found)
