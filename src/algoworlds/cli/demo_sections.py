"""Sections of `algoworlds demo`: a picture of an episode, both interfaces, an optimum known and guessed, a suite, agents."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from json import loads
from pathlib import Path

from rich.console import Console
from rich.text import Text

from algoworlds.cli.tables import print_table, select_columns
from algoworlds.core.canonical import JsonObject
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.stream import Stream
from algoworlds.core.work import WORK_BANDS
from algoworlds.errors import InputError
from algoworlds.game.nicknames import Nicknames
from algoworlds.grid import Grid
from algoworlds.measures.hindsight import Hindsight, Judge
from algoworlds.measures.judging import judge_evaluation
from algoworlds.measures.key import AnswerKey, Discovery
from algoworlds.measures.scoring import score
from algoworlds.reports.sheet import FilledSheet
from algoworlds.reports.verdict import verdict_text
from algoworlds.runs.agents import AGENTS, TRACK_AGENTS
from algoworlds.suites.paper_tables import suite_statistics, text_tables
from algoworlds.suites.validation import validate_suite
from algoworlds.tracks.track import find_track
from algoworlds.tracks.workers import SandboxFault
from algoworlds.worlds.admission import AdmittedInstance
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build_world

PICTURE_WIDTH = 48
"""Facts per line, and the length of a bar."""


def episode_summary(admitted: AdmittedInstance, episode: Episode) -> JsonObject:
    """Every measure of a finished episode, with the world's id and the value of its reference decision."""
    key = AnswerKey.from_admitted(admitted, episode.world)
    return {"world": episode.world.id, "reference": key.reference_value} | score(episode, key)


@dataclass(frozen=True)
class EpisodePicture:
    """Draws what `episode` has uncovered so far."""

    episode: Episode
    sufficient_sets: Sequence[frozenset[Fact]]
    nicknames: Nicknames

    @property
    def coverage(self) -> float:
        """The share of the world's information that is known."""
        return Discovery(self.episode, self.sufficient_sets).coverage

    @property
    def diagram(self) -> Text:
        """One row per table of the instance, with a dot per fact and a # if it is known; then bars for budget and coverage."""
        facts_by_relation: dict[str, list[Fact]] = {}
        for fact in sorted(self.sufficient_sets[0]):
            facts_by_relation.setdefault(fact.relation, []).append(fact)
        known, lines = self.episode.facts, []
        for relation, facts in facts_by_relation.items():
            for start in range(0, len(facts), PICTURE_WIDTH):
                marks = [("#", "green") if fact in known else (".", "dim") for fact in facts[start : start + PICTURE_WIDTH]]
                lines.append(Text.assemble((f"  {'' if start else relation:12} ", "dim"), *marks))
        spent, budget = self.episode.spent, self.episode.world.budget
        lines += [_bar("budget", 1 - spent / budget, f"{budget - spent} of {budget} left", "yellow")]
        lines += [_bar("known", self.coverage, f"{100 * self.coverage:.0f} %", "green")]
        return Text("\n").join([*lines, self.last_call] if self.episode.calls else lines)

    @property
    def last_call(self) -> Text:
        """The latest call, its price, and the budget and coverage after it."""
        episode = self.episode
        call, charged = episode.calls[-1], episode.observations[-1].charged
        words = " ".join(self.nicknames.shorten(str(value)) for value in loads(call.arguments).values())
        name = f"{call.tool} {words}" if len(words) < 20 else call.tool
        return Text(f"  {name:32} -{charged:<3} budget {episode.remaining:>4}   known {100 * self.coverage:3.0f} %")


def _bar(name: str, share: float, words: str, style: str) -> Text:
    full = round(share * PICTURE_WIDTH)
    return Text.assemble((f"  {name:12} ", "bold"), ("=" * full, style), (" " * (PICTURE_WIDTH - full), ""), f" {words}")


def print_world_pair(console: Console, admitted: AdmittedInstance, nicknames: Nicknames) -> JsonObject:
    """Print one instance, its two worlds, two agents in each, and the same optimum known and guessed."""
    _print_instance(console, admitted)
    worlds = [build_world(admitted, interface) for interface in (Interface.DIRECT, Interface.MEDIATED)]
    _print_interfaces(console, *worlds)
    results = []
    for world in worlds:
        for name in ("greedy", "oracle"):
            episode = Episode(world)
            AGENTS[name](episode, Stream("demo", name, world.id))
            results.append({"agent": name} | episode_summary(admitted, episode))
    _print_results(console, results)
    optima = print_known_and_guessed(console, admitted, worlds[0], nicknames)
    return {"agents": results, "optima": optima, "tracks": _print_tracks(console, admitted, worlds[1])}


def _print_instance(console: Console, admitted: AdmittedInstance) -> None:
    family, solution, level = admitted.family, admitted.solution, admitted.coordinate.level
    low, high = WORK_BANDS[level]
    console.rule(f"A hidden instance: {family.title}, level {level}", align="left")
    parts = ", ".join(f"{name} {value:,}" for name, value in family.check(admitted.instance, solution.decision).parts.items())
    console.print(f"To do: {family.summary}.")
    console.print(f"  optimal value [bold green]{admitted.optimum:,}[/] ({parts})")
    console.print(f"  found in {solution.work.total:,} counted operations, inside level {level}'s band of {low:,} to {high:,}")
    console.print(f"  the myopic plan is {admitted.reference_gap:,} away from it")
    console.print(f"  solvers blind to {', '.join(family.hardness.blind)} all miss the optimum\n")


def _print_interfaces(console: Console, direct: World, mediated: World) -> None:
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


def _print_results(console: Console, results: list[JsonObject]) -> None:
    console.rule("Two scripted agents play", align="left")
    console.print(
        "Both gather all information at least cost. The greedy one then gives each job its cheapest vehicle; the oracle runs "
        "the exact algorithm on what it has read.\n"
    )
    rows = []
    for result in results:
        interface, spent = result["world"].rsplit("-", 1)[1], f"{result['spend']}/{result['budget']}"
        played = (result["agent"], interface, str(result["executed_calls"]), spent, f"{100 * result['coverage']:.0f} %")
        scored = (
            f"{result['objective']:,}",
            f"{result['gap']:,}",
            f"{result['utility']:.0f}",
            "yes" if result["exact"] else "no",
        )
        rows.append((*played, *scored))
    heads = ("agent", "interface", "calls", "spent", "information", "cost", "gap", "utility", "exact")
    print_table(console, Grid("agents", "", heads, tuple(rows)))
    console.print("Knowing everything is not enough: both knew it all, one decided well.\n")


def print_known_and_guessed(
    console: Console, admitted: AdmittedInstance, world: World, nicknames: Nicknames
) -> list[JsonObject]:
    """Print the same optimum twice: submitted when the responses prove it, and submitted one call earlier."""
    console.rule("One optimum that was known, one that was guessed", align="left")
    console.print("Ranges of all hidden numbers stand in the question, so it can be proven when a decision is the best one.\n")
    key, plan = AnswerKey.from_admitted(admitted, world), min(world.plans.values(), key=world.cost)
    judge, submit = Judge.from_world(world, key), world.family.template.decision_tools.submit
    enough = Hindsight(Episode(world, plan), key, judge=judge).determined_at or len(plan)
    results = []
    for calls in (plan[:enough], plan[: enough - 1]):
        episode = Episode(world, calls)
        episode.call(submit, world.family.decision.arguments(key.decision))
        record, judgement = score(episode, key), judge_evaluation(Hindsight(episode, key, judge=judge))
        console.print(f"[bold]{judgement['footing']}[/]: {verdict_text(record, judgement)}")
        results.append(record | judgement)
    rows = [
        (cell["column"], nicknames.shorten(" ".join(cell["row"])), f"{cell['true']:,}", f"{cell['possible']:,}")
        for cell in results[1]["witness"]["cells"][:4]
    ]
    console.print("\nWhat would have made another decision better, with all answers so far unchanged:\n")
    print_table(console, Grid("witness", "", ("not read", "about", "in truth", "could be"), tuple(rows)))
    return results


_TRACK_PLAYERS = {"bare": "greedy", "code": "coder", "facts": "gatherer"}
"""By track, the scripted agent that shows it."""


def _print_tracks(console: Console, admitted: AdmittedInstance, world: World) -> list[JsonObject]:
    """Print one world on three tracks, or on those whose packages are installed."""
    console.rule("The same world on three tracks", align="left")
    console.print("A track adds one aid to the tools of a world, so that a report can say where an agent loses.\n")
    results: list[JsonObject] = []
    problems: list[str] = []
    for track, agent in _TRACK_PLAYERS.items():
        episode = Episode(replace(world, track=find_track(track)))
        try:
            (AGENTS | TRACK_AGENTS)[agent](episode, Stream("demo", agent, world.id))
        except (InputError, SandboxFault) as problem:
            problems.append(f"Without the track {track}: {problem}\n")
            continue
        computed = sum(result.units for result in episode.computed.values())
        about = {"agent": agent, "track": track, "programs": len(episode.computed), "computed": computed}
        results.append(about | episode_summary(admitted, episode))
    heads = ("track", "what it adds", "agent", "calls", "million instructions", "cost", "exact")
    rows = [
        (
            *(result["track"], find_track(result["track"]).adds, result["agent"], str(result["executed_calls"])),
            *(f"{result['computed']:,}", f"{result['objective']:,}", "yes" if result["exact"] else "no"),
        )
        for result in results
    ]
    print_table(console, Grid("tracks", "", heads, tuple(rows)))
    for text in problems:
        console.print(text, soft_wrap=True, markup=False)
    if len(results) == len(_TRACK_PLAYERS):
        console.print(
            "The calls and their prices are the same. The coder runs a program of its own on the answers; the gatherer asks "
            "for the optimum of all that they tell.\n"
        )
    return results


def print_suite_validation(console: Console, directory: Path, worlds: int, root: str, workers: Executor | None) -> JsonObject:
    """Validate a small suite of all families, and print its tables."""
    console.rule("A small suite of all ten families, built and proven", align="left")
    with console.status("validating") as status:
        report = validate_suite(directory, workers, lambda done, total: status.update(f"validating {done} of {total}"))
    console.print(f"{worlds} worlds; one root digest binds every byte: {root[:32]}...")
    console.print("Each claim about each world, recomputed from its bundle:\n")
    data = suite_statistics(report)
    tables = text_tables(data)
    print_table(console, select_columns(tables["validation"], "validated property", "unit", "count", "passed"))
    console.print("How much there is to know, what learning enough costs, and the exact algorithms' work:\n")
    ours = replace(tables["access"], rows=tuple(row for row in tables["access"].rows if row[1] == "ours"))
    print_table(console, select_columns(ours, "family", "facts", "calls", "call cost", "work"))
    return data


def print_agent_results(console: Console, main_results: FilledSheet) -> None:
    """Print the results of all scripted agents."""
    console.rule("Seven scripted agents on it", align="left")
    console.print(
        "Nothing known, random, myopic, improved by local search, exact, hardly anything at risk, and proven, in the Direct "
        "worlds; in percent:\n"
    )
    print_table(console, select_columns(main_results, *(main_results.head[column] for column in (0, 1, 3, 4))))
