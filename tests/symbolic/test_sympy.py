"""Closed forms by SymPy."""

import numpy as np
import pytest
import sympy

import featherstone as fs

from ..functions import arrays_for
from ..random_trees import random_tree


def test_the_textbook_mass_matrix_of_two_links():
    """H of uniform rods with m = 2 and 1.5 kg, l = 1.0 and 0.8 m."""
    form = fs.symbolic.sympy(fs.models.load("planar_2r"), "crba")
    angle = form.symbols["q"][1]
    m1, m2, l1, l2 = 2.0, 1.5, 1.0, 0.8
    coupling = m2 * l1 * l2 / 2 * sympy.cos(angle)
    H22 = m2 * l2**2 / 3
    H11 = m1 * l1**2 / 3 + m2 * l1**2 + H22 + 2 * coupling
    right = sympy.Matrix([[H11, H22 + coupling], [H22 + coupling, H22]])
    off = sympy.expand_trig(sympy.expand(sympy.simplify(form.expression - right)))
    off = off.subs(dict(zip(form.symbols["q"], (0.7, -1.3))))
    assert max(abs(float(x)) for x in off) < 1e-14
    assert sympy.simplify(form.expression[0, 0]).has(sympy.cos(angle))


def test_a_cart_with_a_pole_moves_as_lagrange_says():
    model = fs.models.load("cart_pole")
    tau = fs.symbolic.sympy(model, "rnea", exact=True)
    T, V = (fs.symbolic.sympy(model, name, exact=True) for name in ("kinetic_energy", "potential_energy"))
    q, qd, qdd = (tau.symbols[name] for name in ("q", "qd", "qdd"))
    L = T.expression - V.expression
    for k in range(2):
        p = L.diff(qd[k])
        rate = sum(p.diff(q[j]) * qd[j] + p.diff(qd[j]) * qdd[j] for j in range(2))
        off = sympy.simplify(rate - L.diff(q[k]) - tau.expression[k])
        # the sines of a rotation that float64 holds are not quite those of a rotation
        values = dict(zip([*q, *qd, *qdd], (0.3, -0.7, 1.1, 2.3, -0.4, 0.9)))
        assert abs(float(off.subs(values))) < 1e-12


@pytest.mark.parametrize("name", ["rnea", "crba", "aba", "coriolis_matrix", "christoffel_symbols", "kinetic_energy"])
def test_lambdified_forms_give_what_compiled_code_gives(name):
    model = random_tree(1, 2, ("revolute", "prismatic"), massless=False)
    form = fs.symbolic.sympy(model, name)
    states = arrays_for(model, 2, ())
    given = [states[x] for x in form.symbols]
    right = getattr(fs, name)(model, *given)
    found = form.lambdify()(*given)
    assert found.shape == np.shape(right)
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-11 * max(1.0, np.abs(right).max()))
    assert isinstance(form.expression, sympy.Expr | sympy.MatrixBase | sympy.Array)


def test_several_results_and_quaternions():
    model = random_tree(2, 1, ("spherical",), massless=False)
    form = fs.symbolic.sympy(model, "rnea_derivatives")
    assert list(form.results) == ["dtau_dq", "dtau_dqd", "dtau_dqdd"]
    assert all(x.shape == (3, 3) for x in form.results.values())
    states = arrays_for(model, 2, ())
    values = {s: v for x in form.symbols for s, v in zip(form.symbols[x].ravel(), states[x].ravel())}
    right = fs.rnea_derivatives(model, *(states[x] for x in form.symbols))
    for x, y in zip(form.results.values(), right):
        found = np.array([float(e.subs(values)) for e in x.ravel()]).reshape(3, 3)
        np.testing.assert_allclose(found, y, rtol=0, atol=1e-12 * max(1.0, np.abs(y).max()))


def test_simplified_forms_say_the_same():
    form = fs.symbolic.sympy(fs.models.load("pendulum"), "bias_torque")
    simple = form.simplify()
    assert simple.symbols is form.symbols
    values = dict(zip([*form.symbols["q"], *form.symbols["qd"]], (0.7, 0.2)))
    assert abs(float((simple.expression[0] - form.expression[0]).subs(values))) < 1e-14


def test_wrong_arguments_of_a_lambdified_form():
    function = fs.symbolic.sympy(fs.models.load("planar_2r"), "rnea").lambdify()
    with pytest.raises(TypeError, match=r"^rnea: expected q, qd, qdd, got 1 arguments"):
        function([0.0, 0.0])
    with pytest.raises(ValueError, match=r"^qd: expected 2 numbers, got 3"):
        function([0.0, 0.0], [0.0] * 3, [0.0, 0.0])
