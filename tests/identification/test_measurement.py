"""Measured positions become motion: without what is fast, without a shift in time."""

import numpy as np
import pytest

import featherstone as fs

DT = 0.001


@pytest.fixture(scope="module")
def swing():
    """A motion of the arm at 0.1 to 0.5 Hz, and times."""
    arm = fs.models.load("six_axis")
    motion = fs.exciting_trajectory(arm, trials=4, seed=3)
    return arm, motion, np.arange(0.0, 10.0, DT)


def test_velocity_and_acceleration_are_those_of_the_motion(swing):
    arm, motion, t = swing
    q, qd, qdd = motion(t)
    found = fs.filtered_motion(arm, t, q, qd, cutoff=10.0)
    kept = (t >= 0.2 - DT / 2) & (t < 9.8 - DT / 2)
    np.testing.assert_array_equal(found.t, t[kept])
    for mine, right in ((found.q, q), (found.qd, qd), (found.qdd, qdd), (found.tau, qd)):
        assert np.abs(mine - right[kept]).max() <= 0.01 * np.abs(right).max()


def test_noise_of_encoders_is_filtered_out(swing):
    """Positions rounded to 1e-4 rad: plain differences give accelerations of hundreds, filtered ones the right ones."""
    arm, motion, t = swing
    q, _, qdd = motion(t)
    rounded = np.round(q, 4)
    raw = np.diff(rounded, 2, axis=0) / DT**2
    assert np.abs(raw).max() > 10.0 * np.abs(qdd).max()
    found = fs.filtered_motion(arm, t, rounded, qdd, cutoff=5.0)
    kept = np.isin(t, found.t)
    assert np.abs(found.qdd - qdd[kept]).max() <= 0.03 * np.abs(qdd).max()


def test_some_moments_may_be_kept(swing):
    arm, motion, t = swing
    q, qd, _ = motion(t)
    every, tenth = (fs.filtered_motion(arm, t, q, qd, cutoff=10.0, every=k) for k in (1, 10))
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(tenth, name), getattr(every, name)[::10])


def test_quaternions_give_velocities_in_body_axes():
    """A floating body turns steadily and flies ahead; the sign of its quaternion flips at each moment."""
    builder = fs.ModelBuilder("drone")
    builder.add_link("drone", 1.0)
    drone = builder.build(floating_base=True)
    t = np.arange(0.0, 3.0, DT)
    rate, speed = np.array([0.3, -0.8, 0.5]), np.array([1.0, 0.0, 0.5])
    q = fs.integrate(drone, drone.neutral(), t[:, None] * np.concatenate([rate, speed]))
    q[::2, 3:] *= -1.0
    found = fs.filtered_motion(drone, t, q, np.zeros((len(t), 6)), cutoff=20.0)
    np.testing.assert_allclose(found.qd, np.tile([*rate, *speed], (len(found), 1)), rtol=0, atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 3:], axis=1), 1.0, rtol=1e-14)


def test_positions_and_torques_alone_identify(swing):
    arm, motion, t = swing
    q, qd, qdd = motion(t)
    rng = np.random.default_rng(0)
    tau = fs.rnea(arm, q, qd, qdd)
    tau += 0.01 * np.abs(tau).mean(0) * rng.normal(size=tau.shape)
    data = {"t": t, "q": q + 1e-5 * rng.normal(size=q.shape), "tau": tau}
    found = fs.identify(arm.scale(2.0), data, cutoff=10.0)
    right = found.base.beta(arm.parameters(found.base.drives))
    heavy = np.abs(right) > 0.5 * np.abs(right).max()
    assert heavy.sum() >= 4
    np.testing.assert_allclose(found.beta[heavy], right[heavy], rtol=0.02)


@pytest.mark.parametrize(
    ("t", "options", "message"),
    [
        (np.cumsum(np.tile([0.001, 0.002], 500)), {"cutoff": 10.0}, "t: expected equal steps"),
        (np.zeros(1000), {"cutoff": 10.0}, "t: expected increasing times"),
        (np.arange(1000) * 0.001, {"cutoff": 500.0}, "cutoff: expected Hz between 0 and half the sampling rate"),
        (np.arange(1000) * 0.001, {"cutoff": 0.0}, "cutoff: expected Hz"),
        (np.arange(1000) * 0.001, {"cutoff": 4.0}, "t: expected at least 1500 moments"),
        (np.arange(1000) * 0.001, {"cutoff": 10.0, "order": 0}, "order: expected an integer from 1 to 10"),
        (np.arange(1000) * 0.001, {"cutoff": 10.0, "every": 1.5}, "every: expected an integer >= 1"),
    ],
)
def test_what_cannot_be_filtered_is_refused(t, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        fs.filtered_motion(fs.models.load("pendulum"), t, np.zeros((1000, 1)), np.zeros((1000, 1)), **options)


def test_nothing_is_filtered_that_is_not_finite():
    q = np.zeros((1000, 1))
    q[3] = np.nan
    with pytest.raises(ValueError, match=r"^q: expected finite numbers"):
        fs.filtered_motion(fs.models.load("pendulum"), np.arange(1000) * 0.001, q, np.zeros((1000, 1)), cutoff=10.0)
