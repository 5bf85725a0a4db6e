"""Model configurations: one TOML file each, with no secret in it, every field checked."""

import re
import tomllib
from dataclasses import MISSING, fields
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, format_value
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.configuration import PRICE_KINDS, Configuration
from algoworlds.runs.providers.secrets import leaves, refuse_secrets
from algoworlds.runs.providers.wire import ALLOWED_HEADERS

TABLE_FIELDS = {"reasoning", "extra_body", "prices"}
MAX_PRICE = 1e6
"""USD per million tokens; every price must be below."""

_HEADER = re.compile(r"(?!x-stainless-)[A-Za-z][A-Za-z0-9-]{0,63}", re.IGNORECASE)
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")


def shipped_configurations() -> dict[str, Path]:
    """The configurations that come with the package, by name."""
    folder = Path(str(files("algoworlds.runs.providers") / "models"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def load_configuration(path: str | Path) -> Configuration:
    """The configuration in a TOML file, or the shipped one of that name."""
    source = shipped_configurations().get(str(path), Path(path))
    try:
        values = tomllib.loads(source.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{format_value(path)} is neither a file nor a shipped configuration; shipped are "
            f"{', '.join(shipped_configurations())}"
        ) from None
    except OSError as problem:
        raise InputError(f"{format_value(path)}: cannot be read ({problem.strerror}); name a TOML file") from None
    except UnicodeDecodeError:
        raise InputError(f"{format_value(path)}: cannot be read (it is not UTF-8 text); name a TOML file") from None
    except tomllib.TOMLDecodeError as problem:
        place = re.search(r"at (line \d+, column \d+|end of document)", str(problem))
        raise InputError(
            f"{format_value(path)}: not TOML at {place[1] if place else 'some place'}: mend it, or start from a shipped one"
        ) from None
    except (ValueError, RecursionError):
        raise InputError(f"{format_value(path)}: not TOML that can be read: a number too long or nesting too deep") from None
    try:
        return parse_configuration(values)
    except InputError as problem:
        raise InputError(f"{format_value(path)}: {problem}") from None


def parse_configuration(values: JsonObject) -> Configuration:
    """A configuration from the fields of a file, each checked."""
    known_fields = {field.name: field for field in fields(Configuration)}
    refuse_secrets(values, set(known_fields))
    if unknown := sorted(set(values) - set(known_fields)):
        raise InputError(f"unknown field {format_value(', '.join(unknown))}; known are {', '.join(known_fields)}")
    required = {name for name, field in known_fields.items() if field.default is MISSING and field.default_factory is MISSING}
    if missing := sorted(required - set(values)):
        raise InputError(f"field {', '.join(missing)} is missing")
    for name, value in values.items():
        _check(name, value)
    configuration = Configuration(**values)
    _check_request(configuration)
    return configuration


def _check(name: str, value: Any) -> None:
    fault = None
    if name in TABLE_FIELDS:
        fault = None if isinstance(value, dict) else "must be a table"
        for path, item in leaves(value, name) if name != "prices" else ():
            if (isinstance(item, float) and not isfinite(item)) or not isinstance(item, str | int | float | list | dict):
                raise InputError(f"{format_value(path)} is {format_value(item)}, which JSON cannot hold: write it as a text")
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
        raise InputError(f"{format_value(name)} {fault}")


def _check_request(configuration: Configuration) -> None:
    if configuration.api not in APIS:
        raise InputError(f"api must be one of {', '.join(APIS)}")
    if not configuration.label.isprintable():
        raise InputError("label must be printable: no line breaks, no escapes")
    if configuration.base_url:
        _check_address(configuration.base_url)
    if not _HEADER.fullmatch(configuration.key_header) or configuration.key_header.lower() in ALLOWED_HEADERS:
        raise InputError('key_header must be a header that can bring a key, such as "authorization" or "api-key"')
    if configuration.cap_field not in (None, *(caps := APIS[configuration.api].cap_fields)):
        raise InputError(f"cap_field must be one of {', '.join(caps)}" if caps else f"{configuration.api} has no cap_field")
    if problem := APIS[configuration.api].configuration_problem(configuration):
        raise InputError(problem)
    for name, price in configuration.prices.items():
        if name not in PRICE_KINDS or type(price) not in (int, float) or not 0 <= price < MAX_PRICE:
            raise InputError(f"prices.{format_value(name)} is not one of {', '.join(PRICE_KINDS)} in USD per million tokens")
    _check_merged(configuration)


def _check_address(address: str) -> None:
    """InputError unless requests can be sent to `address`."""
    if not re.match(r"https?://[^/\s]+", address):
        raise InputError("base_url must begin with http:// or https:// and a host")
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
        host = host.encode("idna").decode()
    except ValueError:
        host = ""
    if not (address.isprintable() and not set(" #") & set(address) and _HOST.fullmatch(host)):
        raise InputError("base_url must name a host, and a port from 0 to 65535 if any, without blanks, line breaks or #")


def _check_merged(configuration: Configuration) -> None:
    """Every request field has one source, and no configuration sets a field of the protocol."""
    sources = [
        *APIS[configuration.api].reasoning_fields(configuration.reasoning),
        *configuration.extra_body,
        *(["temperature"] if configuration.temperature is not None else []),
    ]
    if taken := sorted(set(sources) & frozenset().union(*(api.protocol_fields for api in APIS.values()))):
        raise InputError(f"request field {format_value(', '.join(taken))} is set by the protocol and cannot be configured")
    if twice := sorted({name for name in sources if sources.count(name) > 1}):
        raise InputError(f"request field {format_value(', '.join(twice))} is given twice")
