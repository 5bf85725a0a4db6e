"""`algoworlds demo`: one world, a small certified suite, the scripted panel on it, and the report; offline."""

from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from algoworlds.cli.flags import Json, print_json
from algoworlds.grid import one_line

NAME = "fleet_dispatch-1-1"


def demo(
    jobs: Annotated[int, typer.Option(help="Processes to work with.")] = 2,
    out: Annotated[Path, typer.Option(help="Directory that the report is written into.")] = Path("demo-report"),
    show: Annotated[bool, typer.Option("--open", help="Open the report in a browser at the end.")] = False,
    json: Json = False,
) -> None:
    """Walk one world from generation to judged decisions, prove a small suite, evaluate seven agents on it and report."""
    from rich.console import Console
    from rich.markup import escape

    from algoworlds.batch import engine
    from algoworlds.reports.folder import report_place

    report_place(out)
    console = Console(highlight=False, stderr=json)
    console.print(
        "\n[bold]AlgoWorlds[/] hides an optimization problem behind priced tools and asks: can an agent turn what it reads "
        "into the [bold]globally optimal[/] decision? Here is one world, start to end.\n"
    )
    results, optima = _one_world(console)
    with TemporaryDirectory() as directory, engine(jobs, None) as workers:
        data = _suite(console, Path(directory) / "suite", workers)
        panel, page = _panel(console, Path(directory), out, workers)
    console.print(f"Read the report:   [bold]{escape(one_line(str(page)))}[/]")
    console.print(f"Your turn:         [bold].venv/bin/algoworlds play {NAME}[/]")
    console.print(f"What a model sees: [bold].venv/bin/algoworlds world show {NAME}[/]")
    console.print("The 240 worlds:    [bold].venv/bin/algoworlds build --out suite --jobs 2[/]")
    console.print("A model on them:   [bold].venv/bin/algoworlds run --suite suite --model FILE --out runs/model[/]\n")
    if show:
        typer.launch(page.resolve().as_uri())
    if json:
        print_json({"agents": results, "optima": optima} | data | {"panel": panel, "report": str(page)})


def _one_world(console: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    from algoworlds.cli.scorecard import result
    from algoworlds.core.interface import Interface
    from algoworlds.core.stream import Stream
    from algoworlds.runs.agents import AGENTS
    from algoworlds.worlds.admit import admit
    from algoworlds.worlds.episode import Episode
    from algoworlds.worlds.world import build, parse_id

    with console.status("generating, solving twice, checking for shortcuts (compiles the solvers the first time) ..."):
        admitted = admit(parse_id(NAME)[0])
    _certificate(console, admitted)
    worlds = [build(admitted, interface) for interface in (Interface.DIRECT, Interface.MEDIATED)]
    _world(console, worlds)
    results = []
    for world in worlds:
        for name in ("greedy", "oracle"):
            episode = Episode(world)
            AGENTS[name](episode, Stream("demo", name, world.id))
            results.append({"agent": name} | result(admitted, episode))
    _results(console, results)
    return results, _optima(console, admitted, worlds[0])


def _certificate(console: Any, admitted: Any) -> None:
    family, instance, solution = admitted.family, admitted.instance, admitted.solution
    console.rule(f"1  A hidden instance: {family.title}, level {admitted.coordinate.level}", align="left")
    console.print(f"{len(instance.job)} jobs, {len(instance.vehicle)} vehicles: {family.summary}.")
    console.print("Two exact algorithms, written independently, agree on one unique optimum:")
    parts = ", ".join(f"{name} {value:,}" for name, value in family.check(instance, solution.decision).parts.items())
    console.print(f"  optimal cost [bold green]{admitted.optimum:,}[/] ({parts})")
    console.print(f"  found in {solution.work.total:,} counted operations, inside level 1's band of 32,768 to 131,072")
    console.print(f"  the myopic plan costs {admitted.reference_value:,}, {admitted.reference_gap:,} too much")
    console.print(f"  solvers blind to {', '.join(family.blind)} all miss the optimum\n")


def _world(console: Any, worlds: list[Any]) -> None:
    direct, mediated = worlds
    console.rule("2  Two worlds around it", align="left")
    console.print("An agent gets the question, the tools and a budget; nothing of the instance. Prices:")
    console.print("  " + ", ".join(f"{tool} {price}" for tool, price in direct.prices.items()))
    plans = ", ".join(f"{name} {len(calls)} calls for {direct.cost(calls)}" for name, calls in direct.plans.items())
    everything = direct.cost(direct.catalog)
    console.print(f"Ways to learn enough: {plans}. Budget {direct.budget}; asking everything would cost {everything}.")
    call = direct.plans["rows"][-1]
    for world in (direct, mediated):
        text = world.records(call)
        console.print(f"  {world.interface.value:>8}: {call.tool} -> {text[:150]}...", soft_wrap=True, markup=False)
    console.print(
        "Direct tells vehicle, job and cost in one record; Mediated tells the same through shifts that must be joined.\n"
    )


def _results(console: Any, results: list[dict[str, Any]]) -> None:
    from rich.table import Table

    console.rule("3  Two scripted agents play", align="left")
    console.print(
        "Both gather all information at least cost. The greedy one then gives each job its cheapest vehicle; the oracle runs "
        "the exact algorithm on what it has read.\n"
    )
    heads = ("agent", "interface", "calls", "spent", "information", "cost", "gap", "utility", "exact")
    table = Table(*heads, box=None, pad_edge=False)
    for each in results:
        table.add_row(
            each["agent"],
            each["world"].rsplit("-", 1)[1],
            str(each["executed_calls"]),
            f"{each['spend']}/{each['budget']}",
            f"{100 * each['coverage']:.0f} %",
            f"{each['objective']:,}",
            f"{each['gap']:,}",
            f"{each['utility']:.0f}",
            "[bold green]yes[/]" if each["exact"] else "[yellow]no[/]",
        )
    console.print(table)
    console.print("\nKnowing everything is not enough: both knew it all, one decided well.\n")


def _optima(console: Any, admitted: Any, world: Any) -> list[dict[str, Any]]:
    """The same optimum twice: once when the responses prove it, and once a call before."""
    from algoworlds.cli.printing import columns, print_table
    from algoworlds.grid import Grid
    from algoworlds.measures.hindsight import Hindsight, Judge
    from algoworlds.measures.judging import judged
    from algoworlds.measures.key import Key
    from algoworlds.measures.scoring import score
    from algoworlds.reports.verdict import verdict
    from algoworlds.worlds.episode import Episode

    console.rule("4  One optimum that was known, one that was guessed", align="left")
    console.print("Ranges of all hidden numbers stand in the question, so it can be proven when a decision is the best one.\n")
    key, plan = Key.of(admitted, world), min(world.plans.values(), key=world.cost)
    judge, submit = Judge.of(world, key), world.family.template.closing.submit
    enough = Hindsight(Episode(world, plan), key, judge=judge).determined_at or len(plan)
    found = []
    for calls in (plan[:enough], plan[: enough - 1]):
        episode = Episode(world, calls)
        episode.call(submit, world.family.decision.arguments(key.decision))
        record, judgement = score(episode, key), judged(Hindsight(episode, key, judge=judge))
        console.print(f"[bold]{judgement['footing']}[/]: {verdict(record, judgement)}")
        found.append(record | judgement)
    head = ("not read", "about", "in truth", "could be")
    cells = found[1]["witness"]["cells"][:4]
    rows = [(each["column"], " ".join(each["row"]), f"{each['true']:,}", f"{each['possible']:,}") for each in cells]
    console.print("\nWhat would have made another decision better, with all answers so far unchanged:\n")
    print_table(console, columns(Grid("witness", "", head, tuple(rows)), *head))
    return found


def _suite(console: Any, out: Path, workers: Executor | None) -> dict[str, Any]:
    """Build a small suite, prove every claim about it, and show the tables."""
    from algoworlds.cli.printing import columns, print_table
    from algoworlds.suites.build import build_suite
    from algoworlds.suites.stats import statistics, tables
    from algoworlds.suites.suite import default_suite
    from algoworlds.suites.validation import validate_suite

    suite = replace(default_suite(), name="demo", levels=(1,), instances=1)
    console.rule("5  A small suite of all ten families, built and proven", align="left")
    with console.status("building") as status:
        manifest = build_suite(suite, out, workers, lambda done, total: status.update(f"building {done} of {total}"))
        report = validate_suite(out, workers, lambda done, total: status.update(f"validating {done} of {total}"))
    console.print(
        f"{len(manifest.worlds)} worlds; one root digest binds every byte: {manifest.root[:32]}...\n"
        "Each claim about each world, recomputed from its bundle:\n"
    )
    data = statistics(report)
    drawn = tables(data)
    print_table(console, columns(drawn["validation"], "validated property", "unit", "count", "passed"))
    console.print("How much there is to know, what learning enough costs, and the exact algorithms' work:\n")
    own = replace(drawn["access"], rows=tuple(row for row in drawn["access"].rows if row[1] == "ours"))
    print_table(console, columns(own, "family", "facts", "calls", "call cost", "work"))
    return data


def _panel(console: Any, directory: Path, out: Path, workers: Executor | None) -> tuple[list[list[str]], Path]:
    """Evaluate the scripted agents on the suite and write the report: the floor and the ceiling that models stand between."""
    from algoworlds.cli.printing import columns, print_table
    from algoworlds.cli.report import needed_for_reports
    from algoworlds.runs.agents import AGENTS
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.judgement import judge_runs
    from algoworlds.runs.schedule import Experiment
    from algoworlds.runs.scripted import run_agent
    from algoworlds.suites.opened import open_suite
    from algoworlds.suites.record import Kind

    console.rule("6  Seven scripted agents are evaluated, and the report is written", align="left")
    suite = open_suite(directory / "suite")
    direct = [entry for entry in suite.manifest.worlds if entry.interface == "direct"]  # scripted agents play both alike
    runs = [RunDirectory(directory / name) for name in AGENTS]
    with needed_for_reports(), console.status("evaluating") as status:
        from algoworlds.reports.conclude import conclude

        for run, name in zip(runs, AGENTS, strict=True):
            status.update(f"evaluating {name}")
            with run.locked():
                run.begin(Experiment.of(name, Kind.AGENT, {"agent": name}, suite, direct, 1), suite.directory)
                run_agent(run, suite, name, workers, lambda document: None)
                run.seal()
        status.update("judging what could be known")
        judge_runs(runs, suite, workers, lambda done, total: status.update(f"judging {done} of {total}"))
        status.update("writing the report (tables, figures, one page)")
        made = conclude(runs, suite, out, workers, compare=True)
    main = made.sheets["main_results"]
    console.print(
        "Nothing known, random, myopic, improved by local search, exact, hardly anything at risk, and proven, in the Direct "
        "worlds; in percent:\n"
    )
    print_table(console, columns(main, *(main.head[at] for at in (0, 1, 3, 4))))
    return [list(row) for row in main.rows], made.page
