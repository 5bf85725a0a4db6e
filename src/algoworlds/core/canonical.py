"""Canonical JSON (sorted keys, no spaces, ASCII, integers only) and a strict parser for it."""

import hashlib
import json
from typing import Any, NoReturn

from algoworlds.errors import Malformed, format_value

JsonObject = dict[str, Any]
"""An object as the JSON parser returns it: its values are unchecked until something reads them."""

JSON_INTEGER_LIMIT = 2**53
"""Absolute values stay below this, so that no JSON consumer can round them."""

canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
"""The canonical JSON text of a value."""

compact_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
"""Compact JSON that keeps the order of keys."""

json_string = json.encoder.encode_basestring_ascii
"""The JSON text of a string; the same as both encoders give, but faster to start."""


def sha256_hex(text: str) -> str:
    """SHA-256 of the UTF-8 bytes of `text`, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def strict_loads(text: str, max_chars: int | None = None) -> Any:
    """Parse JSON strictly: no duplicate keys, no NaN, no non-integer numbers, no byte order mark.

    Everything that the standard parser accepts wrongly or fails on (5,000-digit integers, deep nesting) becomes
    `Malformed`, because an agent's arguments and a user's files are parsed here.
    """
    if max_chars is not None and len(text) > max_chars:
        raise Malformed(f"longer than {max_chars:,} characters")
    try:  # raw_decode is faster, but accepts no blanks on either side
        value, end = _STRICT.raw_decode(text) if text.startswith("{") else (None, None)
        return value if end == len(text) else _STRICT.decode(text)
    except RecursionError:
        raise Malformed("nested too deeply") from None
    except json.JSONDecodeError as problem:
        raise Malformed(f"invalid JSON at line {problem.lineno:,}, column {problem.colno:,}") from None
    except ValueError:  # the only other one that the parser raises
        raise Malformed("it holds an integer of thousands of digits") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> JsonObject:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise Malformed("a key occurs twice in one object")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(f"{format_value(name)} is not a number")


def _refuse_float(text: str) -> NoReturn:
    raise Malformed(f"{format_value(text)} is not an integer")


_STRICT = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_refuse_float)
