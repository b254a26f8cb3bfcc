"""Any number of lanes: every function, every rest of a batch behind the last whole group of lanes.

Each law of `lanes` is tried in a process of its own, since the number of lanes is chosen once, and since a process that
touches a forbidden page dies.
"""

from __future__ import annotations

import signal

import numpy as np
import pytest

import featherstone as fs

from . import fences, lanes
from .processes import run_python, start_python


@pytest.fixture(params=(2, 4, 8))
def width(request):
    """Each number of lanes."""
    return request.param


@pytest.fixture(params=(2, 8))
def least_or_most(request):
    """The numbers of lanes with the shortest and the longest steps over memory."""
    return request.param


def breaks(law, width, **environment):
    """What breaks a law, in a process with so many lanes."""
    code = f"""
import faulthandler, json
faulthandler.enable()
from tests.engine import lanes
print(json.dumps([lanes.width(), lanes.{law.__name__}()]))
"""
    found, broken = run_python(code, FEATHERSTONE_LANES=str(width), **environment)
    assert found == width
    return broken


def test_every_function_gives_what_single_states_give_for_every_size(width):
    assert breaks(lanes.agreement, width) == []


@pytest.mark.parametrize("gate", ["0", "1"])
def test_nothing_beside_the_arrays_is_touched(least_or_most, gate):
    assert breaks(lanes.fences, least_or_most, FEATHERSTONE_GATE=gate) == []


@pytest.mark.parametrize("gate", ["0", "1"])
def test_nothing_beside_the_arrays_of_one_state_is_touched(gate):
    assert breaks(lanes.fences_of_one_state, 8, FEATHERSTONE_GATE=gate) == []


def test_nothing_beside_rows_of_states_is_touched(least_or_most):
    assert breaks(lanes.fences_of_rows, least_or_most) == []


def test_nothing_beside_the_arrays_is_touched_by_several_threads(least_or_most):
    assert breaks(lanes.fences_between_threads, least_or_most) == []


def test_lanes_behind_the_last_state_raise_no_exceptions_of_their_own(least_or_most):
    assert breaks(lanes.flags, least_or_most) == []


def test_sines_are_right_near_and_far(width):
    assert breaks(lanes.accuracy, width) == []


def test_every_function_of_a_state_is_tried():
    """What takes a model and a state is in the table; the others read models, compare, or call one in the table."""
    tried = {function.call.__name__ for function in lanes.FUNCTIONS.values()} | {"simulate", "rollout_gradient"}
    functions = {name for name in fs.__all__ if callable(getattr(fs, name)) and not isinstance(getattr(fs, name), type)}
    others = {"check", "compare", "get_num_threads", "load_urdf", "read_urdf", "repair", "set_num_threads", "unchecked"}
    others |= {"elastic", "from_dh", "external_wrench", "from_urdf_object"}
    others |= {"base_parameters", "exciting_trajectory", "filtered_motion", "identify"}
    others |= {"load_mjcf", "load_sdf", "load_xacro", "read_sdf"}
    others |= {"direct_residual", "momentum_residual"}
    through = {"cholesky": "factor", "forward_dynamics": "forward_by_factor", "frame_pose": "last_frame_pose"}
    through |= {f"frame_{x}": f"{x}_of_frame" for x in ("jacobian", "jacobian_rate", "velocity", "acceleration")}
    through |= {"relative_jacobian": "jacobian_between_frames", "kinematic_hessian": "hessian_of_frame"}
    through |= {"step_derivatives": "euler_step", "hybrid_dynamics": "hybrid"}
    through |= {"rnea_second_derivatives": "second_derivatives"}
    assert {through.get(name, name) for name in functions - others} <= tried


class TestFences:
    """The forbidden pages are where they should be, and kill."""

    @pytest.mark.parametrize("shape", [(), (1,), (5, 3), (fences.PAGE // 8,), (fences.PAGE // 8 + 1,), (0,)])
    @pytest.mark.parametrize("side", fences.SIDES)
    def test_an_array_between_them_is_an_array(self, shape, side):
        array = fences.fenced(shape, side)
        assert array.shape == shape
        assert np.isnan(array).all()
        array[...] = 2.5
        assert (fences.fence(array, side) == 2.5).all()

    @pytest.mark.parametrize(
        "touch",
        [
            "ctypes.c_double.from_address(fenced(7, 'end').ctypes.data + 56).value",
            "ctypes.c_double.from_address(fenced(7, 'start').ctypes.data - 8).value",
            "ctypes.memset(fenced(7, 'end').ctypes.data + 56, 0, 1)",
            "ctypes.memset(fenced(7, 'start').ctypes.data - 1, 0, 1)",
            "ctypes.memset(fence(np.ones(7), 'end').ctypes.data, 0, 1)",
        ],
    )
    def test_touching_them_kills(self, touch):
        code = f"import ctypes; import numpy as np; from tests.engine.fences import fence, fenced; {touch}"
        process = start_python(code)
        process.communicate(timeout=60)
        assert process.returncode in (-signal.SIGSEGV, -signal.SIGBUS)

    @pytest.mark.parametrize(("side", "shift"), [("start", -8), ("end", 8)])
    @pytest.mark.parametrize("count", [1, 5])
    def test_a_kernel_that_touches_them_dies(self, side, shift, count):
        """Told that its states lie one entry further than they do."""
        code = f"""
import numpy as np
import featherstone as fs
from featherstone.algorithms.kinematics import KINEMATICS
from featherstone.engine.batch import run
from featherstone.engine.kernel import Operand
from tests.engine.fences import fence
arm = fs.models.load("planar_2r")
q, poses = fence(np.zeros(({count}, arm.nq)), {side!r}), np.empty(({count}, 16 * arm.nb))
for shift in (0, {shift}):
    states = Operand(q, 0, 8 * arm.nq, 8, arm.nq, start=shift)
    results = Operand(poses, 0, 128 * arm.nb, 8, 16 * arm.nb)
    options, nothing = np.zeros(1, np.int64), Operand(None, 0, 0, 8, 24)
    print(run(KINEMATICS, arm.tree, arm.packed, options, [states, nothing, results], (1, {count})), flush=True)
"""
        process = start_python(code)
        output, _ = process.communicate(timeout=60)
        assert output == "None\n"
        assert process.returncode in (-signal.SIGSEGV, -signal.SIGBUS)
