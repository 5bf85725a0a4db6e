"""Asking one model on behalf of all evaluations of a run: every attempt logged, every answer counted."""

import shutil
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from algoworlds.core.canonical import compact_text
from algoworlds.errors import InputError, shown
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import Journal
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.retry import Attempt, Policy, ask
from algoworlds.runs.providers.turn import Answer, Usage
from algoworlds.runs.slot import Slot
from algoworlds.runs.totals import Totals

ROOM = 2**20
"""Bytes that must be free before anything is asked; a longer answer that finds no room is not kept and asked for again."""


class Asking:
    """The provider, the log of attempts at it, and what all of it has cost."""

    def __init__(self, directory: RunDirectory, provider: Provider, totals: Totals, watch: Callable[[Totals], Any]) -> None:
        self._directory, self._provider, self._totals, self._watch = directory, provider, totals, watch
        self._attempts = directory.attempts()

    def recall(self, pending: Iterable[Slot]) -> None:
        """Count what earlier runs spent: finished evaluations are in the totals, unfinished ones in their journals.

        Their log of attempts knows more: answers that told no tokens, and those that a crash kept from a journal.
        """
        configuration, api = self._provider.configuration, self._provider.api
        for slot in pending:
            with suppress(InputError):  # a damaged journal is refused when its turn comes
                for line in self._directory.journaled(slot):
                    usage = api.turn(line["response"]).usage if "response" in line else Usage()
                    self._totals.tokens += (usage.input or 0) + (usage.output or 0)
                    self._totals.cost += configuration.cost(usage) or 0.0
        self._totals.recall(self._attempts.recorded)

    @property
    def room(self) -> str | None:
        """Why no answer could be kept, if so: nothing is asked whose answer has no place."""
        free = shutil.disk_usage(self._directory.path).free
        if free >= ROOM:
            return None
        return f"{shown(self._directory.path)} has room for {free:,} bytes, and an answer may take {ROOM:,}: make room"

    async def ask(
        self, slot: Slot, turn: int, body: dict[str, Any], policy: Policy, wait: Callable[[float], Awaitable[object]]
    ) -> Answer:
        """The provider's answer, every attempt at it logged: failures at once, the success with its tokens and its cost."""
        successes: list[Attempt] = []

        def note(attempt: Attempt) -> None:
            self._totals.requests += 1
            self._totals.retries += attempt.number > 1
            if attempt.fault is None:
                successes.append(attempt)
            else:
                self._totals.trouble(attempt.fault, attempt.detail)
                self._log(slot, turn, attempt, None, None)
                self._watch(self._totals)

        answer = await ask(self._provider, body, note, policy, wait)
        usage = answer.turn.usage
        sent = len(compact_text(body)) if usage.input is None else 0
        cost = self._totals.count(self._provider.configuration, usage, sent)
        for attempt in successes:
            self._log(slot, turn, attempt, usage._asdict(), cost)
        return answer

    def keep(self, journal: Journal, line: dict[str, Any]) -> None:
        """Bring a turn to disk, the attempts at it first: no turn is kept of which nobody knows how it was asked."""
        self._attempts.sync()
        journal.append(line)

    async def close(self) -> None:
        """Close all connections, and the log."""
        await self._provider.close()
        self._attempts.close()

    def _log(self, slot: Slot, turn: int, attempt: Attempt, tokens: dict[str, int | None] | None, cost: float | None) -> None:
        place = {"world": slot.world, "trial": slot.trial, "turn": turn}
        self._attempts.append(place | attempt._asdict() | {"tokens": tokens, "cost": cost})
