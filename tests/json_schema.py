"""The schemas of docs/json-output.md: a parser of their notation, and a check of documents against them."""

import re
from functools import cache

from tests.command import ROOT

PAGE = ROOT / "docs" / "json-output.md"
_TOKEN = re.compile(r"\[key\]|[A-Za-z_0-9]+|\[\]|[{}():,|]")
SCALARS = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
}


@cache
def schemas():
    """The schemas of every command, in the order of the page."""
    found = {}
    for section in PAGE.read_text(encoding="utf-8").split("\n### `")[1:]:
        name, body = section.split("`\n", 1)
        blocks = re.findall(r"^```ts\n(.*?)^```", body, re.MULTILINE | re.DOTALL)
        found[name] = [parse(re.sub(r"//.*", "", block)) for block in blocks]
    return found


def parse(text):
    """A schema from its notation: ("scalar", name), ("list", schema), ("map", schema), ("fields", {...}) or ("any", [...])."""
    tokens = _TOKEN.findall(text)
    assert "".join(tokens) == re.sub(r"\s", "", text), text
    schema, rest = _parse_union(tokens)
    assert not rest, rest
    return schema


def _parse_union(tokens):
    schema, tokens = _parse_list(tokens)
    options = [schema]
    while tokens and tokens[0] == "|":
        schema, tokens = _parse_list(tokens[1:])
        options.append(schema)
    return (schema if len(options) == 1 else ("any", options)), tokens


def _parse_list(tokens):
    first, tokens = tokens[0], tokens[1:]
    if first == "(":
        schema, tokens = _parse_union(tokens)
        assert tokens[0] == ")"
        tokens = tokens[1:]
    elif first == "{":
        schema, tokens = _parse_object(tokens)
    else:
        assert first in SCALARS, first
        schema = ("scalar", first)
    while tokens and tokens[0] == "[]":
        schema, tokens = ("list", schema), tokens[1:]
    return schema, tokens


def _parse_object(tokens):
    fields = {}
    while tokens[0] != "}":
        name, colon, *tokens = tokens
        assert colon == ":", name
        fields[name], tokens = _parse_union(tokens)
        tokens = tokens[1:] if tokens[0] == "," else tokens
    return (("map", fields["[key]"]) if "[key]" in fields else ("fields", fields)), tokens[1:]


def find_fault(schema, value, path="document"):
    """The first difference between a document and its schema; None if it fits."""
    kind, part = schema
    if kind == "any":
        faults = [find_fault(option, value, path) for option in part]
        return None if None in faults else faults[0]
    if kind == "scalar":
        return None if SCALARS[part](value) else f"{path} is {type(value).__name__}, not {part}"
    if kind == "list":
        items = enumerate(value) if isinstance(value, list) else None
    elif kind == "map":
        items = value.items() if isinstance(value, dict) else None
    else:
        items = value.items() if isinstance(value, dict) else None
        if items is not None and value.keys() != part.keys():
            return f"{path} has other fields: {sorted(value.keys() ^ part.keys())}"
    if items is None:
        return f"{path} is {type(value).__name__}, not a {kind}"
    faults = (find_fault(part[name] if kind == "fields" else part, item, f"{path}.{name}") for name, item in items)
    return next(filter(None, faults), None)


def require_schema(command, document):
    """Check that the page describes `document`, an output of `command`."""
    faults = [find_fault(schema, document) for schema in schemas()[command]]
    assert None in faults, faults
