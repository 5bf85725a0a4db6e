"""What a probe looks at: one check for each part of a configuration, from the connection to the decision."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from algoworlds.errors import shown
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.outcome import Event
from algoworlds.runs.providers.advice import advice, told
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.retry import Attempt
from algoworlds.runs.providers.turn import count

ROUNDS = 2
"""Executed information calls that make several rounds of tools."""
NAMED = 5
"""Models that a message names."""

CONTEXT = (
    ("max_model_len",),  # vLLM, SGLang
    ("meta", "n_ctx"),  # llama.cpp
    ("top_provider", "context_length"),  # OpenRouter
    ("context_length",),
    ("context_window",),
    ("max_input_tokens",),  # Anthropic
)
"""Where lists of models hold the length of the context."""
OUTPUT = (("top_provider", "max_completion_tokens"), ("max_completion_tokens",), ("max_output_tokens",), ("max_tokens",))
"""Where they hold the most that is written at once."""


class Finding(NamedTuple):
    """What a check found: fit for a run (`ok`), fit with something to know (`warning`), or not (`problem`)."""

    about: str
    state: str
    text: str


@dataclass
class Examination:
    """All that was seen of a server."""

    configuration: Configuration
    address: str
    conversation: Conversation
    listed: list[dict[str, Any]] | None = None
    """Its models as it lists them; None if it does not."""
    fault: ProviderFault | None = None
    """What ended the probe before the model could."""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    """Every request of the conversation."""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The models that the server lists."""
        return [str(each["id"]) for each in self.listed or [] if each.get("id")]

    @property
    def answered(self) -> bool:
        """Whether the model said anything."""
        return bool(self.conversation.usage)

    def trouble(self, about: str) -> Finding | None:
        """The fault, if it is about this part."""
        if self.fault is None or advice(self.fault).about != about:
            return None
        return Finding(about, "problem", told(self.fault, self.configuration).removeprefix(f"{about}: "))

    def limit(self, places: tuple[tuple[str, ...], ...]) -> int | None:
        """A number that the server tells of the model."""
        names = (self.configuration.model, self.configuration.returned_model)
        mine = next((each for each in self.listed or [] if each.get("id") in names), None)
        return next((number for place in places if (number := count(mine, *place)) is not None), None)


def connection(seen: Examination) -> Finding:
    """Whether the server can be talked to."""
    return seen.trouble("connection") or Finding("connection", "ok", f"{shown(seen.address)} answers")


def key(seen: Examination) -> Finding | None:
    """Whether it takes the key."""
    variable, known = seen.configuration.key_env, seen.answered or seen.listed is not None
    fine = Finding("key", "ok", f"{shown(variable)} is taken" if variable else "none is asked for") if known else None
    return seen.trouble("key") or fine


def model(seen: Examination) -> Finding | None:
    """Whether it knows the model, and by which name it answers."""
    known = seen.names
    if problem := seen.trouble("model"):
        others = f"; it lists {', '.join(map(shown, known[:NAMED]))}" + (" and others" if len(known) > NAMED else "")
        return problem._replace(text=problem.text + (others if known else ""))
    answered = seen.conversation.model
    return Finding("model", "ok", f"answered by {shown(answered or 'a model without a name')}") if seen.answered else None


def tools(seen: Examination) -> Finding | None:
    """Whether calls are made and answered over several rounds."""
    executed, event = seen.conversation.episode.executed, seen.conversation.event
    if problem := seen.trouble("tools"):
        return problem
    if event is None and executed < ROUNDS:
        return None
    if executed < ROUNDS:
        few = f"it executed {executed} information calls; several rounds need {ROUNDS} at least"
        return Finding("tools", "problem", few)
    return Finding("tools", "ok", f"{executed} calls made and answered in {seen.conversation.turn} turns")


def parallel(seen: Examination) -> Finding | None:
    """Whether one call at a time is respected; more are refused, which costs a model turns it may not expect."""
    later = seen.conversation.later_calls
    if not seen.answered:
        return None
    if later:
        return Finding("parallel calls", "warning", f"{later} refused: it makes several calls in a turn though told not to")
    return Finding("parallel calls", "ok", "none made")


def tokens(seen: Examination) -> Finding | None:
    """Whether tokens are counted."""
    if not seen.answered:
        return None
    counted = seen.conversation.tokens
    if counted["input"] is None or counted["output"] is None:
        return Finding("tokens", "warning", "not reported: no cost is known, and --max-cost counts the most it can have been")
    if seen.configuration.reasoning and counted["reasoning"] == 0:
        return Finding("tokens", "problem", "it reports no reasoning tokens although reasoning is configured")
    return Finding("tokens", "ok", ", ".join(f"{kind} {number:,}" for kind, number in counted.items() if number is not None))


def limits(seen: Examination) -> Finding | None:
    """Whether context and output are as long as the configuration takes for granted."""
    if problem := seen.trouble("limits"):
        return problem
    if not seen.answered:
        return None
    cap, context, output = seen.configuration.output_cap, seen.limit(CONTEXT), seen.limit(OUTPUT)
    read = [usage.input for usage in seen.conversation.usage if usage.input is not None]
    if read and min(read) < read[0]:
        cut = f"input fell from {read[0]:,} to {min(read):,} tokens: the server drops what came first; give it a longer context"
        return Finding("limits", "problem", cut)
    for name, length in (("context", context), ("output", output)):
        if length is not None and cap > length:
            return Finding("limits", "warning", f"output_cap is {cap:,}, but the server's {name} ends at {length:,}: lower it")
    said = [f"{name} {length:,}" for name, length in (("context", context), ("output", output)) if length is not None]
    return Finding("limits", "ok", f"output_cap {cap:,}; the server tells " + (", ".join(said) or "neither context nor output"))


def decision(seen: Examination) -> Finding | None:
    """Whether it ended with a well-formed submission."""
    if problem := seen.trouble("answer"):
        return problem
    event = seen.conversation.event
    if event is None:
        return None
    if event is not Event.SUBMITTED:
        return Finding("answer", "problem", f"it ended with {event.value} instead of a well-formed submission")
    return Finding("answer", "ok", f"a well-formed submission ({seen.conversation.episode.outcome.value})")


CHECKS: tuple[Callable[[Examination], Finding | None], ...] = (
    connection, key, model, tools, parallel, tokens, limits, decision,
)  # fmt: skip
"""In the order in which they can go wrong; one that was not reached says nothing."""
