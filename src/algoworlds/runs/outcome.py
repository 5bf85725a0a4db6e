"""What can happen to an evaluation, and what follows.

What the model can cause is final and scored; what the infrastructure causes leaves the evaluation pending and is never scored.
Missing decisions and protocol violations score zero on the final-decision measures, while the trajectory diagnostics are still
computed from the calls that were executed.
"""

from enum import Enum

from algoworlds.errors import AlgoWorldsError
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import (
    ContentFiltered,
    ContextExhausted,
    ContextOverflow,
    ConversationRejected,
    Misconfigured,
    ProviderFault,
    RequestTruncated,
)

REFUSED_BODY_STATUSES = (400, 422)
"""Statuses with which a provider refuses the content of a body."""


class Event(Enum):
    """How an evaluation, or an attempt at one of its requests, ended; final events are also the stop reasons of records."""

    SUBMITTED = "submitted"
    CALL_CAP = "call_cap"
    ATTEMPT_CAP = "attempt_cap"
    TEXT_END = "text_end"
    OUTPUT_CAP = "output_cap"
    CONTEXT_OVERFLOW = "context_overflow"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    AGENT_ERROR = "agent_error"
    TIME_LIMIT = "time_limit"
    # not final: the evaluation stays pending
    TRANSIENT = "transient"
    TRUNCATED = "truncated"
    REJECTED = "rejected"
    MISCONFIGURED = "misconfigured"
    LOST = "lost"
    HARNESS = "harness"

    @property
    def is_final(self) -> bool:
        """Whether a record is written."""
        return self not in PENDING_EVENTS

    @property
    def halts(self) -> bool:
        """Whether the run starts nothing further, because no evaluation can succeed before a setting changes."""
        return self is Event.MISCONFIGURED


PENDING_EVENTS = (Event.TRANSIENT, Event.TRUNCATED, Event.REJECTED, Event.MISCONFIGURED, Event.LOST, Event.HARNESS)
MAX_EMPTY_CALL_TURNS = 2
"""How often a turn that announces calls but has none is requested again; then it counts as a turn without calls."""


class AgentProcessLost(AlgoWorldsError):
    """The agent's process was ended from outside: its evaluation stays pending and is played again."""


class AgentNotStarted(AlgoWorldsError):
    """An external agent ended before its first call: its set-up is at fault, so its evaluation stays pending."""


EVENT_BY_FAULT: dict[type[AlgoWorldsError], Event] = {
    AgentProcessLost: Event.LOST,
    AgentNotStarted: Event.MISCONFIGURED,
    ContextOverflow: Event.CONTEXT_OVERFLOW,
    ContentFiltered: Event.CONTENT_FILTER,
    Misconfigured: Event.MISCONFIGURED,
    ConversationRejected: Event.REJECTED,
    RequestTruncated: Event.TRUNCATED,
    ProviderFault: Event.TRANSIENT,
}
"""The first class that fits applies."""


def event_from_fault(fault: Exception) -> Event:
    """The event of a failure; any other exception is an error of ours."""
    return next((event for kind, event in EVENT_BY_FAULT.items() if isinstance(fault, kind)), Event.HARNESS)


def reclassify_fault(fault: ProviderFault, turn: int, configuration: Configuration) -> ProviderFault:
    """`fault` at `turn`: before the first answer it is due to the configuration, later to the conversation."""
    if turn > 1 and isinstance(fault, Misconfigured) and fault.status in REFUSED_BODY_STATUSES:
        return ConversationRejected(fault.kind, fault.detail, fault.status)
    if turn == 1 and isinstance(fault, ContextOverflow) and not isinstance(fault, ContextExhausted):
        setting = f"lower output_cap, which is {configuration.output_cap:,}, or choose a model with room for it"
        if fault.status == 413:
            setting = "check base_url, or let the server take larger requests"
        return Misconfigured("first_request", f"too large before any answer: {setting} ({fault.detail})", fault.status)
    return fault
