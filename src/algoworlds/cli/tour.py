"""The demonstration in full: both interfaces, an optimum known and one guessed, a suite of all families, all agents."""

from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from algoworlds.cli.printing import columns, print_table
from algoworlds.cli.scorecard import result
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.work import BANDS
from algoworlds.game.nicknames import Nicknames
from algoworlds.grid import Grid
from algoworlds.measures.hindsight import Hindsight, Judge
from algoworlds.measures.judging import judged
from algoworlds.measures.key import Key
from algoworlds.measures.scoring import score
from algoworlds.reports.sheet import FilledSheet
from algoworlds.reports.verdict import verdict
from algoworlds.runs.agents import AGENTS
from algoworlds.suites.stats import statistics, tables
from algoworlds.suites.validation import validate_suite
from algoworlds.worlds.admit import Admitted
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build


def tell_of_one(console: Console, admitted: Admitted, names: Nicknames) -> dict[str, Any]:
    """One instance, its two worlds, two agents in each, and the same optimum known and guessed."""
    _instance(console, admitted)
    worlds = [build(admitted, interface) for interface in (Interface.DIRECT, Interface.MEDIATED)]
    _interfaces(console, *worlds)
    results = []
    for world in worlds:
        for name in ("greedy", "oracle"):
            episode = Episode(world)
            AGENTS[name](episode, Stream("demo", name, world.id))
            results.append({"agent": name} | result(admitted, episode))
    _results(console, results)
    return {"agents": results, "optima": tell_of_optima(console, admitted, worlds[0], names)}


def _instance(console: Console, admitted: Admitted) -> None:
    family, solution, level = admitted.family, admitted.solution, admitted.coordinate.level
    low, high = BANDS[level]
    console.rule(f"A hidden instance: {family.title}, level {level}", align="left")
    parts = ", ".join(f"{name} {value:,}" for name, value in family.check(admitted.instance, solution.decision).parts.items())
    console.print(f"To do: {family.summary}.")
    console.print(f"  optimal value [bold green]{admitted.optimum:,}[/] ({parts})")
    console.print(f"  found in {solution.work.total:,} counted operations, inside level {level}'s band of {low:,} to {high:,}")
    console.print(f"  the myopic plan is {admitted.reference_gap:,} away from it")
    console.print(f"  solvers blind to {', '.join(family.hardness.blind)} all miss the optimum\n")


def _interfaces(console: Console, direct: World, mediated: World) -> None:
    console.rule("Two worlds around it", align="left")
    console.print("An agent gets the question, the tools and a budget; nothing of the instance. Prices:")
    console.print("  " + ", ".join(f"{tool} {price}" for tool, price in direct.prices.items()))
    plans = ", ".join(f"{name} {len(calls)} calls for {direct.cost(calls)}" for name, calls in direct.plans.items())
    everything = direct.cost(direct.catalog)
    console.print(f"Ways to learn enough: {plans}. Budget {direct.budget}; asking everything would cost {everything}.")
    call = next(iter(direct.plans.values()))[-1]
    for world in (direct, mediated):
        text = str(world.records(call))
        console.print(f"  {world.interface.value:>8}: {call.tool} -> {text[:150]}...", soft_wrap=True, markup=False)
    console.print("Direct tells a relation in one record; Mediated tells the same through links that must be joined.\n")


def _results(console: Console, results: list[dict[str, Any]]) -> None:
    console.rule("Two scripted agents play", align="left")
    console.print(
        "Both gather all information at least cost. The greedy one then gives each job its cheapest vehicle; the oracle runs "
        "the exact algorithm on what it has read.\n"
    )
    heads = ("agent", "interface", "calls", "spent", "information", "cost", "gap", "utility", "exact")
    print_table(console, Grid("agents", "", heads, tuple(map(_cells, results))))
    console.print("Knowing everything is not enough: both knew it all, one decided well.\n")


def _cells(each: dict[str, Any]) -> tuple[str, ...]:
    return (
        each["agent"],
        each["world"].rsplit("-", 1)[1],
        str(each["executed_calls"]),
        f"{each['spend']}/{each['budget']}",
        f"{100 * each['coverage']:.0f} %",
        f"{each['objective']:,}",
        f"{each['gap']:,}",
        f"{each['utility']:.0f}",
        "yes" if each["exact"] else "no",
    )


def tell_of_optima(console: Console, admitted: Admitted, world: World, names: Nicknames) -> list[dict[str, Any]]:
    """The same optimum twice: once when the responses prove it, and once a call before."""
    console.rule("One optimum that was known, one that was guessed", align="left")
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
    rows = [
        (each["column"], names.shorten(" ".join(each["row"])), f"{each['true']:,}", f"{each['possible']:,}") for each in cells
    ]
    console.print("\nWhat would have made another decision better, with all answers so far unchanged:\n")
    print_table(console, Grid("witness", "", head, tuple(rows)))
    return found


def tell_of_suite(console: Console, directory: Path, worlds: int, root: str, workers: Executor | None) -> dict[str, Any]:
    """Prove every claim about a small suite of all families, and show the tables."""
    console.rule("A small suite of all ten families, built and proven", align="left")
    with console.status("validating") as status:
        report = validate_suite(directory, workers, lambda done, total: status.update(f"validating {done} of {total}"))
    console.print(f"{worlds} worlds; one root digest binds every byte: {root[:32]}...")
    console.print("Each claim about each world, recomputed from its bundle:\n")
    data = statistics(report)
    drawn = tables(data)
    print_table(console, columns(drawn["validation"], "validated property", "unit", "count", "passed"))
    console.print("How much there is to know, what learning enough costs, and the exact algorithms' work:\n")
    own = replace(drawn["access"], rows=tuple(row for row in drawn["access"].rows if row[1] == "ours"))
    print_table(console, columns(own, "family", "facts", "calls", "call cost", "work"))
    return data


def tell_of_agents(console: Console, main: FilledSheet) -> None:
    """The scripted agents beside one another."""
    console.rule("Seven scripted agents on it", align="left")
    console.print(
        "Nothing known, random, myopic, improved by local search, exact, hardly anything at risk, and proven, in the Direct "
        "worlds; in percent:\n"
    )
    print_table(console, columns(main, *(main.head[at] for at in (0, 1, 3, 4))))
