"""Bad options: `out`, `losses`, `method`, names; robots that cannot be inverted; what `unchecked` switches off."""

import pickle
import re

import numpy as np
import pytest

import featherstone as fs
from featherstone.engine.strides import overlaps_itself

from ..functions import CONFIGURATIONS, FUNCTIONS, WITH_OUT, arrays_for

every_function = pytest.mark.parametrize("name", FUNCTIONS)
every_out = pytest.mark.parametrize("name", WITH_OUT)


@every_out
def test_out_of_a_wrong_kind(model, arrays, name):
    expected = WITH_OUT[name](model, arrays)
    for bad in (expected.astype(np.float32), expected.astype(">f8"), expected.astype(complex), expected.astype(int)):
        with pytest.raises(TypeError, match=f"^out: expected a float64 array, got {re.escape(str(bad.dtype))}"):
            WITH_OUT[name](model, arrays, out=bad)
    for bad in (expected.tolist(), "out", 1.0):
        with pytest.raises(TypeError, match=f"^out: expected a float64 array, got {type(bad).__name__}"):
            WITH_OUT[name](model, arrays, out=bad)


@every_out
def test_out_with_a_mask(model, arrays, name):
    """As inputs: the mask has no meaning here."""
    bad = np.ma.masked_array(np.zeros(WITH_OUT[name](model, arrays).shape))
    with pytest.raises(TypeError, match=r"^out: expected an array without a mask"):
        WITH_OUT[name](model, arrays, out=bad)


@every_out
def test_out_of_a_wrong_shape(model, arrays, batches, name):
    for given in (arrays, batches):
        shape = WITH_OUT[name](model, given).shape
        for wrong in ((*shape, 1), (1, *shape), shape[1:], (*shape[:-1], shape[-1] + 1), ()):
            pattern = f"^out: expected shape {re.escape(str(shape))}, got {re.escape(str(wrong))}"
            with pytest.raises(ValueError, match=pattern):
                WITH_OUT[name](model, given, out=np.zeros(wrong))


@every_out
def test_out_that_overlaps_itself(model, batches, name):
    expected = WITH_OUT[name](model, batches)
    bad = np.lib.stride_tricks.as_strided(np.zeros(expected.size), expected.shape, (0, *expected.strides[1:]))
    with pytest.raises(ValueError, match=r"^out: expected an array whose entries have each their own memory"):
        WITH_OUT[name](model, batches, out=bad)
    assert not bad.any()


def test_what_overlaps_itself():
    """Also arrays whose steps are finer than what others reach."""
    room = np.zeros(24)
    as_strided = np.lib.stride_tricks.as_strided
    for shape, steps, overlaps in (
        ((3, 2), (8, 24), False),
        ((3, 2), (16, 24), False),  # at 0, 2, 4 and 3, 5, 7
        ((3, 2), (8, 16), True),
        ((3, 2), (4, 16), True),
        ((1, 2), (0, 8), False),
        ((0, 2), (0, 0), False),
    ):
        assert overlaps_itself(as_strided(room, shape, steps)) == overlaps, (shape, steps)
    assert not overlaps_itself(room.reshape(2, 3, 4).transpose(2, 0, 1)[::-2])


@every_out
def test_out_that_is_read_only(model, batches, name):
    shape = WITH_OUT[name](model, batches).shape
    fixed = np.zeros(shape)
    fixed.flags.writeable = False
    for bad in (fixed, np.broadcast_to(np.zeros(shape[1:]), shape)):
        with pytest.raises(ValueError, match=r"^out: expected a writeable array"):
            WITH_OUT[name](model, batches, out=bad)


@pytest.mark.parametrize("losses", [0, 1, "yes", None, [True], 1.0])
@pytest.mark.parametrize("function", [fs.rnea, fs.aba, fs.forward_dynamics])
def test_losses_that_are_no_answer(model, arrays, function, losses):
    with pytest.raises(TypeError, match=r"^losses: expected True or False, got "):
        function(model, arrays["q"], arrays["qd"], arrays["tau"], losses=losses)


@pytest.mark.parametrize("method", ["ABA", "lu", "", None, 3])
def test_methods_that_do_not_exist(model, arrays, method):
    pattern = f"^method: expected 'aba' or 'cholesky', got {method!r}"
    with pytest.raises(ValueError, match=pattern):
        fs.forward_dynamics(model, arrays["q"], arrays["qd"], arrays["tau"], method=method)


@pytest.mark.parametrize(
    ("frame", "hint"),
    [("lnik2", "did you mean 'link2'"), ("Base", "'base'"), ("xyzzy", "it has 'base'"), (3, "it has")],
)
def test_frames_that_do_not_exist(model, arrays, frame, hint):
    with pytest.raises(fs.UnknownNameError, match=f"has no frame named {frame!r}; .*{hint}") as error:
        fs.frame_pose(model, arrays["q"], frame)
    assert isinstance(error.value, KeyError)
    assert isinstance(error.value, ValueError)


def singular_robot():
    """A wrist that turns nothing with inertia."""
    builder = fs.ModelBuilder("massless")
    for name, mass in (("base", 0.0), ("arm", 1.0), ("tip", 0.0)):
        builder.add_link(name, mass, (0.1, 0.0, 0.0))
    builder.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 0, 1))
    builder.add_joint("wrist", "revolute", "arm", "tip", axis=(0, 1, 0))
    return builder.build()


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if function.inverts])
@pytest.mark.parametrize("shape", [(), (3, 2)])
def test_joints_that_move_nothing(name, shape):
    model = singular_robot()
    where = r" in state \(0, 0\)" if shape else ""
    pattern = f"^the mass matrix is singular{where}: joint 'wrist' moves nothing that has inertia"
    with pytest.raises(fs.SingularMassMatrixError, match=pattern) as error:
        FUNCTIONS[name](model, arrays_for(model, 1, shape))
    assert error.value.joint == "wrist"
    # what needs no inverse works
    assert np.isfinite(fs.rnea(model, *np.zeros((3, 2)))).all()


def test_a_joint_that_moves_its_own_rotor_only_can_be_moved():
    """Armature is inertia too, however small: singular is what is zero to rounding, not what is light."""
    for armature in (1e-3, 1e-12, 1e-200):
        builder = fs.ModelBuilder("rotor")
        for name, mass in (("base", 0.0), ("arm", 1.0), ("tip", 0.0)):
            builder.add_link(name, mass, (0.1, 0.0, 0.0))
        builder.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 0, 1))
        builder.add_joint("wrist", "revolute", "arm", "tip", axis=(0, 1, 0), armature=armature)
        model = builder.build()
        for method in ("aba", "cholesky"):
            qdd = fs.forward_dynamics(model, *np.zeros((2, 2)), [0.0, 3.0 * armature], method=method)
            np.testing.assert_allclose(qdd, [0.0, 3.0], rtol=1e-12, atol=1e-12)


def raised(call, *arguments, **options):
    """The error of a call."""
    with pytest.raises(ValueError) as error:
        call(*arguments, **options)
    return error.value


@pytest.mark.parametrize(
    "make",
    [
        lambda: raised(fs.frame_pose, singular_robot(), [0.0, 0.0], "lip"),
        lambda: raised(fs.aba, singular_robot(), *np.zeros((3, 2))),
        lambda: raised(fs.simulate, singular_robot(), [0, 0], [0, 0], duration=1.0, dt=1.0),
        lambda: raised(fs.rnea, singular_robot(), *np.zeros((3, 1))),
        lambda: raised(fs.ModelBuilder().build),
        lambda: raised(fs.ModelBuilder().add_link, "heavy", -1.0),
        lambda: fs.SimulationError("text", 0.5, "wrist"),
    ],
)
def test_errors_can_be_pickled(make):
    """They cross between processes; one that cannot makes a pool of workers hang."""
    error = make()
    other = pickle.loads(pickle.dumps(error))
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)


NOT_USED = {("integrate_derivatives", "q")}  # the derivatives are the same from wherever dq leads


class TestUnchecked:
    @every_function
    def test_lets_nan_through(self, model, arrays, batches, name):
        for given in (arrays, batches):
            for key in FUNCTIONS[name].inputs:
                with fs.unchecked():
                    found = FUNCTIONS[name](model, given | {key: np.full_like(given[key], np.nan)})
                assert np.isnan(found).any() != ((name, key) in NOT_USED)

    @every_function
    def test_takes_quaternions_of_any_length(self, model, arrays, name):
        given = {key: x.copy() for key, x in arrays.items()}
        for key in CONFIGURATIONS:
            for k in model.quaternion_indices:
                given[key][k : k + 4] *= 1.25
        with fs.unchecked():
            found = np.asarray(FUNCTIONS[name](model, given))
        np.testing.assert_allclose(found, FUNCTIONS[name](model, arrays), rtol=1e-9, atol=1e-9)

    def test_lets_overflow_through(self, model, arrays):
        with fs.unchecked():
            assert not np.isfinite(fs.kinetic_energy(model, arrays["q"], np.full(model.nv, 1e200)))

    def test_looks_at_shapes_and_types_all_the_same(self, model, arrays):
        with fs.unchecked():
            with pytest.raises(ValueError, match=r"^qd: expected shape"):
                fs.rnea(model, arrays["q"], arrays["qd"][:-1], arrays["qdd"])
            with pytest.raises(TypeError, match=r"^qd: expected real numbers"):
                fs.rnea(model, arrays["q"], "text", arrays["qdd"])

    def test_is_over_after_its_block_also_after_an_error(self, model, arrays):
        bad = (arrays["q"], np.full(model.nv, np.nan), arrays["qdd"])
        with pytest.raises(ZeroDivisionError), fs.unchecked():
            raise ZeroDivisionError
        with pytest.raises(ValueError, match=r"^qd: expected finite numbers"):
            fs.rnea(model, *bad)
        with fs.unchecked(), fs.unchecked():
            pass
        with pytest.raises(ValueError, match=r"^qd: expected finite numbers"):
            fs.rnea(model, *bad)
