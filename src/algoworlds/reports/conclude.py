"""From run directories to conclusions: records collected, regret told apart, sheets, figures and the page written."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algoworlds.errors import InputError
from algoworlds.reports.benchmark import suite_sheets
from algoworlds.reports.decompose import decomposed
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.folder import replace_files
from algoworlds.reports.page import PAGE, report_files
from algoworlds.reports.panel import floor_and_ceiling
from algoworlds.reports.results import Results, read_all
from algoworlds.reports.sheet import FilledSheet
from algoworlds.reports.sheets.inference import COMPARISONS
from algoworlds.reports.write import filled_sheets, sheet_files
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import PROTOCOL
from algoworlds.runs.status import attempts_of
from algoworlds.suites.opened import Opened


@dataclass(frozen=True)
class Concluded:
    """What a report was made of and what was written."""

    results: Results
    sheets: dict[str, FilledSheet]
    page: Path


def conclude(
    runs: Sequence[RunDirectory],
    suite: Opened | None,
    out: Path,
    executor: Executor | None = None,
    progress: Callable[[int, int], Any] = lambda done, total: None,
    *,
    compare: bool = False,
    panel: bool = True,
) -> Concluded:
    """Write everything; without the suite, what needs it is left out: floor and ceiling, regret parts, benchmark tables."""
    _one_suite(runs, suite)
    _one_run_a_label(runs)
    _same_worlds(runs)
    found = _evaluations(runs)
    _complete(runs, found)  # refuses what is incomplete before anything is played or written
    if suite is not None and panel:
        played = floor_and_ceiling(runs, suite, out, executor, progress)
        runs, found = [*runs, *played], [*found, *_evaluations(played)]
    if suite is not None:
        found = decomposed(found, suite, executor, progress)
    results = _complete(runs, found)
    results = results.with_attempts({run.document["plan"]["label"]: attempts_of(run) for run in runs})
    sheets = filled_sheets(results)
    if not compare:
        sheets.pop(COMPARISONS.name, None)
    if suite is not None:
        sheets |= suite_sheets(suite)
    replace_files({**sheet_files(sheets), **report_files(results, sheets, _about(runs))}, out)
    return Concluded(results, sheets, out / PAGE)


def _one_suite(runs: Sequence[RunDirectory], suite: Opened | None) -> None:
    roots = {run.document["plan"]["suite"]["root"]: run.path for run in runs}
    if len(roots) > 1:
        places = ", ".join(f"{path} ({root[:8]}...)" for root, path in roots.items())
        raise InputError(f"the runs were made on different suites: {places}; report them apart")
    if suite is not None and suite.manifest.root not in roots:
        raise InputError(f"{suite.directory} is not the suite of these runs: name the right one with --suite")


def _one_run_a_label(runs: Sequence[RunDirectory]) -> None:
    places: dict[str, list[Path]] = {}
    for run in runs:
        places.setdefault(run.document["plan"]["label"], []).append(run.path)
    for label, paths in places.items():
        if len({path.resolve() for path in paths}) < len(paths):
            raise InputError(f"{paths[0]} is named twice: name every run once")
        if len(paths) > 1:
            raise InputError(f"{paths[0]} and {paths[1]} are both runs of {label!r}: report them apart, or label one anew")


def _same_worlds(runs: Sequence[RunDirectory]) -> None:
    first, *others = [(run.path, set(run.document["plan"]["prompts"])) for run in runs]
    for path, worlds in others:
        if worlds != first[1]:
            raise InputError(
                f"{first[0]} and {path} played different worlds ({len(first[1])} and {len(worlds)}, "
                f"{len(first[1] & worlds)} in common): report them apart, or run both on the same worlds"
            )


def _evaluations(runs: Sequence[RunDirectory]) -> list[Evaluation]:
    """What the finalized records of some runs say; every file is read once."""
    return read_all(record for run in runs for record in run.records())


def _complete(runs: Sequence[RunDirectory], found: Sequence[Evaluation]) -> Results:
    """The evaluations of some runs, held to their schedules."""
    labels = [run.document["plan"]["label"] for run in runs]
    expected = [(label, each.world, each.trial) for label, run in zip(labels, runs, strict=True) for each in run.schedule]
    return Results.whole(found, expected, labels)


def _about(runs: Sequence[RunDirectory]) -> dict[str, str]:
    plan = runs[0].document["plan"]
    return {"Suite": plan["suite"]["name"], "Suite root": plan["suite"]["root"], "Protocol": str(PROTOCOL)}
