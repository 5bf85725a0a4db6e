"""`algoworlds validate`: recompute every claim about a suite."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from algoworlds.cli.options import ExecutorOption, JobsOption, JsonOption, RootOption, SuiteArgument
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.cli.progress import workers_with_progress
from algoworlds.core.canonical import JsonObject

if TYPE_CHECKING:
    from algoworlds.suites.validation import ValidationReport


def validate(
    suite: SuiteArgument,
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    root: RootOption = None,
    json: JsonOption = False,
) -> None:
    """Prove every claim of a suite again: the rows of the paper's validation summary, the shortcut panel and a leak audit."""
    from algoworlds.cli.console import SafeConsole
    from algoworlds.cli.tables import print_table
    from algoworlds.suites.paper_tables import text_tables

    report = run_validation(suite, jobs, executor, root)
    if json:
        print_json({"validation": report.summary, "failures": report.failures})
    else:
        tables = text_tables({"access": [], "work": [], "validation": report.summary})
        print_table(SafeConsole(), tables["validation"])
        print(_conclusion(report.summary))
    for failure in report.failures:
        print_stderr(failure)
    if report.failures:
        raise typer.Exit(1)


def _conclusion(summary: list[JsonObject]) -> str:
    count, passed = (sum(row[name] for row in summary) for name in ("count", "passed"))
    if count == passed:
        kinds = sum(row["count"] > 0 for row in summary)
        return f"Every claim holds: {count:,} units of {kinds} kinds, each proven again from the bundles."
    broken = [row["row"] for row in summary if row["count"] != row["passed"]]
    return f"NOT every claim holds: {count - passed:,} of {count:,} units fail, in {', '.join(broken)}."


def run_validation(directory: Path, jobs: int, executor: str | None, root: str | None) -> "ValidationReport":
    """Validate the suite in `directory`, with a progress bar."""
    from algoworlds.suites.validation import validate_suite

    with workers_with_progress("validating", jobs, executor) as (workers, progress):
        return validate_suite(directory, workers, progress, root)
