"""A record told turn by turn, with what the agent saw: what exports of trajectories are made of.

Records hold digests of responses, so that the episode is played again; times and tokens of a model's turns are in its log of
attempts.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from algoworlds.core.tool import Call
from algoworlds.errors import InputError, shown
from algoworlds.runs.conversation import LATER_CALL
from algoworlds.runs.directory import RunDirectory, in_order
from algoworlds.runs.slot import Slot
from algoworlds.runs.status import attempts_of
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import NOT_FIRST, Kind, calls_of
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

TOLD = ("outcome", "exact", "feasible", "utility", "sufficiency", "coverage", "grounding", "spend", "executed_calls")
"""The measures that go out with a trajectory: none from which, with the decision, the value of an optimum follows."""
SCORED = ("exact", "feasible", "utility", "sufficiency", "coverage", "grounding", "redundant_calls", "executed_calls", "spend")
"""The measures that are numbers in every evaluation, and tell nothing of an optimum."""


class Answered(NamedTuple):
    """A call and what became of it."""

    call: Call
    status: str
    charged: int
    text: str


class Round(NamedTuple):
    """One turn: what was said, what was called, and, where a provider told, when it was and what it took."""

    turn: int
    text: str
    calls: tuple[Answered, ...]
    attempt: Mapping[str, Any]
    """The line of the log of attempts; empty where there is none."""


@dataclass(frozen=True)
class Journey:
    """An evaluation as it went."""

    slot: Slot
    world: World
    record: Mapping[str, Any]
    rounds: tuple[Round, ...]

    @cached_property
    def measures(self) -> dict[str, Any]:
        """The measures that may go out, by name."""
        return {name: self.record[name] for name in TOLD}


def told(directory: RunDirectory, suite: Opened) -> Iterator[Journey]:
    """Every finalized evaluation of a run, by world and trial."""
    yield from journeys(directory, suite, in_order(directory.finished))


def journeys(directory: RunDirectory, suite: Opened, slots: Iterable[Slot]) -> Iterator[Journey]:
    """Some finalized evaluations of a run; InputError if the suite is another's."""
    if directory.document["plan"]["suite"]["root"] != suite.manifest.root:
        raise InputError(f"{shown(suite.directory)} is not the suite of {shown(directory.path)}: name it with --suite")
    attempts = _answered(directory)
    for slot in slots:
        world, record = suite.world(suite.entry(slot.world)), directory.record(slot)
        yield Journey(slot, world, record, tuple(_rounds(world, record, attempts.get(slot, {}))))


def _answered(directory: RunDirectory) -> dict[Slot, dict[int, Any]]:
    """By evaluation and turn, the attempt that was answered."""
    found: dict[Slot, dict[int, Any]] = {}
    for line in attempts_of(directory) if directory.kind is Kind.MODEL else ():
        if line["fault"] is None:
            found.setdefault(Slot(line["world"], line["trial"]), {})[line["turn"]] = line
    return found


def _rounds(world: World, record: Mapping[str, Any], attempts: Mapping[int, Any]) -> Iterator[Round]:
    seen = iter(Episode(world, calls_of(record)).observations)
    texts = {each["turn"]: each["text"] for each in record["texts"]}
    calls: dict[int, list[Answered]] = {}
    for step in record["trajectory"]:
        text = LATER_CALL if step["status"] == NOT_FIRST else next(seen).text
        made = Answered(Call(step["tool"], step["arguments"]), step["status"], step["charged"], text)
        calls.setdefault(step["turn"], []).append(made)
    for turn in sorted({*texts, *calls, *attempts}):
        yield Round(turn, texts.get(turn, ""), tuple(calls.get(turn, ())), attempts.get(turn, {}))
