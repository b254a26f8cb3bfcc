"""Identification finds a robot's parameters in noisy torques, and robots that can exist."""

import functools

import numpy as np
import pytest

import featherstone as fs
from featherstone.identification.consistent import pseudo_inertias

from ..random_trees import random_tree

NOISE = 0.01  # of the root mean square of each joint's torque
LEAST = 1.0  # N m: joint 6 of six_axis bears nothing, its sensor has noise all the same
WELL = 0.005  # a relative standard deviation of what is excited well
BAD_STARTS = {
    "the model itself": lambda arm: arm,
    "too heavy": lambda arm: arm.scale(3.0),
    "without weight": lambda arm: arm.scale(0.0),
    "other links": lambda arm: arm.scale(0.2, ["link_2", "link_3"]).with_payload("flange", 8.0, (0.1, 0.2, 0.3)),
    "wrong losses": lambda arm: arm.with_joint("joint_2", damping=200.0, friction=300.0),
}


@functools.cache
def arm():
    """The textbook arm, with losses in its first joints."""
    found = fs.models.load("six_axis")
    for name, damping, friction in (("joint_1", 3.0, 5.0), ("joint_2", 2.0, 8.0), ("joint_3", 0.0, 4.0)):
        found = found.with_joint(name, damping=damping, friction=friction)
    return found


@functools.cache
def run(seed):
    """An exciting motion of the arm, its torques, and what sensors say of them."""
    motion = fs.exciting_trajectory(arm(), trials=20, seed=seed, base=base())
    t, *state = motion.sample(0.005)
    tau = fs.rnea(arm(), *state, losses=True)
    sigma = NOISE * np.maximum(np.sqrt((tau * tau).mean(0)), LEAST)
    measured = tau + sigma * np.random.default_rng(seed).normal(size=tau.shape)
    return dict(zip(("t", "q", "qd", "qdd", "tau"), (t, *state, measured))), sigma


@functools.cache
def base():
    return fs.base_parameters(arm(), drives=("damping", "friction"))


@functools.cache
def identified(start, consistent):
    return fs.identify(BAD_STARTS[start](arm()), run(0)[0], consistent=consistent, base=base())


KINDS = pytest.mark.parametrize("consistent", [False, True])
STARTS = pytest.mark.parametrize("start", BAD_STARTS)


@KINDS
@STARTS
def test_well_excited_base_parameters_are_found(start, consistent):
    found = identified(start, consistent)
    right = base().beta(arm().parameters(base().drives))
    well = found.relative_deviation < WELL
    assert well.sum() >= 12
    assert (np.abs(found.beta - right)[well] <= 0.02 * np.abs(right[well])).all()


@STARTS
def test_deviations_are_those_of_the_estimates(start):
    """Within five standard deviations each, and together as many as they should be."""
    found = identified(start, False)
    off = (found.beta - base().beta(arm().parameters(base().drives))) / found.deviation
    assert np.abs(off).max() < 5.0
    # the sum of squares is chi-squared with `rank` degrees of freedom: mean r, variance 2 r
    assert abs((off * off).sum() - base().rank) < 5.0 * np.sqrt(2 * base().rank)


@KINDS
@STARTS
def test_torques_of_another_motion_are_predicted_to_their_noise(start, consistent):
    found = identified(start, consistent)
    data, sigma = run(1)
    sigma = np.maximum(sigma, run(0)[1])
    off = found.predict(data["q"], data["qd"], data["qdd"]) - data["tau"]
    assert (np.sqrt((off * off).mean(0)) <= 1.2 * sigma).all()


@STARTS
def test_every_body_of_a_consistent_fit_can_exist(start):
    found = identified(start, True)
    J = pseudo_inertias(found.pi, arm().nb)
    assert (np.linalg.eigvalsh(J) > 0).all()
    assert (found.pi[10 * arm().nb :] > 0).all()
    # the triangle rule about the centre of mass, by other code
    for body in found.pi[: 10 * arm().nb].reshape(-1, 10):
        assert fs.Inertia.from_parameters(body).is_physically_consistent(0.0)
    assert not [x for x in fs.check(found.model).findings if x.severity == "error"]


@KINDS
@STARTS
def test_noise_of_each_joint_is_found(start, consistent):
    found, (_, sigma) = identified(start, consistent), run(0)
    # of 2000 moments, the standard deviation is known to one in sqrt(2 n)
    np.testing.assert_allclose(found.noise, sigma, rtol=5.0 / np.sqrt(2 * len(run(0)[0]["q"])))


def test_all_starts_end_in_the_same_fit_where_torques_say_something():
    """The fit is convex: another nominal model moves well known parameters by less than a standard deviation."""
    found = [identified(start, True) for start in BAD_STARTS]
    well = found[0].relative_deviation < WELL
    for other in found[1:]:
        assert (np.abs(other.beta - found[0].beta)[well] < other.deviation[well]).all()


def test_the_identified_model_is_the_robot_that_predicts():
    found, (data, _) = identified("too heavy", True), run(1)
    state = [data[key] for key in ("q", "qd", "qdd")]
    tau = fs.rnea(found.model, *state, losses=True)
    np.testing.assert_allclose(found.predict(*state), tau, rtol=0, atol=1e-10 * np.abs(tau).max())
    assert found.model.joint_names == arm().joint_names


def test_without_noise_all_is_exact():
    data = dict(run(0)[0])
    data["tau"] = fs.rnea(arm(), data["q"], data["qd"], data["qdd"], losses=True)
    found = fs.identify(arm().scale(2.0), data, base=base())
    right = base().beta(arm().parameters(base().drives))
    np.testing.assert_allclose(found.beta, right, rtol=0, atol=1e-9 * np.abs(right).max())


def test_what_is_not_identified_is_taken_from_the_model():
    geared = arm().with_joint("joint_4", armature=0.2)
    data = dict(run(0)[0])
    data["tau"] = fs.rnea(geared, data["q"], data["qd"], data["qdd"], losses=True)
    found = fs.identify(geared.scale(2.0), data, base=base())
    right = base().beta(arm().parameters(base().drives))
    np.testing.assert_allclose(found.beta, right, rtol=0, atol=1e-9 * np.abs(right).max())
    np.testing.assert_allclose(found.predict(data["q"], data["qd"], data["qdd"]), data["tau"], atol=1e-8)


def test_several_measurements_are_one_long_one():
    (first, _), (second, _) = run(0), run(1)
    both = {key: np.concatenate([first[key], second[key]]) for key in ("q", "qd", "qdd", "tau")}
    together, apart = (fs.identify(arm(), x, base=base()) for x in (both, [first, second]))
    np.testing.assert_allclose(apart.beta, together.beta, rtol=0, atol=1e-9 * np.abs(together.beta).max())
    assert len(apart.data) == 2
    # twice the torques: better by the square root of two, or more
    assert np.median(apart.deviation / fs.identify(arm(), first, base=base()).deviation) < 0.8


def test_a_simulation_is_data():
    pendulum = fs.models.load("cart_pole")
    rng = np.random.default_rng(0)
    tau = 3.0 * np.repeat(rng.normal(size=(20, 2)), 50, 0)
    run = fs.simulate(pendulum, [0, 0.5], [0, 0], tau=tau, duration=1.0, dt=1e-3, method="rk4")
    found = fs.identify(pendulum.scale(3.0), run, drives=None)
    right = found.base.beta(pendulum.parameters())
    np.testing.assert_allclose(found.beta, right, rtol=0, atol=1e-8 * np.abs(right).max())


@pytest.mark.parametrize("seed", [1, 2])
def test_robots_of_every_joint_type_are_identified(seed):
    """With followers, rotors and a floating base: the torques of all, Stribeck's friction too, are explained."""
    robot = random_tree(seed, 6, mimic=seed == 1, rotors=True, floating_base=seed == 2)
    rng = np.random.default_rng(seed)
    q = robot.random_configuration(rng, 400)
    qd, qdd = rng.normal(size=(2, 400, robot.nv))
    data = {"q": q, "qd": qd, "qdd": qdd, "tau": fs.rnea(robot, q, qd, qdd, losses=True)}
    found = fs.identify(robot.scale(1.5), data, drives="all")
    right = found.base.beta(robot.parameters("all"))
    np.testing.assert_allclose(found.beta, right, rtol=0, atol=1e-8 * np.abs(right).max())


def test_a_direction_that_is_not_excited_has_no_deviation():
    """Only the last joint of the planar arm moves, and it hangs as the first one does: sums are not told apart."""
    planar = fs.models.load("planar_2r")
    angle = np.linspace(0.0, 6.0, 200)
    q, qd, qdd = (np.column_stack([0 * x, x]) for x in (angle, np.cos(angle), np.sin(angle)))
    data = {"q": q, "qd": qd, "qdd": qdd, "tau": fs.rnea(planar, q, qd, qdd)}
    found = fs.identify(planar, data, drives=None)
    assert found.condition > 1e10
    assert np.isinf(found.deviation[found.names.index("l1: m c_y")])
    assert np.isfinite(found.deviation[found.names.index("l2: m c_y")])
    assert "l1: m c_y" in found.poorly_known
    np.testing.assert_allclose(found.predict(q, qd, qdd), data["tau"], rtol=0, atol=1e-9 * np.abs(data["tau"]).max())


def test_the_report_names_what_was_found_and_what_was_not():
    text = str(identified("too heavy", True))
    assert "48 base parameters of 'six_axis' from 2000 moments, consistent" in text
    assert "condition of the excitation" in text
    assert "link_6: I_zz" in text
    assert "joint_6" in text
    assert "poorly known" in text
    assert repr(identified("too heavy", False)).endswith("48 base parameters, weighted least squares>")


def test_measured_and_predicted_torque_are_drawn(tmp_path):
    figure = identified("too heavy", True).plot(tmp_path / "torque.png")
    assert len(figure.axes) == 6
    assert (tmp_path / "torque.png").stat().st_size > 10_000
    lines = figure.axes[1].get_lines()
    np.testing.assert_array_equal(lines[0].get_ydata(), run(0)[0]["tau"][:, 1])


@KINDS
def test_a_robot_that_does_not_move_has_nothing_to_find(consistent):
    builder = fs.ModelBuilder("rock")
    builder.add_link("rock", 1.0)
    data = dict.fromkeys(("q", "qd", "qdd", "tau"), np.zeros((3, 0)))
    found = fs.identify(builder.build(), data, consistent=consistent)
    assert found.beta.shape == found.pi.shape == (0,)
    assert found.model.nb == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tau": np.zeros((5, 6))}, r"data: expected q \(T, nq\) and qd, qdd, tau \(T, nv\)"),
        ({"qd": np.full((2000, 6), np.nan)}, "data: qd: expected finite numbers"),
        ({"q": np.zeros((2000, 5))}, r"q: expected shape \(\.\.\., 6\)"),
    ],
)
def test_data_of_other_shapes_are_refused(change, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        fs.identify(arm(), run(0)[0] | change, base=base())


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"q": [[0.0] * 6]}, ValueError, "data: expected q, qd, qdd, tau and perhaps t, or t, q and tau alone, got q"),
        ({"t": [0.0], "q": [[0.0] * 6], "tau": [[0.0] * 6]}, ValueError, "cutoff: expected a frequency in Hz"),
        (
            dict.fromkeys(("q", "qd", "qdd", "tau"), np.zeros((2, 6))),
            ValueError,
            "data: expected at least 9 moments, more torques than",
        ),
        ([], TypeError, "data: expected a Trajectory"),
        (7, TypeError, "data: expected a Trajectory"),
        ([7], TypeError, "data: expected a Trajectory"),
    ],
)
def test_what_is_no_data_is_refused(data, error, message):
    with pytest.raises(error, match=f"^{message}"):
        fs.identify(arm(), data, base=base())


def test_options_that_make_no_sense_are_refused():
    data = run(0)[0]
    for options, message in (
        ({"prior": 0.0}, "prior: expected a finite number > 0"),
        ({"base": fs.base_parameters(arm())}, "base: expected the base parameters of this model with these drives"),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            fs.identify(arm(), data, **options)
