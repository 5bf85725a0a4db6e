"""How an attempt can fail, which fault a provider's message means, and what to do about it.

ProviderFault
├── Transient             retry with the same bytes
│   └── RequestTruncated  the server says that our body arrived broken: retry a few times
├── Misconfigured         no attempt can succeed until a setting changes: stop the queue of this model
├── ConversationRejected  a conversation that was answered before is refused: leave it pending, and report the message
├── ContextOverflow       the conversation no longer fits the model: an outcome of the trajectory
│   └── ContextExhausted  the model answered until its window was full
└── ContentFiltered       the provider's filter refused the request: an outcome of the trajectory
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from algoworlds.errors import AlgoWorldsError, format_value
from algoworlds.runs.providers.configuration import Configuration

MAX_DETAIL_LENGTH = 300
"""Characters of the provider's message that a fault quotes."""


class ProviderFault(AlgoWorldsError):
    """An attempt without a usable response; `kind` is a short fixed word, `detail` the provider's message.

    `was_sent` says whether the request may have reached the server.
    """

    def __init__(
        self,
        kind: str,
        detail: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        was_sent: bool = True,
    ) -> None:
        detail = " ".join(detail.split())[:MAX_DETAIL_LENGTH]
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind, self.detail, self.status, self.retry_after, self.was_sent = kind, detail, status, retry_after, was_sent

    @property
    def may_be_billed(self) -> bool:
        """Whether the provider may charge for the attempt: it was sent, and not refused by an error status."""
        return self.was_sent and self.status in (None, 200)


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


OVERFLOW_PHRASES: dict[str, tuple[str, ...]] = {
    "OpenAI": ("context_length_exceeded", "exceeds the context window", "maximum context length"),
    "Anthropic": ("prompt is too long", "exceed context limit", "request_too_large", "request exceeds the maximum size"),
    "Qwen": ("range of input length should be", "input length exceeds"),
    "DeepSeek": ("maximum context length",),
    "GLM": ("prompt exceeds max length", "prompt 超长", '"1261"'),
    "vLLM": ("maximum context length", "longer than the maximum model length", "reduce the length of the input"),
    "SGLang": ("is longer than the model's context length",),
    "llama.cpp": ("exceeds the available context size", "exceed_context_size_error", "exceed context window"),
}
"""How each provider says that a conversation no longer fits."""

FILTER_PHRASES: dict[str, tuple[str, ...]] = {
    "OpenAI": ('"invalid_prompt"', '"bio_policy"', '"misalignment_policy_violation"', '"content_filter"'),
    "Anthropic": ("blocked by content filtering policy",),
    "Qwen": ("data_inspection_failed", "datainspectionfailed"),
    "DeepSeek": ("content exists risk",),
    "GLM": ('"1301"', "unsafe or sensitive content"),
}
"""How each provider says that its filter refused a request."""

TRUNCATION_PHRASES = (
    "could not parse the json body",
    "request body is not valid json",
    "error parsing the body",
    "failed to parse the request body",
    "json decode error",
    "unexpected end of",
    "eof while parsing",
)
"""Complaints about a body that arrived broken."""

QUOTA_PHRASES = (
    "insufficient_quota",
    "exceeded your current quota",
    "insufficient balance",
    "credit balance is too low",
    "arrearage",
)
"""Rate-limit answers that waiting does not cure, unless they say how long to wait."""
RETRY_LATER_PHRASES = ("retrydelay", "please retry in")
"""How Gemini says that a quota is one of a minute or a day."""

SETUP_PHRASES = ("requires --jinja",)
"""Server errors about missing start options; llama.cpp sends them with status 500."""

_PAGE = re.compile(r"\s*<(?:!doctype\s+)?html\b.*?<title>([^<]+)", re.IGNORECASE | re.DOTALL)
"""An HTML page, which gateways and web servers without the API answer, with its title."""

TRANSIENT_STATUSES = {408, 409, 425, 429}


def all_vendor_phrases(phrases: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The phrases of all vendors: gateways pass them on, over whatever API."""
    return tuple(phrase for vendor_phrases in phrases.values() for phrase in vendor_phrases)


def fault_from_response(status: int, headers: Mapping[str, str], text: str) -> ProviderFault:
    """The fault of an answer with an error status."""
    detail, kind = _detail(text), f"http_{status}"
    if 300 <= status < 400:
        return Misconfigured("redirect", "the endpoint redirects, and a key is never sent on; correct base_url", status)
    if status in TRANSIENT_STATUSES or status >= 500:
        if contains_phrase(text, QUOTA_PHRASES) and not contains_phrase(text, RETRY_LATER_PHRASES):
            return Misconfigured("quota", detail, status)
        if contains_phrase(text, SETUP_PHRASES):
            return Misconfigured(kind, detail, status)
        return Transient(kind, detail, status, parse_retry_after(headers))
    if status in (400, 413, 422):
        return _fault_from_phrases(status, text) or Misconfigured(kind, detail, status)
    return Misconfigured(kind, detail, status)


def fault_from_error(error: Any) -> ProviderFault:
    """The fault of an error inside an answer with status 200."""
    text = json.dumps(error, ensure_ascii=False)
    fault = _fault_from_phrases(200, text)
    return fault if fault and not isinstance(fault, RequestTruncated) else Transient("error_in_answer", _detail(text), 200)


def contains_phrase(text: str, phrases: tuple[str, ...]) -> bool:
    """Whether `text` contains one of the lower-case `phrases`, in any capitalisation."""
    lower = text.lower()
    return any(phrase in lower for phrase in phrases)


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, given as a number or a date; None if it does not say."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if seconds == seconds else None


def _fault_from_phrases(status: int, text: str) -> ProviderFault | None:
    detail = _detail(text)
    if status == 413 or contains_phrase(text, all_vendor_phrases(OVERFLOW_PHRASES)):
        return ContextOverflow("context_overflow", detail, status)
    if contains_phrase(text, all_vendor_phrases(FILTER_PHRASES)):
        return ContentFiltered("content_filter", detail, status)
    if contains_phrase(text, TRUNCATION_PHRASES):
        return RequestTruncated("truncated", detail, status)
    return None


def _detail(text: str) -> str:
    """The message inside an error body, the title of a page, or the body itself."""
    page = _PAGE.match(text)
    if page is not None:
        return f"an HTML page ({page[1].strip()})"
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    body = body[0] if isinstance(body, list) and len(body) == 1 else body  # Gemini
    inner = body.get("error", body) if isinstance(body, dict) else body
    message = inner.get("message") if isinstance(inner, dict) else inner
    return message if isinstance(message, str) and message else text


class Advice(NamedTuple):
    """A kind of fault: what it is about, how it is recognised, and what to do."""

    about: str
    """The part of a probe that it belongs to: connection, key, model, tools, limits or answer."""
    kinds: tuple[str, ...]
    phrases: tuple[str, ...]
    """The provider's message contains one of these; empty if the kind suffices."""
    text: str


REFUSAL_KINDS = ("http_400", "http_404", "http_422", "http_500", "http_501")
"""Statuses with which servers refuse what they cannot do."""
NO_TOOLS_PHRASES = ("does not support tools", "support tool use", "does not support function", "tools is not supported")
UNKNOWN_MODEL_PHRASES = ("not a valid model", "model not found", "unknown model", "invalid model", "does not exist")

SLOW_SERVER = "it runs but is slow: wait until it has loaded the model, or give it longer (--patience; in a run timeout)"

ADVICE_TABLE = (
    Advice("connection", ("connection",), ("silent for",), SLOW_SERVER),
    Advice("connection", ("timeout",), (), SLOW_SERVER),
    Advice("connection", ("connection",), (), "check base_url, and that the server runs"),
    Advice("connection", ("redirect",), (), "take the address that it leads to"),
    Advice("key", ("http_400",), ("api key not valid", "invalid api key"), "the key in {key_env} is refused"),
    Advice("key", ("http_401",), (), "the key in {key_env} is refused: check it, key_header ({key_header}) and base_url"),
    Advice("key", ("http_403",), (), "the key in {key_env} may not do this: check its rights, the model and base_url"),
    Advice("key", ("quota", "http_402"), (), "the account behind {key_env} is used up"),
    Advice("tools", REFUSAL_KINDS, NO_TOOLS_PHRASES, "choose a model that can call tools"),
    Advice("tools", REFUSAL_KINDS, ("--enable-auto-tool-choice",), "start the server with these two options"),
    Advice("tools", REFUSAL_KINDS, ("--jinja",), "start llama-server with --jinja"),
    Advice("limits", REFUSAL_KINDS, ("max_completion_tokens",), 'set cap_field = "max_completion_tokens"'),
    Advice("limits", ("first_request", "context_overflow"), (), ""),
    Advice("model", ("http_404",), ("model", "deployment"), "check the spelling of model, which is {model}"),
    Advice("model", ("http_400",), UNKNOWN_MODEL_PHRASES, "check the spelling of model, which is {model}"),
    Advice("model", ("other_model",), (), ""),
    Advice("connection", ("http_404", "http_405"), (), "no such path: does base_url end as the API's does (often /v1)?"),
    Advice(
        "connection", ("unreadable", "http_501"), ("html",), "no API there: does base_url end as the API's does (often /v1)?"
    ),
    Advice("limits", ("http_429",), (), "it limits the rate: wait, or lower --concurrency"),
    Advice("answer", ("cut_off", "unreadable"), (), "its answers are broken or end too early: try stream the other way"),
)
"""The first row that matches applies."""

NO_ADVICE = Advice("answer", (), (), "")


def find_advice(fault: ProviderFault) -> Advice:
    """The row of the table for `fault`."""
    rows = (row for row in ADVICE_TABLE if fault.kind in row.kinds)
    return next((row for row in rows if not row.phrases or contains_phrase(fault.detail, row.phrases)), NO_ADVICE)


def explain_fault(fault: ProviderFault, configuration: Configuration) -> str:
    """A fault with what to do about it."""
    text = find_advice(fault).text.format(
        key_env=configuration.key_env or "no variable (key_env is not set)",
        key_header=configuration.key_header,
        model=format_value(configuration.model),
    )
    return f"{fault}; {text}" if text else str(fault)
