"""A step's derivatives: against simulate's own source at 50 digits, and over whole trajectories."""

import mpmath
import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.configuration import difference_into, integrate_into
from featherstone.engine.kernel import field_kinds
from featherstone.simulation.simulate import METHODS as NUMBERS
from featherstone.simulation.stepping import COUPLED_ROLLOUT, ROLLOUT

from ..oracles.truth import DIGITS, exact_array
from ..random_trees import ALL, random_forces, random_q, random_tree
from .robots import METHODS
from .test_moving_base import rocking

EPS = 2.0**-53
DT = 0.01
COUNT = 4  # states of each robot
TINY = mpmath.mpf(10) ** -18  # a displacement whose square 50 digits still tell
ROBOTS = {
    "every joint": random_tree(11, 10, ALL, massless=False),
    "chain": random_tree(12, 5, ALL, "chain", massless=False),
    "floating": random_tree(13, 6, floating_base=True, massless=False),
    "mimic": random_tree(14, 10, mimic=True, fixed=True, massless=False),
    "floating mimic": random_tree(15, 8, mimic=True, floating_base=True, massless=False),
}
every_robot = pytest.mark.parametrize("robot", ROBOTS)
every_method = pytest.mark.parametrize("method", METHODS)


def states(model, seed=0):
    """Unit quaternions, and rates away from rest, where dry friction would jump; the first is at rest all the same."""
    rng = np.random.default_rng(seed)
    q = fs.integrate(model, random_q(model, rng, (COUNT,)), np.zeros(model.nv))
    qd, tau = rng.normal(size=(2, COUNT, model.nv))
    return q, qd, tau, random_forces(model, rng, (COUNT,))


def condition(model, q):
    """Of the mass matrix, in units that make its diagonal ones."""
    H = fs.crba(model, q)
    root = np.sqrt(np.einsum("bii->bi", H))
    return np.linalg.cond(H / (root[:, :, None] * root[:, None, :]))


def exactly_stepped(model, tree, method, losses, state, base):
    """The state after one step of simulate's own source on numbers of 50 digits."""
    q, qd, tau, f_ext = state
    kernel = (COUPLED_ROLLOUT if model.tree.coupled else ROLLOUT)[NUMBERS[method], False]
    nq, nv = model.nq, model.nv
    rows_q, rows_qd, qdd = (np.empty(n, object) for n in (2 * nq, 2 * nv, nv))
    rows_q[:nq], rows_qd[:nv] = q, qd
    options = np.array([losses, 1, 0, 0, 1, 0, 0, 0])
    settings, work = exact_array([DT]), np.empty(kernel.work(model.tree), object)
    kernel.source(tree, options, settings, tau, f_ext, base, rows_q, rows_qd, qdd, work)
    assert work[0] == 0
    return rows_q[nq:], rows_qd[nv:]


def exact_slope(model, method, losses, state, base, direction):
    """How the state after a step changes with (dq, dqd, dtau), in tangent coordinates."""
    nv = model.nv
    constants = {
        name: exact_array(getattr(model.tree, name))
        for name, x in field_kinds(type(model.tree)).items()
        if x == "Reals"
    }
    tree = model.tree._replace(**constants)
    q, qd, tau, f_ext = map(exact_array, state)
    d = exact_array(direction) * TINY
    base = None if base is None else exact_array(base.array)
    ends = []
    for sign in (1, -1):
        moved = np.empty(model.nq, object)
        integrate_into(tree, q, sign * d[:nv], moved)
        here = (moved, qd + sign * d[nv : 2 * nv], tau + sign * d[2 * nv :], f_ext.ravel())
        ends.append(exactly_stepped(model, tree, method, losses, here, base))
    (q_ahead, qd_ahead), (q_behind, qd_behind) = ends
    dq = np.empty(nv, object)
    difference_into(tree, q_behind, q_ahead, dq)
    return np.concatenate([dq, qd_ahead - qd_behind]) / (2 * TINY)


@every_method
@every_robot
@pytest.mark.parametrize("losses", [False, True])
def test_derivatives_are_those_of_simulates_source(robot, method, losses):
    model = ROBOTS[robot]
    q, qd, tau, f_ext = states(model)
    base = rocking(0.7) if robot in ("chain", "mimic") else None
    if method == "semi_implicit_euler":
        qd[0] = 0.0  # where dry friction holds
    step = fs.step_derivatives(model, q, qd, tau, DT, f_ext, method=method, losses=losses, base=base)
    found = np.concatenate([step.A, step.B], axis=-1)
    # solving is off by at most about n roundings times the condition: Higham (2002), theorem 10.4
    allowed = 4.0 * model.nv * EPS * condition(model, q) * np.abs(found).max(axis=(1, 2))
    directions = np.random.default_rng(5).choice([-1.0, 0.5, 1.0], (COUNT, 3 * model.nv))
    with mpmath.workdps(DIGITS):
        for k in range(COUNT):
            state = (q[k], qd[k], tau[k], f_ext[k])
            true = exact_slope(model, method, losses, state, base, directions[k]).astype(float)
            error = np.abs(found[k] @ directions[k] - true).max()
            assert error <= allowed[k]
            assert allowed[k] < 1e-9 * np.abs(true).max()


@every_method
@every_robot
@pytest.mark.parametrize("losses", [False, True])
def test_the_step_is_simulates(robot, method, losses):
    model = ROBOTS[robot]
    q, qd, tau, f_ext = states(model)
    step = fs.step_derivatives(model, q, qd, tau, DT, f_ext, method=method, losses=losses)
    run = fs.simulate(model, q, qd, tau=tau, f_ext=f_ext, duration=DT, dt=DT, method=method, losses=losses)
    size = np.abs(run.qd).max(axis=(1, 2)) + DT * np.abs(run.qdd).max(axis=(1, 2))
    allowed = (4.0 * model.nv * EPS * condition(model, q) * size)[:, None]
    assert (np.abs(step.qd - run.qd[:, -1]) <= allowed).all()
    assert (np.abs(fs.difference(model, run.q[:, -1], step.q)) <= allowed + 8 * EPS * np.abs(q).max()).all()
    assert np.abs(run.qd[:, -1] - qd).max() > 1e-3


@every_method
@pytest.mark.parametrize("robot", ["floating", "mimic"])
def test_matrices_along_a_motion_tell_where_one_from_beside_it_leads(robot, method):
    """To second order: half as far beside, a quarter of the error."""
    model, n = ROBOTS[robot], 40
    options = {"method": method, "losses": method == "semi_implicit_euler"}
    q, qd, tau, _ = (x[1] for x in states(model, 3))
    rng = np.random.default_rng(1)
    x, u = rng.normal(size=2 * model.nv), rng.normal(size=model.nv)

    def run(part):
        start = fs.integrate(model, q, part * x[: model.nv])
        torque = np.tile(tau + part * u, (n, 1))
        end = fs.simulate(model, start, qd + part * x[model.nv :], tau=torque, duration=n * DT, dt=DT, **options)
        return end.q[-1], end.qd[-1]

    here, now = q, qd
    change = x
    for _ in range(n):
        step = fs.step_derivatives(model, here, now, tau, DT, **options)
        change = step.A @ change + step.B @ u
        here, now = step.q, step.qd
    errors = []
    for part in (1e-4, 5e-5, 2.5e-5):
        q_end, qd_end = run(part)
        beside = np.concatenate([fs.difference(model, here, q_end), qd_end - now])
        errors.append(np.abs(beside - part * change).max())
    ratios = np.array(errors[:-1]) / errors[1:]
    assert (np.abs(ratios - 4.0) < 0.2).all()
    assert errors[0] < 0.1 * 1e-4 * np.abs(change).max()


@every_method
def test_a_free_pendulum_has_the_matrices_of_its_equation(method):
    """I qdd = tau - m g l sin q: A and B by hand."""
    model = fs.models.load("pendulum")
    q, qd, tau = np.array([0.4]), np.array([0.3]), np.array([0.1])
    by_q, by_qd, by_tau = (x[0, 0] for x in fs.aba_derivatives(model, q, qd, tau))
    step = fs.step_derivatives(model, q, qd, tau, DT, method=method, losses=False)
    assert by_qd == 0.0
    if method == "semi_implicit_euler":
        A = [[1.0 + DT**2 * by_q, DT], [DT * by_q, 1.0]]
        B = [[DT**2 * by_tau], [DT * by_tau]]
        np.testing.assert_allclose(step.A, A, rtol=0, atol=4 * EPS)
        np.testing.assert_allclose(step.B, B, rtol=0, atol=4 * EPS)
    else:
        # the exact flow, whose error of fifth order is the method's own
        expected = np.array([[1.0 + DT**2 * by_q / 2, DT], [DT * by_q, 1.0 + DT**2 * by_q / 2]])
        np.testing.assert_allclose(step.A, expected, rtol=0, atol=4 * DT**3 * abs(by_q) * (1 + abs(by_q)))
        assert np.abs(step.A - expected).max() > 1e-9


@every_method
def test_results_can_be_written_into_arrays(method):
    model = ROBOTS["floating"]
    q, qd, tau, f_ext = states(model)
    n = model.nv
    out = tuple(np.full((COUNT, *x), np.nan) for x in ((model.nq,), (n,), (2 * n, 2 * n), (2 * n, n)))
    found = fs.step_derivatives(model, q, qd, tau, DT, f_ext, method=method, out=out)
    assert all(x is y for x, y in zip(found, out))
    for x, y in zip(fs.step_derivatives(model, q, qd, tau, DT, f_ext, method=method), out):
        np.testing.assert_array_equal(x, y)


def test_a_base_may_be_a_batch():
    model = ROBOTS["chain"]
    q, qd, tau, _ = states(model)
    bases = [rocking(t) for t in (0.0, 0.3)]
    together = fs.BaseMotion.from_array(np.stack([base.array for base in bases])[:, None])
    found = fs.step_derivatives(model, q, qd, tau, DT, base=together)
    assert found.A.shape == (2, COUNT, 2 * model.nv, 2 * model.nv)
    for k, base in enumerate(bases):
        np.testing.assert_array_equal(found.A[k], fs.step_derivatives(model, q, qd, tau, DT, base=base).A)
    assert np.abs(found.A[0] - found.A[1]).max() > 1e-6


class TestErrors:
    arm = fs.models.load("planar_2r")

    def given(self, **changed):
        options = {"model": self.arm, "q": [0.1, 0.2], "qd": [0.0, 0.0], "tau": [0.0, 0.0], "dt": 0.01} | changed
        return lambda: fs.step_derivatives(**options)

    @pytest.mark.parametrize("dt", [0.0, -0.01, float("nan"), float("inf")])
    def test_a_step_of_no_length_is_refused(self, dt):
        with pytest.raises(ValueError, match="dt: expected a finite number of seconds > 0"):
            self.given(dt=dt)()

    @pytest.mark.parametrize("dt", ["0.01", None, [0.01], True])
    def test_a_step_that_is_no_number_is_refused(self, dt):
        with pytest.raises(TypeError, match="dt: expected a number of seconds"):
            self.given(dt=dt)()

    def test_an_unknown_method_is_refused(self):
        with pytest.raises(ValueError, match="method: expected one of 'semi_implicit_euler', 'rk4', got 'euler'"):
            self.given(method="euler")()

    def test_elastic_joints_are_refused(self):
        builder = fs.ModelBuilder("flexible")
        builder.add_link("base")
        builder.add_link("arm", mass=1.0, com=(0.5, 0, 0))
        builder.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 1, 0), armature=0.1)
        flexible = fs.elastic(builder.build(), {"shoulder": 100.0})
        with pytest.raises(TypeError, match="model: expected a Model, got Elastic"):
            self.given(model=flexible)()

    @every_method
    def test_a_singular_mass_matrix_names_its_joint(self, method):
        builder = fs.ModelBuilder("weightless")
        builder.add_link("base")
        builder.add_link("feather")
        builder.add_joint("hinge", "revolute", "base", "feather", axis=(0, 1, 0))
        with pytest.raises(fs.SingularMassMatrixError) as caught:
            self.given(model=builder.build(), q=[0.0], qd=[0.0], tau=[1.0], method=method, losses=False)()
        assert caught.value.joint == "hinge"

    def test_two_results_in_one_array_are_refused(self):
        room = np.zeros(100)
        out = (np.zeros(2), np.zeros(2), room[:16].reshape(4, 4), room[10:18].reshape(4, 2))
        with pytest.raises(ValueError, match="out: expected arrays that share no memory with each other"):
            self.given(out=out)()

    def test_a_wrong_number_of_arrays_is_refused(self):
        with pytest.raises(TypeError, match="out: expected a tuple of four float64 arrays, got 2 of them"):
            self.given(out=(np.zeros(2), np.zeros(2)))()
