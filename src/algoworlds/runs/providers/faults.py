"""What an attempt can come to besides a response.

ProviderFault
├── Transient            try the same bytes again
│   └── Truncated        the server says our body arrived broken: try again, a few times
├── Misconfigured        no attempt can succeed until somebody changes something: stop this model's queue
├── Rejected             a conversation that was answered before is refused: leave it alone, and tell what was said
├── ContextOverflow      the conversation no longer fits the model: an outcome of the trajectory
│   └── RanOut           the model answered until its window was full
└── ContentFiltered      the provider's filter refused the request: an outcome of the trajectory
"""

from algoworlds.errors import AlgoWorldsError

LONGEST_DETAIL = 300
"""Characters of a provider's own words that a fault repeats."""


class ProviderFault(AlgoWorldsError):
    """An attempt without a usable response; `kind` is a short fixed word, the detail the provider's own."""

    def __init__(self, kind: str, detail: str = "", status: int | None = None, retry_after: float | None = None) -> None:
        detail = " ".join(detail.split())[:LONGEST_DETAIL]
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind, self.detail, self.status, self.retry_after = kind, detail, status, retry_after


class Transient(ProviderFault):
    """A passing trouble of the network or the provider."""


class Truncated(Transient):
    """A complaint that our request arrived cut off or unreadable."""


class Misconfigured(ProviderFault):
    """A request that this configuration can never have answered."""


class Rejected(ProviderFault):
    """A conversation whose beginning was answered and that the provider refuses to go on with."""


class ContextOverflow(ProviderFault):
    """The conversation is longer than the model's context window."""


class RanOut(ContextOverflow):
    """An answer that the end of the model's context window cut off: there was an answer, whatever came before it."""


class ContentFiltered(ProviderFault):
    """The provider's filter refused the request or its answer."""
