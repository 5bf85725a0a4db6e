"""Close servers at the end, and collect the library's garbage within each test."""

import gc

import pytest

from tests.doors.verifiers.adapter import SERVED_ENVIRONMENTS


@pytest.fixture(scope="session", autouse=True)
def _close_servers():
    yield
    while SERVED_ENVIRONMENTS:
        SERVED_ENVIRONMENTS.popitem()[1].close()


@pytest.fixture(autouse=True)
def _collect_garbage():
    yield
    gc.collect()
