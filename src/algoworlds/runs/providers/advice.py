"""What a fault is about, and what somebody can do about it: one table for the probe and for a run that stops."""

from typing import NamedTuple

from algoworlds.errors import shown
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.wording import says


class Advice(NamedTuple):
    """A kind of fault: what it is about, by which words it is known, and what to do."""

    about: str
    """The part of a probe that it belongs to: connection, key, model, tools, limits or answer."""
    kinds: tuple[str, ...]
    phrases: tuple[str, ...]
    """One of these in what the provider said; none if the kind alone tells it."""
    text: str


REFUSALS = ("http_400", "http_404", "http_422", "http_500", "http_501")
"""Statuses under which servers say that they cannot do what is asked."""
TOOLLESS = ("does not support tools", "support tool use", "does not support function", "tools is not supported")
ENDING = "does base_url end as the API's does (often /v1)?"
NAMELESS = ("not a valid model", "model not found", "unknown model", "invalid model", "does not exist")

ADVICE = (
    Advice("connection", ("connection", "timeout"), (), "check base_url, and that the server runs"),
    Advice("connection", ("redirect",), (), "take the address that it leads to"),
    Advice("key", ("http_400",), ("api key not valid", "invalid api key"), "the key in {key_env} is refused"),
    Advice("key", ("http_401",), (), "the key in {key_env} is refused: check it, key_header ({key_header}) and base_url"),
    Advice("key", ("http_403",), (), "the key in {key_env} may not do this: check its rights, the model and base_url"),
    Advice("key", ("quota", "http_402"), (), "the account behind {key_env} is used up"),
    Advice("tools", REFUSALS, TOOLLESS, "choose a model that can call tools"),
    Advice("tools", REFUSALS, ("--enable-auto-tool-choice",), "start the server with these two options"),
    Advice("tools", REFUSALS, ("--jinja",), "start llama-server with --jinja"),
    Advice("limits", REFUSALS, ("max_completion_tokens",), 'set cap_field = "max_completion_tokens"'),
    Advice("limits", ("first_request", "context_overflow"), (), ""),
    Advice("model", ("http_404",), ("model", "deployment"), "check the spelling of model, which is {model}"),
    Advice("model", ("http_400",), NAMELESS, "check the spelling of model, which is {model}"),
    Advice("model", ("other_model",), (), ""),
    Advice("connection", ("http_404", "http_405"), (), "no such path: does base_url end as the API's does (often /v1)?"),
    Advice(
        "connection", ("unreadable", "http_501"), ("html",), "no API there: does base_url end as the API's does (often /v1)?"
    ),
    Advice("limits", ("http_429",), (), "it limits the rate: wait, or lower --concurrency"),
    Advice("answer", ("cut_off", "unreadable"), (), "its answers are broken or end too early: try stream the other way"),
)
"""The first that fits counts."""

OTHERWISE = Advice("answer", (), (), "")


def advice(fault: ProviderFault) -> Advice:
    """The row of the table that a fault belongs to."""
    fitting = (each for each in ADVICE if fault.kind in each.kinds and (not each.phrases or says(fault.detail, each.phrases)))
    return next(fitting, OTHERWISE)


def told(fault: ProviderFault, configuration: Configuration) -> str:
    """A fault with what to do about it."""
    text = advice(fault).text.format(
        key_env=configuration.key_env or "no variable (key_env is not set)",
        key_header=configuration.key_header,
        model=shown(configuration.model),
    )
    return f"{fault}; {text}" if text else str(fault)
