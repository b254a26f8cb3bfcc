"""Hybrid dynamics: of each degree of freedom the acceleration or the torque is given, and the other follows."""

import itertools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.rnea import RNEA

from ..random_trees import random_tree
from ..rounding import U, bounded
from .test_mimic import unconstrained


def masks(robot):
    """None known, all, and three that are drawn."""
    rng = np.random.default_rng(len(robot.name))
    n = robot.model.nv
    return [np.zeros(n, bool), np.ones(n, bool), *(rng.random((3, n)) < 0.5)]


def bound_of(robot, known, qdd):
    """Of the errors of unknown accelerations and torques: (COUNT, nv) each.

    H_uu qdd_u = tau_u - bias_u - H_uk qdd_k, and tau = H qdd + bias. A factor of H_uu is off by no more than one of H.
    """
    torque = bounded(RNEA, robot.model, [robot.q, robot.qd, qdd, robot.f_ext], (robot.model.nv,)).error
    off = np.zeros_like(qdd)
    free = np.flatnonzero(~known)
    if free.size:
        H = robot.mass_matrix.value[:, free[:, None], free]
        E = 2.0 * robot.factor_error[:, free]
        right = 2.0 * torque[:, free] + np.einsum("bij,bj->bi", E, np.abs(qdd))
        off[:, free] = np.einsum("bij,bj->bi", np.abs(np.linalg.inv(H)), right)
    H, tau = np.abs(robot.mass_matrix.value), np.abs(robot.torque.value)
    return off, 2.0 * torque + np.einsum("bij,bj->bi", H, off) + 8 * robot.model.nv * U * tau


def test_what_it_finds_is_what_inverse_dynamics_finds(robot):
    """Whichever accelerations are given, of one motion both torques and accelerations come back."""
    model, q, qd, qdd, f_ext = robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext
    tau = robot.torque.value
    for known in masks(robot):
        given = np.where(known, np.nan, tau), np.where(known, qdd, np.nan)
        torques, accelerations = fs.hybrid_dynamics(model, q, qd, known, *given, f_ext)
        off, off_tau = bound_of(robot, known, qdd)
        assert (np.abs(accelerations - qdd) <= off).all()
        assert (np.abs(torques - tau) <= off_tau + robot.torque.error).all()
        assert np.array_equal(torques[:, ~known], tau[:, ~known])
        assert np.array_equal(accelerations[:, known], qdd[:, known])
        assert np.max(off) <= 1e-6 * max(1.0, np.abs(qdd).max())


def test_all_known_is_inverse_dynamics_and_none_forward_dynamics(robot):
    model, state, f_ext = robot.model, (robot.q, robot.qd), robot.f_ext
    nothing = np.full_like(robot.tau, np.nan)
    every, none = np.ones(model.nv, bool), np.zeros(model.nv, bool)
    tau = fs.hybrid_dynamics(model, *state, every, nothing, robot.qdd, f_ext)[0]
    off = bound_of(robot, every, robot.qdd)[1] + robot.torque.error
    assert (np.abs(tau - fs.rnea(model, *state, robot.qdd, f_ext)) <= off).all()
    qdd = fs.hybrid_dynamics(model, *state, none, robot.tau, nothing, f_ext)[1]
    right = fs.aba(model, *state, robot.tau, f_ext)
    error = robot.solve_error(right, 2.0 * bounded(RNEA, model, [*state, right, f_ext], (model.nv,)).error)
    assert (np.abs(qdd - right) <= 2.0 * error).all()


def test_followers_move_with_their_leaders(mimic_robot):
    """The full robot with the same accelerations, all given, needs the torques that leaders feel together."""
    robot = mimic_robot
    full, q, qd, qdd, G = unconstrained(robot)
    torques = fs.hybrid_dynamics(full, q.value, qd.value, full.joint_names, 0.0 * qdd.value, qdd.value, robot.f_ext)[0]
    for known in masks(robot):
        given = np.where(known, np.nan, torques @ G), np.where(known, robot.qdd, np.nan)
        tau, accelerations = fs.hybrid_dynamics(robot.model, robot.q, robot.qd, known, *given, robot.f_ext)
        size = bounded(RNEA, full, [q, qd, qdd, robot.f_ext], (full.nv,)).error @ np.abs(G)
        free = np.flatnonzero(~known)
        H = robot.mass_matrix.value
        off, off_tau = bound_of(robot, known, robot.qdd)
        if free.size:
            more = np.abs(np.linalg.inv(H[:, free[:, None], free])) @ size[:, free, None]
            off[:, free] += 2.0 * more[..., 0]
            off_tau += 2.0 * np.einsum("bij,bj->bi", np.abs(H[:, :, free]), more[..., 0])
        assert (np.abs(accelerations - robot.qdd) <= off).all()
        assert (np.abs(tau - torques @ G) <= off_tau + 2.0 * size).all()


def test_a_base_that_moves_is_felt(robot):
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    base = fs.BaseMotion(velocity=[0.3, -0.2, 0.5, 1.0, 0.0, -0.4], acceleration=[1.0, 0.4, -0.7, 0.2, 2.0, -1.0])
    tau = fs.rnea(model, q, qd, qdd, base=base)
    known = masks(robot)[2]
    given = np.where(known, np.nan, tau), np.where(known, qdd, np.nan)
    torques, accelerations = fs.hybrid_dynamics(model, q, qd, known, *given, base=base)
    H = robot.mass_matrix.value
    root = np.sqrt(np.diagonal(H, axis1=1, axis2=2))
    condition = np.linalg.cond(H / (root[:, :, None] * root[:, None, :])).max()
    scale = 1e3 * U * condition * max(1.0, np.abs(qdd).max(), np.abs(tau).max())
    assert (np.abs(accelerations - qdd) <= scale).all()
    assert (np.abs(torques - tau) <= scale * np.abs(H).max()).all()


@pytest.fixture
def arm():
    return random_tree(1, 6, ("revolute",), massless=False)


def test_names_say_the_same_as_a_mask():
    model = fs.models.load("quadruped")
    rng = np.random.default_rng(0)
    q, (qd, tau, qdd) = model.random_configuration(rng), rng.normal(size=(3, model.nv))
    for names in itertools.combinations([model.joint_names[k] for k in (0, 1, 5)], 2):
        mask = np.zeros(model.nv, bool)
        for name in names:
            mask[model.qd_index(name)] = True
        right = fs.hybrid_dynamics(model, q, qd, mask, tau, qdd)
        for given in (list(names), names, set(names), np.array(names), mask.tolist()):
            found = fs.hybrid_dynamics(model, q, qd, given, tau, qdd)
            assert all(np.array_equal(x, y) for x, y in zip(found, right))


def test_results_go_where_they_are_asked_to(arm):
    rng = np.random.default_rng(1)
    q, qd, tau, qdd = rng.normal(size=(4, 5, 6))
    known = np.arange(6) < 3
    right = fs.hybrid_dynamics(arm, q, qd, known, tau, qdd)
    out = np.full((5, 6), np.nan), np.full((5, 6), np.nan)
    found = fs.hybrid_dynamics(arm, q, qd, known, tau, qdd, out=out)
    assert found[0] is out[0]
    assert found[1] is out[1]
    assert all(np.array_equal(x, y) for x, y in zip(found, right))
    # into the inputs themselves
    given = tau.copy(), qdd.copy()
    found = fs.hybrid_dynamics(arm, q, qd, known, *given, out=given)
    assert all(np.array_equal(x, y) for x, y in zip(given, right))


@pytest.mark.parametrize(
    ("known", "kind", "message"),
    [
        (
            "joint1",
            TypeError,
            "known_qdd: expected a boolean mask or a list of joint names, got 'joint1'; put it in a list",
        ),
        (
            [1, 0, 0, 0, 0, 0],
            TypeError,
            r"known_qdd: expected a boolean mask \(6,\) or a list of joint names, got list",
        ),
        (None, TypeError, "known_qdd: expected a boolean mask"),
        ([True, False], ValueError, r"known_qdd: expected a boolean mask of shape \(6,\), got \(2,\)"),
        (np.ones((3, 6), bool), ValueError, r"known_qdd: expected a boolean mask of shape \(6,\), got \(3, 6\)"),
        (["joint1", "elbow"], fs.UnknownNameError, "'elbow'"),
    ],
)
def test_what_is_known_must_be_said_clearly(arm, known, kind, message):
    zero = np.zeros(6)
    with pytest.raises(kind, match=message):
        fs.hybrid_dynamics(arm, zero, zero, known, zero, zero)


def test_a_follower_is_known_by_its_leader(mimic_robot):
    model = mimic_robot.model
    follower = next(name for name, leader in zip(model.joint_names, model.leaders) if leader is not None)
    state = (mimic_robot.q, mimic_robot.qd)
    with pytest.raises(fs.ModelError, match=f"joint '{follower}' follows"):
        fs.hybrid_dynamics(model, *state, [follower], mimic_robot.tau, mimic_robot.qdd)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_what_is_read_must_be_finite(arm, shape):
    zero = np.zeros((*shape, 6))
    known = np.arange(6) < 3
    for name, k, right in (("tau", 4, 1), ("qdd", 4, 1), ("tau", 1, 0), ("qdd", 1, 0)):
        given = {"tau": zero.copy(), "qdd": zero.copy()}
        given[name][..., k] = np.nan
        if (name == "tau") == bool(right):
            with pytest.raises(ValueError, match=f"^{name}: expected finite numbers, got nan at index {k}"):
                fs.hybrid_dynamics(arm, zero, zero, known, **given)
        else:
            assert all(np.isfinite(x).all() for x in fs.hybrid_dynamics(arm, zero, zero, known, **given))


@pytest.mark.parametrize("shape", [(), (2,)])
def test_what_moves_nothing_can_be_moved_but_not_pushed(shape):
    builder = fs.ModelBuilder("massless")
    for name, mass in (("base", 0.0), ("arm", 1.0), ("tip", 0.0)):
        builder.add_link(name, mass, (0.1, 0.0, 0.0))
    builder.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 0, 1))
    builder.add_joint("wrist", "revolute", "arm", "tip", axis=(0, 1, 0))
    builder.add_joint("copy", "revolute", "base", "hand", axis=(0, 0, 1), mimic=fs.Mimic("shoulder"))
    builder.add_link("hand", 1.0, (0.1, 0.0, 0.0))
    for mimic in (True, False):
        model = builder.build(mimic=mimic)
        zero = np.zeros((*shape, model.nv))
        known = [name for name in ("wrist", "copy") if mimic is False or name == "wrist"]
        assert not fs.hybrid_dynamics(model, zero, zero, known, zero, zero)[1].any()
        with pytest.raises(fs.SingularMassMatrixError, match="'wrist'"):
            fs.hybrid_dynamics(model, zero, zero, ["shoulder"], zero, zero)
