"""`algoworlds judge`: what could have been known in every evaluation of finished runs."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.evaluate import SuiteOf
from algoworlds.cli.flags import Json, print_json
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Jobs
from algoworlds.cli.streams import complain
from algoworlds.errors import InputError
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
    _require_knowledge(dict.fromkeys(entry.family for entry in opened.manifest.worlds))
    with engine(jobs, None) as workers, progress_bar("judging") as progress:
        made = judge_runs(found, opened, workers, progress)
    counts = {str(each.path): footings(each) for each in found}
    if json:
        print_json({"judged": made, "runs": counts})
        return
    print(f"{made:,} records judged")
    for path, count in counts.items():
        print(one_line(f"{path}: {', '.join(f'{name} {number}' for name, number in count.items()) or 'nothing judged'}"))


def _require_knowledge(names: Collection[str]) -> None:
    """Say which families declare too little to be judged in full; InputError if none declares anything."""
    from algoworlds.families import family
    from algoworlds.families.knowledge import Knowledge

    families = [family(name) for name in names]
    found = [one.lacking("knowledge", "ranges", "unknowns", "options", purpose="judge what could be known") for one in families]
    if all(one.knowledge == Knowledge() for one in families):
        raise InputError(found[0])
    for problem in filter(None, found):
        complain(problem)
