"""`algoworlds report`: every table and figure of the paper and one page to read, from finished runs."""

import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.options import JsonOption, SuiteOption
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.errors import InputError
from algoworlds.grid import fix_plurals, to_one_line
from algoworlds.reports import Ranking

if TYPE_CHECKING:
    from algoworlds.reports.results import Results
    from algoworlds.runs.directory import RunDirectory


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Runs on one suite, complete unless --partial is given.")
    ],
    out: Annotated[Path, typer.Option(help="Directory to write tables, figures and report.html into.")],
    compare: Annotated[bool, typer.Option("--compare", help="Add paired comparisons of all configurations.")] = False,
    panel: Annotated[
        bool, typer.Option(help="Include the scripted agents in OUT/panel, as floor and ceiling; algoworlds panel plays them.")
    ] = True,
    suite: SuiteOption = None,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Report runs that fail verification; all tables and figures say so.")
    ] = False,
    responses: Annotated[
        bool, typer.Option(help="Include tool responses, for replays; without them you can share a report on a private suite.")
    ] = True,
    thinking: Annotated[
        bool,
        typer.Option(help="Include what models thought, folded, with tokens and seconds; leave it out for private suites."),
    ] = True,
    order: Annotated[
        Ranking, typer.Option(help="Sort configurations by exact optimality, as their runs are given, or by name.")
    ] = Ranking.EXACT,
    common: Annotated[
        bool, typer.Option("--common", help="Report on the worlds that all runs have played, if they played different ones.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Report what is finished of runs in progress; all tables and figures say so.")
    ] = False,
    measured: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A directory of algoworlds measure, to add its thresholds; repeatable."),
    ] = None,
    jobs: Annotated[int, typer.Option(hidden=True, help="Ignored: a report plays and judges nothing.")] = 1,
    json: JsonOption = False,
) -> None:
    """Write every table and figure of the paper from finished runs, with intervals, and one page to read them in.

    A report only reads. For floor and ceiling run algoworlds panel first, for what could be known algoworlds judge.
    """
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import open_suite_of_run

    if (problem := missing_report_extra()) is not None:
        raise InputError(problem)
    from algoworlds.reports.report import write_report
    from algoworlds.reports.thresholds import MeasurementResults
    from algoworlds.runs.measurement import MeasurementDirectory

    directories = [RunDirectory(path) for path in runs]
    note = None
    if suite is None and directories[0].suite_path is None:
        note = "without its suite the report lacks benchmark tables and responses: name it with --suite"
    written = write_report(
        directories,
        None if note else open_suite_of_run(directories[0], suite),
        out,
        include_comparisons=compare,
        include_panel=panel,
        allow_unverified=unverified,
        include_responses=responses,
        include_thinking=thinking,
        ranking=order,
        only_common_worlds=common,
        allow_partial=partial,
        measured=[MeasurementResults.from_directory(MeasurementDirectory(path)) for path in measured or ()],
    )
    results = written.results
    hints = [_judge_hint(results, directories), _panel_hint(results, runs, out) if panel else None]
    count, unjudged = len(results.evaluations), sum(evaluation.judgement is None for evaluation in results.evaluations)
    if json:
        document = {
            "evaluations": count,
            "judged": count - unjudged,
            "configurations": list(results.configurations),
            "assisted": [] if results.assisted is None else list(results.assisted.configurations),
            "tables": sorted(written.sheets),
            "report": str(written.page),
            "beside": None if written.evaluations_folder is None else str(written.evaluations_folder),
            "partial": None
            if results.finished is None
            else dict(zip(("finished", "scheduled"), results.finished, strict=True)),
            "note": "; ".join(filter(None, (note, hints[-1]))) or None,
        }
        print_json(document)
        return
    print(fix_plurals(f"{count} evaluations of {', '.join(map(to_one_line, results.configurations))}"))
    if results.assisted is not None:
        print(f"on assisted tracks: {', '.join(map(to_one_line, results.assisted.configurations))}")
    if results.finished is not None:
        print(f"PARTIAL: {results.finished[0]:,} of {results.finished[1]:,} evaluations are finished; every table says so")
    print(to_one_line(f"{len(written.sheets)} tables in {out}, figures in {out / 'figures'}; read {written.page}"))
    if written.evaluations_folder is not None:
        print(to_one_line(f"the evaluations are in {written.evaluations_folder}: keep it next to the page"))
    for line in filter(None, (note, *hints)):
        print(to_one_line(line))


def _judge_hint(results: "Results", runs: list["RunDirectory"]) -> str | None:
    """The command that judges the runs with evaluations that are not judged; None if there are none."""
    from algoworlds.reports.loading import run_label

    unjudged = Counter(evaluation.configuration for evaluation in results.evaluations if evaluation.judgement is None)
    count = sum(unjudged[run_label(run)] for run in runs)
    command = f"algoworlds judge {shlex.join(str(run.path) for run in runs if unjudged[run_label(run)])}"
    text = f"{count:,} evaluations are not judged: {command} adds what could be known, and regret in two parts"
    return fix_plurals(text).replace("1 evaluation are", "1 evaluation is") if count else None


def _panel_hint(results: "Results", runs: list[Path], out: Path) -> str | None:
    """The command that adds missing scripted agents, or their missing judgements; None if nothing is missing."""
    from algoworlds.reports.loading import PANEL_AGENTS
    from algoworlds.runs.panel import unplayable_agents

    unplayable = unplayable_agents(PANEL_AGENTS, results.families)
    for agent, problem in unplayable.items():
        print_stderr(f"{problem}; the report leaves {agent} out")
    missing = [name for name in PANEL_AGENTS if name not in results.configurations and name not in unplayable]
    unjudged = {evaluation.configuration for evaluation in results.evaluations if evaluation.judgement is None}
    command = f"algoworlds panel {shlex.join(map(str, runs))} --out {shlex.quote(str(out))}"
    if missing:
        return f"the report lacks floor and ceiling ({', '.join(missing)}): {command} plays them"
    if unjudged and unjudged <= set(PANEL_AGENTS) and unjudged != set(results.configurations):
        return f"the scripted agents are not judged: {command} judges them"
    return None


def missing_report_extra() -> str | None:
    """What to install if a library of the `report` extra is missing; None otherwise. Also sets up the cache for fonts."""
    from importlib.util import find_spec

    from algoworlds.cache import cache_directory

    cache_directory()
    is_complete = all(find_spec(name) is not None for name in ("jinja2", "matplotlib"))
    return None if is_complete else "reports need an extra: pip install 'algoworlds[report]'"
