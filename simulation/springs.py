"""Springs between motors and links of elastic joints, within the time loop.

Each step takes them where it begins, Runge-Kutta in its middle and at its end too. Semi-implicit Euler is then the
symplectic method, whose energy stays bounded for dt below 2 by the highest angular frequency, sqrt(k (1/B + 1/M)).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.elastic import Elastic

PLACES = 4  # of a spring: coordinates of link and motor, rates of link and motor


def spring_forces(count: int, places: Any, table: Any, q: Any, qd: Any, force: Any) -> None:
    """Add to force (nv_free). `places` has PLACES integers for each spring, `table` its stiffness and damping."""
    for s in range(count):
        at = PLACES * s
        link, motor = places[at + 2], places[at + 3]
        twist = table[2 * s] * (q[places[at + 1]] - q[places[at]]) + table[2 * s + 1] * (qd[motor] - qd[link])
        force[link] += twist
        force[motor] -= twist


def where_springs_act(robot: Elastic) -> list[int]:
    """The integers of all springs."""
    return np.stack([robot.link_q, robot.motor_q, robot.link_v, robot.motor_v], axis=-1).ravel().tolist()


def what_springs_have(robot: Elastic) -> np.ndarray:
    """Stiffness and damping of all springs."""
    return np.stack([robot.stiffness, robot.damping], axis=-1).ravel()
