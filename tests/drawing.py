"""Patches that leave figures out of reports. Drawing takes most of a small report's time, and most tests need no figure."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from unittest.mock import patch


def without_figure_files() -> AbstractContextManager[object]:
    """Draw figures in the page only, not in files of their own."""
    return patch("algoworlds.reports.result_figures.figure_files", lambda figures: ())


@contextmanager
def without_figures() -> Iterator[None]:
    """Draw no figures, neither in files nor in the page."""
    with (
        patch("algoworlds.reports.page.render.all_figures", lambda *arguments: {}),  # first: it imports the next one
        patch("algoworlds.reports.result_figures.all_figures", lambda *arguments: {}),
    ):
        yield
