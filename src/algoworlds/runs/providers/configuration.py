"""Model configurations: how to send requests to one model, and what its tokens cost."""

from dataclasses import dataclass, field

from algoworlds.core.canonical import JsonObject
from algoworlds.runs.providers.turn import Usage

PRICE_KINDS = ("input", "output", "cached")


@dataclass(frozen=True)
class Configuration:
    """Settings for requests to one model."""

    label: str
    api: str
    """The name of a wire API."""
    model: str
    output_cap: int
    base_url: str | None = None
    key_env: str | None = None
    """The environment variable that holds the key; None for servers without keys."""
    key_header: str = "authorization"
    """The header of the key: `authorization` gets a bearer token, any other (Azure: `api-key`) the key alone."""
    reasoning: JsonObject = field(default_factory=dict)
    """Thinking settings that the SDK types: the `reasoning` object of Responses, request fields of the other two."""
    temperature: float | None = None
    extra_body: JsonObject = field(default_factory=dict)
    """Vendor-specific request fields, sent unchanged."""
    prices: dict[str, float] = field(default_factory=dict)
    """USD per million tokens: input, output, cached (input read from a cache)."""
    returned_model: str | None = None
    """The model id in responses, where it is not the requested one."""
    cap_field: str | None = None
    """The request field of `output_cap`, where the API has several; None for the usual one."""
    stream: bool = True
    timeout: float = 600.0
    """Seconds of silence after which an attempt is cancelled."""
    attempt_seconds: float = 7200.0
    """Seconds that a whole attempt may take."""
    retry_seconds: float = 3600.0
    """Seconds during which one request is retried."""

    @property
    def has_prices(self) -> bool:
        """Whether input and output have prices."""
        return {"input", "output"} <= set(self.prices)

    def cost(self, usage: Usage) -> float | None:
        """USD for `usage`; None unless all prices and counts are known. Uncounted cache reads cost the full price.

        A count of cached tokens above that of input tokens is ignored.
        """
        if usage.input is None or usage.output is None or not self.has_prices:
            return None
        cached = usage.cached if usage.cached is not None and usage.cached <= usage.input else 0
        fresh, cached_price = usage.input - cached, self.prices.get("cached", self.prices["input"])
        return (fresh * self.prices["input"] + cached * cached_price + usage.output * self.prices["output"]) / 1e6

    def cost_bound(self, usage: Usage, request_bytes: int) -> float:
        """Upper bound on the cost of a turn if the provider does not report all tokens.

        An input token is at least one byte of the request, and output is at most the cap.
        """
        read = request_bytes if usage.input is None else usage.input
        written = self.output_cap if usage.output is None else usage.output
        return self.cost(Usage(read, written, cached=usage.cached)) or 0.0
