"""Finalized records: one immutable JSON object per evaluation, a pure function of the trajectory and the suite.

A record holds nothing of wall time, retries or machines, so whatever disturbed the run, the record is the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, NamedTuple

from algoworlds.core.canonical import canonical_text
from algoworlds.core.given import shortened
from algoworlds.core.tool import Call
from algoworlds.measures.key import Key
from algoworlds.measures.scoring import SCORING, score
from algoworlds.suites.manifest import Entry
from algoworlds.worlds.episode import Episode

FORMAT = 1
NOT_FIRST = "not_first"
"""The status of a call that came second or later in its turn."""

TEXT_END = "text_end"
"""The stop reason of an agent that ended without a call: with text, or by coming to its end."""


class Kind(Enum):
    """What played, in the order of reports. Kinds are played under different protocols and never mix unmarked."""

    MODEL = "model"
    """A language model that our own runner asks turn by turn: one message, the tools, and one call a turn."""
    EXTERNAL = "external"
    """An agent or a harness of somebody's own, behind a door: its turns are not seen, so that every call counts."""
    HUMAN = "human"
    """A person, in a terminal or a browser, who has a notebook of what was read and all the time in the world."""
    AGENT = "agent"
    """A scripted agent of ours, which plays again to the byte."""


class Whose(NamedTuple):
    """Whose a record is: the identity of its run, the configuration's label, the kind of what played, and the trial."""

    identity: str
    configuration: str
    kind: Kind
    trial: int


@dataclass(frozen=True)
class Played:
    """A finished trajectory, with what a provider told about it."""

    episode: Episode
    stop_reason: str
    turns: tuple[int, ...]
    """The model turn that each call belongs to."""
    extras: tuple[tuple[int, Call], ...] = ()
    """Calls beyond the first of a turn, with their turn: answered with a rejection and never executed."""
    texts: tuple[tuple[int, str], ...] = ()
    rounds: int = 0
    model: str | None = None
    tokens: dict[str, int | None] | None = None
    cost: float | None = None

    @classmethod
    def by_calls(cls, episode: Episode, stop_reason: str | None = None) -> "Played":
        """The trajectory of an agent whose turns are its calls; one that simply stops has ended with text, as a model would."""
        ended = TEXT_END if episode.stop is None else episode.stop.value
        return cls(episode, stop_reason or ended, tuple(range(1, episode.attempts + 1)), rounds=episode.attempts)


def record(whose: Whose, entry: Entry, key: Key, played: Played) -> dict[str, Any]:
    """The finalized record of an evaluation: who, where, outcome, measures, diagnostics, trajectory."""
    return {
        "format": FORMAT,
        "scoring": SCORING,
        "identity": whose.identity,
        "configuration": whose.configuration,
        "kind": whose.kind.value,
        "world": entry.id,
        "family": entry.family,
        "level": entry.level,
        "index": entry.index,
        "interface": entry.interface,
        "trial": whose.trial,
        **score(played.episode, key, len(played.extras)),
        **({"claim": played.episode.claim.value} if played.episode.claim is not None else {}),
        "stop_reason": played.stop_reason,
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
    tool, arguments = shortened(call)
    return {"turn": turn, "tool": tool, "arguments": arguments, "status": status, "charged": charged}


def calls_of(document: Mapping[str, Any]) -> list[Call]:
    """The calls of a record that went to the episode, in order."""
    return [Call(step["tool"], step["arguments"]) for step in document["trajectory"] if step["status"] != NOT_FIRST]


def spelled(document: dict[str, Any]) -> bytes:
    """A record as the bytes of its file."""
    return canonical_text(document).encode() + b"\n"
