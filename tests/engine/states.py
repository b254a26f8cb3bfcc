"""The results of all functions at fixed states, to be computed in several ways: run as a module it prints them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..functions import FUNCTIONS, arrays_for
from ..random_trees import ALL, random_tree

ROBOTS: dict[str, dict[str, Any]] = {
    "every joint": {"seed": 1, "n": 11, "joints": ALL},
    "floating": {"seed": 2, "n": 4, "floating_base": True},
    "mimic": {"seed": 3, "n": 6, "mimic": True, "fixed": True},
}
COUNT = 3


def states(robot: str) -> tuple[Any, dict[str, np.ndarray]]:
    """A robot, and states."""
    model = random_tree(**ROBOTS[robot])
    return model, arrays_for(model, 1, (COUNT,))


def results(robots: Any = ROBOTS, functions: Any = FUNCTIONS) -> dict[str, list[Any]]:
    """For each robot and function the result of a batch, and of its first state alone."""
    found = {}
    for robot in robots:
        model, arrays = states(robot)
        one = {name: x[0] for name, x in arrays.items()}
        for name in functions:
            batch, single = (np.asarray(FUNCTIONS[name](model, given)).tolist() for given in (arrays, one))
            found[f"{robot}: {name}"] = [batch, single]
    return found


if __name__ == "__main__":
    print(json.dumps(results()))
