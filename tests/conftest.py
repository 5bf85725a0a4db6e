"""Settings for all tests: a rare cyclic garbage collection, fewer Hypothesis examples, and fixtures for smaller reports."""

import gc
from importlib.util import find_spec

import pytest

from tests import drawing


def pytest_configure(config):
    """Run properties on fewer examples in the short form of the tests; adapter environments have no Hypothesis."""
    if find_spec("hypothesis"):
        from hypothesis import settings

        examples = 60 if config.option.markexpr == "not full" else 300
        settings.register_profile("examples", max_examples=examples, deadline=None)
        settings.load_profile("examples")


def pytest_collection_finish():
    """Exclude everything imported so far from garbage collection, which took a seventh of the test time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.fixture
def no_figure_files():
    """Draw figures in the page only."""
    with drawing.without_figure_files():
        yield


@pytest.fixture
def no_figures():
    """Draw no figures."""
    with drawing.without_figures():
        yield


@pytest.fixture
def undrawn(monkeypatch):
    """Write reports without page and figures; tables hold the same numbers."""
    from algoworlds.reports.page import PAGE_FILE

    monkeypatch.setattr("algoworlds.reports.report.build_report_files", lambda *arguments: {PAGE_FILE: b""})
