"""Robots of thousands of links: no recursion, and work in proportion to the length."""

import pickle

import numpy as np
import pytest

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.energy import KINETIC, POTENTIAL
from featherstone.algorithms.forward import ABA
from featherstone.algorithms.kinematics import KINEMATICS
from featherstone.algorithms.rnea import RNEA
from featherstone.engine.kernel import field_kinds

from ..functions import arrays_for
from ..random_trees import random_tree

N = 3000
U = 2.0**-53
G = 9.81


def chain(kind, n=N, **joint):
    """Links with different masses, each 0.1 m below the one before, on joints along or about the vertical."""
    builder = fs.ModelBuilder("chain")
    builder.add_link("link0")
    for k in range(n):
        inertia = (1.0 + k % 3) * np.diag([0.02, 0.02, 0.01])
        builder.add_link(f"link{k + 1}", 0.5 + k % 4, (0.0, 0.0, -0.05), inertia)
        place = {"parent": f"link{k}", "child": f"link{k + 1}", "position": (0.0, 0.0, -0.1), "axis": (0.0, 0.0, 1.0)}
        builder.add_joint(f"joint{k}", kind, **place, **joint)
    return builder.build()


@pytest.fixture(scope="module")
def telescope():
    return chain("prismatic")


@pytest.fixture(scope="module")
def shaft():
    return chain("revolute")


def carried(x):
    """For each joint the sum over all links beyond it."""
    return np.cumsum(x[..., ::-1], -1)[..., ::-1]


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_telescope_lifts_what_it_carries(telescope, shape):
    """tau_i = sum of m (a + g) over the links beyond, a the sum of accelerations up to each."""
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, *shape, N))
    a, m = np.cumsum(qdd, -1), telescope.body_mass
    expected = carried(m * (a + G))
    allowed = 4 * N * U * carried(m * (np.cumsum(np.abs(qdd), -1) + G))
    assert (np.abs(fs.rnea(telescope, q, qd, qdd) - expected) <= allowed).all()


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_telescope_moves_as_each_link_is_pushed(telescope, shape):
    """The force on a link is the difference of two neighbouring joints' forces."""
    rng = np.random.default_rng(2)
    q, qd, tau = rng.normal(size=(3, *shape, N))
    above = np.concatenate([tau[..., 1:], np.zeros((*shape, 1))], -1)
    a = (tau - above) / telescope.body_mass - G
    expected = np.diff(a, axis=-1, prepend=0.0)
    # each pivot and force is a sum whose terms stay of one size: articulated bodies here are single links
    allowed = 64 * U * N * (np.abs(tau) + np.abs(above) + G * telescope.body_mass)
    assert (np.abs(fs.aba(telescope, q, qd, tau) - expected) <= allowed).all()


def test_a_shaft_turns_as_a_telescope_slides(shaft):
    """All joints about one axis: no weight, no lever arms, inertias instead of masses."""
    rng = np.random.default_rng(3)
    q, qd, qdd, tau = rng.normal(size=(4, N))
    I = 0.01 * (1.0 + np.arange(N) % 3)
    expected = carried(I * np.cumsum(qdd))
    allowed = 4 * N * U * carried(I * np.cumsum(np.abs(qdd)))
    assert (np.abs(fs.rnea(shaft, q, qd, qdd) - expected) <= allowed).all()
    turned = np.diff((tau - np.append(tau[1:], 0.0)) / I, prepend=0.0)
    # what the joints feel of what is beyond them is the sum of all inertias there, in which each is a small part
    assert (np.abs(fs.aba(shaft, q, qd, tau) - turned) <= 64 * N * U * (np.abs(tau).max() / I.min())).all()


def test_poses_add_up(telescope, shaft):
    rng = np.random.default_rng(4)
    q = rng.normal(size=N)
    poses = fs.forward_kinematics(telescope, q)
    np.testing.assert_allclose(poses[:, 2, 3], np.cumsum(q - 0.1), rtol=0, atol=N * U * np.abs(q).sum())
    np.testing.assert_array_equal(poses[:, :3, :3], np.broadcast_to(np.eye(3), (N, 3, 3)))
    angles = np.cumsum(q)
    poses = fs.forward_kinematics(shaft, q)
    np.testing.assert_allclose(poses[:, 0, 0], np.cos(angles), rtol=0, atol=8 * N * U)
    np.testing.assert_allclose(poses[:, 1, 0], np.sin(angles), rtol=0, atol=8 * N * U)
    np.testing.assert_allclose(fs.frame_pose(shaft, q, f"link{N}"), poses[-1], rtol=0, atol=8 * N * U)


def test_energies_add_up(telescope):
    rng = np.random.default_rng(5)
    q, qd = rng.normal(size=(2, N))
    m, height = telescope.body_mass, np.cumsum(q - 0.1) - 0.05
    assert fs.potential_energy(telescope, q) == pytest.approx(G * m @ height, rel=N * U * 100)
    assert fs.kinetic_energy(telescope, q, qd) == pytest.approx(m @ np.cumsum(qd) ** 2 / 2, rel=N * U)


def test_other_things_work_at_that_length(telescope):
    q = np.zeros(N)
    assert len(str(telescope).splitlines()) == N + 2
    assert telescope.q_index(f"joint{N - 1}") == N - 1
    other = pickle.loads(pickle.dumps(telescope))
    np.testing.assert_array_equal(fs.gravity_torque(other, q), fs.gravity_torque(telescope, q))
    heavier = telescope.with_payload(f"link{N}", 1.0)
    assert fs.gravity_torque(heavier, q)[0] == pytest.approx(fs.gravity_torque(telescope, q)[0] + G)
    run = fs.simulate(telescope, q, q, tau=fs.gravity_torque(telescope, q), duration=0.02, dt=0.01)
    assert np.abs(run.q).max() < 1e-6


def test_a_chain_of_followers():
    """Each link follows the one before it, all the way to the first."""
    builder = fs.ModelBuilder("blinds")
    builder.add_link("link0")
    n = 1500
    for k in range(n):
        builder.add_link(f"link{k + 1}", 1.0)
        mimic = fs.Mimic(f"joint{k - 1}") if k else None
        builder.add_joint(f"joint{k}", "prismatic", f"link{k}", f"link{k + 1}", axis=(0, 0, 1), mimic=mimic)
    model = builder.build()
    assert (model.nb, model.nv) == (n, 1)
    # link k moves k times as far as the first
    expected = G * n * (n + 1) / 2
    assert fs.gravity_torque(model, [0.3])[0] == pytest.approx(expected, rel=1e-12)


class Counted(float):
    """A float that counts what is done with floats."""

    __module__ = "builtins"  # so that sines and cosines are those of the standard library
    operations = 0


def _counting(name):
    operation = getattr(float, name)

    def count(*operands):
        Counted.operations += 1
        return Counted(operation(*operands))

    return count


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "neg"):
    setattr(Counted, f"__{_name}__", _counting(f"__{_name}__"))


def counted(values):
    scalars = np.empty(np.size(values), object)
    scalars[:] = [Counted(x) for x in np.ravel(values)]
    return scalars


INPUTS = {RNEA: "q qd qdd", ABA: "q qd tau", CRBA: "q", KINEMATICS: "q", KINETIC: "q qd", POTENTIAL: "q"}


def operations(kernel, model):
    """How many operations a kernel's source takes for one state."""
    state = arrays_for(model, 1, ())
    operands = [counted(state[name]) for name in INPUTS[kernel].split()]
    operands += [None] * (kernel.inputs - len(operands))
    reals = [name for name, kind in field_kinds(type(model.tree)).items() if kind == "Reals"]
    tree = model.tree._replace(**{name: counted(getattr(model.tree, name)) for name in reals})
    result, work = np.empty(16 * model.nb**2 + model.nq, object), np.empty(kernel.work(tree), object)
    before = Counted.operations
    kernel.source(tree, np.zeros(1, int), *operands, result, work)
    return Counted.operations - before


@pytest.mark.parametrize("kernel", [RNEA, ABA, KINEMATICS, KINETIC, POTENTIAL], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("kind", ["prismatic", "revolute"])
def test_work_grows_as_the_number_of_links(kernel, kind):
    """To the operation: each link costs as much as the one before."""
    models = [chain(kind, n) for n in (10, 20, 30)]
    small, middle, large = (operations(kernel, model) for model in models)
    assert large - middle == middle - small > 0
    memory = [kernel.work(model.tree) for model in models]
    assert memory[2] - memory[1] == memory[1] - memory[0] > 0


def test_work_of_the_mass_matrix_grows_as_the_depths():
    """For a chain as the square of its length, for a star as the number of its bodies."""
    deep = [operations(CRBA, chain("revolute", n)) for n in (10, 20, 30, 40)]
    assert np.diff(deep, 3).tolist() == [0]
    assert np.diff(deep, 2)[0] > 0
    wide = [operations(CRBA, random_tree(1, n, ("prismatic",), "star")) for n in (10, 20, 30)]
    assert np.diff(wide, 2).tolist() == [0]
