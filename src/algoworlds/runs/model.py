"""Running a model: many evaluations at once in one process, each turn durable before its tool call runs."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from algoworlds.errors import AlgoWorldsError
from algoworlds.runs.asking import Asking
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.crew import Crew, durably
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import Journal
from algoworlds.runs.outcome import OUTCOMES, event_of, judged
from algoworlds.runs.providers.advice import told
from algoworlds.runs.providers.apis import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault, Rejected
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.retry import Policy
from algoworlds.runs.slot import Slot
from algoworlds.runs.totals import Totals
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import record


@dataclass
class ModelRun:
    """One run of a model configuration over the pending evaluations of a run directory."""

    directory: RunDirectory
    suite: Opened
    configuration: Configuration
    environment: Mapping[str, str]
    totals: Totals
    concurrency: int = 1
    max_cost: float | None = None
    watch: Callable[[Totals], Any] = lambda totals: None
    policy: Policy | None = None

    def run(self) -> None:
        """Make the pending evaluations; afterwards `totals` says what was left and why."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        provider = Provider(self.configuration, self.environment)
        self._asking = Asking(self.directory, provider, self.totals, self.watch)
        self._crew = Crew(self.directory, self.totals, self.watch, provider.secret.out_of, self._told)
        try:
            self._asking.recall(self._crew.queue)
            await self._crew.work(self._evaluate, self.concurrency)
        finally:
            await self._asking.close()

    def _told(self, problem: AlgoWorldsError) -> str:
        """What is said of a problem: of a provider's fault also what mends it, unless its own words are to be looked at."""
        if isinstance(problem, ProviderFault) and not isinstance(problem, Rejected):
            return told(problem, self.configuration)
        return str(problem)

    async def _evaluate(self, slot: Slot) -> None:
        """Play one evaluation to its end, from wherever its journal left it, and finalize its record."""
        entry = self.suite.entries[slot.world]
        journal = self.directory.journal(slot)
        try:
            conversation = Conversation(self.configuration, self.suite.world(entry))
            for line in journal.recorded[1:]:
                conversation.feed(line)
            while conversation.event is None:
                if self._stopped():
                    return
                await self._advance(slot, journal, conversation)
            document = record(self.directory.whose(slot), entry, self.suite.key(entry), conversation.played)
            await durably(self.directory.finalize, slot, document)
            self.totals.finish(document)
        finally:
            journal.close()

    def _stopped(self) -> bool:
        """Whether to stop asking: told to, out of money, or out of room for an answer."""
        if self.totals.halted is None and self.max_cost is not None and self.totals.cost >= self.max_cost:
            untold = self.totals.untold
            counted = f"; answers without tokens ({untold}) count as the most they can have cost" if untold else ""
            self._crew.halt(f"the cost limit of {self.max_cost:g} USD is reached{counted}")
        if self.totals.halted is None and (full := self._asking.room):
            self._crew.halt(full)
        return self.totals.halted is not None

    async def _advance(self, slot: Slot, journal: Journal, conversation: Conversation) -> None:
        """One turn: ask, make the answer durable, and only then act on it."""
        turn, answer = conversation.turn + 1, None
        try:
            policy = self.policy or Policy(seconds=self.configuration.retry_seconds)
            answer = await self._asking.ask(slot, turn, conversation.body, policy, self._crew.wait)
            line: dict[str, Any] = {"turn": turn, "response": answer.response}
        except ProviderFault as given:
            fault = judged(given, turn, self.configuration)
            event = event_of(fault)
            if not OUTCOMES[event].final:
                raise fault from None
            line = {"turn": turn, "event": event.value}
        await durably(self._asking.keep, journal, line)
        conversation.feed(line, answer.turn if answer else None)
        self.watch(self.totals)


def first_request(configuration: Configuration, suite: Opened, world: str) -> dict[str, Any]:
    """The body of the first request for a world, as it will be sent."""
    presented = suite.world(suite.entries[world])
    return APIS[configuration.api].opening(configuration, presented.question, presented.tools)
