"""All tables of a collection of results, and their files."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from algoworlds.analyse.evaluations import Results
from algoworlds.analyse.sheet import Sheet
from algoworlds.analyse.tables import endings, inference, interfaces, outcomes, structure, trajectories
from algoworlds.tables import Table, comma_separated, latex, markdown

_TABLES: tuple[Callable[[Results], Sheet | None], ...] = (
    outcomes.main_results,
    outcomes.conditional_outcomes,
    structure.task_results,
    structure.workload_results,
    interfaces.representation_results,
    outcomes.outcomes,
    outcomes.reference_quality,
    outcomes.conditional_outcome_counts,
    structure.task_diagnostics,
    structure.stability,
    trajectories.diagnostics,
    trajectories.acquisition_spend,
    trajectories.trajectory_examples,
    inference.intervals,
    inference.comparisons,
    interfaces.interface_tests,
    inference.reliability,
    inference.small_cells,
    inference.drift,
    trajectories.information_use,
    trajectories.usage,
    endings.stops,
)
"""The paper's tables in its order, then what is added to them."""


def all_tables(results: Results, attempts: endings.Attempts | None = None) -> dict[str, Sheet]:
    """Every table that the results have data for, by name; a table without data is left out."""
    made = [make(results) for make in _TABLES] + [endings.retries(results, attempts or {})]
    return {each.name: each for each in made if each is not None}


def write_tables(tables: Mapping[str, Table], directory: Path) -> None:
    """Write tables.md with all tables, tables.json with raw figures, and each table as Markdown, CSV and LaTeX."""
    directory.mkdir(parents=True, exist_ok=True)
    sections = [f"## {each.name.replace('_', ' ').capitalize()}\n\n{markdown(each)}\n" for each in tables.values()]
    _write(directory / "tables.md", "# Tables\n\n" + "\n".join(sections))
    raw = [each.json for each in tables.values() if isinstance(each, Sheet)]
    _write(directory / "tables.json", json.dumps(raw, indent=1, allow_nan=False) + "\n")
    for each in tables.values():
        figures = each.figures if isinstance(each, Sheet) else each
        _write(directory / f"{each.name}.md", markdown(each) + "\n")
        _write(directory / f"{each.name}.csv", comma_separated(figures) + "\n")
        _write(directory / f"{each.name}.tex", latex(each) + "\n")


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a new file takes the old one's place once it is on disk."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
