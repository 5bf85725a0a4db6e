"""Check a model configuration by playing one small world, and report on each part whether it works.

From the measured turns, `forecast_run` estimates calls, tokens, time and cost of a run in which the model follows the shortest
plan of every world. A real model may read more or less than a plan.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject, compact_json
from algoworlds.errors import format_value
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.outcome import Event, event_from_fault, reclassify_fault
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault, explain_fault, find_advice
from algoworlds.runs.providers.provider import Attempt, Provider, RetryPolicy, request_with_retries
from algoworlds.runs.providers.turn import Usage, count_at
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import Suite
from algoworlds.worlds.world import World

MIN_TOOL_ROUNDS = 2
"""Executed information calls from which on multi-turn tool use counts as working."""
MAX_MODELS_NAMED = 5
"""Models that a message lists."""

CONTEXT_LENGTH_PATHS = (
    ("max_model_len",),  # vLLM, SGLang
    ("meta", "n_ctx"),  # llama.cpp
    ("top_provider", "context_length"),  # OpenRouter
    ("context_length",),
    ("context_window",),
    ("max_input_tokens",),  # Anthropic
)
"""Paths of the context length in the entries of a list of models."""
OUTPUT_LIMIT_PATHS = (
    ("top_provider", "max_completion_tokens"),
    ("max_completion_tokens",),
    ("max_output_tokens",),
    ("max_tokens",),
)
"""Paths of the output limit in the entries of a list of models."""


class Finding(NamedTuple):
    """The result of a check; `state` is `ok`, `warning` (a run is possible) or `problem` (it is not)."""

    about: str
    state: str
    text: str


@dataclass
class ProbeResult:
    """Everything a probe observed; without `problems` the configuration is ready for a run."""

    configuration: Configuration
    address: str
    conversation: Conversation
    listed_models: list[JsonObject] | None = None
    """The models that the server lists; None if it lists none."""
    fault: ProviderFault | None = None
    """The fault that ended the probe."""
    bodies: list[JsonObject] = field(default_factory=list)
    """Every request of the conversation."""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def model_names(self) -> list[str]:
        """The models that the server lists."""
        return [str(listed_model["id"]) for listed_model in self.listed_models or [] if listed_model.get("id")]

    @property
    def has_answer(self) -> bool:
        """Whether the model answered."""
        return bool(self.conversation.usage_by_turn)

    def fault_text(self, about: str) -> str | None:
        """What the fault says and advises, if it concerns the part `about`."""
        if self.fault is None or find_advice(self.fault).about != about:
            return None
        text = explain_fault(self.fault, self.configuration).removeprefix(f"{about}: ")
        if about == "model" and self.model_names:
            listed = ", ".join(map(format_value, self.model_names[:MAX_MODELS_NAMED]))
            text += f"; it lists {listed}" + (" and others" if len(self.model_names) > MAX_MODELS_NAMED else "")
        return text

    @property
    def findings(self) -> list[Finding]:
        """The findings of all checks that the probe reached; a fault that concerns a part takes the place of its check."""
        findings = []
        for about, check in CHECKS.items():
            text = self.fault_text(about)
            result = check(self) if text is None else ("problem", text)
            if result is not None:
                findings.append(Finding(about, *result))
        return findings

    @property
    def problems(self) -> list[str]:
        """Why the configuration is not ready for a run."""
        return [finding.text for finding in self.findings if finding.state == "problem"]

    @property
    def json(self) -> JsonObject:
        """The result as JSON."""
        conversation = self.conversation
        episode = conversation.episode
        return {
            "world": episode.world.id,
            "stop_reason": conversation.event.value if conversation.event else None,
            "outcome": episode.outcome.value,
            "turns": conversation.turn,
            "executed_calls": episode.executed,
            "attempted_calls": episode.attempts + conversation.later_calls,
            "model": conversation.model,
            "tokens": conversation.tokens,
            "cost": conversation.cost,
            "findings": [finding._asdict() for finding in self.findings],
            "problems": self.problems,
        }

    def find_limit(self, places: tuple[tuple[str, ...], ...]) -> int | None:
        """The first number at one of the paths `places` in the server's entry for the model."""
        names = (self.configuration.model, self.configuration.returned_model)
        mine = next((listed_model for listed_model in self.listed_models or [] if listed_model.get("id") in names), None)
        return next((number for place in places if (number := count_at(mine, *place)) is not None), None)


CheckResult = tuple[str, str] | None
"""State and text of a finding; None if the probe did not get that far."""


def check_connection(seen: ProbeResult) -> CheckResult:
    """Whether the server can be reached."""
    return "ok", f"{format_value(seen.address)} answers"


def check_key(seen: ProbeResult) -> CheckResult:
    """Whether the server accepts the key."""
    variable = seen.configuration.key_env
    if not seen.has_answer and seen.listed_models is None:
        return None
    return "ok", f"{format_value(variable)} is accepted" if variable else "none is needed"


def check_model(seen: ProbeResult) -> CheckResult:
    """Whether the server knows the model, and under which name it answers."""
    name = format_value(seen.conversation.model or "a model without a name")
    return ("ok", f"answered by {name}") if seen.has_answer else None


def check_tools(seen: ProbeResult) -> CheckResult:
    """Whether calls are made and answered over several rounds."""
    executed = seen.conversation.episode.executed
    if executed >= MIN_TOOL_ROUNDS:
        return "ok", f"{executed} calls made and answered in {seen.conversation.turn} turns"
    if seen.conversation.event is None:
        return None
    return "problem", f"it executed {executed} information calls, and must execute {MIN_TOOL_ROUNDS} at least"


def check_parallel_calls(seen: ProbeResult) -> CheckResult:
    """Whether the model makes one call per turn; further calls are refused, so it loses their answers."""
    if not seen.has_answer:
        return None
    if later := seen.conversation.later_calls:
        return "warning", f"{later} refused: it makes several calls in a turn although the request forbids it"
    return "ok", "none made"


def check_tokens(seen: ProbeResult) -> CheckResult:
    """Whether tokens are counted."""
    if not seen.has_answer:
        return None
    counts = seen.conversation.tokens
    if counts["input"] is None or counts["output"] is None:
        return "warning", "not reported: no cost is known, and --max-cost counts the most it can have been"
    if seen.configuration.reasoning and counts["reasoning"] == 0:
        return "problem", "it reports no reasoning tokens although reasoning is configured"
    return "ok", ", ".join(f"{kind} {number:,}" for kind, number in counts.items() if number is not None)


def check_limits(seen: ProbeResult) -> CheckResult:
    """Whether the context and output limits of the server suffice for the configuration."""
    if not seen.has_answer:
        return None
    cap = seen.configuration.output_cap
    limits = {"context": seen.find_limit(CONTEXT_LENGTH_PATHS), "output": seen.find_limit(OUTPUT_LIMIT_PATHS)}
    known_limits = {name: limit for name, limit in limits.items() if limit is not None}
    inputs = [usage.input for usage in seen.conversation.usage_by_turn if usage.input is not None]
    if inputs and min(inputs) < inputs[0]:
        fall = f"input fell from {inputs[0]:,} to {min(inputs):,} tokens"
        return "problem", f"{fall}: the server drops what came first; give it a longer context"
    for name, limit in known_limits.items():
        if cap > limit:
            return "warning", f"output_cap is {cap:,}, but the server's {name} ends at {limit:,}: lower it"
    listing = ", ".join(f"{name} {limit:,}" for name, limit in known_limits.items())
    return "ok", f"output_cap {cap:,}; the server tells {listing or 'neither context nor output'}"


def check_decision(seen: ProbeResult) -> CheckResult:
    """Whether the evaluation ended with a well-formed submission."""
    event = seen.conversation.event
    if event is None:
        return None
    if event is not Event.SUBMITTED:
        return "problem", f"it ended with {event.value} instead of a well-formed submission"
    return "ok", f"a well-formed submission ({seen.conversation.episode.outcome.value})"


CHECKS: dict[str, Callable[[ProbeResult], CheckResult]] = {
    "connection": check_connection,
    "key": check_key,
    "model": check_model,
    "tools": check_tools,
    "parallel calls": check_parallel_calls,
    "tokens": check_tokens,
    "limits": check_limits,
    "answer": check_decision,
}
"""The check of each part, in the order in which they can fail."""

PROBE_RETRY_POLICY = RetryPolicy(seconds=15.0)
"""A server that needs longer is not ready."""
Notify = Callable[[str], Any]


def run_probe(
    configuration: Configuration,
    environment: Mapping[str, str],
    world: World,
    notify: Notify,
    silence_seconds: float = 60.0,
    policy: RetryPolicy = PROBE_RETRY_POLICY,
    listing_seconds: float = 10.0,
) -> ProbeResult:
    """List the models of a server, play `world`, and check the protocol, not the decision.

    `notify` gets lines of progress. The server may be silent for `silence_seconds`, and take `listing_seconds` to list its
    models.
    """
    limited = replace(configuration, timeout=min(configuration.timeout, silence_seconds))

    async def probe() -> ProbeResult:
        provider = Provider(limited, environment)
        seen = ProbeResult(limited, provider.address, Conversation(limited, world))
        try:
            notify(f"asking {format_value(seen.address)} for its models")
            try:
                async with asyncio.timeout(listing_seconds):
                    seen.listed_models = await provider.list_models()
            except TimeoutError:
                pass
            except ProviderFault as fault:  # servers need not list their models, but they must answer
                seen.fault = fault if fault.kind == "connection" else None
            if seen.fault is None:
                notify(f"asking {format_value(limited.model)} to play {world.id}")
                await _play_world(provider, seen, notify, policy)
        finally:
            await provider.close()
        return seen

    return asyncio.run(probe())


async def _play_world(provider: Provider, seen: ProbeResult, notify: Notify, policy: RetryPolicy) -> None:
    """Play until the evaluation ends or a fault occurs that is not an outcome of the model."""
    conversation = seen.conversation

    def note(attempt: Attempt) -> None:
        seen.attempts.append(attempt)
        if attempt.fault:
            notify(f"turn {conversation.turn + 1}, attempt {attempt.number}: {attempt.fault}: {attempt.detail}")

    while conversation.event is None:
        seen.bodies.append(conversation.body)
        try:
            answer = await request_with_retries(provider, conversation.body, note, policy)
            conversation.feed({"response": answer.response}, answer.turn)
        except ProviderFault as raised:
            fault = reclassify_fault(raised, conversation.turn + 1, seen.configuration)
            if not event_from_fault(fault).is_final:
                seen.fault = fault
                return
            conversation.feed({"event": event_from_fault(fault).value})
        episode = conversation.episode
        latest = f"{episode.calls[-1].tool}: {episode.observations[-1].status.value}" if episode.calls else "no call"
        notify(f"turn {conversation.turn}: {latest}")


# -- forecast --------------------------------------------------------------------------------------------------------------


class TurnPace(NamedTuple):
    """Averages of the probed turns."""

    tokens_per_byte: float
    """Input tokens per byte of a request."""
    added_bytes: float
    """Bytes that a turn adds to the next request besides the observation: the model's text and JSON fields."""
    output_tokens: float
    """Output tokens per turn."""
    cached_share: float
    """The share of input that was read from a cache."""
    seconds: float


class Forecast(NamedTuple):
    """The estimated totals of a run; `cost` is None without prices."""

    evaluations: int
    calls: int
    input: int
    output: int
    seconds: float
    cost: float | None


def measure_pace(seen: ProbeResult) -> TurnPace | None:
    """The averages of the probed turns; None if the provider did not report all tokens."""
    usages = [usage for usage in seen.conversation.usage_by_turn if usage.input is not None and usage.output is not None]
    sent = [len(compact_json(body)) for body in seen.bodies[: len(usages)]]
    answered = [attempt.seconds for attempt in seen.attempts if attempt.fault is None]
    read = sum(usage.input or 0 for usage in usages)
    if not usages or len(usages) < len(seen.conversation.usage_by_turn) or not read:
        return None
    answers = sum(len(observation.text) for observation in seen.conversation.episode.observations[: len(sent) - 1])
    per_turn = (sent[-1] - sent[0] - answers) / (len(sent) - 1) if len(sent) > 1 else 0.0
    cached = sum(usage.cached or 0 for usage in usages) / read
    written = sum(usage.output or 0 for usage in usages) / len(usages)
    return TurnPace(read / sum(sent), max(per_turn, 0.0), written, min(cached, 1.0), sum(answered) / len(answered))


def forecast_run(seen: ProbeResult, suite: Suite, entries: list[WorldEntry], trials: int, concurrency: int) -> Forecast | None:
    """Estimate a run over `entries`, from one world per family, level and interface; None if no pace could be measured."""
    if (measured := measure_pace(seen)) is None:
        return None
    kinds: dict[tuple[str, int, str], WorldEntry] = {}
    numbers = Counter((entry.family, entry.level, entry.interface) for entry in entries)
    for entry in entries:
        kinds.setdefault((entry.family, entry.level, entry.interface), entry)
    calls, read = 0, 0.0
    for kind, entry in kinds.items():
        turns, tokens = _walk(seen, suite.world(entry), measured)
        calls += turns * numbers[kind] * trials
        read += tokens * numbers[kind] * trials
    written = calls * measured.output_tokens
    cost = seen.configuration.cost(Usage(int(read), int(written), cached=int(read * measured.cached_share)))
    seconds = calls * measured.seconds / concurrency
    return Forecast(len(entries) * trials, calls, int(read), int(written), seconds, cost)


def _walk(seen: ProbeResult, world: World, measured: TurnPace) -> tuple[int, float]:
    """Turns and input tokens of the plan with the fewest calls and a submission; every turn sends all before it again."""
    plan = min(world.plans.values(), key=len)
    body: JsonObject = APIS[seen.configuration.api].first_body(seen.configuration, world.question, world.tools)
    length, total = float(len(compact_json(body))), 0.0
    for call in plan:
        total += length
        length += len(str(world.records(call))) + measured.added_bytes
    return len(plan) + 1, (total + length) * measured.tokens_per_byte
