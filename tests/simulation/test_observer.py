"""Contacts that no sensor feels: what observers make of simulated motions under a force from outside."""

import numpy as np
import pytest

import featherstone as fs

from ..functions import arrays_for
from ..random_trees import random_tree

GAIN, DT = 40.0, 1e-3


def pushed(model, q0, qd0, f_ext, duration=0.4, dt=DT, method="rk4", losses=False, seed=0):
    """A motion under steady torques and a force on bodies that the observer does not know."""
    tau = 0.3 * np.random.default_rng(seed).normal(size=model.nv) + fs.gravity_torque(model, q0)
    return fs.simulate(model, q0, qd0, tau=tau, f_ext=f_ext, duration=duration, dt=dt, method=method, losses=losses)


def wrench_at(model, q, frame, force):
    """f_ext of a force at a frame that turns with it."""
    return fs.external_wrench(model, q, frame, force=force, axes="frame")


@pytest.fixture(scope="module")
def arm():
    return fs.models.load("seven_axis")


@pytest.fixture(scope="module")
def start(arm):
    q = arm.random_configuration(4)
    return q, 0.2 * np.random.default_rng(2).normal(size=arm.nv)


@pytest.mark.parametrize("kind", ["every joint", "floating", "mimic"])
def test_nothing_is_felt_where_nothing_touches(kind):
    """The residual is what integration leaves, of second order in dt; and known forces are known."""
    model = {
        "every joint": random_tree(1, 8, massless=False),
        "floating": random_tree(2, 4, floating_base=True, massless=False),
        "mimic": random_tree(3, 9, mimic=True, massless=False),
    }[kind]
    given = arrays_for(model, 3, ())
    sizes = []
    for dt in (2e-3, 1e-3):
        run = pushed(model, given["q"], 0.3 * given["qd"], given["f_ext"], duration=0.04, dt=dt)
        found = fs.momentum_residual(
            model, run.q, run.qd, run.tau, np.asarray(given["f_ext"]), dt=dt, gain=1e3, losses=False
        )
        sizes.append(np.abs(found).max())
        blind = fs.momentum_residual(model, run.q, run.qd, run.tau, dt=dt, gain=1e3, losses=False)
        assert np.abs(blind).max() > 100 * sizes[-1]
    assert sizes[1] < sizes[0] / 3.0


def test_a_steady_contact_is_approached_as_by_a_filter_of_first_order():
    """Of a constant generalised force r it is r (1 - e^{-K t}) at every step, whatever K dt is."""
    model = fs.models.load("six_axis")
    q, still = np.array([0.1, -0.4, 0.6, 0.2, 0.5, 0.0]), np.zeros(6)
    r = np.array([1.0, -2.0, 3.0, 0.5, 0.0, 0.0])
    held = fs.gravity_torque(model, q) - r  # it stands, since the contact bears a part of its weight
    for gain in (10.0, 1e3, 1e5):
        observer = fs.MomentumObserver(model, gain, DT)
        for k in range(50):
            expected = r * -np.expm1(-gain * DT * k)
            np.testing.assert_allclose(observer.update(q, still, held), expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(fs.direct_residual(model, q, still, still, held), r, rtol=0, atol=1e-12)


def test_a_moving_arm_feels_the_force_at_its_hand(arm, start):
    """After several times 1/K it follows J^T F, as late as the filter is."""
    q, qd = start
    frame, force = "hand", np.array([3.0, -2.0, 4.0])
    f_ext = wrench_at(arm, q, frame, force)
    run = pushed(arm, q, qd, f_ext)
    found = fs.momentum_residual(arm, run.q, run.qd, run.tau, dt=DT, gain=GAIN, losses=False)
    # J^T of a force that moves with its body
    truth = fs.rnea(arm, run.q, run.qd, run.qdd) - fs.rnea(arm, run.q, run.qd, run.qdd, f_ext)
    filtered = np.zeros_like(truth)
    decay = np.exp(-GAIN * DT)
    for k in range(1, len(truth)):
        filtered[k] = decay * filtered[k - 1] + (1.0 - decay) * 0.5 * (truth[k - 1] + truth[k])
    assert np.abs(truth).max() > 1.0
    np.testing.assert_allclose(found, filtered, rtol=0, atol=1e-3 * np.abs(truth).max())
    np.testing.assert_allclose(found[-1], truth[-1], rtol=0, atol=0.2 * np.abs(truth[-1]).max())


def test_joints_beyond_the_contact_feel_nothing(arm, start):
    q, qd = start
    struck = 3  # a force on this link
    f_ext = np.zeros((arm.nb, 6))
    f_ext[struck] = [0.0, 0.0, 0.0, 5.0, -3.0, 4.0]
    run = pushed(arm, q, qd, f_ext)
    found = np.abs(fs.momentum_residual(arm, run.q, run.qd, run.tau, dt=DT, gain=GAIN, losses=False))
    beyond = [k for k in range(arm.nv) if k > struck]
    assert found[-1, : struck + 1].max() > 0.5
    assert found[:, beyond].max() < 1e-3 * found.max()


def test_directly_from_the_accelerations(arm, start):
    q, qd = start
    f_ext = wrench_at(arm, q, "hand", [3.0, -2.0, 4.0])
    run = pushed(arm, q, qd, f_ext)
    found = fs.direct_residual(arm, run.q, run.qd, run.qdd, run.tau, losses=False)
    truth = fs.rnea(arm, run.q, run.qd, run.qdd) - fs.rnea(arm, run.q, run.qd, run.qdd, f_ext)
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-9 * np.abs(truth).max())
    known = fs.direct_residual(arm, run.q, run.qd, run.qdd, run.tau, f_ext, losses=False)
    np.testing.assert_allclose(known, 0.0, rtol=0, atol=1e-9 * np.abs(truth).max())


def test_running_gives_what_the_record_gives(arm, start):
    q, qd = start
    run = pushed(arm, q, qd, wrench_at(arm, q, "hand", [3.0, -2.0, 4.0]), duration=0.05)
    gain = np.linspace(10.0, 80.0, arm.nv)
    recorded = fs.momentum_residual(arm, run.q, run.qd, run.tau, dt=DT, gain=gain, losses=False)
    observer = fs.MomentumObserver(arm, gain, DT, losses=False)
    for again in range(2):
        for k in range(len(run.t)):
            found = observer.update(run.q[k], run.qd[k], run.tau[k - 1] if k else run.tau[0])
            np.testing.assert_allclose(found, recorded[k], rtol=0, atol=1e-9)
        assert np.abs(found).max() > 0.1, again
        observer.reset()
        assert not observer.residual.any()


def test_many_robots_at_once(arm):
    given = arrays_for(arm, 5, (3, 20))
    q, qd, tau = given["q"], given["qd"], given["tau"]
    together = fs.momentum_residual(arm, q, qd, tau, given["f_ext"], dt=DT, gain=GAIN, losses=False)
    observer = fs.MomentumObserver(arm, GAIN, DT, losses=False)
    for k in range(20):
        running = observer.update(q[:, k], qd[:, k], tau[:, k - 1], given["f_ext"][:, k])
        np.testing.assert_allclose(running, together[:, k], rtol=1e-9, atol=1e-9)
    for k in range(3):
        alone = fs.momentum_residual(arm, q[k], qd[k], tau[k], given["f_ext"][k], dt=DT, gain=GAIN, losses=False)
        np.testing.assert_allclose(alone, together[k], rtol=1e-9, atol=1e-9)


def test_a_payload_that_the_model_has_is_not_felt(arm, start):
    q, qd = start
    loaded = arm.with_payload("hand", 1.0, com=(0, 0, 0.1))
    run = pushed(loaded, q, qd, None, duration=0.1)
    for model, felt in ((loaded, False), (arm, True)):
        found = fs.momentum_residual(model, run.q, run.qd, run.tau, dt=DT, gain=GAIN, losses=False)
        assert (np.abs(found).max() > 1.0) == felt


def test_damping_and_friction_of_joints_that_move_are_known():
    arm = fs.models.load("seven_axis").lock(["finger_1"], [0.0])
    for joint in arm.joints:
        if joint.type == "revolute":
            arm = arm.with_joint(joint.name, damping=0.3, friction=0.2, smoothing=0.05)
    q, qd = np.array([0.0, 0.4, 0.0, 1.4, 0.0, 1.0, 0.0]), np.full(7, 1.5)
    run = pushed(arm, q, qd, None, duration=0.1, losses=True)
    found, ignorant = (
        np.abs(fs.momentum_residual(arm, run.q, run.qd, run.tau, dt=DT, gain=GAIN, losses=x)).max()
        for x in (True, False)
    )
    assert found < 1e-2 * ignorant
    assert ignorant > 0.3
    directly = np.abs(fs.direct_residual(arm, run.q, run.qd, run.qdd, run.tau)).max()
    assert directly < 1e-9 * np.abs(run.tau).max()


def test_what_is_given_stays_as_it_is(arm):
    observer = fs.MomentumObserver(arm, GAIN, DT)
    q, qd, tau = arm.neutral(), np.ones(arm.nv), np.ones(arm.nv)
    before = [x.copy() for x in (q, qd, tau)]
    observer.update(q, qd, tau)
    first = observer.update(q, qd, tau)
    kept = first.copy()
    first[:] = 7.0
    assert np.array_equal(observer.residual, kept)
    assert all(np.array_equal(x, y) for x, y in zip(before, (q, qd, tau)))


@pytest.mark.parametrize("gain", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], [1.0] * 7 + [0.0], "fast", True, None, 1j])
def test_a_wrong_gain(arm, gain):
    for make in (
        lambda: fs.MomentumObserver(arm, gain, DT),
        lambda: fs.momentum_residual(arm, np.zeros((2, 8)), np.zeros((2, 8)), np.zeros((2, 8)), dt=DT, gain=gain),
    ):
        with pytest.raises((TypeError, ValueError), match=r"^gain: expected"):
            make()


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf, [1.0], "1", True, None])
def test_a_wrong_period(arm, dt):
    with pytest.raises((TypeError, ValueError), match=r"^dt: expected a positive number of seconds"):
        fs.MomentumObserver(arm, GAIN, dt)


def test_wrong_states(arm):
    observer = fs.MomentumObserver(arm, GAIN, DT)
    q, zero = arm.neutral(), np.zeros(arm.nv)
    observer.update(q, zero, zero)
    bad = np.full(arm.nv, np.nan)
    cases = [
        ((q[:-1], zero, zero), "q: expected"),
        ((q, zero[:-1], zero), "qd: expected"),
        ((q, zero, zero[:-1]), "tau: expected"),
        ((q, zero, 1.0), "tau: expected"),
        ((q, zero, bad), "tau: expected finite numbers"),
        ((q, bad, zero), "qd: expected finite numbers"),
        ((q, zero, ["a"] * arm.nv), "tau: expected real numbers"),
        ((np.stack([q, q]), zero, zero), "q, qd: expected the batch shape"),
    ]
    for arguments, text in cases:
        with pytest.raises((TypeError, ValueError), match=f"^{text}"):
            observer.update(*arguments)
    # what it had seen before stays
    assert np.abs(observer.update(q, zero, fs.gravity_torque(arm, q))).max() < 1e-9
    with pytest.raises(TypeError, match=r"^model: expected a Model"):
        fs.MomentumObserver("arm", GAIN, DT)
    with pytest.raises(TypeError, match=r"^losses: expected"):
        fs.MomentumObserver(arm, GAIN, DT, losses=1)
    many = np.zeros((5, arm.nv))
    apart = r"^batch shapes do not broadcast: the states \(5,\), tau \(4,\)"
    with pytest.raises(ValueError, match=apart):
        fs.momentum_residual(arm, many, many, many[:4], dt=DT, gain=GAIN)
    with pytest.raises(ValueError, match=apart):
        fs.direct_residual(arm, many, many, many, many[:4])
    with pytest.raises(ValueError, match=apart):
        fs.MomentumObserver(arm, GAIN, DT).update(many, many, many[:4])
    with pytest.raises(ValueError, match=r"^tau: expected \(..., T, 8\)"):
        fs.momentum_residual(arm, q, zero, zero, dt=DT, gain=GAIN, losses=False)


def test_what_the_filter_goes_by_cannot_be_changed(arm):
    """Its decay is computed once, so a gain that could be set would be read back and not used."""
    observer = fs.MomentumObserver(arm, 50.0, 0.001)
    for name in ("model", "gain", "dt", "residual"):
        with pytest.raises(AttributeError):
            setattr(observer, name, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        observer.gain[...] = 1.0
    observer.residual[...] = 99.0
    assert not observer.residual.any()
    assert (float(observer.gain), observer.dt, observer.model) == (50.0, 0.001, arm)
