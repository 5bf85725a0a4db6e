"""A check of a model configuration: it reaches the server, plays a small world, and says of each part whether it is fit.

From what the probe took, `forecast_run` estimates a run: calls, tokens, time and cost of every world's shortest plan. A model
may read more than a plan or less: the estimate is the probed turns, as many as plans have calls.
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
"""Executed information calls that make several rounds of tools."""
MAX_MODELS_NAMED = 5
"""Models that a message names."""

CONTEXT_LENGTH_PATHS = (
    ("max_model_len",),  # vLLM, SGLang
    ("meta", "n_ctx"),  # llama.cpp
    ("top_provider", "context_length"),  # OpenRouter
    ("context_length",),
    ("context_window",),
    ("max_input_tokens",),  # Anthropic
)
"""Where lists of models hold the length of the context."""
OUTPUT_LIMIT_PATHS = (
    ("top_provider", "max_completion_tokens"),
    ("max_completion_tokens",),
    ("max_output_tokens",),
    ("max_tokens",),
)
"""Where they hold the most that is written at once."""


class Finding(NamedTuple):
    """What a check found: fit for a run (`ok`), fit with something to know (`warning`), or not (`problem`)."""

    about: str
    state: str
    text: str


@dataclass
class ProbeResult:
    """All that was seen of a server, and what follows; without `problems` the configuration can follow the protocol."""

    configuration: Configuration
    address: str
    conversation: Conversation
    listed_models: list[JsonObject] | None = None
    """Its models as it lists them; None if it does not."""
    fault: ProviderFault | None = None
    """What ended the probe before the model could."""
    bodies: list[JsonObject] = field(default_factory=list)
    """Every request of the conversation."""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def model_names(self) -> list[str]:
        """The models that the server lists."""
        return [str(listed_model["id"]) for listed_model in self.listed_models or [] if listed_model.get("id")]

    @property
    def has_answer(self) -> bool:
        """Whether the model said anything."""
        return bool(self.conversation.usage_by_turn)

    def fault_finding(self, about: str) -> Finding | None:
        """The fault, if it is about this part."""
        if self.fault is None or find_advice(self.fault).about != about:
            return None
        return Finding(about, "problem", explain_fault(self.fault, self.configuration).removeprefix(f"{about}: "))

    @property
    def findings(self) -> list[Finding]:
        """The findings of all checks that the probe reached."""
        return [finding for check in CHECKS if (finding := check(self)) is not None]

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
        """A number that the server tells of the model."""
        names = (self.configuration.model, self.configuration.returned_model)
        mine = next((listed_model for listed_model in self.listed_models or [] if listed_model.get("id") in names), None)
        return next((number for place in places if (number := count_at(mine, *place)) is not None), None)


def check_connection(seen: ProbeResult) -> Finding:
    """Whether the server can be reached."""
    return seen.fault_finding("connection") or Finding("connection", "ok", f"{format_value(seen.address)} answers")


def check_key(seen: ProbeResult) -> Finding | None:
    """Whether it accepts the key."""
    variable, accepted = seen.configuration.key_env, seen.has_answer or seen.listed_models is not None
    fine = Finding("key", "ok", f"{format_value(variable)} is taken" if variable else "none is asked for") if accepted else None
    return seen.fault_finding("key") or fine


def check_model(seen: ProbeResult) -> Finding | None:
    """Whether it knows the model, and by which name it answers."""
    names = seen.model_names
    if problem := seen.fault_finding("model"):
        others = f"; it lists {', '.join(map(format_value, names[:MAX_MODELS_NAMED]))}" + (
            " and others" if len(names) > MAX_MODELS_NAMED else ""
        )
        return problem._replace(text=problem.text + (others if names else ""))
    answered = seen.conversation.model
    return (
        Finding("model", "ok", f"answered by {format_value(answered or 'a model without a name')}") if seen.has_answer else None
    )


def check_tools(seen: ProbeResult) -> Finding | None:
    """Whether calls are made and answered over several rounds."""
    executed, event = seen.conversation.episode.executed, seen.conversation.event
    if problem := seen.fault_finding("tools"):
        return problem
    if event is None and executed < MIN_TOOL_ROUNDS:
        return None
    if executed < MIN_TOOL_ROUNDS:
        few = f"it executed {executed} information calls; several rounds need {MIN_TOOL_ROUNDS} at least"
        return Finding("tools", "problem", few)
    return Finding("tools", "ok", f"{executed} calls made and answered in {seen.conversation.turn} turns")


def check_parallel_calls(seen: ProbeResult) -> Finding | None:
    """Whether one call at a time is respected; more are refused, which costs a model turns it may not expect."""
    later = seen.conversation.later_calls
    if not seen.has_answer:
        return None
    if later:
        return Finding("parallel calls", "warning", f"{later} refused: it makes several calls in a turn though told not to")
    return Finding("parallel calls", "ok", "none made")


def check_tokens(seen: ProbeResult) -> Finding | None:
    """Whether tokens are counted."""
    if not seen.has_answer:
        return None
    counted = seen.conversation.tokens
    if counted["input"] is None or counted["output"] is None:
        return Finding("tokens", "warning", "not reported: no cost is known, and --max-cost counts the most it can have been")
    if seen.configuration.reasoning and counted["reasoning"] == 0:
        return Finding("tokens", "problem", "it reports no reasoning tokens although reasoning is configured")
    return Finding("tokens", "ok", ", ".join(f"{kind} {number:,}" for kind, number in counted.items() if number is not None))


def check_limits(seen: ProbeResult) -> Finding | None:
    """Whether context and output are as long as the configuration takes for granted."""
    if problem := seen.fault_finding("limits"):
        return problem
    if not seen.has_answer:
        return None
    cap, context, output = (
        seen.configuration.output_cap,
        seen.find_limit(CONTEXT_LENGTH_PATHS),
        seen.find_limit(OUTPUT_LIMIT_PATHS),
    )
    read = [usage.input for usage in seen.conversation.usage_by_turn if usage.input is not None]
    if read and min(read) < read[0]:
        cut = f"input fell from {read[0]:,} to {min(read):,} tokens: the server drops what came first; give it a longer context"
        return Finding("limits", "problem", cut)
    for name, length in (("context", context), ("output", output)):
        if length is not None and cap > length:
            return Finding("limits", "warning", f"output_cap is {cap:,}, but the server's {name} ends at {length:,}: lower it")
    limits = [f"{name} {length:,}" for name, length in (("context", context), ("output", output)) if length is not None]
    return Finding(
        "limits", "ok", f"output_cap {cap:,}; the server tells " + (", ".join(limits) or "neither context nor output")
    )


def check_decision(seen: ProbeResult) -> Finding | None:
    """Whether it ended with a well-formed submission."""
    if problem := seen.fault_finding("answer"):
        return problem
    event = seen.conversation.event
    if event is None:
        return None
    if event is not Event.SUBMITTED:
        return Finding("answer", "problem", f"it ended with {event.value} instead of a well-formed submission")
    return Finding("answer", "ok", f"a well-formed submission ({seen.conversation.episode.outcome.value})")


CHECKS: tuple[Callable[[ProbeResult], Finding | None], ...] = (
    check_connection, check_key, check_model, check_tools, check_parallel_calls, check_tokens, check_limits, check_decision,
)  # fmt: skip
"""In the order in which they can fail; a check that was not reached has no finding."""

PROBE_RETRY_POLICY = RetryPolicy(seconds=15.0)
"""A server that needs more time than this is not ready now."""
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
    """List the models of a server, play one world, and check the protocol, not the decision.

    The server may be silent for `silence_seconds` before an answer, and take `listing_seconds` to list its models.
    """
    limited = replace(configuration, timeout=min(configuration.timeout, silence_seconds))
    return asyncio.run(_probe(limited, environment, world, notify, policy, listing_seconds))


async def _probe(
    configuration: Configuration,
    environment: Mapping[str, str],
    world: World,
    notify: Notify,
    policy: RetryPolicy,
    listing_seconds: float,
) -> ProbeResult:
    provider = Provider(configuration, environment)
    seen = ProbeResult(configuration, provider.address, Conversation(configuration, world))
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
            notify(f"asking {format_value(configuration.model)} to play {world.id}")
            await _play_world(provider, seen, notify, policy)
    finally:
        await provider.close()
    return seen


async def _play_world(provider: Provider, seen: ProbeResult, notify: Notify, policy: RetryPolicy) -> None:
    """Play to the end, or to a fault that is not an outcome of the model."""
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


# -- what a run would take --------------------------------------------------------------------------------------------------


class TurnPace(NamedTuple):
    """What a probe measured of a turn."""

    tokens_per_byte: float
    """Input tokens for a byte of a request."""
    added_bytes: float
    """Bytes that the model's own words and the frame of an answer add to the next request."""
    output_tokens: float
    """Output tokens."""
    cached_share: float
    """The share of input that was read from a cache."""
    seconds: float


class Forecast(NamedTuple):
    """A run in numbers; cost is None without prices."""

    evaluations: int
    calls: int
    input: int
    output: int
    seconds: float
    cost: float | None


def measure_pace(seen: ProbeResult) -> TurnPace | None:
    """The pace of a turn; None if the provider reported too little."""
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
    """A run over the entries: worlds of one family, level and interface count as the first of them."""
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
