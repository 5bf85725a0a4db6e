"""`algoworlds judge`: what could have been known in every evaluation of finished runs."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.evaluate import SuiteOf
from algoworlds.cli.flags import Json, print_json
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Jobs
from algoworlds.grid import one_line


def judge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs on one suite.")],
    suite: SuiteOf = None,
    jobs: Jobs = 1,
    json: Json = False,
) -> None:
    """Say of every finalized record whether the optimum could be known, what the decision risked, and what was lost for want
    of facts.

    This solves, which scoring never does: one document a record is written beside the records, once and for all. Interrupted,
    it goes on where it was. Several runs on one suite are judged faster together.
    """
    from algoworlds.batch import engine
    from algoworlds.reports.gather import one_suite
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.judgement import footings, judge_runs
    from algoworlds.runs.rescore import suite_of

    found = [RunDirectory(path) for path in runs]
    opened = suite_of(found[0], suite)
    one_suite(found, opened)
    with engine(jobs, None) as workers, progress_bar("judging") as progress:
        made = judge_runs(found, opened, workers, progress)
    counts = {str(each.path): footings(each) for each in found}
    if json:
        print_json({"judged": made, "runs": counts})
        return
    print(f"{made:,} records judged")
    for path, count in counts.items():
        print(one_line(f"{path}: {', '.join(f'{name} {number}' for name, number in count.items()) or 'nothing judged'}"))
