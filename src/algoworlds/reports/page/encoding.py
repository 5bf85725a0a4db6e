"""Encode values for the script of the page. None of this is markup.

Control characters are removed from all texts, so that nothing a model wrote can reorder or hide a line. Integers that a
script cannot hold exactly become text.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Mapping
from json import dumps
from typing import Any

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.grid import strip_control_chars

_SUSPECT = tuple(map(re.compile, (r"\\[ubf]", r"[\x7f-\x9f\u200b-\u206f\ufeff\ud800-\udfff]", r"[\[:,]-?[0-9]{16}")))
"""JSON text that may contain control characters or large integers; all other text needs no second pass."""


def pack_json(value: Any) -> str:
    """Encode `value` as base64 of raw deflate of JSON; the page inflates it on demand."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(compressor.compress(safe_json(value).encode()) + compressor.flush()).decode()


def safe_json(value: Any) -> str:
    """Encode `value` as JSON text that is safe to show and exact to read."""
    text = _to_json(value)
    return _to_json(_sanitize(value)) if any(pattern.search(text) for pattern in _SUSPECT) else text


def _to_json(value: Any) -> str:
    return dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _sanitize(value: Any) -> Any:
    match value:
        case str():
            return strip_control_chars(value)
        case int() if abs(value) >= JSON_INTEGER_LIMIT:
            return str(value)
        case Mapping():
            return {strip_control_chars(str(name)): _sanitize(item) for name, item in value.items()}
        case list() | tuple():
            return [_sanitize(item) for item in value]
    return value
