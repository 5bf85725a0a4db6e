"""Keys: refused in configurations, read from the environment, and redacted in everything that is stored or shown."""

import html
import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from algoworlds.errors import InputError, format_value

MIN_KEY_LENGTH = 8
"""Shorter keys are not redacted: they are words like "none", which local servers accept."""
MAX_DEPTH = 50
"""Levels of tables and lists in a configuration."""
REDACTED = "[key]"
KEY_ADVICE = "keep the key in an environment variable and give that variable's name as key_env"

LOGGERS = ("openai", "anthropic", "httpx2", "httpcore2")
"""Loggers whose debug output repeats requests and headers, in which some servers echo keys."""

_NAME = re.compile(
    r"key|secret|password|passwd|auth|authorization|bearer|token"
    r"|(\w+[_-])?((api|access|private|secret|subscription)[_-]?key|(api|access|auth|bearer|refresh)[_-]?token|secret|password)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\b(sk|rk|pk|ak|key|bearer)[-_ ][\w.-]{8,}|\b(gsk_|xai-|hf_|AIza)[\w-]{8,}|\b[0-9a-f]{32}\b|://[^/\s]*@", re.IGNORECASE
)
_SECRETIVE = re.compile(r"key|token|secret|password|auth", re.IGNORECASE)
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\/")
_QUERY = re.compile(r"[?&;]([^=&;#\s]+)=[^&;#\s]")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


@dataclass(frozen=True, repr=False)
class Secret:
    """A key that its repr does not show, with methods that redact it in texts and JSON."""

    value: str

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        """The key as it is, and as encoded in JSON, HTML and URLs."""
        if len(self.value) < MIN_KEY_LENGTH:
            return ()
        forms = (self.value, json.dumps(self.value)[1:-1], html.escape(self.value), quote(self.value, safe=""))
        return tuple(dict.fromkeys(sorted(forms, key=len, reverse=True)))

    def redact(self, text: str) -> str:
        """`text` without the key; in JSON also without an escaped one."""
        for form in self._forms:
            text = text.replace(form, REDACTED)
        return self._redact_escaped(text) if self._forms and "\\" in text else text

    def _redact_escaped(self, text: str) -> str:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else "/", text)
            return plain.replace(self.value, REDACTED) if self.value in plain else text
        clean = self.redact_json(value)
        return text if clean == value else json.dumps(clean)

    def redact_json(self, value: Any) -> Any:
        """A JSON value without the key in any part of it."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list):
            return [self.redact_json(item) for item in value]
        if isinstance(value, dict):
            return {self.redact(name): self.redact_json(item) for name, item in value.items()}
        return value


_redacted_secrets: set[Secret] = set()
_plain_record = logging.getLogRecordFactory()


def redact_logs(secret: Secret) -> None:
    """Redact the key in all further log records of the SDKs, at any level."""
    _redacted_secrets.add(secret)
    logging.setLogRecordFactory(_clean_record)
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


def _clean_record(*arguments: Any, **named: Any) -> logging.LogRecord:
    record = _plain_record(*arguments, **named)
    if record.name.split(".")[0] in LOGGERS:
        text = record.getMessage()
        for secret in _redacted_secrets:
            text = secret.redact(text)
        record.msg, record.args = text, ()
    return record


def read_key(variable: str | None, label: str, environment: Mapping[str, str]) -> Secret:
    """The key in the environment variable `variable`, stripped; an empty one if `variable` is None."""
    value = environment.get(variable, "").strip() if variable else ""
    if variable and not re.fullmatch(r"[!-~]+", value):
        wrong = "holds something that is not a key" if value else "is not set"
        raise InputError(f"{format_value(label)} needs a key, but the environment variable {format_value(variable)} {wrong}")
    return Secret(value)


def is_secret_name(name: str) -> bool:
    """Whether a variable or field with this name may hold a secret."""
    return bool(_SECRETIVE.search(name))


def refuse_secrets(values: Mapping[str, Any], fields: set[str]) -> None:
    """InputError if a configuration contains a key. Messages never repeat a value: it might be the secret."""
    for path, value in leaves(values):
        name = path.rsplit(".", 1)[-1]
        if path not in fields and _holds_secret(path, name, value):
            raise InputError(f"field {format_value(path)} would hold a secret; {KEY_ADVICE}")
        if isinstance(value, str) and (_VALUE.search(value) or any(map(_NAME.fullmatch, _QUERY.findall(value)))):
            raise InputError(f"the value of {format_value(path)} looks like a secret; {KEY_ADVICE}")
    variable = values.get("key_env")
    if variable is not None and not (isinstance(variable, str) and _VARIABLE.fullmatch(variable)):
        raise InputError(f"key_env is not the name of an environment variable (capitals, digits, underscores); {KEY_ADVICE}")


def _holds_secret(path: str, name: str, value: Any) -> bool:
    """By its name: an unknown field of a configuration, or a request field with a text."""
    return is_secret_name(name) if path == name else isinstance(value, str) and bool(_NAME.fullmatch(name))


def leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every value inside tables and lists, with its path of names, including the tables themselves."""
    if depth > MAX_DEPTH:
        raise InputError(f"{format_value(path)} nests deeper than {MAX_DEPTH} levels, which no request does")
    if path:
        yield path, value
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, f"{path}.{name}" if path else name, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path, depth + 1)
