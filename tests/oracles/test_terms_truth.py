"""Terms of the equation of motion against derivatives with 50 digits: of the mass matrix, gravity and Jacobians."""

import functools

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import featherstone as fs
from featherstone.algorithms.christoffel import CHRISTOFFEL
from featherstone.algorithms.configuration import INTEGRATE
from featherstone.algorithms.coriolis import CORIOLIS_MATRIX
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.frames import REFERENCES
from featherstone.algorithms.gravity_jacobian import GRAVITY_JACOBIAN
from featherstone.algorithms.jacobian import JACOBIAN
from featherstone.algorithms.kinematic_hessian import HESSIAN
from featherstone.algorithms.rnea import RNEA

from ..functions import deepest_frame
from ..identities.robots import robot as named
from ..rounding import bounded
from .test_scalars import with_constants
from .truth import DIGITS, exact_array

ROBOTS = ("chain of screws", "branches", "random floating", "random mimic")
STATE = 2
STEP = mpf(10) ** -17  # a central difference is off by its square, and by rounding over it


class Exact:
    """A robot at one state, its sources run with 50 digits."""

    def __init__(self, name):
        robot = named(name)
        self.model = robot.model
        self.tree = with_constants(self.model.tree, mpf)
        self.q, self.qd = robot.q[STATE], robot.qd[STATE]

    def run(self, kernel, inputs, size, options=(0,)):
        """What a kernel gives for arrays of mpf."""
        result, work = exact_array(np.zeros(size)), np.empty(kernel.work(self.tree), object)
        inputs = [*inputs, *[None] * (kernel.inputs - len(inputs))]
        kernel.source(self.tree, np.array(options), *inputs, result.reshape(-1), work)
        return result

    def moved(self, k, step):
        """The configuration that `integrate` reaches along degree of freedom k."""
        along = exact_array(np.zeros(self.model.nv))
        along[k] = step
        return self.run(INTEGRATE, [exact_array(self.q), along], self.model.nq)

    def slopes(self, kernel, others, size, options=(0,)):
        """The derivatives of a kernel's result along each degree of freedom, in the last dimension; float64."""
        with mpmath.workdps(DIGITS):
            others = [None if x is None else exact_array(x).ravel() for x in others]
            found = []
            for k in range(self.model.nv):
                ends = (self.run(kernel, [self.moved(k, s), *others], size, options) for s in (STEP, -STEP))
                found.append((next(ends) - next(ends)) / (2 * STEP))
            return np.stack(found, -1).astype(float)


@functools.cache
def exact(name):
    return Exact(name)


@functools.cache
def slopes_of_mass_matrix(name):
    """(nv, nv, nv): dH_kj / dq_l."""
    robot = exact(name)
    return robot.slopes(CRBA, [], (robot.model.nv,) * 2)


def error_of(kernel, model, inputs, size, right, options=(0,)):
    """A bound on the error of a result: twice that of one way to round, for other ones, and the constants' own.

    The constant rotations of a model, as float64 has them, stretch lengths by a rounding or two, which derivatives
    that take them for rotations do not see: of each body between, twice.
    """
    own = bounded(kernel, model, [x[None] for x in inputs], size, options=options).error[0]
    return 2 * own + 4 * model.tree.nb * 2.0**-52 * np.abs(right).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_christoffel_symbols_are_the_derivatives_of_the_mass_matrix(name):
    robot = exact(name)
    model, q = robot.model, robot.q
    dH, G = slopes_of_mass_matrix(name), fs.christoffel_symbols(model, q)
    bound = error_of(CHRISTOFFEL, model, [q], (model.nv,) * 3, dH)
    assert (np.abs(G + G.swapaxes(0, 1) - dH) <= bound + bound.swapaxes(0, 1)).all()
    assert np.max(bound) < 1e-10 * np.abs(dH).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_matrix_rate_is_the_rate_of_the_mass_matrix(name):
    robot = exact(name)
    model, q, qd = robot.model, robot.q, robot.qd
    dH = slopes_of_mass_matrix(name)
    allowed = error_of(CORIOLIS_MATRIX, model, [q, qd], (model.nv, model.nv), np.abs(dH) @ np.abs(qd), (1,))
    assert (np.abs(fs.mass_matrix_rate(model, q, qd) - dH @ qd) <= allowed).all()
    assert np.max(allowed) < 1e-10 * np.abs(dH @ qd).max()


@pytest.mark.parametrize("name", ROBOTS)
def test_gravity_jacobian_is_the_derivative_of_the_gravity_torque(name):
    robot = exact(name)
    model, q = robot.model, robot.q
    zero = np.zeros(model.nv)
    right = robot.slopes(RNEA, [zero, zero, None], (model.nv,))
    allowed = error_of(GRAVITY_JACOBIAN, model, [q], (model.nv, model.nv), right)
    assert (np.abs(fs.gravity_jacobian(model, q) - right) <= allowed).all()
    assert np.max(allowed) < 1e-10 * np.abs(right).max()


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", ROBOTS)
def test_kinematic_hessian_is_the_derivative_of_the_jacobian(name, reference):
    robot = exact(name)
    model, q = robot.model, robot.q
    frame = deepest_frame(model)
    pose, options = model.frame(frame).pose, (int(model._frame_words[frame][0]), REFERENCES.index(reference), 0)
    right = robot.slopes(JACOBIAN, [pose, None], (6, model.nv), options)
    allowed = error_of(HESSIAN, model, [q, pose], (6, model.nv, model.nv), right, options[:2])
    assert (np.abs(fs.kinematic_hessian(model, q, frame, reference) - right) <= allowed).all()
    assert np.max(allowed) < 1e-10 * np.abs(right).max()
