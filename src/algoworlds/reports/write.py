"""All tables of a collection of results, and their files."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from algoworlds.grid import Grid, comma_separated, latex, markdown
from algoworlds.reports.folder import write_files
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import Sheet
from algoworlds.reports.tables import endings, inference, interfaces, outcomes, regret, structure, trajectories

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
    regret.regret_parts,
    trajectories.usage,
    endings.stops,
)
"""The paper's tables in its order, then what is added to them."""


def all_tables(results: Results, attempts: endings.Attempts | None = None) -> dict[str, Sheet]:
    """Every table that the results have data for, by name; a table without data is left out."""
    made = [make(results) for make in _TABLES] + [endings.retries(results, attempts or {})]
    return {each.name: each for each in made if each is not None}


def write_tables(tables: Mapping[str, Grid], directory: Path) -> None:
    """Write the files of some tables."""
    write_files(table_files(tables), directory)


def table_files(tables: Mapping[str, Grid], figures: Mapping[str, Grid] | None = None) -> dict[str, bytes]:
    """The files of some tables: tables.md with all, tables.json with raw figures, and each as Markdown, CSV and LaTeX.

    A CSV file has one figure a cell: a sheet's own, or the table of the same name in `figures`.
    """
    return {name: text.encode("utf-8") for name, text in _files(list(tables.values()), figures or {})}


def _files(tables: Sequence[Grid], figures: Mapping[str, Grid]) -> Iterator[tuple[str, str]]:
    sections = [f"## {each.name.replace('_', ' ').capitalize()}\n\n{markdown(each)}\n" for each in tables]
    yield "tables.md", "# Tables\n\n" + "\n".join(sections)
    raw = [each.json for each in tables if isinstance(each, Sheet)]
    yield "tables.json", json.dumps(raw, indent=1, allow_nan=False) + "\n"
    for each in tables:
        single = each.figures if isinstance(each, Sheet) else figures.get(each.name, each)
        yield f"{each.name}.md", markdown(each) + "\n"
        yield f"{each.name}.csv", comma_separated(single) + "\n"
        yield f"{each.name}.tex", latex(each) + "\n"
