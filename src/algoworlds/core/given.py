"""Whatever an agent gives as a call, as a call."""

from typing import Any

from algoworlds.core.canonical import canonical_text
from algoworlds.core.tool import Call

LONGEST_TOOL = 1000
"""Characters of a tool's name that are kept; no tool's name is near as long."""
LONGEST_ARGUMENTS = 100_000
"""Characters of arguments beyond which a call is refused unread."""


def given(tool: Any, arguments: Any = None) -> Call:
    """A call as it can be recorded and made again, from anything at all.

    What JSON has no spelling for becomes the empty text, which no schema admits. No method of a value is asked before its
    type is known, so that nothing given to a call can raise.
    """
    name = str.__str__(tool) if isinstance(tool, str) else ""
    if type(arguments) is str:
        return Call(name, arguments)
    if arguments is None:
        return Call(name)
    try:
        return Call(name, canonical_text(arguments) if _is_json(arguments) else "")
    except (ValueError, RecursionError):  # NaN, thousands of digits, a list that holds itself
        return Call(name, "")


def _is_json(value: Any) -> bool:
    """Whether a value is made of JSON's own types and nothing else; the keys of an object are texts."""
    kind = type(value)
    if kind is dict:
        return all(type(key) is str and _is_json(each) for key, each in value.items())
    if kind is list or kind is tuple:
        return all(map(_is_json, value))
    return kind is str or kind is int or kind is bool or kind is float or value is None


def shortened(call: Call) -> Call:
    """A call with a name or arguments beyond the limit, cut to as much as is refused alike; any other as it is."""
    return Call(call.tool[:LONGEST_TOOL], call.arguments[: LONGEST_ARGUMENTS + 1])
