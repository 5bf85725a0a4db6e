"""`algoworlds report`: from run directories to every table and figure of the paper and one page to read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.flags import Json, print_json
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Jobs
from algoworlds.cli.streams import complain
from algoworlds.errors import InputError
from algoworlds.grid import one_line
from algoworlds.reports.ranking import Ranking

if TYPE_CHECKING:
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.suites.opened import Opened


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Complete runs on one suite.")],
    out: Annotated[Path, typer.Option(help="Directory to write tables, figures and report.html into.")],
    compare: Annotated[bool, typer.Option("--compare", help="Add paired comparisons of all configurations.")] = False,
    panel: Annotated[bool, typer.Option(help="Play missing scripted agents, for floor and ceiling, into OUT/panel.")] = True,
    suite: Annotated[Path | None, typer.Option(help="The suite of the runs, if it is no longer where it was.")] = None,
    unverified: Annotated[
        bool,
        typer.Option("--unverified", help="Go on with runs whose identity or digests do not hold; tables and figures say so."),
    ] = False,
    responses: Annotated[
        bool, typer.Option(help="Keep what the tools told, for replays; without, a report on a private suite can be shared.")
    ] = True,
    order: Annotated[
        Ranking, typer.Option(help="Configurations by exact optimality, as their runs are given, or by name.")
    ] = Ranking.EXACT,
    common: Annotated[
        bool, typer.Option("--common", help="Take runs on different worlds, as people's are, and report on those in common.")
    ] = False,
    jobs: Jobs = 1,
    json: Json = False,
) -> None:
    """Every table and figure of the paper from finished runs, with intervals, and one page to read them in."""
    from algoworlds.batch import engine
    from algoworlds.runs.directory import RunDirectory

    need_report_extra()
    from algoworlds.reports.conclude import conclude
    from algoworlds.reports.panel import unplayable_agents

    found = [RunDirectory(path) for path in runs]
    opened, note = _suite(found, suite)
    with engine(jobs, None) as workers, progress_bar("playing and judging agents") as progress:
        made = conclude(
            found,
            opened,
            out,
            workers,
            progress,
            compare=compare,
            panel=panel,
            unverified=unverified,
            responses=responses,
            ranking=order,
            common=common,
        )
    if panel and opened is not None:
        for agent, problem in unplayable_agents(entry.family for entry in opened.manifest.worlds).items():
            complain(f"{problem}; the report leaves {agent} out")
    waiting = sum(each.judgement is None for each in made.results.evaluations)
    if json:
        tables = sorted(made.sheets)
        labels, count = list(made.results.configurations), len(made.results.evaluations)
        told = {"evaluations": count, "judged": count - waiting, "configurations": labels, "tables": tables}
        beside = None if made.beside is None else str(made.beside)
        print_json(told | {"report": str(made.page), "beside": beside, "note": note})
        return
    print(f"{len(made.results.evaluations)} evaluations of {', '.join(map(one_line, made.results.configurations))}")
    print(one_line(f"{len(made.sheets)} tables in {out}, figures in {out / 'figures'}; read {made.page}"))
    if made.beside is not None:
        print(one_line(f"what is known of single evaluations lies in {made.beside}: keep it beside the page"))
    if note:
        print(note)
    if waiting:
        print(f"{waiting:,} evaluations are not judged: algoworlds judge RUN adds what could be known, and regret in two parts")


def _suite(runs: "list[RunDirectory]", given: Path | None) -> "tuple[Opened | None, str | None]":
    """The runs' suite; without it the report is made all the same, and says what it lacks."""
    from algoworlds.runs.rescore import suite_of

    if given is None and runs[0].suite_place is None:
        return (
            None,
            "without its suite the report lacks floor and ceiling and benchmark tables: name it with --suite",
        )
    return suite_of(runs[0], given), None


def need_report_extra() -> None:
    """InputError before any work if a library is missing that is needed at its end; fonts get a place that can be written."""
    from importlib.util import find_spec

    from algoworlds.cache import cache_directory

    cache_directory()
    if any(find_spec(name) is None for name in ("jinja2", "matplotlib")):
        raise InputError("reports need an extra: pip install 'algoworlds[report]'")
