"""What can happen to an evaluation, and what follows: one table.

What the model can cause is finalized and scored; what the infrastructure causes leaves the evaluation pending and is
never scored. Missing decisions and protocol violations score zero on the final-decision measures, while the trajectory
diagnostics are still computed from the calls that were executed.
"""

from enum import Enum
from typing import NamedTuple


class Event(Enum):
    """How an evaluation, or an attempt at one of its requests, came to an end."""

    SUBMITTED = "submitted"
    CALL_CAP = "call_cap"
    ATTEMPT_CAP = "attempt_cap"
    TEXT_END = "text_end"
    OUTPUT_CAP = "output_cap"
    CONTEXT_OVERFLOW = "context_overflow"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    TRANSIENT = "transient"
    TRUNCATED = "truncated"
    REJECTED = "rejected"
    MISCONFIGURED = "misconfigured"
    HARNESS = "harness"


class Rule(NamedTuple):
    """What follows from an event."""

    final: bool
    """A record is finalized; otherwise the evaluation stays pending."""
    retries: int | None
    """How often the same request may be sent again: None without limit but the policy's time."""
    halts: bool
    """Nothing further is asked of this configuration in this run."""


OUTCOMES: dict[Event, Rule] = {
    Event.SUBMITTED: Rule(final=True, retries=0, halts=False),
    Event.CALL_CAP: Rule(final=True, retries=0, halts=False),
    Event.ATTEMPT_CAP: Rule(final=True, retries=0, halts=False),
    Event.TEXT_END: Rule(final=True, retries=0, halts=False),
    Event.OUTPUT_CAP: Rule(final=True, retries=0, halts=False),
    Event.CONTEXT_OVERFLOW: Rule(final=True, retries=0, halts=False),
    Event.REFUSAL: Rule(final=True, retries=0, halts=False),
    Event.CONTENT_FILTER: Rule(final=True, retries=0, halts=False),
    Event.TRANSIENT: Rule(final=False, retries=None, halts=False),
    Event.TRUNCATED: Rule(final=False, retries=3, halts=False),
    Event.REJECTED: Rule(final=False, retries=0, halts=False),
    Event.MISCONFIGURED: Rule(final=False, retries=0, halts=True),
    Event.HARNESS: Rule(final=False, retries=0, halts=False),
}
"""Events that are final are also the stop reasons of records."""

EMPTY_CALLS = 2
"""A turn that announces calls and has none is asked again this often; then it counts as a turn without calls."""
