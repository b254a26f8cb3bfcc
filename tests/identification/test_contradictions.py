"""Data that no robot can have made, that say nothing, or that are not as they should be."""

import numpy as np
import pytest

import featherstone as fs

ARM = fs.models.load("planar_2r")


def recording(model=ARM, seed=0, noise=0.0, signs=1.0):
    """A mapping for `identify`."""
    t, q, qd, qdd = fs.exciting_trajectory(model, trials=3, seed=seed).sample(0.02)
    tau = fs.rnea(model, q, qd, qdd) * signs
    tau = tau + noise * np.random.default_rng(seed).normal(size=tau.shape)
    return {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau}


def left(found, data):
    return found.predict(data["q"], data["qd"], data["qdd"]) - data["tau"]


@pytest.mark.parametrize("robot", ["planar_2r", "six_axis", "pendulum"])
@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("flipped", ["all", "first", "second to last"])
def test_torques_of_the_wrong_sign_are_fitted_and_told(robot, noise, flipped):
    """The noise is that of the fit that is returned, and the report says that bodies contradict the torques."""
    model = fs.models.load(robot)
    signs = np.ones(model.nv)
    signs[{"all": slice(None), "first": slice(0, 1), "second to last": slice(min(1, model.nv - 1), None)}[flipped]] = -1
    data = recording(model, noise=noise, signs=signs)
    found = fs.identify(model, data, consistent=True)
    spread = np.sqrt((left(found, data) ** 2).mean(axis=0))
    loud = spread > 1e-3 * spread.max()
    assert loud.any()
    np.testing.assert_allclose(found.noise[loud], spread[loud], rtol=0.05)
    assert (found.noise > 1.25 * found.least_noise).any()
    assert "check signs, units and the order of joints" in str(found)
    assert fs.Inertia.from_parameters(found.pi[: 10 * model.nb].reshape(-1, 10)).is_physically_consistent().all()


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("consistent", [False, True])
def test_right_torques_are_not_told_to_be_wrong(noise, consistent):
    data = recording(noise=noise)
    found = fs.identify(ARM, data, consistent=consistent)
    assert "check signs" not in str(found)
    if noise:
        np.testing.assert_allclose(found.noise, left(found, data).std(axis=0), rtol=0.05)
        np.testing.assert_allclose(found.noise, found.least_noise, rtol=0.05)


def test_deviations_grow_with_what_is_left():
    """A fit that leaves much of the torques does not call its parameters well known."""
    good = fs.identify(ARM, recording(noise=0.05), consistent=True)
    bad = fs.identify(ARM, recording(noise=0.05, signs=np.array([1.0, -1.0])), consistent=True)
    assert (bad.deviation > 5 * good.deviation).sum() > len(good.deviation) / 2


def test_torques_that_are_all_zero_are_refused():
    data = recording()
    with pytest.raises(ValueError, match=r"^data: tau: expected some torques that are not zero"):
        fs.identify(ARM, data | {"tau": 0 * data["tau"]})


def test_as_many_torques_as_parameters_say_nothing_of_noise():
    data = {key: x[:5] for key, x in recording().items()}
    with pytest.raises(ValueError, match=r"^data: expected at least 6 moments, more torques than the 10 base"):
        fs.identify(ARM, data)


def test_states_that_do_not_change_have_an_infinite_condition():
    data = {key: np.repeat(x[7:8], 50, axis=0) for key, x in recording().items() if key != "t"}
    found = fs.identify(ARM, data)
    assert found.condition == np.inf
    assert np.isinf(found.deviation).any()


def test_stiction_without_a_stribeck_curve_becomes_friction():
    """The two make the same torque, so the model that is returned has it, whatever the fit has told apart."""
    rough = ARM.with_joint("shoulder", friction=0.5).with_joint("elbow", friction=0.3)
    q, qd, qdd = fs.exciting_trajectory(ARM, trials=3).sample(0.02)[1:]
    tau = fs.rnea(rough, q, qd, qdd, losses=True)
    tau = tau + 0.01 * np.random.default_rng(0).normal(size=tau.shape)
    found = fs.identify(ARM, {"q": q, "qd": qd, "qdd": qdd, "tau": tau}, drives="all", consistent=True)
    friction = found.model.parameters("friction")[-2:]
    np.testing.assert_allclose(friction, [0.5, 0.3], atol=0.02)
    assert not found.model.parameters("stiction")[-2:].any()
    np.testing.assert_allclose(fs.rnea(found.model, q, qd, qdd, losses=True), found.predict(q, qd, qdd), atol=1e-9)


def test_a_model_that_cannot_be_says_how_to_get_one_that_can():
    pi = ARM.parameters("friction")
    with pytest.raises(fs.ModelError, match="friction: expected a number >= 0"):
        ARM.with_parameters(np.where(np.arange(len(pi)) == len(pi) - 1, -1e-4, pi), "friction")
    data = recording()
    data["tau"] = data["tau"] - 0.05 * np.sign(data["qd"])
    found = fs.identify(ARM, data)
    with pytest.raises(fs.ModelError, match=r"identify\(..., consistent=True\) keeps them$") as caught:
        _ = found.model  # a property, made when it is first asked for
    assert caught.value.element is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"f_ext": np.zeros((500, 2, 6))}, "data: expected q, qd, qdd, tau and perhaps t.* no place for forces"),
        ({"t": np.arange(4.0)}, "t: expected a time for each of 500 moments"),
        ({"t": 9 - np.arange(500.0)}, "t: expected increasing times, got 8 behind 9 at index 1"),
        ({"t": np.full(500, np.nan)}, "t: expected finite times"),
    ],
)
def test_what_is_not_used_is_refused(change, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        fs.identify(ARM, recording() | change)


def test_base_parameters_must_be_some():
    with pytest.raises(TypeError, match=r"^base: expected BaseParameters, got int"):
        fs.identify(ARM, recording(), base=3)


class TestFilteredMotion:
    T = np.arange(0, 10, 0.005)
    Q = np.column_stack([0.8 * T, np.sin(T)])

    def refused(self, kind, message, t=T, q=Q, **options):
        with pytest.raises(kind, match=f"^{message}"):
            fs.filtered_motion(ARM, t, q, 0 * self.Q, **{"cutoff": 1.0} | options)

    def test_options(self):
        self.refused(ValueError, "order: expected an integer from 1 to 10, got 11", order=11)
        for cutoff in (None, [1.0], "1"):
            self.refused(TypeError, "cutoff: expected a number, Hz, got", cutoff=cutoff)

    def test_the_highest_order_still_has_its_digits(self):
        found = fs.filtered_motion(ARM, self.T, self.Q, 0 * self.Q, cutoff=1.0, order=10)
        np.testing.assert_allclose(found.q[:, 0], 0.8 * found.t, atol=2e-3)
        np.testing.assert_allclose(found.qd[:, 0], 0.8, atol=2e-3)

    def test_times(self):
        self.refused(ValueError, "t: expected finite times", t=None)
        self.refused(ValueError, "t: expected increasing times, got 9.99 behind 9.995", t=self.T[::-1])

    def test_angles_that_go_on_at_the_other_end(self):
        wrapped = (self.Q + np.pi) % (2 * np.pi) - np.pi
        self.refused(ValueError, "q: expected angles without jumps by a turn.*'shoulder'; see numpy.unwrap", q=wrapped)
        fs.filtered_motion(ARM, self.T, np.unwrap(wrapped, axis=0), 0 * self.Q, cutoff=1.0)


class TestExcitingTrajectory:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"velocity": 0.0}, "joint 'joint_1': expected limits of velocity that let it move, got 0"),
            ({"lower": 0.1, "upper": 0.1}, "joint 'joint_1': expected limits of positions that let it move, got 0"),
        ],
    )
    def test_joints_that_cannot_move(self, change, message):
        with pytest.raises(ValueError, match=f"^{message}"):
            fs.exciting_trajectory(fs.models.load("six_axis").with_joint("joint_1", **change), trials=2)

    def test_options(self):
        arm = fs.models.load("six_axis")
        with pytest.raises(ValueError, match=r"^base: expected the base parameters of this model"):
            fs.exciting_trajectory(arm, base=fs.base_parameters(ARM))
        with pytest.raises(ValueError, match=r"^acceleration: expected limits > 0, one or shape \(6,\)"):
            fs.exciting_trajectory(arm, acceleration=[1.0, 2.0])
        bolted = fs.ModelBuilder("bolted")
        bolted.add_link("base", 1.0, (0, 0, 0), np.eye(3))
        with pytest.raises(ValueError, match=r"^model: expected joints that move, 'bolted' has none"):
            fs.exciting_trajectory(bolted.build())
