"""Small clients of the loopback server: one attempt, several attempts, or a whole conversation."""

import asyncio
from collections.abc import Callable
from typing import Any

from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.provider import Attempt, Provider, RetryPolicy, request_with_retries
from algoworlds.runs.providers.turn import Turn
from tests.runs.server import Server

QUESTION = "Which way is shortest? Прочтите 地図 🗺️ first."
TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_map",
        "description": "One page of the map.",
        "parameters": {
            "type": "object",
            "properties": {"page": {"type": "integer", "description": "Zero-based page."}},
            "required": ["page"],
            "additionalProperties": False,
        },
    },
    {
        "name": "submit",
        "description": "Submit the way.",
        "parameters": {
            "type": "object",
            "properties": {"way": {"type": "array", "items": {"type": "string"}, "description": "Stops in order."}},
            "required": ["way"],
            "additionalProperties": False,
        },
    },
]
CALLS = [("read_map", '{"page": 0}'), ("read_map", '{"page": 1}'), ("submit", '{"way": ["a", "é€😀"]}')]
API_NAMES = ("responses", "chat", "messages")


def first_body(provider: Provider) -> dict[str, Any]:
    """The first body of a conversation."""
    return provider.api.first_body(provider.configuration, QUESTION, TOOLS)


def attempt_once(server: Server, api: str, **changes: Any) -> Turn:
    """The turn of one attempt at the first request; raises its fault."""
    (result,) = attempt_several(server, api, 1, **changes)
    if isinstance(result, ProviderFault):
        raise result
    return result


def attempt_several(server: Server, api: str, count: int, **changes: Any) -> list[Turn | ProviderFault]:
    """The turn or fault of each of `count` attempts at the first request, made one after the other by one provider."""

    async def attempt_all() -> list[Turn | ProviderFault]:
        provider = Provider(server.configuration(api, **changes), server.environment)
        try:
            return [await attempt(provider) for _ in range(count)]
        finally:
            await provider.close()

    async def attempt(provider: Provider) -> Turn | ProviderFault:
        try:
            return (await provider.attempt(first_body(provider))).turn
        except ProviderFault as fault:
            return fault

    return asyncio.run(attempt_all())


class Clock:
    """A clock that only `sleep` advances."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Advance the clock without waiting."""
        self.waits.append(seconds)
        self.now += seconds


class Client:
    """Plays a whole conversation; keeps its turns, responses, attempts and waits."""

    def __init__(self, server: Server, api: str, policy: RetryPolicy | None = None, **changes: Any) -> None:
        self.turns: list[Turn] = []
        self.responses: list[dict[str, Any]] = []
        self.attempts: list[Attempt] = []
        self.clock = Clock()
        self._server, self._api, self._policy, self._changes = server, api, policy or RetryPolicy(), changes

    def run(self, answer: Callable[[str, str], str] = "{}: {}".format) -> "Client":
        """Answer each call by `answer(tool, arguments)` until a turn has no calls."""
        asyncio.run(self._converse(answer))
        return self

    async def _converse(self, answer: Callable[[str, str], str]) -> None:
        provider = Provider(self._server.configuration(self._api, **self._changes), self._server.environment)
        body = first_body(provider)
        try:
            while not self.turns or self.turns[-1].calls:
                response, turn = await request_with_retries(
                    provider, body, self.attempts.append, self._policy, self.clock.sleep, self.clock
                )
                self.turns.append(turn)
                self.responses.append(response)
                if turn.calls:
                    answers = [answer(call.tool, call.arguments) for call in turn.calls]
                    body = provider.api.next_body(body, response, answers)
        finally:
            await provider.close()
