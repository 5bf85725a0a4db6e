"""The report: one HTML file that needs nothing else, with every number linked to its evaluations."""

from collections.abc import Mapping

from algoworlds.reports.page.scene import UNSTAGED, Staging
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import FilledSheet

PAGE = "report.html"


def report_files(
    results: Results, sheets: Mapping[str, FilledSheet], about: Mapping[str, str], staging: Staging = UNSTAGED
) -> dict[str, bytes]:
    """The page and the figures' files, by name; `about` says what was run (suite, root digest, ...) in the page's head."""
    from algoworlds.reports.illustrate import all_figures, figure_files
    from algoworlds.reports.page.page import page

    drawn = all_figures(results)
    figures = {f"figures/{name}": content for name, content in figure_files(drawn)}
    return {**figures, PAGE: page(results, sheets, drawn, about, staging).encode()}
