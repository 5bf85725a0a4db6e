"""The report: one HTML file, with every number linked to its evaluations; those of a large one lie beside it."""

from collections.abc import Mapping

from algoworlds.reports.page.scene import UNSTAGED, Staging
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import FilledSheet

PAGE = "report.html"
FOLDER = "evaluations"
"""Where single evaluations lie beside the page of a large report."""


def report_files(
    results: Results, sheets: Mapping[str, FilledSheet], about: Mapping[str, str], staging: Staging = UNSTAGED
) -> dict[str, bytes]:
    """The page, the figures' files and what is kept beside them, by name; `about` says in the page's head what was run."""
    from algoworlds.reports.illustrate import all_figures, figure_files
    from algoworlds.reports.page.page import page
    from algoworlds.reports.page.shelf import shelved

    drawn = all_figures(results)
    figures = {f"figures/{name}": content for name, content in figure_files(drawn)}
    shelf = shelved(results, staging)
    return {**figures, **shelf.files, PAGE: page(results, sheets, drawn, about, staging.missing, shelf).encode()}
