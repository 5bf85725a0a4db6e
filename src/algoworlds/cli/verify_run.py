"""`algoworlds verify-run`: replay a run against its suite."""

from algoworlds.cli.options import JobsOption, JsonOption, RunArgument, SuiteOption
from algoworlds.cli.output import print_problems
from algoworlds.cli.progress import workers_with_progress
from algoworlds.grid import to_one_line


def verify_run(directory: RunArgument, suite: SuiteOption = None, jobs: JobsOption = 1, json: JsonOption = False) -> None:
    """Check a run: one record per scheduled evaluation, digests, and every trajectory replayed against the suite."""
    from algoworlds.runs import rescore
    from algoworlds.runs.directory import RunDirectory

    run = RunDirectory(directory)
    opened = rescore.open_suite_of_run(run, suite)
    with workers_with_progress("replaying", jobs) as (workers, progress):
        problems = list(map(to_one_line, rescore.verify_run(run, opened, workers, progress)))
    document = {"evaluations": len(run.schedule), "identity": run.document["identity"]}
    success = f"{len(run.schedule)} records verified: each trajectory replayed, each measure recomputed"
    print_problems(document, problems, success, json)
