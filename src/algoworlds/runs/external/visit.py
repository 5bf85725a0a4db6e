"""One evaluation through a door: each call is on disk before it is answered, and at the end there is a record.

After its heading the journal of such an evaluation has three kinds of lines. `start` says that the agent was started, for the
n-th time, and plays from the beginning: what an interruption left of an earlier start is void. `tool` and `arguments` are a
call, with the `request` that it came by if the door tells one. `event` is how it ended, if not by a call, and `detail` why.
"""

from collections.abc import Mapping
from threading import Lock
from typing import Any

from algoworlds.core.given import given, shortened
from algoworlds.core.tool import Call
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.outcome import Event
from algoworlds.runs.slot import Slot
from algoworlds.suites.opened import Opened, Play
from algoworlds.suites.record import Played
from algoworlds.worlds.episode import ENDED
from algoworlds.worlds.observation import Observation

LONGEST_DETAIL = 300
"""Characters of an agent's own words on its failure that a journal keeps."""


class Sitting:
    """What the journal of an evaluation amounts to: a state machine without input or output, as a conversation is a model's."""

    def __init__(self, play: Play) -> None:
        """The beginning: nothing was called."""
        self.play, self.starts = play, 0
        self.event: Event | None = None
        self._latest: tuple[Any, Call] | None = None

    @property
    def turn(self) -> int:
        """The number that the next line has, calls being counted from 1."""
        return len(self.play.calls) + 1

    def feed(self, line: Mapping[str, Any]) -> None:
        """Advance by one line of the journal."""
        if "start" in line:
            self.play, self.starts, self._latest = self.play.anew(), line["start"], None
        elif "event" in line:
            self.event = Event(line["event"])
        else:
            call = Call(line["tool"], line["arguments"])
            self.play.call(*call)
            self._latest = (line.get("request"), call)
            if self.play.episode.stop is not None:
                self.event = Event(self.play.episode.stop.value)

    def repeats(self, request: Any, call: Call) -> bool:
        """Whether this is the latest call once more: the same request, sent again by somebody who missed its answer."""
        return request is not None and self._latest == (request, call)

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

        A request that names itself, by any JSON value, and comes again while it is the latest one, is answered as before and
        charged once, also after a restart.
        """
        call = shortened(given(tool, arguments))
        with self._lock:
            if self._sitting.repeats(request, call):
                return self._sitting.answer
            if self.event is not None:
                return ENDED
            told = {} if request is None else {"request": request}
            self._keep({"turn": self._sitting.turn, "tool": call.tool, "arguments": call.arguments} | told)
            return self._sitting.answer

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
