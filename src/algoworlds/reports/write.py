"""All sheets of some results, and their files."""

import json
from collections.abc import Iterator, Mapping, Sequence

from algoworlds.grid import comma_separated, latex, markdown
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import FilledSheet
from algoworlds.reports.sheets import SHEETS


def filled_sheets(results: Results) -> dict[str, FilledSheet]:
    """Every sheet that the results have data for, by name; a sheet without data is left out."""
    made = [each.filled(results) for each in SHEETS]
    return {each.name: each for each in made if each is not None}


def sheet_files(sheets: Mapping[str, FilledSheet]) -> dict[str, bytes]:
    """The files of some sheets: tables.md with all, tables.json with raw figures, and each as Markdown, CSV and LaTeX.

    A CSV file has one figure a cell. The paper's own tables stand first.
    """
    ordered = sorted(sheets.values(), key=lambda each: not each.heading.paper)
    return {name: text.encode("utf-8") for name, text in _files(ordered)}


def _files(sheets: Sequence[FilledSheet]) -> Iterator[tuple[str, str]]:
    sections = [f"## {each.name.replace('_', ' ').capitalize()}\n\n{markdown(each)}\n" for each in sheets]
    yield "tables.md", "# Tables\n\n" + "\n".join(sections)
    yield "tables.json", json.dumps([each.json for each in sheets if each.data], indent=1, allow_nan=False) + "\n"
    for each in sheets:
        yield f"{each.name}.md", markdown(each) + "\n"
        yield f"{each.name}.csv", comma_separated(each.figures) + "\n"
        yield f"{each.name}.tex", latex(each) + "\n"
