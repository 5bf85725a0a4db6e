"""`algoworlds demo`: one world, one agent's way through it, its decision beside the optimum, and the report; offline."""

import os
import shutil
import sys
import time
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, print_json
from algoworlds.errors import shown
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from algoworlds.cli.picture import Picture
    from algoworlds.game.nicknames import Nicknames
    from algoworlds.reports.conclude import Concluded
    from algoworlds.suites.manifest import Manifest
    from algoworlds.worlds.admit import Admitted
    from algoworlds.worlds.episode import Episode
    from algoworlds.worlds.world import World

NAME = "fleet_dispatch-1-1"
PANEL = ("greedy", "null", "random", "oracle")
"""The agents of the short form; the long one has them all."""
NEXT = {
    "Your turn": f"play {NAME}",
    "What a model sees": f"world show {NAME}",
    "The 240 worlds": "build --out suite --jobs 2",
    "A model on them": "run --suite suite --model FILE --out runs/model",
    "All of this, long": "demo --full",
}
PACE = 0.12
"""Seconds between two calls, where somebody watches."""


def demo(
    full: Annotated[
        bool, typer.Option("--full", help="All ten families and seven agents, with every table: some minutes.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Processes to work with.")] = 2,
    out: Annotated[Path, typer.Option(help="Directory that the report is written into.")] = Path("demo-report"),
    show: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open the report in a browser; on a desktop it is, if left out.")
    ] = None,
    json: Json = False,
) -> None:
    """Show one world: what is hidden, how a greedy agent reads it all, and how far its decision is from the optimum."""
    from rich.console import Console
    from rich.markup import escape

    from algoworlds.batch import engine
    from algoworlds.cli.report import need_report_extra
    from algoworlds.reports.folder import report_place

    need_report_extra()
    report_place(out)
    console = Console(highlight=False, stderr=json)
    console.print(
        "\n[bold]AlgoWorlds[/] hides an optimization problem behind priced tools and asks: can an agent turn what it reads "
        "into the [bold]globally optimal[/] decision?\n"
    )
    told = _one_world(console, full)
    with TemporaryDirectory() as directory, engine(jobs, None) as workers:
        told |= _suite_and_report(console, Path(directory), out, workers, full)
    console.print(f"Read the report:   [bold]{escape(one_line(told['report']))}[/]", soft_wrap=True)
    for what, words in NEXT.items():
        console.print(f"{what + ':':18} [bold]{_command()} {words}[/]", soft_wrap=True)
    console.print()
    if _desktop() if show is None else show:
        _open(told["evaluation"])
    if json:
        print_json(told)


def _one_world(console: "Console", full: bool) -> dict[str, Any]:
    from algoworlds.cli.scorecard import result
    from algoworlds.core.interface import Interface
    from algoworlds.game.nicknames import Nicknames
    from algoworlds.worlds.admit import admit
    from algoworlds.worlds.world import build, parse_id

    with console.status("generating, solving twice, checking for shortcuts (compiles the solvers the first time) ..."):
        admitted = admit(parse_id(NAME)[0])
    world = build(admitted, Interface.DIRECT)
    console.print(f"[bold]{admitted.family.title}[/], level {admitted.coordinate.level}: {admitted.family.summary}.")
    console.print("All that counts is hidden; every dot below is a fact that a tool tells, at a price.\n")
    names = Nicknames()
    played = _greedy(console, admitted, world, names)
    found = {"agent": "greedy", "family": admitted.family.name} | result(admitted, played)
    _beside(console, found, names)
    _certificate(console, admitted)
    from algoworlds.cli.tour import tell_of_one, tell_of_optima

    if full:
        return tell_of_one(console, admitted, names)
    return {"agents": [found], "optima": tell_of_optima(console, admitted, world, names)}


def _greedy(console: "Console", admitted: "Admitted", world: "World", names: "Nicknames") -> "Episode":
    """Greedy's episode, call by call: a picture that fills on a terminal, a line a call elsewhere."""
    from algoworlds.cli.picture import Picture
    from algoworlds.core.stream import Stream
    from algoworlds.measures.key import Key
    from algoworlds.runs.agents import AGENTS
    from algoworlds.worlds.episode import Episode

    played = Episode(world)
    AGENTS["greedy"](played, Stream("demo", "greedy", world.id))
    picture = Picture(Episode(world), Key.of(admitted, world).sets, names)
    console.print("The agent [bold]greedy[/] reads everything, as cheaply as it can:\n")
    if console.is_terminal:
        _fill(console, picture, played)
    else:
        console.print(picture.drawn)
        for call in played.calls:
            picture.episode.call(*call)
            console.print(picture.line)
    console.print()
    return played


def _fill(console: "Console", picture: "Picture", played: "Episode") -> None:
    from rich.live import Live

    with Live(picture.drawn, console=console, auto_refresh=False) as screen:
        for call in played.calls:
            time.sleep(PACE)
            picture.episode.call(*call)
            screen.update(picture.drawn, refresh=True)


def _beside(console: "Console", found: dict[str, Any], names: "Nicknames") -> None:
    """The decision beside the optimum: where they differ, and the terms of the objective."""
    from algoworlds.cli.printing import print_table
    from algoworlds.grid import Grid
    from algoworlds.reports.terms import differences, terms

    console.print("Then it gives every job to the cheapest vehicle that has room, which [bold]looks[/] reasonable:\n")
    every = differences(found)
    entries = [
        tuple(names.shorten(cell or "nothing") for cell in (each.place, each.chosen, each.optimal))
        for each in sorted(every, key=lambda each: list(names.short).index(each.place))
        if each.chosen != each.optimal
    ]
    print_table(console, Grid("decision", "", ("differs at", "greedy", "optimum"), tuple(entries)))
    rows = [(each.name, f"{each.value:,}", f"{each.optimum:,}", each.change) for each in terms(found)]
    print_table(console, Grid("terms", "", ("cost", "greedy", "optimum", "difference"), tuple(rows)))
    console.print(
        f"It knew {100 * found['coverage']:.0f} % of what there is to know, and {len(entries)} of {len(every)} choices are not "
        "the best: knowing everything is not enough.\n"
    )


def _certificate(console: "Console", admitted: "Admitted") -> None:
    work = f"{admitted.solution.work.total:,} counted operations"
    blind = ", ".join(admitted.family.hardness.blind)
    console.print(
        f"[bold green]certified[/]: two exact algorithms, written independently, agree on the one optimum {admitted.optimum:,} "
        f"({work}); who ignores {blind} misses it.\n"
    )


def _suite_and_report(console: "Console", directory: Path, out: Path, workers: Executor | None, full: bool) -> dict[str, Any]:
    """Agents evaluated on a small suite as models would be, and the report on them, with an address of greedy's evaluation."""
    from urllib.parse import quote

    with console.status("building a suite") as status:
        manifest = _suite(directory / "suite", workers, full)
        made = _report(directory, out, workers, full, status.update)
    told: dict[str, Any] = {"panel": [list(row) for row in made.sheets["main_results"].rows], "report": str(made.page)}
    if full:
        from algoworlds.cli.tour import tell_of_agents, tell_of_suite

        told |= tell_of_suite(console, directory / "suite", len(manifest.worlds), manifest.root, workers)
        tell_of_agents(console, made.sheets["main_results"])
    place = quote(f"greedy/{NAME}-direct/1", safe="")
    return told | {"evaluation": f"{made.page.resolve().as_uri()}#evaluation={place}"}


def _suite(place: Path, workers: Executor | None, full: bool) -> "Manifest":
    from algoworlds.suites.build import build_suite
    from algoworlds.suites.suite import default_suite

    whole = default_suite()
    families = whole.families if full else (NAME.split("-")[0],)
    suite = replace(whole, name="demo", families=families, levels=(1,), instances=1)
    return build_suite(suite, place, workers, lambda done, total: None)


def _report(directory: Path, out: Path, workers: Executor | None, full: bool, say: Any) -> "Concluded":
    from algoworlds.reports.conclude import conclude
    from algoworlds.runs.agents import AGENTS
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.judgement import judge_runs
    from algoworlds.runs.schedule import Experiment
    from algoworlds.runs.scripted import run_agent
    from algoworlds.suites.opened import open_suite
    from algoworlds.suites.record import Kind

    suite = open_suite(directory / "suite")
    direct = [entry for entry in suite.manifest.worlds if entry.interface == "direct"]  # scripted agents play both alike
    names = tuple(AGENTS) if full else PANEL
    runs = [RunDirectory(directory / name) for name in names]
    for run, name in zip(runs, names, strict=True):
        say(f"evaluating {name}")
        with run.locked():
            run.begin(Experiment.of(name, Kind.AGENT, {"agent": name}, suite, direct, 1), suite.directory)
            run_agent(run, suite, name, workers, lambda document: None)
            run.seal()
    say("judging what could be known")
    judge_runs(runs, suite, workers, lambda done, total: say(f"judging {done} of {total}"))
    say("writing the report (tables, figures, one page)")
    return conclude(runs, suite, out, workers, compare=full)


def _command() -> str:
    """How this program is called from here."""
    if shutil.which("algoworlds"):
        return "algoworlds"
    return shown(sys.argv[0]) if Path(sys.argv[0]).name == "algoworlds" else "python -m algoworlds"


def _desktop() -> bool:
    """Whether somebody watches who has a browser."""
    return sys.stdout.isatty() and (sys.platform == "darwin" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ)))


def _open(address: str) -> None:
    import webbrowser

    webbrowser.open(address)
