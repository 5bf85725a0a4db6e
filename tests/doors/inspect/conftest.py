"""Collect the harness's garbage within each test, where its warnings are expected."""

import gc

import pytest


@pytest.fixture(autouse=True)
def _collect_garbage():
    yield
    gc.collect()
