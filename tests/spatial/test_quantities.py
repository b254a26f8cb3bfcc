"""What all types share: checked arguments, batches, immutability, equality, pickling, conversion to arrays."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from featherstone.spatial.articulated_inertia import ArticulatedInertia
from featherstone.spatial.rigid_inertia import Inertia
from featherstone.spatial.spatial_vectors import Force, Motion
from featherstone.spatial.transform import Transform


@pytest.fixture(params=["m", "f", "X", "I", "IA"])
def quantity(request):
    return request.getfixturevalue(request.param)


def test_an_index_selects_from_the_batch(quantity):
    whole, count = np.asarray(quantity), len(quantity)
    assert quantity.shape == (count,)
    np.testing.assert_array_equal(np.asarray(quantity[3]), whole[3])
    np.testing.assert_array_equal(np.asarray(quantity[-1]), whole[-1])
    np.testing.assert_array_equal(np.asarray(quantity[2:9:3]), whole[2:9:3])
    np.testing.assert_array_equal(np.asarray(quantity[[4, 1]]), whole[[4, 1]])
    np.testing.assert_array_equal(np.asarray(quantity[np.arange(count) % 2 == 0]), whole[::2])
    assert quantity[None].shape == (1, count)
    assert quantity[..., :2].shape == (2,)
    assert quantity[3].shape == ()
    assert quantity[:0].shape == (0,)
    assert quantity[None, :][0, 1:3] == quantity[1:3]
    with pytest.raises(IndexError):
        quantity[count]
    with pytest.raises(IndexError):
        quantity[0, 0]
    with pytest.raises(IndexError):
        quantity[3][0]


def test_a_batch_is_a_sequence_and_a_single_one_is_not(quantity):
    assert [x == quantity[i] for i, x in enumerate(quantity)] == [True] * len(quantity)
    with pytest.raises(TypeError, match="no length"):
        len(quantity[0])
    with pytest.raises(TypeError, match="no length"):
        iter(quantity[0])


def test_nothing_can_be_changed(quantity):
    before = copy.deepcopy(quantity)
    with pytest.raises(AttributeError, match="immutable"):
        quantity._components = np.zeros(6)
    with pytest.raises(AttributeError, match="immutable"):
        quantity.colour = "red"
    with pytest.raises(AttributeError, match="immutable"):
        del quantity._components
    with pytest.raises(TypeError, match="assignment"):
        quantity[0] = quantity[1]
    np.array(quantity)[...] = 7.0  # a copy
    quantity[0]._components.copy()[...] = 7.0
    assert quantity == before


@pytest.mark.parametrize("name", ["m.angular", "m.linear", "f.moment", "f.force", "X.rotation", "X.position"])
def test_parts_are_read_only(name, request):
    owner, part = name.split(".")
    array = getattr(request.getfixturevalue(owner), part)
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 0.0


def test_the_arrays_a_quantity_is_made_of_stay_the_users():
    six = np.ones(6)
    m = Motion.from_array(six)
    six[:] = 5.0
    np.testing.assert_array_equal(np.asarray(m), np.ones(6))
    R, p = np.eye(3), np.zeros(3)
    X = Transform(R, p)
    R[...], p[...] = 5.0, 5.0
    assert Transform.identity() == X


def test_equality_is_of_type_shape_and_numbers(quantity):
    same = copy.copy(quantity)
    assert quantity == same
    assert hash(quantity) == hash(same)
    assert quantity != quantity[::-1]
    assert quantity != quantity[:-1]
    assert quantity != quantity[0]
    assert quantity != np.asarray(quantity)
    assert quantity != "quantity"
    assert Motion.zero() != Force.zero()
    assert Motion.from_array(-np.zeros(6)) == Motion.zero()
    assert hash(Motion.from_array(-np.zeros(6))) == hash(Motion.zero())


def test_allclose_allows_small_differences_and_broadcasts(quantity):
    assert quantity.allclose(quantity)
    assert not quantity.allclose(quantity[::-1])
    assert quantity[3:4].allclose(quantity[3])
    assert Motion.zero().allclose(Motion.from_array(np.full(6, 1e-13)))
    assert not Motion.zero().allclose(Motion.from_array(np.full(6, 1e-13)), atol=1e-14)
    with pytest.raises(TypeError, match="expected a Motion, got Force"):
        Motion.zero().allclose(Force.zero())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="broadcast"):
        Motion.zero((2,)).allclose(Motion.zero((3,)))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_everything(quantity, protocol):
    again = pickle.loads(pickle.dumps(quantity, protocol))
    assert type(again) is type(quantity)
    assert again == quantity
    assert not again._components.flags.writeable


def test_numpy_converts_to_arrays_of_the_asked_type(quantity):
    assert np.asarray(quantity).dtype == np.float64
    assert np.asarray(quantity, np.float32).dtype == np.float32
    assert np.array(quantity).flags.writeable
    assert np.stack([quantity, quantity]).shape == (2, *np.asarray(quantity).shape)


def test_representation_is_one_line(quantity):
    assert repr(quantity) == f"{type(quantity).__name__}(shape=({len(quantity)},))"
    for one in quantity[:4]:
        assert "\n" not in repr(one)
        assert repr(one).startswith(type(one).__name__ + "(")


def test_representation_shows_no_negative_zero():
    assert repr(Motion([-0.0, 1.0, 0.5], [0, 0, -1e-9])) == "Motion(angular=[0, 1, 0.5], linear=[0, 0, -1e-09])"


def test_representation_of_a_massless_inertia_shows_its_first_moment():
    assert repr(Inertia.zero()) == (
        "Inertia(mass=0, first_moment=[0, 0, 0], inertia_about_com=[[0, 0, 0], [0, 0, 0], [0, 0, 0]])"
    )


def test_batches_broadcast():
    m = Motion.from_array(np.arange(30.0).reshape(5, 6))
    v = Motion.from_array(np.ones((4, 1, 6)))
    assert (m + v).shape == (4, 5)
    assert v.cross(m).shape == (4, 5)
    assert (m + v)[2, 3] == m[3] + v[2, 0]
    assert v.cross(m)[2, 3] == v[2, 0].cross(m[3])
    X = Transform.exp(v)
    assert (X @ m)[1, 4] == X[1, 0] @ m[4]
    assert Motion(np.zeros((4, 1, 3)), np.zeros((5, 3))).shape == (4, 5)
    assert Transform(np.eye(3), np.zeros((7, 3))).shape == (7,)
    assert Inertia(np.ones(3), np.zeros(3), np.eye(3)).shape == (3,)
    for k in range(3):
        rigid, blocks = [1.0, np.zeros(3), np.eye(3)], [np.eye(3)] * 3
        rigid[k], blocks[k] = np.stack([rigid[k]] * 2), np.stack([blocks[k]] * 2)
        assert Inertia(*rigid).shape == (2,)
        assert ArticulatedInertia(*blocks).shape == (2,)
    assert (np.arange(5.0) * m)[3] == 3.0 * m[3]
    assert (m / np.arange(1.0, 6.0))[3].allclose(m[3] / 4.0)
    assert Force.zero((2, 3)).dot(Motion.zero((3,))).shape == (2, 3)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: Motion.zero((2,)) + Motion.zero((3,)),
        lambda: Motion.zero((2,)).dot(Force.zero((3,))),
        lambda: Motion.zero((2,)).cross(Motion.zero((3,))),
        lambda: Transform.identity((2,)) @ Motion.zero((3,)),
        lambda: Transform.identity((2,)).transform_point(np.zeros((3, 3))),
        lambda: Inertia.zero((2,)) + Inertia.zero((3,)),
        lambda: ArticulatedInertia.zero((2,)).solve(Force.zero((3,))),
        lambda: np.zeros(3) * Motion.zero((2,)),
        lambda: Motion.zero((2,)) / np.ones(3),
        lambda: Motion(np.zeros((2, 3)), np.zeros((3, 3))),
        lambda: Transform(np.broadcast_to(np.eye(3), (2, 3, 3)), np.zeros((3, 3))),
    ],
)
def test_batches_that_do_not_broadcast_are_named(operation):
    with pytest.raises(
        ValueError, match=r"batch shapes: expected shapes that broadcast, got .*\(2,\).*\(3,\)|\(3,\).*\(2,\)"
    ):
        operation()


CONSTRUCTORS = {
    "Motion.angular": (lambda x: Motion(x, [0, 0, 0]), (3,)),
    "Motion.linear": (lambda x: Motion([0, 0, 0], x), (3,)),
    "Motion.array": (Motion.from_array, (6,)),
    "Force.moment": (lambda x: Force(x, [0, 0, 0]), (3,)),
    "Force.force": (lambda x: Force([0, 0, 0], x), (3,)),
    "Force.array": (Force.from_array, (6,)),
    "Motion.factor": (lambda x: x * Motion.zero() if isinstance(x, np.ndarray) else Motion.zero() * x, ()),
    "Transform.rotation": (Transform, (3, 3)),
    "Transform.position": (lambda x: Transform(np.eye(3), x), (3,)),
    "Transform.matrix": (Transform.from_matrix, (4, 4)),
    "Transform.quaternion": (Transform.from_quaternion, (4,)),
    "Transform.point": (Transform.identity().transform_point, (3,)),
    "Inertia.mass": (lambda x: Inertia(x, [0, 0, 0], np.eye(3)), ()),
    "Inertia.first_moment": (lambda x: Inertia(1.0, x, np.eye(3)), (3,)),
    "Inertia.inertia_about_origin": (lambda x: Inertia(1.0, [0, 0, 0], x), (3, 3)),
    "Inertia.com": (lambda x: Inertia.from_mass_com_inertia(1.0, x, np.eye(3)), (3,)),
    "Inertia.inertia_about_com": (lambda x: Inertia.from_mass_com_inertia(1.0, [0, 0, 0], x), (3, 3)),
    "Inertia.matrix": (Inertia.from_matrix, (6, 6)),
    "Inertia.parameters": (Inertia.from_parameters, (10,)),
    "ArticulatedInertia.angular": (lambda x: ArticulatedInertia(x, np.eye(3), np.eye(3)), (3, 3)),
    "ArticulatedInertia.coupling": (lambda x: ArticulatedInertia(np.eye(3), x, np.eye(3)), (3, 3)),
    "ArticulatedInertia.linear": (lambda x: ArticulatedInertia(np.eye(3), np.eye(3), x), (3, 3)),
    "ArticulatedInertia.matrix": (ArticulatedInertia.from_matrix, (6, 6)),
}


@pytest.fixture(params=CONSTRUCTORS)
def constructor(request):
    return (request.param.partition(".")[2], *CONSTRUCTORS[request.param])


def valid(shape):
    return np.eye(shape[0]) if len(shape) == 2 else np.ones(shape)


def test_numbers_of_any_real_type_are_taken(constructor):
    _, make, shape = constructor
    for kind in (np.int8, np.uint16, np.float32, np.float64, np.longdouble):
        assert np.asarray(make(valid(shape).astype(kind))).dtype == np.float64
    make(valid(shape).tolist())


def test_a_wrong_shape_is_named(constructor):
    name, make, shape = constructor
    for wrong in ((2, 5), (5,), ()):
        if shape and wrong[-1:] != shape[-1:]:
            with pytest.raises(ValueError, match=rf"{name}: expected real numbers of shape \(\.\.\., .*, got shape"):
                make(np.ones(wrong))
    if shape:
        with pytest.raises(ValueError, match=f"{name}: .* rows of different lengths"):
            make([[1.0, 2.0], [3.0]])


def test_a_wrong_type_is_named(constructor):
    name, make, shape = constructor
    for wrong in (
        None,
        "text",
        np.full(shape, "1"),
        np.ones(shape, bool),
        np.ones(shape, complex),
        np.full(shape, None),
        np.ones(shape, "m8[s]"),
        {"a": 1},
    ):
        with pytest.raises(TypeError, match=f"{name}: expected real numbers of shape .*, got "):
            make(wrong)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_named(constructor, bad):
    name, make, shape = constructor
    x = np.stack([valid(shape)] * 2)
    x[(1,) + (0,) * len(shape)] = bad
    with pytest.raises(ValueError, match=rf"{name}: expected finite numbers, got -?(nan|inf) at index \(1,"):
        make(x)


def test_a_single_number_that_is_not_finite_has_no_index():
    with pytest.raises(ValueError, match=r"^mass: expected finite numbers, got nan$"):
        Inertia(np.nan, [0, 0, 0], np.eye(3))


def test_operations_of_an_empty_batch_give_an_empty_batch(quantity):
    none = quantity[:0]
    assert np.asarray(none).shape[0] == 0
    if isinstance(none, Transform):
        assert (none @ none.inverse()).shape == (0,)
        assert none.log().shape == (0,)
    if isinstance(none, Inertia):
        none.check()
        assert none.is_physically_consistent().shape == (0,)


def test_importing_does_not_import_scipy_or_numba():
    code = "import sys, featherstone.spatial.transform; print({'scipy', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
