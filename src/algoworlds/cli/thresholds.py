"""`algoworlds thresholds`: read and compare measurements."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import JsonOption
from algoworlds.cli.output import print_json
from algoworlds.cli.report import missing_report_extra
from algoworlds.errors import InputError
from algoworlds.grid import to_one_line


def thresholds(
    measurements: Annotated[
        list[Path], typer.Argument(metavar="MEASUREMENT...", help="Directories made by algoworlds measure.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Directory to write thresholds.html, tables and figures into; it must be new or a report."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Thresholds, slopes and lapses of measurements with their intervals, and how the players compare.

    With --out also the psychometric curves, and for every family an example world of the size that a player optimizes.
    """
    from rich.console import Console

    from algoworlds.cli.tables import print_table
    from algoworlds.reports.output_folder import check_report_folder, replace_report_files
    from algoworlds.reports.thresholds import (
        MeasurementResults,
        comparison_grid,
        comparison_json,
        scale_grid,
        threshold_grid,
    )
    from algoworlds.runs.measurement import MeasurementDirectory

    if out is not None:
        if (problem := missing_report_extra()) is not None:
            raise InputError(problem)
        check_report_folder(out)
    measured = [MeasurementResults.from_directory(MeasurementDirectory(path)) for path in measurements]
    if out is not None:
        from algoworlds.reports.threshold_page import threshold_files

        replace_report_files(threshold_files(measured), out)
    if json:
        print_json({"measurements": [results.json for results in measured], "comparison": comparison_json(measured)})
        return
    grids = [grid for results in measured for grid in (threshold_grid(results), scale_grid(results))]
    for grid in [*grids, *([comparison_grid(measured)] if len(measured) > 1 else [])]:
        print(to_one_line(grid.caption))
        print_table(Console(), grid)
    if out is not None:
        print(to_one_line(f"read {out / 'thresholds.html'}"))
