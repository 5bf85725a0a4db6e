"""`algoworlds show`: one evaluation as it went, call by call, with what the agent was told."""

import re
from collections.abc import Iterator
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from algoworlds.cli.evaluate import Run
from algoworlds.cli.flags import Json, print_json
from algoworlds.errors import InputError, quoted, shown
from algoworlds.grid import Grid, markdown, one_line, plain

if TYPE_CHECKING:
    from algoworlds.adapters.trajectory import Answered, Journey
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.slot import Slot


_LONGEST = 100
"""Characters of arguments that stand in a heading; others stand below it."""


class Passage(NamedTuple):
    """A part of a transcript: a heading, words of ours, words of somebody else's, and tables."""

    heading: str
    text: str = ""
    said: str = ""
    grids: tuple[Grid, ...] = ()


def show(
    run: Run,
    world: Annotated[str, typer.Argument(metavar="WORLD", help="The id of a world that the run has played.")],
    trial: Annotated[
        int | None, typer.Argument(metavar="TRIAL", help="Which of its evaluations; the first if left out.")
    ] = None,
    suite: Annotated[Path | None, typer.Option(help="The suite of the run, if it is no longer where it was.")] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, to keep or to send.")] = False,
    json: Json = False,
) -> None:
    """Show one evaluation as it went: the question, each call with its answer, and the decision against the optimum."""
    from algoworlds.adapters.trajectory import journeys
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import suite_of

    directory = RunDirectory(run)
    slot = _slot(directory, world, trial)
    (journey,) = journeys(directory, suite_of(directory, suite), [slot])
    judgement = directory.judgement(slot) if slot in directory.judged else None
    if json:
        print_json(_document(journey, judgement))
    elif as_markdown:
        typer.echo("\n\n".join(_markdown(each) for each in _passages(journey, judgement)))
    else:
        _print(_passages(journey, judgement))


def _slot(directory: "RunDirectory", world: str, trial: int | None) -> "Slot":
    """The evaluation that is meant; InputError says what there is."""
    from algoworlds.runs.directory import in_order

    finished = in_order(directory.finished)
    if not finished:
        raise InputError(f"{shown(directory.path)} has no evaluation that has ended yet")
    found = [slot for slot in finished if slot.world == world]
    if not found:
        near = sorted({slot.world for slot in finished if slot.world.startswith(world)}) or [finished[0].world]
        raise InputError(f"{shown(directory.path)} has no finished evaluation on {quoted(world)}; one is on {near[0]}")
    chosen = [slot for slot in found if trial in (None, slot.trial)]
    if not chosen:
        there = ", ".join(str(slot.trial) for slot in found)
        raise InputError(f"{shown(world)} has no trial {trial} here: choose from {there}")
    return chosen[0]


# -- what there is to tell ------------------------------------------------------------------------------------------------


def _document(journey: "Journey", judgement: dict[str, Any] | None) -> dict[str, Any]:
    """All of it for a program."""
    from algoworlds.reports.verdict import verdict

    world = journey.world
    told = [{"turn": each.turn, "text": each.text, "calls": list(map(_call, each.calls))} for each in journey.rounds]
    return {
        "question": world.question,
        "tools": world.tools,
        "budget": world.budget,
        "turns": told,
        "verdict": verdict(journey.record, judgement),
        "record": journey.record,
        "judgement": judgement,
    }


def _call(answered: "Answered") -> dict[str, Any]:
    tool, arguments = answered.call
    told = {"status": answered.status, "charged": answered.charged, "response": _read(answered.text) or answered.text}
    return {"tool": tool, "arguments": arguments, **told}


def _passages(journey: "Journey", judgement: dict[str, Any] | None) -> Iterator[Passage]:
    record, world = journey.record, journey.world
    who = f"{record['configuration']} ({record['kind']}) on {record['world']}, trial {record['trial']}"
    yield Passage(who, f"Budget {world.budget:,}; {record['spend']:,} spent in {record['executed_calls']:,} calls.")
    yield Passage("Question", said=world.question)
    left, number = world.budget, 0
    for turn in journey.rounds:
        if turn.text:
            yield Passage(f"Turn {turn.turn}", said=turn.text)
        for answered in turn.calls:
            left, number = left - answered.charged, number + 1
            yield _answer(number, answered, left)
    yield _ending(journey, judgement)


def _answer(number: int, answered: "Answered", left: int) -> Passage:
    """One call: what was asked, what it came to, and what is left."""
    given = _arguments(answered.call.arguments)
    told = _read(answered.text)
    records = told.pop("records", {}) if isinstance(told, dict) else {}
    said = answered.text if not isinstance(told, dict) else ", ".join(f"{name} {value}" for name, value in _news(told))
    charge = (
        f"charged {answered.charged:,}, {left:,} left" if answered.charged else f"{answered.status.replace('_', ' ')}, free"
    )
    grids = tuple(Grid(name, name, tuple(each["columns"]), _rows(each["rows"])) for name, each in records.items())
    head, text = f"{number}. {answered.call.tool}", f"{charge}{': ' if said else ''}{said}"
    if len(given) > _LONGEST:
        return Passage(head, text, given, grids)
    return Passage(f"{head} {given}".rstrip(), text, grids=grids)


def _news(told: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What an answer says beside its tables and the account, which stands in the same line already."""
    return (
        (name.replace("_", " "), value) for name, value in told.items() if name not in ("charged", "budget_left", "calls_left")
    )


def _arguments(text: str) -> str:
    """Arguments as they are read most easily: values alone where they are simple."""
    given = _read(text)
    if isinstance(given, dict) and all(isinstance(each, str | int) for each in given.values()):
        return ", ".join(f"{name} {value}" for name, value in given.items())
    return text


def _read(text: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _rows(rows: list[list[Any]]) -> tuple[tuple[str, ...], ...]:
    from algoworlds.game.builder import spelled

    return tuple(tuple(map(spelled, row)) for row in rows)


def _ending(journey: "Journey", judgement: dict[str, Any] | None) -> Passage:
    """How it ended, term by term and place by place beside the optimum."""
    from algoworlds.reports.terms import differences, terms
    from algoworlds.reports.verdict import verdict

    record = journey.record
    grids = [Grid("decision", "Decision", ("", "decided", "optimum"), tuple(_places(differences(record))))]
    if found := terms(record):
        rows = tuple((each.name.replace("_", " "), f"{each.value:,}", f"{each.optimum:,}", each.change) for each in found)
        grids.insert(0, Grid("terms", "Objective", ("term", "decision", "optimum", "change"), rows))
    return Passage("Decision", verdict(record, judgement), grids=tuple(grids))


def _places(found: Any) -> Iterator[tuple[str, str, str]]:
    for each in found:
        yield f"{each.argument} {each.place}".strip(), each.chosen or "", each.optimal or ""


# -- how it is told -------------------------------------------------------------------------------------------------------


def _markdown(passage: Passage) -> str:
    """Markdown in which whatever anybody wrote stays text: it stands between fences that it does not hold itself."""
    parts = [f"## {_escaped(passage.heading)}", _escaped(passage.text)]
    if passage.said:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", passage.said)), default=0))
        parts.append(f"{fence}text\n{plain(passage.said).rstrip()}\n{fence}")
    return "\n\n".join(filter(None, (*parts, *map(markdown, passage.grids))))


def _escaped(text: str) -> str:
    return markdown(Grid("", text, ("",), ())).split("\n")[0]


def _print(passages: Iterator[Passage]) -> None:
    from rich.console import Console
    from rich.text import Text

    from algoworlds.cli.printing import print_table

    console = Console(highlight=False)
    for passage in passages:
        console.print(Text(one_line(passage.heading)), style="bold")
        if passage.text:
            console.print(Text(one_line(passage.text)), style="dim")
        if passage.said:
            console.print(Text(plain(passage.said).rstrip()))
        console.print()
        for grid in passage.grids:
            console.print(Text(one_line(grid.caption)), style="italic")
            print_table(console, grid)
