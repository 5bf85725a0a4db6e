"""`algoworlds judge`: what could have been known in every evaluation of finished runs."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import JobsOption, JsonOption, SuiteOption
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.cli.progress import workers_with_progress
from algoworlds.errors import InputError
from algoworlds.grid import to_one_line


def judge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs on one suite.")],
    suite: SuiteOption = None,
    jobs: JobsOption = 1,
    json: JsonOption = False,
) -> None:
    """Judge every finalized record: whether the optimum could be known, what the decision risked, and what was lost because
    facts were missing.

    Judging solves instances, which scoring never does. It writes one document per record beside the records, once. An
    interrupted command continues where it stopped. Several runs on one suite are judged faster together. If the oracle fails
    on a record, its answer there is undecided, and a warning names the record.
    """
    from algoworlds.reports.loading import check_same_suite
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.judgement import count_footings, judge_runs
    from algoworlds.runs.rescore import open_suite_of_run

    directories = [RunDirectory(path) for path in runs]
    opened = open_suite_of_run(directories[0], suite)
    check_same_suite(directories, opened)
    _require_knowledge(dict.fromkeys(entry.family for entry in opened.manifest.worlds))
    warnings: list[str] = []
    try:
        with workers_with_progress("judging", jobs) as (workers, progress):
            judged = judge_runs(directories, opened, workers, progress, warn=warnings.append, warn_damaged=print_stderr)
    finally:
        for warning in warnings:
            print_stderr(warning)
    footings = {str(directory.path): count_footings(directory) for directory in directories}
    if json:
        print_json({"judged": judged, "faults": len(warnings), "runs": footings})
        return
    print(f"{judged:,} records judged{f', {len(warnings):,} of them with faults of the oracle' if warnings else ''}")
    for path, counts in footings.items():
        print(to_one_line(f"{path}: {', '.join(f'{name} {count}' for name, count in counts.items()) or 'nothing judged'}"))


def _require_knowledge(names: Collection[str]) -> None:
    """Warn about families that declare too little to be judged in full; raise InputError if none declares anything."""
    from algoworlds.families import load_family
    from algoworlds.families.knowledge import Knowledge

    families, parts = [load_family(name) for name in names], ("ranges", "unknowns", "options")
    problems = [family.lacking("knowledge", *parts, purpose="judge what could be known") for family in families]
    if all(family.knowledge == Knowledge() for family in families):
        raise InputError(problems[0])
    for problem in filter(None, problems):
        print_stderr(problem)
