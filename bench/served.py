"""`python -m bench.served`: the time of a call through MCP over HTTP: one agent, fifty that think, and fifty that do not.

The server runs in this process. Its time for a request lasts from the end of the request's head to the end of the response,
including waits for the disk and for other requests. Its work is the CPU time of this process per request. The clients run
in another process and measure the same from outside, with a new connection for each request. Agents that think wait before
each call, as models do; the others call again at once, so each waits for all. The load of the machine is printed too.
Needs the extra `mcp`: make bench runs it in that adapter's environment.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from algoworlds.adapters.mcp.endpoint import Endpoint
from algoworlds.adapters.mcp.service import Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.families import FAMILIES
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import open_listener
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.suite import SuiteSpec
from tests.doors.mcp.client import call_body, post
from tests.doors.mcp.serving import begin_run, urls

EPISODES, CALLS = 50, 200
THINK_SECONDS = 0.5
"""Mean wait of a thinking agent before a call, less than any model takes."""


def play_tasks(pipe: Connection, tasks: list[tuple[str, list[Any]]], together: int, think: float) -> None:
    """Play `tasks`, `together` of them at a time, and send the seconds of every call to `pipe`."""
    random = Random(0)  # so that not all agents wait equally long

    def play(task: tuple[str, list[Any]]) -> list[float]:
        url, calls = task
        seconds = []
        for number, call in enumerate(calls):
            time.sleep(think * 2 * random.random())
            start = time.perf_counter()
            status, _ = post(url, call_body(number, *call))
            seconds.append(time.perf_counter() - start)
            assert status == 200
        return seconds

    with ThreadPoolExecutor(together) as pool:
        pipe.send([seconds for times in pool.map(play, tasks) for seconds in times])


async def serve_timed(service: Service, work: tuple[Any, ...], listener: Any) -> tuple[list[float], list[float], float]:
    """Serve a process that plays `work`: seconds of every request from inside and outside, and CPU seconds in all."""
    inside: list[float] = []
    answer = Endpoint.__call__

    async def clock(self: Endpoint, scope: Any, receive: Any, send: Any) -> None:
        start = time.perf_counter()
        await answer(self, scope, receive, send)
        inside.append(time.perf_counter() - start)

    ours, theirs = multiprocessing.Pipe()
    with patch.object(Endpoint, "__call__", clock):
        async with service.listening(listener):
            player = multiprocessing.get_context("spawn").Process(target=play_tasks, args=(theirs, *work))
            player.start()
            before = time.process_time()
            theirs.close()  # so that a player that fails is not waited for
            outside = await asyncio.to_thread(ours.recv)
            cpu = time.process_time() - before
            await asyncio.to_thread(player.join)
    return sorted(inside), sorted(outside), cpu


def tasks_of(suite: Suite, directory: RunDirectory, episodes: int) -> list[tuple[str, list[Any]]]:
    """The URLs of the first `episodes` evaluations, and the calls to make there."""
    url_by_name, tasks = urls(directory), []
    for slot in directory.schedule[:episodes]:
        catalog = suite.play(slot.world).episode.world.catalog
        tasks.append((url_by_name[slot.name], [tuple(catalog[number % len(catalog)]) for number in range(CALLS)]))
    return tasks


def measure(suite: Suite, out: Path, episodes: int, together: int, think: float) -> dict[str, Any]:
    """Measure `episodes` evaluations, `together` at a time; every call must be in the journals once."""
    directory = begin_run(suite, list(suite.entries), out, trials=3)
    with directory.lock(), open_listener("127.0.0.1", 0) as listener:
        Tickets(directory).issue(f"http://127.0.0.1:{listener.getsockname()[1]}")
        tasks, start = tasks_of(suite, directory, episodes), time.perf_counter()
        inside, outside, cpu = asyncio.run(serve_timed(Service(directory, suite), (tasks, together, think), listener))
        seconds = time.perf_counter() - start
    journals = [
        [line["request"] for line in directory.read_journal(slot) if "tool" in line] for slot in directory.schedule[:episodes]
    ]
    assert journals == [list(range(CALLS))] * episodes
    quantiles = {
        f"{side} p{q}": round(1000 * times[len(times) * q // 100], 2)
        for side, times in (("server", inside), ("client", outside))
        for q in (50, 99)
    }
    return {
        "episodes at once": together,
        "seconds of thought": think,
        "calls": len(outside),
        "calls a second": round(len(outside) / seconds),
        "load": round(os.getloadavg()[0], 1),
        "ms": {"work": round(1000 * cpu / len(outside), 2)} | quantiles,
    }


def main() -> None:
    """Print all three measurements."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        build_suite(SuiteSpec("part", "bench", tuple(FAMILIES), (0,), 1), folder / "suite", None, lambda *progress: None)
        suite = open_suite(folder / "suite")
        for number, options in enumerate(((5, 1, 0.0), (EPISODES, EPISODES, THINK_SECONDS), (EPISODES, EPISODES, 0.0))):
            print(json.dumps(measure(suite, folder / str(number), *options)), file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
