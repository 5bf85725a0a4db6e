"""The fault catalogue and the tests that cite it say the same.

`python -m tests.test_faults` writes the catalogue's last column anew. A new id needs a row of its own.
"""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
CATALOGUE = TESTS.parent / "docs" / "faults.md"


def cited(path):
    """The ids that a test file cites: in the names of its tests, and in docstrings of the file and of tests."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Module | ast.FunctionDef)]
    names = [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    texts = [ast.get_docstring(node) or "" for node in nodes]
    found = {each.upper() for name in names for each in re.findall(r"(?<=_)[a-g]\d{1,2}(?=_)", name)}
    return found | {each for text in texts for each in re.findall(r"\b[A-G]\d{1,2}\b", text)}


def citations():
    """By id, the files that cite it."""
    found = {}
    for path in sorted(set(TESTS.rglob("test_*.py")) - {Path(__file__)}):
        for each in cited(path):
            found.setdefault(each, set()).add(path.relative_to(TESTS.parent).as_posix())
    return found


def catalogued():
    """By id, the files that the catalogue names."""
    rows = re.findall(r"^\| ([A-G]\d+) \|.*\| ([^|]*) \|$", CATALOGUE.read_text(), re.MULTILINE)
    return {each: set(re.findall(r"tests/\S+\.py", files)) for each, files in rows}


def written_anew():
    """The catalogue with the files that cite each id now."""
    found = citations()

    def row(match):
        return f"{match[1]} {' '.join(f'`{file}`' for file in sorted(found.get(match[2], ())))} |"

    return re.sub(r"^(\| ([A-G]\d+) \|.*\|)[^|]*\|$", row, CATALOGUE.read_text(), flags=re.MULTILINE)


def test_the_catalogue_names_the_tests_that_cite_it():
    assert catalogued() == citations(), "write it anew with: python -m tests.test_faults"


def test_every_row_says_what_is_done_and_what_must_happen():
    rows = re.findall(r"^\| [A-G]\d+ \|(.*)\|$", CATALOGUE.read_text(), re.MULTILINE)
    assert len(rows) == len(catalogued()) > 60
    assert all(len(cell.split()) > 1 for row in rows for cell in row.split(" | ")[:2])


if __name__ == "__main__":
    CATALOGUE.write_text(written_anew())
