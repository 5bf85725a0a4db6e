"""One world in play by a person: recorded in a run, where each call is on disk before it is answered, or for practice."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from algoworlds.measures.key import AnswerKey
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Observation

RUN_SETTINGS = {"door": "person"}
"""The settings of a person's run; terminal and browser are the same configuration."""


class PracticeGame:
    """A game that is not recorded and ends with the command."""

    is_recorded = False

    def __init__(self, episode: Episode, key: AnswerKey) -> None:
        """Play `episode`, which may have begun; `key` is for the debrief once the game is over."""
        self.episode, self.key = episode, key
        self._resigned, self._lock = False, Lock()
        self._latest: tuple[Any, Observation] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended or the player resigned."""
        return self._resigned or self.episode.stop is not None

    def call(self, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """Make the call; repeating the id `request` returns the same answer and is charged once.

        Only the latest `request` is remembered, because a person makes one at a time.
        """
        with self._lock:
            if request is not None and self._latest is not None and self._latest[0] == request:
                return self._latest[1]
            observation = self.episode.call(tool, arguments)
            self._latest = (request, observation)
            return observation

    def resign(self) -> None:
        """End the game."""
        self._resigned = True


class RecordedGame:
    """A game that is an evaluation of a run and can be continued later; it has the same methods as `PracticeGame`."""

    is_recorded = True

    def __init__(self, session: Session, key: AnswerKey) -> None:
        """Play `session`, which may have begun."""
        self.session, self.key = session, key

    @property
    def episode(self) -> Episode:
        """The calls in the journal with their answers."""
        return self.session.play.episode

    @property
    def is_over(self) -> bool:
        """Whether the evaluation has its record."""
        return self.session.record is not None

    def call(self, tool: Any, arguments: Any = None, request: Any = None) -> Observation:
        """Write the call to the journal, then answer it."""
        return self.session.call(tool, arguments, request)

    def resign(self) -> None:
        """Finalize the evaluation without a decision."""
        self.session.end(Event.TEXT_END)


Game = PracticeGame | RecordedGame
"""One world in play by a person."""


@contextmanager
def open_recorded_games(out: Path, suite: Suite, worlds: Sequence[WorldEntry], name: str) -> Iterator[list[Game]]:
    """Create or resume the run of the player `name` in `out`; yields one game per world and holds the run's lock."""
    directory = RunDirectory(out)
    experiment = Experiment.from_suite(name, PlayerKind.HUMAN, RUN_SETTINGS, suite, list(worlds), 1)
    with directory.lock(), ExitStack() as stack:
        directory.create_or_resume(experiment, suite.directory)
        sessions = [Session(directory, suite, Slot(entry.id, 1)) for entry in worlds]
        for session in sessions:
            stack.callback(session.close)
        yield [RecordedGame(session, suite.key(entry)) for session, entry in zip(sessions, worlds, strict=True)]
        if directory.finished_slots == set(directory.schedule):
            directory.write_manifest()
