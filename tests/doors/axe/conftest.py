"""The report of the panel and the browser that shows it, as the tests of reports have them."""

from tests.reports.conftest import played, records, report, running

__all__ = ["played", "records", "report", "running"]
