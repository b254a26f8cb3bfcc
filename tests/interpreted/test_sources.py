"""Every line of the sources, for the run without compilation: each algorithm with each joint type, once.

The laws themselves are tried in tests/identities on many robots; here a wide tolerance does, since rounding is not what
is looked at.
"""

import numpy as np
import pytest

import featherstone as fs

from ..functions import FUNCTIONS, arrays_for
from ..random_trees import ALL, random_tree

ROBOTS = {kind: {"seed": 1, "n": 1, "joints": (kind,)} for kind in ALL} | {
    "every joint, floating base": {"seed": 2, "n": 11, "floating_base": True},
    "bolted": {"seed": 3, "n": 4, "fixed": True},
    "mimic": {"seed": 4, "n": 5, "mimic": True, "fixed": True},
}
TOLERANCE = 1e-8


def near(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    return bool(np.abs(found - expected).max() <= TOLERANCE * (1.0 + np.abs(expected).max()))


@pytest.fixture(params=ROBOTS)
def model(request):
    return random_tree(**ROBOTS[request.param])


@pytest.fixture
def state(model):
    return arrays_for(model, 1, ())


@pytest.mark.parametrize("method", ["aba", "cholesky"])
@pytest.mark.parametrize("losses", [False, True])
def test_forward_dynamics_inverts_rnea(model, state, method, losses):
    q, qd, qdd, f_ext = (state[name] for name in ("q", "qd", "qdd", "f_ext"))
    tau = fs.rnea(model, q, qd, qdd, f_ext, losses=losses)
    assert near(fs.forward_dynamics(model, q, qd, tau, f_ext, method=method, losses=losses), qdd)


def test_mass_matrix_times_acceleration_is_what_inertia_adds(model, state):
    q, qd, qdd = (state[name] for name in ("q", "qd", "qdd"))
    H = fs.crba(model, q)
    assert near(H @ qdd, fs.rnea(model, q, qd, qdd) - fs.bias_torque(model, q, qd))
    assert near(fs.kinetic_energy(model, q, qd), qd @ H @ qd / 2)


def test_factor_of_the_mass_matrix(model, state):
    H, factor = fs.crba(model, state["q"]), fs.cholesky(model, state["q"])
    assert near(factor.matrix(), H)
    assert near(H @ factor.solve(state["tau"]), state["tau"])
    assert near(H @ fs.mass_matrix_inverse(model, state["q"]), np.eye(model.nv))
    assert near(factor.logdet(), np.linalg.slogdet(H)[1])


def test_gravity_torque_is_the_gradient_of_potential_energy(model, state):
    q, h = state["q"], 1e-4
    slopes = [
        (
            fs.potential_energy(model, fs.integrate(model, q, h * e))
            - fs.potential_energy(model, fs.integrate(model, q, -h * e))
        )
        / (2 * h)
        for e in np.eye(model.nv)
    ]
    torque = fs.gravity_torque(model, q)
    # the central difference leaves a sixth of the third derivative times h^2
    assert np.abs(slopes - torque).max() < 10.0 * h * h * (1.0 + np.abs(torque).max())


def test_difference_inverts_integrate(model, state):
    for step in (1e-9, 1e-2, 1.0):  # where series stand in for differences that cancel, and where not
        dq = step * state["dq"]
        assert near(fs.difference(model, state["q"], fs.integrate(model, state["q"], dq)), dq)


def test_frames_are_where_their_bodies_are(model, state):
    poses = fs.forward_kinematics(model, state["q"])
    for name in model.frame_names:
        _, body, offset = model.frame(name)
        expected = poses[body - 1] @ offset if body else offset
        assert near(fs.frame_pose(model, state["q"], name), expected)


def test_a_batch_is_its_states(model):
    arrays = arrays_for(model, 2, (3,))
    for function in FUNCTIONS.values():
        alone = [function(model, {name: x[k] for name, x in arrays.items()}) for k in range(3)]
        assert near(function(model, arrays), np.stack(alone))


@pytest.mark.parametrize("method", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("losses", [False, True])
def test_a_simulated_step_follows_the_acceleration(model, state, method, losses):
    q, qd, tau, dt = state["q"], 0.3 * state["qd"], state["tau"], 1e-4
    run = fs.simulate(model, q, qd, tau=tau, duration=2 * dt, dt=dt, method=method, losses=losses)
    qdd = fs.aba(model, q, qd, tau, losses=losses)
    assert run.q.shape == (3, model.nq)
    # within a step forces change by a part of dt, dry friction turns about at once
    slipping = 2.0 * np.abs(fs.mass_matrix_inverse(model, q)) @ model.friction if losses else 0.0
    assert (np.abs((run.qd[1] - qd) / dt - qdd) <= 0.05 * (1.0 + np.abs(qdd).max()) + slipping).all()
    moved = fs.difference(model, q, run.q[1]) / dt
    assert np.abs(moved - qd).max() <= 2.0 * dt * (1.0 + np.abs(qdd).max() + np.max(slipping))


def test_a_controller_is_asked_each_step(model, state):
    times = []

    def controller(t, q, qd):
        times.append(t)
        return -0.1 * qd

    fs.simulate(model, state["q"], 0.1 * state["qd"], controller=controller, duration=2e-3, dt=1e-3)
    assert times == pytest.approx([0.0, 1e-3, 2e-3])


@pytest.mark.parametrize("shape", [(), (3,)])
def test_what_is_not_finite_is_an_error(model, shape):
    arrays = arrays_for(model, 3, shape)
    for name, function in (("qd", FUNCTIONS["rnea"]), ("tau", FUNCTIONS["aba"]), ("f_ext", FUNCTIONS["bias_torque"])):
        bad = arrays[name].copy()
        bad.flat[-1] = np.nan
        with pytest.raises(ValueError, match=f"^{name}: expected finite numbers, got nan"):
            function(model, arrays | {name: bad})
    with pytest.raises(OverflowError, match="the result is not finite"):
        fs.kinetic_energy(model, arrays["q"], np.full((*shape, model.nv), 1e200))


def test_a_quaternion_of_another_length_is_an_error(model, state):
    q = state["q"].copy()
    for k in model.quaternion_indices:
        q[k : k + 4] *= 1.1
    if model.quaternion_indices.size:
        with pytest.raises(ValueError, match="quaternion"):
            fs.crba(model, q)
    else:
        assert fs.crba(model, q).shape == (model.nv, model.nv)


@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_joint_that_moves_nothing_is_an_error(shape):
    builder = fs.ModelBuilder("massless")
    for name, mass in (("base", 0.0), ("arm", 1.0), ("tip", 0.0)):
        builder.add_link(name, mass, (0.1, 0.0, 0.0))
    builder.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 0, 1))
    builder.add_joint("wrist", "revolute", "arm", "tip", axis=(0, 1, 0))
    model = builder.build()
    zero = np.zeros((*shape, 2))
    for call in (
        lambda: fs.aba(model, zero, zero, zero),
        lambda: fs.forward_dynamics(model, zero, zero, zero, method="cholesky"),
        lambda: fs.cholesky(model, zero),
        lambda: fs.mass_matrix_inverse(model, zero),
        lambda: fs.simulate(model, zero, zero, duration=0.1, dt=0.1),
    ):
        with pytest.raises(fs.SingularMassMatrixError, match="'wrist'"):
            call()


def test_a_simulation_that_blows_up_is_an_error():
    model = random_tree(5, 2, ("revolute",), massless=False)
    with pytest.raises(fs.SimulationError, match="NaN or infinite"):
        fs.simulate(model, np.zeros(2), np.full(2, 1e150), duration=1.0, dt=0.1, method="rk4")


def test_second_derivatives_of_inverse_dynamics(model, state):
    """By qd and qdd they are known from the mass matrix; by q from differences of the first derivatives."""
    q, qd, qdd, f_ext = (state[name] for name in ("q", "qd", "qdd", "f_ext"))
    by_q_q, by_q_qd, by_qd_qd, by_q_qdd = fs.rnea_second_derivatives(model, q, qd, qdd, f_ext)
    G = fs.christoffel_symbols(model, q)
    assert near(by_qd_qd, G + G.swapaxes(1, 2))
    assert near(by_q_qdd, np.einsum("kji->kij", G + G.swapaxes(0, 1)))
    along, h = np.linspace(-1.0, 1.0, model.nv), 1e-4

    def first(t):
        return np.stack(fs.rnea_derivatives(model, fs.integrate(model, q, t * along), qd, qdd, f_ext)[:2])

    # of fourth order: off by h^4, and by rounding over h
    slope = (8.0 * (first(h) - first(-h)) - (first(2.0 * h) - first(-2.0 * h))) / (12.0 * h)
    assert near(by_q_q @ along, slope[0])
    assert near(np.einsum("kij,i->kj", by_q_qd, along), slope[1])
    bent = fs.rnea_second_derivatives(model, q, qd, qdd, f_ext, losses=True)[2] - by_qd_qd
    k = np.arange(model.nv)
    bent[k, k, k] = 0.0
    assert not bent.any()
