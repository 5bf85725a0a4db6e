"""What a message repeats of what was given: one short line, in JSON's words."""

import ast
from pathlib import Path

import pytest

import algoworlds
from algoworlds.errors import quoted, shown

SOURCES = sorted(Path(algoworlds.__file__).parent.rglob("*.py"))
CUT = {"shown", "quoted", "len"}
"""What makes something short of anything."""
NAMED = {"path", "directory", "out", "folder", "final", "file", "filename", "label", "model"}
"""Attributes and variables that hold what was given: paths, names, ids."""
OURS = {"what": "a domain's own words", "names": "the arguments that a decision declares"}
"""Parameters that are texts of this package."""
OUR_FAULT = {"AttributeError", "ValueError", "DeclarationError", "AlgoWorldsError"}
"""What no input causes."""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("job-1", "job-1"),
        (7, "7"),
        (1.5, "1.5"),
        (None, "null"),
        (True, "true"),
        ([1], "a list"),
        ({"a": 1}, "an object"),
        (-(2**70_000), "an integer of more than 256 bits"),
        ("x" * 80, "x" * 80),
        ("a" * 10**6 + "z", "a" * 40 + "..." + "a" * 36 + "z"),
    ],
    ids=lambda value: str(type(value)),
)
def test_what_was_given_is_shown_in_80_characters(given, words):
    assert shown(given) == words
    assert len(shown(given)) <= 80


def test_only_texts_are_quoted():
    assert (quoted("a b"), quoted(3), quoted(None)) == ("'a b'", "3", "null")


def test_no_error_repeats_raw_what_was_given():
    """Neither a parameter that is a text or a path, nor a path put together, nor Python's way of writing a value."""
    nodes = [(path.name, node) for path in SOURCES for node in ast.walk(ast.parse(path.read_text()))]
    functions = [(name, node) for name, node in nodes if isinstance(node, ast.FunctionDef)]
    seen = [(name, each, *found) for name, each in functions for found in repeated(each)]
    assert len(seen) > 200
    assert [(name, raised.lineno, ast.unparse(value)) for name, each, raised, value in seen if raw(value, each)] == []


def repeated(function):
    """Every value inside of an f-string that an error for bad input is raised with."""
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) not in OUR_FAULT:
            yield from ((node, value) for value in ast.walk(node.exc) if isinstance(value, ast.FormattedValue))


def raw(value, function):
    """Whether a value of an f-string is what was given, uncut."""
    given = {each.arg for each in arguments(function) if {"str", "Path", "Any", "object"} & words(each.annotation)}
    parts = list(uncut(value.value))
    return any(
        (isinstance(each, ast.Name) and each.id in (given - OURS.keys()) | NAMED)
        or (isinstance(each, ast.Attribute) and each.attr in NAMED)
        or (isinstance(each, ast.BinOp) and isinstance(each.op, ast.Div))
        for each in parts
    ) or (bool(parts) and value.conversion == ord("r"))


def arguments(function):
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def words(annotation):
    return {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)} if annotation else set()


def uncut(expression):
    """The expression and its parts, without those that are cut."""
    name = ast.unparse(expression.func) if isinstance(expression, ast.Call) else None
    if name in CUT or (name == "map" and ast.unparse(expression.args[0]) in CUT):
        return
    yield expression
    for part in ast.iter_child_nodes(expression):
        yield from uncut(part)


@pytest.mark.parametrize(
    "line",
    [
        "f'{path} is no suite'",
        "f'{self.path} is no run'",
        "f'{given / name} is altered'",
        "f'{name!r} is unknown'",
        "f'no {text}'",
        "f'{str(text)[:80]}'",
        "f'{\"-\".join(text)}'",
    ],
)
def test_what_is_repeated_raw_is_seen(line):
    function = ast.parse(f"def refuse(text: str | None) -> None:\n    raise InputError({line})").body[0]
    assert [value for _, value in repeated(function) if raw(value, function)]
