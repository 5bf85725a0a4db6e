"""A world that a person plays: kept in a run, each call on disk before it is answered, or only tried out."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from algoworlds.measures.key import Key
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.visit import Visit
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Experiment
from algoworlds.runs.slot import Slot
from algoworlds.suites.manifest import Entry
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import Kind
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Observation

SETTINGS = {"door": "person"}
"""What is known of somebody who plays; whether in a terminal or a browser is no other configuration."""


class Challenge(Protocol):
    """One world in play by a person. `key` is for looking back, once it is over."""

    key: Key
    keeps: bool
    """Whether it can be gone on with another time."""

    @property
    def episode(self) -> Episode:
        """What happened so far."""

    @property
    def over(self) -> bool:
        """Whether nothing more can be called."""

    def call(self, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """The answer to a call; a request that names itself and comes again is answered as before and charged once."""

    def leave(self) -> None:
        """End it without a decision, unless it is over."""


class Practice:
    """A challenge of which nothing is kept."""

    keeps = False

    def __init__(self, episode: Episode, key: Key) -> None:
        """The world of an episode that may have begun."""
        self.episode, self.key = episode, key
        self._left, self._lock = False, Lock()
        self._latest: tuple[Any, Observation] | None = None

    @property
    def over(self) -> bool:
        """Whether the episode has ended, or was left."""
        return self._left or self.episode.stop is not None

    def call(self, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """Make the call in memory; only the latest request is remembered, since a person makes one at a time."""
        with self._lock:
            if request is not None and self._latest is not None and self._latest[0] == request:
                return self._latest[1]
            observation = self.episode.call(tool, arguments)
            self._latest = (request, observation)
            return observation

    def leave(self) -> None:
        """Nobody goes on."""
        self._left = True


class Kept:
    """A challenge that is an evaluation of a run."""

    keeps = True

    def __init__(self, visit: Visit, key: Key) -> None:
        """The evaluation, as far as it was played."""
        self.visit, self.key = visit, key

    @property
    def episode(self) -> Episode:
        """What the journal amounts to."""
        return self.visit.play.episode

    @property
    def over(self) -> bool:
        """Whether there is a record."""
        return self.visit.document is not None

    def call(self, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """The call is in the journal before it is answered."""
        return self.visit.call(tool, arguments, request)

    def leave(self) -> None:
        """Whoever played has not decided."""
        self.visit.end(Event.TEXT_END)


@contextmanager
def kept(out: Path, suite: Opened, worlds: Sequence[Entry], name: str) -> Iterator[list[Challenge]]:
    """The challenges of a person's run, begun or taken up, in the order of the worlds; the run is held by this process."""
    directory = RunDirectory(out)
    with directory.locked(), ExitStack() as open_visits:
        directory.begin(Experiment.of(name, Kind.HUMAN, SETTINGS, suite, list(worlds), 1), suite.directory)
        visits = [Visit(directory, suite, Slot(entry.id, 1)) for entry in worlds]
        for visit in visits:
            open_visits.callback(visit.close)
        yield [Kept(visit, suite.key(entry)) for visit, entry in zip(visits, worlds, strict=True)]
        if directory.finished == set(directory.schedule):
            directory.seal()
