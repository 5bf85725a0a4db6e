"""Retries: the same bytes are sent again after a transient fault, for a limited wall time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple, Protocol

from algoworlds.runs.providers.faults import ProviderFault, RequestTruncated, Transient
from algoworlds.runs.providers.turn import Answer

Json = dict[str, Any]


class Attempt(NamedTuple):
    """One attempt: its number from 1, its result, its duration, and the wait before it."""

    number: int
    status: int | None
    fault: str | None
    detail: str | None
    seconds: float
    waited: float
    date: str


class RetryPolicy(NamedTuple):
    """When to retry: wait as long as the server asks, up to a bound, plus exponential backoff with jitter."""

    seconds: float = 3600.0
    """Wall time after which no further attempt starts."""
    first: float = 1.0
    longest: float = 120.0
    """Upper bound of the backoff, and of the wait that a server may ask for."""
    truncated: int = 3
    """Attempts that may end in a complaint about a truncated body."""
    random: Random = Random()
    """Jitter only: no result depends on it."""

    def wait_seconds(self, number: int, fault: Transient) -> float:
        """Seconds to wait after attempt `number` failed with `fault`."""
        backoff = min(self.longest, self.first * 2.0 ** min(number - 1, 30))
        return min(fault.retry_after or 0.0, self.longest) + self.random.uniform(0.0, backoff)


class SupportsAttempt(Protocol):
    """An object that can make one attempt."""

    async def attempt(self, body: Json) -> Answer:
        """A complete answer, or a ProviderFault."""


async def request_with_retries(
    provider: SupportsAttempt,
    body: Json,
    note: Callable[[Attempt], None],
    policy: RetryPolicy = RetryPolicy(),  # noqa: B008  an immutable value
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """The answer to `body`; `note` gets every attempt, and the last fault is raised when the policy allows no more."""
    begin, waited, number, truncated = clock(), 0.0, 0, 0
    while True:
        number += 1
        start, date = clock(), datetime.now(UTC).isoformat(timespec="milliseconds")
        try:
            answer = await provider.attempt(body)
        except ProviderFault as fault:
            note(Attempt(number, fault.status, fault.kind, fault.detail, clock() - start, waited, date))
            truncated += isinstance(fault, RequestTruncated)
            if not isinstance(fault, Transient) or truncated >= policy.truncated:
                raise
            waited = policy.wait_seconds(number, fault)
            if clock() + waited - begin > policy.seconds:
                raise
        else:
            note(Attempt(number, 200, None, None, clock() - start, waited, date))
            return answer
        await sleep(waited)
