"""What the harness leaves to Python's collector is collected within each test, where its warnings are expected."""

import gc

import pytest


@pytest.fixture(autouse=True)
def _collected():
    yield
    gc.collect()
