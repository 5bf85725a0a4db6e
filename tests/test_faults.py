"""The fault catalogue and the tests that cite it agree.

`python -m tests.test_faults` rewrites the last column of the catalogue. A new id needs a row of its own.
"""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
CATALOGUE = TESTS.parent / "docs" / "faults.md"


def cited_ids(path):
    """The ids that a test file cites: in names of tests, and in docstrings of the file and of functions."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Module | ast.FunctionDef)]
    names = [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    texts = [ast.get_docstring(node) or "" for node in nodes]
    ids = {fault.upper() for name in names for fault in re.findall(r"(?<=_)[a-h]\d{1,2}(?=_)", name)}
    return ids | {fault for text in texts for fault in re.findall(r"\b[A-H]\d{1,2}\b", text)}


def citations():
    """By id, the files that cite it."""
    files = {}
    for path in sorted(set(TESTS.rglob("test_*.py")) - {Path(__file__)}):
        for fault in cited_ids(path):
            files.setdefault(fault, set()).add(path.relative_to(TESTS.parent).as_posix())
    return files


def catalogue_rows():
    """By id, the files that the catalogue names."""
    rows = re.findall(r"^\| ([A-H]\d+) \|.*\| ([^|]*) \|$", CATALOGUE.read_text(), re.MULTILINE)
    return {fault: set(re.findall(r"tests/\S+\.py", files)) for fault, files in rows}


def updated_catalogue():
    """The catalogue with the files that cite each id now."""
    files = citations()

    def row(match):
        return f"{match[1]} {' '.join(f'`{file}`' for file in sorted(files.get(match[2], ())))} |"

    return re.sub(r"^(\| ([A-H]\d+) \|.*\|)[^|]*\|$", row, CATALOGUE.read_text(), flags=re.MULTILINE)


def test_catalogue_names_the_tests_that_cite_it():
    assert catalogue_rows() == citations(), "run python -m tests.test_faults"


def test_every_row_has_a_fault_and_an_expectation():
    rows = re.findall(r"^\| [A-H]\d+ \|(.*)\|$", CATALOGUE.read_text(), re.MULTILINE)
    assert len(rows) == len(catalogue_rows()) > 60
    assert all(len(cell.split()) > 1 for row in rows for cell in row.split(" | ")[:2])


if __name__ == "__main__":
    CATALOGUE.write_text(updated_catalogue())
