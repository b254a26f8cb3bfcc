"""The Coriolis matrix, the Christoffel symbols of which it is made, and the rate of the mass matrix."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.christoffel import CHRISTOFFEL
from featherstone.algorithms.coriolis import CORIOLIS_MATRIX, ITSELF, RATE_OF_H
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.rnea import RNEA

from ..random_trees import ONE_DEGREE, joint_of_each_dof, random_tree
from ..rounding import Rounded, U, bounded
from ..slopes import slope
from .robots import ROBOTS
from .robots import robot as named
from .test_energy import moved, reached
from .test_frames import agree, product
from .test_mimic import unconstrained

BODY_AXES = ("planar", "spherical", "floating")  # rates along axes of the moved body, no rates of coordinates
WITH_BODY_AXES = [name for name in ROBOTS if any(x.type in BODY_AXES for x in named(name).model.joints)]


def coriolis(model, q, qd, what=ITSELF):
    """C or dH/dt with a bound of its error."""
    return bounded(CORIOLIS_MATRIX, model, [q, qd], (model.nv, model.nv), options=(what,))


@functools.cache
def symbols(robot):
    """The Christoffel symbols with a bound of their errors."""
    return bounded(CHRISTOFFEL, robot.model, [robot.q], (robot.model.nv,) * 3)


def times_rates(G, qd):
    """sum over l of G_kjl qd_l with a bound of its error."""
    n = qd.shape[-1]
    flat = Rounded(*(x.reshape(len(qd), n * n, n) for x in (G.value, G.error)))
    found = product(flat, qd)
    return Rounded(*(x.reshape(len(qd), n, n) for x in (found.value, found.error)))


def test_coriolis_matrix_times_rates_is_what_velocity_adds_to_the_torque(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    still = model.with_gravity((0.0, 0.0, 0.0))
    bias = bounded(RNEA, still, [q, qd, 0.0 * qd, None], (model.nv,))
    C = coriolis(model, q, qd)
    assert agree(fs.coriolis_matrix(model, q, qd), C.value, 2 * C.error)
    right = product(C, qd)
    assert agree(fs.bias_torque(still, q, qd), right.value, right.error + 2 * bias.error)
    assert not C.value[0].any()  # at rest


def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(robot):
    """To 1e-12 of H qd, with the rate from the derivatives of inverse dynamics: column k is d(H e_k)/dq qd."""
    model, q, qd = robot.model.with_gravity((0.0, 0.0, 0.0)), robot.q, robot.qd
    still = np.zeros(model.nv)
    columns = fs.rnea_derivatives(model, q[:, None], still, np.eye(model.nv))[0]
    rate = np.einsum("bkij,bj->bik", columns, qd)
    C = fs.coriolis_matrix(model, q, qd)
    skew = rate - 2.0 * C
    size = np.abs(fs.crba(model, q)).max(axis=(1, 2), keepdims=True) * np.abs(qd).max(-1)[:, None, None]
    assert (np.abs(skew + skew.swapaxes(1, 2)) <= 1e-12 * size).all()
    found = fs.mass_matrix_rate(model, q, qd)
    assert (np.abs(found - rate) <= 1e-12 * size).all()
    assert np.array_equal(found, found.swapaxes(1, 2))


def test_rate_of_the_mass_matrix_is_what_differences_say(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    path = functools.partial(moved, robot, qd)
    error = bounded(CRBA, model, [reached(robot)], (model.nv, model.nv)).error
    found, allowed = slope(lambda t: fs.crba(model, path(t)), error)
    right = fs.mass_matrix_rate(model, q, qd)
    assert (np.abs(found - right) <= allowed + 2 * coriolis(model, q, qd, RATE_OF_H).error).all()
    assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


def test_symbols_times_rates_are_the_coriolis_matrix(robot):
    model, q, qd = robot.model, robot.q, robot.qd
    G, C = symbols(robot), coriolis(model, q, qd)
    assert agree(fs.christoffel_symbols(model, q), G.value, 2 * G.error)
    right = times_rates(G, qd)
    assert agree(fs.coriolis_matrix(model, q, qd), right.value, right.error + 2 * C.error)


def test_coriolis_matrix_is_linear_in_the_rates(robot):
    model, q, qd, other = robot.model, robot.q, robot.qd, robot.qdd
    whole, one, two = (coriolis(model, q, x) for x in (Rounded(qd + other, U * np.abs(qd + other)), qd, other))
    right = one + two
    assert agree(fs.coriolis_matrix(model, q, qd + other), right.value, right.error + 2 * whole.error)


def test_symbols_are_the_derivatives_of_the_mass_matrix(robot):
    """G_kjl + G_jkl = dH_kj/dq_l, along each axis."""
    model, q = robot.model, robot.q
    G = fs.christoffel_symbols(model, q)
    error = bounded(CRBA, model, [reached(robot)], (model.nv, model.nv)).error
    rounding = symbols(robot).error
    rounding = 2 * (rounding + rounding.swapaxes(1, 2))
    for l, direction in enumerate(np.eye(model.nv)):
        path = functools.partial(moved, robot, direction)
        found, allowed = slope(lambda t, path=path: fs.crba(model, path(t)), error)
        right = (G + G.swapaxes(1, 2))[..., l]
        assert (np.abs(found - right) <= allowed + rounding[..., l]).all()
        assert np.max(allowed) <= 1e-5 * max(1.0, np.abs(right).max())


def one_joint_of_body_axes(model):
    """(nv, nv): whether two degrees of freedom are of one joint whose rates are not those of coordinates."""
    joint = joint_of_each_dof(model)
    turned = np.array([model.joints[k].type in BODY_AXES for k in joint], bool)
    return (joint[:, None] == joint) & turned


def test_symbols_are_symmetric_but_for_rates_of_one_joint_in_body_axes(robot):
    model = robot.model
    G, bound = fs.christoffel_symbols(model, robot.q), symbols(robot).error
    apart = np.abs(G - G.swapaxes(2, 3)) - 2 * (bound + bound.swapaxes(2, 3))
    assert (apart[:, :, ~one_joint_of_body_axes(model)] <= 0.0).all()


@pytest.mark.parametrize("name", WITH_BODY_AXES)
def test_rates_in_body_axes_do_not_commute(name):
    """G_kjl - G_klj = e_k . H [e_l, e_j], with the brackets of so(3), se(3) and se(2)."""
    robot = named(name)
    model, q = robot.model, robot.q
    G, H = fs.christoffel_symbols(model, q), fs.crba(model, q)
    bound, H_bound = symbols(robot).error, robot.mass_matrix.error
    H = H - np.diag(model.armature)
    some = False
    for joint in model.joints:
        if joint.type not in BODY_AXES:
            continue
        where = range(model.nv)[model.qd_index(joint.name)]
        for j in where:
            for l in where:
                bracket = np.zeros(model.nv)
                bracket[where.start : where.stop] = bracket_of(joint.type, l - where.start, j - where.start)
                right = H @ bracket
                allowed = 2 * (bound[:, :, j, l] + bound[:, :, l, j] + H_bound @ np.abs(bracket)) + 8 * U * np.abs(
                    right
                )
                assert (np.abs(G[:, :, j, l] - G[:, :, l, j] - right) <= allowed).all()
                some = some or np.abs(right).max() > 0.1
    assert some


def bracket_of(kind, l, j):
    """[e_l, e_j] of two directions of a joint, in its own rates."""
    places = {"planar": [2, 3, 4], "spherical": [0, 1, 2], "floating": [0, 1, 2, 3, 4, 5]}[kind]
    one, other = np.zeros(6), np.zeros(6)
    one[places[l]], other[places[j]] = 1.0, 1.0
    angular = np.cross(one[:3], other[:3])
    return np.concatenate([angular, np.cross(one[:3], other[3:]) + np.cross(one[3:], other[:3])])[places]


def test_christoffel_symbols_of_coordinates_are_those_of_the_textbook():
    """G_kjl = (dH_kj/dq_l + dH_kl/dq_j - dH_jl/dq_k) / 2, by differences."""
    model = random_tree(8, 7, ONE_DEGREE)
    q = np.random.default_rng(1).uniform(-3.0, 3.0, model.nq)
    error = bounded(CRBA, model, [Rounded(q[None], 4 * U * np.abs(q[None]))], (model.nv, model.nv)).error[0]
    slopes = [slope(lambda t, e=e: fs.crba(model, q + t * e), error) for e in np.eye(model.nv)]
    dH, allowed = (np.stack([s[k] for s in slopes], -1) for k in (0, 1))
    right = (dH + dH.swapaxes(1, 2) - dH.transpose(2, 0, 1)) / 2.0
    size = (allowed + allowed.swapaxes(1, 2) + allowed.transpose(2, 0, 1)) / 2.0
    found = fs.christoffel_symbols(model, q)
    assert (np.abs(found - right) <= size + 2 * bounded(CHRISTOFFEL, model, [q[None]], (model.nv,) * 3).error[0]).all()
    assert np.max(size) <= 1e-6 * np.abs(found).max()
    assert np.array_equal(found, found.swapaxes(1, 2))


def test_followers_join_their_leaders(mimic_robot):
    """C = G^T C_full G, and the symbols likewise in three indices."""
    robot = mimic_robot
    full, q, qd, _, G = unconstrained(robot)
    size = np.abs(G)
    C_full, C = coriolis(full, q, qd), coriolis(robot.model, robot.q, robot.qd)
    error = C_full.error + 2 * (full.nv + 1) * U * np.abs(C_full.value)
    found = fs.coriolis_matrix(robot.model, robot.q, robot.qd)
    assert agree(found, G.T @ C_full.value @ G, size.T @ error @ size + 2 * C.error)
    S_full, S = bounded(CHRISTOFFEL, full, [q], (full.nv,) * 3), symbols(robot)
    error = S_full.error + 3 * (full.nv + 1) * U * np.abs(S_full.value)
    right, allowed = (np.einsum("bkjl,kx,jy,lz->bxyz", s, g, g, g) for s, g in ((S_full.value, G), (error, size)))
    assert agree(fs.christoffel_symbols(robot.model, robot.q), right, allowed + 2 * S.error)


@pytest.mark.parametrize("distance", [1e3, 1e6])
def test_a_floating_base_far_away_loses_no_digits(distance):
    model = random_tree(6, 8, floating_base=True)
    rng = np.random.default_rng(2)
    q, qd = model.random_configuration(rng, 4), rng.normal(size=(4, model.nv))
    away = q.copy()
    away[:, :3] += distance
    for function, state in (
        (fs.coriolis_matrix, (qd,)),
        (fs.mass_matrix_rate, (qd,)),
        (fs.christoffel_symbols, ()),
        (fs.gravity_jacobian, ()),
        (fs.composite_inertia, ()),
    ):
        here, there = function(model, q, *state), function(model, away, *state)
        tolerance = 1e-13 if function is not fs.composite_inertia else 16 * U * distance
        np.testing.assert_allclose(there, here, rtol=0, atol=tolerance * np.abs(here).max())
