"""The second derivatives of inverse dynamics."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.rnea_derivatives import RNEA_DERIVATIVES
from featherstone.algorithms.rnea_second_derivatives import SECOND_DERIVATIVES

from ..random_trees import joint_of_each_dof
from ..rounding import Rounded, U, bounded, in_one
from ..slopes import slope
from .robots import COUNT
from .robots import robot as named
from .test_coriolis import one_joint_of_body_axes, symbols
from .test_energy import moved, reached
from .test_frames import agree
from .test_mimic import unconstrained

BASE = fs.BaseMotion(velocity=[0.3, -0.2, 0.5, 1.0, 0.0, -0.4], acceleration=[1.0, 0.4, -0.7, 0.2, 2.0, -1.0])


FIRST, SECOND = in_one(RNEA_DERIVATIVES), in_one(SECOND_DERIVATIVES)


def base_array(base):
    return None if base is None else np.tile(base.array, (COUNT, 1))


def errors_of_first(model, q, qd, qdd, f_ext, base=None):
    """Bounds of the errors of the three matrices, (3, COUNT, nv, nv)."""
    inputs = [q, qd, qdd, f_ext, base_array(base)]
    return np.moveaxis(bounded(FIRST, model, inputs, (3, model.nv, model.nv)).error, 1, 0)


def second(model, q, qd, qdd, f_ext=None, base=None):
    """The four arrays with bounds of their errors."""
    found = bounded(SECOND, model, [q, qd, qdd, f_ext, base_array(base)], (4, *[model.nv] * 3))
    return [Rounded(found.value[:, k], found.error[:, k]) for k in range(4)]


@functools.cache
def exact(robot):
    """The robot's four arrays with bounds of their errors, made once."""
    return second(robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext)


def of(robot, model=None, **options):
    return fs.rnea_second_derivatives(model or robot.model, robot.q, robot.qd, robot.qdd, robot.f_ext, **options)


def test_names_and_shapes(robot):
    found = of(robot)
    assert found._fields == ("d2tau_dq_dq", "d2tau_dq_dqd", "d2tau_dqd_dqd", "d2tau_dq_dqdd")
    for array, right in zip(found, exact(robot)):
        assert array.shape == (COUNT, *[robot.model.nv] * 3)
        assert agree(array, right.value, 2 * right.error)


def check_differences(robot, base=None):
    """[k, i, j]: along j of q or qd the derivatives by i change so, taken anew where q has moved to."""
    model, qd, qdd, f_ext = robot.model, robot.qd, robot.qdd, robot.f_ext
    by_q_q, by_q_qd, by_qd_qd, by_q_qdd = of(robot, base=base)
    error = errors_of_first(model, reached(robot), Rounded(qd, U * np.abs(qd)), qdd, f_ext, base)
    rounding = [2 * x.error for x in (exact(robot) if base is None else second(model, robot.q, qd, qdd, f_ext, base))]

    largest = max(1.0, *(np.abs(x).max() for x in (by_q_q, by_q_qd, by_qd_qd, by_q_qdd)))

    def first(q, qd):
        return np.stack(fs.rnea_derivatives(model, q, qd, qdd, f_ext, base=base))

    for j, axis in enumerate(np.eye(model.nv)):
        path = functools.partial(moved, robot, axis)
        found, allowed = slope(lambda t, path=path: first(path(t), qd), error)
        right = np.stack([by_q_q[..., j], by_q_qd[:, :, j], by_q_qdd[:, :, j]])
        own = np.stack([rounding[0][..., j], rounding[1][:, :, j], rounding[3][:, :, j]])
        assert (np.abs(found - right) <= allowed + own).all()
        assert np.max(allowed) <= 1e-5 * largest
        found, allowed = slope(lambda t, axis=axis: first(robot.q, qd + t * axis), error)
        right = np.stack([by_q_qd[..., j], by_qd_qd[..., j], 0.0 * by_qd_qd[..., j]])
        own = np.stack([rounding[1][..., j], rounding[2][..., j], 0.0 * rounding[2][..., j]])
        assert (np.abs(found - right) <= allowed + own).all()
        assert np.max(allowed) <= 1e-5 * largest


def test_they_are_what_differences_of_the_first_derivatives_say(robot):
    check_differences(robot)


@pytest.mark.parametrize("name", ["chain", "chain of screws bolted", "branches", "random floating mimic"])
def test_they_are_what_differences_say_on_a_base_that_moves(name):
    check_differences(named(name), BASE)


def test_by_acceleration_they_are_the_derivatives_of_the_mass_matrix(robot):
    """[k, i, j] = dH_kj / dq_i = G_kji + G_jki with the Christoffel symbols; symmetric to the bit."""
    G, H = symbols(robot), of(robot).d2tau_dq_dqdd
    right = np.einsum("bkji->bkij", G.value + G.value.swapaxes(1, 2))
    bound = np.einsum("bkji->bkij", G.error + G.error.swapaxes(1, 2) + 2 * U * np.abs(G.value))
    assert agree(H, right, bound + 2 * exact(robot)[3].error)
    assert np.array_equal(H, H.swapaxes(1, 3))


def test_by_velocity_twice_they_are_twice_the_symmetric_christoffel_symbols(robot):
    """[k, i, j] = G_kij + G_kji, wherever qd is; symmetric to the bit."""
    G, found = symbols(robot), of(robot).d2tau_dqd_dqd
    right, bound = G.value + G.value.swapaxes(2, 3), G.error + G.error.swapaxes(2, 3) + 2 * U * np.abs(G.value)
    assert agree(found, right, bound + 2 * exact(robot)[2].error)
    assert np.array_equal(found, found.swapaxes(2, 3))


def test_torques_are_of_second_order_in_velocities_and_linear_in_accelerations(robot):
    """Euler's theorem on homogeneous functions."""
    model, q, qd, qdd = robot.model, robot.q, robot.qd, robot.qdd
    still = 0.0 * qd
    _, by_q_qd, by_qd_qd, by_q_qdd = exact(robot)
    at = [fs.rnea_derivatives(model, q, *x) for x in ((qd, still), (still, still), (still, qdd))]
    error = sum(errors_of_first(model, q, *x, None) for x in ((qd, still), (still, still), (still, qdd)))
    for found, along, right, off in (
        (by_q_qd, qd, 2.0 * (at[0][0] - at[1][0]), 4 * error[0]),
        (by_qd_qd, qd, at[0][1], 2 * error[1]),
        (by_q_qdd, qdd, at[2][0] - at[1][0], 2 * error[0]),
    ):
        product = np.einsum("bkij,bj->bki", found.value, along)
        size = np.einsum("bkij,bj->bki", found.error + (model.nv + 1) * U * np.abs(found.value), np.abs(along))
        assert agree(product, right, size + off + 4 * U * np.abs(right))


def test_by_configuration_they_are_symmetric_but_for_one_joint_of_body_axes(robot):
    apart = one_joint_of_body_axes(robot.model)
    found, bound = of(robot).d2tau_dq_dq, 2 * exact(robot)[0].error
    off = np.abs(found - found.swapaxes(2, 3)) - bound - bound.swapaxes(2, 3)
    assert (off[:, :, ~apart] <= 0.0).all()


@pytest.mark.parametrize("kind", ["floating", "spherical", "chain bolted", "random floating"])
def test_within_a_joint_of_body_axes_they_differ_by_the_first_derivatives(kind):
    """[k, i, j] - [k, j, i] = sum of c_l dtau_k/dq_l with S_j x S_i = sum of c_l S_l: the directions' Lie bracket."""
    robot = named(kind)
    model = robot.model
    found, bound = of(robot).d2tau_dq_dq, 2 * exact(robot)[0].error
    joint, apart = joint_of_each_dof(model), one_joint_of_body_axes(model)
    starts = {k: list(joint).index(k) for k in joint}
    # components of S: (wx, wy, wz, vx, vy, vz), of spherical joints the first three, of planar ones three from wz on
    first = {"planar": 2}
    K = fs.rnea_derivatives(model, robot.q, robot.qd, robot.qdd, robot.f_ext)[0]
    error = errors_of_first(model, robot.q, robot.qd, robot.qdd, robot.f_ext)[0]
    seen = 0.0
    for i, j in np.argwhere(apart):
        shift = first.get(model.joints[joint[i]].type, 0) - starts[joint[i]]
        (w, v), (a, b) = (np.eye(6)[k + shift].reshape(2, 3) for k in (j, i))
        c = np.concatenate([np.cross(w, a), np.cross(w, b) + np.cross(v, a)])
        along = np.zeros(model.nv)
        for l in np.flatnonzero(c):
            along[l - shift] = c[l]
        right = K @ along
        off = bound[:, :, i, j] + bound[:, :, j, i] + 2 * error @ np.abs(along)
        assert agree(found[:, :, i, j] - found[:, :, j, i], right, off)
        seen = max(seen, np.abs(right).max())
    assert seen > 0.1


def test_degrees_of_freedom_on_different_branches_do_not_meet(free_robot):
    model = free_robot.model
    up = model.tree.parent_dof
    carried = np.eye(model.nv, dtype=bool)
    for k in range(model.nv):
        j = up[k]
        while j >= 0:
            carried[k, j] = carried[j, k] = True
            j = up[j]
    same = model.tree.body[: model.nv, None] == model.tree.body[: model.nv]
    carried |= same
    meet = carried[:, :, None] & carried[:, None, :] & carried[None]
    for array in of(free_robot):
        assert not array[:, ~meet].any()


def test_followers_join_their_leaders(mimic_robot):
    """Each index goes over by G."""
    robot = mimic_robot
    full, q, qd, qdd, G = unconstrained(robot)
    for found, right, own in zip(of(robot), second(full, q, qd, qdd, robot.f_ext), exact(robot)):
        value = np.einsum("bkij,ka,ic,jd->bacd", right.value, G, G, G, optimize=True)
        size = right.error + 3 * (full.nv + 1) * U * np.abs(right.value)
        size = np.einsum("bkij,ka,ic,jd->bacd", size, *[np.abs(G)] * 3, optimize=True)
        assert agree(found, value, size + 2 * own.error)


def test_a_base_that_stands_still_at_the_world_makes_no_difference(robot):
    for found, right in zip(of(robot, base=fs.BaseMotion()), of(robot)):
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-13 * max(1.0, np.abs(right).max()))


def test_a_tilted_base_is_gravity_that_is_tilted(robot):
    turned = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    pose = np.eye(4)
    pose[:3, :3] = turned
    tilted = robot.model.with_gravity(turned.T @ robot.model.gravity)
    for found, right in zip(of(robot, base=fs.BaseMotion(pose)), of(robot, tilted)):
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-13 * max(1.0, np.abs(right).max()))


def test_losses_bend_torques_by_their_own_rates_alone(robot):
    """Smooth ones by the slope of their slope; a sign that jumps has none at rest."""
    model, still = robot.model, robot.q[:1]
    plain, lossy = of(robot), of(robot, losses=True)
    assert np.array_equal(plain[0], lossy[0])
    assert np.array_equal(plain[1], lossy[1])
    assert np.array_equal(plain[3], lossy[3])
    qd = robot.qd[1:]  # away from rest, by more than a difference's steps
    qd = np.where(np.abs(qd) < 0.1, 0.5, qd)
    zero = 0.0 * qd

    def losses(qd):
        with_losses, without = (fs.rnea_derivatives(model, robot.q[1:], qd, zero, losses=x)[1] for x in (True, False))
        return with_losses - without

    bent, unbent = (
        fs.rnea_second_derivatives(model, robot.q[1:], qd, zero, losses=x).d2tau_dqd_dqd for x in (True, False)
    )
    size = max(1.0, np.abs(bent).max(), np.abs(losses(qd)).max())
    for j, axis in enumerate(np.eye(model.nv)):
        found, allowed = slope(lambda t, axis=axis: losses(qd + t * axis), 64 * U * size)
        assert (np.abs(found - (bent - unbent)[..., j]) <= allowed + 64 * U * size).all()
        assert allowed < 1e-3 * size
    at_rest = [fs.rnea_second_derivatives(model, still, zero[:1], zero[:1], losses=x)[2] for x in (True, False)]
    assert np.array_equal(*at_rest)  # even in qd, so no bend; a sign that is not smoothed has none


def test_the_results_go_where_they_are_asked_to():
    arm = fs.models.load("seven_axis")
    q, qd = arm.random_configuration(1, 5), np.ones(arm.nv)
    out = tuple(np.full((5, *[arm.nv] * 3), np.nan) for _ in range(4))
    found = fs.rnea_second_derivatives(arm, q, qd, qd, out=out)
    right = fs.rnea_second_derivatives(arm, q, qd, qd)
    for given, array, value in zip(out, found, right):
        assert array is given
        assert np.array_equal(array, value)
    with pytest.raises(TypeError, match="out: expected a tuple of four float64 arrays, got 3 of them"):
        fs.rnea_second_derivatives(arm, q, qd, qd, out=out[:3])
    with pytest.raises(ValueError, match="out: expected arrays that share no memory"):
        fs.rnea_second_derivatives(arm, q, qd, qd, out=(out[0], *out[:3]))


def test_one_state_a_batch_and_lists_give_the_same():
    arm = fs.models.load("quadruped")
    q, qd = arm.random_configuration(2), np.linspace(-1.0, 1.0, arm.nv)
    one = fs.rnea_second_derivatives(arm, q, qd, qd)
    lists = fs.rnea_second_derivatives(arm, q.tolist(), qd.tolist(), qd.tolist())
    many = fs.rnea_second_derivatives(arm, np.tile(q, (3, 2, 1)), qd, qd)
    for x, y, z in zip(one, lists, many):
        assert np.array_equal(x, y)
        assert z.shape == (3, 2, *[arm.nv] * 3)
        np.testing.assert_allclose(z, np.broadcast_to(x, z.shape), rtol=0, atol=64 * U * np.abs(x).max())
