"""Evaluations behind a server: one session each, opened by its first call; the calls of a session run one at a time."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.schedule import Slot
from algoworlds.runs.worker_pool import max_concurrent_evaluations, write_in_thread
from algoworlds.suites.open import PublicWorld, Suite
from algoworlds.worlds.observation import Observation

MAX_OPEN_SESSIONS = 500
"""Sessions whose worlds stay in memory and whose journals stay open."""
OPEN_FILES_PER_SESSION = 4
"""Open files of a session: its journal, the files written at its end, and its share of the connections."""


class ServedSession:
    """An evaluation behind a server, opened by its first call: listing tools or reading the task opens nothing.

    `ended` is set when the evaluation has ended. The latest fault on our side is `problem`: it sets `failed` and is
    passed to `on_problem`; agents never see it.
    """

    def __init__(
        self,
        load_world: Callable[[], PublicWorld],
        open_session: Callable[[], Session],
        on_problem: Callable[[Exception], Any] = lambda problem: None,
    ) -> None:
        self._load_world, self._open_session, self._on_problem = load_world, open_session, on_problem
        self._lock = asyncio.Lock()
        self._world: PublicWorld | None = None
        self._session: Session | None = None
        self.problem: Exception | None = None
        self.ended, self.failed = asyncio.Event(), asyncio.Event()

    def fail(self, problem: Exception) -> None:
        """Note a fault that is not the agent's; the same fault again is not reported again."""
        if repr(problem) != repr(self.problem):
            self._on_problem(problem)
        self.problem = problem
        self.failed.set()

    async def public_world(self) -> PublicWorld:
        """What an agent may see of the world before its first call."""
        async with self._lock:
            if self._world is None:
                self._world = await asyncio.to_thread(self._load_world)
            return self._world

    async def call(self, tool: Any, arguments: Any, request: Any) -> Observation:
        """Answer a call, which is on disk before it runs; concurrent calls wait for each other."""
        async with self._lock:
            session = await self._opened_session()
            observation = await write_in_thread(session.call, tool, arguments, request)
            if session.record is not None:
                self.ended.set()
            return observation

    async def note_client(self, client: dict[str, str]) -> None:
        """Record in the journal that `client` has connected."""
        async with self._lock:
            session = await self._opened_session()
            await write_in_thread(session.record_client, client)

    async def _opened_session(self) -> Session:
        if self._session is None:
            self._session = await write_in_thread(self._open_session)
        return self._session

    def close_if_idle(self) -> bool:
        """Unless a call is running, close the journal and drop what can be read from disk again; whether it did."""
        if self._lock.locked():
            return False
        if self._session is not None:
            self._session.close()
        self._session = self._world = None
        return True


class SessionRegistry:
    """The sessions of a run; the least recently used ones are closed while too many are open."""

    def __init__(self, directory: RunDirectory, suite: Suite, on_problem: Callable[[Exception], Any]) -> None:
        self.sessions = {
            slot: ServedSession(partial(suite.public_world, slot.world), partial(Session, directory, suite, slot), on_problem)
            for slot in directory.schedule
        }
        self._open: OrderedDict[Slot, ServedSession] = OrderedDict()
        self._max_open = min(MAX_OPEN_SESSIONS, max_concurrent_evaluations(OPEN_FILES_PER_SESSION))

    def session_for(self, slot: Slot) -> ServedSession:
        """The session of `slot`, about to be used."""
        self._open[slot] = self.sessions[slot]
        self._open.move_to_end(slot)
        for oldest in list(islice(self._open, max(0, len(self._open) - self._max_open))):
            if self._open[oldest].close_if_idle():
                del self._open[oldest]
        return self.sessions[slot]

    def close(self) -> None:
        """Close all open sessions; no call may be running."""
        for session in self._open.values():
            session.close_if_idle()
