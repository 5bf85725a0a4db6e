"""`algoworlds rescore`: recompute the measures of a run."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import JobsOption, JsonOption, RunArgument, SuiteOption
from algoworlds.cli.output import print_json
from algoworlds.cli.progress import workers_with_progress
from algoworlds.grid import to_one_line


def rescore(
    directory: RunArgument,
    suite: SuiteOption = None,
    out: Annotated[Path | None, typer.Option(help="Write the run with the new records here; the old one stays.")] = None,
    jobs: JobsOption = 1,
    json: JsonOption = False,
) -> None:
    """Recompute every measure of a run from its trajectories and the suite, and show what changed."""
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import open_suite_of_run, rescore_run, write_rescored_run

    run = RunDirectory(directory)
    opened = open_suite_of_run(run, suite)
    with workers_with_progress("rescoring", jobs) as (workers, progress):
        rescored = sorted(rescore_run(run, opened, workers, progress), key=lambda record: record.slot.name)
    differences = {record.slot.name: [record.problem] if record.problem else list(record.changes) for record in rescored}
    changed = {name: changes for name, changes in differences.items() if changes}
    if out is not None:
        write_rescored_run(run, rescored, out)
    if json:
        print_json({"records": len(rescored), "changed": changed, "out": None if out is None else str(out)})
    else:
        for name, changes in changed.items():
            print(to_one_line(f"{name}: {'; '.join(map(str, changes))}"))
        print(f"{len(rescored)} records recomputed, {len(changed)} changed")
    if any(record.problem for record in rescored):
        raise typer.Exit(1)
