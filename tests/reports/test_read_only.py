"""Reports only read: no module of `reports` imports or calls code that plays, judges or solves."""

import ast
from pathlib import Path

import pytest

import algoworlds.reports

REPORTS = Path(algoworlds.reports.__file__).parent
FORBIDDEN_MODULES = {"algoworlds.runs.scripted", "algoworlds.runs.panel", "algoworlds.runs.agents", "algoworlds.runs.model_run"}
FORBIDDEN_NAMES = {"judge_runs", "judge_task", "judge_record", "judge_evaluation", "compute_judgements", "Judge", "Hindsight"}
FORBIDDEN_CALLS = {"solve", "write_record", "write_judgement", "create_or_resume"}


def violations(source):
    """Imports and calls in `source` that a report must not have."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in FORBIDDEN_MODULES)
        if isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            yield from (name for name in names if name in FORBIDDEN_NAMES or f"{node.module}.{name}" in FORBIDDEN_MODULES)
            if node.module in FORBIDDEN_MODULES:
                yield node.module
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in FORBIDDEN_CALLS:
                yield f"{name}()"


@pytest.mark.parametrize("path", sorted(REPORTS.rglob("*.py")), ids=lambda path: str(path.relative_to(REPORTS)))
def test_module_neither_plays_nor_judges_nor_solves(path):
    assert list(violations(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "from algoworlds.runs.panel import play_panel",
        "from algoworlds.runs import scripted",
        "import algoworlds.runs.scripted",
        "from algoworlds.runs.judgement import JUDGEMENT_FORMAT, judge_runs",
        "load_family(name).solve(instance)",
        "solve(instance)",
    ],
)
def test_check_finds_violations(source):
    assert len(list(violations(source))) == 1
