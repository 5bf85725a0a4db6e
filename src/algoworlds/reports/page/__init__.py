"""The report page: one HTML file whose numbers link to their evaluations; a large report has them in a folder."""

from collections.abc import Mapping

from algoworlds.reports.page.replays import REPLAYS_WITHOUT_SUITE, Replays
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import FilledSheet

PAGE_FILE = "report.html"
EVALUATIONS_FOLDER = "evaluations"
"""The folder with the evaluations of a large report."""


def build_report_files(
    results: Results, sheets: Mapping[str, FilledSheet], about: Mapping[str, str], replays: Replays = REPLAYS_WITHOUT_SUITE
) -> dict[str, bytes]:
    """The page, the figures and the evaluations folder as file contents by name; `about` is shown in the head of the page."""
    from algoworlds.reports.page.render import pack_worlds, render_page
    from algoworlds.reports.result_figures import all_figures, figure_files

    figures, packed = all_figures(results), pack_worlds(results, replays)
    page = render_page(results, sheets, figures, about, replays.missing_reason, packed)
    contents = {f"figures/{name}": content for name, content in figure_files(figures)}
    return {**contents, **packed.files, PAGE_FILE: page.encode()}
