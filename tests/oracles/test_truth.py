"""Who is right when two libraries differ: our sources at 50 digits say how far each is from the truth."""

import functools
import sysconfig
import warnings
from pathlib import Path
from typing import NamedTuple

import mpmath
import numpy as np
import pinocchio
import pytest

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.forward import ABA
from featherstone.algorithms.rnea import RNEA

from .truth import DIGITS, exact_tree, scaled_error, truth

FOLDER = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
ROBOTS = {  # with a floating base or not
    "double_pendulum_description/urdf/double_pendulum.urdf": False,
    "ur_description/urdf/ur5_robot.urdf": False,
    "panda_description/urdf/panda.urdf": False,
    "kinova_description/robots/kinova.urdf": False,
    "allegro_hand_description/urdf/allegro_left_hand.urdf": False,
    "xarm_description/urdf/xarm7.urdf": False,
    "anymal_c_simple_description/urdf/anymal.urdf": True,
    "solo_description/robots/solo12.urdf": True,
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": True,
    "talos_data/robots/talos_reduced.urdf": True,
}
STATES = 24
EPS = 2.0**-52
FLOOR = 4 * EPS  # where both are this near to the truth, which one is nearer is chance


class Rival(NamedTuple):
    """A robot as Pinocchio reads it, and how its vectors are made of ours."""

    model: pinocchio.Model
    data: pinocchio.Data
    coordinates: list
    rates: np.ndarray

    def q(self, ours):
        return np.concatenate([f(ours) for f in self.coordinates])


def rival(path, model, floating):
    """Pinocchio's robot; each of its coordinates as a function of our q, and where its rates are in our qd."""
    root = [pinocchio.JointModelFreeFlyer()] if floating else []
    other = pinocchio.buildModelFromUrdf(str(path), *root)
    coordinates, rates = [], []
    for joint, name in zip(list(other.joints)[1:], list(other.names)[1:]):
        mine = model.q_index(name)
        if joint.nq == 2:  # an angle as a point on the circle
            coordinates.append(lambda q, k=mine: [np.cos(q[k]), np.sin(q[k])])
        else:
            coordinates.append(lambda q, k=mine: np.atleast_1d(q[k]))
        # the velocity of a floating base is linear, then angular
        place = model.qd_index(name)
        rates += [3, 4, 5, 0, 1, 2] if joint.nv == 6 else [place]
    return Rival(other, other.createData(), coordinates, np.array(rates))


def states(model, floating):
    """States; floating bases have quaternions of unit length as nearly as float64 can, which favours nobody."""
    rng = np.random.default_rng(20)
    q = model.random_configuration(rng, STATES)
    if floating:
        candidates = rng.normal(size=(STATES, 500, 4))
        candidates /= np.linalg.norm(candidates, axis=-1, keepdims=True)
        square = (candidates.astype(np.longdouble) ** 2).sum(-1)
        best = np.abs(square - 1).argmin(axis=1)
        q[:, 3:7] = candidates[np.arange(STATES), best]
    return q, *rng.normal(size=(3, STATES, model.nv))


def ours(function, *arrays):
    """Both ways that we compute: a batch, and one state at a time."""
    return function(*arrays), np.stack([function(*state) for state in zip(*arrays)])


def mean_square(results, right):
    """The root of the mean square of the states' errors."""
    return np.sqrt(np.mean([scaled_error(x, t) ** 2 for x, t in zip(results, right)]))


@functools.cache
def errors(name):
    """For each function the scaled errors of ours and of Pinocchio's: a state's is that of its worst entry.

    Of all states the root of the mean square, and of our two ways the worse one. The worst of all states is chance,
    which falls out differently on each processor, as both libraries fuse other operations there.
    """
    path, floating = FOLDER / name, ROBOTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        model = fs.load_urdf(path, floating_base=floating, mimic=False)
    with mpmath.workdps(DIGITS):
        tree = exact_tree(path, model)
    q, qd, qdd, tau = states(model, floating)
    other = rival(path, model, floating)
    back = np.argsort(other.rates)

    def rnea(q, qd, qdd):
        result = pinocchio.rnea(other.model, other.data, other.q(q), qd[other.rates], qdd[other.rates])
        return result[back]

    def aba(q, qd, tau):
        result = pinocchio.aba(other.model, other.data, other.q(q), qd[other.rates], tau[other.rates])
        return result[back]

    def crba(q):
        upper = np.triu(pinocchio.crba(other.model, other.data, other.q(q)))
        return (upper + np.triu(upper, 1).T)[back[:, None], back]

    found = {}
    for key, kernel, mine, theirs, arrays, size in (
        ("rnea", RNEA, fs.rnea, rnea, (q, qd, qdd), model.nv),
        ("crba", CRBA, fs.crba, crba, (q,), model.nv**2),
        ("aba", ABA, fs.aba, aba, (q, qd, tau), model.nv),
    ):
        no_force = [] if kernel is CRBA else [None]
        right = [truth(kernel, tree, [*state, *no_force], size) for state in zip(*arrays)]
        computed = ours(lambda *state, f=mine: f(model, *state), *arrays)
        worse = max(mean_square(results, right) for results in computed)
        found[key] = worse, mean_square([theirs(*state) for state in zip(*arrays)], right)
    return found


@pytest.mark.parametrize("function", ["rnea", "crba", "aba"])
@pytest.mark.parametrize("name", ROBOTS)
def test_our_error_is_at_most_twice_pinocchios(name, function):
    mine, theirs = errors(name)[function]
    assert mine <= max(2.0 * theirs, FLOOR), f"{mine / EPS:.3g} eps, Pinocchio {theirs / EPS:.3g} eps"


@pytest.mark.parametrize("name", ROBOTS)
def test_the_truth_is_what_both_compute(name):
    """Within 1e-10: the yardstick itself is right."""
    for mine, theirs in errors(name).values():
        assert max(mine, theirs) < 1e-10
