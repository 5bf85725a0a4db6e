"""Reports whose figures stand in the page alone: their files, which show the same, take most of a small report's time."""

from contextlib import AbstractContextManager
from unittest.mock import patch


def unfiled() -> AbstractContextManager[object]:
    return patch("algoworlds.reports.illustrate.figure_files", lambda figures: ())
