"""What must hold for any number of lanes, to be computed in a process of its own: each law gives what breaks it."""

from __future__ import annotations

import ctypes
import math
import os
import platform
from collections.abc import Callable
from typing import Any

import numpy as np

import featherstone as fs
from featherstone.engine.loader import lane_width

from ..functions import FUNCTIONS, LARGE, WITH_OUT, Function, arrays_for
from ..random_trees import random_tree
from ..sensitivity import EPS, sensitivity
from .fences import SIDES, FencedMemory, fence, fence_model, fenced
from .states import ROBOTS
from .test_sincos import ULPS, clock, either_sign, sincos, worst

SIZES = range(1, 18)  # around two groups of eight lanes, with every rest
ALLOWED = 64.0  # units in the last place of what the inputs' last places change
STEPS, EVERY = 12, 3

ORDINARY = os.environ.get("FEATHERSTONE_GATE") == "0"  # all calls go the ordinary way


def rollout(method: str, by_step: bool) -> Callable[..., Any]:
    """A short simulation, its configurations, velocities and accelerations side by side."""

    def simulated(model: fs.Model, q: Any, qd: Any, tau: Any, f_ext: Any) -> np.ndarray:
        drive = np.repeat(tau[..., None, :], STEPS, axis=-2) if by_step else tau
        given = {"tau": drive, "f_ext": f_ext, "method": method, "save_every": EVERY}
        run = fs.simulate(model, q, qd, duration=STEPS * 1e-3, dt=1e-3, **given)
        return np.concatenate([run.q, run.qd, run.qdd], axis=-1)

    return simulated


def gradient(method: str) -> Callable[..., Any]:
    """The gradient of a short simulation's velocities and torques, all of it side by side."""

    def differentiated(model: fs.Model, q: Any, qd: Any, tau: Any, f_ext: Any) -> np.ndarray:
        def cost(t: Any, q: Any, qd: Any, tau: Any) -> Any:
            return (qd * qd + tau * tau).sum(-1), 0.0, 2 * qd, 2 * tau

        given = {"tau": tau, "f_ext": f_ext, "method": method, "duration": STEPS * 1e-3, "dt": 1e-3}
        found = fs.rollout_gradient(model, q, qd, cost, **given)
        forces = found.f_ext.reshape(*found.f_ext.shape[:-2], -1)
        parts = (found.q0, found.qd0, found.tau, forces, found.parameters, found.armature, found.damping)
        return np.concatenate(parts, axis=-1)

    return differentiated


GRADIENTS = {
    f"gradient by {method}": Function(gradient(method), ("q", "qd", "tau", "f_ext"), takes_out=False, inverts=True)
    for method in ("semi_implicit_euler", "rk4")
}
ALL = (
    FUNCTIONS
    | GRADIENTS
    | {
        f"simulate by {method}{', a torque each step' * by_step}": Function(
            rollout(method, by_step), ("q", "qd", "tau", "f_ext"), takes_out=False, inverts=True
        )
        for method in ("semi_implicit_euler", "rk4")
        for by_step in (False, True)
    }
)


def robots() -> Any:
    """Each robot, made anew, with states."""
    for name, arguments in ROBOTS.items():
        model = random_tree(**arguments)
        yield name, model, arrays_for(model, 5, (SIZES[-1],))


def part(arrays: dict[str, np.ndarray], which: Any) -> dict[str, np.ndarray]:
    """Some of the states, or one."""
    return {name: x[which] for name, x in arrays.items()}


def agreement() -> list[str]:
    """A batch is its states one by one to rounding, and of any size gives the same bits."""
    broken = []
    for robot, model, arrays in robots():
        for name, function in ALL.items():
            together = np.asarray(function(model, arrays))
            alone = np.stack([function(model, part(arrays, k)) for k in range(SIZES[-1])])
            off = np.abs(together - alone) - ALLOWED * EPS * sensitivity(function, model, arrays)
            if not off.max() <= 0.0:
                broken.append(f"{robot}: {name}: off by {off.max():.1e} more than allowed")
            for size in SIZES:
                if not np.array_equal(function(model, part(arrays, slice(size))), together[:size]):
                    broken.append(f"{robot}: {name}: {size} states give other bits")
    return broken


def fences() -> list[str]:
    """Nothing beside the arrays is touched, nothing given is written to, and all results are written."""
    broken = []
    for robot, ordinary, arrays in robots():
        expected = {name: np.asarray(function(ordinary, arrays)) for name, function in ALL.items()}
        for side in SIDES:
            model = random_tree(**ROBOTS[robot])
            fence_model(model, side)
            for size in SIZES:
                given = {name: fence(x[:size], side) for name, x in arrays.items()}
                for name, function in ALL.items():
                    with FencedMemory(side) as memory:
                        found = function(model, given)
                    seen = memory.given or not ORDINARY  # the gate asks NumPy in another way, and the stack
                    if not seen or not np.array_equal(found, expected[name][:size]):
                        broken.append(f"{robot}: {name}: {size} states, {side}")
                for name, function in WITH_OUT.items():
                    out = fenced(expected[name][:size].shape, side)
                    function(model, given, out=out)
                    if not np.array_equal(out, expected[name][:size]):
                        broken.append(f"{robot}: {name}: {size} states into out, {side}")
    return broken


def fences_of_one_state() -> list[str]:
    """The same for states without a batch dimension, and for arguments that a batch shares."""
    broken = []
    for robot, ordinary, arrays in robots():
        for side in SIDES:
            model = random_tree(**ROBOTS[robot])
            fence_model(model, side)
            one = {name: fence(x[0], side) for name, x in arrays.items()}
            for name, function in ALL.items():
                mixed = one | {function.inputs[-1]: fence(arrays[function.inputs[-1]][:5], side)}
                for given in (one, mixed):
                    plain = {key: x.copy() for key, x in given.items()}
                    with FencedMemory(side):
                        found = function(model, given)
                    if not np.array_equal(found, function(ordinary, plain)):
                        broken.append(f"{robot}: {name}: {side}")
    return broken


def fences_of_rows() -> list[str]:
    """The same for rows of states with gaps between them, so that what lies behind the last row is far away."""
    broken = []
    for robot, ordinary, _ in robots():
        for side in SIDES:
            model = random_tree(**ROBOTS[robot])
            fence_model(model, side)
            inner = {"end": slice(1, None), "start": slice(0, -1)}[side]
            for size in SIZES:
                arrays = {key: fence(x, side)[:, inner] for key, x in arrays_for(ordinary, size, (3, size + 1)).items()}
                plain = {key: x.copy() for key, x in arrays.items()}
                for name, function in ALL.items():
                    with FencedMemory(side):
                        found = function(model, arrays)
                    if not np.array_equal(found, function(ordinary, plain)):
                        broken.append(f"{robot}: {name}: 3 rows of {size} states, {side}")
    return broken


def fences_between_threads() -> list[str]:
    """The same for a batch that several threads take chunks of."""
    broken = []
    fs.set_num_threads(3)
    model = random_tree(**ROBOTS["every joint"])
    states = arrays_for(model, 6, (4001,))
    for name, function in FUNCTIONS.items():
        arrays = part(states, slice(LARGE.get(name)))
        expected = function(model, arrays)
        for side in SIDES:
            given = {key: fence(x, side) for key, x in arrays.items()}
            with FencedMemory(side):
                found = function(model, given)
            if not np.array_equal(found, expected):
                broken.append(f"{name}: {side}")
    return broken


def flags() -> list[str]:
    """Lanes behind the last state raise no floating-point exception that the states themselves do not raise.

    These may: where a quaternion does not turn, lanes divide zero by zero and select another value.
    """
    library = ctypes.CDLL(None)
    bad = 1 | 4 | 8 if platform.machine() in ("x86_64", "AMD64") else 1 | 2 | 4  # invalid, by zero, overflow
    fs.set_num_threads(1)
    broken = []

    def raised(function: Any, model: fs.Model, arrays: dict[str, np.ndarray]) -> int:
        library.feclearexcept(bad)
        function(model, arrays)
        return library.fetestexcept(bad)

    for robot, model, arrays in robots():
        for name, function in ALL.items():
            function(model, arrays)  # compiled and loaded
            own = 0
            for size in SIZES:
                own |= raised(function, model, part(arrays, slice(size - 1, size)))
                if raised(function, model, part(arrays, slice(size))) & ~own:
                    broken.append(f"{robot}: {name}: {size} states")
    return broken


def accuracy() -> list[str]:
    """Sines and cosines are right to two units in the last place, and the C library's own beyond 1e5."""

    def ask(x: np.ndarray) -> Any:
        return sincos(clock(1), x)

    rng = np.random.default_rng(3)
    broken = []
    for low, high in ((-300, -8), (-8, 0), (0, 2), (2, 5)):
        found = worst(ask, either_sign(rng, 10.0 ** rng.uniform(low, high, 301)))
        if not found <= ULPS:
            broken.append(f"1e{low} to 1e{high}: {found:.2f} units")
    quarters = np.arange(1, 63662, 31) * (math.pi / 2)
    if not worst(ask, quarters) <= ULPS:
        broken.append("next to multiples of a quarter turn")
    edge = 1e5  # rad; up to there lanes reduce angles by themselves
    far = np.concatenate([[1e9, -1e9, 1e300, -1e300, 1.7976931348623157e308], 10.0 ** rng.uniform(5.001, 308, 300)])
    if not worst(ask, far) <= 1.0:
        broken.append("beyond 1e5")
    for x in (far, np.where(np.arange(far.size) % 3 == 0, far, 0.5)):  # also next to lanes that are near
        beyond = np.abs(x) > edge
        for found, function in zip(ask(x), (math.sin, math.cos)):
            if not np.array_equal(found[beyond], [function(angle) for angle in x[beyond].tolist()]):
                broken.append(f"beyond 1e5: not the C library's {function.__name__}")
    return broken


def width() -> int:
    """The number of lanes of this process."""
    return lane_width()
