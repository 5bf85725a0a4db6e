"""What the files of a run say about its evaluations beyond their records; safe while the run goes on."""

from functools import cached_property
from typing import NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.turn import Thinking
from algoworlds.runs.schedule import Slot
from algoworlds.runs.status import read_attempts
from algoworlds.suites.record import PlayerKind

WRONG_SHAPE = (KeyError, TypeError, AttributeError, ValueError, IndexError, ProviderFault)
"""What reading a response of an unexpected shape raises."""


class TurnThinking(NamedTuple):
    """A model's thinking in one turn; `_asdict()` is plain JSON."""

    turn: int
    """From 1, as in the `trajectory` and `texts` of a record."""
    text: str
    """The reasoning text, its summary or the thinking blocks; empty if the response shows none."""
    is_encrypted: bool
    """Whether the response also holds thinking that only the provider can read."""
    tokens: int | None
    """Reasoning tokens as the provider reported them; None if it did not."""
    seconds: float | None
    """From sending the answered request to the end of its answer; None if the attempt log does not say."""


class EvaluationDetails:
    """Reads details of the evaluations of one run; the attempt log is read once."""

    def __init__(self, directory: RunDirectory) -> None:
        """Details of the run `directory`; nothing is read yet."""
        self.directory = directory

    @cached_property
    def _attempts(self) -> dict[tuple[object, object], list[JsonObject]]:
        """The logged attempts by world and trial."""
        attempts: dict[tuple[object, object], list[JsonObject]] = {}
        for line in read_attempts(self.directory):
            if isinstance(line, dict):
                attempts.setdefault((line.get("world"), line.get("trial")), []).append(line)
        return attempts

    def thinking(self, slot: Slot) -> list[TurnThinking]:
        """The thinking of every answered turn, also of an unfinished evaluation.

        Empty if the run is not that of a model, or if its journals were left out when it was packed. InputError if the
        journal or the attempt log is damaged.
        """
        if self.directory.kind is not PlayerKind.MODEL:
            return []
        api = APIS[self.directory.document["plan"]["settings"]["api"]]
        attempts = self._attempts.get((slot.world, slot.trial), [])
        seconds = {attempt.get("turn"): attempt.get("seconds") for attempt in attempts if attempt.get("fault") is None}
        turns = []
        for line in self.directory.read_journal(slot)[1:]:
            if not isinstance(line, dict) or not isinstance(line.get("response"), dict):
                continue  # the line of an event, or a journal that was edited
            try:
                thinking, tokens = api.read_thinking(line["response"]), api.read_turn(line["response"]).usage.reasoning
            except WRONG_SHAPE:
                thinking, tokens = Thinking(), None
            turns.append(TurnThinking(line.get("turn", 0), *thinking, tokens, seconds.get(line.get("turn"))))
        return turns
