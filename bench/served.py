"""`python -m bench.served`: what a call through MCP costs over HTTP: one agent, fifty that think, and fifty that do not.

The server runs here. Its time for a request goes from when the request's head has been read to when the answer has been
written: waiting for the disk and for one another is in it. Its work is the CPU time of this process, divided by the requests.
The clients are a process of their own, which clocks the same from outside, with a new connection for each request. Agents that
think wait a while before each call, as models do; those that do not ask again as soon as they are answered, so that each waits
for all the others. The machine's load stands beside. Needs the extra `mcp`: make bench runs it in that door's environment.
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
from algoworlds.adapters.mcp.serving import Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.families import FAMILIES
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import bound
from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import Opened, open_suite
from algoworlds.suites.suite import Suite
from tests.doors.mcp.served import begun, urls
from tests.doors.mcp.wire import called, posted

EPISODES, CALLS = 50, 200
THOUGHT = 0.5
"""Seconds that a thinking agent waits before a call, which is less than any model takes."""


def ask(pipe: Connection, tasks: list[tuple[str, list[Any]]], together: int, thought: float) -> None:
    """Play tasks, some at the same time, and tell the seconds of every call."""
    chance = Random(0)  # so that not all of them think alike

    def play(task: tuple[str, list[Any]]) -> list[float]:
        url, calls = task
        seconds = []
        for number, call in enumerate(calls):
            time.sleep(thought * 2 * chance.random())
            began = time.perf_counter()
            status, _ = posted(url, called(number, *call))
            seconds.append(time.perf_counter() - began)
            assert status == 200
        return seconds

    with ThreadPoolExecutor(together) as pool:
        pipe.send([each for found in pool.map(play, tasks) for each in found])


async def clocked(service: Service, players: tuple[Any, ...], listener: Any) -> tuple[list[float], list[float], float]:
    """Serve the tasks to a process that plays them: the seconds of every request, from inside and from outside; the work."""
    inside: list[float] = []
    answer = Endpoint.__call__

    async def clock(self: Endpoint, scope: Any, receive: Any, send: Any) -> None:
        began = time.perf_counter()
        await answer(self, scope, receive, send)
        inside.append(time.perf_counter() - began)

    ours, theirs = multiprocessing.Pipe()
    with patch.object(Endpoint, "__call__", clock):
        async with service.listening(listener):
            player = multiprocessing.get_context("spawn").Process(target=ask, args=(theirs, *players))
            player.start()
            before = time.process_time()
            theirs.close()  # so that a player who fails is not waited for
            outside = await asyncio.to_thread(ours.recv)
            work = time.process_time() - before
            await asyncio.to_thread(player.join)
    return sorted(inside), sorted(outside), work


def tasks_of(suite: Opened, directory: RunDirectory, episodes: int) -> list[tuple[str, list[Any]]]:
    """The addresses of some evaluations, and calls to be made there."""
    found, made = urls(directory), []
    for slot in directory.schedule[:episodes]:
        catalog = suite.play(slot.world).episode.world.catalog
        made.append((found[slot.name], [tuple(catalog[number % len(catalog)]) for number in range(CALLS)]))
    return made


def measure(suite: Opened, out: Path, episodes: int, together: int, thought: float) -> dict[str, Any]:
    """Some evaluations, some of them at the same time; every call must be in the journals once."""
    directory = begun(suite, list(suite.entries), out, trials=3)
    with directory.locked(), bound("127.0.0.1", 0) as listener:
        Tickets(directory).issue(f"http://127.0.0.1:{listener.getsockname()[1]}")
        tasks, began = tasks_of(suite, directory, episodes), time.perf_counter()
        inside, outside, work = asyncio.run(clocked(Service(directory, suite), (tasks, together, thought), listener))
        seconds = time.perf_counter() - began
    journals = [
        [line["request"] for line in directory.journaled(slot) if "tool" in line] for slot in directory.schedule[:episodes]
    ]
    assert journals == [list(range(CALLS))] * episodes
    quantiles = {
        f"{where} p{q}": round(1000 * each[len(each) * q // 100], 2)
        for where, each in (("server", inside), ("client", outside))
        for q in (50, 99)
    }
    return {
        "episodes at once": together,
        "seconds of thought": thought,
        "calls": len(outside),
        "calls a second": round(len(outside) / seconds),
        "load": round(os.getloadavg()[0], 1),
        "ms": {"work": round(1000 * work / len(outside), 2)} | quantiles,
    }


def main() -> None:
    """Print all three measurements."""
    with TemporaryDirectory() as place:
        build_suite(Suite("part", "bench", tuple(FAMILIES), (0,), 1), Path(place) / "suite", None, lambda *told: None)
        suite = open_suite(Path(place) / "suite")
        for number, asked in enumerate(((5, 1, 0.0), (EPISODES, EPISODES, THOUGHT), (EPISODES, EPISODES, 0.0))):
            print(json.dumps(measure(suite, Path(place) / str(number), *asked)), file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
