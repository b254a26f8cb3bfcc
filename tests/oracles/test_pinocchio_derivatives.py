"""Derivatives of inverse and forward dynamics agree with Pinocchio on every real robot, with and without forces.

Pinocchio's tangent coordinates are ours in another order. It knows no followers in its derivatives: the robot of its
leaders has G^T D G, and for forward dynamics NumPy solves for it.
"""

import numpy as np
import pinocchio
import pytest

import featherstone as fs

from .test_pinocchio import FOLLOWERS, SINGULAR
from .test_pinocchio_kinematics import CASES, MOVING, SAMPLES, STANDING, TOLERANCE, Twins, near
from .test_pinocchio_terms import between_leaders

SOLVED = 1e-12  # what solves with an ill-conditioned mass matrix: the scaled error over the condition
REGULAR = [(name, base) for name, base in CASES if name not in SINGULAR]
INVERTIBLE = pytest.mark.parametrize(
    ("name", "floating_base"), REGULAR, ids=[f"{name}{', floating' * base}" for name, base in REGULAR]
)


def forces(twins):
    """External forces on all links in every second state, ours and Pinocchio's for each state."""
    f_ext = 10.0 * np.random.default_rng(1).normal(size=(SAMPLES, twins.model.nb, 6))
    f_ext[::2] = 0.0
    vectors = [pinocchio.StdVec_Force() for _ in range(SAMPLES)]
    for theirs, state in zip(vectors, twins.pair.to_f_ext(f_ext)):
        theirs.extend(pinocchio.Force(x) for x in state)
    return f_ext, [(x,) for x in vectors]


def conditions(H):
    """The condition numbers of mass matrices in units that make their diagonals ones."""
    root = np.sqrt(np.einsum("kii->ki", H))
    return np.linalg.cond(H / (root[:, :, None] * root[:, None, :]))


@MOVING
def test_inverse_dynamics_changes_as_pinocchio_says(name, floating_base):
    twins = Twins(name, floating_base)
    f_ext, theirs = forces(twins)
    found = fs.rnea_derivatives(twins.model, twins.q, twins.qd, twins.qdd, f_ext)
    for k, state in enumerate(twins.states()):
        right = pinocchio.computeRNEADerivatives(twins.other, twins.data, *state, *theirs[k])
        by_q, by_qd, H = (between_leaders(twins, x) for x in right)
        # Pinocchio fills the upper triangle; of the other one it promises nothing
        H = np.triu(H) + np.triu(H, 1).T if name not in FOLLOWERS else fs.crba(twins.model, twins.q[k])
        assert near(found[0][k], by_q)
        assert near(found[1][k], by_qd)
        assert near(found[2][k], H)
    assert np.abs(found[2]).max() > 0.0


@INVERTIBLE
def test_forward_dynamics_changes_as_pinocchio_says(name, floating_base):
    twins = Twins(name, floating_base)
    model, q, qd = twins.model, twins.q, twins.qd
    f_ext, theirs = forces(twins)
    tau = np.random.default_rng(2).normal(size=qd.shape)
    found = fs.aba_derivatives(model, q, qd, tau, f_ext)
    qdd, H = fs.forward_dynamics(model, q, qd, tau, f_ext), fs.crba(model, q)
    sizes = conditions(H)
    moved = zip(twins.pair.to_q(q), twins.pair.to_v(qd), twins.pair.to_tau(tau), twins.pair.to_a(qdd))
    for k, (Q, V, T, A) in enumerate(moved):
        if name in FOLLOWERS:
            inverse = pinocchio.computeRNEADerivatives(twins.other, twins.data, Q, V, A, *theirs[k])[:2]
            right = [-np.linalg.solve(H[k], between_leaders(twins, x)) for x in inverse] + [np.linalg.inv(H[k])]
        else:
            changes = pinocchio.computeABADerivatives(twins.other, twins.data, Q, V, T, *theirs[k])
            right = [between_leaders(twins, x) for x in changes]
            right[2] = np.triu(right[2]) + np.triu(right[2], 1).T
        for ours, x in zip(found, right):
            assert np.abs(ours[k] - x).max() <= max(TOLERANCE, SOLVED * sizes[k]) * max(1.0, np.abs(x).max())


@pytest.mark.parametrize("name", SINGULAR)
def test_a_singular_robot_is_refused_by_name(name):
    twins = Twins(name, False)
    with pytest.raises(fs.SingularMassMatrixError, match=SINGULAR[name]):
        fs.aba_derivatives(twins.model, twins.q, twins.qd, twins.qd)


@pytest.mark.parametrize("name", STANDING)
def test_robots_that_do_not_move_have_no_derivatives(name):
    twins = Twins(name, False)
    for function in (fs.rnea_derivatives, fs.aba_derivatives):
        assert [x.shape for x in function(twins.model, twins.q, twins.qd, twins.qd)] == [(SAMPLES, 0, 0)] * 3
