"""The report: one HTML file that needs nothing else, with every number linked to its evaluations."""

from collections.abc import Mapping
from pathlib import Path

from algoworlds.analyse.evaluations import Results
from algoworlds.errors import InputError
from algoworlds.evaluate.records import write_whole
from algoworlds.tables import Table


def write_report(results: Results, tables: Mapping[str, Table], directory: Path, about: Mapping[str, str]) -> Path:
    """Write report.html and the figures' files; `about` says what was run (suite, root digest, ...) in the page's head."""
    from algoworlds.analyse.illustrate import all_figures, figure_files
    from algoworlds.analyse.report.page import page

    path, drawn = directory / "report.html", all_figures(results)
    try:
        (directory / "figures").mkdir(parents=True, exist_ok=True)
        for name, content in figure_files(drawn):
            write_whole(directory / "figures" / name, content)
        write_whole(path, page(results, tables, drawn, about).encode())
    except OSError as problem:
        where, what = problem.filename or directory, problem.strerror
        raise InputError(f"cannot write {where}: {what}; choose another directory") from None
    return path
