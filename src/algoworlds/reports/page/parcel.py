"""Values as text for the page's script. Nothing here is markup.

All texts are made plain first, so that what a model wrote cannot reorder or hide a line, and whole numbers that a script
could not hold exactly become text.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Mapping
from json import dumps
from typing import Any

from algoworlds.core.canonical import LIMIT
from algoworlds.grid import plain

_SUSPECT = tuple(map(re.compile, (r"\\[ubf]", r"[\x7f-\x9f\u200b-\u206f\ufeff\ud800-\udfff]", r"[\[:,]-?[0-9]{16}")))
"""JSON text that may hold control characters or large numbers; most holds neither and need not be walked through."""


def packed(value: Any) -> str:
    """A value as base64 of raw deflate of JSON, which the page inflates when it is asked for."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b64encode(squeeze.compress(json_text(value).encode()) + squeeze.flush()).decode()


def json_text(value: Any) -> str:
    """A value as JSON text that is safe to show and exact to read."""
    text = _dumps(value)
    return _dumps(_safe(value)) if any(each.search(text) for each in _SUSPECT) else text


def _dumps(value: Any) -> str:
    return dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _safe(value: Any) -> Any:
    """A value whose texts are plain and whose whole numbers a script holds exactly."""
    match value:
        case str():
            return plain(value)
        case int() if abs(value) >= LIMIT:
            return str(value)
        case Mapping():
            return {plain(str(name)): _safe(each) for name, each in value.items()}
        case list() | tuple():
            return [_safe(each) for each in value]
    return value
