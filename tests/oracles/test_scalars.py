"""One source, many scalars: what runs on the symbols of CasADi and SymPy gives what compiled code gives."""

import itertools

import casadi
import numpy as np
import pytest
import sympy

import featherstone as fs
from featherstone.algorithms.center_of_mass import CENTER
from featherstone.algorithms.christoffel import CHRISTOFFEL
from featherstone.algorithms.composite_inertia import COMPOSITE
from featherstone.algorithms.configuration import DIFFERENCE, INTEGRATE
from featherstone.algorithms.coriolis import CORIOLIS_MATRIX
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.energy import KINETIC, POTENTIAL
from featherstone.algorithms.energy_regressors import KINETIC_REGRESSOR, POTENTIAL_REGRESSOR
from featherstone.algorithms.forward import ABA, CHOLESKY
from featherstone.algorithms.gravity_jacobian import GRAVITY_JACOBIAN
from featherstone.algorithms.kinematics import KINEMATICS
from featherstone.algorithms.momentum import MOMENTUM
from featherstone.algorithms.momentum_matrix import MOMENTUM_MATRIX
from featherstone.algorithms.regressors import REGRESSOR
from featherstone.algorithms.rnea import RNEA
from featherstone.algorithms.rnea_second_derivatives import SECOND_DERIVATIVES
from featherstone.engine.kernel import field_kinds

from ..functions import arrays_for, second_derivatives
from ..identities.robots import robot as named
from ..rounding import in_one

ROBOTS = ("star bolted", "branches", "star floating", "random mimic")
KERNELS = {  # with the names of their inputs, and the public function
    "rnea": (RNEA, ("q", "qd", "qdd", "f_ext"), fs.rnea),
    "crba": (CRBA, ("q",), fs.crba),
    "aba": (ABA, ("q", "qd", "tau", "f_ext"), fs.aba),
    "forward dynamics by factor": (CHOLESKY, ("q", "qd", "tau", "f_ext"), fs.aba),
    "forward_kinematics": (KINEMATICS, ("q",), fs.forward_kinematics),
    "kinetic_energy": (KINETIC, ("q", "qd"), fs.kinetic_energy),
    "potential_energy": (POTENTIAL, ("q",), fs.potential_energy),
    "center_of_mass": (CENTER, ("q",), fs.center_of_mass),
    "centroidal_momentum_rate": (MOMENTUM, ("q", "qd", "qdd"), fs.centroidal_momentum_rate),
    "centroidal_momentum_matrix_rate": (MOMENTUM_MATRIX, ("q", "qd"), fs.centroidal_momentum_matrix_rate),
    "torque_regressor": (REGRESSOR, ("q", "qd", "qdd"), fs.torque_regressor),
    "momentum_regressor": (REGRESSOR, ("q", "qd"), fs.momentum_regressor),
    "kinetic_energy_regressor": (KINETIC_REGRESSOR, ("q", "qd"), fs.kinetic_energy_regressor),
    "potential_energy_regressor": (POTENTIAL_REGRESSOR, ("q",), fs.potential_energy_regressor),
    "coriolis_matrix": (CORIOLIS_MATRIX, ("q", "qd"), fs.coriolis_matrix),
    "christoffel_symbols": (CHRISTOFFEL, ("q",), fs.christoffel_symbols),
    "gravity_jacobian": (GRAVITY_JACOBIAN, ("q",), fs.gravity_jacobian),
    "rnea_second_derivatives": (in_one(SECOND_DERIVATIVES), ("q", "qd", "qdd", "f_ext"), second_derivatives),
    "composite_inertia": (COMPOSITE, ("q",), fs.composite_inertia),
    "integrate": (INTEGRATE, ("q", "dq"), fs.integrate),
    "difference": (DIFFERENCE, ("q0", "q1"), fs.difference),
}


def with_constants(tree, kind):
    """The tree with constants as scalars of some kind."""
    fields = [name for name, what in field_kinds(type(tree)).items() if what == "Reals"]
    return tree._replace(**{name: as_scalars(getattr(tree, name).tolist(), kind) for name in fields})


def as_scalars(values, kind):
    scalars = np.empty(len(values), object)
    scalars[:] = [kind(x) for x in values]
    return scalars


def run(kernel, model, inputs, size, kind):
    """A kernel's source on arrays of scalars."""
    result, work = np.empty(size, object), np.empty(kernel.work(model.tree), object)
    inputs = [*inputs, *[None] * (kernel.inputs - len(inputs))]
    kernel.source(with_constants(model.tree, kind), np.zeros(1, int), *inputs, result, work)
    return list(result)


@pytest.mark.parametrize("function", KERNELS)
@pytest.mark.parametrize("name", ROBOTS)
def test_casadi_gives_what_compiled_code_gives(name, function):
    model = named(name).model
    kernel, inputs, public = KERNELS[function]
    if kernel is ABA and model.tree.coupled:
        kernel = CHOLESKY  # followers need the factor
    states = arrays_for(model, 3, (4,))
    expected = np.asarray(public(model, *(states[x] for x in inputs)))
    symbols = [casadi.SX.sym(x, states[x][0].size) for x in inputs]
    scalars = [as_scalars(casadi.vertsplit(x), lambda entry: entry) for x in symbols]
    result = run(kernel, model, scalars, expected[0].size, float)
    evaluate = casadi.Function("f", symbols, [casadi.vertcat(*result)])
    found = np.stack([np.asarray(evaluate(*(states[x][k].ravel() for x in inputs))).ravel() for k in range(4)])
    expected = expected.reshape(found.shape)
    assert (np.abs(found - expected) <= 1e-12 * np.maximum(1.0, np.abs(expected).max(axis=-1, keepdims=True))).all()


def test_casadi_differentiates_inverse_dynamics_to_the_mass_matrix():
    model = named("branches").model
    q, qd, qdd = casadi.SX.sym("q", model.nq), casadi.SX.sym("qd", model.nv), casadi.SX.sym("qdd", model.nv)
    scalars = [as_scalars(casadi.vertsplit(x), lambda entry: entry) for x in (q, qd, qdd)]
    tau = casadi.vertcat(*run(RNEA, model, [*scalars, None], model.nv, float))
    jacobian = casadi.Function("H", [q, qd, qdd], [casadi.jacobian(tau, qdd)])
    state = arrays_for(model, 4, ())
    found = np.asarray(jacobian(state["q"], state["qd"], state["qdd"]))
    H = fs.crba(model, state["q"])
    np.testing.assert_allclose(found, H, rtol=0, atol=1e-12 * np.abs(H).max())


@pytest.fixture(scope="module")
def cart():
    """A cart with a pendulum: a sliding and a turning joint, numbers that float64 holds exactly, also when divided."""
    builder = fs.ModelBuilder("cart")
    builder.add_link("rail")
    builder.add_link("cart", 2.0)
    builder.add_link("rod", 0.5, (0.0, 0.0, -0.5), np.diag([0.125, 0.125, 0.0]))
    builder.add_joint("slide", "prismatic", "rail", "cart", axis=(1, 0, 0), armature=0.25)
    builder.add_joint("hinge", "revolute", "cart", "rod", axis=(0, 1, 0))
    return builder.build(gravity=(0.0, 0.0, -9.75))


NAMES = [sympy.symbols(pair) for pair in ("x angle", "v w", "a b")]


def closed_form(kernel, model, inputs, size):
    scalars = [None if x is None else as_scalars(x, lambda entry: entry) for x in inputs]
    # floats among the constants of the sources, such as 0.5, are exact
    return [sympy.nsimplify(x, rational=True) for x in run(kernel, model, scalars, size, sympy.Rational)]


def test_sympy_gives_lagranges_equations(cart):
    """tau = d/dt dL/dqd - dL/dq with L = T - V, all from the sources: an identity of closed forms."""
    q, qd, qdd = NAMES
    L = closed_form(KINETIC, cart, [q, qd], 1)[0] - closed_form(POTENTIAL, cart, [q], 1)[0]
    tau = closed_form(RNEA, cart, [q, qd, qdd, None], 2)
    for k in range(2):
        momentum = L.diff(qd[k])
        rate = sum(momentum.diff(q[j]) * qd[j] + momentum.diff(qd[j]) * qdd[j] for j in range(2))
        assert sympy.simplify(rate - L.diff(q[k]) - tau[k]) == 0
        assert tau[k].has(qdd[k])


def test_sympy_takes_functions_of_time(cart):
    """Symbols such as those of sympy.physics.mechanics.dynamicsymbols, which can be differentiated by time."""
    t = sympy.symbols("t")
    q = [sympy.Function(name)(t) for name in ("x", "angle")]
    qd, qdd = [x.diff(t) for x in q], [x.diff(t, 2) for x in q]
    found = closed_form(RNEA, cart, [q, qd, qdd, None], 2)
    expected = closed_form(RNEA, cart, [*NAMES, None], 2)
    # the highest derivatives first, since they hold the lower ones
    plain = list(zip([*qdd, *qd, *q], [*NAMES[2], *NAMES[1], *NAMES[0]]))
    assert [sympy.simplify(x.subs(plain) - y) for x, y in zip(found, expected)] == [0, 0]


def test_sympy_gives_christoffels_symbols_of_the_mass_matrix(cart):
    """G_kjl = (dH_kj/dq_l + dH_kl/dq_j - dH_jl/dq_k) / 2, an identity of closed forms."""
    q = NAMES[0]
    H, G = (closed_form(kernel, cart, [q], size) for kernel, size in ((CRBA, 4), (CHRISTOFFEL, 8)))
    for k, j, l in itertools.product(range(2), repeat=3):
        right = (H[2 * k + j].diff(q[l]) + H[2 * k + l].diff(q[j]) - H[2 * j + l].diff(q[k])) / 2
        assert sympy.simplify(G[4 * k + 2 * j + l] - right) == 0
    assert G[3] != 0  # the rod turning moves the cart


def test_sympy_gives_the_second_derivatives_of_torques(cart):
    """Identities of closed forms; tau from the source of inverse dynamics."""
    q, qd, qdd = NAMES
    tau = closed_form(RNEA, cart, [*NAMES, None], 2)
    found = closed_form(in_one(SECOND_DERIVATIVES), cart, [*NAMES, None], 32)
    right = [
        tau[k].diff(x[i], y[j])
        for x, y in ((q, q), (q, qd), (qd, qd), (q, qdd))
        for k, i, j in itertools.product(range(2), repeat=3)
    ]
    assert [sympy.simplify(x - y) for x, y in zip(found, right)] == [0] * 32
    assert all(any(found[8 * k : 8 * k + 8]) for k in range(4))


def test_sympy_gives_the_hessian_of_the_potential_energy(cart):
    q = NAMES[0]
    V, K = closed_form(POTENTIAL, cart, [q], 1)[0], closed_form(GRAVITY_JACOBIAN, cart, [q], 4)
    assert [sympy.simplify(K[2 * k + j] - V.diff(q[k], q[j])) for k in range(2) for j in range(2)] == [0, 0, 0, 0]
    assert K[3] != 0


def test_sympy_gives_the_textbook_mass_matrix(cart):
    coupling = -sympy.Rational(1, 4) * sympy.cos(NAMES[0][1])
    # the rod's inertia about the hinge: 1/8 + 1/2 (1/2)^2
    expected = [sympy.Rational(11, 4), coupling, coupling, sympy.Rational(1, 4)]
    found = closed_form(CRBA, cart, [NAMES[0]], 4)
    assert [sympy.simplify(x - y) for x, y in zip(found, expected)] == [0, 0, 0, 0]


def test_sympy_inverts_inverse_dynamics_by_articulated_bodies(cart):
    q, qd, torque = NAMES
    qdd = closed_form(ABA, cart, [q, qd, torque, None], 2)
    tau = closed_form(RNEA, cart, [q, qd, qdd, None], 2)
    assert [sympy.simplify(x - y) for x, y in zip(tau, torque)] == [0, 0]


@pytest.mark.parametrize("kernel", [RNEA, ABA])
def test_sympy_gives_what_compiled_code_gives(cart, kernel):
    evaluate = sympy.lambdify(sum(NAMES, ()), closed_form(kernel, cart, [*NAMES, None], 2))
    state = np.array([0.3, -0.7, 1.1, 2.3, -0.4, 0.9])
    public = fs.rnea if kernel is RNEA else fs.aba
    np.testing.assert_allclose(evaluate(*state), public(cart, state[:2], state[2:4], state[4:]), rtol=0, atol=1e-13)
