"""One spelling for every JSON value: sorted keys, no spaces, ASCII only, integers only."""

import hashlib
import json
from typing import Any

from algoworlds.errors import Malformed, shown

LIMIT = 2**53
"""Absolute values stay below this, so that no JSON consumer can round them."""


canonical_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
"""The canonical JSON text of a value."""

compact_text = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode
"""Compact JSON that keeps the order of keys: for texts whose order a reader should meet as written."""


string_text = json.encoder.encode_basestring_ascii
"""The JSON text of a string: both of the above spell it so, but take longer to begin."""


def digest(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def strict_loads(text: str, longest: int | None = None) -> Any:
    """Parse JSON as written: no duplicate keys, no NaN, no non-integer numbers, no byte order mark.

    Whatever the standard parser lets through or trips over (5,000-digit integers, deep nesting) becomes one
    exception in our own words, because both an agent's arguments and a user's files pass here.
    """
    if longest is not None and len(text) > longest:
        raise Malformed(f"longer than {longest:,} characters")
    try:
        value, end = _STRICT.raw_decode(text) if text.startswith("{") else (None, None)
        return value if end == len(text) else _STRICT.decode(text)  # which first looks for blanks on either side
    except RecursionError:
        raise Malformed("nested too deeply") from None
    except json.JSONDecodeError as problem:
        raise Malformed(f"it goes wrong at line {problem.lineno:,}, column {problem.colno:,}") from None
    except ValueError:  # all that is left of the parser's own
        raise Malformed("it holds an integer of thousands of digits") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise Malformed("a key occurs twice in one object")
    return result


def _no_constant(name: str) -> Any:
    raise Malformed(f"{shown(name)} is not a number")


def _no_float(text: str) -> Any:
    raise Malformed(f"{shown(text)} is not an integer")


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_no_float)
