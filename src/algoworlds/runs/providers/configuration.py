"""Model configurations: one TOML file each, with no secret in it."""

import re
import tomllib
from dataclasses import MISSING, dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from algoworlds.errors import InputError
from algoworlds.runs.providers.turn import Usage

APIS = ("responses", "chat", "messages")
PRICES = ("input", "output", "cached")
TABLES = {"reasoning", "extra_body", "prices"}
OURS = {
    "model", "input", "messages", "system", "instructions", "tools", "tool_choice", "parallel_tool_calls", "n", "stream",
    "stream_options", "store", "include", "max_tokens", "max_output_tokens", "previous_response_id", "conversation",
    "truncation", "context_management", "background",
}  # fmt: skip
"""Request fields that the protocol itself sets, so that no configuration can change what is measured."""

_SECRET_NAME = re.compile(r"key|token|secret|password|auth", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"\b(sk|rk|pk|ak|key|bearer)[-_ ][\w.-]{8,}|\b[0-9a-f]{32}\b|://[^/\s]*@", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


@dataclass(frozen=True)
class Configuration:
    """How one model is asked."""

    label: str
    api: str
    """"responses", "chat" or "messages"."""
    model: str
    output_cap: int
    base_url: str | None = None
    key_env: str | None = None
    """The environment variable that holds the key; None for servers that want none."""
    reasoning: dict[str, Any] = field(default_factory=dict)
    """Thinking settings that the SDK types: the `reasoning` object of Responses, request fields of the other two."""
    temperature: float | None = None
    extra_body: dict[str, Any] = field(default_factory=dict)
    """Request fields of this vendor alone, sent as they are."""
    prices: dict[str, float] = field(default_factory=dict)
    """USD per million tokens: input, output, cached (input read from a cache)."""
    returned_model: str | None = None
    """The model id in responses, where it is not the requested one."""
    stream: bool = True
    timeout: float = 600.0
    """Seconds of silence after which an attempt is given up."""
    attempt_seconds: float = 7200.0
    """Seconds that a whole attempt may take."""
    retry_seconds: float = 3600.0
    """Seconds over which one request is tried again."""

    def cost(self, usage: Usage) -> float | None:
        """USD for some tokens; None unless the prices and the counts are all known. Uncounted cache reads cost full price."""
        if usage.input is None or usage.output is None or not {"input", "output"} <= set(self.prices):
            return None
        cached = usage.cached or 0
        dear, cheap = usage.input - cached, self.prices.get("cached", self.prices["input"])
        return (dear * self.prices["input"] + cached * cheap + usage.output * self.prices["output"]) / 1e6


def shipped() -> dict[str, Path]:
    """The configurations that come with the package, by name."""
    folder = Path(str(files("algoworlds.runs.providers") / "models"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load(path: str | Path) -> Configuration:
    """The configuration in a TOML file, or the shipped one of that name."""
    source = shipped().get(str(path), Path(path))
    try:
        given = tomllib.loads(source.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} is no file and no shipped configuration; shipped are {', '.join(shipped())}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path}: cannot be read ({problem}); name a TOML file") from None
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"{path}: not TOML: {problem}") from None
    try:
        return parse(given)
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def parse(given: dict[str, Any]) -> Configuration:
    """A configuration from the fields of a file, each checked."""
    _refuse_secrets(given)
    known = {each.name: each for each in fields(Configuration)}
    if unknown := sorted(set(given) - set(known)):
        raise InputError(f"unknown field {', '.join(unknown)}; known are {', '.join(known)}")
    required = {name for name, each in known.items() if each.default is MISSING and each.default_factory is MISSING}
    if missing := sorted(required - set(given)):
        raise InputError(f"field {', '.join(missing)} is missing")
    for name, value in given.items():
        _check(name, value)
    configuration = Configuration(**given)
    _check_request(configuration)
    return configuration


def _refuse_secrets(given: dict[str, Any]) -> None:
    """No message here repeats a value: it might be the secret."""
    advice = "keep the key in an environment variable and give that variable's name as key_env"
    for name in given:
        if name not in {each.name for each in fields(Configuration)} and _SECRET_NAME.search(name):
            raise InputError(f"field {name} would hold a secret; {advice}")
    for name, value in _leaves(given):
        if isinstance(value, str) and _SECRET_VALUE.search(value):
            raise InputError(f"the value of {name} looks like a secret; {advice}")
    variable = given.get("key_env")
    if variable is not None and not (isinstance(variable, str) and _VARIABLE.fullmatch(variable)):
        raise InputError(f"key_env is no name of an environment variable (capitals, digits, underscores); {advice}")


def _leaves(table: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    pairs = []
    for name, value in table.items():
        path = f"{prefix}{name}"
        pairs += _leaves(value, f"{path}.") if isinstance(value, dict) else [(path, value)]
    return pairs


def _check(name: str, value: Any) -> None:
    fault = None
    if name in TABLES:
        fault = None if isinstance(value, dict) else "must be a table"
    elif name == "stream":
        fault = None if isinstance(value, bool) else "must be true or false"
    elif name == "output_cap":
        fault = None if type(value) is int and value > 0 else "must be a positive integer"
    elif name in ("temperature", "timeout", "attempt_seconds", "retry_seconds"):
        least = 0.0 if name in ("temperature", "retry_seconds") else 0.001
        fault = None if type(value) in (int, float) and least <= value < 1e9 else f"must be a number from {least:g}"
    elif not isinstance(value, str) or not value.strip():
        fault = "must be a text"
    if fault:
        raise InputError(f"{name} {fault}")


def _check_request(configuration: Configuration) -> None:
    if configuration.api not in APIS:
        raise InputError(f"api must be one of {', '.join(APIS)}")
    if configuration.base_url and not re.match(r"https?://[^/\s]+", configuration.base_url):
        raise InputError("base_url must begin with http:// or https:// and a host")
    if configuration.api == "messages" and configuration.temperature is not None:
        raise InputError("temperature is no field of the Messages API any more; omit it, or put it under [extra_body]")
    for name, price in configuration.prices.items():
        if name not in PRICES or type(price) not in (int, float) or price < 0:
            raise InputError(f"prices.{name} is none of {', '.join(PRICES)} in USD per million tokens")
    _check_merged(configuration)


def _check_merged(configuration: Configuration) -> None:
    """Every request field has one source."""
    thinking = configuration.reasoning and (
        ["reasoning"] if configuration.api == "responses" else list(configuration.reasoning)
    )
    sources = [
        *(thinking or ()),
        *configuration.extra_body,
        *(["temperature"] if configuration.temperature is not None else []),
    ]
    if taken := sorted(set(sources) & OURS):
        raise InputError(f"request field {', '.join(taken)} is set by the protocol and cannot be configured")
    if twice := sorted({name for name in sources if sources.count(name) > 1}):
        raise InputError(f"request field {', '.join(twice)} is given twice")
