"""Fixtures of the laws: every law takes a robot, and is tried on all of them."""

from __future__ import annotations

import pytest

from .robots import FREE, MIMIC, ROBOTS, Robot
from .robots import robot as named


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> Robot:
    """Each of the random robots."""
    return named(request.param)


@pytest.fixture(params=MIMIC)
def mimic_robot(request: pytest.FixtureRequest) -> Robot:
    """Each of the robots with mimic followers."""
    return named(request.param)


@pytest.fixture(params=FREE)
def free_robot(request: pytest.FixtureRequest) -> Robot:
    """Each of the robots without mimic followers."""
    return named(request.param)
