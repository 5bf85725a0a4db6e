"""What the files of a run say about its evaluations beyond their records; safe while the run goes on."""

import dataclasses
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, format_value
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import SessionState
from algoworlds.runs.journal import pair_results
from algoworlds.runs.outcome import Event
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.turn import Thinking
from algoworlds.runs.schedule import Slot
from algoworlds.runs.status import read_attempts
from algoworlds.suites.open import Play, Suite
from algoworlds.suites.record import PlayerKind, build_record
from algoworlds.worlds.episode import Episode, ProgramMode, ProgramNotRecorded
from algoworlds.worlds.observation import Status

UNFINISHED = "unfinished"
"""The stop reason of a record that `EvaluationDetails.unfinished_record` builds."""
MAX_OUTPUT_CHARS = 4_000
"""Characters from the end of an external agent's output."""
ACCEPTED_STATUSES = (Status.EXECUTED.value, Status.SUBMITTED.value, Status.COMPUTED.value)
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


STOP_REASON_TEXTS = {
    "submitted": "it submitted a decision",
    "call_cap": "it tried an information call after the last allowed one",
    "attempt_cap": "it made as many calls as are allowed, executed or rejected",
    "text_end": "it ended without a call",
    "output_cap": "the model reached its output limit",
    "context_overflow": "the conversation no longer fits the model's context",
    "refusal": "the model refused",
    "content_filter": "the provider's content filter stopped it",
    "agent_error": "the agent failed",
    "time_limit": "the agent took too long",
    UNFINISHED: "it has not ended yet",
}
"""What each stop reason of a record means, in words."""


class EvaluationState(NamedTuple):
    """How far an evaluation is and why it ended, or why it has not; `_asdict()` is plain JSON."""

    state: str
    """`finished` (it has a record), `unfinished` (it has begun) or `not started`."""
    stop_reason: str | None
    """As in its record; None while it has none."""
    explanation: str
    """`STOP_REASON_TEXTS`, or why it is unfinished; then the message of the agent, the provider or the harness, if any."""
    faults: dict[str, int]
    """Failed requests to the provider by kind."""
    output: str
    """The end of what an external agent printed, with its traceback; empty for other players."""


def count_rejected_calls(record: Mapping[str, Any]) -> dict[str, int]:
    """The rejected calls of a record, or of an unfinished one, by status."""
    statuses = Counter(step["status"] for step in record["trajectory"])
    return {status: count for status, count in sorted(statuses.items()) if status not in ACCEPTED_STATUSES}


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

    def state(self, slot: Slot) -> EvaluationState:
        """How far the evaluation is, and why it ended or has not; InputError if a file of it is damaged."""
        lines = [line for line in self.directory.read_journal(slot)[1:] if isinstance(line, dict)]
        failures = [
            attempt for attempt in self._attempts.get((slot.world, slot.trial), []) if isinstance(attempt.get("fault"), str)
        ]
        message = lines[-1].get("detail") if lines else None
        if slot in self.directory.finished_slots:
            state, stop_reason = "finished", str(self.directory.read_record(slot)["stop_reason"])
            if failures and lines and failures[-1].get("turn") == lines[-1].get("turn") and "event" in lines[-1]:
                message = failures[-1].get("detail")  # the provider's message that ended it
            text = STOP_REASON_TEXTS.get(stop_reason, stop_reason)
        else:
            stop_reason, state = None, UNFINISHED if lines or failures else "not started"
            text = STOP_REASON_TEXTS[UNFINISHED] if state == UNFINISHED else "it has not begun"
            if quarantined := self._read_text("quarantine", slot).strip():
                message = quarantined.splitlines()[-1]
            elif failures:
                message = f"the last failed request: {failures[-1]['fault']}: {failures[-1].get('detail')}"
        explanation = f"{text}: {message}" if isinstance(message, str) and message else text
        faults = dict(sorted(Counter(attempt["fault"] for attempt in failures).items()))
        return EvaluationState(state, stop_reason, explanation, faults, self._read_text("output", slot)[-MAX_OUTPUT_CHARS:])

    def unfinished_record(self, slot: Slot, suite: Suite) -> JsonObject | None:
        """A record of an unfinished evaluation as far as its journal goes, with the stop reason `unfinished`.

        It has every field of a record, computed as if the agent had stopped here, so no decision counts. It is never
        written or scored. None if the evaluation has a record or nothing in its journal, as with scripted agents.
        """
        lines = self.directory.read_journal(slot)[1:]
        if slot in self.directory.finished_slots or not lines:
            return None
        suite, plan = suite.on_track(self.directory.track), self.directory.document["plan"]
        world = suite.world(suite.entry(slot.world))
        play = Play(suite.key, suite.entry(slot.world), Episode(world, mode=ProgramMode.REPLAY))
        is_model = self.directory.kind is PlayerKind.MODEL
        replay: Conversation | SessionState = (
            Conversation(Configuration(**plan["settings"]), world, ProgramMode.REPLAY) if is_model else SessionState(play)
        )
        try:
            for line, computed in pair_results(lines):
                if computed is not None:
                    replay.episode.expect(computed)
                if replay.event is None:
                    replay.feed(line)
        except ProgramNotRecorded:
            pass  # it is still running, or was when the run was interrupted
        except WRONG_SHAPE:
            name = format_value(f"journal/{slot.name}.jsonl")
            raise InputError(f"{name} has a line that is not one of a journal: restore it, or remove it") from None
        replay.event = replay.event or Event.TEXT_END  # it stops here
        trajectory = dataclasses.replace(replay.trajectory, stop_reason=UNFINISHED)
        return build_record(
            self.directory.provenance(slot), suite.entries[slot.world], suite.key(suite.entries[slot.world]), trajectory
        )

    def _read_text(self, folder: str, slot: Slot) -> str:
        """The text that the run keeps about the evaluation in `folder`; empty if there is none."""
        try:
            return read_regular_file(self.directory.path / folder / f"{slot.name}.txt").decode("utf-8", "replace")
        except OSError:
            return ""
