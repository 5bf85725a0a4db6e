"""For all tests: cycles are looked for rarely, since references alone free nearly all that a test leaves; smaller reports."""

import gc
from importlib.util import find_spec

import pytest

from tests import drawing


def pytest_configure(config):
    """Properties are tried on fewer examples where the long forms of tests are left out; environments of doors try none."""
    if find_spec("hypothesis"):
        from hypothesis import settings

        examples = 60 if config.option.markexpr == "not full" else 300
        settings.register_profile("examples", max_examples=examples, deadline=None)
        settings.load_profile("examples")


def pytest_collection_finish():
    """Once the tests are known, what was imported for them is looked through no more: it took a seventh of their time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.fixture
def unfiled():
    with drawing.unfiled():
        yield


@pytest.fixture
def unillustrated():
    with drawing.unillustrated():
        yield


@pytest.fixture
def undrawn(monkeypatch):
    """Reports are their tables; pages and figures, which show the same numbers, are drawn elsewhere."""
    from algoworlds.reports.page import PAGE

    monkeypatch.setattr("algoworlds.reports.conclude.report_files", lambda *told: {PAGE: b""})
