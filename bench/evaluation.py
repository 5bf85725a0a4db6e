"""`python -m bench.evaluation`: engine time of a tool call, and CPU and memory of a whole run of a model.

One process runs a hundred evaluations at once, on worlds of all families and levels, against a loopback server in another
process: conversations, journals, episodes and records included. Then the same request bodies go through the bare SDK. The
difference is the harness.
"""

import asyncio
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.turn import Answer
from algoworlds.suites.open import open_suite
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import load_world
from bench.provider import bare
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import Server

ROUNDS, EPISODES = 30, 200
SAMPLE = 300
"""How many of the requests are sent again through the bare SDK, every twentieth one."""


def step_seconds() -> float:
    """The shortest time of an executed tool call with a small response, over `ROUNDS` rounds."""
    small = load_world("fleet_dispatch-0-1-direct")
    plan = min(small.plans.values(), key=len)
    best = 1.0
    for _ in range(ROUNDS):
        episodes = [Episode(small) for _ in range(EPISODES)]
        start = time.perf_counter()
        for episode in episodes:
            for tool, arguments in plan:
                episode.call(tool, arguments)
        best = min(best, (time.perf_counter() - start) / (EPISODES * len(plan)))
    return best


def serve(pipe: Connection, suite: str) -> None:
    """Play every world to its optimum until `pipe` receives a message."""
    with Server(optimal_model(open_suite(Path(suite)))) as server:
        pipe.send(server.port)
        pipe.recv()


def whole_run(suite: str, port: int, out: str) -> None:
    """A run with a hundred evaluations at once, and its request bodies through the bare SDK."""
    server = Server(lambda conversation: None)  # type: ignore[arg-type,return-value]
    server.port = port
    configuration, bodies, attempt = server.configuration("chat", timeout=120.0), list[str](), Provider.attempt
    numbers = count()

    async def record_body(self: Provider, body: dict[str, Any]) -> Answer:
        if next(numbers) % 20 == 0 and len(bodies) < SAMPLE:
            bodies.append(json.dumps(body))
        return await attempt(self, body)

    Provider.attempt = record_body  # type: ignore[method-assign]
    start = time.process_time()
    opened = open_suite(Path(suite))
    totals = run_model(opened, Path(out), configuration, server.environment, trials=2, concurrency=100)
    ours = (time.process_time() - start) / totals.requests
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sdk = asyncio.run(bare_seconds(configuration, server.environment, [json.loads(text) for text in bodies]))
    print(f"{totals.finished} evaluations, {totals.requests} model calls, 100 at once: peak memory {memory} MB")
    print(
        f"CPU a model call, everything included: {ours * 1e3:.2f} ms; bare SDK on the same bodies: {sdk * 1e3:.2f} ms", end=""
    )
    print(f"; harness {1e3 * (ours - sdk):+.2f} ms")


async def bare_seconds(configuration: Any, environment: dict[str, str], bodies: list[dict[str, Any]]) -> float:
    """CPU seconds per request of `bodies` through the bare SDK."""
    provider = Provider(configuration, environment)
    await bare(provider, bodies[0])
    start = time.process_time()
    for body in bodies:
        await bare(provider, body)
    seconds = (time.process_time() - start) / len(bodies)
    await provider.close()
    return seconds


def main() -> None:
    """Measure the engine and a whole run."""
    seconds = step_seconds()
    print(f"an executed tool call: {seconds * 1e6:.2f} microseconds, {1 / seconds:,.0f} steps a second on one core")
    with TemporaryDirectory() as directory:
        suite, command = f"{directory}/suite", str(Path(sys.executable).parent / "algoworlds")
        subprocess.run([command, "build", "--out", suite, "--levels", "1,2,3,4", "--instances", "1", "--jobs", "2"], check=True)
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        server = context.Process(target=serve, args=(there, suite), daemon=True)
        server.start()
        port = here.recv()
        run = context.Process(target=whole_run, args=(suite, port, f"{directory}/run"))
        run.start()
        run.join()
        here.send(None)
        server.join()
        if run.exitcode:
            os._exit(1)


if __name__ == "__main__":
    main()
