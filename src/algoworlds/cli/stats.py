"""`algoworlds stats`: the paper's tables of a suite."""

from algoworlds.cli.options import ExecutorOption, FormatOption, JobsOption, JsonOption, SuiteArgument, TableFormat
from algoworlds.cli.output import format_tables, print_json
from algoworlds.cli.validate import run_validation


def stats(
    suite: SuiteArgument,
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    form: FormatOption = TableFormat.TEXT,
    json: JsonOption = False,
) -> None:
    """The paper's tables of a suite, recomputed: access scale, executed work by level, validation summary."""
    from algoworlds.cli.console import SafeConsole
    from algoworlds.cli.tables import print_statistics
    from algoworlds.suites.paper_tables import numeric_tables, suite_statistics, text_tables

    data = suite_statistics(run_validation(suite, jobs, executor, None))
    if json:
        print_json(data)
    elif form is TableFormat.TEXT:
        print_statistics(SafeConsole(), text_tables(data))
    else:
        print(format_tables(numeric_tables(data) if form is TableFormat.CSV else text_tables(data), form))
