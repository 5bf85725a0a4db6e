"""The report of a small panel, and a browser that shows it."""

import pytest

from algoworlds.grid import Grid
from algoworlds.reports.page import write_report
from algoworlds.reports.results import Results
from algoworlds.reports.write import all_tables
from tests.reports.browser import browser
from tests.reports.sample import HOSTILE, REORDERED, hostile, panel

ABOUT = {"Suite": "tiny", "Root digest": "0" * 64, "Note": HOSTILE}


@pytest.fixture(scope="session")
def records(tmp_path_factory):
    found = panel(tmp_path_factory.mktemp("suite") / "suite")
    return [*found, *hostile(found)]


@pytest.fixture(scope="session")
def report(records, tmp_path_factory):
    results = Results.of(records)
    extra = Grid("extra", "A table that no section knows: " + HOSTILE, ("Name", HOSTILE), ((HOSTILE, "1"), (REORDERED, "2")))
    return write_report(results, {**all_tables(results), "extra": extra}, tmp_path_factory.mktemp("report"), ABOUT)


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture
def page(running, report):
    """The report, freshly opened; whatever a test does, the page must not complain."""
    running.errors.clear()
    running.requests.clear()
    running.call("Page.addScriptToEvaluateOnNewDocument", source="window.boom = () => { window.boomed = true; };")
    running.open(report.as_uri())
    yield running
    assert running.errors == []
    assert not running.run("window.boomed")
    assert {address.split(":")[0] for address in running.requests} <= {"file", "about", "data"}
