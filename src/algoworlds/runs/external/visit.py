"""One evaluation through a door: each call is on disk before it is answered, and at the end there is a record.

After its heading the journal of such an evaluation has four kinds of lines. `start` says that the agent was started, for the
n-th time, and plays from the beginning: what an interruption left of an earlier start is void. `client` says what program has
connected, if the door tells: it numbers its requests anew. `tool` and `arguments` are a call, with the `request` that it came
by if the door tells one. `event` is how it ended, if not by a call, and `detail` why.
"""

from asyncio import Future
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from algoworlds.core.canonical import compact_text, digest
from algoworlds.core.given import given, shortened
from algoworlds.core.tool import Call
from algoworlds.runs.crew import durably, to_the_end
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import Journal
from algoworlds.runs.outcome import Event
from algoworlds.runs.slot import Slot
from algoworlds.suites.opened import Opened, Play
from algoworlds.suites.record import Played
from algoworlds.worlds.episode import ENDED
from algoworlds.worlds.observation import Observation

Commit = Callable[[Journal, dict[str, Any]], Future[None]]
"""Brings a line of a journal to disk."""
LONGEST_DETAIL = 300
"""Characters of an agent's own words on its failure that a journal keeps."""
LONGEST_REQUEST = 200
"""Characters of what a request is called by that a journal keeps; of a longer name, the digest."""
MOST_CONNECTED = 512
"""Programs connecting to an evaluation, one after the other, that a journal notes."""


class Sitting:
    """What the journal of an evaluation amounts to: a state machine without input or output, as a conversation is a model's."""

    def __init__(self, play: Play) -> None:
        """The beginning: nothing was called."""
        self.play, self.starts = play, 0
        self.event: Event | None = None
        self._client: Any = None
        self._connected, self._fresh = 0, False
        self._answered: dict[str, tuple[Call, Observation]] = {}
        """By request, what was called and what it came to, since somebody connected; until then, the latest call before."""

    @property
    def turn(self) -> int:
        """The number that the next line has, calls being counted from 1."""
        return len(self.play.calls) + 1

    def feed(self, line: Mapping[str, Any]) -> None:
        """Advance by one line of the journal."""
        if "start" in line:
            self.play, self.starts, self._client = self.play.anew(), line["start"], None
            self._answered.clear()
        elif "client" in line:
            self._client, self._answered = line["client"], dict(list(self._answered.items())[-1:])
            self._connected, self._fresh = self._connected + 1, True
        elif "event" in line:
            self.event = Event(line["event"])
        else:
            call = Call(line["tool"], line["arguments"])
            observation = self.play.call(*call)
            if self._fresh:
                self._answered.clear()
                self._fresh = False
            if "request" in line:
                self._answered.pop(name := compact_text(line["request"]), None)
                self._answered[name] = (call, observation)
            if self.play.episode.stop is not None:
                self.event = Event(self.play.episode.stop.value)

    def answered(self, request: Any, call: Call) -> Observation | None:
        """What a call came to that is made once more: the same request, sent again by somebody who missed its answer."""
        made, observation = self._answered.get(compact_text(request), (None, None))
        return observation if made == call else None

    def knows(self, client: Any) -> bool:
        """Whether it would change nothing that this program connects, or so many have that no more are noted."""
        return (self._client == client and (self._fresh or not self._answered)) or self._connected >= MOST_CONNECTED

    @property
    def answer(self) -> Observation:
        """What the latest call came to."""
        return self.play.episode.observations[-1]

    @property
    def played(self) -> Played:
        """The finished evaluation."""
        assert self.event is not None
        return Played.by_calls(self.play.episode, self.event.value)


class Visit:
    """An evaluation of a run whose agent comes through a door; whatever happens to us, what was answered is on disk.

    Its methods may be called from several threads. `document` is the finalized record as soon as the evaluation has ended.
    """

    def __init__(self, directory: RunDirectory, suite: Opened, slot: Slot) -> None:
        """Go on where the journal of the evaluation left it; the run must be held by this process."""
        self._directory, self._slot, self._lock = directory, slot, Lock()
        self.document: dict[str, Any] | None = None
        self._sitting = Sitting(suite.play(slot.world))
        self._journal = directory.journal(slot)
        for line in self._journal.recorded[1:]:
            self._sitting.feed(line)
        self._settle()

    @property
    def play(self) -> Play:
        """The world in play, for its question, tools and budget; calls go through the visit."""
        return self._sitting.play

    @property
    def event(self) -> Event | None:
        """How the evaluation ended; None while it goes on."""
        return self._sitting.event

    def start(self) -> int:
        """The agent is started, for the n-th time: it plays from the beginning, whatever an earlier start came to."""
        with self._lock:
            self._keep({"start": self._sitting.starts + 1})
            return self._sitting.starts

    def call(self, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """The answer to a call, which is on disk before it is made.

        A request that names itself, by any JSON value, and comes again, is answered as before and charged once: also after a
        restart of ours, and as long as whoever asks has not connected anew.
        """
        with self._lock:
            self._settle()
            line = self.line(tool, arguments, request)
            if isinstance(line, Observation):
                return line
            self._keep(line)
            return self._sitting.answer

    def line(self, tool: Any, arguments: Any = None, request: Any = None) -> dict[str, Any] | Observation:
        """The journal's line for a call; or its answer, if it is made once more or comes after the end."""
        call, request = shortened(given(tool, arguments)), _noted(request)
        if request is not None and (before := self._sitting.answered(request, call)) is not None:
            return before
        if self.event is not None:
            return ENDED
        told = {} if request is None else {"request": request}
        return {"turn": self._sitting.turn, "tool": call.tool, "arguments": call.arguments} | told

    async def call_by(self, commit: Commit, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """The same for whoever has one call of an evaluation made at a time, and brings lines of many to disk together."""
        line = self.line(tool, arguments, request)
        if self.event is not None or isinstance(line, Observation):
            return await durably(self.call, tool, arguments, request)
        kept = commit(self._journal, line)
        try:
            await to_the_end(kept)
        finally:
            if kept.exception() is None:
                self._sitting.feed(line)
        if self._sitting.event is not None:
            await durably(self._settle)
        return self._sitting.answer

    def greet(self, client: Any) -> None:
        """A program has connected and says what it is: what it asks is new, but for the latest call, which it may repeat."""
        with self._lock:
            if self.event is None and not self._sitting.knows(client):
                self._keep({"client": client})

    def end(self, event: Event, detail: str = "") -> None:
        """The evaluation ends without a call, unless it has ended before."""
        with self._lock:
            if self.event is None:
                told = {"detail": detail[:LONGEST_DETAIL]} if detail else {}
                self._keep({"turn": self._sitting.turn, "event": event.value} | told)

    def _keep(self, line: dict[str, Any]) -> None:
        self._journal.append(line)
        self._sitting.feed(line)
        self._settle()

    def _settle(self) -> None:
        """Create the record of an evaluation that has ended; one that is there already has the same bytes."""
        if self.event is not None and self.document is None:
            document = self.play.record(self._directory.whose(self._slot), self.event.value)
            self._directory.finalize(self._slot, document)
            self.document = document

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()


def _noted(request: Any) -> Any:
    """The name of a request as a journal keeps it."""
    text = compact_text(request)
    return request if len(text) <= LONGEST_REQUEST else digest(text)
