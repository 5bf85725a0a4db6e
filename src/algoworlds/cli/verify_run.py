"""`algoworlds verify-run`: replay a run against its suite."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import JobsOption, JsonOption, RunArgument, SuiteOption
from algoworlds.cli.output import print_problems
from algoworlds.cli.progress import workers_with_progress
from algoworlds.grid import to_one_line


def verify_run(
    directory: RunArgument,
    suite: SuiteOption = None,
    jobs: JobsOption = 1,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Trust the recorded results of programs instead of running them again.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check a run: one record per scheduled evaluation, digests, and every trajectory replayed against the suite.

    Of a measurement all rounds are checked, and every round is chosen again from the outcomes before it.
    """
    from algoworlds.runs import rescore
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.measurement import MEASUREMENT_NAME

    if (directory / MEASUREMENT_NAME).is_file():
        _verify_measurement(directory, jobs, recorded, json)
        return
    run = RunDirectory(directory)
    opened = rescore.open_suite_of_run(run, suite)
    with workers_with_progress("replaying", jobs) as (workers, progress):
        problems = list(map(to_one_line, rescore.verify_run(run, opened, workers, progress, recorded)))
    document = {"evaluations": len(run.schedule), "identity": run.document["identity"]}
    success = f"{len(run.schedule)} records verified: each trajectory replayed, each measure recomputed"
    if opened.track.runs_programs:
        success += ", programs taken as recorded" if recorded else ", each program run again"
    print_problems(document, problems, success, json)


def _verify_measurement(path: Path, jobs: int, recorded: bool, json: bool) -> None:
    from algoworlds.runs.measurement import MeasurementDirectory, verify_measurement

    directory = MeasurementDirectory(path)
    with workers_with_progress("replaying", jobs) as (workers, progress):
        problems = list(map(to_one_line, verify_measurement(directory, workers, progress, recorded)))
    rounds, count = directory.finished_rounds, sum(1 for _ in directory.records())
    document = {"evaluations": count, "identity": directory.plan.identity}
    success = f"{count} records in {len(rounds)} rounds verified: the worlds chosen again, each trajectory replayed"
    print_problems(document, problems, success, json)
