"""Talking to the loopback server: the shortest client there is, for tests."""

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
APIS = ("responses", "chat", "messages")


def opening(provider: Provider) -> dict[str, Any]:
    """The first body of a conversation."""
    return provider.api.first_body(provider.configuration, QUESTION, TOOLS)


def once(server: Server, api: str, **changes: Any) -> Turn:
    """The turn that one attempt at the first request gives."""
    (result,) = several(server, api, 1, **changes)
    if isinstance(result, ProviderFault):
        raise result
    return result


def several(server: Server, api: str, count: int, **changes: Any) -> list[Turn | ProviderFault]:
    """What as many attempts at the first request give, one after the other through one client."""

    async def go() -> list[Turn | ProviderFault]:
        provider = Provider(server.configuration(api, **changes), server.environment)
        try:
            return [await attempt(provider) for _ in range(count)]
        finally:
            await provider.close()

    async def attempt(provider: Provider) -> Turn | ProviderFault:
        try:
            return (await provider.attempt(opening(provider))).turn
        except ProviderFault as fault:
            return fault

    return asyncio.run(go())


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 0.0
        self.deadline_timer: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Wait, at once."""
        self.deadline_timer.append(seconds)
        self.now += seconds


class Talk:
    """A whole conversation: its turns, every attempt, and the time waited."""

    def __init__(self, server: Server, api: str, policy: RetryPolicy | None = None, **changes: Any) -> None:
        self.call_turns: list[Turn] = []
        self.responses: list[dict[str, Any]] = []
        self.attempts: list[Attempt] = []
        self.clock = Clock()
        self._server, self._api, self._policy, self._changes = server, api, policy or RetryPolicy(), changes

    def run(self, answer: Callable[[str, str], str] = "{}: {}".format) -> "Talk":
        """Answer calls until there are none."""
        asyncio.run(self.go(answer))
        return self

    async def go(self, answer: Callable[[str, str], str]) -> None:
        """The conversation itself."""
        provider = Provider(self._server.configuration(self._api, **self._changes), self._server.environment)
        body = opening(provider)
        try:
            while not self.call_turns or self.call_turns[-1].calls:
                response, turn = await request_with_retries(
                    provider, body, self.attempts.append, self._policy, self.clock.sleep, self.clock
                )
                self.call_turns.append(turn)
                self.responses.append(response)
                if turn.calls:
                    answers = [answer(call.tool, call.arguments) for call in turn.calls]
                    body = provider.api.next_body(body, response, answers)
        finally:
            await provider.close()
