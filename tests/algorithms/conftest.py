"""A robot with every type of joint, and states of it."""

import pytest

from ..functions import arrays_for
from ..random_trees import random_tree


@pytest.fixture(scope="session")
def model():
    """Six bodies, one with each type of joint, on a floating base."""
    return random_tree(1, 11, floating_base=True, massless=False)


@pytest.fixture(scope="session")
def arrays(model):
    return arrays_for(model, 1, ())


@pytest.fixture(scope="session")
def batches(model):
    return arrays_for(model, 2, (2, 3))
