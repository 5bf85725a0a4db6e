"""`algoworlds show`: one evaluation, call by call, with the answers that the agent saw."""

import re
from collections.abc import Iterator, Mapping
from json import loads
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from algoworlds.cli.completion import complete_world
from algoworlds.cli.options import JsonOption, RunArgument, SuiteOption
from algoworlds.cli.output import print_json
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.grid import Grid, strip_control_chars, to_markdown, to_one_line

if TYPE_CHECKING:
    from algoworlds.adapters.trajectory import AnsweredCall, Trajectory
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Slot

_MAX_HEADING_ARGUMENT_CHARS = 100
"""Longer arguments are printed below the heading of their call."""


class Section(NamedTuple):
    """A part of a transcript; `text` is ours, `verbatim` was written by the task, the agent or a model."""

    heading: str
    text: str = ""
    verbatim: str = ""
    grids: tuple[Grid, ...] = ()


def show(
    run: RunArgument,
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="The id of a world that the run has played.", autocompletion=complete_world)
    ],
    trial: Annotated[int | None, typer.Argument(metavar="TRIAL", help="Which of its evaluations; default: the first.")] = None,
    suite: SuiteOption = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, to save or to send.")] = False,
    json: JsonOption = False,
) -> None:
    """Show one evaluation: the question, each call with its answer, and the decision against the optimum."""
    from algoworlds.adapters.trajectory import replay_trajectories
    from algoworlds.reports.evaluation import Evaluation
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import open_suite_of_run

    directory = RunDirectory(run)
    slot = _find_slot(directory, world, trial)
    (trajectory,) = replay_trajectories(directory, open_suite_of_run(directory, suite), [slot])
    judgement = directory.read_judgement(slot) if slot in directory.judged_slots else None
    evaluation = Evaluation.from_record(trajectory.record)  # refuses an edited record
    if judgement is not None:
        evaluation.with_judgement(judgement)
    if json:
        print_json(_document(trajectory, judgement))
    elif as_markdown:
        typer.echo("\n\n".join(map(_to_markdown, _sections(trajectory, judgement))))
    else:
        _print(_sections(trajectory, judgement))


def _find_slot(directory: "RunDirectory", world: str, trial: int | None) -> "Slot":
    """The evaluation to show; InputError names one that exists."""
    from algoworlds.runs.directory import sort_slots

    run_name, finished = format_value(directory.path), sort_slots(directory.finished_slots)
    if not finished:
        raise InputError(f"{run_name} has no finished evaluation yet")
    on_world = [slot for slot in finished if slot.world == world]
    if not on_world:
        similar = sorted({slot.world for slot in finished if slot.world.startswith(world)}) or [finished[0].world]
        raise InputError(f"{run_name} has no finished evaluation on {quote_value(world)}; one is on {similar[0]}")
    matching = [slot for slot in on_world if trial in (None, slot.trial)]
    if not matching:
        trials = ", ".join(str(slot.trial) for slot in on_world)
        raise InputError(f"{format_value(world)} has no trial {trial} here: choose from {trials}")
    return matching[0]


# -- content --------------------------------------------------------------------------------------------------------------


def _document(trajectory: "Trajectory", judgement: JsonObject | None) -> JsonObject:
    """The evaluation as JSON."""
    from algoworlds.reports.verdict import verdict_text

    world = trajectory.world
    turns = [
        {"turn": turn.number, "text": turn.text, "calls": list(map(_call_to_json, turn.calls))} for turn in trajectory.turns
    ]
    return {
        "question": world.question,
        "tools": world.tools,
        "budget": world.budget,
        "turns": turns,
        "verdict": verdict_text(trajectory.record, judgement),
        "record": trajectory.record,
        "judgement": judgement,
    }


def _call_to_json(answered: "AnsweredCall") -> JsonObject:
    tool, arguments = answered.call
    outcome = {"status": answered.status, "charged": answered.charged}
    return {"tool": tool, "arguments": arguments, **outcome, "response": _parse_json(answered.text) or answered.text}


def _sections(trajectory: "Trajectory", judgement: JsonObject | None) -> Iterator[Section]:
    record, world = trajectory.record, trajectory.world
    title = f"{record['configuration']} ({record['kind']}) on {record['world']}, trial {record['trial']}"
    yield Section(title, f"Budget {world.budget:,}; {record['spend']:,} spent in {record['executed_calls']:,} calls.")
    yield Section("Question", verbatim=world.question)
    left, number = world.budget, 0
    for turn in trajectory.turns:
        if turn.text:
            yield Section(f"Turn {turn.number}", verbatim=turn.text)
        for answered in turn.calls:
            left, number = left - answered.charged, number + 1
            yield _call_section(number, answered, left)
    yield _decision_section(record, judgement)


def _call_section(number: int, answered: "AnsweredCall", left: int) -> Section:
    """One call: its arguments, its answer, its price and the budget that is `left`."""
    from algoworlds.game.decision_builder import format_cell

    arguments = _parse_json(answered.call.arguments)
    is_simple = isinstance(arguments, dict) and all(isinstance(value, str | int) for value in arguments.values())
    words = ", ".join(f"{name} {value}" for name, value in arguments.items()) if is_simple else answered.call.arguments
    answer, records, text = _parse_json(answered.text), {}, answered.text
    if isinstance(answer, dict):
        records = answer.pop("records", {})
        repeated = ("charged", "budget_left", "calls_left")  # stand in the same line already
        rest = ((name.replace("_", " "), value) for name, value in answer.items() if name not in repeated)
        text = ", ".join(f"{name} {value}" for name, value in rest)
    charge = (
        f"charged {answered.charged:,}, {left:,} left" if answered.charged else f"{answered.status.replace('_', ' ')}, free"
    )
    grids = []
    for name, record in records.items():
        rows = tuple(tuple(map(format_cell, row)) for row in record["rows"])
        grids.append(Grid(name, name, tuple(record["columns"]), rows))
    heading, line = f"{number}. {answered.call.tool}", f"{charge}{': ' if text else ''}{text}"
    if len(words) > _MAX_HEADING_ARGUMENT_CHARS:
        return Section(heading, line, words, tuple(grids))
    return Section(f"{heading} {words}".rstrip(), line, grids=tuple(grids))


def _parse_json(text: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _decision_section(record: Mapping[str, Any], judgement: JsonObject | None) -> Section:
    """The decision beside the optimum: the terms of the objective, and every entry."""
    from algoworlds.reports.decision_comparison import decision_differences, objective_terms
    from algoworlds.reports.verdict import verdict_text

    entries = tuple(
        (f"{entry.argument} {entry.position}".strip(), entry.chosen or "", entry.optimal or "")
        for entry in decision_differences(record)
    )
    grids = [Grid("decision", "Decision", ("", "decided", "optimum"), entries)]
    if terms := objective_terms(record):
        rows = tuple((term.name.replace("_", " "), f"{term.value:,}", f"{term.optimum:,}", term.change_text) for term in terms)
        grids.insert(0, Grid("terms", "Objective", ("term", "decision", "optimum", "change"), rows))
    return Section("Decision", verdict_text(record, judgement), grids=tuple(grids))


# -- output ---------------------------------------------------------------------------------------------------------------


def _to_markdown(section: Section) -> str:
    """The section as Markdown; text of others stays text, inside a fence longer than any fence it contains."""
    parts = [f"## {_escape(section.heading)}", _escape(section.text)]
    if section.verbatim:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", section.verbatim)), default=0))
        parts.append(f"{fence}text\n{strip_control_chars(section.verbatim).rstrip()}\n{fence}")
    return "\n\n".join(filter(None, (*parts, *map(to_markdown, section.grids))))


def _escape(text: str) -> str:
    return to_markdown(Grid("", text, ("",), ())).split("\n")[0]


def _print(sections: Iterator[Section]) -> None:
    from rich.text import Text

    from algoworlds.cli.console import SafeConsole
    from algoworlds.cli.tables import print_table

    console = SafeConsole()
    for section in sections:
        console.print(Text(to_one_line(section.heading)), style="bold")
        if section.text:
            console.print(Text(to_one_line(section.text)), style="dim")
        if section.verbatim:
            console.print(Text(strip_control_chars(section.verbatim).rstrip()))
        console.print()
        for grid in section.grids:
            console.print(Text(to_one_line(grid.caption)), style="italic")
            print_table(console, grid)
