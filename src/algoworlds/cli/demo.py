"""`algoworlds demo`: one world, one agent's calls in it, its decision beside the optimum, and the report; offline."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.options import JsonOption
from algoworlds.cli.output import print_json
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import format_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from rich.console import Console

    from algoworlds.game.nicknames import Nicknames
    from algoworlds.reports.report import WrittenReport
    from algoworlds.suites.manifest import Manifest
    from algoworlds.worlds.admission import AdmittedInstance
    from algoworlds.worlds.episode import Episode
    from algoworlds.worlds.world import World

DEMO_WORLD = "fleet_dispatch-1-1"
SHORT_PANEL = ("greedy", "null", "random", "oracle")
"""The agents without --full; with it, all of them play."""
NEXT_COMMANDS = {
    "Your turn": f"play {DEMO_WORLD}",
    "What a model sees": f"world show {DEMO_WORLD}",
    "The 240 worlds": "build --out suite --jobs 2",
    "A model on them": "run suite --model FILE --out runs/model",
    "All of this, long": "demo --full",
}
SECONDS_PER_CALL = 0.12
"""Delay between two calls on a terminal."""


def demo(
    full: Annotated[
        bool, typer.Option("--full", help="All ten families and seven agents, with every table: some minutes.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Number of worker processes.")] = 2,
    out: Annotated[Path, typer.Option(help="Directory that the report is written into.")] = Path("demo-report"),
    show: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open the report in a browser; default: on a desktop.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show one world: what is hidden, how a greedy agent reads it all, and how far its decision is from the optimum."""
    from rich.markup import escape

    from algoworlds.batch import open_executor
    from algoworlds.cli.console import SafeConsole
    from algoworlds.cli.report import missing_report_extra
    from algoworlds.reports.output_folder import check_report_folder

    problem = missing_report_extra()
    if problem is None:
        check_report_folder(out)
    console = SafeConsole(stderr=json)
    console.print(
        "\n[bold]AlgoWorlds[/] hides an optimization problem behind priced tools and asks: can an agent turn what it reads "
        "into the [bold]globally optimal[/] decision?\n"
    )
    document = _one_world(console, full)
    with TemporaryDirectory() as directory, open_executor(jobs, None) as workers:
        if problem is None:
            document |= _suite_and_report(console, Path(directory), out, workers, full)
        elif full:
            document |= _suite_only(console, Path(directory), workers)
    if problem is None:
        console.print(f"Read the report:   [bold]{escape(to_one_line(document['report']))}[/]", soft_wrap=True)
    else:
        console.print(f"Without the report and its agents: {escape(problem)}\n", soft_wrap=True)
        document |= {"panel": None, "report": None, "evaluation": None}
    for purpose, words in NEXT_COMMANDS.items():
        console.print(f"{purpose + ':':18} [bold]{_program_name()} {words}[/]", soft_wrap=True)
    console.print()
    has_display = sys.platform == "darwin" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ))
    if problem is None and (sys.stdout.isatty() and has_display if show is None else show):
        import webbrowser

        webbrowser.open(document["evaluation"])
    if json:
        print_json(document)


def _one_world(console: "Console", full: bool) -> JsonObject:
    """Play the demo world with greedy and print how it went; return the summaries for --json."""
    from algoworlds.cli.demo_sections import episode_summary, print_known_and_guessed, print_world_pair
    from algoworlds.core.interface import Interface
    from algoworlds.game.nicknames import Nicknames
    from algoworlds.worlds.admission import admit
    from algoworlds.worlds.world import build_world, parse_world_id

    with console.status("generating, solving twice, checking for shortcuts (compiles the solvers the first time) ..."):
        admitted = admit(parse_world_id(DEMO_WORLD)[0])
    family, world = admitted.family, build_world(admitted, Interface.DIRECT)
    console.print(f"[bold]{family.title}[/], level {admitted.coordinate.level}: {family.summary}.")
    console.print("All that counts is hidden; every dot below is a fact that a tool tells, at a price.\n")
    nicknames = Nicknames()
    episode = _play_greedy(console, admitted, world, nicknames)
    summary = {"agent": "greedy", "family": family.name} | episode_summary(admitted, episode)
    _print_comparison(console, summary, nicknames)
    work = f"{admitted.solution.work.total:,} counted operations"
    console.print(
        f"[bold green]certified[/]: two exact algorithms, written independently, agree on the one optimum {admitted.optimum:,} "
        f"({work}); who ignores {', '.join(family.hardness.blind)} misses it.\n"
    )
    if full:
        return print_world_pair(console, admitted, nicknames)
    return {"agents": [summary], "optima": print_known_and_guessed(console, admitted, world, nicknames)}


def _play_greedy(console: "Console", admitted: "AdmittedInstance", world: "World", nicknames: "Nicknames") -> "Episode":
    """Play greedy's episode call by call: an animated picture on a terminal, one line per call elsewhere."""
    from rich.live import Live

    from algoworlds.cli.demo_sections import EpisodePicture
    from algoworlds.core.stream import Stream
    from algoworlds.measures.key import AnswerKey
    from algoworlds.runs.agents import AGENTS
    from algoworlds.worlds.episode import Episode

    episode = Episode(world)
    AGENTS["greedy"](episode, Stream("demo", "greedy", world.id))
    picture = EpisodePicture(Episode(world), AnswerKey.from_admitted(admitted, world).sufficient_sets, nicknames)
    console.print("The agent [bold]greedy[/] reads everything, as cheaply as it can:\n")
    if console.is_terminal:
        with Live(picture.diagram, console=console, auto_refresh=False) as screen:
            for call in episode.calls:
                time.sleep(SECONDS_PER_CALL)
                picture.episode.call(*call)
                screen.update(picture.diagram, refresh=True)
    else:
        console.print(picture.diagram)
        for call in episode.calls:
            picture.episode.call(*call)
            console.print(picture.last_call)
    console.print()
    return episode


def _print_comparison(console: "Console", summary: JsonObject, nicknames: "Nicknames") -> None:
    """Print the decision beside the optimum: where they differ, and the terms of the objective."""
    from algoworlds.cli.tables import print_table
    from algoworlds.grid import Grid
    from algoworlds.reports.decision_comparison import decision_differences, objective_terms

    console.print("Then it gives every job to the cheapest vehicle that has room, which [bold]looks[/] reasonable:\n")
    entries = decision_differences(summary)
    order = list(nicknames.short_by_id)
    differing = [
        tuple(nicknames.shorten(cell or "nothing") for cell in (entry.position, entry.chosen, entry.optimal))
        for entry in sorted(entries, key=lambda entry: order.index(entry.position))
        if entry.chosen != entry.optimal
    ]
    print_table(console, Grid("decision", "", ("differs at", "greedy", "optimum"), tuple(differing)))
    terms = objective_terms(summary)
    rows = tuple((term.name, f"{term.value:,}", f"{term.optimum:,}", term.change_text) for term in terms)
    print_table(console, Grid("terms", "", ("cost", "greedy", "optimum", "difference"), rows))
    console.print(
        f"It knew {100 * summary['coverage']:.0f} % of what there is to know, and {len(differing)} of {len(entries)} choices "
        "are not the best: knowing everything is not enough.\n"
    )


def _suite_and_report(console: "Console", directory: Path, out: Path, workers: Executor | None, full: bool) -> JsonObject:
    """Build a small suite, evaluate agents on it as models would be, and write the report on them."""
    from urllib.parse import quote

    from algoworlds.cli.demo_sections import print_agent_results, print_suite_validation

    with console.status("building a suite") as status:
        manifest = _build_suite(directory, workers, full)
        report = _write_report(directory, out, workers, full, status.update)
    main_results = report.sheets["main_results"]
    document: JsonObject = {"panel": [list(row) for row in main_results.rows], "report": str(report.page)}
    if full:
        document |= print_suite_validation(console, directory / "suite", len(manifest.worlds), manifest.root, workers)
        print_agent_results(console, main_results)
    evaluation = quote(f"greedy/{DEMO_WORLD}-direct/1", safe="")
    return document | {"evaluation": f"{report.page.resolve().as_uri()}#evaluation={evaluation}"}


def _suite_only(console: "Console", directory: Path, workers: Executor | None) -> JsonObject:
    """Build and validate the suite of all families, without agents."""
    from algoworlds.cli.demo_sections import print_suite_validation

    with console.status("building a suite"):
        manifest = _build_suite(directory, workers, full=True)
    return print_suite_validation(console, directory / "suite", len(manifest.worlds), manifest.root, workers)


def _build_suite(directory: Path, workers: Executor | None, full: bool) -> "Manifest":
    from algoworlds.suites.build import build_suite
    from algoworlds.suites.suite import default_suite

    whole = default_suite()
    families = whole.families if full else (DEMO_WORLD.split("-")[0],)
    spec = replace(whole, name="demo", families=families, levels=(1,), instances=1)
    return build_suite(spec, directory / "suite", workers, lambda done, total: None)


def _write_report(
    directory: Path, out: Path, workers: Executor | None, full: bool, show_status: Callable[[str], object]
) -> "WrittenReport":
    from algoworlds.reports.loading import PANEL_AGENTS
    from algoworlds.reports.output_folder import PANEL_FOLDER
    from algoworlds.reports.report import write_report
    from algoworlds.runs.agents import AGENTS
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.judgement import judge_runs
    from algoworlds.runs.panel import play_panel
    from algoworlds.runs.schedule import Experiment
    from algoworlds.runs.scripted import run_scripted_agent
    from algoworlds.suites.open import open_suite
    from algoworlds.suites.record import PlayerKind

    suite = open_suite(directory / "suite")
    direct = [entry for entry in suite.manifest.worlds if entry.interface == "direct"]  # scripted agents play both alike
    agents = tuple(AGENTS) if full else SHORT_PANEL
    runs = [RunDirectory(directory / agent) for agent in agents]
    for run, agent in zip(runs, agents, strict=True):
        show_status(f"evaluating {agent}")
        experiment = Experiment.from_suite(agent, PlayerKind.AGENT, {"agent": agent}, suite, direct, 1)
        with run.lock():
            run.create_or_resume(experiment, suite.directory)
            run_scripted_agent(run, suite, agent, workers, lambda document: None)
            run.write_manifest()
    show_status("judging what could be known")
    judge_runs(runs, suite, workers, lambda done, total: show_status(f"judging {done} of {total}"))
    show_status("playing the scripted panel, as floor and ceiling")
    worlds = [entry.id for entry in direct]
    play_panel(PANEL_AGENTS, runs, worlds, suite, out / PANEL_FOLDER, workers)
    show_status("writing the report (tables, figures, one page)")
    return write_report(runs, suite, out, include_comparisons=full)


def _program_name() -> str:
    """How to call this program from the current shell."""
    if shutil.which("algoworlds"):
        return "algoworlds"
    return format_value(sys.argv[0]) if Path(sys.argv[0]).name == "algoworlds" else "python -m algoworlds"
