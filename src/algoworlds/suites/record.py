"""Finalized records: one immutable JSON object per evaluation, a pure function of the trajectory and the suite.

A record holds no wall time, retry count or machine name, so an interrupted run leaves the same bytes as a smooth one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject, canonical_json
from algoworlds.core.tool import Call, truncate_call
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.scoring import SCORING_VERSION, score
from algoworlds.suites.manifest import WorldEntry
from algoworlds.tracks.track import BARE, Computed
from algoworlds.worlds.episode import Episode, ProgramMode
from algoworlds.worlds.world import World

RECORD_FORMAT = 1
NOT_FIRST = "not_first"
"""Status of a call that is not the first of its turn."""

TEXT_END = "text_end"
"""Stop reason of an agent that ended without a call: it answered with text, or it returned."""


class PlayerKind(Enum):
    """Kinds of players, in the order of reports. Their protocols differ, so reports never mix kinds unmarked."""

    MODEL = "model"
    """A language model that our runner prompts turn by turn: one message, the tools, one call per turn."""
    EXTERNAL = "external"
    """A foreign agent or harness behind an adapter: its turns are invisible, so every call counts."""
    HUMAN = "human"
    """A person in a terminal or a browser, with a notebook of what was read and no time limit."""
    AGENT = "agent"
    """A scripted agent, reproducible byte for byte."""


class Provenance(NamedTuple):
    """Where a record comes from: run identity, configuration label, kind of player, and trial number."""

    identity: str
    configuration: str
    kind: PlayerKind
    trial: int
    edition: str | None = None
    """The edition of the suite, if it has one."""


@dataclass(frozen=True)
class FinishedTrajectory:
    """A finished trajectory, with what a provider reported about it."""

    episode: Episode
    stop_reason: str
    call_turns: tuple[int, ...]
    """The model turn that each call belongs to."""
    extra_calls: tuple[tuple[int, Call], ...] = ()
    """Calls beyond the first of a turn, with their turn: answered with a rejection and never executed."""
    texts: tuple[tuple[int, str], ...] = ()
    turn_count: int = 0
    model: str | None = None
    tokens: dict[str, int | None] | None = None
    cost: float | None = None

    @classmethod
    def from_episode(cls, episode: Episode, stop_reason: str | None = None) -> "FinishedTrajectory":
        """The trajectory of an agent whose turns are its calls; one that just stops counts as ended with text."""
        default = TEXT_END if episode.stop is None else episode.stop.value
        return cls(episode, stop_reason or default, tuple(range(1, episode.attempts + 1)), turn_count=episode.attempts)


def build_record(provenance: Provenance, entry: WorldEntry, key: AnswerKey, trajectory: FinishedTrajectory) -> JsonObject:
    """The finalized record of an evaluation: provenance, world, measures, and a trajectory that can be replayed."""
    episode = trajectory.episode
    observed = sha256()  # over every text that the agent saw
    for observation in episode.observations:
        observed.update(observation.text.encode() + b"\n")
    steps = [
        _step(turn, call, observation.status.value, observation.charged) | _program_fields(episode, at)
        for at, (turn, call, observation) in enumerate(
            zip(trajectory.call_turns, episode.calls, episode.observations, strict=True)
        )
    ]
    steps += [_step(turn, call, NOT_FIRST, 0) for turn, call in trajectory.extra_calls]
    return {
        "format": RECORD_FORMAT,
        "scoring": SCORING_VERSION,
        "identity": provenance.identity,
        "configuration": provenance.configuration,
        "kind": provenance.kind.value,
        "world": entry.id,
        "family": entry.family,
        "level": entry.level,
        "index": entry.index,
        "interface": entry.interface,
        **({"condition": entry.condition} if entry.condition else {}),
        "trial": provenance.trial,
        **({} if provenance.edition is None else {"edition": provenance.edition}),
        **_track_fields(episode),
        **score(episode, key, len(trajectory.extra_calls)),
        **({"claim": episode.claim.value} if episode.claim is not None else {}),
        "stop_reason": trajectory.stop_reason,
        "turns": trajectory.turn_count,
        "model": trajectory.model,
        "tokens": trajectory.tokens,
        "cost": trajectory.cost,
        "trajectory": sorted(steps, key=lambda step: step["turn"]),
        "texts": [{"turn": turn, "text": text} for turn, text in trajectory.texts],
        "observed": observed.hexdigest(),
    }


def _step(turn: int, call: Call, status: str, charged: int) -> JsonObject:
    """One call of a trajectory; an overlong name or argument is cut to a length that a replay still refuses."""
    tool, arguments = truncate_call(call)
    return {"turn": turn, "tool": tool, "arguments": arguments, "status": status, "charged": charged}


def _track_fields(episode: Episode) -> JsonObject:
    """The track and what was computed on it; nothing on the bare track."""
    track, results = episode.world.track, episode.computed.values()
    if track is BARE:
        return {}
    fields: JsonObject = {"track": track.name, "programs": len(results), "computed": sum(result.units for result in results)}
    misread = [result.misread for result in results if result.misread is not None]
    return fields | ({"misread": misread[-1]} if misread else {})


def _program_fields(episode: Episode, at: int) -> JsonObject:
    """What a step says of programs: the result of its own, or the number of the step whose program made it."""
    if at in episode.made_by:
        return {"by": episode.made_by[at] + 1}
    if at not in episode.computed:
        return {}
    return {"computed": {name: value for name, value in episode.computed[at].json.items() if name != "calls"}}


def recorded_calls(document: Mapping[str, Any]) -> list[Call]:
    """The calls of a record that reached the episode, in order, without those that programs made."""
    steps = (step for step in document["trajectory"] if step["status"] != NOT_FIRST and "by" not in step)
    return [Call(step["tool"], step["arguments"]) for step in steps]


def recorded_programs(document: Mapping[str, Any]) -> list[Computed]:
    """What the programs of a record came to, in order, with the calls that they made."""
    steps = [step for step in document["trajectory"] if step["status"] != NOT_FIRST]
    calls: dict[int, list[list[str]]] = {}
    for step in steps:
        if "by" in step:
            calls.setdefault(step["by"], []).append([step["tool"], step["arguments"]])
    return [
        Computed.from_json(step["computed"] | ({"calls": calls[number]} if number in calls else {}))
        for number, step in enumerate(steps, 1)
        if "computed" in step
    ]


def replay_record(world: World, document: Mapping[str, Any], mode: ProgramMode = ProgramMode.REPLAY) -> Episode:
    """The episode of a record, from its calls and the recorded results of its programs."""
    return Episode(world, recorded_calls(document), recorded_programs(document), mode)


def encode_record(document: JsonObject) -> bytes:
    """The bytes of a record file."""
    return canonical_json(document).encode() + b"\n"
