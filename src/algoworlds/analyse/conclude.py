"""From run directories to conclusions: records collected, regret told apart, tables, figures and the page written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from algoworlds.analyse.evaluations import Results
from algoworlds.analyse.panel import floor_and_ceiling
from algoworlds.analyse.regret import decomposed
from algoworlds.analyse.report import write_report
from algoworlds.analyse.write import all_tables, write_tables
from algoworlds.errors import InputError
from algoworlds.evaluate.directory import RunDirectory
from algoworlds.evaluate.schedule import PROTOCOL
from algoworlds.evaluate.status import attempts_of
from algoworlds.release.opened import Opened
from algoworlds.release.stats import scale
from algoworlds.release.stats import tables as suite_tables
from algoworlds.tables import Table


@dataclass(frozen=True)
class Concluded:
    """What a report was made of and what was written."""

    results: Results
    tables: dict[str, Table]
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
    _collected(runs)  # refuses what is incomplete before anything is played or written
    if suite is not None and panel:
        runs = [*runs, *floor_and_ceiling(runs, suite, out, executor, progress)]
    records = [record for run in runs for record in run.records()]
    results = _collected(runs, records if suite is None else decomposed(records, suite, executor, progress))
    attempts = {run.document["plan"]["label"]: attempts_of(run) for run in runs}
    tables: dict[str, Table] = {**all_tables(results, attempts)}
    if not compare:
        tables.pop("comparisons", None)
    if suite is not None:
        stated = suite_tables(scale(suite.stated()) | {"validation": []})
        renamed = {"benchmark_statistics": stated["access"], "work_ranges": stated["work"]}
        tables |= {name: replace(table, name=name) for name, table in renamed.items()}
    write_tables(tables, out)
    return Concluded(results, tables, write_report(results, tables, out, _about(runs)))


def _one_suite(runs: Sequence[RunDirectory], suite: Opened | None) -> None:
    roots = {run.document["plan"]["suite"]["root"]: run.path for run in runs}
    if len(roots) > 1:
        places = ", ".join(f"{path} ({root[:8]}...)" for root, path in roots.items())
        raise InputError(f"the runs were made on different suites: {places}; report them apart")
    if suite is not None and suite.manifest.root not in roots:
        raise InputError(f"{suite.directory} is not the suite of these runs: name the right one with --suite")


def _collected(runs: Sequence[RunDirectory], records: Iterable[Mapping[str, Any]] | None = None) -> Results:
    """The records of some runs, held to their schedules."""
    labels = [run.document["plan"]["label"] for run in runs]
    expected = [(label, each.world, each.trial) for label, run in zip(labels, runs, strict=True) for each in run.schedule]
    found = (record for run in runs for record in run.records()) if records is None else records
    return Results.of(found, expected, labels)


def _about(runs: Sequence[RunDirectory]) -> dict[str, str]:
    plan = runs[0].document["plan"]
    trials = sorted({run.document["plan"]["trials"] for run in runs})
    return {
        "Suite": plan["suite"]["name"],
        "Suite root": plan["suite"]["root"],
        "Worlds": str(len(plan["prompts"])),
        "Trials": " or ".join(map(str, trials)),
        "Protocol": str(PROTOCOL),
    }
