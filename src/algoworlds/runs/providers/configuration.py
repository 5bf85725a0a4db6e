"""How one model is asked: the settings of a configuration, and what tokens cost by them."""

from dataclasses import dataclass, field
from typing import Any

from algoworlds.runs.providers.turn import Usage

PRICES = ("input", "output", "cached")


@dataclass(frozen=True)
class Configuration:
    """How one model is asked."""

    label: str
    api: str
    """The name of a wire API."""
    model: str
    output_cap: int
    base_url: str | None = None
    key_env: str | None = None
    """The environment variable that holds the key; None for servers that want none."""
    key_header: str = "authorization"
    """The header that brings the key: as a bearer in `authorization`, alone in any other, such as Azure's `api-key`."""
    reasoning: dict[str, Any] = field(default_factory=dict)
    """Thinking settings that the SDK types: the `reasoning` object of Responses, request fields of the other two."""
    temperature: float | None = None
    extra_body: dict[str, Any] = field(default_factory=dict)
    """Request fields of this vendor alone, sent as they are."""
    prices: dict[str, float] = field(default_factory=dict)
    """USD per million tokens: input, output, cached (input read from a cache)."""
    returned_model: str | None = None
    """The model id in responses, where it is not the requested one."""
    cap_field: str | None = None
    """The request field of `output_cap`, where the API has several; None for the usual one."""
    stream: bool = True
    timeout: float = 600.0
    """Seconds of silence after which an attempt is given up."""
    attempt_seconds: float = 7200.0
    """Seconds that a whole attempt may take."""
    retry_seconds: float = 3600.0
    """Seconds over which one request is tried again."""

    @property
    def priced(self) -> bool:
        """Whether input and output have prices."""
        return {"input", "output"} <= set(self.prices)

    def cost(self, usage: Usage) -> float | None:
        """USD for some tokens; None unless the prices and the counts are all known. Uncounted cache reads cost full price.

        A server that counts more cached than read tokens tells nothing about its cache.
        """
        if usage.input is None or usage.output is None or not self.priced:
            return None
        cached = usage.cached if usage.cached is not None and usage.cached <= usage.input else 0
        dear, cheap = usage.input - cached, self.prices.get("cached", self.prices["input"])
        return (dear * self.prices["input"] + cached * cheap + usage.output * self.prices["output"]) / 1e6

    def bound(self, usage: Usage, sent: int) -> float:
        """The most that a turn can have cost if the provider does not tell all its tokens.

        A token read is a byte of the request at least, and no more are written than the cap allows.
        """
        read = sent if usage.input is None else usage.input
        written = self.output_cap if usage.output is None else usage.output
        return self.cost(Usage(read, written, cached=usage.cached)) or 0.0
