"""The report: one HTML file that needs nothing else, with every number linked to its evaluations."""

from collections.abc import Mapping
from pathlib import Path

from algoworlds.analyse.evaluations import Results
from algoworlds.tables import Table


def write_report(results: Results, tables: Mapping[str, Table], directory: Path, about: Mapping[str, str]) -> Path:
    """Write report.html and the figures' files; `about` says what was run (suite, root digest, ...) in the page's head."""
    from algoworlds.analyse.illustrate import all_figures, write_figures
    from algoworlds.analyse.report.page import page

    drawn = all_figures(results)
    write_figures(drawn, directory / "figures")
    path = directory / "report.html"
    path.write_text(page(results, tables, drawn, about), encoding="utf-8", newline="\n")
    return path
