"""The report: one HTML file that needs nothing else, with every number linked to its evaluations."""

from collections.abc import Mapping
from pathlib import Path

from algoworlds.grid import Grid
from algoworlds.reports.folder import write_files
from algoworlds.reports.results import Results

PAGE = "report.html"


def write_report(results: Results, tables: Mapping[str, Grid], directory: Path, about: Mapping[str, str]) -> Path:
    """Write report.html and the figures' files; `about` says what was run (suite, root digest, ...) in the page's head."""
    write_files(report_files(results, tables, about), directory)
    return directory / PAGE


def report_files(results: Results, tables: Mapping[str, Grid], about: Mapping[str, str]) -> dict[str, bytes]:
    """The page and the figures' files, by name."""
    from algoworlds.reports.illustrate import all_figures, figure_files
    from algoworlds.reports.page.page import page

    drawn = all_figures(results)
    figures = {f"figures/{name}": content for name, content in figure_files(drawn)}
    return {**figures, PAGE: page(results, tables, drawn, about).encode()}
