"""Reading a provider's refusals: which fault a status and the provider's words amount to. The only table of phrases."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from algoworlds.runs.providers.faults import (
    ContentFiltered,
    ContextOverflow,
    Misconfigured,
    ProviderFault,
    Transient,
    Truncated,
)


class Phrases(NamedTuple):
    """Ways to say in lower case that a conversation no longer fits, and that a filter refused it."""

    overflow: tuple[str, ...] = ()
    filtered: tuple[str, ...] = ()


NO_PHRASES = Phrases()

OVERFLOW: dict[str, tuple[str, ...]] = {
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

FILTERED: dict[str, tuple[str, ...]] = {
    "OpenAI": ('"invalid_prompt"', '"bio_policy"', '"misalignment_policy_violation"', '"content_filter"'),
    "Anthropic": ("blocked by content filtering policy",),
    "Qwen": ("data_inspection_failed", "datainspectionfailed"),
    "DeepSeek": ("content exists risk",),
    "GLM": ('"1301"', "unsafe or sensitive content"),
}
"""How each provider says that its filter refused a request."""

TRUNCATED = (
    "could not parse the json body",
    "request body is not valid json",
    "error parsing the body",
    "failed to parse the request body",
    "json decode error",
    "unexpected end of",
    "eof while parsing",
)
"""Complaints about a body that arrived broken."""

QUOTA = ("insufficient_quota", "exceeded your current quota", "insufficient balance", "credit balance is too low", "arrearage")
"""Rate-limit answers that no waiting cures, unless they say how long to wait."""
AWAITING = ("retrydelay", "please retry in")
"""How Gemini says that a quota is one of a minute or a day."""

SETUP = ("requires --jinja",)
"""Server errors that tell how the server ought to have been started; llama.cpp's has status 500."""

_PAGE = re.compile(r"\s*<(?:!doctype\s+)?html\b.*?<title>([^<]+)", re.IGNORECASE | re.DOTALL)
"""What gateways and web servers answer that know nothing of an API, with its title."""

PASSING = {408, 409, 425, 429}


def vendors(phrases: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The phrases of all vendors: gateways pass them on, over whatever API."""
    return tuple(phrase for each in phrases.values() for phrase in each)


def refusal(status: int, headers: Mapping[str, str], text: str, own: Phrases = NO_PHRASES) -> ProviderFault:
    """The fault that an answer with an error status amounts to."""
    detail, kind = _detail(text), f"http_{status}"
    if 300 <= status < 400:
        return Misconfigured("redirect", "the endpoint redirects, and a key is never sent on; correct base_url", status)
    if status in PASSING or status >= 500:
        if says(text, QUOTA) and not says(text, AWAITING):
            return Misconfigured("quota", detail, status)
        if says(text, SETUP):
            return Misconfigured(kind, detail, status)
        return Transient(kind, detail, status, retry_after(headers))
    if status in (400, 413, 422):
        return _complaint(status, text, own) or Misconfigured(kind, detail, status)
    return Misconfigured(kind, detail, status)


def broken(error: Any, own: Phrases = NO_PHRASES) -> ProviderFault:
    """The fault that an error inside an answer with status 200 amounts to."""
    text = json.dumps(error, ensure_ascii=False)
    fault = _complaint(200, text, own)
    return fault if fault and not isinstance(fault, Truncated) else Transient("error_in_answer", _detail(text), 200)


def says(text: str, phrases: tuple[str, ...]) -> bool:
    """Whether a text contains one of the phrases, however it is capitalised."""
    lower = text.lower()
    return any(phrase in lower for phrase in phrases)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, given as a number or a date; None if it does not say so legibly."""
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


def _complaint(status: int, text: str, own: Phrases) -> ProviderFault | None:
    detail = _detail(text)
    if status == 413 or says(text, (*vendors(OVERFLOW), *own.overflow)):
        return ContextOverflow("context_overflow", detail, status)
    if says(text, (*vendors(FILTERED), *own.filtered)):
        return ContentFiltered("content_filter", detail, status)
    if says(text, TRUNCATED):
        return Truncated("truncated", detail, status)
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
