"""Base parameters: as many as the regressor's rank, and all that torques depend on."""

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import random_tree

KNOWN = {  # by hand or from the literature, without drives
    "pendulum": 3,  # m c_x, m c_y, I_zz
    "cart_pole": 4,  # the sum of masses, and of the pole m c_x, m c_y, I_yy
    "planar_2r": 6,  # of the last link m c_x, m c_y, I_zz; of the first the same with the last one's mass added
    "six_axis": 36,  # I_zz of the first, and of each other link 7
}
RANDOM = {
    f"{shape}{' mimic' * mimic}{' floating' * floating}": {
        "seed": 7,
        "n": 7,
        "shape": shape,
        "mimic": mimic,
        "floating_base": floating,
    }
    for shape in ("chain", "star", "random")
    for mimic in (False, True)
    for floating in (False, True)
}
ROBOTS = {name: lambda name=name: fs.models.load(name) for name in (*KNOWN, "seven_axis", "quadruped")} | {
    name: lambda arguments=arguments: random_tree(**arguments) for name, arguments in RANDOM.items()
}


@pytest.fixture(params=ROBOTS)
def model(request):
    return ROBOTS[request.param]()


def fresh(model, count, drives=None):
    """Regressors at other states than those that base parameters come from."""
    rng = np.random.default_rng(99)
    q = model.random_configuration(rng, count)
    return fs.torque_regressor(model, q, *rng.normal(size=(2, count, model.nv)), drives=drives)


@pytest.mark.parametrize("name", KNOWN)
def test_ranks_are_known(name):
    assert fs.base_parameters(fs.models.load(name)).rank == KNOWN[name]


@pytest.mark.parametrize("drives", [None, "all"])
def test_rank_is_that_of_singular_values_at_other_states(model, drives):
    base = fs.base_parameters(model, drives=drives)
    W = fresh(model, 300, drives).reshape(300 * model.nv, -1)
    length = np.linalg.norm(W, axis=0)
    seen = length > 1e-12 * length.max()
    singular = np.linalg.svd(W[:, seen] / length[seen], compute_uv=False)
    assert base.rank == (singular > 1e-10 * singular[0]).sum()
    # the gap: what counts is far above what is rounding
    assert singular[base.rank - 1] > 1e-7 * singular[0]


@pytest.mark.parametrize("drives", [None, "all"])
def test_base_parameters_say_all_about_torques(model, drives):
    base, Y = fs.base_parameters(model, drives=drives), fresh(model, 20, drives)
    pi = np.random.default_rng(3).normal(size=len(base.parameter_names))
    tau = Y @ pi
    assert np.abs(base.regressor(Y) @ base.beta(pi) - tau).max() <= 1e-10 * (np.abs(Y) @ np.abs(pi)).max()
    assert np.abs(tau).max() > 0.1


def test_parameters_of_base_parameters_have_them(model):
    base = fs.base_parameters(model, drives="all")
    rng = np.random.default_rng(5)
    beta, near = rng.normal(size=base.rank), rng.normal(size=len(base.parameter_names))
    for pi in (base.pi(beta), base.pi(beta, near)):
        assert np.abs(base.beta(pi) - beta).max() <= 1e-10 * (np.abs(base.K) @ np.abs(pi)).max()
    # what has its base parameters already stays
    np.testing.assert_allclose(base.pi(base.beta(near), near), near, rtol=0, atol=1e-10 * np.abs(near).max())
    unseen = base.size == 0
    np.testing.assert_array_equal(base.pi(beta, near)[unseen], near[unseen])


def test_each_heads_one_that_no_other_holds(model):
    base = fs.base_parameters(model)
    np.testing.assert_array_equal(base.K[:, base.independent], np.eye(base.rank))
    assert not base.K[:, base.size == 0].any()


def test_names_are_sums():
    base = fs.base_parameters(fs.models.load("planar_2r"))
    assert base.names == (
        "l1: m c_x + l2: m",
        "l1: m c_y",
        "l1: I_zz + l2: m",
        "l2: m c_x",
        "l2: m c_y",
        "l2: I_zz",
    )
    assert "l1: m" in base.without_effect
    assert str(base).splitlines()[0] == "6 base parameters of 20"


def test_they_do_not_depend_on_the_seed_or_on_the_robots_own_numbers():
    arm = fs.models.load("six_axis")
    base = fs.base_parameters(arm)
    for other in (fs.base_parameters(arm, seed=4), fs.base_parameters(arm.scale(0.0, "link_3"))):
        np.testing.assert_array_equal(other.independent, base.independent)
        np.testing.assert_allclose(other.K, base.K, rtol=0, atol=1e-9)


def test_gravity_shows_masses():
    """In a plane without weight the first link has one parameter, with it three."""
    arm = fs.models.load("planar_2r")
    assert fs.base_parameters(arm.with_gravity((0, 0, 0))).rank == 4
    assert fs.base_parameters(arm).rank == 6


def test_a_robot_that_does_not_move_has_none():
    builder = fs.ModelBuilder("rock")
    builder.add_link("rock", 1.0)
    base = fs.base_parameters(builder.build())
    assert (base.rank, base.names) == (0, ())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.0}, "tolerance: expected a number between 0 and 1"),
        ({"samples": 0}, "samples: expected an integer >= 1"),
        ({"drives": "wings"}, "drives: expected None, 'all' or some of"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        fs.base_parameters(fs.models.load("planar_2r"), **options)


def test_arrays_of_other_shapes_are_refused():
    base = fs.base_parameters(fs.models.load("planar_2r"))
    for call, name in ((base.regressor, "Y"), (base.beta, "pi"), (base.pi, "beta")):
        with pytest.raises(ValueError, match=rf"^{name}: expected shape \(\.\.\., "):
            call(np.zeros(3))
