"""How messages quote input values: short, on one line, as JSON names them."""

import ast
from pathlib import Path

import pytest

import algoworlds
from algoworlds.errors import format_value, quote_value

SOURCES = sorted(Path(algoworlds.__file__).parent.rglob("*.py"))
SHORTENING = {"format_value", "quote_value", "len"}
"""Functions whose result is short for any input."""
INPUT_NAMES = {"path", "directory", "out", "folder", "final", "file", "filename", "label", "model"}
"""Attributes and variables that hold input: paths, names, ids."""
OWN_TEXTS = {
    "what": "a domain's own words",
    "names": "the arguments that a decision declares",
    "option": "the name of an option",
    "kind": "a suite or a run",
    "problem": "a message of this package",
}
"""Parameters that hold texts of this package."""
INTERNAL_ERRORS = {"AttributeError", "ValueError", "DeclarationError", "AlgoWorldsError"}
"""Errors that no input causes."""


@pytest.mark.parametrize(
    ("value", "text"),
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
def test_values_are_formatted_in_80_characters(value, text):
    assert format_value(value) == text
    assert len(format_value(value)) <= 80


def test_only_strings_are_quoted():
    assert (quote_value("a b"), quote_value(3), quote_value(None)) == ("'a b'", "3", "null")


def test_no_error_quotes_raw_input():
    """Neither a parameter that is a string or a path, nor a joined path, nor a `repr`."""
    nodes = [(path.name, node) for path in SOURCES for node in ast.walk(ast.parse(path.read_text()))]
    functions = [(name, node) for name, node in nodes if isinstance(node, ast.FunctionDef)]
    quotes = [(name, function, *quote) for name, function in functions for quote in quoted_values(function)]
    assert len(quotes) > 200
    raw = [(name, error.lineno, ast.unparse(value)) for name, function, error, value in quotes if is_raw(value, function)]
    assert raw == []


def quoted_values(function):
    """Every value in an f-string of an error that bad input can cause."""
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) not in INTERNAL_ERRORS:
            yield from ((node, value) for value in ast.walk(node.exc) if isinstance(value, ast.FormattedValue))


def is_raw(value, function):
    """Whether a value of an f-string is unshortened input."""
    types = {"str", "Path", "Any", "object"}
    inputs = {argument.arg for argument in arguments(function) if types & type_names(argument.annotation)}
    parts = list(unshortened_parts(value.value))
    return any(
        (isinstance(part, ast.Name) and part.id in (inputs - OWN_TEXTS.keys()) | INPUT_NAMES)
        or (isinstance(part, ast.Attribute) and part.attr in INPUT_NAMES)
        or (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div))
        for part in parts
    ) or (bool(parts) and value.conversion == ord("r"))


def arguments(function):
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def type_names(annotation):
    return {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)} if annotation else set()


def unshortened_parts(expression):
    """The expression and its parts, without those that are shortened."""
    name = ast.unparse(expression.func) if isinstance(expression, ast.Call) else None
    if name in SHORTENING or (name == "map" and ast.unparse(expression.args[0]) in SHORTENING):
        return
    yield expression
    for part in ast.iter_child_nodes(expression):
        yield from unshortened_parts(part)


@pytest.mark.parametrize(
    "line",
    [
        "f'{path} is not a suite'",
        "f'{self.path} is not a run'",
        "f'{folder / name} is altered'",
        "f'{name!r} is unknown'",
        "f'no {text}'",
        "f'{str(text)[:80]}'",
        "f'{\"-\".join(text)}'",
    ],
)
def test_raw_input_is_detected(line):
    function = ast.parse(f"def refuse(text: str | None) -> None:\n    raise InputError({line})").body[0]
    assert [value for _, value in quoted_values(function) if is_raw(value, function)]
