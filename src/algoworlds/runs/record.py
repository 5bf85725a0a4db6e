"""Finalized records: one immutable JSON object per evaluation, a pure function of the trajectory and the suite.

A record holds nothing of wall time, retries or machines, so whatever disturbed the run, the record is the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from algoworlds.core.canonical import canonical_text
from algoworlds.core.tool import Call
from algoworlds.disk import read_plain, sync_directory, write_once
from algoworlds.errors import InputError, shown
from algoworlds.measures.key import Key
from algoworlds.measures.scoring import SCORING, score
from algoworlds.runs.outcome import Event
from algoworlds.suites.manifest import Entry
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import LONGEST_ARGUMENTS

FORMAT = 1
NOT_FIRST = "not_first"
"""The status of a call that came second or later in its turn."""

LONGEST_TOOL = 1000
"""Characters of a tool's name that a record keeps; no tool's name is near as long."""


@dataclass(frozen=True)
class Slot:
    """One place of a run's schedule: a world and a trial, to be evaluated once."""

    world: str
    trial: int

    @property
    def name(self) -> str:
        """The stem of the slot's files."""
        return f"{self.world}--{self.trial}"


@dataclass(frozen=True)
class Played:
    """A finished trajectory, with what a provider told about it."""

    episode: Episode
    event: Event
    turns: tuple[int, ...]
    """The model turn that each call belongs to."""
    extras: tuple[tuple[int, Call], ...] = ()
    """Calls beyond the first of a turn, with their turn: answered with a rejection and never executed."""
    texts: tuple[tuple[int, str], ...] = ()
    rounds: int = 0
    model: str | None = None
    tokens: dict[str, int | None] | None = None
    cost: float | None = None


def record(label: str, kind: str, identity: str, entry: Entry, trial: int, key: Key, played: Played) -> dict[str, Any]:
    """The finalized record of an evaluation: who, where, outcome, measures, diagnostics, trajectory."""
    return {
        "format": FORMAT,
        "scoring": SCORING,
        "identity": identity,
        "configuration": label,
        "kind": kind,
        "world": entry.id,
        "family": entry.family,
        "level": entry.level,
        "index": entry.index,
        "interface": entry.interface,
        "trial": trial,
        **score(played.episode, key, len(played.extras)),
        **({"claim": played.episode.claim.value} if played.episode.claim is not None else {}),
        "stop_reason": played.event.value,
        "turns": played.rounds,
        "model": played.model,
        "tokens": played.tokens,
        "cost": played.cost,
        **_told(played),
    }


def _told(played: Played) -> dict[str, Any]:
    """The trajectory as it can be replayed, and a digest of all that the agent saw."""
    episode = played.episode
    seen = sha256()
    for each in episode.observations:
        seen.update(each.text.encode() + b"\n")
    made = [
        _step(turn, call, observation.status.value, observation.charged)
        for turn, call, observation in zip(played.turns, episode.calls, episode.observations, strict=True)
    ]
    made += [_step(turn, call, NOT_FIRST, 0) for turn, call in played.extras]
    return {
        "trajectory": sorted(made, key=lambda step: step["turn"]),
        "texts": [{"turn": turn, "text": text} for turn, text in played.texts],
        "observed": seen.hexdigest(),
    }


def _step(turn: int, call: Call, status: str, charged: int) -> dict[str, Any]:
    """One call of a trajectory; of a name or arguments beyond the limit so much is kept that a replay refuses them alike."""
    tool, arguments = call.tool[:LONGEST_TOOL], call.arguments[: LONGEST_ARGUMENTS + 1]
    return {"turn": turn, "tool": tool, "arguments": arguments, "status": status, "charged": charged}


def calls_of(document: Mapping[str, Any]) -> list[Call]:
    """The calls of a record that went to the episode, in order."""
    return [Call(step["tool"], step["arguments"]) for step in document["trajectory"] if step["status"] != NOT_FIRST]


def spelled(document: dict[str, Any]) -> bytes:
    """A record as the bytes of its file."""
    return canonical_text(document).encode() + b"\n"


def finalize(folder: Path, slot: Slot, document: dict[str, Any]) -> None:
    """Create a record's file, whole and durable, exactly once; a second attempt must bring the same bytes."""
    final, content = folder / f"{slot.name}.json", spelled(document)
    try:
        write_once(final, content)
    except FileExistsError:
        if read_plain(final) != content:
            raise InputError(f"{shown(final)} exists with other content: it is final and was not touched") from None
        sync_directory(folder)
