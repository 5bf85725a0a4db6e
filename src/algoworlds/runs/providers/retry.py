"""Asking until there is an answer: the same bytes again after a passing trouble, within a bound of wall time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple, Protocol

from algoworlds.runs.providers.faults import ProviderFault, Transient, Truncated
from algoworlds.runs.providers.turn import Answer

Json = dict[str, Any]


class Attempt(NamedTuple):
    """One request: its number from 1, what it came to and why, how long it took, and how long was waited before it."""

    number: int
    status: int | None
    fault: str | None
    detail: str | None
    seconds: float
    waited: float
    date: str


class Policy(NamedTuple):
    """When to try again. A wait is what the server asked for, bounded, and a random part of a doubling backoff."""

    seconds: float = 3600.0
    """Wall time after which no further attempt starts."""
    first: float = 1.0
    longest: float = 120.0
    """Bound of the backoff, and of what a server may ask for."""
    truncated: int = 3
    """Attempts that may end in a complaint about a truncated body."""
    random: Random = Random()
    """Jitter only: no result depends on it."""

    def wait(self, number: int, fault: Transient) -> float:
        """Seconds between the attempt with that number, which failed, and the next."""
        backoff = min(self.longest, self.first * 2.0 ** min(number - 1, 30))
        return min(fault.retry_after or 0.0, self.longest) + self.random.uniform(0.0, backoff)


class Attempting(Protocol):
    """Whatever can make one attempt."""

    async def attempt(self, body: Json) -> Answer:
        """A complete answer, or a ProviderFault."""


async def ask(
    provider: Attempting,
    body: Json,
    note: Callable[[Attempt], None],
    policy: Policy = Policy(),  # noqa: B008  an immutable value
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """The answer to a body; every attempt is noted, and the last fault is raised when patience ends."""
    begin, waited, number, truncated = clock(), 0.0, 0, 0
    while True:
        number += 1
        start, date = clock(), datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            answer = await provider.attempt(body)
        except ProviderFault as fault:
            note(Attempt(number, fault.status, fault.kind, fault.detail, clock() - start, waited, date))
            truncated += isinstance(fault, Truncated)
            if not isinstance(fault, Transient) or truncated >= policy.truncated:
                raise
            waited = policy.wait(number, fault)
            if clock() + waited - begin > policy.seconds:
                raise
        else:
            note(Attempt(number, 200, None, None, clock() - start, waited, date))
            return answer
        await sleep(waited)
