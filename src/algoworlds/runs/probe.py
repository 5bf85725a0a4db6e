"""A doctor for a configuration: it reaches the server, plays a small world, and says of each part whether it is fit."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from algoworlds.errors import format_value
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.outcome import OUTCOMES, Event, event_from_fault, reclassify_fault
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.refusals import explain_fault, find_advice
from algoworlds.runs.providers.retry import Attempt, RetryPolicy, request_with_retries
from algoworlds.runs.providers.turn import count_at
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
class ProbeEvidence:
    """All that was seen of a server."""

    configuration: Configuration
    address: str
    conversation: Conversation
    listed_models: list[dict[str, Any]] | None = None
    """Its models as it lists them; None if it does not."""
    fault: ProviderFault | None = None
    """What ended the probe before the model could."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
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

    def find_limit(self, places: tuple[tuple[str, ...], ...]) -> int | None:
        """A number that the server tells of the model."""
        names = (self.configuration.model, self.configuration.returned_model)
        mine = next((listed_model for listed_model in self.listed_models or [] if listed_model.get("id") in names), None)
        return next((number for place in places if (number := count_at(mine, *place)) is not None), None)


def check_connection(seen: ProbeEvidence) -> Finding:
    """Whether the server can be reached."""
    return seen.fault_finding("connection") or Finding("connection", "ok", f"{format_value(seen.address)} answers")


def check_key(seen: ProbeEvidence) -> Finding | None:
    """Whether it accepts the key."""
    variable, accepted = seen.configuration.key_env, seen.has_answer or seen.listed_models is not None
    fine = Finding("key", "ok", f"{format_value(variable)} is taken" if variable else "none is asked for") if accepted else None
    return seen.fault_finding("key") or fine


def check_model(seen: ProbeEvidence) -> Finding | None:
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


def check_tools(seen: ProbeEvidence) -> Finding | None:
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


def check_parallel_calls(seen: ProbeEvidence) -> Finding | None:
    """Whether one call at a time is respected; more are refused, which costs a model turns it may not expect."""
    later = seen.conversation.later_calls
    if not seen.has_answer:
        return None
    if later:
        return Finding("parallel calls", "warning", f"{later} refused: it makes several calls in a turn though told not to")
    return Finding("parallel calls", "ok", "none made")


def check_tokens(seen: ProbeEvidence) -> Finding | None:
    """Whether tokens are counted."""
    if not seen.has_answer:
        return None
    counted = seen.conversation.tokens
    if counted["input"] is None or counted["output"] is None:
        return Finding("tokens", "warning", "not reported: no cost is known, and --max-cost counts the most it can have been")
    if seen.configuration.reasoning and counted["reasoning"] == 0:
        return Finding("tokens", "problem", "it reports no reasoning tokens although reasoning is configured")
    return Finding("tokens", "ok", ", ".join(f"{kind} {number:,}" for kind, number in counted.items() if number is not None))


def check_limits(seen: ProbeEvidence) -> Finding | None:
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


def check_decision(seen: ProbeEvidence) -> Finding | None:
    """Whether it ended with a well-formed submission."""
    if problem := seen.fault_finding("answer"):
        return problem
    event = seen.conversation.event
    if event is None:
        return None
    if event is not Event.SUBMITTED:
        return Finding("answer", "problem", f"it ended with {event.value} instead of a well-formed submission")
    return Finding("answer", "ok", f"a well-formed submission ({seen.conversation.episode.outcome.value})")


CHECKS: tuple[Callable[[ProbeEvidence], Finding | None], ...] = (
    check_connection, check_key, check_model, check_tools, check_parallel_calls, check_tokens, check_limits, check_decision,
)  # fmt: skip
"""In the order in which they can fail; a check that was not reached has no finding."""

PROBE_RETRY_POLICY = RetryPolicy(seconds=15.0)
"""A server that needs more time than this is not ready now."""
Notify = Callable[[str], Any]


@dataclass(frozen=True)
class ProbeResult:
    """The result of a probe; without problems the configuration can follow the protocol."""

    evidence: ProbeEvidence

    @property
    def findings(self) -> list[Finding]:
        """The findings of all checks that the probe reached."""
        return [finding for check in CHECKS if (finding := check(self.evidence)) is not None]

    @property
    def problems(self) -> list[str]:
        """Why the configuration is not ready for a run."""
        return [finding.text for finding in self.findings if finding.state == "problem"]

    @property
    def json(self) -> dict[str, Any]:
        """The result as JSON."""
        conversation = self.evidence.conversation
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
    return ProbeResult(asyncio.run(_collect_evidence(limited, environment, world, notify, policy, listing_seconds)))


async def _collect_evidence(
    configuration: Configuration,
    environment: Mapping[str, str],
    world: World,
    tell: Notify,
    policy: RetryPolicy,
    listing: float,
) -> ProbeEvidence:
    provider = Provider(configuration, environment)
    seen = ProbeEvidence(configuration, provider.address, Conversation(configuration, world))
    try:
        tell(f"asking {format_value(seen.address)} for its models")
        with suppress(TimeoutError):
            async with asyncio.timeout(listing):
                await _list_models(provider, seen)
        if seen.fault is None:
            tell(f"asking {format_value(configuration.model)} to play {world.id}")
            await _play_world(provider, seen, tell, policy)
    finally:
        await provider.close()
    return seen


async def _list_models(provider: Provider, seen: ProbeEvidence) -> None:
    """List the models. Only a failed connection is a fault: servers need not list their models."""
    try:
        seen.listed_models = await provider.list_models()
    except ProviderFault as fault:
        seen.fault = fault if fault.kind == "connection" else None


async def _play_world(provider: Provider, seen: ProbeEvidence, tell: Notify, policy: RetryPolicy) -> None:
    """Play to the end, or to a fault that is not an outcome of the model."""
    conversation = seen.conversation

    def note(attempt: Attempt) -> None:
        seen.attempts.append(attempt)
        if attempt.fault:
            tell(f"turn {conversation.turn + 1}, attempt {attempt.number}: {attempt.fault}: {attempt.detail}")

    while conversation.event is None:
        seen.bodies.append(conversation.body)
        try:
            answer = await request_with_retries(provider, conversation.body, note, policy)
            conversation.feed({"response": answer.response}, answer.turn)
        except ProviderFault as raised:
            fault = reclassify_fault(raised, conversation.turn + 1, seen.configuration)
            if not OUTCOMES[event_from_fault(fault)].final:
                seen.fault = fault
                return
            conversation.feed({"event": event_from_fault(fault).value})
        tell(f"turn {conversation.turn}: {_last(conversation)}")


def _last(conversation: Conversation) -> str:
    """The latest call and what it was answered."""
    episode = conversation.episode
    return f"{episode.calls[-1].tool}: {episode.observations[-1].status.value}" if episode.calls else "no call"
