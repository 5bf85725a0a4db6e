"""Evaluations as a server reaches them: a room for each, entered when somebody comes, one call after the other in it."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

from algoworlds.runs.crew import durably, most_evaluations
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.commits import Commits
from algoworlds.runs.external.visit import Commit, Visit
from algoworlds.runs.slot import Slot
from algoworlds.suites.opened import Opened
from algoworlds.suites.public import Presented
from algoworlds.worlds.observation import Observation

MOST_AWAKE = 500
"""Evaluations whose worlds are kept in memory and whose journals are kept open."""
FILES = 4
"""Open files of an evaluation: its journal, what is written at its end, and its share of connections."""


class Room:
    """An evaluation behind a door of a server, which is opened only when it is called: asking what there is costs nothing.

    `ended` is set as soon as the evaluation has come to its end. What went wrong on our side last is its `problem`, which
    `failed` is set by and `trouble` is told: no agent hears of it.
    """

    def __init__(
        self,
        presented: Callable[[], Presented],
        opening: Callable[[], Visit],
        commit: Commit,
        trouble: Callable[[Exception], Any] = lambda problem: None,
    ) -> None:
        self._read, self._opening, self._trouble, self._lock = presented, opening, trouble, asyncio.Lock()
        self._commit = commit
        self._presented: Presented | None = None
        self._visit: Visit | None = None
        self.problem: Exception | None = None
        self.ended, self.failed = asyncio.Event(), asyncio.Event()

    def fail(self, problem: Exception) -> None:
        """Something went wrong that is no agent's fault; the same again is not told again."""
        if repr(problem) != repr(self.problem):
            self._trouble(problem)
        self.problem = problem
        self.failed.set()

    async def presented(self) -> Presented:
        """What an agent may see of the world before its first call."""
        async with self._lock:
            if self._presented is None:
                self._presented = await asyncio.to_thread(self._read)
            return self._presented

    async def call(self, tool: Any, arguments: Any, request: Any) -> Observation:
        """The answer to a call, which is on disk before it is made; calls at the same time wait for each other."""
        async with self._lock:
            visit = await self._entered()
            observation = await visit.call_by(self._commit, tool, arguments, request)
            if visit.document is not None:
                self.ended.set()
            return observation

    async def greet(self, client: Any) -> None:
        """A program has connected."""
        async with self._lock:
            visit = await self._entered()
            await durably(visit.greet, client)

    async def _entered(self) -> Visit:
        if self._visit is None:
            self._visit = await durably(self._opening)
        return self._visit

    def rest(self) -> bool:
        """Forget what can be read again from disk, unless somebody is inside."""
        if self._lock.locked():
            return False
        if self._visit is not None:
            self._visit.close()
        self._visit = self._presented = None
        return True


class Hall:
    """The rooms of a run; those in which nothing happened for the longest time rest while there are too many."""

    def __init__(self, directory: RunDirectory, suite: Opened, trouble: Callable[[Exception], Any]) -> None:
        self._directory, self._suite, self._trouble = directory, suite, trouble
        self._commits = Commits()
        self.rooms = {slot: self._made(slot) for slot in directory.schedule}
        self._awake: OrderedDict[Slot, Room] = OrderedDict()
        self._most = min(MOST_AWAKE, most_evaluations(FILES))

    def _made(self, slot: Slot) -> Room:
        presented, opening = partial(self._suite.presented, slot.world), partial(Visit, self._directory, self._suite, slot)
        return Room(presented, opening, self._commits.commit, self._trouble)

    def room(self, slot: Slot) -> Room:
        """The room of an evaluation, for somebody who is about to enter."""
        self._awake[slot] = self.rooms[slot]
        self._awake.move_to_end(slot)
        for oldest in list(islice(self._awake, max(0, len(self._awake) - self._most))):
            if self._awake[oldest].rest():
                del self._awake[oldest]
        return self.rooms[slot]

    def close(self) -> None:
        """Close what is open; nobody is inside any more."""
        for room in self._awake.values():
            room.rest()
