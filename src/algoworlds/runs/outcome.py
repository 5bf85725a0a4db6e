"""What can happen to an evaluation, and what follows, in one table.

What the model can cause is final and scored; what the infrastructure causes leaves the evaluation pending and is never scored.
Missing decisions and protocol violations score zero on the final-decision measures, while the trajectory diagnostics are still
computed from the calls that were executed.
"""

from enum import Enum
from typing import NamedTuple

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
    """How an evaluation, or an attempt at one of its requests, ended."""

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
    TRANSIENT = "transient"
    TRUNCATED = "truncated"
    REJECTED = "rejected"
    MISCONFIGURED = "misconfigured"
    LOST = "lost"
    HARNESS = "harness"


class Rule(NamedTuple):
    """What follows from an event."""

    final: bool
    """Whether a record is written; otherwise the evaluation stays pending."""
    retries: int | None
    """How often the same request may be sent again; None: limited only by the time of the retry policy."""
    halts: bool
    """Whether the run stops sending requests for this configuration."""


OUTCOMES: dict[Event, Rule] = {
    Event.SUBMITTED: Rule(final=True, retries=0, halts=False),
    Event.CALL_CAP: Rule(final=True, retries=0, halts=False),
    Event.ATTEMPT_CAP: Rule(final=True, retries=0, halts=False),
    Event.TEXT_END: Rule(final=True, retries=0, halts=False),
    Event.OUTPUT_CAP: Rule(final=True, retries=0, halts=False),
    Event.CONTEXT_OVERFLOW: Rule(final=True, retries=0, halts=False),
    Event.REFUSAL: Rule(final=True, retries=0, halts=False),
    Event.CONTENT_FILTER: Rule(final=True, retries=0, halts=False),
    Event.AGENT_ERROR: Rule(final=True, retries=0, halts=False),
    Event.TIME_LIMIT: Rule(final=True, retries=0, halts=False),
    Event.TRANSIENT: Rule(final=False, retries=None, halts=False),
    Event.TRUNCATED: Rule(final=False, retries=3, halts=False),
    Event.REJECTED: Rule(final=False, retries=0, halts=False),
    Event.MISCONFIGURED: Rule(final=False, retries=0, halts=True),
    Event.LOST: Rule(final=False, retries=0, halts=False),
    Event.HARNESS: Rule(final=False, retries=0, halts=False),
}
"""Events that are final are also the stop reasons of records."""

MAX_EMPTY_CALL_TURNS = 2
"""How often a turn that announces calls but has none is requested again; then it counts as a turn without calls."""


class AgentProcessLost(AlgoWorldsError):
    """The agent's process was ended from outside: its evaluation stays pending and is played again."""


def event_from_fault(fault: Exception) -> Event:
    """The event of a failure."""
    if isinstance(fault, AgentProcessLost):
        return Event.LOST
    if isinstance(fault, ContextOverflow):
        return Event.CONTEXT_OVERFLOW
    if isinstance(fault, ContentFiltered):
        return Event.CONTENT_FILTER
    if isinstance(fault, Misconfigured):
        return Event.MISCONFIGURED
    if isinstance(fault, ConversationRejected):
        return Event.REJECTED
    if isinstance(fault, RequestTruncated):
        return Event.TRUNCATED
    return Event.TRANSIENT if isinstance(fault, ProviderFault) else Event.HARNESS


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
