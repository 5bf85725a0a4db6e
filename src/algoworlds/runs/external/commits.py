"""Lines of many journals on their way to disk: those that wait at the same moment go there by one way to a thread and back."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from algoworlds.runs.journal import Journal

TOGETHER = 0.002
"""Seconds that lines may take one after the other; on a disk that takes longer they go side by side."""
WAYS = 16


class Waiting(NamedTuple):
    """A line, and who waits for it."""

    journal: Journal
    line: dict[str, Any]
    kept: asyncio.Future[None]


class Arrival(NamedTuple):
    """What became of some lines, each in its place: nothing, or what went wrong; and the seconds that a line took."""

    problems: list[Exception | None]
    seconds: float


class Commits:
    """Who brings lines to disk, for whoever runs in one event loop. A journal has one line at a time on its way."""

    def __init__(self) -> None:
        self._waiting: list[Waiting] = []
        self._seconds = TOGETHER / WAYS
        self._ways = ThreadPoolExecutor(WAYS, "commit")

    def commit(self, journal: Journal, line: dict[str, Any]) -> asyncio.Future[None]:
        """Bring a line to disk; whatever it comes to instead says that it is not there."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._leave)
        self._waiting.append(Waiting(journal, line, loop.create_future()))
        return self._waiting[-1].kept

    def _leave(self) -> None:
        waiting, self._waiting = self._waiting, []
        many = max(1, int(TOGETHER / self._seconds))
        for first in range(0, len(waiting), many):
            lines = waiting[first : first + many]
            bringing = asyncio.get_running_loop().run_in_executor(self._ways, _bring, lines)
            bringing.add_done_callback(partial(self._tell, lines))

    def _tell(self, lines: list[Waiting], brought: asyncio.Future[Arrival]) -> None:
        problems, self._seconds = brought.result()
        for each, problem in zip(lines, problems, strict=True):
            if problem is None:
                each.kept.set_result(None)
            else:
                each.kept.set_exception(problem)


def _bring(lines: list[Waiting]) -> Arrival:
    began = time.perf_counter()
    problems = [_problem(each) for each in lines]
    return Arrival(problems, (time.perf_counter() - began) / len(lines))


def _problem(waiting: Waiting) -> Exception | None:
    try:
        waiting.journal.append(waiting.line)
    except Exception as problem:
        return problem
    return None
