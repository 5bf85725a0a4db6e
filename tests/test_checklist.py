"""The checklist of benchmarks: every item has its line, and every line a test that there is."""

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
    *(f"O.{letter}.{number}" for letter, many in OUTCOMES.items() for number in range(1, many + 1)),
    *(f"R.{number}" for number in range(1, 14)),
}


def test_every_item_has_its_line():
    named = [item for items, _, _ in LINES for item in items.split(", ")]
    assert sorted(named) == sorted(ITEMS)


@pytest.mark.parametrize("node", sorted({node for _, _, node in LINES}))
def test_every_line_names_a_test_that_runs_always(node):
    path, _, name = node.partition("::")
    (found,) = [each for each in ast.parse((ROOT / path).read_text()).body if getattr(each, "name", None) == name]
    assert not any("full" in ast.unparse(each) for each in found.decorator_list)


def test_everything_that_is_needed_is_in_the_repository():
    licence = (ROOT / "LICENSE").read_text()
    assert "Apache License" in licence
    for path in ("src/algoworlds/suites/default.json", "src/algoworlds/cli/evaluate.py", "constraints.txt", "CITATION.cff"):
        assert (ROOT / path).is_file()
