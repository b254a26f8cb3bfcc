"""Regressors agree with Pinocchio on every real robot: the same parameters in the same order, body by body."""

import numpy as np
import pinocchio

import featherstone as fs

from .test_pinocchio_kinematics import MOVING, Twins, near


def blocks(twins):
    """Where our bodies' parameters are among Pinocchio's, whose bodies are its joints."""
    numbers = [twins.other.getJointId(name) for name in twins.model.joint_names]
    return np.concatenate([np.arange(10 * i - 10, 10 * i) for i in numbers])


def theirs_of_bodies(twins):
    """The parameters that Pinocchio has read."""
    return np.concatenate([twins.other.inertias[i].toDynamicParameters() for i in range(1, twins.other.njoints)])


@MOVING
def test_regressors_agree_on_a_real_robot(name, floating_base):
    twins = Twins(name, floating_base)
    model, other, data, columns = twins.model, twins.other, twins.data, blocks(twins)
    still = np.zeros(other.nv)
    assert near(model.parameters(), theirs_of_bodies(twins)[columns])
    Y = fs.torque_regressor(model, twins.q, twins.qd, twins.qdd)
    P = fs.momentum_regressor(model, twins.q, twins.qd)
    T = fs.kinetic_energy_regressor(model, twins.q, twins.qd)
    V = fs.potential_energy_regressor(model, twins.q)
    for k, (Q, v, a) in enumerate(twins.states()):
        theirs = pinocchio.computeJointTorqueRegressor(other, data, Q, v, a)
        assert near(Y[k], twins.columns(theirs.T).T[:, columns])
        # H qd is the torque that gives the acceleration qd, without that of gravity
        theirs = pinocchio.computeJointTorqueRegressor(other, data, Q, still, v).copy()
        theirs -= pinocchio.computeJointTorqueRegressor(other, data, Q, still, still)
        assert near(P[k], twins.columns(theirs.T).T[:, columns])
        assert near(T[k], pinocchio.computeKineticEnergyRegressor(other, data, Q, v)[columns])
        assert near(V[k], pinocchio.computePotentialEnergyRegressor(other, data, Q)[columns])
