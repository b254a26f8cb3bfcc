"""The gradient of a rollout's cost: by the products of its steps' matrices, by differences, and how it is asked for."""

import numpy as np
import pytest

import featherstone as fs
from featherstone.model.base_motion import BaseMotion

from ..random_trees import ALL, random_forces, random_q, random_tree

DT = 0.01
ROUNDING = 1e4 * 2.0**-52  # of a total of some steps, in parts of it
METHODS = ("semi_implicit_euler", "rk4")
ROBOTS = {
    "every joint": random_tree(1, 8, ALL, massless=False),
    "more joints": random_tree(12, 8, ALL, massless=False, fixed=True),
    "mimic": random_tree(5, 8, mimic=True, massless=False),
    "floating": random_tree(6, 5, floating_base=True, massless=False),
}
robots = pytest.mark.parametrize("robot", ROBOTS)
methods = pytest.mark.parametrize("method", METHODS)


class Problem:
    """A robot in motion, and a cost of energy, velocity and torque with weights that differ from time to time."""

    def __init__(self, robot, steps, method, *, losses=True, batch=(), base=None, seed=0):
        rng = np.random.default_rng(seed)
        self.model, self.steps, self.batch = robot if isinstance(robot, fs.Model) else ROBOTS[robot], steps, batch
        nv = self.model.nv
        self.q, self.qd = random_q(self.model, rng, batch), rng.normal(size=(*batch, nv))
        self.tau = rng.normal(size=(*batch, steps, nv))
        self.f_ext = random_forces(self.model, rng, batch)
        self.weights = rng.normal(size=(steps + 1, nv))
        self.how = {"duration": steps * DT, "dt": DT, "method": method, "losses": losses, "base": base}

    def cost(self, t, q, qd, tau):
        w = self.weights[np.rint(t / DT).astype(int)]
        value = fs.potential_energy(self.model, q) + (w * qd).sum(-1) + 0.5 * (qd * qd).sum(-1) + (w * tau).sum(-1)
        return value, fs.gravity_torque(self.model, q), w + qd, w

    def gradient(self, **changes):
        given = {"tau": self.tau, "f_ext": self.f_ext} | self.how | changes
        return fs.rollout_gradient(self.model, self.q, self.qd, self.cost, **given)

    def run(self, model=None, q=None, qd=None, **changes):
        q, qd = self.q if q is None else q, self.qd if qd is None else qd
        given = {"tau": self.tau, "f_ext": self.f_ext} | self.how | changes
        return fs.simulate(model or self.model, q, qd, **given)

    def total(self, *arguments, **changes):
        run = self.run(*arguments, **changes)
        return self.cost(run.t, run.q, run.qd, run.tau)[0].sum(-1)


def near(found, right, size=None):
    """Equal to the rounding of so many steps, in parts of the largest entry."""
    scale = max(1.0, np.abs(right).max(initial=0.0)) if size is None else size
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-11 * scale)


@robots
@methods
@pytest.mark.parametrize("losses", [False, True])
def test_it_is_the_product_of_the_steps_matrices(robot, method, losses):
    """With A and B of each step, the gradient by a state is A^T times that by the next one and what it costs itself."""
    problem = Problem(robot, 20, method, losses=losses)
    gradient, run, nv = problem.gradient(), problem.run(), problem.model.nv
    value, by_q, by_qd, by_tau = problem.cost(run.t, run.q, run.qd, run.tau)
    back = np.concatenate([by_q[-1], by_qd[-1]])
    by_torque = by_tau[:-1].copy()
    by_torque[-1] += by_tau[-1]
    for s in range(problem.steps - 1, -1, -1):
        step = fs.step_derivatives(
            problem.model, run.q[s], run.qd[s], run.tau[s], DT, problem.f_ext, method=method, losses=losses
        )
        by_torque[s] += step.B.T @ back
        back = step.A.T @ back + np.concatenate([by_q[s], by_qd[s]])
    near(gradient.cost, value.sum())
    near(gradient.q0, back[:nv], np.abs(back).max())
    near(gradient.qd0, back[nv:], np.abs(back).max())
    near(gradient.tau, by_torque)


def slope(function, change):
    """By central differences of two steps, the error of second order taken out; and a bound on what is left."""
    few, many = ((function(h * change) - function(-h * change)) / (2 * h) for h in (1e-4, 2e-4))
    best = (4 * few - many) / 3
    rounding = ROUNDING * max(1.0, abs(function(0.0 * change))) * 3 / (2e-4)
    return best, rounding + 0.1 * abs(few - many)


@robots
@methods
def test_forces_and_parameters_by_differences(robot, method):
    """Those that all steps share: outside forces, inertial parameters, and what drives have."""
    problem = Problem(robot, 12, method)
    gradient, rng = problem.gradient(), np.random.default_rng(3)
    change = rng.normal(size=gradient.f_ext.shape)
    expected, error = slope(lambda x: problem.total(f_ext=problem.f_ext + x), change)
    assert abs((gradient.f_ext * change).sum() - expected) <= error
    model = problem.model
    pi = model.parameters("all")
    first = 10 * model.nb
    for name in ("parameters", "armature", "damping", "friction"):
        own = np.zeros(pi.size)
        if name == "parameters":
            # other masses and first moments at the same density
            own[:first] = pi[:first] * np.repeat(rng.uniform(0.1, 1.0, model.nb), 10)
        else:
            start = first + sum(model.parameters(kind).size - first for kind in earlier(name))
            count = model.parameters(name).size - first
            own[start : start + count] = rng.uniform(0.01, 0.1, count)
            own[start : start + count] *= pi[start : start + count] > 0.0
        expected, error = slope(lambda x: problem.total(model.with_parameters(pi + x, "all")), own)
        share = own[:first] if name == "parameters" else own[start : start + count]
        assert abs(getattr(gradient, name) @ share - expected) <= error, name


def earlier(name):
    """The kinds of parameters of drives before one."""
    kinds = ("armature", "rotor", "damping", "friction", "stiction")
    return kinds[: kinds.index(name)]


@robots
def test_each_inertial_parameter(robot):
    """The gradient by all ten numbers of a body, along changes that keep it a body: another one that is added."""
    problem = Problem(robot, 8, "semi_implicit_euler", losses=False)
    gradient, rng, model = problem.gradient(), np.random.default_rng(4), problem.model
    pi = model.parameters()
    for b in range(model.nb):
        points = rng.normal(size=(4, 3)) * 0.1
        second = points.T @ points
        I = np.trace(second) * np.eye(3) - second
        change = np.zeros(pi.size)
        added = [4.0, *points.sum(0), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
        change[10 * b : 10 * b + 10] = 0.1 * np.array(added)

        def ahead(x, change=change):
            # one-sided: nothing is taken away
            return problem.total(model.with_parameters(pi + x * change))

        h = 1e-4
        at_0, at_1, at_2, at_3 = (ahead(k * h) for k in range(4))
        expected = (-11 * at_0 + 18 * at_1 - 9 * at_2 + 2 * at_3) / (6 * h)
        # of the rounding of a total, and of the next power of h in a function that is smooth on the scale of 1
        error = ROUNDING * max(1.0, abs(at_0)) * 40 / (6 * h) + 100 * h**3 * max(1.0, abs(expected))
        assert abs(gradient.parameters @ change - expected) <= error


@methods
@pytest.mark.parametrize("checkpoint", [1, 3, 7, 19, 20, 50])
def test_checkpoints_change_nothing(method, checkpoint):
    problem = Problem("every joint", 20, method)
    whole, part = problem.gradient(), problem.gradient(checkpoint=checkpoint)
    for name in whole._fields:
        near(getattr(part, name), getattr(whole, name))


@robots
@methods
def test_a_batch_is_its_simulations_one_by_one(robot, method):
    problem = Problem(robot, 6, method, batch=(2, 5))
    together = problem.gradient()
    assert together.cost.shape == (2, 5)
    assert together.tau.shape == (2, 5, 6, problem.model.nv)
    whole = problem.q, problem.qd, problem.tau, problem.f_ext
    for at in np.ndindex(2, 5):
        problem.q, problem.qd, problem.tau, problem.f_ext = (x[at] for x in whole)
        alone = problem.gradient()
        for name in alone._fields:
            near(getattr(together, name)[at], getattr(alone, name))


@methods
def test_one_torque_for_all_steps(method):
    """Its gradient is the sum of those by the torque of each step."""
    problem = Problem("more joints", 10, method)
    held = problem.tau[0]
    one = problem.gradient(tau=held)
    each = problem.gradient(tau=np.repeat(held[None], 10, 0))
    assert one.tau.shape == held.shape
    near(one.tau, each.tau.sum(0))
    near(problem.gradient(tau=None).q0, problem.gradient(tau=np.zeros_like(held)).q0)


@methods
def test_on_a_base_that_moves(method):
    base = BaseMotion(velocity=[0.3, -0.2, 0.5, 1.0, 0.0, 2.0], acceleration=[1.0, 0.0, 0.3, 0.2, -1.0, 0.0])
    problem = Problem("every joint", 10, method, base=base)
    gradient = problem.gradient()
    change = np.random.default_rng(1).normal(size=problem.model.nv)
    expected, error = slope(lambda x: problem.total(qd=problem.qd + x), change)
    assert abs(gradient.qd0 @ change - expected) <= error


def test_a_step_of_no_time():
    """Without steps the gradient is that of the cost of the only state."""
    problem = Problem("floating", 0, "rk4")
    gradient = problem.gradient(tau=np.zeros(problem.model.nv))
    value, by_q, by_qd, by_tau = problem.cost(np.zeros(1), problem.q[None], problem.qd[None], np.zeros((1, 1)))
    near(gradient.cost, value[0])
    near(gradient.q0, by_q[0])
    near(gradient.qd0, by_qd[0])
    near(gradient.tau, by_tau[0])


def test_each_time_is_asked_for_once():
    problem, seen = Problem("floating", 11, "rk4"), []

    def cost(t, q, qd, tau):
        assert q.shape == (len(t), problem.model.nq)
        assert tau.shape == qd.shape == (len(t), problem.model.nv)
        assert not any(x.flags.writeable for x in (t, q, qd, tau))
        seen.extend(np.rint(t / DT).astype(int).tolist())
        return 0.0, 0.0, 0.0

    gradient = fs.rollout_gradient(problem.model, problem.q, problem.qd, cost, checkpoint=4, **problem.how)
    assert sorted(seen) == list(range(12))
    assert gradient.cost == 0.0
    assert not gradient.q0.any()


def test_torques_that_swing_a_pendulum_up():
    """What the gradient is for: descent along it does what the cost asks."""
    arm = fs.models.load("pendulum")
    steps, goal = 100, np.pi

    def cost(t, q, qd, tau):
        last = np.rint(t / DT) == steps
        off = q[:, 0] - goal
        value = last * (off * off + 0.1 * qd[:, 0] ** 2) + 1e-5 * tau[:, 0] ** 2
        return value, (last * 2 * off)[:, None], (last * 0.2 * qd[:, 0])[:, None], 2e-5 * tau

    how = {"duration": steps * DT, "dt": DT, "losses": False}
    tau, costs = np.zeros((steps, 1)), []
    rate, momentum = 0.0, np.zeros_like(tau)
    for k in range(150):
        gradient = fs.rollout_gradient(arm, [0.0], [0.0], cost, tau=tau, **how)
        costs.append(gradient.cost)
        # Adam, whose steps do not depend on the gradient's size
        momentum = 0.9 * momentum + 0.1 * gradient.tau
        rate = 0.99 * rate + 0.01 * gradient.tau**2
        tau = tau - 0.2 * momentum / (1 - 0.9 ** (k + 1)) / (np.sqrt(rate / (1 - 0.99 ** (k + 1))) + 1e-12)
    assert costs[0] > 9.0
    assert costs[-1] < 0.05 * costs[0]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"method": "euler"}, ValueError, "method: expected one of"),
        ({"checkpoint": 0}, ValueError, "checkpoint: expected at least one step"),
        ({"checkpoint": 2.5}, TypeError, "checkpoint: expected an integer"),
        ({"dt": 0.0}, ValueError, "dt: expected"),
        ({"duration": 0.015}, ValueError, "duration: expected a multiple"),
        ({"base": lambda t: None}, TypeError, "base: expected a BaseMotion that holds"),
        ({"tau": np.zeros(77)}, ValueError, "tau: expected shape"),
        ({"f_ext": np.full((5, 6), np.nan)}, ValueError, "f_ext: expected"),
        ({"losses": "yes"}, TypeError, "losses"),
    ],
)
def test_what_is_refused(changes, error, message):
    with pytest.raises(error, match=message):
        Problem("floating", 5, "rk4").gradient(**changes)


@pytest.mark.parametrize(
    ("cost", "error", "message"),
    [
        (3.0, TypeError, "cost: expected a function"),
        (lambda t, q, qd, tau: 1.0, TypeError, "cost: expected a tuple of costs"),
        (lambda t, q, qd, tau: (1.0, 2.0), TypeError, "got 2 of them"),
        (lambda t, q, qd, tau: (t, q, qd), ValueError, "derivatives by q of shape"),
        (lambda t, q, qd, tau: (1.0, 0.0, 0.0), ValueError, r"costs of shape \(6,\), one for each time, got one num"),
        (lambda t, q, qd, tau: (np.ones(1), 0.0, 0.0), ValueError, "one for each time, got shape"),
        (lambda t, q, qd, tau: (1j * t, 0.0, 0.0), TypeError, "costs as real numbers, got an array of dtype complex"),
        (lambda t, q, qd, tau: (t, None, 0.0), TypeError, "derivatives by q as real numbers, got None, where 0"),
        (lambda t, q, qd, tau: (np.zeros(3), 0.0, 0.0), ValueError, "costs of shape"),
        (lambda t, q, qd, tau: (0.0, 0.0, np.nan * qd), ValueError, "finite derivatives by qd"),
        (lambda t, q, qd, tau: (np.inf * np.ones(6), 0.0, 0.0), ValueError, "finite costs"),
    ],
)
def test_costs_that_are_refused(cost, error, message):
    problem = Problem("floating", 5, "rk4")
    with pytest.raises(error, match=message):
        fs.rollout_gradient(problem.model, problem.q, problem.qd, cost, **problem.how)


def test_elastic_joints_are_refused():
    springs = fs.elastic(fs.models.load("planar_2r").with_joint("shoulder", armature=0.1), {"shoulder": 100.0})
    for model, message in ((springs, "simulations with springs"), ("robot", "expected a Model")):
        with pytest.raises(TypeError, match=message):
            fs.rollout_gradient(model, [0.0], [0.0], lambda *x: x, duration=0.1, dt=0.01)
