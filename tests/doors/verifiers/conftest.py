"""Servers are closed at the end; what the library leaves to Python's collector is collected within each test."""

import gc

import pytest

from tests.doors.verifiers.door import PREMISES


@pytest.fixture(scope="session", autouse=True)
def _closed():
    yield
    while PREMISES:
        PREMISES.popitem()[1].close()


@pytest.fixture(autouse=True)
def _collected():
    yield
    gc.collect()
