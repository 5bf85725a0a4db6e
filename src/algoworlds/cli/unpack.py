"""`algoworlds unpack`: open and check an archive made by `algoworlds pack`."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import JobsOption, JsonOption, RootOption, SuiteOption
from algoworlds.cli.output import print_problems
from algoworlds.cli.progress import workers_with_progress
from algoworlds.errors import InputError
from algoworlds.grid import to_one_line


def unpack(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="An archive made by algoworlds pack.")],
    out: Annotated[Path | None, typer.Option(help="Directory to put the run into; default: the run is not kept.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Replay every record against the suite.")] = False,
    suite: SuiteOption = None,
    root: RootOption = None,
    jobs: JobsOption = 1,
    json: JsonOption = False,
) -> None:
    """Open an archive of a run, refusing any byte that is not as it was packed; with --verify, replay every record.

    Exit code 2 for a damaged archive, 1 for records that differ from their replay; nothing is kept in both cases.
    """
    from algoworlds.reports.loading import check_same_suite
    from algoworlds.runs.archive import set_suite_path, unpack_run, verify_unpacked_run
    from algoworlds.suites.open import open_suite

    if not verify and out is None:
        raise InputError("say what to do with the archive: --verify, --out DIR, or both")
    if verify and suite is None:
        raise InputError("--verify replays every record: name the suite with --suite")
    opened = None if suite is None else open_suite(suite)
    with unpack_run(archive, out, root) as run:
        check_same_suite([run], opened)
        count = len(run.schedule)
        problems, success = [], f"{count} records, each byte as it was packed; replay them with --verify"
        if verify and opened is not None:
            with workers_with_progress("replaying", jobs) as (workers, progress):
                problems = list(map(to_one_line, verify_unpacked_run(run, opened, workers, progress)))
            success = f"{count} records verified: each trajectory replayed, each measure recomputed"
            if run.is_abridged:
                success += "; turns, tokens and cost are as stated"
        document = {"evaluations": count, "identity": run.document["identity"], "verified": verify and not problems}
        document["out"] = None if out is None or problems else str(out)
        print_problems(document, problems, success, json)
        set_suite_path(run, suite)
