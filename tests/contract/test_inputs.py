"""No input ends in a traceback: `solve` solves or refuses 2,000 mutated instances and the named cases."""

import copy
import io
import json
import random
import re
import sys

import pytest
import typer

from algoworlds.cli.solve import solve
from algoworlds.core import kernel
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from tests.command import run

MUTATIONS = 2_000 // len(FAMILIES)
PYTHON = re.compile(
    r"Errno|Expecting|object has no|invalid literal|NoneType|not iterable|codec|<class|Traceback|Exceeds the limit"
)
DEEP = "[" * 978 + "]" * 978
ODD = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**53 - 1,
    2**53,
    -(2**53),
    10**30,
    10**300,
    "",
    "x",
    "x" * 300,
    "\x1b[31mred",
    "\ud800",
]
ODD += [
    "é",
    "self",
    [],
    {},
    [[]],
    [["a"]],
    ["a", "b"],
    {"a": 1},
    {"a": {"b": 1}},
    {"": 0},
    [None],
    [1, 2],
    "@deep",
    "@long",
    "@float",
]
RAW = {'"@deep"': DEEP, '"@long"': "7" * 5_000, '"@float"': "1.5"}
"""Placeholders for JSON texts that no Python value is encoded as."""


@pytest.fixture(autouse=True)
def small_memory(monkeypatch):
    """Lower the memory limit: a mutation may give a table of gigabytes that is within the real one."""
    monkeypatch.setattr(kernel, "MAX_TABLE_BYTES", 2**22)


def run_solve(content, capsys, monkeypatch):
    """The exit code and output of `solve - --verify --json`; any other exception is a failure."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    try:
        solve("-", verify=True, json=True)
    except InputError as problem:
        return 2, str(problem)
    except typer.Exit as ended:
        return ended.exit_code, capsys.readouterr().out
    return 0, capsys.readouterr().out


def positions(node):
    """Every container of a document with a key or an index into it."""
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], dict | list):
            yield from positions(node[key])


def mutate(document, draw):
    """The bytes of a document after one to three changes of its tree, and sometimes of its text."""
    document = copy.deepcopy(document)
    for _ in range(draw.choice((1, 1, 2, 3))):
        node, key = draw.choice(list(positions(document)) or [({}, None)])
        change = draw.randrange(7)
        if change == 0:
            node.pop(key, None) if isinstance(node, dict) else node.pop(key)
        elif change == 1 and isinstance(node, list):
            node.append(copy.deepcopy(node[key]))
        elif change == 2 and isinstance(node, dict):
            node[str(draw.choice(ODD))] = node.pop(key, 0)
        elif change == 3 and key is not None and isinstance(node[key], dict | list):
            whole = node[key]
            node[key] = (
                [[*pair] for pair in whole.items()]
                if isinstance(whole, dict)
                else {str(at): item for at, item in enumerate(whole)}
            )
        elif change == 4 and key is not None and isinstance(node[key], list):
            node[key] = node[key] * draw.choice((2, 50))
        elif key is not None:
            node[key] = copy.deepcopy(draw.choice(ODD))
    text = json.dumps(document)
    for mark, raw in RAW.items():
        text = text.replace(mark, raw)
    return scramble(text, draw)


def scramble(text, draw):
    kind, at = draw.randrange(24), draw.randrange(len(text) + 1)
    texts = {0: text[:at], 1: text[:at] + draw.choice('{}[],:"\\0 ') + text[at:], 2: f"[{text}]", 3: "\ufeff" + text}
    texts |= {4: text.replace("{", '{"twice": 1, "twice": 2, ', 1), 5: text + text, 6: text.replace("1", "NaN", 1)}
    encodings = {7: "utf-16", 8: "utf-32", 9: "utf-16-le"}
    content = texts.get(kind, text).encode(encodings.get(kind, "utf-8"))
    return content[:at] + b"\xff\x80" + content[at:] if kind == 10 else content


@pytest.mark.parametrize("name", FAMILIES)
def test_mutated_instances_are_solved_or_refused(name, capsys, monkeypatch):
    family, draw = FAMILIES[name], random.Random(f"mutations of {name}")
    document = json.loads(family.generate(family.levels[0], Stream("mutations", name)).canonical_json)
    assert run_solve(json.dumps(document).encode(), capsys, monkeypatch)[0] == 0
    refused = 0
    for _ in range(MUTATIONS):
        content = mutate(document, draw)
        code, output = run_solve(content, capsys, monkeypatch)
        assert code in (0, 2, 3), content
        if code == 2:
            refused += 1
            assert len(output) < 500, content
            assert not PYTHON.search(output), (output, content)
    assert refused > MUTATIONS / 2


def basket(items):
    return {"family": "basket_assembly", "item": [f"i{at}" for at in range(items)], "ticket": [], "covers": [], "price": {}}


def series(titles, scope):
    names = [f"t{at}" for at in range(titles)]
    lots = {name: {f"{name}.{z}": z for z in (0, 1)} for name in names}
    factor = {"s": {"scope": names[:scope], "table": [0] * (2**scope if scope < 9 else 1)}} if scope else {}
    if scope == 2:
        factor["s"]["scope"] = [names[0], names[-1]]
    rosters = {"title": names, "series": list(factor), "lot": [lot for pair in lots.values() for lot in pair]}
    return {"family": "series_portfolio", **rosters, "choice": lots, "lot_value": lots, "factor": factor}


def migration(domains):
    names = [f"d{at}" for at in range(domains)]
    tables = {"group": [], "package": [], "cost": {}, "requirement": {}, "charge": dict.fromkeys(names, 0), "offset": 0}
    interaction = {"u": {"scope": names, "table": [1]}}
    return {"family": "migration_portfolio", "domain": names, "factor": ["u"], **tables, "interaction": interaction}


def layout(flow):
    return {"family": "machine_layout", "machine": ["a", "b"], "slot": ["s", "t"], "flow": flow, "adjustment": {}}


def deep(document):
    return json.dumps(document).replace(": 0", f": {DEEP}")


NAMED = {
    "21,408 basket items": (json.dumps(basket(21_408)), "item: 21,408 ids are more than the 90"),
    "14,272 series titles": (json.dumps(series(14_272, 2)), "of memory, more than the limit"),
    "a scope of 15,000 titles": (json.dumps(series(15_000, 15_000)), "expected 2^15000 table cells, got 1"),
    "a scope of 60 domains": (json.dumps(migration(60)), "has 1 cells, not 2^60"),
    "a value nested deeply": (deep(basket(0) | {"ticket": ["t"], "price": {"t": 0}}), "got a list|nested too deeply"),
    "the same, two ways round": (deep(layout({"a": {"b": 0}, "b": {"a": 0}})), "got a list|nested too deeply"),
    "a table named self": (json.dumps(basket(0) | {"self": 1}), "has no table 'self'"),
    "an integer of 5,000 digits": (json.dumps(basket(0)).replace("[]", "7" * 5_000, 1), "an integer of thousands of digits"),
    "an id of a million letters": (json.dumps(basket(0) | {"price": {"x" * 10**6: 1}}), "is not a known ticket"),
    "a family of a million letters": (json.dumps({"family": "x" * 10**6}), "there is no family 'xxx"),
    "a table of a million letters": (json.dumps(basket(0) | {"x" * 10**6: 1}), "has no table 'xxx"),
    "pairs as texts": (json.dumps(basket(0) | {"covers": ["ab"]}), "expected [ticket, item] in every row, got 'ab'"),
    "pairs as objects": (
        json.dumps(basket(0) | {"covers": [{"a": 1, "b": 2}]}),
        "expected [ticket, item] in every row, got an object",
    ),
    "pairs in an object": (
        json.dumps(basket(0) | {"covers": {"ab": 1}}),
        "expected a list of [ticket, item] rows, got an object",
    ),
    "a pair twice": (json.dumps(basket(3) | {"covers": [["t", "i0"], ["t", "i0"]]}), "the row t i0 is listed twice"),
}


@pytest.mark.parametrize("case", NAMED)
def test_named_cases_give_one_short_line(case, capsys, monkeypatch):
    text, message = NAMED[case]
    code, output = run_solve(text.encode(), capsys, monkeypatch)
    assert (code, any(words in output for words in message.split("|"))) == (2, True), output[:500]
    assert len(output) < 500
    assert "\n" not in output


def test_long_ids_in_a_familys_problem_are_cut(capsys, monkeypatch):
    long = "x" * 10**6
    document = basket(3) | {"ticket": [long], "covers": [[long, "i0"], [long, "i1"]], "price": {long: 1}}
    code, output = run_solve(json.dumps(document).encode(), capsys, monkeypatch)
    assert (code, "holds neither one item nor one item of each group" in output, len(output) < 500) == (2, True, True)


@pytest.mark.parametrize("case", ["a value nested deeply", "an id of a million letters", "a pair twice"])
def test_named_cases_end_with_exit_code_2(case):
    text, message = NAMED[case]
    result = run("solve", "-", stdin=text)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert any(words in result.stderr for words in message.split("|"))
    assert len(result.stderr) < 500
