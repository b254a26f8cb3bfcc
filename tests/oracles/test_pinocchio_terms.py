"""Terms of the equation of motion and kinematic Hessians agree with Pinocchio on every real robot."""

import itertools

import numpy as np
import pinocchio
import pytest

import featherstone as fs

from .test_pinocchio_kinematics import ANGULAR_FIRST, MOVING, SAMPLES, STANDING, THEIRS, Twins, near


def between_leaders(twins, M):
    """Pinocchio's array over velocities in its last two dimensions, in our order and seen by the leaders."""
    G, order = twins.pair.G, twins.pair.v_to
    return np.einsum("ia,...ij,jb->...ab", G, np.array(M)[..., order[:, None], order], G)


def their_hessian(twins, number, reference):
    """Its array has Fortran's order of memory and says that it has C's."""
    tensor = pinocchio.getFrameKinematicHessian(twins.other, twins.data, number, reference)
    return np.array(tensor).ravel().reshape(tensor.shape, order="F")[ANGULAR_FIRST]


@MOVING
def test_terms_agree_on_a_real_robot(name, floating_base):
    twins = Twins(name, floating_base)
    model, other, data = twins.model, twins.other, twins.data
    q, qd = twins.q, twins.qd
    C, K = fs.coriolis_matrix(model, q, qd), fs.gravity_jacobian(model, q)
    I, h = fs.composite_inertia(model, q), fs.momentum_about(model, q, qd, np.zeros(3))
    for k, (Q, V, _) in enumerate(twins.states()):
        # theirs is made another way, of the same matrix
        assert near(C[k], between_leaders(twins, pinocchio.computeCoriolisMatrix(other, data, Q, V)))
        assert near(K[k], between_leaders(twins, pinocchio.computeGeneralizedGravityDerivatives(other, data, Q)))
        pinocchio.ccrba(other, data, Q, V)
        center = pinocchio.centerOfMass(other, data, Q)
        assert near(I[k], np.array(data.Ig.matrix())[np.ix_(ANGULAR_FIRST, ANGULAR_FIRST)])
        assert near(h[k, 3:], np.array(data.hg.linear))
        assert near(h[k, :3], np.array(data.hg.angular) + np.cross(center, data.hg.linear))


@MOVING
def test_kinematic_hessians_agree_on_a_real_robot(name, floating_base):
    twins = Twins(name, floating_base)
    model, other, data = twins.model, twins.other, twins.data
    # each frame in one of the three references; tests/identities has how one becomes the others
    ours = {
        (frame, number, reference): fs.kinematic_hessian(model, twins.q, frame, reference)
        for (frame, number), reference in zip(twins.frames(), itertools.cycle(THEIRS))
    }
    for k, (Q, *_) in enumerate(twins.states()):
        pinocchio.computeJointKinematicHessians(other, data, Q)
        pinocchio.updateFramePlacements(other, data)
        for (_, number, reference), hessian in ours.items():
            assert near(hessian[k], between_leaders(twins, their_hessian(twins, number, THEIRS[reference])))


@pytest.mark.parametrize("name", STANDING)
def test_robots_that_do_not_move_have_no_terms(name):
    twins = Twins(name, False)
    model, q, qd = twins.model, twins.q, twins.qd
    assert fs.coriolis_matrix(model, q, qd).shape == fs.gravity_jacobian(model, q).shape == (SAMPLES, 0, 0)
    assert fs.christoffel_symbols(model, q).shape == (SAMPLES, 0, 0, 0)
    assert [x.shape for x in fs.hybrid_dynamics(model, q, qd, [], qd, qd)] == [(SAMPLES, 0)] * 2
    assert not fs.momentum_about(model, q, qd, np.zeros(3)).any()
    for frame, _ in twins.frames():
        assert fs.kinematic_hessian(model, q, frame).shape == (SAMPLES, 6, 0, 0)
    with pytest.raises(ValueError, match="model: expected bodies with mass"):
        fs.composite_inertia(model, q)
