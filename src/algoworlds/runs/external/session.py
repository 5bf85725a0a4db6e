"""One evaluation of an external agent: each call is on disk before it is answered, and the end writes a record.

After its heading, the journal of such an evaluation has five kinds of lines. `start`: the agent was started for the n-th time
and plays from the beginning; the calls of earlier starts are void. `lost`: a signal ended the agent; what this start paid for
still counts against the budget, or an agent that kills itself could read everything. `client`: a client program has
connected, if the adapter knows; it numbers its requests from scratch. `tool` and `arguments`: a call, with its `request` id if
the adapter has one. `event`: how the evaluation ended, if not by a call, with the reason in `detail`.
"""

from collections.abc import Mapping
from threading import Lock
from typing import Any

from algoworlds.core.canonical import JsonObject, compact_json, sha256_hex
from algoworlds.core.tool import Call, call_from_input, truncate_call
from algoworlds.errors import AlgoWorldsError, InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import pair_results
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Slot
from algoworlds.suites.open import Play, Suite
from algoworlds.suites.record import FinishedTrajectory
from algoworlds.worlds.episode import ENDED_OBSERVATION, Episode
from algoworlds.worlds.observation import Observation

MAX_DETAIL_LENGTH = 300
"""Characters of an agent's own error message that a journal keeps."""
MAX_REQUEST_NAME_LENGTH = 200
"""Characters of a request id that a journal keeps; a longer id is replaced by its digest."""
MAX_CLIENTS_RECORDED = 512
"""Client connections to one evaluation that a journal notes."""
OVERDRAWN = "with the starts that a signal ended it paid for more different calls than one budget allows"
"""Why an agent that was started again is ended."""


class SessionState:
    """The state that a session's journal describes: a state machine without input or output."""

    def __init__(self, play: Play) -> None:
        """The state before the first line."""
        self.play, self.starts = play, 0
        self.event: Event | None = None
        self._paid_before: dict[Call, int] = {}
        """The calls that earlier starts had paid for when a signal ended them, with their charges."""
        self._client: Any = None
        self._client_count, self._client_is_new = 0, False
        self._answered: dict[str, tuple[Call, Observation]] = {}
        """By request, the call and its answer since the client connected; until its first call, the latest one before."""

    @property
    def next_turn(self) -> int:
        """The number of the next call, from 1."""
        return len(self.play.calls) + 1

    def feed(self, line: Mapping[str, Any]) -> None:
        """Advance by one line of the journal; InputError for a line of another form."""
        try:
            self._feed(line)
        except (KeyError, TypeError, ValueError, AttributeError):
            world = self.play.entry.id
            raise InputError(
                f"a line in the journal of {world} is not one of an agent's journal: restore the journal"
            ) from None

    def _feed(self, line: Mapping[str, Any]) -> None:
        if "start" in line:
            self.play, self.starts, self._client = self.play.restart(), line["start"], None
            self._answered.clear()
        elif "lost" in line:
            self._paid_before |= self._paid_now
        elif "client" in line:
            # a client that reconnects may repeat its latest call once, because it may have missed the answer
            self._client, self._answered = line["client"], dict(list(self._answered.items())[-1:])
            self._client_count, self._client_is_new = self._client_count + 1, True
        elif "event" in line:
            self.event = Event(line["event"])
        else:
            call = Call(line["tool"], line["arguments"])
            observation = self.play.call(*call)
            if self._client_is_new:
                self._answered.clear()
                self._client_is_new = False
            if "request" in line:
                self._answered.pop(request := compact_json(line["request"]), None)
                self._answered[request] = (call, observation)
            if self.play.episode.stop is not None:
                self.event = Event(self.play.episode.stop.value)

    def find_answered(self, request: Any, call: Call) -> Observation | None:
        """The earlier answer if `request` was already made with the same `call`: a retry by a client that missed it."""
        earlier, observation = self._answered.get(compact_json(request), (None, None))
        return observation if earlier == call else None

    def knows_client(self, client: Any) -> bool:
        """Whether noting `client` would change nothing, or too many clients have been noted."""
        unchanged = self._client == client and (self._client_is_new or not self._answered)
        return unchanged or self._client_count >= MAX_CLIENTS_RECORDED

    @property
    def _paid_now(self) -> dict[Call, int]:
        episode = self.play.episode
        return {call: seen.charged for call, seen in zip(episode.calls, episode.observations, strict=True) if seen.charged}

    @property
    def is_overdrawn(self) -> bool:
        """Whether this start and the lost ones together paid more than the budget; a repeated call counts once."""
        return bool(self._paid_before) and sum((self._paid_before | self._paid_now).values()) > self.play.budget

    @property
    def episode(self) -> Episode:
        """The episode as it is now."""
        return self.play.episode

    @property
    def latest_observation(self) -> Observation:
        """The answer to the latest call of the agent."""
        episode = self.play.episode
        return episode.observations[episode.made_by.get(episode.attempts - 1, episode.attempts - 1)]

    @property
    def trajectory(self) -> FinishedTrajectory:
        """The finished evaluation."""
        assert self.event is not None
        return FinishedTrajectory.from_episode(self.play.episode, self.event.value)


class Session:
    """An evaluation whose agent calls through an adapter; every answered call is on disk, whatever happens to this process.

    Its methods may be called from several threads. `record` is the final record as soon as the evaluation has ended.
    """

    def __init__(self, directory: RunDirectory, suite: Suite, slot: Slot) -> None:
        """Resume from the evaluation's journal; this process must hold the lock of the run."""
        self._directory, self._slot, self._lock = directory, slot, Lock()
        self.record: JsonObject | None = None
        self._fault: AlgoWorldsError | None = None
        self._state = SessionState(suite.play(slot.world))
        self._journal = directory.open_journal(slot)
        for line, computed in pair_results(self._journal.values_at_open[1:]):
            if computed is not None:
                self._state.episode.expect(computed)
            self._state.feed(line)
        for line in self._journal.values_at_open[-1:]:
            self._write_result_if_new(line)
        self._write_record_if_ended()

    @property
    def play(self) -> Play:
        """The world in play, for its question, tools and budget; calls must go through the session."""
        return self._state.play

    @property
    def event(self) -> Event | None:
        """How the evaluation ended; None while it goes on."""
        return self._state.event

    @property
    def starts(self) -> int:
        """How often an agent was started for this evaluation, if the adapter starts agents."""
        return self._state.starts

    def start(self) -> None:
        """Note that the agent starts from the beginning."""
        with self._lock:
            self._append({"start": self._state.starts + 1})

    def lose(self, signal: str) -> None:
        """Note that a `signal` ended the agent in the middle of the evaluation."""
        with self._lock:
            self._append({"lost": signal})

    def call(self, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """Write a call to disk, execute it, and return its answer.

        A repeated `request` id (any JSON value) gets the earlier answer and is charged once, even after a restart of this
        process, as long as the client has not reconnected.
        """
        call, text = truncate_call(call_from_input(tool, arguments)), compact_json(request)
        if len(text) > MAX_REQUEST_NAME_LENGTH:
            request = sha256_hex(text)
        with self._lock:
            self._write_record_if_ended()
            if request is not None and (answer := self._state.find_answered(request, call)) is not None:
                return answer
            if self.event is not None:
                return ENDED_OBSERVATION
            line = {"turn": self._state.next_turn, "tool": call.tool, "arguments": call.arguments}
            self._append(line if request is None else line | {"request": request})
            if self.event is None and self._state.is_overdrawn:
                self._append({"turn": self._state.next_turn, "event": Event.AGENT_ERROR.value, "detail": OVERDRAWN})
                return ENDED_OBSERVATION
            return self._state.latest_observation

    def record_client(self, client: Any) -> None:
        """Note that a client program has connected: its request ids are new, except that it may repeat the latest call."""
        with self._lock:
            if self.event is None and not self._state.knows_client(client):
                self._append({"client": client})

    def end(self, event: Event, detail: str = "") -> None:
        """End the evaluation without a call, unless it has already ended."""
        with self._lock:
            if self.event is None:
                line = {"turn": self._state.next_turn, "event": event.value}
                self._append(line | ({"detail": detail[:MAX_DETAIL_LENGTH]} if detail else {}))

    def _append(self, line: JsonObject) -> None:
        if self._fault is not None:
            raise self._fault
        self._journal.append(line)
        try:
            self._state.feed(line)
        except AlgoWorldsError as problem:  # the journal is ahead of the state: it must be read again
            self._fault = problem
            raise
        self._write_result_if_new(line)
        self._write_record_if_ended()

    def _write_result_if_new(self, line: Mapping[str, Any]) -> None:
        """Write what the program of the last `line` came to, so that it is never run again."""
        episode = self._state.episode
        at = episode.made_by.get(episode.attempts - 1, episode.attempts - 1)
        if at in episode.computed and "tool" in line:
            self._journal.append({"turn": line["turn"], "computed": episode.computed[at].json})

    def _write_record_if_ended(self) -> None:
        """Create the record once the evaluation has ended; an existing record must have the same bytes."""
        if self.event is not None and self.record is None:
            record = self.play.record(self._directory.provenance(self._slot), self.event.value)
            self._directory.write_record(self._slot, record)
            self.record = record

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()
