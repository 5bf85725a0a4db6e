"""Reports with fewer drawings than they should have, which take most of a small report's time, for tests of all the rest."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from unittest.mock import patch


def unfiled() -> AbstractContextManager[object]:
    """Figures stand in the page alone, and not in files, which show the same."""
    return patch("algoworlds.reports.illustrate.figure_files", lambda figures: ())


@contextmanager
def unillustrated() -> Iterator[None]:
    """There are no figures, neither in files nor in the page."""
    with (
        patch("algoworlds.reports.page.page.all_figures", lambda *given: {}),  # first, for this imports it
        patch("algoworlds.reports.illustrate.all_figures", lambda *given: {}),
    ):
        yield
