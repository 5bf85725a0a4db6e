"""The benchmark checklist: every item has a line, and every line an existing test."""

import ast
import re

import pytest

from tests.command import ROOT

LINES = re.findall(
    r"^\| ([TOR]\.[^|]+?) \|[^|]+\|([^|]+)\| `([^`]+)` \|$", (ROOT / "docs" / "checklist.md").read_text(), re.MULTILINE
)
OUTCOMES = {"a": 2, "b": 3, "c": 2, "d": 2, "e": 3, "f": 2, "g": 3, "h": 2, "i": 1}
ITEMS = {
    *(f"T.{number}" for number in range(1, 11)),
    *(f"O.{letter}.{number}" for letter, count in OUTCOMES.items() for number in range(1, count + 1)),
    *(f"R.{number}" for number in range(1, 14)),
}


def test_every_item_has_a_line():
    listed_items = [item for items, _, _ in LINES for item in items.split(", ")]
    assert sorted(listed_items) == sorted(ITEMS)


@pytest.mark.parametrize("node", sorted({node for _, _, node in LINES}))
def test_every_line_names_an_existing_short_test(node):
    path, _, name = node.partition("::")
    body = ast.parse((ROOT / path).read_text()).body
    (test,) = [statement for statement in body if getattr(statement, "name", None) == name]
    assert not any("full" in ast.unparse(decorator) for decorator in test.decorator_list)


def test_required_files_are_in_the_repository():
    licence = (ROOT / "LICENSE").read_text()
    assert "Apache License" in licence
    for path in ("src/algoworlds/suites/default.json", "src/algoworlds/cli/run.py", "constraints.txt", "CITATION.cff"):
        assert (ROOT / path).is_file()
