"""`python -m bench.provider`: CPU of a model call beyond the bare SDK, and memory of a hundred conversations.

The loopback server runs in another process, so CPU time counts only our side. Calls through the bare SDK and through a
provider alternate, with the same body (a long history) and the same streamed reply.
"""

import asyncio
import json
import multiprocessing
import resource
import statistics
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import Any

from algoworlds.runs.providers.provider import Provider
from tests.runs.client import API_NAMES, QUESTION, TOOLS
from tests.runs.server import Server
from tests.runs.wire import Conversation, Reply

TURNS = 40
ANSWER = "x" * 1500
ROUNDS = 20
CONVERSATIONS = 100
REPLY = Reply((("read_map", '{"page": 7}'),), "Let me look at the next page of the map before I decide. " * 12)


def serve(pipe: Connection) -> None:
    """Serve until `pipe` receives a message."""
    with Server(_reply) as server:
        pipe.send(server.port)
        pipe.recv()


def _reply(conversation: Conversation) -> Reply:
    return REPLY


async def history(provider: Provider) -> dict[str, Any]:
    """The body of a request late in a conversation."""
    body = provider.api.first_body(provider.configuration, QUESTION * 40, TOOLS)
    for _ in range(TURNS):
        body = await turn(provider, body)
    return body


async def turn(provider: Provider, body: dict[str, Any]) -> dict[str, Any]:
    """One model call as in a run: attempt, read, continue."""
    response, answer = await provider.attempt(body)
    return provider.api.next_body(body, response, [ANSWER] * len(answer.calls))


async def bare(provider: Provider, body: dict[str, Any]) -> None:
    """The same request through the SDK alone, its events read to the end."""
    client, api = provider._sdk.client, provider.configuration.api
    method = {"responses": "responses", "chat": "chat.completions", "messages": "messages"}[api]
    for name in method.split("."):
        client = getattr(client, name)
    async for _ in await client.create(**body):
        pass


async def cpu(task: Callable[[], Awaitable[object]]) -> float:
    """CPU milliseconds of this process for one task."""
    start = time.process_time()
    await task()
    return (time.process_time() - start) * 1e3


async def compare(server: Server, api: str) -> str:
    """CPU of a call, alternating between the bare SDK and ours."""
    provider = Provider(server.configuration(api, timeout=60.0), server.environment)
    body = await history(provider)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        times[0].append(await cpu(lambda: bare(provider, body)))
        times[1].append(await cpu(lambda: turn(provider, body)))
    await provider.close()
    sdk, ours = map(statistics.median, times)
    return f"{api:10} bare SDK {sdk:6.2f} ms, ours {ours:6.2f} ms, difference {ours - sdk:+.2f} ms of CPU a call"


async def converse_at_once(server: Server, api: str) -> None:
    """A hundred conversations at once, each with a long history."""
    provider = Provider(server.configuration(api, timeout=120.0), server.environment)
    body = await history(provider)
    bodies = [json.loads(json.dumps(body)) for _ in range(CONVERSATIONS)]
    await asyncio.gather(*(turn(provider, body) for body in bodies))
    await provider.close()


def main() -> None:
    """Measure all three APIs."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,), daemon=True)
    process.start()
    server = Server(_reply)
    server.port = here.recv()
    for api in API_NAMES:
        print(asyncio.run(compare(server, api)))
    asyncio.run(converse_at_once(server, "chat"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{CONVERSATIONS} conversations of {TURNS} turns at once: peak memory {memory} MB")
    here.send(None)
    process.join()


if __name__ == "__main__":
    main()
