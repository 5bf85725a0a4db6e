"""`algoworlds pack` and `unpack`: a run as one archive that others can check."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.evaluate import Run, SuiteOf
from algoworlds.cli.flags import Json, print_json, print_problems
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Jobs
from algoworlds.errors import InputError, shown
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.runs.directory import RunDirectory


def pack(
    directory: Run,
    out: Annotated[Path | None, typer.Option(help="The archive to write; RUN.tar in this directory if left out.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Leave out what the model wrote; calls and measures stay.")] = False,
    revealed: Annotated[
        bool, typer.Option("--revealed", help="With --public: the private suite of the run has been published since.")
    ] = False,
    json: Json = False,
) -> None:
    """Make one archive of a complete run that others can check: records, journals, configuration, judgements and digests.

    The same run gives the same bytes. An archive that would hold a key or a path of this machine is not written.
    """
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.submission import PRIVATE
    from algoworlds.runs.submission import pack as packed

    found = RunDirectory(directory)
    if found.document["plan"]["suite"]["name"] == PRIVATE and public and not revealed:
        raise InputError("its records tell the optima of a private suite: publish them once it is public, with --revealed")
    out = out or Path(f"{directory.resolve().name}.tar")
    label = packed(found, out, public, os.environ)
    told = {"out": str(out), "bytes": out.stat().st_size, **{name: label[name] for name in ("evaluations", "public", "root")}}
    if json:
        print_json(told)
    else:
        print(one_line(f"{told['evaluations']} evaluations in {shown(out)}, {told['bytes']:,} bytes, root {told['root']}"))


def unpack(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="An archive made by algoworlds pack.")],
    out: Annotated[Path | None, typer.Option(help="Directory to put the run into; none is kept if left out.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Replay every record against the suite.")] = False,
    suite: SuiteOf = None,
    root: Annotated[str | None, typer.Option(help="The root digest that algoworlds pack printed.")] = None,
    jobs: Jobs = 1,
    json: Json = False,
) -> None:
    """Open an archive of a run, refusing any byte that is not as it was packed; with --verify, replay every record.

    Exit code 2 for an archive that is damaged, 1 for records that are not what a replay gives; nothing is kept then.
    """
    from algoworlds.batch import engine
    from algoworlds.reports.gather import one_suite
    from algoworlds.runs.receipt import received, settle, verified
    from algoworlds.suites.opened import open_suite

    if not verify and out is None:
        raise InputError("say what to do with it: --verify, --out DIR, or both")
    if verify and suite is None:
        raise InputError("--verify replays every record: name the suite with --suite")
    opened = None if suite is None else open_suite(suite)
    with received(archive, out, root) as run:
        one_suite([run], opened)
        problems = []
        if verify and opened is not None:
            with engine(jobs, None) as workers, progress_bar("replaying") as progress:
                problems = list(map(one_line, verified(run, opened, workers, progress)))
        told = {"evaluations": len(run.schedule), "identity": run.document["identity"], "verified": verify and not problems}
        told["out"] = None if out is None or problems else str(out)
        print_problems(told, problems, _fine(run, verify), json)
        settle(run, suite)


def _fine(run: "RunDirectory", verify: bool) -> str:
    """The good news, and no more than that."""
    if not verify:
        return f"{len(run.schedule)} records, each byte as it was packed; replay them with --verify"
    measured = "each measure recomputed; turns, tokens and cost are as stated" if run.abridged else "each measure recomputed"
    return f"{len(run.schedule)} records verified: each trajectory replayed, {measured}"
