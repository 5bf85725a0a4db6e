"""The report of a small panel, and a browser that shows it."""

import pytest

from algoworlds.reports.page import PAGE_FILE
from algoworlds.reports.page.payload import build_replays
from algoworlds.reports.report import fill_sheets
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import RowSubject, Section, Sheet, SheetColumn
from algoworlds.suites.open import open_suite
from tests.once import once
from tests.reports.browser import browser
from tests.reports.sample import HOSTILE, REORDERED, hostile, panel, write_page

ABOUT = {"Suite": "tiny", "Root digest": "0" * 64, "Note": HOSTILE}


def _hostile_subjects(results):
    return [RowSubject({"name": HOSTILE, "number": 1}, None), RowSubject({"name": REORDERED, "number": 2}, None)]


EXTRA = Sheet(
    "extra",
    "Extra",
    Section("further", "Further tables", ""),
    "A sheet with hostile texts: {hostile}",
    _hostile_subjects,
    (SheetColumn("name", "Name", str), SheetColumn("number", HOSTILE, str)),
    caption_values=lambda results: {"hostile": HOSTILE},
)


def all_sheets(results):
    """Every sheet, and one with hostile texts."""
    return {**fill_sheets(results), "extra": EXTRA.fill(results)}


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The folder of the panel's suite."""
    return tmp_path_factory.mktemp("suite") / "suite"


@pytest.fixture(scope="session")
def records(played):
    found = panel(played)
    return [*found, *hostile(found)]


@pytest.fixture(scope="session")
def report(records, played, tmp_path_factory):
    def write(place):
        results = Results.from_records(records)
        write_page(results, all_sheets(results), place, ABOUT, build_replays(open_suite(played), results.evaluations))

    return once(tmp_path_factory, "report", write) / PAGE_FILE


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture
def page(running, report):
    """The report, newly opened; after the test the page must have logged no error."""
    running.errors.clear()
    running.requests.clear()
    running.call("Page.addScriptToEvaluateOnNewDocument", source="window.boom = () => { window.boomed = true; };")
    running.open(report.as_uri())
    yield running
    assert running.errors == []
    assert not running.run("window.boomed")
    assert {address.split(":")[0] for address in running.requests} <= {"file", "about", "data"}
