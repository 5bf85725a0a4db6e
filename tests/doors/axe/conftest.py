"""The fixtures of the report tests: a report and a browser that shows it."""

from tests.reports.conftest import played, records, report, running

__all__ = ["played", "records", "report", "running"]
