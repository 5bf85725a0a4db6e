"""`algoworlds show`: one evaluation, call by call, with the answers that the agent saw; also one that is still running."""

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
    from algoworlds.runs.details import EvaluationState, TurnThinking
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Slot
    from algoworlds.suites.open import Suite

_MAX_THINKING_CHARS = 160
"""Characters of a model's thinking that are printed unless all of it is asked for."""
_MAX_HEADING_ARGUMENT_CHARS = 100
"""Longer arguments are printed below the heading of their call."""


_KNOWN_WHILE_RUNNING = (
    "configuration", "kind", "world", "family", "level", "index", "interface", "trial", "stop_reason", "turns", "model",
    "tokens", "cost", "executed_calls", "attempted_calls", "spend", "budget", "trajectory", "texts",
)  # fmt: skip
"""The fields of an unfinished record that are shown: nothing that depends on the optimum or on facts that were not read."""


class Transcript(NamedTuple):
    """What there is to show: its trajectory, its judgement, how far it is, and a model's thinking by turn."""

    trajectory: "Trajectory"
    judgement: JsonObject | None
    state: "EvaluationState"
    thinking: "dict[int, TurnThinking]"


class TranscriptSection(NamedTuple):
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
    thinking: Annotated[
        bool | None,
        typer.Option("--thinking/--no-thinking", help="Print all that a model thought, or none of it; default: beginnings."),
    ] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, to save or to send.")] = False,
    json: JsonOption = False,
) -> None:
    """Show one evaluation: the question, each call with its answer, and the decision against the optimum.

    An evaluation that is still running is shown as far as it goes, without anything that would reveal the optimum.
    """
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import open_suite_of_run

    directory = RunDirectory(run)
    slot = _find_slot(directory, world, trial)
    evaluation = _read(directory, open_suite_of_run(directory, suite), slot, thinking is not False)
    if json:
        print_json(_document(evaluation))
    elif as_markdown:
        typer.echo("\n\n".join(map(_to_markdown, _sections(evaluation, bool(thinking)))))
    else:
        _print(_sections(evaluation, bool(thinking)))


def _read(directory: "RunDirectory", suite: "Suite", slot: "Slot", with_thinking: bool) -> Transcript:
    """The evaluation of `slot`, as far as its files go; InputError if it has no response yet."""
    from algoworlds.adapters.trajectory import Trajectory, replay_trajectories, replay_turns
    from algoworlds.reports.evaluation import Evaluation
    from algoworlds.runs.details import EvaluationDetails

    details = EvaluationDetails(directory)
    is_finished = slot in directory.finished_slots
    judgement = directory.read_judgement(slot) if slot in directory.judged_slots else None
    if is_finished:  # refuse an edited record or judgement before it is replayed
        checked = Evaluation.from_record(directory.read_record(slot))
        if judgement is not None:
            checked.with_judgement(judgement)
    trajectories = list(replay_trajectories(directory, suite, [slot] if is_finished else []))
    state = details.state(slot)
    if not trajectories:
        record = details.unfinished_record(slot, suite)
        if record is None:
            raise InputError(f"{format_value(slot.name)} has nothing to show yet: {to_one_line(state.explanation)}")
        world = suite.world(suite.entry(slot.world))
        known = {name: record[name] for name in _KNOWN_WHILE_RUNNING}
        trajectories = [Trajectory(slot, world, known, tuple(replay_turns(world, record, {})))]
    thinking = {turn.turn: turn for turn in details.thinking(slot)} if with_thinking else {}
    return Transcript(trajectories[0], judgement, state, thinking)


def _find_slot(directory: "RunDirectory", world: str, trial: int | None) -> "Slot":
    """The evaluation to show, a finished one first; InputError names one that exists."""
    from algoworlds.runs.directory import sort_slots

    run_name, finished = format_value(directory.path), sort_slots(directory.finished_slots)
    begun = [slot for slot in sort_slots(directory.schedule) if (directory.path / "journal" / f"{slot.name}.jsonl").exists()]
    finished += [slot for slot in begun if slot not in set(finished)]
    if not finished:
        raise InputError(f"{run_name} has no finished evaluation yet, nor one that has begun")
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


def _document(evaluation: Transcript) -> JsonObject:
    """The evaluation as JSON."""
    from algoworlds.reports.verdict import verdict_text

    trajectory, judgement, state, thinking = evaluation
    world, by_number = trajectory.world, {turn.number: turn for turn in trajectory.turns}
    turns = [
        {
            "turn": number,
            "thinking": thinking[number]._asdict() if number in thinking else None,
            "text": by_number[number].text if number in by_number else "",
            "calls": list(map(_call_to_json, by_number[number].calls if number in by_number else ())),
        }
        for number in sorted({*by_number, *thinking})
    ]
    return {
        "question": world.question,
        "tools": world.tools,
        "budget": world.budget,
        "turns": turns,
        "state": state._asdict(),
        "verdict": verdict_text(trajectory.record, judgement) if state.stop_reason else None,
        "record": trajectory.record,
        "judgement": judgement,
    }


def _call_to_json(answered: "AnsweredCall") -> JsonObject:
    tool, arguments = answered.call
    outcome = {"status": answered.status, "charged": answered.charged}
    return {"tool": tool, "arguments": arguments, **outcome, "response": _parse_json(answered.text) or answered.text}


def _sections(evaluation: Transcript, all_thinking: bool) -> Iterator[TranscriptSection]:
    """The parts of the transcript; of a model's thinking only the beginnings unless `all_thinking`."""
    trajectory, judgement, state, thinking = evaluation
    record, world = trajectory.record, trajectory.world
    title = f"{record['configuration']} ({record['kind']}) on {record['world']}, trial {record['trial']}"
    ending = f"Ended by {state.stop_reason.replace('_', ' ')}" if state.stop_reason else "UNFINISHED"
    faults = ", ".join(f"{fault} {count:,}" for fault, count in state.faults.items())
    failed = f" Failed requests: {faults}." if faults else ""
    spent = f"Budget {world.budget:,}; {record['spend']:,} spent in {record['executed_calls']:,} calls."
    yield TranscriptSection(title, f"{spent} {ending}: {state.explanation.rstrip('.')}.{failed}")
    yield TranscriptSection("Question", verbatim=world.question)
    left, number = world.budget, 0
    by_number = {turn.number: turn for turn in trajectory.turns}
    for turn_number in sorted({*by_number, *thinking}):
        if turn_number in thinking:
            yield _thinking_section(thinking[turn_number], all_thinking)
        if turn_number not in by_number:
            continue
        turn = by_number[turn_number]
        if turn.text:
            yield TranscriptSection(f"Turn {turn.number}", verbatim=turn.text)
        for answered in turn.calls:
            left, number = left - answered.charged, number + 1
            yield _call_section(number, answered, left)
    if state.output.strip() and state.stop_reason != "submitted":
        yield TranscriptSection("The end of the agent's output", verbatim=state.output)
    if state.stop_reason:
        yield _decision_section(record, judgement)
    else:
        yield TranscriptSection("Not finished", "There is no decision yet, so nothing about the optimum is shown.")


def _thinking_section(thinking: "TurnThinking", in_full: bool) -> TranscriptSection:
    """A model's thinking in one turn with its tokens and seconds: all of it, or one line with its beginning."""
    facts = [] if thinking.tokens is None else [f"{thinking.tokens:,} tokens"]
    facts += [] if thinking.seconds is None else [f"{thinking.seconds:,.1f} s"]
    facts += [f"{'partly ' if thinking.text else ''}readable only by the provider"] if thinking.is_encrypted else []
    text, heading = to_one_line(thinking.text), f"Turn {thinking.turn}: thinking"
    if not text and not thinking.is_encrypted and not thinking.tokens:
        heading = f"Turn {thinking.turn}"
    if in_full or not text:
        return TranscriptSection(heading, ", ".join(facts), thinking.text)
    beginning = text if len(text) <= _MAX_THINKING_CHARS else f"{text[:_MAX_THINKING_CHARS]}… (--thinking prints all of it)"
    return TranscriptSection(heading, f"{', '.join(facts)}{': ' if facts else ''}{beginning}")


def _call_section(number: int, answered: "AnsweredCall", left: int) -> TranscriptSection:
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
        return TranscriptSection(heading, line, words, tuple(grids))
    return TranscriptSection(f"{heading} {words}".rstrip(), line, grids=tuple(grids))


def _parse_json(text: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _decision_section(record: Mapping[str, Any], judgement: JsonObject | None) -> TranscriptSection:
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
    return TranscriptSection("Decision", verdict_text(record, judgement), grids=tuple(grids))


# -- output ---------------------------------------------------------------------------------------------------------------


def _to_markdown(section: TranscriptSection) -> str:
    """The section as Markdown; text of others stays text, inside a fence longer than any fence it contains."""
    parts = [f"## {_escape(section.heading)}", _escape(section.text)]
    if section.verbatim:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", section.verbatim)), default=0))
        parts.append(f"{fence}text\n{strip_control_chars(section.verbatim).rstrip()}\n{fence}")
    return "\n\n".join(filter(None, (*parts, *map(to_markdown, section.grids))))


def _escape(text: str) -> str:
    return to_markdown(Grid("", text, ("",), ())).split("\n")[0]


def _print(sections: Iterator[TranscriptSection]) -> None:
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
