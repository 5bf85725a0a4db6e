"""Running a model: many evaluations at once in one process, each turn durable before its tool call runs."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from algoworlds.core.canonical import JsonObject, compact_json
from algoworlds.errors import AlgoWorldsError, InputError, format_value
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import Journal, pair_results
from algoworlds.runs.outcome import event_from_fault, reclassify_fault
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ConversationRejected, ProviderFault, explain_fault
from algoworlds.runs.providers.provider import Attempt, Provider, RetryPolicy, request_with_retries
from algoworlds.runs.providers.turn import Answer, Turn, Usage
from algoworlds.runs.schedule import Slot
from algoworlds.runs.status import merge_attempts
from algoworlds.runs.worker_pool import Totals, WorkerPool, write_in_thread
from algoworlds.suites.open import Suite
from algoworlds.suites.record import build_record

MIN_FREE_BYTES = 2**20
"""Bytes that must be free before anything is asked; a longer answer that finds no room is not kept and asked for again."""


WATCH_SECONDS = 0.25
"""Seconds between two calls of `watch` while nothing changes."""


class LoggedProvider:
    """The provider, the log of attempts at it, and what all of it has cost."""

    def __init__(self, directory: RunDirectory, provider: Provider, totals: Totals, watch: Callable[[Totals], Any]) -> None:
        self._directory, self._provider, self._totals, self._watch = directory, provider, totals, watch
        self._attempts = directory.open_attempt_log()

    def count_earlier_cost(self, pending: Iterable[Slot]) -> None:
        """Count what earlier runs spent: finished evaluations are in the totals, unfinished ones in their journals.

        Their log of attempts knows more: answers without tokens, and requests whose answer reached no journal.
        """
        configuration, api = self._provider.configuration, self._provider.api
        for slot in pending:
            with suppress(InputError):  # a damaged journal is refused when its turn comes
                for line in self._directory.read_journal(slot):
                    usage = api.read_turn(line["response"]).usage if "response" in line else Usage()
                    self._totals.tokens += (usage.input or 0) + (usage.output or 0)
                    self._totals.cost += configuration.cost(usage) or 0.0
        self._totals.count_earlier_attempts(merge_attempts(self._attempts.values_at_open))

    @property
    def disk_full_reason(self) -> str | None:
        """Why no answer could be kept, if so: nothing is asked whose answer has no place."""
        free = shutil.disk_usage(self._directory.path).free
        if free >= MIN_FREE_BYTES:
            return None
        place = format_value(self._directory.path)
        return f"{place} has room for {free:,} bytes, and an answer may take {MIN_FREE_BYTES:,}: make room"

    async def request(
        self, slot: Slot, turn: int, body: JsonObject, policy: RetryPolicy, wait: Callable[[float], Awaitable[object]]
    ) -> Answer:
        """The provider's answer. Every attempt is logged before it is sent, and again with its result."""
        configuration, sent = self._provider.configuration, len(compact_json(body))
        most = configuration.cost_bound(Usage(), sent) if configuration.has_prices else None
        unanswered = False
        successes: list[Attempt] = []

        def announce(attempt: Attempt) -> None:
            nonlocal unanswered
            self._log(slot, turn, attempt, None, most)
            unanswered = True
            self._totals.requests += 1
            self._totals.retries += attempt.number > 1

        def note(attempt: Attempt) -> None:
            nonlocal unanswered
            unanswered = False
            if attempt.fault is None:
                successes.append(attempt)
                return
            cost = most if attempt.may_be_billed else None
            self._totals.count_fault(attempt.fault, attempt.detail)
            self._totals.count_unanswered(cost)
            self._log(slot, turn, attempt, None, cost)
            self._watch(self._totals)

        try:
            answer = await request_with_retries(self._provider, body, note, policy, wait, announce=announce)
        finally:
            if unanswered:  # cancelled, or an error of ours
                self._totals.count_unanswered(most)
        usage = answer.turn.usage
        cost = self._totals.count_turn(configuration, usage, sent)
        for attempt in successes:
            self._log(slot, turn, attempt, usage._asdict(), cost)
        return answer

    def write_turn(self, journal: Journal, line: JsonObject) -> None:
        """Write a turn to disk, after the log of its attempts: no turn without the requests behind it."""
        self._attempts.sync()
        journal.append(line)

    async def close(self) -> None:
        """Close all connections, and the log."""
        await self._provider.close()
        self._attempts.close()

    def _log(self, slot: Slot, turn: int, attempt: Attempt, tokens: dict[str, int | None] | None, cost: float | None) -> None:
        fields = {"world": slot.world, "trial": slot.trial, "turn": turn} | attempt._asdict()
        del fields["may_be_billed"]
        self._attempts.append(fields | {"tokens": tokens, "cost": cost})


@dataclass
class ModelRun:
    """One run of a model configuration over the pending evaluations of a run directory."""

    directory: RunDirectory
    suite: Suite
    configuration: Configuration
    environment: Mapping[str, str]
    totals: Totals
    concurrency: int = 1
    max_cost: float | None = None
    watch: Callable[[Totals], Any] = lambda totals: None
    policy: RetryPolicy | None = None

    def run(self) -> None:
        """Run the pending evaluations; afterwards `totals` says what is left and why."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        provider = Provider(self.configuration, self.environment)
        self._provider_log = LoggedProvider(self.directory, provider, self.totals, self.watch)
        self._pool = WorkerPool(self.directory, self.totals, self.watch, provider.secret.redact, self._explain)
        watching = asyncio.create_task(self._watch_regularly())
        try:
            self._provider_log.count_earlier_cost(self._pool.queue)
            await self._pool.run(self._evaluate, self.concurrency)
        finally:
            watching.cancel()
            await self._provider_log.close()

    async def _watch_regularly(self) -> None:
        """Call `watch` also while nothing changes, as during an answer of many minutes or a wait between attempts."""
        while True:
            self.watch(self.totals)
            await asyncio.sleep(WATCH_SECONDS)

    def _explain(self, problem: AlgoWorldsError) -> str:
        """The message for a problem: a provider's fault comes with advice, unless its own message matters."""
        if isinstance(problem, ProviderFault) and not isinstance(problem, ConversationRejected):
            return explain_fault(problem, self.configuration)
        return str(problem)

    async def _evaluate(self, slot: Slot) -> None:
        """Play one evaluation to its end, from where its journal stopped, and write its record."""
        entry = self.suite.entries[slot.world]
        journal = self.directory.open_journal(slot)
        try:
            conversation = Conversation(self.configuration, self.suite.world(entry))
            for line, computed in pair_results(journal.values_at_open[1:]):
                if computed is not None:
                    conversation.episode.expect(computed)
                await self._feed(conversation, line)
            for line in journal.values_at_open[-1:]:
                await self._write_result_if_new(journal, conversation, line)
            while conversation.event is None:
                if self._must_stop():
                    return
                await self._advance(slot, journal, conversation)
            document = build_record(self.directory.provenance(slot), entry, self.suite.key(entry), conversation.trajectory)
            await write_in_thread(self.directory.write_record, slot, document)
            self.totals.count_record(document)
        finally:
            journal.close()

    def _must_stop(self) -> bool:
        """Whether to stop: the run was halted, the cost limit is reached, or the disk is full."""
        if self.totals.halted is None and self.max_cost is not None and self.totals.cost >= self.max_cost:
            text = f"the cost limit of {self.max_cost:g} USD is reached"
            if uncounted := self.totals.turns_without_tokens:
                text += f"; answers without tokens ({uncounted}) count as the most they can have cost"
            if unanswered := self.totals.unanswered_requests:
                text += f"; so do requests without a usable answer ({unanswered})"
            self._pool.halt(text)
        if self.totals.halted is None and (full := self._provider_log.disk_full_reason):
            self._pool.halt(full)
        return self.totals.halted is not None

    async def _advance(self, slot: Slot, journal: Journal, conversation: Conversation) -> None:
        """One turn: request, write the answer to disk, and only then act on it."""
        turn, answer = conversation.turn + 1, None
        try:
            policy = self.policy or RetryPolicy(seconds=self.configuration.retry_seconds)
            answer = await self._provider_log.request(slot, turn, conversation.body, policy, self._pool.wait_unless_halted)
            line: JsonObject = {"turn": turn, "response": answer.response}
        except ProviderFault as raised:
            fault = reclassify_fault(raised, turn, self.configuration)
            event = event_from_fault(fault)
            if not event.is_final:
                raise fault from None
            line = {"turn": turn, "event": event.value}
        await write_in_thread(self._provider_log.write_turn, journal, line)
        await self._feed(conversation, line, answer.turn if answer else None)
        await self._write_result_if_new(journal, conversation, line)
        self.watch(self.totals)

    async def _feed(self, conversation: Conversation, line: JsonObject, turn: Turn | None = None) -> None:
        """Feed a line; in a thread if it may run a program, which can take half a minute."""
        if self.suite.track.runs_programs:
            await asyncio.to_thread(conversation.feed, line, turn)
        else:
            conversation.feed(line, turn)

    async def _write_result_if_new(self, journal: Journal, conversation: Conversation, line: Mapping[str, Any]) -> None:
        """Write what the program of the last `line` came to before the model sees it, so that it is never run again."""
        at = conversation.program_of_turn
        if at is not None and "response" in line:
            result = {"turn": line["turn"], "computed": conversation.episode.computed[at].json}
            await write_in_thread(journal.append, result)


def first_request(configuration: Configuration, suite: Suite, world: str) -> JsonObject:
    """The body of the first request for a world, as it will be sent."""
    opened = suite.world(suite.entries[world])
    return APIS[configuration.api].first_body(configuration, opened.question, opened.tools)
