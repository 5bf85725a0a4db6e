"""Finished evaluations turn by turn, with the texts that the agent saw: the source of all trajectory exports.

Records hold digests of responses, so episodes are replayed; times and tokens of a model's turns come from the attempt log.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, format_value
from algoworlds.runs.conversation import LATER_CALL_ANSWER
from algoworlds.runs.details import EvaluationDetails, TurnThinking
from algoworlds.runs.directory import RunDirectory, sort_slots
from algoworlds.runs.schedule import Slot
from algoworlds.runs.status import read_attempts
from algoworlds.suites.open import Suite
from algoworlds.suites.record import NOT_FIRST, PlayerKind, replay_record
from algoworlds.worlds.world import World

DECISION_MEASURES = ("exact", "feasible", "utility", "sufficiency", "coverage", "grounding")
EXPORTED_MEASURES = ("outcome", *DECISION_MEASURES, "spend", "executed_calls")
"""The measures exported with a trajectory: none of them, with the decision, reveals the value of an optimum."""
NUMERIC_MEASURES = (*DECISION_MEASURES, "redundant_calls", "executed_calls", "spend")
"""The measures that are numbers in every evaluation and reveal nothing of an optimum."""
UTILITY_STEP = 5
"""Exports round utility down to multiples of this: with the decision, an exact one would give the optimum by a division."""


def export_measures(measures: Mapping[str, Any], names: Iterable[str] = EXPORTED_MEASURES) -> JsonObject:
    """The measures called `names` as they are exported, with utility rounded down; only an exact decision has 100."""
    exported = {name: measures[name] for name in names}
    if "utility" in exported:
        exported["utility"] = float(exported["utility"] // UTILITY_STEP * UTILITY_STEP)
    return exported


class AnsweredCall(NamedTuple):
    """A call, its status, its charge and its response."""

    call: Call
    status: str
    charged: int
    text: str


class TrajectoryTurn(NamedTuple):
    """One turn: the agent's text, its calls and, for a model, the attempt that was answered."""

    number: int
    text: str
    calls: tuple[AnsweredCall, ...]
    attempt: Mapping[str, Any]
    """The line of the attempt log; empty if there is none."""
    thinking: TurnThinking | None = None
    """A model's thinking before the text, with its tokens and seconds; None if the journal does not say."""


@dataclass(frozen=True)
class Trajectory:
    """A finished evaluation with its turns."""

    slot: Slot
    world: World
    record: Mapping[str, Any]
    turns: tuple[TrajectoryTurn, ...]

    @cached_property
    def measures(self) -> JsonObject:
        """The exported measures, by name."""
        return export_measures(self.record)


def finished_trajectories(directory: RunDirectory, suite: Suite, with_thinking: bool = True) -> Iterator[Trajectory]:
    """Every finished evaluation of a run, by world and trial; without `with_thinking` the texts of thinking are left out."""
    yield from replay_trajectories(directory, suite, sort_slots(directory.finished_slots), with_thinking)


def replay_trajectories(
    directory: RunDirectory, suite: Suite, slots: Iterable[Slot], with_thinking: bool = True
) -> Iterator[Trajectory]:
    """The finished evaluations `slots` of a run; InputError if `suite` is not the run's suite."""
    if directory.document["plan"]["suite"]["root"] != suite.manifest.root:
        raise InputError(
            f"{format_value(suite.directory)} is not the suite of {format_value(directory.path)}: name it with --suite"
        )
    suite = suite.on_track(directory.track)
    attempts: dict[Slot, dict[int, Any]] = {}
    for line in read_attempts(directory) if directory.kind is PlayerKind.MODEL else ():
        if line["fault"] is None:
            attempts.setdefault(Slot(line["world"], line["trial"]), {})[line["turn"]] = line
    details = EvaluationDetails(directory)
    for slot in slots:
        world, record = suite.world(suite.entry(slot.world)), directory.read_record(slot)
        thinking = {turn.turn: turn if with_thinking else turn._replace(text="") for turn in details.thinking(slot)}
        yield Trajectory(slot, world, record, tuple(replay_turns(world, record, attempts.get(slot, {}), thinking)))


def replay_turns(
    world: World,
    record: Mapping[str, Any],
    attempts: Mapping[int, Any],
    thinking: Mapping[int, TurnThinking] = MappingProxyType({}),
) -> Iterator[TrajectoryTurn]:
    """The turns of `record`, replayed in `world`; `attempts` holds the answered attempts by turn, `thinking` what is known."""
    observations = iter(replay_record(world, record).observations)
    texts = {line["turn"]: line["text"] for line in record["texts"]}
    calls: dict[int, list[AnsweredCall]] = {}
    for step in record["trajectory"]:
        # Only the first call of a turn is executed: the others were answered by the harness.
        text = LATER_CALL_ANSWER if step["status"] == NOT_FIRST else next(observations).text
        answered = AnsweredCall(Call(step["tool"], step["arguments"]), step["status"], step["charged"], text)
        calls.setdefault(step["turn"], []).append(answered)
    for turn in sorted({*texts, *calls, *attempts}):
        yield TrajectoryTurn(turn, texts.get(turn, ""), tuple(calls.get(turn, ())), attempts.get(turn, {}), thinking.get(turn))
