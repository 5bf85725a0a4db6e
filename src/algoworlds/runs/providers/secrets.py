"""Keys: refused in configurations, read from the environment, and taken out of everything that is kept or shown."""

import html
import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from algoworlds.errors import InputError, shown

SHORTEST = 8
"""Characters from which on a key is looked for; shorter ones are words like "none", which local servers are given."""
DEEPEST = 50
"""Levels of tables and lists in a configuration."""
HIDDEN = "[key]"
ADVICE = "keep the key in an environment variable and give that variable's name as key_env"

LOGGERS = ("openai", "anthropic", "httpx2", "httpcore2")
"""Whose debug logs repeat whole requests and the headers of answers, in which servers have been seen to echo keys."""

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
    """A key, and a clean copy of whatever might hold it. It shows itself to nobody by accident."""

    value: str

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        """The key as it is and as texts, addresses and pages spell it."""
        if len(self.value) < SHORTEST:
            return ()
        forms = (self.value, json.dumps(self.value)[1:-1], html.escape(self.value), quote(self.value, safe=""))
        return tuple(dict.fromkeys(sorted(forms, key=len, reverse=True)))

    def out_of(self, text: str) -> str:
        """A text without the key; if it is itself JSON, also without one that its escapes would spell."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return self._out_of_escaped(text) if self._forms and "\\" in text else text

    def _out_of_escaped(self, text: str) -> str:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else "/", text)
            return plain.replace(self.value, HIDDEN) if self.value in plain else text
        clean = self.out_of_all(value)
        return text if clean == value else json.dumps(clean)

    def out_of_all(self, value: Any) -> Any:
        """A value of JSON without the key, in whatever part of it."""
        if isinstance(value, str):
            return self.out_of(value)
        if isinstance(value, list):
            return [self.out_of_all(each) for each in value]
        if isinstance(value, dict):
            return {self.out_of(name): self.out_of_all(each) for name, each in value.items()}
        return value


_logged: set[Secret] = set()
_plain_record = logging.getLogRecordFactory()


def keep_out_of_logs(secret: Secret) -> None:
    """Keep a key out of all that the SDKs print from now on, at whatever level somebody sets."""
    _logged.add(secret)
    logging.setLogRecordFactory(_clean_record)
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


def _clean_record(*arguments: Any, **named: Any) -> logging.LogRecord:
    made = _plain_record(*arguments, **named)
    if made.name.split(".")[0] in LOGGERS:
        text = made.getMessage()
        for secret in _logged:
            text = secret.out_of(text)
        made.msg, made.args = text, ()
    return made


def key_of(variable: str | None, label: str, environment: Mapping[str, str]) -> Secret:
    """The key that a variable holds, white space around it left out; an empty one where none is needed."""
    held = environment.get(variable, "").strip() if variable else ""
    if variable and not re.fullmatch(r"[!-~]+", held):
        wrong = "holds something that is no key" if held else "is not set"
        raise InputError(f"{shown(label)} needs a key, but the environment variable {shown(variable)} {wrong}")
    return Secret(held)


def secretive(name: str) -> bool:
    """Whether a variable or a field of that name is one for a secret."""
    return bool(_SECRETIVE.search(name))


def refuse_secrets(given: Mapping[str, Any], known: set[str]) -> None:
    """Refuse a configuration that holds a key. No message here repeats a value: it might be the secret."""
    for path, value in _leaves(given):
        name = path.rsplit(".", 1)[-1]
        if path not in known and _holds_secret(path, name, value):
            raise InputError(f"field {shown(path)} would hold a secret; {ADVICE}")
        if isinstance(value, str) and (_VALUE.search(value) or any(map(_NAME.fullmatch, _QUERY.findall(value)))):
            raise InputError(f"the value of {shown(path)} looks like a secret; {ADVICE}")
    variable = given.get("key_env")
    if variable is not None and not (isinstance(variable, str) and _VARIABLE.fullmatch(variable)):
        raise InputError(f"key_env is no name of an environment variable (capitals, digits, underscores); {ADVICE}")


def _holds_secret(path: str, name: str, value: Any) -> bool:
    """By its name: a field of ours that is none, or a request field with a text in it."""
    return secretive(name) if path == name else isinstance(value, str) and bool(_NAME.fullmatch(name))


def _leaves(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every value inside tables and lists, with the path of names to it, and the tables on the way."""
    if depth > DEEPEST:
        raise InputError(f"{shown(path)} nests deeper than {DEEPEST} levels, which no request does")
    if path:
        yield path, value
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, f"{path}.{name}" if path else name, depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, path, depth + 1)
