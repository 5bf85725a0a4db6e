"""Group commit: lines of many journals that wait together are written by one thread, in one trip out of the event loop."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from algoworlds.runs.journal import Journal

MAX_BATCH_SECONDS = 0.002
"""How long one batch may take, as estimated from the last one; on a slower disk, lines are spread over more threads."""
COMMIT_THREADS = 16


class PendingLine(NamedTuple):
    """A line to write, and the future that is done once it is on disk."""

    journal: Journal
    line: dict[str, Any]
    committed: asyncio.Future[None]


class GroupCommit:
    """Writes journal lines for the tasks of one event loop; a journal may have one line under way at a time."""

    def __init__(self) -> None:
        self._waiting: list[PendingLine] = []
        self._seconds_per_line = MAX_BATCH_SECONDS / COMMIT_THREADS
        self._threads = ThreadPoolExecutor(COMMIT_THREADS, "commit")

    def commit(self, journal: Journal, line: dict[str, Any]) -> asyncio.Future[None]:
        """Write a line to disk; the future fails if it could not be written."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        self._waiting.append(PendingLine(journal, line, loop.create_future()))
        return self._waiting[-1].committed

    def _send(self) -> None:
        """Hand all waiting lines to threads, in batches."""
        waiting, self._waiting = self._waiting, []
        size = max(1, int(MAX_BATCH_SECONDS / self._seconds_per_line))
        for first in range(0, len(waiting), size):
            lines = waiting[first : first + size]
            writing = asyncio.get_running_loop().run_in_executor(self._threads, _write_batch, lines)
            writing.add_done_callback(partial(self._resolve, lines))

    def _resolve(self, lines: list[PendingLine], batch: asyncio.Future[tuple[list[Exception | None], float]]) -> None:
        problems, self._seconds_per_line = batch.result()
        for line, problem in zip(lines, problems, strict=True):
            if problem is None:
                line.committed.set_result(None)
            else:
                line.committed.set_exception(problem)


def _write_batch(lines: list[PendingLine]) -> tuple[list[Exception | None], float]:
    """Write a batch; returns for each line None or its error, and the seconds that a line took."""
    start, problems = time.perf_counter(), list[Exception | None]()
    for line in lines:
        try:
            line.journal.append(line.line)
            problems.append(None)
        except Exception as problem:
            problems.append(problem)
    return problems, (time.perf_counter() - start) / len(lines)
