"""How an attempt can fail.

ProviderFault
├── Transient             retry with the same bytes
│   └── RequestTruncated  the server says that our body arrived broken: retry a few times
├── Misconfigured         no attempt can succeed until a setting changes: stop the queue of this model
├── ConversationRejected  a conversation that was answered before is refused: leave it pending, and report the message
├── ContextOverflow       the conversation no longer fits the model: an outcome of the trajectory
│   └── ContextExhausted  the model answered until its window was full
└── ContentFiltered       the provider's filter refused the request: an outcome of the trajectory
"""

from algoworlds.errors import AlgoWorldsError

MAX_DETAIL_LENGTH = 300
"""Characters of the provider's message that a fault quotes."""


class ProviderFault(AlgoWorldsError):
    """An attempt without a usable response; `kind` is a short fixed word, `detail` the provider's message."""

    def __init__(self, kind: str, detail: str = "", status: int | None = None, retry_after: float | None = None) -> None:
        detail = " ".join(detail.split())[:MAX_DETAIL_LENGTH]
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind, self.detail, self.status, self.retry_after = kind, detail, status, retry_after


class Transient(ProviderFault):
    """A temporary failure of the network or the provider."""


class RequestTruncated(Transient):
    """A complaint that our request arrived cut off or unreadable."""


class Misconfigured(ProviderFault):
    """A request that can never succeed with this configuration."""


class ConversationRejected(ProviderFault):
    """A conversation that the provider answered at first and now refuses."""


class ContextOverflow(ProviderFault):
    """The conversation is longer than the model's context window."""


class ContextExhausted(ContextOverflow):
    """An answer that was cut off at the end of the model's context window."""


class ContentFiltered(ProviderFault):
    """The provider's filter refused the request or its answer."""
