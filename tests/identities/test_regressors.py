"""Regressors: torque, momentum and energies are linear in the parameters that a model has."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.energy import KINETIC, POTENTIAL
from featherstone.algorithms.energy_regressors import KINETIC_REGRESSOR, POTENTIAL_REGRESSOR
from featherstone.algorithms.regressors import REGRESSOR
from featherstone.algorithms.rnea import RNEA
from featherstone.model.parameters import drive_columns

from ..random_trees import random_tree
from ..rounding import U, bounded
from .test_frames import agree
from .test_mimic import unconstrained

STATEFUL = ("armature", "rotor")  # the drives that are no losses


def rounded(kernel, model, inputs, core, drives=STATEFUL):
    """A regressor with bounds of its errors."""
    options = drive_columns(model.tree, drives)
    return bounded(kernel, model, inputs, (*core, model.tree.parameters + int(options[0])), options=options)


def times(Y, pi):
    """Y pi with a bound of its error; the parameters are off by some roundings of the link's size."""
    pi_error = 64 * U * np.abs(pi).sum()
    sizes = np.abs(Y.value) @ np.abs(pi)
    return Y.value @ pi, Y.error @ np.abs(pi) + np.abs(Y.value).sum(-1) * pi_error + len(pi) * U * sizes


def agrees(found, Y, pi, right):
    """Whether what compiled code gives is Y pi, and that the quantity with its own bound."""
    value, error = times(Y, pi)
    return agree(found @ pi, value, 2 * error) and agree(right.value, value, error + right.error)


def test_torque_is_the_regressor_times_the_parameters(robot):
    model, state = robot.model, (robot.q, robot.qd, robot.qdd)
    Y, pi = rounded(REGRESSOR, model, list(state), (model.nv,)), model.parameters(STATEFUL)
    right = bounded(RNEA, model, list(state), (model.nv,))
    assert agrees(fs.torque_regressor(model, *state, drives=STATEFUL), Y, pi, right)
    assert np.abs(right.value).max() > 0.1


def test_torque_with_losses_is_the_regressor_of_all_drives_times_their_parameters(robot):
    model, state = robot.model, (robot.q, robot.qd, robot.qdd)
    Y, pi = fs.torque_regressor(model, *state, drives="all"), model.parameters("all")
    size = np.abs(Y) @ np.abs(pi)
    right = fs.rnea(model, *state, losses=True)
    allowed = 2 * rounded(REGRESSOR, model, list(state), (model.nv,)).error @ np.abs(model.parameters(STATEFUL))
    assert (np.abs(Y @ pi - right) <= 4 * allowed + 256 * U * size.max()).all()
    assert np.abs(Y @ pi - right).max() <= 1e-12 * np.abs(right).max()


def test_momentum_is_the_regressor_times_the_parameters(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    P, pi, H = rounded(REGRESSOR, model, [q, qd], (model.nv,)), model.parameters(STATEFUL), robot.mass_matrix
    value, error = times(P, pi)
    right = np.einsum("bij,bj->bi", H.value, qd)
    allowed = np.einsum("bij,bj->bi", H.error + model.nv * U * np.abs(H.value), np.abs(qd))
    assert agree(right, value, error + allowed)
    assert agree(fs.momentum_regressor(model, q, qd, drives=STATEFUL) @ pi, value, 2 * error)


def test_energies_are_their_regressors_times_the_parameters(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    pi = model.parameters(STATEFUL)
    T = rounded(KINETIC_REGRESSOR, model, [q, qd], ())
    assert agrees(
        fs.kinetic_energy_regressor(model, q, qd, drives=STATEFUL), T, pi, bounded(KINETIC, model, [q, qd], ())
    )
    V = rounded(POTENTIAL_REGRESSOR, model, [q], ())
    assert agrees(fs.potential_energy_regressor(model, q, drives=STATEFUL), V, pi, bounded(POTENTIAL, model, [q], ()))


def test_momentum_is_the_gradient_of_kinetic_energy(robot):
    """T is quadratic in qd: the slope between -qd and qd in each direction is exact."""
    model, q, qd = robot.model, robot.q, robot.qd
    P = fs.momentum_regressor(model, q, qd, drives="all")
    T = fs.kinetic_energy_regressor(model, q, qd, drives="all")
    np.testing.assert_allclose(np.einsum("bi,bij->bj", qd, P) / 2, T, rtol=0, atol=1e-12 * np.abs(T).max())


def test_gravity_is_linear_in_the_gradient_of_potential_energy(robot):
    """At rest the torque's regressor is the slope of the potential energy's, column by column."""
    model, q, still, h = robot.model, robot.q, np.zeros_like(robot.qd), 1e-4
    Y = fs.torque_regressor(model, q, still, still)
    for k, e in enumerate(np.eye(model.nv)):
        ahead, behind = (fs.potential_energy_regressor(model, fs.integrate(model, q, s * e)) for s in (h, -h))
        # the central difference leaves a sixth of the third derivative times h^2
        assert np.abs((ahead - behind) / (2 * h) - Y[:, k]).max() <= 10 * h * h * (1.0 + np.abs(Y).max())


def test_rows_of_followers_join_those_of_their_leaders(mimic_robot):
    """Y = G^T Y_full."""
    robot = mimic_robot
    full, q, qd, qdd, G = unconstrained(robot)
    Y = fs.torque_regressor(robot.model, robot.q, robot.qd, robot.qdd, drives="damping")
    Y_full = rounded(REGRESSOR, full, [q, qd, qdd], (full.nv,), None)
    bodies = slice(0, full.tree.parameters)
    right = np.einsum("ij,bik->bjk", G, Y_full.value)
    allowed = np.einsum("ij,bik->bjk", np.abs(G), 2 * Y_full.error + full.nv * U * np.abs(Y_full.value))
    own = rounded(REGRESSOR, robot.model, [robot.q, robot.qd, robot.qdd], (robot.model.nv,), None)
    assert agree(Y[..., bodies], right, allowed + 2 * own.error)


def test_other_parameters_give_the_torque_of_another_robot(robot):
    """Y depends on the joints alone: with other parameters it is the same, and its product is the other's torque."""
    model, state = robot.model, (robot.q, robot.qd, robot.qdd)
    pi = model.parameters("all") * np.random.default_rng(3).uniform(0.9, 1.1, len(model.parameters("all")))
    other = model.with_parameters(pi, "all")
    Y = fs.torque_regressor(model, *state, drives="all")
    np.testing.assert_array_equal(fs.torque_regressor(other, *state, drives="all"), Y)
    right = fs.rnea(other, *state, losses=True)
    assert np.abs(Y @ pi - right).max() <= 1e-12 * (np.abs(Y) @ np.abs(pi)).max()


@pytest.mark.parametrize("drives", ["armature", "rotor", "damping", "friction", "stiction", ("friction", "armature")])
def test_drives_that_are_asked_for_have_their_columns_in_order(drives):
    model = random_tree(6, 9, rotors=True)
    rng = np.random.default_rng(0)
    q, (qd, qdd) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    Y, every = (fs.torque_regressor(model, q, qd, qdd, drives=x) for x in (drives, "all"))
    names, all_names = model.parameter_names(drives), model.parameter_names("all")
    np.testing.assert_array_equal(Y, every[:, [all_names.index(name) for name in names]])
    assert Y.shape == (model.nv, len(names))
    assert Y[:, 10 * model.nb :].any()


def test_a_moving_base_is_felt():
    model = random_tree(8, 6, rotors=True)
    rng = np.random.default_rng(1)
    q, (qd, qdd) = model.random_configuration(rng, 4), rng.normal(size=(2, 4, model.nv))
    pose = np.eye(4)
    pose[:3] = [[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]]
    base = fs.BaseMotion(pose, *rng.normal(size=(2, 6)))
    pi = model.parameters("all")
    for function, regressor, inputs, options in (
        (fs.rnea, fs.torque_regressor, (q, qd, qdd), {"losses": True}),
        (fs.kinetic_energy, fs.kinetic_energy_regressor, (q, qd), {}),
        (fs.potential_energy, fs.potential_energy_regressor, (q,), {}),
    ):
        found, right = (
            regressor(model, *inputs, drives="all", base=base) @ pi,
            function(model, *inputs, base=base, **options),
        )
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-12 * np.abs(right).max())
        assert np.abs(right - function(model, *inputs, **options)).max() > 1e-3 * np.abs(right).max()


@pytest.mark.parametrize("drives", ["mass", ("damping", 3), 3, ["armature", None]])
def test_unknown_drives_are_refused(drives):
    arm = fs.models.load("planar_2r")
    with pytest.raises(ValueError, match=r"^drives: expected None, 'all' or some of 'armature', "):
        fs.torque_regressor(arm, [0, 0], [0, 0], [0, 0], drives=drives)


@pytest.mark.parametrize("drives", [None, "all"])
def test_regressors_of_robots_that_do_not_move_have_no_rows(drives):
    builder = fs.ModelBuilder("rock")
    builder.add_link("rock", 3.0)
    rock = builder.build()
    assert fs.torque_regressor(rock, [], [], [], drives=drives).shape == (0, 0)
    assert rock.parameters(drives).shape == (0,)
    assert fs.kinetic_energy_regressor(rock, [], []).shape == (0,)
